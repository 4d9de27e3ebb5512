use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::JsString;
use crate::string::wtf8;

/// A string as it stands between its quotes: checked, not yet decoded.
#[derive(Debug, Clone, Copy)]
pub struct RawString<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) escaped: bool,
}

impl<'a> RawString<'a> {
    /// The string that a value is which a [`Scanner`](super::Scanner) has passed, quotes included;
    /// `None` of a value that is no string. Of bytes that no scanner has passed it may be anything.
    ///
    /// ```
    /// use sref_session::json::{RawString, Scanner};
    ///
    /// let mut scanner = Scanner::new(br#" "a\u0062" "#);
    /// let range = scanner.skip_value()?;
    /// assert!(RawString::of_passed(scanner.slice(range)).unwrap().is("ab"));
    /// assert!(RawString::of_passed(b"null").is_none());
    /// # Ok::<(), sref_session::json::JsonError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn of_passed(value: &'a [u8]) -> Option<Self> {
        let [b'"', bytes @ .., b'"'] = value else {
            return None;
        };
        Some(Self {
            bytes,
            escaped: memchr::memchr(b'\\', bytes).is_some(),
        })
    }

    /// The bytes between the quotes, escapes untouched.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the string says `text`. Decodes only when it holds an escape.
    #[must_use]
    pub fn is(self, text: &str) -> bool {
        if self.escaped {
            self.decode() == *text
        } else {
            self.bytes == text.as_bytes()
        }
    }

    /// The string's text as bytes: borrowed when it holds no escape. For comparing and matching;
    /// ill-formed UTF-8 is still in it.
    #[must_use]
    pub fn text(self) -> Cow<'a, [u8]> {
        if self.escaped {
            Cow::Owned(self.decode().into_wtf8())
        } else {
            Cow::Borrowed(self.bytes)
        }
    }

    /// The string's text.
    #[must_use]
    pub fn decode(self) -> JsString {
        if !self.escaped {
            return JsString::from_utf8_lossy(self.bytes);
        }
        // Ill-formed parts end before an escape, so mending the whole is mending each run.
        let text = String::from_utf8_lossy(self.bytes);
        // Gathered as bytes and checked once: a `JsString` that has a lone surrogate is dear to grow.
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some(at) = memchr::memchr(b'\\', rest) {
            out.extend_from_slice(&rest[..at]);
            let (code_point, used) = escape(&rest[at..]);
            match u8::try_from(code_point) {
                Ok(ascii @ 0..0x80) => out.push(ascii),
                _ => wtf8::push_code_point(&mut out, code_point),
            }
            rest = &rest[at + used..];
        }
        out.extend_from_slice(rest);
        JsString::from_checked(out)
    }
}

/// The code point of a checked escape at the start of `bytes`, a surrogate included, and its
/// length.
fn escape(bytes: &[u8]) -> (u32, usize) {
    let simple = match bytes[1] {
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b't' => 0x09,
        b'u' => {
            let high = hex4(&bytes[2..]);
            if wtf8::is_high(high) && bytes.get(6..8) == Some(b"\\u") {
                let low = hex4(&bytes[8..]);
                if wtf8::is_low(low) {
                    return (wtf8::join(high, low), 12);
                }
            }
            return (high.into(), 6);
        }
        other => other.into(),
    };
    (simple, 2)
}

fn hex4(bytes: &[u8]) -> u16 {
    bytes[..4].iter().fold(0, |value, digit| {
        let digit = (*digit as char).to_digit(16).unwrap_or(0);
        (value << 4) | u16::try_from(digit).unwrap_or(0)
    })
}

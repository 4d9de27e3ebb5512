use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::owned::JsString;
use super::wtf8;
use crate::Excerpt;

/// A borrowed [`JsString`]: WTF-8 bytes, known to be plain UTF-8 or not.
#[derive(Clone, Copy)]
pub struct JsStr<'a> {
    bytes: &'a [u8],
    /// The same bytes as a `str`, when no surrogate is among them.
    text: Option<&'a str>,
}

impl<'a> JsStr<'a> {
    pub(crate) const fn from_parts(bytes: &'a [u8], text: Option<&'a str>) -> Self {
        Self { bytes, text }
    }

    /// The bytes: UTF-8, with a lone surrogate as the three bytes `ED A0..BF 80..BF`.
    #[must_use]
    pub const fn as_wtf8(self) -> &'a [u8] {
        self.bytes
    }

    /// The text as a `str`, or `None` when a lone surrogate is in it.
    #[must_use]
    pub const fn as_str(self) -> Option<&'a str> {
        self.text
    }

    /// The size in UTF-8 bytes, a lone surrogate counted as three (`contract.md` "Vocabulary").
    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len()
    }

    /// Whether the text is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The part between two byte offsets.
    ///
    /// # Panics
    ///
    /// Panics if an end lies outside the text or inside the encoding of a character.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Self {
        assert!(
            self.is_boundary(range.start) && self.is_boundary(range.end),
            "a cut inside a character"
        );
        let bytes = &self.bytes[range.clone()];
        let text = match self.text {
            Some(text) => Some(&text[range]),
            None => core::str::from_utf8(bytes).ok(),
        };
        Self { bytes, text }
    }

    /// Whether a cut at this byte offset falls between two characters.
    #[must_use]
    pub fn is_boundary(self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(byte) => byte & 0xC0 != 0x80,
            None => at == self.bytes.len(),
        }
    }

    /// The last place at or before a byte offset where a cut falls between two characters.
    ///
    /// An offset past the end means the end.
    ///
    /// ```
    /// use sref_session::JsStr;
    ///
    /// let text = JsStr::from("aéb");
    /// assert_eq!((text.floor_boundary(2), text.ceil_boundary(2)), (1, 3));
    /// assert_eq!((text.floor_boundary(9), text.ceil_boundary(9)), (4, 4));
    /// ```
    #[must_use]
    pub fn floor_boundary(self, at: usize) -> usize {
        let at = at.min(self.len());
        // A character has at most three continuation bytes.
        (at.saturating_sub(3)..=at)
            .rev()
            .find(|at| self.is_boundary(*at))
            .unwrap_or(0)
    }

    /// The first place at or after a byte offset where a cut falls between two characters.
    ///
    /// An offset past the end means the end.
    #[must_use]
    pub fn ceil_boundary(self, at: usize) -> usize {
        (at..self.len())
            .find(|at| self.is_boundary(*at))
            .unwrap_or(self.len())
    }

    /// The code points; a lone surrogate is one.
    pub fn code_points(self) -> impl Iterator<Item = u32> + use<'a> {
        self.chunks().flat_map(|(text, surrogate)| {
            text.chars().map(u32::from).chain(surrogate.map(u32::from))
        })
    }

    /// The UTF-16 code units, as JavaScript counts them.
    pub fn utf16_units(self) -> impl Iterator<Item = u16> + use<'a> {
        self.chunks()
            .flat_map(|(text, surrogate)| text.encode_utf16().chain(surrogate))
    }

    /// The text cut after each lone surrogate: runs of plain text, each with the surrogate after it.
    ///
    /// The last run has none.
    pub fn chunks(self) -> impl Iterator<Item = (&'a str, Option<u16>)> + use<'a> {
        Chunks { rest: Some(self) }
    }

    /// The text with each lone surrogate replaced by U+FFFD, as `Buffer.from` does.
    #[must_use]
    pub fn to_string_lossy(self) -> Cow<'a, str> {
        if let Some(text) = self.text {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(self.len());
        for (text, surrogate) in self.chunks() {
            out.push_str(text);
            out.extend(surrogate.map(|_| char::REPLACEMENT_CHARACTER));
        }
        Cow::Owned(out)
    }

    /// The text as an error message may quote it: short, and harmless to a terminal.
    #[must_use]
    pub const fn excerpt(self) -> Excerpt<'a> {
        Excerpt(self)
    }

    /// Copies the text.
    #[must_use]
    pub fn to_js_string(self) -> JsString {
        match self.text {
            Some(text) => JsString::from(text),
            None => JsString::from_checked(Vec::from(self.bytes)),
        }
    }
}

struct Chunks<'a> {
    rest: Option<JsStr<'a>>,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = (&'a str, Option<u16>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        if let Some(text) = rest.text {
            self.rest = None;
            return Some((text, None));
        }
        let valid = rest
            .bytes
            .utf8_chunks()
            .next()
            .map_or("", |chunk| chunk.valid());
        let after = valid.len() + 3;
        let bytes = &rest.bytes[after..];
        // Tails are re-checked only while a surrogate is left in them; each byte is looked at a
        // bounded number of times by the caller that walks all chunks of a well-formed tail.
        self.rest = Some(JsStr {
            bytes,
            text: if has_surrogate(bytes) {
                None
            } else {
                core::str::from_utf8(bytes).ok()
            },
        });
        Some((valid, wtf8::surrogate_at(rest.bytes, valid.len())))
    }
}

/// Whether a surrogate stands anywhere; stops at the first.
fn has_surrogate(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0xED, bytes).any(|at| wtf8::surrogate_at(bytes, at).is_some())
}

impl PartialEq for JsStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for JsStr<'_> {}

impl PartialEq<str> for JsStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.bytes == other.as_bytes()
    }
}

impl<'a> From<&'a str> for JsStr<'a> {
    fn from(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            text: Some(text),
        }
    }
}

impl<'a> From<&'a JsString> for JsStr<'a> {
    fn from(text: &'a JsString) -> Self {
        text.as_js_str()
    }
}

/// Lossy: a lone surrogate prints as U+FFFD. Not escaped: never print foreign text raw.
impl fmt::Display for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_string_lossy())
    }
}

/// As a JSON string, lone surrogates included.
impl fmt::Debug for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::json::quote(*self))
    }
}

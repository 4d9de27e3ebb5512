use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use super::error::{JsonError, JsonErrorKind};
use super::value::safe_integer;
use crate::JsString;
use crate::string::wtf8;

/// What the next value is, told from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has these and will have no others"
)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A string as it stands between its quotes: checked, not yet decoded.
#[derive(Debug, Clone, Copy)]
pub struct RawString<'a> {
    bytes: &'a [u8],
    escaped: bool,
}

impl<'a> RawString<'a> {
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
        // Gathered as bytes and checked once: a `JsString` that has a lone surrogate is dear to grow.
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut rest = self.bytes;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            push_lossy(&mut out, &rest[..at]);
            let (code_point, used) = escape(&rest[at..]);
            wtf8::push_code_point(&mut out, code_point);
            rest = &rest[at + used..];
        }
        push_lossy(&mut out, rest);
        JsString::from_checked(out)
    }
}

fn push_lossy(out: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
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

/// Walks JSON text without building anything.
///
/// A scanner stands before a value, inside an object before a key, or inside an array before an
/// element; each method says which it expects. It checks the grammar of what it passes over. It
/// never recurses, so nesting costs one bit a level.
///
/// ```
/// use sref_session::json::Scanner;
///
/// let mut scanner = Scanner::new(br#"{"type":"note","data":[[[1]]],"seq":7}"#);
/// let mut seq = None;
/// scanner.enter_object()?;
/// while let Some(key) = scanner.next_key()? {
///     if key.is("seq") {
///         seq = Some(scanner.number()?);
///     } else {
///         scanner.skip_value()?;
///     }
/// }
/// scanner.finish()?;
/// assert_eq!(seq, Some(&b"7"[..]));
/// # Ok::<(), sref_session::json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner before the value that `bytes` hold.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been passed.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The bytes of a range that was passed.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[range]
    }

    /// What the next value is, from its first byte; nothing is passed but white space.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::End`] or [`JsonErrorKind::Unexpected`] where no value can start.
    pub fn peek(&mut self) -> Result<Kind, JsonError> {
        self.white_space();
        match self.byte()? {
            b'n' => Ok(Kind::Null),
            b't' | b'f' => Ok(Kind::Bool),
            b'"' => Ok(Kind::String),
            b'[' => Ok(Kind::Array),
            b'{' => Ok(Kind::Object),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            _ => Err(self.unexpected()),
        }
    }

    /// Passes `{`.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::Type`] if the value is no object.
    pub fn enter_object(&mut self) -> Result<(), JsonError> {
        self.enter(Kind::Object)
    }

    /// Passes `[`.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::Type`] if the value is no array.
    pub fn enter_array(&mut self) -> Result<(), JsonError> {
        self.enter(Kind::Array)
    }

    fn enter(&mut self, kind: Kind) -> Result<(), JsonError> {
        self.expect_kind(kind)?;
        self.at += 1;
        Ok(())
    }

    fn expect_kind(&mut self, kind: Kind) -> Result<(), JsonError> {
        if self.peek()? == kind {
            Ok(())
        } else {
            Err(JsonError::new(JsonErrorKind::Type, self.at))
        }
    }

    /// Inside an object, after `{` or a member's value: passes the next key and its colon, or `}`.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    pub fn next_key(&mut self) -> Result<Option<RawString<'a>>, JsonError> {
        if !self.next(b'{', b'}')? {
            return Ok(None);
        }
        let key = self.raw_string()?;
        self.white_space();
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Inside an array, after `[` or an element: passes up to the next element, or `]`.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    pub fn next_element(&mut self) -> Result<bool, JsonError> {
        self.next(b'[', b']')
    }

    /// Passes the comma before another item, or the end of the container.
    ///
    /// Whether the scanner stands after the opening bracket is told by the byte before: a value
    /// never ends with `{`, `[` or white space that follows one.
    #[inline]
    fn next(&mut self, open: u8, close: u8) -> Result<bool, JsonError> {
        let mut before = self.bytes[..self.at].iter().rev();
        let first = before.find(|byte| !is_white(**byte)) == Some(&open);
        self.white_space();
        let byte = self.byte()?;
        if byte == close {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            if byte != b',' {
                return Err(self.unexpected());
            }
            self.at += 1;
            self.white_space();
        }
        Ok(true)
    }

    /// Passes an array and tells how many elements it has, if all of them are strings; `None` for
    /// any other value, which is passed too.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    ///
    /// ```
    /// use sref_session::json::Scanner;
    ///
    /// let count = |json: &'static str| Scanner::new(json.as_bytes()).strings();
    /// assert_eq!(count(r#"["a", "b"]"#), Ok(Some(2)));
    /// assert_eq!(count(r#"["a", 2]"#), Ok(None));
    /// assert!(count(r#"["a",]"#).is_err());
    /// ```
    pub fn strings(&mut self) -> Result<Option<u64>, JsonError> {
        let (mut count, mut all) = (0, true);
        let is_array = self.each_element(|scanner| {
            count += 1;
            if scanner.bytes.get(scanner.at) == Some(&b'"') {
                return scanner.raw_string().map(|_| ());
            }
            all = false;
            scanner.skip_value().map(|_| ())
        })?;
        Ok((is_array && all).then_some(count))
    }

    /// Passes an array and gives its elements in order, if all of them are safe integers. Gives
    /// `false` for any other value, which is passed too; some elements may have been given by then.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    ///
    /// ```
    /// use sref_session::json::Scanner;
    ///
    /// let mut sum = 0;
    /// assert_eq!(Scanner::new(b"[1, -2, 1e2]").integers(|integer| sum += integer), Ok(true));
    /// assert_eq!(sum, 99);
    /// assert_eq!(Scanner::new(b"[1.5]").integers(|_| {}), Ok(false));
    /// ```
    pub fn integers(&mut self, mut each: impl FnMut(i64)) -> Result<bool, JsonError> {
        let mut all = true;
        let is_array = self.each_element(|scanner| {
            let integer = match scanner.short_integer() {
                Some(integer) => Some(integer),
                None => {
                    let range = scanner.skip_value()?;
                    safe_integer(scanner.slice(range))
                }
            };
            match integer {
                Some(integer) => each(integer),
                None => all = false,
            }
            Ok(())
        })?;
        Ok(is_array && all)
    }

    /// Passes a few digits that are all of a number; else stays.
    fn short_integer(&mut self) -> Option<i64> {
        let rest = &self.bytes[self.at..];
        let mut value = 0;
        for (at, byte) in rest.iter().enumerate().take(15) {
            match byte {
                b'0'..=b'9' if at == 0 || value > 0 => {
                    value = value * 10 + i64::from(byte - b'0');
                }
                b',' | b']' if at > 0 => {
                    self.at += at;
                    return Some(value);
                }
                _ => return None,
            }
        }
        None
    }

    /// Walks the elements of an array, or passes any other value; tells which. `element` stands
    /// before an element and must pass it.
    #[inline]
    fn each_element(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<bool, JsonError> {
        if self.peek()? != Kind::Array {
            self.skip_value()?;
            return Ok(false);
        }
        self.at += 1;
        self.white_space();
        if self.byte()? == b']' {
            self.at += 1;
            return Ok(true);
        }
        loop {
            element(self)?;
            self.white_space();
            match self.byte()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(true);
                }
                _ => return Err(self.unexpected()),
            }
            self.white_space();
        }
    }

    /// Passes a string.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::Type`] if the value is no string, or whatever breaks the grammar.
    pub fn string(&mut self) -> Result<RawString<'a>, JsonError> {
        self.expect_kind(Kind::String)?;
        self.raw_string()
    }

    /// Passes a number and gives its spelling.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::Type`] if the value is no number, or whatever breaks the grammar.
    pub fn number(&mut self) -> Result<&'a [u8], JsonError> {
        self.expect_kind(Kind::Number)?;
        let start = self.at;
        self.skip_number()?;
        Ok(&self.bytes[start..self.at])
    }

    /// Passes any value and gives its range, white space before it excluded.
    ///
    /// # Errors
    ///
    /// Whatever breaks the grammar.
    pub fn skip_value(&mut self) -> Result<Range<usize>, JsonError> {
        self.white_space();
        let start = self.at;
        let mut open = Levels::default();
        loop {
            let entered = self.skip_one(&mut open)?;
            if entered {
                continue;
            }
            // A value has ended: close containers until one goes on.
            loop {
                let Some(object) = open.innermost() else {
                    return Ok(start..self.at);
                };
                self.white_space();
                match self.byte()? {
                    b',' => {
                        self.at += 1;
                        if object {
                            self.skip_key()?;
                        }
                        break;
                    }
                    b'}' if object => open.leave(),
                    b']' if !object => open.leave(),
                    _ => return Err(self.unexpected()),
                }
                self.at += 1;
            }
        }
    }

    /// Passes a scalar, an empty container, or the opening of a container (then `true`).
    fn skip_one(&mut self, open: &mut Levels) -> Result<bool, JsonError> {
        match self.peek()? {
            Kind::Null => self.literal(b"null")?,
            Kind::Bool if self.bytes[self.at] == b't' => self.literal(b"true")?,
            Kind::Bool => self.literal(b"false")?,
            Kind::Number => self.skip_number()?,
            Kind::String => {
                self.raw_string()?;
            }
            kind @ (Kind::Array | Kind::Object) => {
                let object = kind == Kind::Object;
                self.at += 1;
                self.white_space();
                if self.byte()? == if object { b'}' } else { b']' } {
                    self.at += 1;
                    return Ok(false);
                }
                open.enter(object);
                if object {
                    self.skip_key()?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn skip_key(&mut self) -> Result<(), JsonError> {
        self.white_space();
        self.raw_string()?;
        self.white_space();
        self.expect(b':')
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    ///
    /// [`JsonErrorKind::Unexpected`] if something is.
    pub fn finish(mut self) -> Result<(), JsonError> {
        self.white_space();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Passes white space. There is none in what `JSON.stringify` writes.
    #[inline]
    fn white_space(&mut self) {
        while self.bytes.get(self.at).copied().is_some_and(is_white) {
            self.at += 1;
        }
    }

    #[inline]
    fn byte(&self) -> Result<u8, JsonError> {
        self.bytes
            .get(self.at)
            .copied()
            .ok_or(JsonError::new(JsonErrorKind::End, self.at))
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.byte()? != byte {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    const fn unexpected(&self) -> JsonError {
        JsonError::new(JsonErrorKind::Unexpected, self.at)
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), JsonError> {
        for byte in word {
            self.expect(*byte)?;
        }
        Ok(())
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        if self.byte()? == b'-' {
            self.at += 1;
        }
        match self.byte()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits()?,
            _ => return Err(self.unexpected()),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        if !self.byte()?.is_ascii_digit() {
            return Err(self.unexpected());
        }
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Ok(())
    }

    /// Passes a string from its opening quote on.
    #[inline]
    fn raw_string(&mut self) -> Result<RawString<'a>, JsonError> {
        self.expect(b'"')?;
        let start = self.at;
        // Most strings of a log are short and plain.
        self.at = plain_end(self.bytes, start);
        let mut escaped = false;
        if self.bytes.get(self.at) != Some(&b'"') {
            escaped = self.string_end()?;
        }
        self.at += 1;
        Ok(RawString {
            bytes: &self.bytes[start..self.at - 1],
            escaped,
        })
    }

    /// Goes on to the closing quote, from a byte that is not plain; tells whether there was an
    /// escape.
    fn string_end(&mut self) -> Result<bool, JsonError> {
        let bytes = self.bytes;
        let mut at = self.at;
        let mut escaped = false;
        let error = loop {
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    match bytes.get(at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                        Some(b'u') => {
                            let digits = &bytes[at + 2..bytes.len().min(at + 6)];
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                break JsonErrorKind::Escape;
                            }
                            if digits.len() < 4 {
                                break JsonErrorKind::End;
                            }
                            at += 6;
                        }
                        Some(_) => break JsonErrorKind::Escape,
                        None => break JsonErrorKind::End,
                    }
                    at = plain_end(bytes, at);
                }
                Some(_) => break JsonErrorKind::Control,
                None => break JsonErrorKind::End,
            }
        };
        self.at = at;
        Err(JsonError::new(error, at))
    }
}

const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where, from `at` on, the first byte stands that is `"`, `\` or a control.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const WIDE: usize = 32;
    // Two words first, since most runs are short; then blocks that the compiler makes vectors of.
    for _ in 0..2 {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else {
            return plain_end_bytewise(bytes, at);
        };
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WIDE>) {
        if block
            .iter()
            .fold(false, |any, byte| any | is_special(*byte))
        {
            break;
        }
        at += WIDE;
    }
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    plain_end_bytewise(bytes, at)
}

fn plain_end_bytewise(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let plain = rest.iter().take_while(|byte| !is_special(**byte)).count();
    at + plain
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The top bit of each byte of a word that is special. The lowest set bit is exact; a borrow can
/// set bits above it only.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5C);
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | backslash | control) & TOPS
}

/// The open containers, one bit each: set for an object.
#[derive(Default)]
struct Levels {
    words: Vec<u64>,
    top: u64,
    depth: usize,
}

impl Levels {
    fn enter(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.words.push(self.top);
        }
        self.top = (self.top << 1) | u64::from(object);
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.top >>= 1;
        if self.depth.is_multiple_of(64) {
            self.top = self.words.pop().unwrap_or(0);
        }
    }

    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.top & 1 == 1)
    }
}

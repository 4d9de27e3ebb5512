use core::ops::Range;

use super::bytes::{Close, is_white, string_end};
use super::error::{JsonError, JsonErrorKind};
use super::levels::Levels;
use super::raw::RawString;

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
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
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
        // Without white space, as most writers have it.
        match self.around() {
            Some([_, b'}', _]) => {
                self.at += 1;
                return Ok(None);
            }
            Some([b'{', b'"', _]) => {}
            Some([before, b',', b'"']) if *before != b'{' && !is_white(*before) => self.at += 1,
            _ if self.next(b'{', b'}')? => {}
            _ => return Ok(None),
        }
        let key = self.raw_string()?;
        if self.bytes.get(self.at) != Some(&b':') {
            self.white_space();
        }
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// The byte before, the next one and the one behind it.
    #[inline]
    fn around(&self) -> Option<&'a [u8; 3]> {
        self.bytes.get(self.at.checked_sub(1)?..)?.first_chunk()
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
    fn next(&mut self, open: u8, close: u8) -> Result<bool, JsonError> {
        let first = match self.at.checked_sub(1).map(|before| self.bytes[before]) {
            Some(before) if is_white(before) => self.stands_after(open),
            before => before == Some(open),
        };
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

    /// Whether the last byte but white space is this one.
    fn stands_after(&self, byte: u8) -> bool {
        let mut before = self.bytes[..self.at].iter().rev();
        before.find(|before| !is_white(**before)) == Some(&byte)
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
        match self.byte()? {
            b'"' => {
                self.at += 1;
                self.rest_of_string()?;
            }
            b'{' | b'[' => self.skip_container()?,
            _ => self.skip_word()?,
        }
        Ok(start..self.at)
    }

    /// Passes a value that is no container; tells whether it was none.
    #[inline]
    fn skip_scalar(&mut self) -> Result<bool, JsonError> {
        match self.byte()? {
            b'"' => {
                self.at += 1;
                self.rest_of_string()?;
            }
            b'{' | b'[' => return Ok(false),
            _ => self.skip_word()?,
        }
        Ok(true)
    }

    /// Passes a number, `true`, `false` or `null`.
    #[inline(never)]
    fn skip_word(&mut self) -> Result<(), JsonError> {
        match self.byte()? {
            b'-' | b'0'..=b'9' => self.skip_number(),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => Err(self.unexpected()),
        }
    }

    /// Passes a container from its opening bracket on.
    #[inline(never)]
    fn skip_container(&mut self) -> Result<(), JsonError> {
        let mut open = Levels::default();
        'container: loop {
            let object = self.byte()? == b'{';
            self.at += 1;
            self.white_space();
            if self.byte()? == if object { b'}' } else { b']' } {
                self.at += 1;
            } else {
                open.enter(object);
                if object {
                    self.skip_key()?;
                }
                if !self.skip_scalar()? {
                    continue;
                }
            }
            // A value has ended: go on in its container, or close it.
            while let Some(object) = open.innermost() {
                self.white_space();
                match self.byte()? {
                    b',' => {
                        self.at += 1;
                        self.white_space();
                        if object {
                            self.skip_key()?;
                        }
                        if !self.skip_scalar()? {
                            continue 'container;
                        }
                    }
                    b'}' if object => {
                        self.at += 1;
                        open.leave();
                    }
                    b']' if !object => {
                        self.at += 1;
                        open.leave();
                    }
                    _ => return Err(self.unexpected()),
                }
            }
            return Ok(());
        }
    }

    /// Passes a key, its colon and white space behind it.
    #[inline]
    fn skip_key(&mut self) -> Result<(), JsonError> {
        self.expect(b'"')?;
        self.rest_of_string()?;
        self.white_space();
        self.expect(b':')?;
        self.white_space();
        Ok(())
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
    pub(super) fn white_space(&mut self) {
        while self.bytes.get(self.at).copied().is_some_and(is_white) {
            self.at += 1;
        }
    }

    #[inline]
    pub(super) fn byte(&self) -> Result<u8, JsonError> {
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

    pub(super) const fn unexpected(&self) -> JsonError {
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
        let close = self.rest_of_string()?;
        Ok(RawString {
            bytes: &self.bytes[start..self.at - 1],
            escaped: close == Close::Escaped,
        })
    }

    /// Passes a string from behind its opening quote.
    #[inline]
    fn rest_of_string(&mut self) -> Result<Close, JsonError> {
        let (end, close) = string_end(self.bytes, self.at);
        self.at = end;
        match close {
            Close::Fault(kind) => Err(JsonError::new(kind, end)),
            close => {
                self.at += 1;
                Ok(close)
            }
        }
    }
}

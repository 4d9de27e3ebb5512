use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::borrowed::JsStr;
use super::wtf8::{self, Wtf8Error};

/// Unicode text that may hold lone surrogates, as a JavaScript string can.
///
/// Ids, labels and texts come from JavaScript programs, which cut strings between the two halves of
/// an emoji and store what is left. A `String` cannot hold that; this type can, prints it to JSON as
/// the escape `\ud83d`, and reads it back without loss.
///
/// Inside it is WTF-8, with one spelling for each text. Text without lone surrogates is a `String`
/// and borrows as `&str` for free.
///
/// ```
/// use sref_session::JsString;
///
/// let whole = JsString::from("日本 😀");
/// assert_eq!(whole.as_str(), Some("日本 😀"));
///
/// let half = JsString::from_utf16([0x61, 0xD83D]);
/// assert_eq!(half.as_str(), None);
/// assert_eq!(half.len(), 4); // `a` and a lone surrogate of three bytes
/// assert_eq!(half.to_json(), r#""a\ud83d""#);
/// ```
#[derive(Clone)]
pub struct JsString(Repr);

#[derive(Clone)]
enum Repr {
    /// No lone surrogate.
    Utf8(String),
    /// WTF-8 without a split pair.
    Wtf8 {
        bytes: Vec<u8>,
        /// How many lone surrogates are in it. None may be left after a [`push`](JsString::push)
        /// that joined the last: then the text is plain, and was not worth another look yet.
        lone: usize,
        /// The length from which on it is worth one.
        worth: usize,
    },
}

impl JsString {
    /// The empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self(Repr::Utf8(String::new()))
    }

    /// Reads WTF-8.
    ///
    /// # Errors
    ///
    /// [`Wtf8Error`] when the bytes are not WTF-8: not generalised UTF-8, or a surrogate pair in
    /// the form of two surrogates.
    ///
    /// ```
    /// use sref_session::JsString;
    ///
    /// assert_eq!(JsString::from_wtf8(b"a\xED\xA0\xBD".to_vec())?.to_json(), r#""a\ud83d""#);
    /// assert_eq!(JsString::from_wtf8(b"a\xFF".to_vec()).unwrap_err().offset(), 1);
    /// # Ok::<(), sref_session::Wtf8Error>(())
    /// ```
    pub fn from_wtf8(bytes: Vec<u8>) -> Result<Self, Wtf8Error> {
        wtf8::validate(&bytes)?;
        Ok(Self::from_checked(bytes))
    }

    /// Takes bytes that are known to be WTF-8.
    pub(crate) fn from_checked(bytes: Vec<u8>) -> Self {
        #[cfg(test)]
        tests::looked_at(bytes.len());
        Self(match String::from_utf8(bytes) {
            Ok(text) => Repr::Utf8(text),
            Err(error) => {
                let bytes = error.into_bytes();
                let (lone, worth) = (wtf8::count_surrogates(&bytes), bytes.len());
                Repr::Wtf8 { bytes, lone, worth }
            }
        })
    }

    /// Reads bytes as JavaScript's `TextDecoder` does: every maximal ill-formed part becomes one
    /// U+FFFD. The result has no lone surrogate.
    #[must_use]
    pub fn from_utf8_lossy(bytes: &[u8]) -> Self {
        Self(Repr::Utf8(String::from_utf8_lossy(bytes).into_owned()))
    }

    /// Reads UTF-16 code units; any sequence is fine.
    #[must_use]
    pub fn from_utf16<I: IntoIterator<Item = u16>>(units: I) -> Self {
        let mut bytes = Vec::new();
        for unit in char::decode_utf16(units) {
            let code_point = unit.map_or_else(|error| error.unpaired_surrogate().into(), u32::from);
            wtf8::push_code_point(&mut bytes, code_point);
        }
        Self::from_checked(bytes)
    }

    /// The borrowed form, which has the reading methods.
    #[must_use]
    pub fn as_js_str(&self) -> JsStr<'_> {
        match &self.0 {
            Repr::Utf8(text) => JsStr::from(text.as_str()),
            Repr::Wtf8 { bytes, .. } => JsStr::from_parts(bytes, self.as_str()),
        }
    }

    /// The bytes: see [`JsStr::as_wtf8`].
    #[must_use]
    pub fn as_wtf8(&self) -> &[u8] {
        match &self.0 {
            Repr::Utf8(text) => text.as_bytes(),
            Repr::Wtf8 { bytes, .. } => bytes,
        }
    }

    /// The text as a `str`, or `None` when a lone surrogate is in it.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Utf8(text) => Some(text),
            Repr::Wtf8 { bytes, lone: 0, .. } => core::str::from_utf8(bytes).ok(),
            Repr::Wtf8 { .. } => None,
        }
    }

    /// The size in UTF-8 bytes, a lone surrogate counted as three.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_wtf8().len()
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_wtf8().is_empty()
    }

    /// Appends text. Two halves of a pair that meet become one character.
    ///
    /// Appending many pieces costs time in proportion to what they hold together, wherever they
    /// were cut.
    pub fn push(&mut self, text: JsStr<'_>) {
        if let Some(text) = text.as_str() {
            return self.push_str(text);
        }
        let (mut bytes, mut lone, worth) = match core::mem::take(self).0 {
            Repr::Utf8(own) => {
                let worth = own.len();
                (own.into_bytes(), 0, worth)
            }
            Repr::Wtf8 { bytes, lone, worth } => (bytes, lone, worth),
        };
        let mut tail = text.as_wtf8();
        lone += wtf8::count_surrogates(tail);
        let high = bytes
            .len()
            .checked_sub(3)
            .and_then(|at| wtf8::surrogate_at(&bytes, at))
            .filter(|unit| wtf8::is_high(*unit));
        let low = wtf8::surrogate_at(tail, 0).filter(|unit| wtf8::is_low(*unit));
        if let (Some(high), Some(low)) = (high, low) {
            bytes.truncate(bytes.len() - 3);
            wtf8::push_code_point(&mut bytes, wtf8::join(high, low));
            tail = &tail[3..];
            lone -= 2;
        }
        bytes.extend_from_slice(tail);
        // The whole is looked at again only when it is twice what it was: pair after pair, cut in
        // two, would make it quadratic otherwise.
        *self = if lone == 0 && bytes.len() / 2 >= worth {
            Self::from_checked(bytes)
        } else {
            Self(Repr::Wtf8 { bytes, lone, worth })
        };
    }

    /// Appends plain text.
    pub fn push_str(&mut self, text: &str) {
        match &mut self.0 {
            Repr::Utf8(own) => own.push_str(text),
            Repr::Wtf8 { bytes, .. } => bytes.extend_from_slice(text.as_bytes()),
        }
    }

    /// The bytes, without a copy.
    #[must_use]
    pub fn into_wtf8(self) -> Vec<u8> {
        match self.0 {
            Repr::Utf8(text) => text.into_bytes(),
            Repr::Wtf8 { bytes, .. } => bytes,
        }
    }

    /// The text with each lone surrogate replaced by U+FFFD.
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        self.as_js_str().to_string_lossy()
    }

    /// The text as a JSON string, as `JSON.stringify` writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        crate::json::quote(self.as_js_str())
    }

    /// The UTF-16 code units, as JavaScript counts them.
    pub fn utf16_units(&self) -> impl Iterator<Item = u16> + '_ {
        self.as_js_str().utf16_units()
    }
}

impl Default for JsString {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        Self(Repr::Utf8(text.into()))
    }
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self(Repr::Utf8(text))
    }
}

impl From<JsStr<'_>> for JsString {
    fn from(text: JsStr<'_>) -> Self {
        text.to_js_string()
    }
}

impl PartialEq for JsString {
    fn eq(&self, other: &Self) -> bool {
        self.as_wtf8() == other.as_wtf8()
    }
}

impl Eq for JsString {}

impl PartialEq<str> for JsString {
    fn eq(&self, other: &str) -> bool {
        self.as_wtf8() == other.as_bytes()
    }
}

impl PartialEq<&str> for JsString {
    fn eq(&self, other: &&str) -> bool {
        self.as_wtf8() == other.as_bytes()
    }
}

/// By code point.
impl Ord for JsString {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_wtf8().cmp(other.as_wtf8())
    }
}

impl PartialOrd for JsString {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for JsString {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_wtf8().hash(state);
    }
}

/// Lossy, like [`JsStr`]'s.
impl fmt::Display for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_js_str().fmt(f)
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_js_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use core::cell::Cell;

    use super::*;

    std::thread_local! {
        /// The bytes that this thread's texts were checked again for, all together.
        static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn looked_at(bytes: usize) {
        LOOKED_AT.set(LOOKED_AT.get() + bytes);
    }

    /// A check of the whole for each of 200,000 pairs would look at a terabyte.
    #[test]
    fn joining_halves_is_linear() {
        let (high, low) = (
            JsString::from_utf16([0xD83D]),
            JsString::from_utf16([0xDE00]),
        );
        let mut text = JsString::from("x".repeat(4_000_000));
        let before = LOOKED_AT.get();
        for _ in 0..200_000 {
            text.push(high.as_js_str());
            text.push(low.as_js_str());
        }
        assert_eq!(text.len(), 4_000_000 + 4 * 200_000);
        let work = LOOKED_AT.get() - before;
        assert!(work <= 2 * text.len(), "{work}");
        assert!(text.as_str().is_some_and(|text| text.ends_with("😀")));
        // The same from nothing, where the text doubles often.
        let mut text = JsString::new();
        let before = LOOKED_AT.get();
        for _ in 0..10_000 {
            text.push(high.as_js_str());
            text.push(low.as_js_str());
        }
        let work = LOOKED_AT.get() - before;
        assert!(work <= 4 * text.len(), "{work}");
        assert_eq!(text.as_str(), Some("😀".repeat(10_000).as_str()));
    }

    proptest! {
        /// The pieces of a text make the text, wherever it was cut.
        #[test]
        fn pieces_of_units_join(pieces in prop::collection::vec(prop::collection::vec(prop_oneof![0xD83C_u16..0xD83E, 0xDDFF_u16..0xDE02, 0x61_u16..0x63], 0..4), 0..6)) {
            let mut text = JsString::new();
            for piece in &pieces {
                text.push(JsString::from_utf16(piece.iter().copied()).as_js_str());
                prop_assert_eq!(text.as_js_str().as_str(), core::str::from_utf8(text.as_wtf8()).ok());
                prop_assert_eq!(text.as_js_str().as_str(), text.as_str());
            }
            prop_assert_eq!(text, JsString::from_utf16(pieces.concat()));
        }

        /// Any sequence of UTF-16 units survives, and has one spelling.
        #[test]
        fn utf16_round_trip(units in prop::collection::vec(prop_oneof![0xD7F0_u16..0xE010, any::<u16>(), 0x20_u16..0x7F], 0..40), cut in 0_usize..40) {
            let text = JsString::from_utf16(units.iter().copied());
            prop_assert_eq!(text.utf16_units().collect::<Vec<_>>(), units.clone());
            prop_assert_eq!(JsString::from_wtf8(text.as_wtf8().to_vec()), Ok(text.clone()));
            // Concatenation in JavaScript's sense, wherever the cut falls.
            let cut = cut.min(units.len());
            let mut joined = JsString::from_utf16(units[..cut].iter().copied());
            joined.push(JsString::from_utf16(units[cut..].iter().copied()).as_js_str());
            prop_assert_eq!(&joined, &text);
            prop_assert_eq!(joined.as_str().is_some(), text.as_str().is_some());
            let lossy = String::from_utf16_lossy(&units);
            prop_assert_eq!(text.to_string_lossy().into_owned(), lossy);
        }

        /// A checked text is one that UTF-16 can spell.
        #[test]
        fn only_wtf8_is_accepted(bytes in prop::collection::vec(prop_oneof![Just(0xED_u8), 0x80_u8..0xC0, any::<u8>()], 0..12)) {
            if let Ok(text) = JsString::from_wtf8(bytes.clone()) {
                let units: Vec<u16> = text.utf16_units().collect();
                prop_assert_eq!(JsString::from_utf16(units).into_wtf8(), bytes);
            }
        }
    }

    #[test]
    fn boundaries_lie_between_characters() {
        let text = JsString::from_utf16([0x61, 0xD83D, 0x62, 0xD83D, 0xDE00]);
        let text = text.as_js_str();
        let floors: Vec<usize> = (0..11).map(|at| text.floor_boundary(at)).collect();
        assert_eq!(floors, [0, 1, 1, 1, 4, 5, 5, 5, 5, 9, 9]);
        let ceils: Vec<usize> = (0..11).map(|at| text.ceil_boundary(at)).collect();
        assert_eq!(ceils, [0, 1, 4, 4, 4, 5, 9, 9, 9, 9, 9]);
    }

    #[test]
    fn split_pairs_are_refused() {
        let error = JsString::from_wtf8(b"\xED\xA0\xBD\xED\xB8\x80".to_vec()).unwrap_err();
        assert_eq!(error.offset(), 3);
    }
}

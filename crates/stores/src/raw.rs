//! JSON values as they stand in a line: checked by a scanner, not built.

use std::borrow::Cow;

use sref_session::JsString;
use sref_session::json::{JsonError, Kind, RawString, Scanner, safe_integer};

/// One checked JSON value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// Takes the next value of a scanner.
    #[inline]
    pub(crate) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let range = scanner.skip_value()?;
        Ok(Self(scanner.slice(range)))
    }

    /// Takes bytes that a scanner has passed as one value.
    pub(crate) const fn checked(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn bytes(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn scanner(self) -> Scanner<'a> {
        Scanner::new(self.0)
    }

    pub(crate) fn kind(self) -> Kind {
        // A checked value cannot fail to start.
        self.scanner().peek().unwrap_or(Kind::Null)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == b"null"
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == b"true"
    }

    pub(crate) fn string(self) -> Option<RawString<'a>> {
        RawString::of_passed(self.0)
    }

    /// Whether this is the string `text`, in which no backslash stands.
    pub(crate) fn is_string(self, text: &str) -> bool {
        debug_assert!(!text.contains('\\'), "{text}");
        let [b'"', own @ .., b'"'] = self.0 else {
            return false;
        };
        // Only an escape lets other bytes say the same.
        own == text.as_bytes() || self.string().is_some_and(|string| string.is(text))
    }

    /// Whether this is a string other than the empty one.
    pub(crate) fn is_filled(self) -> bool {
        matches!(self.0, [b'"', _, _, ..])
    }

    pub(crate) fn decode(self) -> Option<JsString> {
        Some(self.string()?.decode())
    }

    pub(crate) fn safe_integer(self) -> Option<i64> {
        safe_integer(self.0)
    }

    /// The double that JavaScript reads, of a number; NaN of anything else.
    pub(crate) fn double(self) -> f64 {
        let text = std::str::from_utf8(self.0).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    }

    /// A safe integer that is not negative; −0 is 0.
    pub(crate) fn index(self) -> Option<u64> {
        self.safe_integer()?.try_into().ok()
    }

    /// The text of this value without that of `part`, which must be a value inside it: `0` stands
    /// there instead.
    pub(crate) fn without(self, part: Self) -> Vec<u8> {
        let start = part.0.as_ptr().addr().wrapping_sub(self.0.as_ptr().addr());
        let end = start.wrapping_add(part.0.len());
        match (self.0.get(..start), self.0.get(end..)) {
            (Some(before), Some(after)) => [before, b"0", after].concat(),
            _ => self.0.to_vec(),
        }
    }

    /// The members of this object by name, the last of equal names, and how many distinct others
    /// there are; `None` unless it is an object.
    ///
    /// For small objects: each call scans the whole value.
    pub(crate) fn members<const N: usize>(self, names: [&str; N]) -> Option<Members<'a, N>> {
        let mut found = [None; N];
        let mut others = false;
        let is_object = members(&mut self.scanner(), |scanner, key| {
            let value = Self::read(scanner)?;
            match names.iter().position(|name| name.as_bytes() == key) {
                Some(at) => found[at] = Some(value),
                None => others = true,
            }
            Ok(())
        });
        is_object.ok()?.then_some(Members { found, others })
    }

    /// One member of this object.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        self.members([name])?.found[0]
    }
}

/// What [`Raw::members`] found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'a, const N: usize> {
    /// The values, in the order of the names.
    pub(crate) found: [Option<Raw<'a>>; N],
    /// Whether the object has any other member.
    pub(crate) others: bool,
}

/// Walks the members of the next value, if it is an object, else passes it; tells which.
///
/// `member` gets the decoded name and must pass the value.
pub(crate) fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut member: impl FnMut(&mut Scanner<'a>, &[u8]) -> Result<(), JsonError>,
) -> Result<bool, JsonError> {
    if scanner.peek()? != Kind::Object {
        scanner.skip_value()?;
        return Ok(false);
    }
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        let name: Cow<'_, [u8]> = key.text();
        member(scanner, &name)?;
    }
    Ok(true)
}

/// Walks the elements of the next value, if it is an array, else passes it; tells which.
///
/// `element` must pass the value.
pub(crate) fn elements<'a>(
    scanner: &mut Scanner<'a>,
    mut element: impl FnMut(&mut Scanner<'a>) -> Result<(), JsonError>,
) -> Result<bool, JsonError> {
    if scanner.peek()? != Kind::Array {
        scanner.skip_value()?;
        return Ok(false);
    }
    scanner.enter_array()?;
    while scanner.next_element()? {
        element(scanner)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        Raw::read(&mut Scanner::new(json.as_bytes())).unwrap()
    }

    #[test]
    fn members_are_found_by_their_decoded_name_and_the_last_wins() {
        let object = raw(r#" {"a":1,"\u0062":"x","a":[2],"c":null}"#);
        let members = object.members(["a", "b", "d"]).unwrap();
        assert_eq!(members.found[0].unwrap().bytes(), b"[2]");
        assert!(members.found[1].unwrap().is_string("x"));
        assert!(members.found[2].is_none() && members.others);
        assert!(!raw(r#"{"a":1,"a":2}"#).members(["a"]).unwrap().others);
        assert!(raw("[1]").members(["a"]).is_none());
    }

    #[test]
    fn a_part_can_be_left_out() {
        let object = raw(r#"{"a":[1],"b":[1]}"#);
        let part = object.member("b").unwrap();
        assert_eq!(object.without(part), br#"{"a":[1],"b":0}"#);
        assert_eq!(object.without(Raw::checked(b"[1]")), object.bytes());
    }

    #[test]
    fn scalars_read_as_javascript_reads_them() {
        assert_eq!(raw("-0").index(), Some(0));
        assert_eq!(raw("1.0").index(), Some(1));
        assert_eq!(raw("-1").index(), None);
        assert_eq!(raw("\"1\"").safe_integer(), None);
        assert!(raw(r#""\u0061""#).is_string("a"));
        assert!(!raw(r#""""#).is_filled() && raw(r#""\u0000""#).is_filled());
        assert!(raw("null").is_null() && raw("true").is_true());
    }
}

//! JSON with comments, trailing commas and a byte order mark, as a text that is edited in place.
//!
//! Comments and trailing commas are replaced by as many spaces, so that a strict scanner reads the
//! rest and its offsets are those of the file.

use alloc::vec::Vec;
use core::ops::Range;

use sref_session::JsString;
use sref_session::json::{JsonError, Kind, Scanner};

/// A text that was checked.
#[derive(Debug)]
pub(super) struct Jsonc<'a> {
    pub(super) text: &'a str,
    /// Without comments and mark.
    pub(super) plain: Vec<u8>,
    /// Without trailing commas either.
    strict: Vec<u8>,
    root: Range<usize>,
}

/// An object or an array.
#[derive(Debug)]
pub(super) struct Container {
    /// Where its opening bracket is.
    pub(super) open: usize,
    /// Where its closing bracket is.
    pub(super) close: usize,
    pub(super) items: Vec<Item>,
}

/// A member of an object or an element of an array.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) name: Option<JsString>,
    /// From the key, if it has one, to the end of the value.
    pub(super) span: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Where a text first has what plain JSON has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Liberties {
    /// A byte order mark.
    pub(super) mark: Option<usize>,
    pub(super) comment: Option<usize>,
    pub(super) comma: Option<usize>,
}

impl Liberties {
    pub(super) fn of(text: &str) -> Self {
        let plain = without_comments(text);
        let mut strict = plain.clone();
        blank_trailing_commas(&mut strict);
        let mark = text.starts_with('\u{FEFF}').then_some(0);
        let start = mark.map_or(0, |_| '\u{FEFF}'.len_utf8());
        Self {
            mark,
            comment: (start..plain.len()).find(|at| plain[*at] != text.as_bytes()[*at]),
            comma: (0..plain.len()).find(|at| plain[*at] != strict[*at]),
        }
    }
}

impl<'a> Jsonc<'a> {
    /// Reads a text; `None` if nothing but white space and comments is in it.
    pub(super) fn read(text: &'a str) -> Result<Option<Self>, JsonError> {
        let plain = without_comments(text);
        let mut strict = plain.clone();
        blank_trailing_commas(&mut strict);
        if plain.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let mut scanner = Scanner::new(&strict);
        let root = scanner.skip_value()?;
        scanner.finish()?;
        Ok(Some(Self {
            text,
            plain,
            strict,
            root,
        }))
    }

    pub(super) fn root(&self) -> Range<usize> {
        self.root.clone()
    }

    pub(super) fn kind(&self, value: &Range<usize>) -> Option<Kind> {
        Scanner::new(&self.strict[value.clone()]).peek().ok()
    }

    /// The text of a string value.
    pub(super) fn string(&self, value: &Range<usize>) -> Option<JsString> {
        let raw = Scanner::new(&self.strict[value.clone()]).string().ok()?;
        Some(raw.decode())
    }

    /// The bytes of a value, comments in it as spaces.
    pub(super) fn bytes(&self, value: &Range<usize>) -> &[u8] {
        &self.strict[value.clone()]
    }

    /// The items of an object or an array; `None` for any other value.
    pub(super) fn container(&self, value: &Range<usize>) -> Option<Container> {
        let object = match self.kind(value)? {
            Kind::Object => true,
            Kind::Array => false,
            _ => return None,
        };
        let items = self.items(value, object);
        Some(Container {
            open: value.start,
            close: value.end - 1,
            // The whole text was checked when it was read.
            items: items.unwrap_or_default(),
        })
    }

    fn items(&self, value: &Range<usize>, object: bool) -> Result<Vec<Item>, JsonError> {
        let base = value.start;
        let bytes = &self.strict[value.clone()];
        let mut scanner = Scanner::new(bytes);
        let mut items = Vec::new();
        let mut end = 1;
        if object {
            scanner.enter_object()?;
        } else {
            scanner.enter_array()?;
        }
        loop {
            let name = if object {
                match scanner.next_key()? {
                    Some(name) => Some(name.decode()),
                    None => break,
                }
            } else if scanner.next_element()? {
                None
            } else {
                break;
            };
            let own = scanner.skip_value()?;
            // Between two items stand white space and a comma.
            let key = bytes[end..].iter().position(|byte| *byte == b'"');
            let start = match key {
                Some(key) if object => end + key,
                _ => own.start,
            };
            items.push(Item {
                name,
                span: base + start..base + own.end,
                value: base + own.start..base + own.end,
            });
            end = own.end;
        }
        Ok(items)
    }
}

impl Container {
    /// The member of a name. The last of two wins, as for those who read the file.
    pub(super) fn member(&self, name: &str) -> Option<&Item> {
        let is = |item: &&Item| item.name.as_ref().is_some_and(|own| *own == *name);
        self.items.iter().rev().find(is)
    }
}

/// The text with spaces in the place of comments and of the byte order mark. A comment that does
/// not end stays, and is no JSON.
fn without_comments(text: &str) -> Vec<u8> {
    let mut out = Vec::from(text);
    let mut at = 0;
    if text.starts_with('\u{FEFF}') {
        at = '\u{FEFF}'.len_utf8();
        out[..at].fill(b' ');
    }
    while at < out.len() {
        match (out[at], out.get(at + 1)) {
            (b'"', _) => at = string_end(&out, at),
            (b'/', Some(b'/')) => {
                let length = out[at..].iter().position(|byte| *byte == b'\n');
                let mut end = length.map_or(out.len(), |length| at + length);
                if out[..end].ends_with(b"\r") {
                    end -= 1;
                }
                out[at..end].fill(b' ');
                at = end;
            }
            (b'/', Some(b'*')) => {
                let body = at + 2;
                let Some(length) = text[body..].find("*/") else {
                    return out;
                };
                let end = body + length + 2;
                out[at..end].fill(b' ');
                at = end;
            }
            _ => at += 1,
        }
    }
    out
}

/// Replaces a comma between a value and a closing bracket.
fn blank_trailing_commas(text: &mut [u8]) {
    let mut at = 0;
    // The last two bytes that are no white space, and where the last one is.
    let (mut before, mut last, mut place) = (0, 0, 0);
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if matches!(byte, b'}' | b']') && last == b',' && !matches!(before, 0 | b',' | b'{' | b'[')
        {
            text[place] = b' ';
        }
        (before, last, place) = (last, byte, at);
        at = if byte == b'"' {
            string_end(text, at)
        } else {
            at + 1
        };
    }
}

/// Where the string that begins here is over.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn what_is_no_json_becomes_spaces() {
        for (text, plain) in [
            ("{} // x\n", "{}     \n"),
            ("{} // x\r\n", "{}     \r\n"),
            ("[/* [ */1]", "[       1]"),
            (r#"["// no", "\"/*"]"#, r#"["// no", "\"/*"]"#),
            ("\u{FEFF}[]", "   []"),
            ("[1 /* ", "[1 /* "),
        ] {
            assert_eq!(String::from_utf8(without_comments(text)).unwrap(), plain);
        }
        let read = |text| Jsonc::read(text).map(|read| read.is_some());
        for good in ["[1,]", "{\"a\":[1 , ],}", "[1,/**/]", "[\"a\",]"] {
            assert_eq!(read(good), Ok(true), "{good}");
        }
        for bad in [
            "[,]", "[1,,]", "{,}", "[1 /*]", "[] []", "{a:1}", ",", "[\"a,]",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        for blank in ["", " \n", "\u{FEFF}", "// only this"] {
            assert_eq!(read(blank), Ok(false), "{blank}");
        }
    }

    #[test]
    fn items_are_found_where_they_stand() {
        let text = "\u{FEFF}{ /* \"x\" */ \"a\" : [1 , {\"b\":2,},], \"\\u0061\":3 }";
        let read = Jsonc::read(text).unwrap().unwrap();
        let root = read.container(&read.root()).unwrap();
        let spans: Vec<&str> = root
            .items
            .iter()
            .map(|own| &text[own.span.clone()])
            .collect();
        assert_eq!(spans, ["\"a\" : [1 , {\"b\":2,},]", "\"\\u0061\":3"]);
        assert_eq!(&text[root.member("a").unwrap().value.clone()], "3");
        let array = read.container(&root.items[0].value).unwrap();
        let spans: Vec<&str> = array
            .items
            .iter()
            .map(|own| &text[own.span.clone()])
            .collect();
        assert_eq!(spans, ["1", "{\"b\":2,}"]);
        assert_eq!(&text[array.close..=array.close], "]");
        assert!(read.container(&array.items[0].value).is_none());
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let text = "[".repeat(200_000) + &"]".repeat(200_000);
        assert!(Jsonc::read(&text).unwrap().is_some());
    }
}

//! `@[label](uri)`: how a mention is written, and how its label is read back.

use alloc::string::String;

use sref_session::{Dialect, JsStr, JsString, SessionId};

use crate::codec;

/// A mention of a session: `@[label](uri)`, with `\` before each `\` and `]` of the label.
///
/// Without a label it is the id. [`extract`](crate::extract) reads the same id and the same label
/// back, whatever is in them.
///
/// ```
/// use sref_session::Dialect;
/// use sref_uri::format_mention;
///
/// let mention = format_mention(&"a".into(), Some("plan [v2]".into()), &Dialect::DSH);
/// assert_eq!(mention, r"@[plan [v2\]](dsh-session:ImEi)");
/// assert_eq!(format_mention(&"a".into(), None, &Dialect::DSH), "@[a](dsh-session:ImEi)");
/// ```
#[must_use]
pub fn format_mention(id: &SessionId, label: Option<JsStr<'_>>, dialect: &Dialect) -> JsString {
    let label = label.unwrap_or(id.as_js_str());
    let uri_len = codec::encoded_len_hint(id, dialect);
    let mut out = String::with_capacity("@[](".len() + label.len() + uri_len + ")".len());
    out.push_str("@[");
    let mut out = JsString::from(out);
    let mut done = 0;
    for at in memchr::memchr2_iter(b'\\', b']', label.as_wtf8()) {
        out.push(label.slice(done..at));
        out.push_str("\\");
        done = at;
    }
    out.push(label.slice(done..label.len()));
    let mut uri = String::with_capacity("](".len() + uri_len + ")".len());
    uri.push_str("](");
    codec::encode_into(&mut uri, id, dialect);
    uri.push(')');
    out.push_str(&uri);
    out
}

/// The label behind its written form: `\` and one character is that character.
///
/// A label that [`label_end`] has passed has no `\` at its end.
pub(crate) fn unescape(written: JsStr<'_>) -> JsString {
    let bytes = written.as_wtf8();
    let Some(first) = memchr::memchr(b'\\', bytes) else {
        return written.to_js_string();
    };
    let Some(written) = written.as_str() else {
        return unescape_halves(written, first);
    };
    let mut out = String::with_capacity(written.len());
    let (plain, rest) = written.split_at(first);
    out.push_str(plain);
    let mut rest = rest.chars();
    while let Some(c) = rest.next() {
        out.push(match c {
            '\\' => rest.next().unwrap_or(c),
            _ => c,
        });
    }
    out.into()
}

/// The same for a text with lone surrogates: two that meet become one character.
fn unescape_halves(written: JsStr<'_>, first: usize) -> JsString {
    let bytes = written.as_wtf8();
    let mut out = JsString::from(String::with_capacity(bytes.len()));
    let (mut done, mut backslash) = (0, first);
    loop {
        out.push(written.slice(done..backslash));
        done = backslash + 1;
        // The character after the backslash stands, also when it is another one.
        let rest = bytes.get(done + 1..).unwrap_or_default();
        match memchr::memchr(b'\\', rest) {
            Some(found) => backslash = done + 1 + found,
            None => break,
        }
    }
    out.push(written.slice(done..written.len()));
    out
}

/// Where the label that begins at `at` ends: at the first `]` without a `\` before it, or, if
/// something spoils the label first, there.
///
/// What spoils it is a `\` without a character to escape: before a line terminator of JavaScript,
/// or at the end of the text. The end of the text spoils it as well.
pub(crate) fn label_end(bytes: &[u8], mut at: usize) -> usize {
    // Where `\` stand close together, a search for each costs more than a look at what is between.
    const CLOSE: usize = 12;
    let mut plain = 0;
    loop {
        match bytes.get(at) {
            Some(b']') | None => return at,
            Some(b'\\') => {
                let after = &bytes[at + 1..];
                if after.is_empty() || starts_with_line_terminator(after) {
                    return at;
                }
                // The escaped character may be longer than a byte; what follows of it is no ASCII.
                at += 2;
                plain = 0;
            }
            Some(_) if plain < CLOSE => {
                at += 1;
                plain += 1;
            }
            Some(_) => {
                let rest = &bytes[at..];
                at += memchr::memchr2(b'\\', b']', rest).unwrap_or(rest.len());
            }
        }
    }
}

/// LF, CR, U+2028 or U+2029: what `.` of a JavaScript pattern does not match.
fn starts_with_line_terminator(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\n' | b'\r', ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use super::*;

    proptest! {
        /// Any label comes back, and ends where the `]` of the mention stands.
        #[test]
        fn any_label_round_trips(units in crate::testing::units()) {
            let label = JsString::from_utf16(units);
            let mention = format_mention(&"a".into(), Some(label.as_js_str()), &Dialect::DSH);
            let end = label_end(mention.as_wtf8(), 2);
            prop_assert_eq!(&mention.as_wtf8()[end..], b"](dsh-session:ImEi)");
            prop_assert_eq!(unescape(mention.as_js_str().slice(2..end)), label);
        }
    }

    #[test]
    fn any_escaped_character_is_itself() {
        let read = |written: &str| unescape(written.into());
        assert_eq!(read(r"two\nlines"), "twonlines");
        assert_eq!(read(r"\\\]\é\😀"), r"\]é😀");
        assert_eq!(read(r"\\\\"), r"\\");
        assert_eq!(read(""), "");
    }

    #[test]
    fn unescaping_joins_halves() {
        let written = JsString::from_utf16([0xD83D, 0x5C, 0xDE00]);
        assert_eq!(unescape(written.as_js_str()), "😀");
    }

    #[test]
    fn a_backslash_before_a_line_terminator_spoils_a_label() {
        for line_end in ["\n", "\r", "\u{2028}", "\u{2029}"] {
            assert_eq!(label_end(format!("ab\\{line_end}c](").as_bytes(), 0), 2);
            // Two backslashes are an escape, and a line end alone is a character like others.
            assert_eq!(
                label_end(format!("\\\\{line_end}](").as_bytes(), 0),
                2 + line_end.len()
            );
        }
        for other in ["\u{85}", "\u{B}", "\u{C}", "\u{2027}", "\u{202A}"] {
            assert_eq!(
                label_end(format!("\\{other}](").as_bytes(), 0),
                1 + other.len()
            );
        }
    }

    #[test]
    fn an_open_label_ends_with_the_text() {
        assert_eq!(label_end(b"abc", 1), 3);
        assert_eq!(label_end(br"ab\", 0), 2);
        assert_eq!(label_end(br"ab\]", 0), 4);
        assert_eq!(label_end(b"", 0), 0);
    }
}

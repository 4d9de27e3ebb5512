use alloc::string::String;
use core::fmt::{self, Write as _};

use crate::{JsStr, Sight};

/// The most bytes that an excerpt shows between its quotation marks.
const LIMIT: usize = 120;

/// Foreign text as an error message may quote it: in quotation marks, at most 120 bytes, nothing
/// in it that a terminal would act on.
///
/// All that is not simply seen ([`Sight`]) and lone surrogates stand as `\u{…}`, so that no session
/// id can clear a screen, turn a line around or hide in it; so does `<`, since a model may read the
/// message, too. What does not fit becomes `…`.
///
/// Besides, what Rust's `Debug` escapes is escaped: selectors and joiners also where they do their
/// work, and spaces that are not U+0020.
///
/// ```
/// use sref_session::JsString;
///
/// let id = JsString::from("it's a\u{1b}[2J\u{202e}\"b\"");
/// assert_eq!(id.as_js_str().excerpt().to_string(), r#""it's a\u{1b}[2J\u{202e}\"b\"""#);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'a>(pub(crate) JsStr<'a>);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = LIMIT;
        let mut piece = String::new();
        f.write_char('"')?;
        for code_point in self.0.code_points() {
            piece.clear();
            match char::from_u32(code_point) {
                // Needs no escape between these quotation marks.
                Some('\'') => piece.push('\''),
                Some(c) if matches!(c, '\n' | '\r' | '\t' | '\0') => piece.extend(c.escape_debug()),
                Some('<') => piece.push_str("\\u{3c}"),
                Some(c) if Sight::of(c).is_visible() => piece.extend(c.escape_debug()),
                Some(c) => piece.extend(c.escape_unicode()),
                None => write!(piece, "\\u{{{code_point:x}}}")?,
            }
            let Some(rest) = left.checked_sub(piece.len()) else {
                f.write_char('…')?;
                break;
            };
            left = rest;
            f.write_str(&piece)?;
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use crate::{JsString, Sight};

    proptest! {
        #[test]
        fn an_excerpt_is_short_and_harmless(units in prop::collection::vec(prop_oneof![0_u16..0x30, 0x2000_u16..0x2070, 0xD800_u16..0xE000, any::<u16>()], 0..200)) {
            let text = JsString::from_utf16(units);
            let shown = text.as_js_str().excerpt().to_string();
            prop_assert!(shown.len() <= 120 + 2 + "…".len());
            let harmful = |c: char| c == '<' || !Sight::of(c).is_visible();
            prop_assert!(!shown.contains(harmful), "{:?}", shown);
        }
    }

    #[test]
    fn what_does_not_fit_is_cut_before_a_character() {
        let show = |text: &str| JsString::from(text).as_js_str().excerpt().to_string();
        assert_eq!(show(&"x".repeat(120)), format!("\"{}\"", "x".repeat(120)));
        assert_eq!(show(&"x".repeat(121)), format!("\"{}…\"", "x".repeat(120)));
        let escaped = format!("{}\u{1b}", "x".repeat(115));
        assert_eq!(show(&escaped), format!("\"{}…\"", "x".repeat(115)));
        // Letters to Unicode, and nothing to the eye.
        assert_eq!(show("a\u{3164}b\u{2800}"), r#""a\u{3164}b\u{2800}""#);
        assert_eq!(show("</a>\n"), r#""\u{3c}/a>\n""#);
        let half = JsString::from_utf16([0x61, 0xD83D]);
        assert_eq!(half.as_js_str().excerpt().to_string(), r#""a\u{d83d}""#);
    }
}

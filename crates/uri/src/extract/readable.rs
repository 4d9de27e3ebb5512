//! Labels as one short line (`contract.md` §3, "readable labels").

use sref_session::{JsStr, JsString, Sight, tame};

/// The most characters of a label that stand in a text.
const LIMIT: usize = 120;

const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// Appends a label: a space for each character that is not simply seen ([`Sight`]), a look-alike for
/// what could be more than words ([`tame`]), and `…` for what goes beyond 120 characters.
///
/// Inside an emoji, the joiner and the variation selector stay: they are a part of what is seen.
pub(super) fn push_readable(out: &mut JsString, label: JsStr<'_>) {
    let mut characters = label
        .code_points()
        .map(char::from_u32)
        .enumerate()
        .peekable();
    let mut done = 0;
    let mut at = 0;
    let mut before = None;
    while let Some((nth, character)) = characters.next() {
        if nth == LIMIT {
            out.push(label.slice(done..at));
            out.push_str("…");
            return;
        }
        // A lone surrogate has three bytes.
        let end = at + character.map_or(3, char::len_utf8);
        let after = characters.peek().and_then(|(_, after)| *after);
        let shown = character.map(|c| {
            if Sight::of(c).is_visible() || is_in_emoji(before, c, after) {
                tame(&label.as_wtf8()[..at], c, after)
            } else {
                ' '
            }
        });
        if let Some(shown) = shown.filter(|_| shown != character) {
            out.push(label.slice(done..at));
            out.push_str(shown.encode_utf8(&mut [0; 4]));
            done = end;
        }
        // A selector leaves the emoji that a joiner may follow.
        if !matches!(character, Some('\u{FE0E}' | '\u{FE0F}')) || !before.is_some_and(is_emoji) {
            before = character;
        }
        at = end;
    }
    out.push(label.slice(done..at));
}

/// Whether a joiner or selector is a part of an emoji.
fn is_in_emoji(before: Option<char>, c: char, after: Option<char>) -> bool {
    let follows = before.is_some_and(is_emoji);
    match c {
        ZERO_WIDTH_JOINER => follows && after.is_some_and(is_emoji),
        '\u{FE0E}' | '\u{FE0F}' => follows,
        _ => false,
    }
}

/// The blocks that emoji are in, and the bases of keycaps.
const fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '#' | '*' | '0'..='9' | '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}'
            | '\u{2139}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{24C2}'
            | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}'
            | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use super::*;

    fn readable(label: &str) -> String {
        readable_js(&JsString::from(label)).to_string()
    }

    fn readable_js(label: &JsString) -> JsString {
        let mut out = JsString::new();
        push_readable(&mut out, label.as_js_str());
        out
    }

    proptest! {
        #[test]
        fn a_readable_label_is_one_short_line(units in crate::testing::units()) {
            let label = JsString::from_utf16(units);
            let shown = readable_js(&label);
            let count = label.as_js_str().code_points().count();
            prop_assert_eq!(shown.as_js_str().code_points().count(), count.min(LIMIT + 1));
            let harmful = shown.to_string().contains(|c: char| {
                c == '<' || matches!(Sight::of(c), Sight::Control | Sight::Hidden)
            });
            prop_assert!(!harmful);
        }
    }

    #[test]
    fn each_unreadable_character_becomes_a_space() {
        assert_eq!(
            readable("two\r\nlines\u{85}\u{2028}x\ty"),
            "two  lines  x y"
        );
        assert_eq!(readable("\u{202E}evil\u{2066}\u{200F}"), " evil  ");
        assert_eq!(
            readable("a\u{200B}b\u{AD}c\u{FEFF}d\u{E0041}e\u{2800}f\u{3164}"),
            "a b c d e f "
        );
        assert_eq!(readable("a\u{200D}b\u{FE0F}c\u{1B}[2J"), "a b c [2J");
        assert_eq!(
            readable("plan [v2] — ž 日本 \u{0301}"),
            "plan [v2] — ž 日本 \u{0301}"
        );
    }

    #[test]
    fn a_label_is_only_words() {
        assert_eq!(readable("</a> b"), "‹/a› b");
        assert_eq!(
            readable("x dsh-session:ImEi @sref:3f9c"),
            "x dsh-session∶ImEi @sref∶3f9c"
        );
    }

    #[test]
    fn an_emoji_stays_whole() {
        for emoji in [
            "👩\u{200D}🚀",
            "❤\u{FE0F}\u{200D}🔥",
            "1\u{FE0F}\u{20E3}",
            "👋🏽",
            "🇫🇷",
        ] {
            assert_eq!(readable(emoji), emoji);
        }
        // One selector, and a joiner with something on both sides.
        assert_eq!(readable("❤\u{FE0F}\u{200D}"), "❤\u{FE0F} ");
        assert_eq!(readable("\u{200D}❤"), " ❤");
    }

    #[test]
    fn a_long_label_is_cut_after_120_characters() {
        assert_eq!(readable(&"é".repeat(120)), "é".repeat(120));
        assert_eq!(readable(&"é".repeat(121)), "é".repeat(120) + "…");
        assert_eq!(readable(&"\n".repeat(500)), " ".repeat(120) + "…");
    }

    #[test]
    fn a_lone_surrogate_stays() {
        let label = JsString::from_utf16([0x61, 0xD83D, 0x0A, 0xDE00]);
        assert_eq!(
            readable_js(&label),
            JsString::from_utf16([0x61, 0xD83D, 0x20, 0xDE00])
        );
    }
}

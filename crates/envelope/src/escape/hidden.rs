//! Characters that nobody sees: which ones the hardened profile escapes.

use sref_session::Sight;

use super::pictographic::is_pictographic;

/// The other joiner of [`Sight::Joiner`] has no work in an emoji sequence, and is escaped.
const JOINER: char = '\u{200D}';
const EMOJI_PRESENTATION: char = '\u{FE0F}';

/// Whether a character that starts with these two bytes can be one that is not simply visible.
///
/// Arithmetic without branches: loops over it are vectorised. So it is rough, but ASCII, Chinese,
/// Japanese, Korean and Cyrillic text passes.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep the loop from being vectorised"
)]
#[inline]
pub(super) const fn may_start(first: u8, second: u8) -> bool {
    ((first == 0xE3) & (second == 0x85))
        | ((first == 0xEF) & (second >= 0xB7) & ((second < 0xBC) | (second > 0xBD)))
        | ((first == 0xE2) & ((second <= 0x81) | (second == 0xA0)))
        | (first == 0xE1)
        | (first >= 0xF0)
        | (first == 0xC2)
        | (first == 0xCD)
        | (first == 0xD8)
}

/// The character at `at`, a place where [`may_start`] holds, if it is escaped there.
#[inline]
pub(super) fn escaped_at(text: &str, at: usize) -> Option<char> {
    let c = text[at..].chars().next()?;
    is_escaped(text, at, c).then_some(c)
}

/// Whether the character `c`, which stands at `at` in `text`, is escaped.
///
/// That depends on at most two characters before it and one after it, none of them beyond the ends
/// of the grapheme cluster that it belongs to.
pub(super) fn is_escaped(text: &str, at: usize, c: char) -> bool {
    match Sight::of(c) {
        Sight::Visible => false,
        // JSON has escapes of its own for the controls below the space.
        Sight::Control => c >= '\u{7F}',
        Sight::Selector => !ends_in_base(&text[..at]),
        Sight::Joiner if c == JOINER => !joins(&text[..at], &text[at + c.len_utf8()..]),
        _ => true,
    }
}

/// Whether a variation selector after this text has something to select a variation of.
fn ends_in_base(before: &str) -> bool {
    before
        .chars()
        .next_back()
        .is_some_and(|base| !base.is_whitespace() && Sight::of(base).is_visible())
}

/// Whether a joiner between these texts joins two elements of an emoji sequence (UTS #51, ED-15a):
/// a pictograph, perhaps with a skin tone or U+FE0F, and a pictograph.
fn joins(before: &str, after: &str) -> bool {
    let mut before = before.chars().rev();
    let mut element = before.next();
    if matches!(
        element,
        Some(EMOJI_PRESENTATION | '\u{1F3FB}'..='\u{1F3FF}')
    ) {
        element = before.next();
    }
    element.is_some_and(is_pictographic) && after.chars().next().is_some_and(is_pictographic)
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::prelude::v1::*;

    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    /// The text with each escaped character as its number in brackets.
    fn shown(text: &str) -> String {
        text.char_indices()
            .map(|(at, c)| {
                if is_escaped(text, at, c) {
                    format!("[{:x}]", u32::from(c))
                } else {
                    c.to_string()
                }
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn hidden_characters_are_escaped() {
        for (first, last) in [
            (0x7F, 0x9F),
            (0xAD, 0xAD),
            (0x34F, 0x34F),
            (0x61C, 0x61C),
            (0x115F, 0x1160),
            (0x17B4, 0x17B5),
            (0x180B, 0x180F),
            (0x200B, 0x200F),
            (0x2028, 0x202E),
            (0x2060, 0x206F),
            (0x2800, 0x2800),
            (0x3164, 0x3164),
            (0xFDD0, 0xFDEF),
            (0xFE00, 0xFE0F),
            (0xFEFF, 0xFEFF),
            (0xFFA0, 0xFFA0),
            (0xFFF0, 0xFFFB),
            (0xFFFE, 0xFFFF),
            (0x1_BCA0, 0x1_BCA3),
            (0x1_D173, 0x1_D17A),
            (0xE_0000, 0xE_0FFF),
        ] {
            for code in first..=last {
                let c = char::from_u32(code).unwrap();
                check(&c.to_string(), &format!("[{code:x}]"));
            }
            // The neighbours are not, but for plane ends and ranges that touch.
            for code in [first - 1, last + 1] {
                if let Some(c) = char::from_u32(code).filter(|c| *c > '\u{7F}') {
                    let listed = code & 0xFFFE == 0xFFFE || code == 0x180E || code == 0xFFFC;
                    assert!(listed || !is_escaped(&c.to_string(), 0, c), "{code:x}");
                }
            }
        }
        for plane in 0..=0x10 {
            for last in [0xFFFE, 0xFFFF] {
                let c = char::from_u32(plane << 16 | last).unwrap();
                assert!(is_escaped(&c.to_string(), 0, c));
            }
        }
    }

    #[test]
    fn what_is_seen_stays() {
        check(
            "naïve “quotes” – 日本語 カナ 한국어 العربية हिन्दी ไทย",
            "naïve “quotes” – 日本語 カナ 한국어 العربية हिन्दी ไทย",
        );
        // A space with a width is seen, and so is the sign for an object.
        check(
            "a\u{A0}b\u{3000}c\u{FFFC}\u{FFFD}",
            "a\u{A0}b\u{3000}c\u{FFFC}\u{FFFD}",
        );
    }

    #[test]
    fn one_variation_selector_stays_after_a_base() {
        check("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}");
        check("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}");
        check("\u{845B}\u{E0100}", "\u{845B}\u{E0100}");
        check("\u{1820}\u{180B}", "\u{1820}\u{180B}");
        // More than one carries data, not a variation.
        check("x\u{FE0F}\u{FE0F}\u{E0101}", "x\u{FE0F}[fe0f][e0101]");
        // Nothing to vary: start, space, control, something hidden.
        check("\u{FE0F}", "[fe0f]");
        check(" \u{FE0F}\n\u{FE0F}", " [fe0f]\n[fe0f]");
        check(
            "\u{3000}\u{FE0F}\u{200B}\u{FE0F}",
            "\u{3000}[fe0f][200b][fe0f]",
        );
    }

    #[test]
    fn joiners_stay_in_emoji_sequences() {
        let family = "👨\u{200D}👩\u{200D}👧";
        check(family, family);
        let flag = "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}";
        check(flag, flag);
        let skin = "👩\u{1F3FD}\u{200D}🚀";
        check(skin, skin);
        check("👩\u{200D}", "👩[200d]");
        check("\u{200D}👩", "[200d]👩");
        check("👩\u{200D}a\u{200D}👩", "👩[200d]a[200d]👩");
        check("👩\u{200D}\u{200D}👩", "👩[200d][200d]👩");
        check("👩\u{FE0F}\u{FE0F}\u{200D}👩", "👩\u{FE0F}[fe0f][200d]👩");
        check("\u{FE0F}\u{200D}👩", "[fe0f][200d]👩");
        // Indic and Persian joiners carry meaning, and are kept as escapes.
        check("क\u{94D}\u{200D}ष", "क\u{94D}[200d]ष");
    }

    #[test]
    fn the_quick_test_misses_nothing() {
        for c in ('\u{80}'..=char::MAX).filter(|c| !Sight::of(*c).is_visible()) {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            assert!(may_start(bytes[0], bytes[1]), "{c:?}");
        }
    }

    proptest! {
        /// What surrounds a cluster does not change how it is written. Cuts rest on this.
        #[test]
        fn clusters_are_written_alone_as_in_their_text(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", " ", "\n", "\r", "\u{FE0F}", "\u{E0100}", "\u{200D}", "👩", "\u{1F3FD}", "©", "❤",
                "\u{301}", "क", "\u{94D}", "🇩", "\u{200B}", "\u{600}", "한", "\u{1160}", "\u{E0041}",
            ]), 0..12),
        ) {
            let text = parts.concat();
            let alone: String = text.graphemes(true).map(shown).collect();
            prop_assert_eq!(alone, shown(&text));
        }
    }
}

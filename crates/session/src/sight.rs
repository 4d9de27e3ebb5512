/// What a person sees of a character, and what else it does.
///
/// One table for all who write foreign text where somebody could be deceived by it: error messages,
/// labels, terminals, the hardened form of a snapshot. What they do with a character that is not
/// simply seen differs; which ones these are does not.
///
/// From Unicode 17: property `Default_Ignorable_Code_Point`, the controls (general category Cc),
/// bidi controls, line and paragraph separator, interlinear annotation, noncharacters, and the blank
/// Braille pattern, which is drawn as nothing.
///
/// ```
/// use sref_session::Sight;
///
/// assert_eq!(Sight::of('支'), Sight::Visible);
/// assert_eq!(Sight::of('\u{1b}'), Sight::Control);
/// assert_eq!(Sight::of('\u{202e}'), Sight::Hidden);
/// assert_eq!(Sight::of('\u{fe0f}'), Sight::Selector);
/// assert_eq!(Sight::of('\u{200d}'), Sight::Joiner);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sight {
    /// It is seen, a space included.
    Visible,
    /// A terminal acts on it: line ends and tabs, the rest of C0, DELETE, C1.
    Control,
    /// It shows nothing, or changes how others are shown.
    Hidden,
    /// A variation selector: a part of the character before it, where one stands there.
    Selector,
    /// ZERO WIDTH JOINER or NON-JOINER: a part of what it stands in, where both sides take part.
    Joiner,
}

impl Sight {
    /// What a character is.
    #[inline]
    #[must_use]
    pub const fn of(c: char) -> Self {
        match c {
            ' '..='~' => Self::Visible,
            '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => Self::Control,
            '\u{180B}'..='\u{180D}'
            | '\u{180F}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0100}'..='\u{E01EF}' => Self::Selector,
            '\u{200C}' | '\u{200D}' => Self::Joiner,
            '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{200E}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FDD0}'..='\u{FDEF}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}' => Self::Hidden,
            // The last two of each plane.
            _ if c as u32 & 0xFFFE == 0xFFFE => Self::Hidden,
            _ => Self::Visible,
        }
    }

    /// Whether it is simply seen, whatever stands around it.
    #[inline]
    #[must_use]
    pub const fn is_visible(self) -> bool {
        matches!(self, Self::Visible)
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    /// Each range with its ends; what stands between two of them is seen.
    const TABLE: &[(u32, u32, Sight)] = &[
        (0x0, 0x1F, Sight::Control),
        (0x7F, 0x9F, Sight::Control),
        (0xAD, 0xAD, Sight::Hidden),
        (0x34F, 0x34F, Sight::Hidden),
        (0x61C, 0x61C, Sight::Hidden),
        (0x115F, 0x1160, Sight::Hidden),
        (0x17B4, 0x17B5, Sight::Hidden),
        (0x180B, 0x180D, Sight::Selector),
        (0x180E, 0x180E, Sight::Hidden),
        (0x180F, 0x180F, Sight::Selector),
        (0x200B, 0x200B, Sight::Hidden),
        (0x200C, 0x200D, Sight::Joiner),
        (0x200E, 0x200F, Sight::Hidden),
        (0x2028, 0x202E, Sight::Hidden),
        (0x2060, 0x206F, Sight::Hidden),
        (0x2800, 0x2800, Sight::Hidden),
        (0x3164, 0x3164, Sight::Hidden),
        (0xFDD0, 0xFDEF, Sight::Hidden),
        (0xFE00, 0xFE0F, Sight::Selector),
        (0xFEFF, 0xFEFF, Sight::Hidden),
        (0xFFA0, 0xFFA0, Sight::Hidden),
        (0xFFF0, 0xFFFB, Sight::Hidden),
        (0x1_BCA0, 0x1_BCA3, Sight::Hidden),
        (0x1_D173, 0x1_D17A, Sight::Hidden),
        (0xE_0000, 0xE_00FF, Sight::Hidden),
        (0xE_0100, 0xE_01EF, Sight::Selector),
        (0xE_01F0, 0xE_0FFF, Sight::Hidden),
    ];

    #[test]
    fn every_character_is_what_the_table_says() {
        for c in '\0'..=char::MAX {
            let code = u32::from(c);
            let row = TABLE.iter().find(|row| (row.0..=row.1).contains(&code));
            let expected = match row {
                Some((_, _, sight)) => *sight,
                None if code & 0xFFFE == 0xFFFE => Sight::Hidden,
                None => Sight::Visible,
            };
            assert_eq!(Sight::of(c), expected, "{code:x}");
            // The standard library's own opinion on controls.
            assert_eq!(Sight::of(c) == Sight::Control, c.is_control(), "{code:x}");
        }
    }

    #[test]
    fn what_is_written_is_seen() {
        let text = "naïve “quotes” – 日本語 カナ 한국어 العربية हिन्दी ไทย e\u{301} ⠃ \u{A0}\u{3000}\u{FFFC}\u{FFFD}";
        assert!(text.chars().all(|c| Sight::of(c).is_visible()), "{text}");
    }
}

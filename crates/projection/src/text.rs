use alloc::vec::Vec;

use sref_envelope::Profile;
use sref_session::{Block, JsStr, JsString};

use crate::cost::touch;

/// The text of a message: its text blocks, joined by LF (`contract.md` §4).
///
/// A single block is borrowed. Several are joined when their text is asked for and no sooner: the
/// length of the whole is known without it.
///
/// ```
/// use sref_projection::Text;
///
/// let text = Text::from("one block");
/// assert_eq!((text.len(), text.to_js_string()), (9, "one block".into()));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Text<'a>(Repr<'a>);

#[derive(Debug, Clone, Copy)]
enum Repr<'a> {
    One(JsStr<'a>),
    /// At least two of the blocks are text.
    Several {
        blocks: &'a [Block],
        len: usize,
    },
}

impl<'a> Text<'a> {
    /// The text of a message's blocks; those that are no text count for nothing.
    pub(crate) fn of_blocks(blocks: &'a [Block]) -> Self {
        let mut texts = texts(blocks);
        let first = texts.next().unwrap_or_else(|| "".into());
        match texts.next() {
            None => Self(Repr::One(first)),
            Some(second) => {
                let start = first.len() + 1 + second.len();
                let len = texts.fold(start, |len, text| len + 1 + text.len());
                Self(Repr::Several { blocks, len })
            }
        }
    }

    /// The size in UTF-8 bytes, a lone surrogate counted as three.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Repr::One(text) => text.len(),
            Repr::Several { len, .. } => len,
        }
    }

    /// Whether the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole text, copied.
    #[must_use]
    pub fn to_js_string(&self) -> JsString {
        match self.head(self.len()) {
            Piece::Borrowed(text) => text.to_js_string(),
            Piece::Joined(text) => text,
        }
    }

    /// The size of the whole text when it is escaped, unless it is more than `limit`.
    pub(crate) fn escaped_len_within(&self, profile: Profile, limit: usize) -> Option<usize> {
        if self.len() > limit {
            return None;
        }
        match self.0 {
            Repr::One(text) => {
                touch(text.len());
                profile.escaped_len_within(text, limit)
            }
            // A line end is escaped alike everywhere, and nothing beside it is escaped otherwise.
            Repr::Several { blocks, .. } => {
                let line_end = profile.escaped_len("\n".into());
                let mut sum = 0_usize;
                for (at, text) in texts(blocks).enumerate() {
                    sum += if at > 0 { line_end } else { 0 };
                    let left = limit.checked_sub(sum)?;
                    touch(text.len());
                    sum += profile.escaped_len_within(text, left)?;
                }
                Some(sum)
            }
        }
    }

    /// The beginning: at least `bytes` of it if there are as many, and whole characters.
    pub(crate) fn head(&self, bytes: usize) -> Piece<'a> {
        touch(bytes.min(self.len()));
        let blocks = match self.0 {
            Repr::One(text) => return Piece::Borrowed(head(text, bytes)),
            Repr::Several { blocks, .. } => blocks,
        };
        let mut joined = JsString::new();
        for (at, text) in texts(blocks).enumerate() {
            if at == 0 && text.len() >= bytes {
                return Piece::Borrowed(head(text, bytes));
            }
            if at > 0 {
                joined.push_str("\n");
            }
            joined.push(head(text, bytes.saturating_sub(joined.len())));
            if joined.len() >= bytes {
                break;
            }
        }
        Piece::Joined(joined)
    }

    /// The end: at least `bytes` of it if there are as many, and whole characters.
    pub(crate) fn tail(&self, bytes: usize) -> Piece<'a> {
        touch(bytes.min(self.len()));
        let blocks = match self.0 {
            Repr::One(text) => return Piece::Borrowed(tail(text, bytes)),
            Repr::Several { blocks, .. } => blocks,
        };
        let mut parts: Vec<JsStr<'_>> = Vec::new();
        let mut len = 0;
        for text in texts(blocks).rev() {
            if parts.is_empty() && text.len() >= bytes {
                return Piece::Borrowed(tail(text, bytes));
            }
            if !parts.is_empty() {
                parts.push("\n".into());
                len += 1;
            }
            let part = tail(text, bytes.saturating_sub(len));
            parts.push(part);
            len += part.len();
            if len >= bytes {
                break;
            }
        }
        let mut joined = JsString::new();
        parts.into_iter().rev().for_each(|part| joined.push(part));
        Piece::Joined(joined)
    }
}

impl<'a> From<JsStr<'a>> for Text<'a> {
    fn from(text: JsStr<'a>) -> Self {
        Self(Repr::One(text))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        JsStr::from(text).into()
    }
}

impl<'a> From<&'a JsString> for Text<'a> {
    fn from(text: &'a JsString) -> Self {
        text.as_js_str().into()
    }
}

/// A part of a text: borrowed where it lies in one block.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    Borrowed(JsStr<'a>),
    Joined(JsString),
}

impl Piece<'_> {
    pub(crate) fn as_js_str(&self) -> JsStr<'_> {
        match self {
            Self::Borrowed(text) => *text,
            Self::Joined(text) => text.as_js_str(),
        }
    }
}

fn texts(blocks: &[Block]) -> impl DoubleEndedIterator<Item = JsStr<'_>> {
    blocks
        .iter()
        .filter_map(Block::text)
        .map(JsString::as_js_str)
}

fn head(text: JsStr<'_>, bytes: usize) -> JsStr<'_> {
    text.slice(0..text.ceil_boundary(bytes))
}

fn tail(text: JsStr<'_>, bytes: usize) -> JsStr<'_> {
    let start = text.floor_boundary(text.len().saturating_sub(bytes));
    text.slice(start..text.len())
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use proptest::prelude::*;

    use super::*;

    fn blocks() -> impl Strategy<Value = Vec<Block>> {
        let text = prop::collection::vec(
            prop::sample::select(vec![0x61_u16, 0xE9, 0x3C, 0x0A, 0x200B, 0xD83D, 0xDE00]),
            0..6,
        );
        let block = prop_oneof![
            4 => text.prop_map(|units| Block::Text(JsString::from_utf16(units))),
            1 => Just(Block::Other(sref_session::json::Value::Null)),
        ];
        prop::collection::vec(block, 0..6)
    }

    proptest! {
        #[test]
        fn parts_are_parts_of_the_join(blocks in blocks(), bytes in 0_usize..40, limit in 0_usize..80) {
            let units: Vec<u16> = blocks
                .iter()
                .filter_map(Block::text)
                .map(|text| text.utf16_units().collect::<Vec<_>>())
                .collect::<Vec<_>>()
                .join(&0x0A);
            let joined = JsString::from_utf16(units);
            let text = Text::of_blocks(&blocks);
            prop_assert_eq!(text.to_js_string(), joined.clone());
            prop_assert_eq!(text.len(), joined.len());
            prop_assert_eq!(text.is_empty(), joined.is_empty());

            let whole = joined.as_js_str();
            let head = text.head(bytes);
            prop_assert_eq!(head.as_js_str(), whole.slice(0..whole.ceil_boundary(bytes)));
            let tail = text.tail(bytes);
            let start = whole.floor_boundary(whole.len().saturating_sub(bytes));
            prop_assert_eq!(tail.as_js_str(), whole.slice(start..whole.len()));
            for profile in [Profile::Plain, Profile::Hardened] {
                prop_assert_eq!(
                    text.escaped_len_within(profile, limit),
                    profile.escaped_len_within(whole, limit)
                );
            }
        }
    }

    #[test]
    fn one_block_is_borrowed_and_so_is_a_long_end() {
        let blocks = ["first", "", "third"].map(|text| Block::Text(text.into()));
        let borrowed = |piece| matches!(piece, Piece::Borrowed(_));
        assert!(borrowed(Text::of_blocks(&blocks[..1]).head(99)));
        let text = Text::of_blocks(&blocks);
        assert!(borrowed(text.head(5)) && !borrowed(text.head(6)));
        assert!(borrowed(text.tail(5)) && !borrowed(text.tail(6)));
    }
}

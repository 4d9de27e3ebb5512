use alloc::string::String;

use sref_session::{JsStr, JsString};

/// Text put together from pieces, in JavaScript's sense: two halves of a pair that meet become one
/// character.
///
/// Appending to a [`JsString`] looks at the whole text when that happens, since the text may be
/// plain again. A builder keeps a high half back until it sees what follows, so that hostile
/// pieces cost no more than others.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// Never ends with a high surrogate.
    done: JsString,
    /// A high surrogate that comes next.
    high: Option<JsString>,
}

impl Builder {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            done: String::with_capacity(bytes).into(),
            high: None,
        }
    }

    pub(crate) fn push(&mut self, mut piece: JsStr<'_>) {
        if self.high.is_none() && piece.as_str().is_some() || piece.is_empty() {
            self.done.push(piece);
            return;
        }
        if let Some(high) = self.high.take() {
            piece = self.push_after(high, piece);
        }
        // Plain text ends with no half.
        if piece.as_str().is_none() && surrogate_at(piece, piece.len() - 3, 0xA0..=0xAF) {
            let end = piece.len() - 3;
            self.high = Some(piece.slice(end..piece.len()).to_js_string());
            piece = piece.slice(0..end);
        }
        self.done.push(piece);
    }

    /// Appends the high half that was kept back, with its partner when `piece` begins with one.
    fn push_after<'a>(&mut self, mut high: JsString, piece: JsStr<'a>) -> JsStr<'a> {
        let mut taken = 0;
        if piece.as_str().is_none() && surrogate_at(piece, 0, 0xB0..=0xBF) {
            taken = 3;
            high.push(piece.slice(0..taken));
        }
        self.done.push(high.as_js_str());
        piece.slice(taken..piece.len())
    }

    pub(crate) fn push_str(&mut self, piece: &str) {
        self.push(JsStr::from(piece));
    }

    pub(crate) fn finish(mut self) -> JsString {
        if let Some(high) = self.high {
            self.done.push(high.as_js_str());
        }
        self.done
    }
}

/// Whether the surrogate of a half stands at `at`: `ED`, then a byte of `half`.
fn surrogate_at(text: JsStr<'_>, at: usize, half: core::ops::RangeInclusive<u8>) -> bool {
    matches!(text.as_wtf8().get(at..at + 2), Some([0xED, second]) if half.contains(second))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use super::*;

    proptest! {
        /// The pieces of a text make the text, wherever it was cut.
        #[test]
        fn pieces_of_units_join(pieces in prop::collection::vec(prop::collection::vec(prop_oneof![0xD83C_u16..0xD83E, 0xDDFF_u16..0xDE02, 0x61_u16..0x63], 0..4), 0..6)) {
            let mut builder = Builder::default();
            for piece in &pieces {
                builder.push(JsString::from_utf16(piece.iter().copied()).as_js_str());
            }
            prop_assert_eq!(builder.finish(), JsString::from_utf16(pieces.concat()));
        }
    }

    /// Quadratic, this would take minutes: 200,000 pairs join behind four megabytes.
    #[test]
    fn joining_halves_is_linear() {
        let mut builder = Builder::default();
        builder.push_str(&"x".repeat(4_000_000));
        let (high, low) = (
            JsString::from_utf16([0xD83D]),
            JsString::from_utf16([0xDE00]),
        );
        for _ in 0..200_000 {
            builder.push(high.as_js_str());
            builder.push(low.as_js_str());
        }
        let text = builder.finish();
        assert_eq!(text.len(), 4_000_000 + 4 * 200_000);
        assert!(text.as_str().is_some_and(|text| text.ends_with("😀")));
    }
}

//! Boundaries of grapheme clusters near a place, without reading the text up to it.

use unicode_segmentation::GraphemeCursor;

use crate::cost::touch;

/// Whether no cluster reaches over `at`, a boundary of characters.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    if let Some(&[before, after]) = at
        .checked_sub(1)
        .and_then(|start| text.as_bytes().get(start..=at))
        && before.is_ascii()
        && after.is_ascii()
    {
        return (before, after) != (b'\r', b'\n');
    }
    // An error would ask for text that was not given; all of it was.
    cursor(text, at).is_boundary(text, 0).unwrap_or(true)
}

/// The last boundary at or before a place.
pub(super) fn floor(text: &str, at: usize) -> usize {
    if is_boundary(text, at) {
        return at;
    }
    let before = cursor(text, at).prev_boundary(text, 0);
    let before = before.ok().flatten().unwrap_or(0);
    touch(at - before);
    before
}

/// The first boundary at or after a place.
pub(super) fn ceil(text: &str, at: usize) -> usize {
    if is_boundary(text, at) {
        return at;
    }
    let after = cursor(text, at).next_boundary(text, 0);
    let after = after.ok().flatten().unwrap_or(text.len());
    touch(after - at);
    after
}

fn cursor(text: &str, at: usize) -> GraphemeCursor {
    GraphemeCursor::new(at, text.len(), true)
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    proptest! {
        /// What a walk from the start finds.
        #[test]
        fn a_place_is_judged_as_by_a_walk(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", " ", "\r", "\n", "\u{301}", "\u{200D}", "👩", "\u{FE0F}", "\u{1F3FD}", "🇩", "क",
                "\u{94D}", "\u{93E}", "\u{600}", "ᄀ", "ᅡ", "ᆨ", "한", "\u{200B}", "日",
            ]), 0..16),
        ) {
            let text = parts.concat();
            let mut walk: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
            walk.push(text.len());
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                prop_assert_eq!(is_boundary(&text, at), walk.contains(&at), "{:?} {}", text, at);
                prop_assert_eq!(Some(&floor(&text, at)), walk.iter().rfind(|end| **end <= at));
                prop_assert_eq!(Some(&ceil(&text, at)), walk.iter().find(|end| **end >= at));
            }
        }
    }
}

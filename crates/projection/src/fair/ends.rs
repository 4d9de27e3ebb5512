//! Ends of lines and words near a place.
//!
//! A word is what stands between white space, in the sense of Unicode. A head ends before the white
//! space behind a word, or before a line end; a tail starts at the first character of a word, or of
//! a line, indentation included.

use super::clusters;
use crate::cost::touch;

/// The kept side is searched for the nearest end over this part of it.
const NEAR: usize = 16;

/// Within this part of it, an end of a line goes before a nearer end of a word.
const VERY_NEAR: usize = 256;

/// Where to end a head that could reach up to `at`: there, or at a line or word end before it.
pub(super) fn before(text: &str, at: usize) -> usize {
    let mut next = text[at..].chars().next();
    let mut end = at;
    let places = text[..at].chars().rev().map(|previous| {
        let line = matches!(next, Some('\n' | '\r'));
        let word = !previous.is_whitespace() && next.is_some_and(char::is_whitespace);
        let place = Place {
            at: end,
            line,
            word,
        };
        end -= previous.len_utf8();
        next = Some(previous);
        place
    });
    nearest(text, places, at, |place| at - place).unwrap_or(at)
}

/// Where to start a tail that could begin at `at`: there, or at a line or word start after it.
pub(super) fn after(text: &str, at: usize) -> usize {
    let mut previous = text[..at].chars().next_back();
    let mut start = at;
    let places = text[at..].chars().map(|next| {
        let line = previous == Some('\n') || (previous == Some('\r') && next != '\n');
        let word = !next.is_whitespace() && previous.is_some_and(char::is_whitespace);
        let place = Place {
            at: start,
            line,
            word,
        };
        start += next.len_utf8();
        previous = Some(next);
        place
    });
    nearest(text, places, text.len() - at, |place| place - at).unwrap_or(at)
}

struct Place {
    at: usize,
    line: bool,
    word: bool,
}

/// The line or word end to cut at, of places that lie ever further off; `kept` is the size of the
/// side that is kept.
fn nearest(
    text: &str,
    places: impl Iterator<Item = Place>,
    kept: usize,
    distance: impl Fn(usize) -> usize,
) -> Option<usize> {
    let mut nearest = None;
    for place in places {
        let far = distance(place.at);
        touch(1);
        if far > kept / NEAR || (nearest.is_some() && far > kept / VERY_NEAR) {
            break;
        }
        if (place.line || (place.word && nearest.is_none()))
            && clusters::is_boundary(text, place.at)
        {
            if place.line && far <= kept / VERY_NEAR {
                return Some(place.at);
            }
            nearest = nearest.or(Some(place.at));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    /// Where the sides of a text that is to be cut at `|` end: the head, and the tail mirrored.
    #[track_caller]
    fn check(marked: &str, head: &str, tail: &str) {
        let at = marked.find('|').unwrap();
        let text = marked.replace('|', "");
        assert_eq!(&text[..before(&text, at)], head, "head");
        assert_eq!(&text[after(&text, at)..], tail, "tail");
    }

    #[test]
    fn sides_end_with_words() {
        let long = "0123456789".repeat(8);
        let (head, tail) = (format!("{long} foo"), format!("bar {long}"));
        check(&format!("{long} foo|bar {long}"), &long, &long);
        check(&format!("{head}| {tail}"), &head, &tail);
        check(&format!("{head} |{tail}"), &head, &tail);
        check(&format!("{head}  |  {tail}"), &head, &tail);
        // Any white space separates.
        check(&format!("{head}\u{3000}x|x\u{A0}{tail}"), &head, &tail);
    }

    #[test]
    fn the_last_sixteenth_is_searched() {
        let side = "x".repeat(60);
        check(&format!("{side} abc|def {side}"), &side, &side);
        let (head, tail) = (format!("{side} abcd"), format!("defg {side}"));
        check(&format!("{head}|{tail}"), &head, &tail);
        let word = "w".repeat(100);
        check(&format!("{word}|{word}"), &word, &word);
    }

    #[test]
    fn line_ends_are_preferred_when_very_near() {
        let side = "x".repeat(2_000);
        let tail = format!("    code\n{side}");
        check(&format!("{side}\n a |b c\n{tail}"), &side, &tail);
        check(&format!("{side}\r\n|{tail}"), &side, &tail);
        // Not when further off.
        let head = format!("{side}\nsome words");
        check(
            &format!("{head} |and {side}"),
            &head,
            &format!("and {side}"),
        );
        // A carriage return alone ends a line; one before LF stays with it.
        check(&format!("{side}\r|\n{side}"), &side, &side);
    }

    #[test]
    fn an_empty_side_stays_empty() {
        check("|a b", "", "a b");
        check("a b|", "a b", "");
    }

    #[test]
    fn ends_inside_clusters_are_passed_over() {
        // U+0600 takes what follows it into its cluster, a space too.
        let side = "x".repeat(160);
        check(&format!("{side} \u{600} z|z\u{600} {side}"), &side, &side);
    }

    use std::format;
}

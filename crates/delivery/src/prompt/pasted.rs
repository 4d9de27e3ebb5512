use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use memchr::memmem;
use sref_session::{JsStr, JsString};

const OPEN: &[u8] = b"<pasted_content id=\"";
const CLOSE: &[u8] = b"</pasted_content id=\"";
/// Ids are a few hexadecimal digits.
const MAX_ID: usize = 64;

/// The text with each pasted block cut out and a line end in its place.
///
/// Claude Code wraps long pastes in `<pasted_content id="7d78">` … `</pasted_content id="7d78">`
/// and spells such tags inside the paste differently, so the first closing tag with the id of the
/// opening one is the end (`spec/delivery.md` 0.1, 13). An opening tag that is never closed is
/// somebody's words.
pub(super) fn without_pasted(text: JsStr<'_>) -> JsString {
    let bytes = text.as_wtf8();
    let closings = Closings::of(bytes);
    let mut kept = JsString::new();
    let mut done = 0;
    let mut search = 0;
    while let Some(start) = find(bytes, OPEN, search) {
        search = start + OPEN.len();
        let Some(id) = id_at(bytes, search) else {
            continue;
        };
        let Some(end) = closings.after(id, search) else {
            continue;
        };
        kept.push(text.slice(done..start));
        kept.push_str("\n");
        done = end;
        search = end;
    }
    if done == 0 {
        return text.to_js_string();
    }
    kept.push(text.slice(done..bytes.len()));
    kept
}

/// Where the closing tags of each id end. Gathered once, since a search from each opening tag would
/// be quadratic.
struct Closings<'a>(BTreeMap<&'a [u8], Vec<usize>>);

impl<'a> Closings<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let mut ends: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for at in memmem::find_iter(bytes, CLOSE) {
            let at = at + CLOSE.len();
            if let Some(id) = id_at(bytes, at) {
                ends.entry(id).or_default().push(at + id.len() + 2);
            }
        }
        Self(ends)
    }

    fn after(&self, id: &[u8], from: usize) -> Option<usize> {
        let ends = self.0.get(id)?;
        ends.get(ends.partition_point(|end| *end <= from)).copied()
    }
}

/// The id that is followed by `">`.
fn id_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let window = &bytes[at..bytes.len().min(at + MAX_ID)];
    let end = memchr::memchr(b'"', window)?;
    (bytes.get(at + end + 1) == Some(&b'>')).then(|| &window[..end])
}

fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    memmem::find(&bytes[from..], needle).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use core::fmt::Write as _;

    use super::*;

    fn cut(text: &str) -> String {
        without_pasted(text.into()).to_string()
    }

    #[test]
    fn the_block_goes_and_the_words_stay() {
        let paste = |id: &str, text: &str| {
            format!("\n\n<pasted_content id=\"{id}\">\n{text}\n</pasted_content id=\"{id}\">\n")
        };
        assert_eq!(cut("words"), "words");
        let one = format!("see{}what is it?", paste("7d78", "@sref:x"));
        assert_eq!(cut(&one), "see\n\n\n\nwhat is it?");
        let two = format!("a{}b{}c", paste("7d78", "1"), paste("7d78", "2"));
        assert_eq!(cut(&two), "a\n\n\n\nb\n\n\n\nc");
        // A tag of another id inside is part of the paste; so is an opening tag of the same id.
        let other = format!(
            "a{}b",
            paste("1", "</pasted_content id=\"2\"><pasted_content id=\"1\">")
        );
        assert_eq!(cut(&other), "a\n\n\n\nb");
    }

    #[test]
    fn half_a_block_is_words() {
        for text in [
            "what does <pasted_content id=\"1\"> mean?",
            "<pasted_content id=\"1\">a</pasted_content>",
            "<pasted_content id=\"1\">a</pasted_content id=\"2\">",
            "<pasted_content id=1>a</pasted_content id=1>",
            "<pasted_content id=\"",
        ] {
            assert_eq!(cut(text), text);
        }
    }

    /// Quadratic, this would take minutes.
    #[test]
    fn many_tags_cost_little() {
        let text = "<pasted_content id=\"1\">".repeat(50_000);
        assert_eq!(cut(&text), text);
        let mut text = String::new();
        for id in 0..50_000 {
            write!(text, "<pasted_content id=\"{id}\">").unwrap();
        }
        for id in 50_000..100_000 {
            write!(text, "</pasted_content id=\"{id}\">").unwrap();
        }
        assert_eq!(cut(&text), text);
    }
}

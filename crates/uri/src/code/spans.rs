use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use super::blocks::{Blocks, Leaf, Placed};
use crate::work;

/// Where code begins and ends, in the order of the text: each fenced block, and each code span that
/// there is if nothing before it takes its beginning.
pub(super) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut code: Vec<Range<usize>> = Vec::new();
    // The paragraph, or heading, that is being read: a code span stays within one.
    let mut paragraph = 0..0;
    for Placed { range, leaf } in Blocks::new(bytes) {
        if leaf == (Leaf::Text { first: false }) {
            paragraph.end = range.end;
            continue;
        }
        push_spans(&mut code, bytes, paragraph);
        // Without text until there is some.
        paragraph = range.end..range.end;
        match (leaf, code.last_mut()) {
            (Leaf::Text { .. }, _) => paragraph = range,
            (Leaf::Fence { first: false }, Some(fence)) => fence.end = range.end,
            (Leaf::Fence { .. }, _) => code.push(range),
            (Leaf::None, _) => {}
        }
    }
    push_spans(&mut code, bytes, paragraph);
    code
}

/// Appends the spans of a paragraph.
///
/// It is read from its last run of backticks to the first, since what closes a run is the nearest
/// one of its length. Between its lines stand marks of containers, which have no backticks.
fn push_spans(code: &mut Vec<Range<usize>>, bytes: &[u8], paragraph: Range<usize>) {
    work::looked_at(paragraph.len());
    let first = code.len();
    let mut nearest = Nearest::default();
    let mut rest = &bytes[paragraph.clone()];
    while let Some(last) = last_backtick(rest) {
        let end = paragraph.start + last + 1;
        let closes = count_at_end(&rest[..=last], b'`');
        rest = &rest[..last + 1 - closes];
        // A backslash escapes the first backtick of an opener; where code ends, nothing.
        let escaped = count_at_end(rest, b'\\') % 2;
        if let Some(span_end) = *nearest.of(closes - escaped) {
            code.push(end - closes + escaped..span_end);
        }
        *nearest.of(closes) = Some(end);
    }
    code[first..].reverse();
}

/// Runs that stand close together are not worth a search each.
fn last_backtick(bytes: &[u8]) -> Option<usize> {
    const CLOSE: usize = 8;
    let far = bytes.len().saturating_sub(CLOSE);
    let close = bytes[far..].iter().rposition(|byte| *byte == b'`');
    match close {
        Some(at) => Some(far + at),
        None => memchr::memrchr(b'`', &bytes[..far]),
    }
}

fn count_at_end(bytes: &[u8], byte: u8) -> usize {
    bytes.iter().rev().take_while(|own| **own == byte).count()
}

/// Where the nearest run of each length ends.
#[derive(Default)]
struct Nearest {
    /// Most runs are short, and need no search.
    short: [Option<usize>; 8],
    long: BTreeMap<usize, Option<usize>>,
}

impl Nearest {
    fn of(&mut self, len: usize) -> &mut Option<usize> {
        match self.short.get_mut(len) {
            Some(end) => end,
            None => self.long.entry(len).or_default(),
        }
    }
}

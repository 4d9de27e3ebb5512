use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
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
    let text = &bytes[paragraph.clone()];
    let first = code.len();
    let mut nearest = Nearest::default();
    let mut rest = text.len();
    while let Some(last) = last_backtick(&text[..rest]) {
        let end = last + 1;
        let start = start_of_run(text, end, b'`');
        // A backslash escapes the first backtick of an opener; where code ends, nothing.
        let escaped = (start - start_of_run(text, start, b'\\')) % 2;
        if let Some(span_end) = nearest.get(end - start - escaped) {
            code.push(paragraph.start + start + escaped..span_end.get());
        }
        nearest.set(end - start, paragraph.start + end);
        rest = start;
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

/// Where the run of `byte` begins that ends at `end`; `end` itself if none does.
fn start_of_run(bytes: &[u8], end: usize, byte: u8) -> usize {
    let mut start = end;
    while start > 0 && bytes[start - 1] == byte {
        start -= 1;
    }
    start
}

/// Where the nearest run of each length ends. Nothing ends at 0.
#[derive(Default)]
struct Nearest {
    /// Most runs are short, and need no search.
    short: [Option<NonZeroUsize>; 8],
    long: BTreeMap<usize, NonZeroUsize>,
}

impl Nearest {
    #[inline]
    fn get(&self, len: usize) -> Option<NonZeroUsize> {
        match self.short.get(len) {
            Some(end) => *end,
            None => self.long.get(&len).copied(),
        }
    }

    #[inline]
    fn set(&mut self, len: usize, end: usize) {
        let end = NonZeroUsize::new(end);
        match (self.short.get_mut(len), end) {
            (Some(own), _) => *own = end,
            (None, Some(end)) => _ = self.long.insert(len, end),
            (None, None) => {}
        }
    }
}

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use super::blocks::{Blocks, Leaf, Placed};
use crate::work;

/// Where code begins and ends, in the order of the text: each fenced block, and each code span that
/// there is if nothing before it takes its beginning.
pub(super) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut paragraph = Paragraph::default();
    for Placed { range, leaf } in Blocks::new(bytes) {
        if leaf != (Leaf::Text { first: false }) {
            paragraph.end(&mut code);
        }
        match (leaf, code.last_mut()) {
            (Leaf::None, _) => {}
            (Leaf::Text { .. }, _) => paragraph.push(bytes, range),
            (Leaf::Fence { first: false }, Some(fence)) => fence.end = range.end,
            (Leaf::Fence { .. }, _) => code.push(range),
        }
    }
    paragraph.end(&mut code);
    code
}

/// The paragraph, or heading, that is being read: a code span stays within one.
#[derive(Default)]
struct Paragraph {
    runs: Vec<Run>,
}

/// A run of backticks.
struct Run {
    /// Where it begins as an opener: behind its first backtick when a backslash escapes that.
    start: usize,
    end: usize,
    /// How many backticks it has as a closer: where code ends, a backslash escapes nothing.
    closes: usize,
}

impl Paragraph {
    /// Takes the runs of a line.
    fn push(&mut self, bytes: &[u8], line: Range<usize>) {
        work::looked_at(line.len());
        let mut at = line.start;
        while let Some(found) = memchr::memchr(b'`', &bytes[at..line.end]) {
            let start = at + found;
            let run = bytes[start..line.end].iter();
            let closes = run.take_while(|byte| **byte == b'`').count();
            let before = bytes[at..start].iter().rev();
            let escapes = before.take_while(|byte| **byte == b'\\').count();
            at = start + closes;
            self.runs.push(Run {
                start: start + escapes % 2,
                end: at,
                closes,
            });
        }
    }

    /// Appends the spans of the paragraph, and begins the next one.
    ///
    /// From the last run to the first, since what closes a run is the nearest one of its length.
    fn end(&mut self, code: &mut Vec<Range<usize>>) {
        let first = code.len();
        let mut nearest = Nearest::default();
        for run in self.runs.drain(..).rev() {
            if let Some(end) = *nearest.of(run.end - run.start) {
                code.push(run.start..end);
            }
            *nearest.of(run.closes) = Some(run.end);
        }
        code[first..].reverse();
    }
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

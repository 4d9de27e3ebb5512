use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::blocks::{Blocks, Leaf};
use crate::work;

/// What begins or ends code: a run of backticks, or a whole fenced block.
#[derive(Debug)]
pub(super) struct Delimiter {
    /// Where it begins as an opener: behind its first backtick when a backslash escapes that.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The delimiter that ends the code which this one begins: for a fenced block it is itself.
    pub(super) closer: Option<usize>,
    pub(super) is_fence: bool,
    /// How many backticks a code span that ends with this run has at its beginning.
    ///
    /// In a code span a backslash escapes nothing, so this may be one more than it opens with.
    closes: usize,
}

/// The delimiters of a text in order, each with its closer.
pub(super) fn delimiters(bytes: &[u8]) -> Vec<Delimiter> {
    let mut all = Vec::new();
    let mut paragraph = Paragraph::default();
    for line in Blocks::new(bytes) {
        match line.leaf {
            Leaf::Fence { first } => {
                paragraph.end(&mut all);
                match all.last_mut() {
                    Some(Delimiter {
                        is_fence: true,
                        end,
                        ..
                    }) if !first => *end = line.range.end,
                    _ => all.push(Delimiter {
                        start: line.range.start,
                        end: line.range.end,
                        closer: Some(all.len()),
                        is_fence: true,
                        closes: 0,
                    }),
                }
            }
            Leaf::Text { first } => {
                if first {
                    paragraph.end(&mut all);
                }
                push_runs(&mut all, bytes, line.range);
            }
            Leaf::None => paragraph.end(&mut all),
        }
    }
    paragraph.end(&mut all);
    all
}

/// The paragraph, or heading, that is being read: a code span stays within one.
#[derive(Default)]
struct Paragraph {
    /// Its first delimiter.
    start: usize,
}

impl Paragraph {
    /// Finds the closers of its runs, from the last to the first: of each length the nearest.
    fn end(&mut self, all: &mut [Delimiter]) {
        let mut nearest = BTreeMap::new();
        for at in (self.start..all.len()).rev() {
            let run = &mut all[at];
            if !run.is_fence {
                run.closer = nearest.get(&(run.end - run.start)).copied();
                nearest.insert(run.closes, at);
            }
        }
        self.start = all.len();
    }
}

/// Appends the runs of backticks of a line.
fn push_runs(all: &mut Vec<Delimiter>, bytes: &[u8], line: core::ops::Range<usize>) {
    let mut at = line.start;
    while let Some(found) = memchr::memchr(b'`', &bytes[at..line.end]) {
        let start = at + found;
        let len = bytes[start..line.end]
            .iter()
            .take_while(|byte| **byte == b'`')
            .count();
        let before = bytes[at..start].iter().rev();
        let escaped = before.take_while(|byte| **byte == b'\\').count() % 2;
        at = start + len;
        all.push(Delimiter {
            start: start + escaped,
            end: at,
            closer: None,
            is_fence: false,
            closes: len,
        });
    }
    work::looked_at(line.len());
}

use alloc::vec::Vec;
use core::ops::Range;

use super::line::{Fence, Line};
use crate::work;

/// The indentation that makes code of what could begin no less than a paragraph.
const INDENTED: usize = 4;

/// A line of a text and what it is a part of.
#[derive(Debug)]
pub(super) struct Placed {
    /// Without the end of the line.
    pub(super) range: Range<usize>,
    pub(super) leaf: Leaf,
}

/// What a line belongs to; `first` says that it begins there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A fenced block, its fences included.
    Fence { first: bool },
    /// A paragraph, a heading or indented code: what code spans can stand in.
    Text { first: bool },
    /// None: the line is blank, or a thematic break.
    None,
}

/// Something that holds blocks.
#[derive(Debug)]
enum Container {
    Quote,
    Item {
        /// The columns that a line needs to go on in it.
        indent: usize,
        /// A list item that begins with a blank line ends with the next one.
        is_empty: bool,
    },
}

/// The leaf that a next line can belong to without saying so.
#[derive(Debug)]
enum Open {
    None,
    Paragraph,
    Indented,
    Fence(Fence),
}

/// The lines of a text, each with its place in the structure of blocks (`CommonMark` 0.31, chapters
/// 4 and 5, and "Phase 1" of its appendix).
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
    containers: Vec<Container>,
    /// How many of the containers are quotes.
    quotes: usize,
    open: Open,
}

impl<'a> Blocks<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            containers: Vec::new(),
            quotes: 0,
            open: Open::None,
        }
    }

    fn place(&mut self, line: &mut Line<'_>) -> Leaf {
        let depth = self.goes_on_in(line);
        match &self.open {
            // A fenced block ends with what holds it: no line goes on in it without that.
            Open::Fence(fence) if depth == self.containers.len() => {
                if line.closes(fence) {
                    self.open = Open::None;
                }
                Leaf::Fence { first: false }
            }
            _ => self.begin(line, depth),
        }
    }

    /// In how many containers a line goes on; their part of it is taken.
    fn goes_on_in(&self, line: &mut Line<'_>) -> usize {
        let mut quotes = 0;
        for (depth, container) in self.containers.iter().enumerate() {
            let goes_on = match container {
                Container::Quote => line.take_quote_marker(),
                Container::Item { .. } if line.is_blank() => {
                    return self.blank_goes_on_in(depth, quotes);
                }
                Container::Item { indent, .. } => line.take_indent(*indent),
            };
            if !goes_on {
                return depth;
            }
            quotes += usize::from(matches!(container, Container::Quote));
        }
        self.containers.len()
    }

    /// The same for a line of which nothing is left behind `depth` containers, `quotes` of them
    /// quotes: items go on, quotes end.
    ///
    /// Items are passed only on the way to a quote that then ends, so that many blank lines in deep
    /// lists stay cheap.
    fn blank_goes_on_in(&self, depth: usize, quotes: usize) -> usize {
        if self.quotes > quotes {
            let items = self.containers[depth..].iter();
            let passed = items
                .take_while(|own| !matches!(own, Container::Quote))
                .count();
            work::looked_at(passed);
            return depth + passed;
        }
        let ends = matches!(
            self.containers.last(),
            Some(Container::Item { is_empty: true, .. })
        );
        self.containers.len() - usize::from(ends)
    }

    /// Finds what begins on a line that goes on in the first `depth` containers.
    fn begin(&mut self, line: &mut Line<'_>, mut depth: usize) -> Leaf {
        loop {
            if line.is_blank() {
                self.leave(depth);
                return Leaf::None;
            }
            let in_paragraph =
                matches!(self.open, Open::Paragraph) && depth == self.containers.len();
            if line.indent() >= INDENTED {
                return self.text(depth, true);
            }
            if line.take_quote_marker() {
                self.enter(depth, Container::Quote);
            } else if line.is_heading() {
                self.begin_leaf(depth, Open::None);
                return Leaf::Text { first: true };
            } else if let Some(fence) = line.fence() {
                self.begin_leaf(depth, Open::Fence(fence));
                return Leaf::Fence { first: true };
            } else if in_paragraph && line.is_underline() || line.is_thematic_break() {
                self.begin_leaf(depth, Open::None);
                return Leaf::None;
            } else if let Some(marker) = line.list_marker()
                && (marker.may_interrupt || !in_paragraph)
            {
                let indent = line.take_list_marker(&marker);
                let is_empty = line.is_blank();
                self.enter(depth, Container::Item { indent, is_empty });
            } else {
                return self.text(depth, false);
            }
            depth = self.containers.len();
        }
    }

    /// A line of text: of the open paragraph, whatever containers it leaves out, or of a new leaf.
    fn text(&mut self, depth: usize, indented: bool) -> Leaf {
        let first = match self.open {
            Open::Paragraph => return Leaf::Text { first: false },
            Open::Indented => !indented || depth < self.containers.len(),
            _ => true,
        };
        let open = if indented {
            Open::Indented
        } else {
            Open::Paragraph
        };
        self.begin_leaf(depth, open);
        Leaf::Text { first }
    }

    fn begin_leaf(&mut self, depth: usize, open: Open) {
        self.leave(depth);
        self.fill();
        self.open = open;
    }

    fn enter(&mut self, depth: usize, container: Container) {
        self.leave(depth);
        self.fill();
        self.quotes += usize::from(matches!(container, Container::Quote));
        self.containers.push(container);
    }

    /// Ends all containers but the first `depth`, and the leaf.
    fn leave(&mut self, depth: usize) {
        let ended = self.containers.drain(depth..);
        self.quotes -= ended.filter(|own| matches!(own, Container::Quote)).count();
        self.open = Open::None;
    }

    /// Notes that something stands in the innermost container.
    fn fill(&mut self) {
        if let Some(Container::Item { is_empty, .. }) = self.containers.last_mut() {
            *is_empty = false;
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Placed;

    fn next(&mut self) -> Option<Placed> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line_end = if rest[len..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        work::looked_at(len + 1);
        let range = self.at..self.at + len;
        self.at = range.end + line_end;
        let leaf = self.place(&mut Line::new(&rest[..len]));
        Some(Placed { range, leaf })
    }
}

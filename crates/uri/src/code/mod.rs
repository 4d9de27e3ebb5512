//! Where Markdown code stands in a text: fenced blocks and code spans.

mod blocks;
mod line;
mod spans;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::ops::Range;

use crate::work;

/// The code of a text, walked from left to right.
///
/// By the rules of `CommonMark` 0.31 for block quotes, list items, paragraphs, headings, fenced
/// blocks, code spans and backslashes. Not code here: indented blocks. Not looked for: HTML, links.
///
/// A mention and code bind alike, as an autolink and a code span do: what begins first is what it
/// is. So a title with a backtick in it cannot make code of its own mention, and `` `@[a](…)` `` is
/// code.
#[derive(Debug)]
pub(crate) struct Code {
    /// In the order of the text. Of two that overlap the first is code, when it is reached.
    code: Vec<Range<usize>>,
    /// The first that was not passed.
    next: usize,
}

impl Code {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        // Code needs three tildes or a backtick; most texts have neither.
        let any = memchr::memchr2(b'`', b'~', bytes).is_some();
        let code = if any { spans::find(bytes) } else { Vec::new() };
        Self { code, next: 0 }
    }

    /// The code that stands around `at`, which never goes back.
    pub(crate) fn around(&mut self, at: usize) -> Option<Range<usize>> {
        self.next = self.pass(at);
        self.code
            .get(self.next)
            .filter(|code| code.start <= at)
            .cloned()
    }

    /// Whether a mention stands from the start of `label`, which is outside code, up to `end`; then
    /// what would begin code in it is passed.
    ///
    /// When its target stands in what would be code that begins in the label, that is none, unless
    /// another `@[` stands in it: then the code holds a mention, and the label only seems to begin
    /// before it.
    pub(crate) fn take_mention(&mut self, bytes: &[u8], label: Range<usize>, end: usize) -> bool {
        let around = self.code.get(self.pass(label.end));
        if let Some(code) = around.filter(|code| code.start <= label.end) {
            let inside = &bytes[code.start..label.end];
            work::looked_at(inside.len());
            if memchr::memmem::find(inside, b"@[").is_some() {
                return false;
            }
        }
        self.next = self.skip(self.next, end);
        true
    }

    /// The first code that ends behind `at`: it stands around `at`, or begins behind it.
    fn pass(&self, at: usize) -> usize {
        let mut next = self.next;
        while let Some(code) = self.code.get(next).filter(|code| code.end <= at) {
            next = self.skip(next, code.end);
        }
        next
    }

    /// The first code that begins at `at` or behind it.
    fn skip(&self, from: usize, at: usize) -> usize {
        let skipped = self.code[from..]
            .iter()
            .take_while(|code| code.start < at)
            .count();
        work::looked_at(skipped);
        from + skipped
    }
}

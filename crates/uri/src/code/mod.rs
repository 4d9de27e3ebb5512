//! Where Markdown code stands in a text: fenced blocks and code spans.

mod blocks;
mod line;
mod spans;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::ops::Range;

use crate::work;
use spans::Delimiter;

/// The code of a text, walked from left to right.
///
/// By the rules of `CommonMark` 0.31 for block quotes, list items, paragraphs, headings, fenced
/// blocks, code spans and backslashes. Not code here: indented blocks. Not looked for: HTML, links.
///
/// A mention and a code span bind alike, as an autolink and a code span do: what begins first is
/// what it is. So a title with a backtick in it cannot make a span of its own mention, and
/// `` `@[a](…)` `` is code.
#[derive(Debug)]
pub(crate) struct Code {
    /// In the order of the text.
    delimiters: Vec<Delimiter>,
    /// The first delimiter that was not passed.
    next: usize,
}

impl Code {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        // Code needs three tildes or a backtick; most texts have neither.
        let any = memchr::memchr2(b'`', b'~', bytes).is_some();
        Self {
            delimiters: if any {
                spans::delimiters(bytes)
            } else {
                Vec::new()
            },
            next: 0,
        }
    }

    /// The code that stands around `at`, which never goes back.
    pub(crate) fn around(&mut self, at: usize) -> Option<Range<usize>> {
        let inside;
        (self.next, inside) = self.walk(at);
        let opener = self.delimiters.get(self.next).filter(|_| inside)?;
        Some(opener.start..self.delimiters[opener.closer?].end)
    }

    /// Whether a mention stands from the start of `label`, which is outside code, up to `end`; then
    /// backticks in it are passed.
    ///
    /// It does not when its target stands in a fenced block. When its target stands in what would
    /// be a code span that opens in the label, the span is none, unless another `@[` stands in it:
    /// then the span holds a mention, and the label only seems to begin before it.
    pub(crate) fn take_mention(&mut self, bytes: &[u8], label: Range<usize>, end: usize) -> bool {
        let (opener, inside) = self.walk(label.end);
        if inside {
            let opener = &self.delimiters[opener];
            let code = &bytes[opener.start..label.end];
            work::looked_at(code.len());
            if opener.is_fence || memchr::memmem::find(code, b"@[").is_some() {
                return false;
            }
        }
        let passed = self.delimiters[self.next..].iter();
        self.next += passed.take_while(|delimiter| delimiter.start < end).count();
        true
    }

    /// The delimiter whose code stands around `at`, and `true`; or the first one behind `at`.
    fn walk(&self, at: usize) -> (usize, bool) {
        let mut next = self.next;
        while let Some(delimiter) = self.delimiters.get(next)
            && delimiter.start <= at
        {
            work::looked_at(1);
            next = match delimiter.closer {
                None => next + 1,
                Some(closer) if at < self.delimiters[closer].end => return (next, true),
                Some(closer) => closer + 1,
            };
        }
        (next, false)
    }
}

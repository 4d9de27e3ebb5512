//! Searches that only go forward: what was found stays until it is passed, so that all searches of
//! a text together look at each byte a bounded number of times.

use alloc::vec::Vec;
use core::ops::Range;

use memchr::memmem::Finder;

use super::white;
use crate::{Schemes, work};

/// The places of one word; `find` gives the length of the text when there is none.
fn find(finder: &Finder<'_>, bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    work::looked_at(finder.needle().len());
    // Floods of the word are not worth a search each.
    if rest.starts_with(finder.needle()) {
        return from;
    }
    let found = finder.find(rest).unwrap_or(rest.len());
    work::looked_at(found);
    from + found
}

/// The scheme words of a text.
#[derive(Debug)]
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    finders: &'a [Finder<'static>],
    /// Where each of them stands next.
    next: Vec<usize>,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8], schemes: &'a Schemes) -> Self {
        let finders = schemes.finders();
        let next = finders.iter().map(|word| find(word, bytes, 0)).collect();
        Self {
            bytes,
            finders,
            next,
        }
    }

    /// The first scheme word at or after `from`, which never goes back.
    pub(super) fn next(&mut self, from: usize) -> Option<Range<usize>> {
        let mut first = self.bytes.len()..self.bytes.len();
        for (finder, next) in self.finders.iter().zip(&mut self.next) {
            if *next < from {
                *next = find(finder, self.bytes, from);
            }
            if *next < first.start {
                first = *next..*next + finder.needle().len();
            }
        }
        (!first.is_empty()).then_some(first)
    }
}

/// The places where a mention may open: `@[`.
#[derive(Debug)]
pub(super) struct Opens<'a> {
    bytes: &'a [u8],
    finder: &'a Finder<'static>,
    next: usize,
}

impl<'a> Opens<'a> {
    pub(super) fn new(bytes: &'a [u8], schemes: &'a Schemes) -> Self {
        let finder = schemes.open();
        Self {
            bytes,
            next: find(finder, bytes, 0),
            finder,
        }
    }

    /// The first `@[` at or after `from`, which never goes back; the length of the text or more
    /// when there is none.
    pub(super) fn next(&mut self, from: usize) -> usize {
        if self.next < from {
            self.next = find(self.finder, self.bytes, from);
        }
        self.next
    }
}

/// The ends of targets: `)` or white space.
#[derive(Debug)]
pub(super) struct TargetEnds<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> TargetEnds<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0 }
    }

    /// The end of the target that begins at `from`, which never goes back.
    pub(super) fn next(&mut self, from: usize) -> usize {
        if self.next < from {
            self.next = white::target_end(self.bytes, from);
            work::looked_at(self.next - from + 1);
        }
        self.next
    }
}

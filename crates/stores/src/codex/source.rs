//! The text of a rollout, plain or packed (`spec/agent-logs.md` 3.1, 3.9).

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use crate::container::{Harm, Salvaged};
use crate::lines::{LineOptions, LongLines};

/// What a packed rollout may unpack to, whatever its size.
const FLOOR: u64 = 1 << 30;
/// What a byte of a larger one may unpack to. Rollouts are packed about ten to one.
const RATIO: u64 = 256;
/// How many packed bytes are read at once: a block of a frame and what stands before the next.
const BLOCK: usize = (128 << 10) + 3;

/// How rollouts are read: long strings in long lines, which are pictures and the output of tools,
/// are condensed while they stream by.
pub(super) fn line_options(block: usize) -> LineOptions {
    LineOptions {
        block,
        cap: 8 << 20,
        first_cap: 16 << 20,
        long: LongLines::Condense,
    }
}

/// A rollout's text.
pub(super) enum Text {
    Plain(io::Take<File>),
    Packed(Box<Bounded<Salvaged<BufReader<File>>>>),
}

impl Text {
    /// The text of the first `size` bytes of a file. `on` tells whether what stands behind damaged
    /// bytes counts.
    pub(super) fn new(file: File, size: u64, packed: bool, on: bool) -> io::Result<Self> {
        if !packed {
            return Ok(Self::Plain(file.take(size)));
        }
        let left = FLOOR.max(size.saturating_mul(RATIO));
        let text = Salvaged::new(BufReader::with_capacity(BLOCK, file), size, on)?;
        Ok(Self::Packed(Box::new(Bounded { text, left })))
    }

    /// What was met among packed bytes; to be asked when they have been read.
    pub(super) fn harm(&self) -> Rc<Cell<Harm>> {
        match self {
            Self::Plain(_) => Rc::default(),
            Self::Packed(text) => text.text.harm(),
        }
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(out),
            Self::Packed(text) => text.read(out),
        }
    }
}

/// An unpacked text that may not go on for ever.
pub(super) struct Bounded<R> {
    text: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(out)?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "unpacks to more than any rollout",
            )
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_end_is_refused() {
        let mut out = Vec::new();
        let mut bomb = Bounded {
            text: io::repeat(b'a'),
            left: 1 << 20,
        };
        let error = bomb.read_to_end(&mut out).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(out.len() <= 1 << 20);
    }
}

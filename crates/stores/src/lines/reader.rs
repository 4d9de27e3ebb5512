use std::io::{self, Read};

use super::condense::Condenser;
use crate::Position;

/// Reads lines through one reused buffer.
///
/// Lines end at LF and nowhere else: not at CR, U+0085 or U+2028, which JSON strings may hold. A
/// line of any length is read in bounded memory: beyond [`LineOptions::cap`] it is treated as
/// [`LongLines`] says.
///
/// ```
/// use sref_stores::lines::{LineOptions, LineReader};
///
/// let mut lines = LineReader::new(&b"{}\n[1]\ntorn"[..], LineOptions::default());
/// let mut seen = Vec::new();
/// while lines.advance()? {
///     let line = lines.line();
///     seen.push((line.bytes.to_vec(), line.position.offset, line.terminated));
/// }
/// assert_eq!(seen[1], (b"[1]".to_vec(), 3, true));
/// assert_eq!(seen[2], (b"torn".to_vec(), 7, false));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    options: LineOptions,
    buffer: Vec<u8>,
    /// What is read and not yet given out: `buffer[start..end]`.
    start: usize,
    end: usize,
    ended: bool,
    /// The offset of `start` in the source.
    offset: u64,
    current: Current,
    /// Which long lines are told by their start to be of no use.
    skip: fn(&[u8]) -> bool,
}

/// Where the line of the last [`LineReader::advance`] is.
#[derive(Debug, Default)]
struct Current {
    number: u64,
    offset: u64,
    length: u64,
    terminated: bool,
    wholeness: Wholeness,
    range: std::ops::Range<usize>,
    /// A condensed line; else the line is in the buffer.
    condensed: Vec<u8>,
}

/// How a [`LineReader`] reads.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct LineOptions {
    /// How much is read at once.
    pub block: usize,
    /// The longest line that is buffered as it is.
    pub cap: usize,
    /// The same for the first line, which in some formats holds a whole system prompt.
    pub first_cap: usize,
    /// What happens to longer ones.
    pub long: LongLines,
}

impl Default for LineOptions {
    fn default() -> Self {
        Self {
            block: 256 << 10,
            cap: 8 << 20,
            first_cap: 8 << 20,
            long: LongLines::Head(64 << 10),
        }
    }
}

/// What becomes of a line beyond the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LongLines {
    /// So many bytes of its start are kept, for telling what it was; the rest is skipped.
    Head(usize),
    /// Its long strings are condensed while it is read: see [`Wholeness::Condensed`].
    Condense,
}

/// How much of a line is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wholeness {
    /// All of it.
    #[default]
    Whole,
    /// The line is JSON of the same grammar and shape as the one on disk, but strings of more than
    /// 64 KiB that cannot be conversation text are a digest of themselves: equal strings are still
    /// equal, different ones different.
    Condensed,
    /// Only its start.
    Cut,
    /// Only its start, which told that the rest is of no use.
    Skipped,
}

/// One line, without its LF.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Line<'a> {
    /// What is there of it.
    pub bytes: &'a [u8],
    /// Where it stands.
    pub position: Position,
    /// How long it is on disk, without its LF.
    pub length: u64,
    /// Whether a LF follows. Without one the writer was interrupted, or is still writing.
    pub terminated: bool,
    /// Whether `bytes` are all of it.
    pub wholeness: Wholeness,
}

impl<R: Read> LineReader<R> {
    /// A reader before the first line.
    pub fn new(source: R, options: LineOptions) -> Self {
        Self {
            source,
            buffer: vec![0; options.block.max(1)],
            options,
            start: 0,
            end: 0,
            ended: false,
            offset: 0,
            current: Current::default(),
            skip: |_| false,
        }
    }

    /// Skips the rest of a line beyond the cap when `skip` tells by its start that it is of no use.
    pub(super) fn skipping(&mut self, skip: fn(&[u8]) -> bool) {
        self.skip = skip;
    }

    /// Goes to the next line; `false` at the end.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn advance(&mut self) -> io::Result<bool> {
        self.current.wholeness = Wholeness::Whole;
        if self.current.condensed.capacity() > 0 {
            self.current.condensed = Vec::new();
        }
        let cap = if self.current.number == 0 {
            self.options.first_cap
        } else {
            self.options.cap
        };
        let mut searched = 0;
        loop {
            let pending = &self.buffer[self.start..self.end];
            if let Some(more) = memchr::memchr(b'\n', &pending[searched..]) {
                match searched + more {
                    length if length > cap => self.long_line(cap)?,
                    length => self.give(length, true),
                }
                return Ok(true);
            }
            searched = pending.len();
            if searched > cap {
                self.long_line(cap)?;
                return Ok(true);
            }
            if self.fill(cap)? == 0 {
                let rest = self.end - self.start;
                if rest > 0 {
                    self.give(rest, false);
                }
                return Ok(rest > 0);
            }
        }
    }

    /// The line that the last [`advance`](Self::advance) went to.
    #[must_use]
    pub fn line(&self) -> Line<'_> {
        let current = &self.current;
        Line {
            bytes: match current.wholeness {
                Wholeness::Condensed => &current.condensed,
                _ => &self.buffer[current.range.clone()],
            },
            position: Position::new(current.number, current.offset),
            length: current.length,
            terminated: current.terminated,
            wholeness: current.wholeness,
        }
    }

    /// Makes the next `length` pending bytes the current line.
    fn give(&mut self, length: usize, terminated: bool) {
        self.note(length as u64, terminated);
        self.current.range = self.start..self.start + length;
        self.start += length + usize::from(terminated);
    }

    fn note(&mut self, length: u64, terminated: bool) {
        self.current.number += 1;
        self.current.offset = self.offset;
        self.current.length = length;
        self.current.terminated = terminated;
        self.offset += length + u64::from(terminated);
    }

    /// Reads on behind the pending bytes, making room up to a line of `cap` bytes.
    fn fill(&mut self, cap: usize) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.end > self.buffer.len() / 2 {
                let most = cap.saturating_add(self.options.block.max(1));
                let size = (self.buffer.len() * 2).min(most).max(self.end + 1);
                self.buffer.resize(size, 0);
            }
        }
        self.read(self.buffer.len())
    }

    /// Reads once, up to `limit` in the buffer.
    fn read(&mut self, limit: usize) -> io::Result<usize> {
        loop {
            match self.source.read(&mut self.buffer[self.end..limit]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    self.end += read;
                    self.ended = read == 0;
                    return Ok(read);
                }
            }
        }
    }

    /// Passes a line of more than the cap, which fills the pending bytes and goes on.
    fn long_line(&mut self, cap: usize) -> io::Result<()> {
        // More than `cap` bytes are pending, so behind the head there is room to read into.
        let skipped = (self.skip)(&self.buffer[self.start..self.end]);
        let (head, mut condenser) = match self.options.long {
            _ if skipped => (0, None),
            LongLines::Head(head) => (head.min(cap), None),
            LongLines::Condense => (0, Some(Condenser::default())),
        };
        let keep = self.start..self.start + head;
        let mut length = 0_u64;
        let terminated = loop {
            let block = &self.buffer[self.start..self.end];
            let newline = memchr::memchr(b'\n', block);
            let part = &block[..newline.unwrap_or(block.len())];
            length += part.len() as u64;
            if let Some(condenser) = &mut condenser {
                condenser.push(part);
            }
            if newline.is_some() {
                self.start += part.len() + 1;
                break true;
            }
            // The kept head stays where it is; everything behind it is read over again.
            self.start = keep.end;
            self.end = keep.end;
            let limit = keep.end.saturating_add(self.options.block.max(1));
            if self.ended || self.read(limit.min(self.buffer.len()))? == 0 {
                break false;
            }
        };
        self.note(length, terminated);
        self.current.range = keep;
        self.current.wholeness = if skipped {
            Wholeness::Skipped
        } else {
            Wholeness::Cut
        };
        if let Some(condenser) = condenser
            && let Some(condensed) = condenser.finish()
        {
            self.current.condensed = condensed;
            self.current.wholeness = Wholeness::Condensed;
        }
        Ok(())
    }
}

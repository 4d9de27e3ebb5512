use std::collections::VecDeque;
use std::io::{self, Read};

use sref_session::json::{JsonErrorKind, Scanner};

use super::reader::{Line, LineOptions, LineReader, Wholeness};
use crate::Position;

/// Which faults of writers a [`RecordReader`] mends (`spec/agent-logs.md` 1.2). All off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each with a name"
)]
pub struct Repairs {
    /// A byte order mark before the first record.
    pub byte_order_mark: bool,
    /// NUL bytes, which a crash leaves: around a record, inside it, or in its place.
    pub nul: bool,
    /// Several records on one line, as two writers or one that was cut off leave them: each whole one
    /// counts, and what is cut off is counted as bad.
    pub glued: bool,
    /// Raw line ends inside a string, at most three.
    pub raw_newlines: bool,
}

impl Repairs {
    /// All of them.
    pub const ALL: Self = Self {
        byte_order_mark: true,
        nul: true,
        glued: true,
        raw_newlines: true,
    };
}

/// What a [`RecordReader`] has met so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Records given out, those of `too_long` left out.
    pub records: u64,
    /// Records among them that needed a repair.
    pub repaired: u64,
    /// Lines of nothing but white space and, with [`Repairs::nul`], NUL bytes.
    pub blank: u64,
    /// Lines that are no JSON, and the parts of lines, before or behind a record, that are none.
    pub bad: u64,
    /// Lines beyond the cap.
    pub too_long: u64,
    /// Whether the last line has no end and is no JSON: its writer is still at it.
    pub incomplete_tail: bool,
}

/// Reads the lines that hold JSON values; counts and passes over the others.
///
/// ```
/// use sref_stores::lines::{LineOptions, RecordReader, Repairs};
///
/// let log = b"\xEF\xBB\xBF{\"a\":1}\r\n\n{\"b\":\"cut o{\"c\":3}\n{\"d\":";
/// let mut records = RecordReader::new(&log[..], LineOptions::default(), Repairs::ALL);
/// let mut seen = Vec::new();
/// while records.advance()? {
///     seen.push(String::from_utf8_lossy(records.record().bytes).into_owned());
/// }
/// assert_eq!(seen, [r#"{"a":1}"#, r#"{"c":3}"#]);
/// // What was cut off before `{"c":3}` may have been words.
/// assert_eq!((records.counts().repaired, records.counts().blank, records.counts().bad), (2, 1, 1));
/// assert!(records.counts().incomplete_tail);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordReader<R> {
    lines: LineReader<R>,
    repairs: Repairs,
    counts: Counts,
    /// Lines that were read while looking for the end of a string, and are still to be given.
    ahead: VecDeque<Owned>,
    current: Owned,
    /// Whether `current` holds the record; else the line reader does, in this range.
    owned: bool,
    range: std::ops::Range<usize>,
    /// Where in the line the part begins that is looked at: behind the records that were given of it.
    from: usize,
    /// Where the next part of it begins, if there is more of it.
    rest: Option<usize>,
    /// Which lines are told apart without being checked.
    pass: fn(&[u8]) -> bool,
    passed: bool,
}

/// A line that has left the reader's buffer.
#[derive(Debug, Default, Clone)]
struct Owned {
    bytes: Vec<u8>,
    position: Option<Position>,
    terminated: bool,
    wholeness: Wholeness,
}

/// One JSON value, white space around it included.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The value; of a line beyond the cap, its unchecked start.
    pub bytes: &'a [u8],
    /// The line it stands on.
    pub position: Position,
    /// Whether this is only the start of a line beyond the cap.
    pub cut: bool,
    /// Whether the line's long strings are digests: see [`Wholeness::Condensed`].
    pub condensed: bool,
    /// Whether the line was passed over: see [`RecordReader::passing`]. It was not checked.
    pub passed: bool,
}

/// How many more lines a string with raw line ends may take, and how long it may get.
const MORE_LINES: usize = 3;
const JOINED: usize = 1 << 20;

enum Verdict {
    Good(std::ops::Range<usize>),
    /// The first record of several on one line, whether something before it is no JSON, and whether
    /// something stands behind it.
    Glued {
        range: std::ops::Range<usize>,
        lost: bool,
        more: bool,
    },
    Mended(Vec<u8>),
    Blank,
    Bad {
        open_string: bool,
    },
}

impl<R: Read> RecordReader<R> {
    /// A reader before the first record.
    pub fn new(source: R, options: LineOptions, repairs: Repairs) -> Self {
        Self {
            lines: LineReader::new(source, options),
            repairs,
            counts: Counts::default(),
            ahead: VecDeque::new(),
            current: Owned::default(),
            owned: false,
            range: 0..0,
            from: 0,
            rest: None,
            pass: |_| false,
            passed: false,
        }
    }

    /// Passes over the lines that `pass` tells to be of no use, by a look at their bytes: they are
    /// given out and counted, but not checked. A last line without an end is always checked.
    #[must_use]
    pub fn passing(mut self, pass: fn(&[u8]) -> bool) -> Self {
        self.pass = pass;
        self.lines.skipping(pass);
        self
    }

    /// What has been met so far.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Goes to the next record; `false` at the end.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn advance(&mut self) -> io::Result<bool> {
        while self.next_line()? {
            let line = self.line();
            let (cut, terminated) = (line.wholeness == Wholeness::Cut, line.terminated);
            let position = line.position;
            if cut {
                self.range = 0..line.bytes.len();
                self.counts.too_long += 1;
                return Ok(true);
            }
            let skipped = line.wholeness == Wholeness::Skipped;
            if skipped && !terminated {
                self.counts.incomplete_tail = true;
                continue;
            }
            if terminated && (skipped || (self.pass)(line.bytes)) {
                self.range = 0..line.bytes.len();
                self.passed = true;
                self.counts.records += 1;
                return Ok(true);
            }
            let (verdict, repaired) = self.judge(line);
            match verdict {
                Verdict::Good(range) => self.range = range,
                Verdict::Glued { range, lost, more } => {
                    self.rest = more.then_some(self.from + range.end);
                    self.range = range;
                    self.counts.bad += u64::from(lost);
                }
                Verdict::Mended(bytes) => self.own(bytes, position),
                Verdict::Blank => {
                    self.counts.blank += 1;
                    continue;
                }
                Verdict::Bad { open_string } => {
                    if open_string
                        && terminated
                        && self.repairs.raw_newlines
                        && let Some(joined) = self.join()?
                    {
                        self.own(joined, position);
                        self.counts.records += 1;
                        self.counts.repaired += 1;
                        return Ok(true);
                    }
                    if terminated {
                        self.counts.bad += 1;
                    } else {
                        self.counts.incomplete_tail = true;
                    }
                    continue;
                }
            }
            self.counts.records += 1;
            self.counts.repaired += u64::from(repaired);
            return Ok(true);
        }
        Ok(false)
    }

    /// The record that the last [`advance`](Self::advance) went to.
    #[must_use]
    pub fn record(&self) -> Record<'_> {
        let line = self.line();
        Record {
            bytes: &line.bytes[self.range.clone()],
            position: line.position,
            cut: line.wholeness == Wholeness::Cut,
            condensed: line.wholeness == Wholeness::Condensed,
            passed: self.passed,
        }
    }

    fn next_line(&mut self) -> io::Result<bool> {
        self.passed = false;
        if let Some(rest) = self.rest.take() {
            self.from = rest;
            return Ok(true);
        }
        self.from = 0;
        self.owned = false;
        if let Some(line) = self.ahead.pop_front() {
            self.current = line;
            self.owned = true;
            return Ok(true);
        }
        self.lines.advance()
    }

    /// The part of the line that is looked at.
    fn line(&self) -> Line<'_> {
        let line = self.whole_line();
        Line {
            bytes: &line.bytes[self.from..],
            ..line
        }
    }

    fn whole_line(&self) -> Line<'_> {
        let line = self.lines.line();
        if !self.owned {
            return line;
        }
        Line {
            bytes: &self.current.bytes,
            position: self.current.position.unwrap_or(line.position),
            length: self.current.bytes.len() as u64,
            terminated: self.current.terminated,
            wholeness: self.current.wholeness,
        }
    }

    /// Makes mended bytes the current record.
    fn own(&mut self, bytes: Vec<u8>, position: Position) {
        self.range = 0..bytes.len();
        self.current = Owned {
            bytes,
            position: Some(position),
            terminated: true,
            wholeness: self.whole_line().wholeness,
        };
        self.owned = true;
        self.from = 0;
    }

    /// What a line is, and whether it took a repair to see it.
    fn judge(&self, line: Line<'_>) -> (Verdict, bool) {
        let mut range = 0..line.bytes.len();
        let mut repaired = false;
        if self.repairs.byte_order_mark
            && line.position.offset == 0
            && line.bytes.starts_with(b"\xEF\xBB\xBF")
        {
            range.start = 3;
            repaired = true;
        }
        let is_edge = |byte: &u8| is_white(*byte) || self.repairs.nul && *byte == 0;
        let trimmed = &line.bytes[range.clone()];
        let lead = trimmed.iter().take_while(|byte| is_edge(byte)).count();
        let trail = trimmed[lead..]
            .iter()
            .rev()
            .take_while(|byte| is_edge(byte))
            .count();
        repaired |= trimmed[..lead].contains(&0);
        repaired |= trimmed[trimmed.len() - trail..].contains(&0);
        range = range.start + lead..range.end - trail;
        if range.is_empty() {
            return (Verdict::Blank, repaired);
        }
        let bytes = &line.bytes[range.clone()];
        let error = match check(bytes) {
            Ok(()) => return (Verdict::Good(range), repaired),
            Err(error) => error,
        };
        if self.repairs.glued
            && let Some(own) = first_of(bytes)
        {
            let (lost, more) = (own.start > 0, own.end < bytes.len());
            let range = range.start + own.start..range.start + own.end;
            return (Verdict::Glued { range, lost, more }, true);
        }
        if self.repairs.nul && bytes.contains(&0) {
            let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
            if check(&bytes).is_ok() {
                return (Verdict::Mended(bytes), true);
            }
        }
        let open_string = error == JsonErrorKind::End;
        (Verdict::Bad { open_string }, false)
    }

    /// Tries the current line with those after it, the line ends written as escapes.
    fn join(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut joined = self.line().bytes.to_vec();
        let mut taken = Vec::new();
        while taken.len() < MORE_LINES && joined.len() < JOINED {
            let next = match self.ahead.pop_front() {
                Some(line) => line,
                None if self.lines.advance()? => {
                    let line = self.lines.line();
                    Owned {
                        bytes: line.bytes.to_vec(),
                        position: Some(line.position),
                        terminated: line.terminated,
                        wholeness: match line.wholeness {
                            Wholeness::Skipped => Wholeness::Cut,
                            wholeness => wholeness,
                        },
                    }
                }
                None => break,
            };
            if joined.last() == Some(&b'\r') {
                joined.pop();
                joined.extend_from_slice(b"\\r");
            }
            joined.extend_from_slice(b"\\n");
            joined.extend_from_slice(&next.bytes);
            let cut = next.wholeness == Wholeness::Cut;
            taken.push(next);
            if cut {
                break;
            }
            if check(&joined).is_ok() {
                return Ok(Some(joined));
            }
        }
        for line in taken.into_iter().rev() {
            self.ahead.push_front(line);
        }
        Ok(None)
    }
}

const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn check(bytes: &[u8]) -> Result<(), JsonErrorKind> {
    let mut scanner = Scanner::new(bytes);
    scanner
        .skip_value()
        .and_then(|_| scanner.finish())
        .map_err(|error| error.kind())
}

/// The first whole object of a line that is not one JSON value: the one it begins with, else the first
/// behind what was cut off. What stands behind it is still to be judged.
///
/// Behind a part that was cut off it has to reach to the end of the line or to another object, and must
/// not stand behind `:`, `,` or `[`, where it would belong to that part. Few places are tried, from the
/// left: each try reads the rest of the line.
fn first_of(bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    const TRIES: usize = 16;
    let object = |start: usize| {
        let mut scanner = Scanner::new(&bytes[start..]);
        let range = scanner.skip_value().ok()?;
        Some(start..start + range.end)
    };
    let is_gap = |byte: &&u8| is_white(**byte) || **byte == 0;
    if bytes.first() == Some(&b'{')
        && let Some(first) = object(0)
    {
        return Some(first);
    }
    memchr::memmem::find_iter(bytes, b"{\"")
        .filter(|start| {
            let before = bytes[..*start].iter().rev().find(|byte| !is_gap(byte));
            before.is_some_and(|before| !b":,[".contains(before))
        })
        .take(TRIES)
        .filter_map(object)
        .find(|own| {
            let behind = bytes[own.end..].iter().find(|byte| !is_gap(byte));
            behind.is_none_or(|byte| *byte == b'{')
        })
}

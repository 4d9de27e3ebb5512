//! One log file: opened, read as one observation, and checked against what was listed.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::format::Format;
use super::header::{LogHeader, NoHeader, compatible};
use super::listing::Entry;
use super::load::{Loaded, Loader, Want};
use super::scan::Scan;
use crate::container::{
    FrameFault, Frames, HeaderText, Unpacked, WORTH_A_THREAD, ahead, header_text, torn_text,
};
use crate::lines::{LineOptions, LineReader, LongLines, Wholeness};
use crate::{StoreError, StoreErrorKind, file};

/// The longest header line. Longer first lines are no headers.
const HEADER: usize = 1 << 20;
/// How many packed bytes are read at once.
const PACKED: usize = 128 << 10;
/// How many lines are read between two looks at the cancellation token.
const LINES_BETWEEN_LOOKS: u64 = 64;

/// How the bytes of a log are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Packing {
    /// As they are.
    Plain,
    /// As Zstandard frames (`spec/dsh-store.md` 4.5).
    Zstd,
}

/// A log as a listing sees it.
#[derive(Debug)]
pub(super) struct Glance {
    pub(super) header: Result<LogHeader, NoHeader>,
    pub(super) updated_at: Option<i64>,
    pub(super) size: u64,
}

/// Reads the first line of a log; anything that is not one complete line is no header.
pub(super) fn glance(path: &Path, packing: Packing, format: u64) -> io::Result<Glance> {
    let (file, revision) = file::open(path)?;
    let header = match packing {
        Packing::Plain => plain_header(file)?,
        Packing::Zstd => packed_header(&mut BufReader::new(file), revision.size)?,
    };
    Ok(Glance {
        header: match header {
            HeaderText::Line(line) => LogHeader::parse(&line, format),
            HeaderText::Missing => Err(NoHeader::Other),
            HeaderText::Other(fault) => Err(NoHeader::Container(fault)),
        },
        updated_at: revision.modified_at(),
        size: revision.size,
    })
}

fn plain_header(file: File) -> io::Result<HeaderText> {
    let options = LineOptions {
        block: 4 << 10,
        cap: HEADER,
        first_cap: HEADER,
        long: LongLines::Head(0),
    };
    let mut lines = LineReader::new(file, options);
    Ok(if lines.advance()? && lines.line().terminated {
        HeaderText::Line(lines.line().bytes.to_vec())
    } else {
        HeaderText::Missing
    })
}

fn packed_header(log: &mut BufReader<File>, length: u64) -> io::Result<HeaderText> {
    match header_text(log, length) {
        Ok(text) => Ok(text),
        Err(FrameFault::Damaged { .. }) => Ok(HeaderText::Other("bytes that are no frame")),
        Err(FrameFault::Io(error)) => Err(error),
    }
}

/// Reads a log that was listed with this header, as one observation.
///
/// # Errors
///
/// [`StoreErrorKind::Conflict`] when the header is not the listed one,
/// [`StoreErrorKind::Changing`] when the log keeps changing under the reads, and whatever
/// `spec/dsh-store.md` 0.1 refuses a log for.
pub(super) fn read(
    entry: &Entry,
    want: Want,
    cancel: &CancellationToken,
) -> Result<(LogHeader, Loaded), StoreError> {
    let (header, loaded) = file::consistent(&entry.path, |file, length| {
        read_once(file, length, entry, want, cancel)
    })?;
    same_session(&entry.path, &entry.header, header, loaded)
}

fn same_session(
    path: &Path,
    listed: &LogHeader,
    header: LogHeader,
    loaded: Loaded,
) -> Result<(LogHeader, Loaded), StoreError> {
    if compatible(&listed.logical, &header.logical) {
        Ok((header, loaded))
    } else {
        Err(StoreError::new(StoreErrorKind::Conflict, "").at_path(path))
    }
}

fn read_once(
    file: File,
    length: u64,
    entry: &Entry,
    want: Want,
    cancel: &CancellationToken,
) -> Result<(LogHeader, Loaded), StoreError> {
    let format = entry.format;
    match entry.packing {
        Packing::Plain => {
            let mut lines = LineReader::new(file.take(length), options());
            let is_line = lines.advance().map_err(io_error)? && lines.line().terminated;
            let line = if is_line && lines.line().wholeness == Wholeness::Whole {
                HeaderText::Line(lines.line().bytes.to_vec())
            } else {
                HeaderText::Missing
            };
            let header = header(line, format)?;
            let mut scan = scan(&header, format, want);
            let torn = feed(&mut lines, &mut scan, cancel)?;
            let loaded = scan.finish()?;
            Ok((header, Loaded { torn, ..loaded }))
        }
        Packing::Zstd => read_packed(
            BufReader::with_capacity(PACKED, file),
            length,
            format,
            want,
            cancel,
        ),
    }
}

/// Reads the frames of a log: the whole ones, which must leave nothing over, and what can be saved
/// of one that was being written, by the rules of a plain log.
fn read_packed(
    mut log: BufReader<File>,
    length: u64,
    format: &'static Format,
    want: Want,
    cancel: &CancellationToken,
) -> Result<(LogHeader, Loaded), StoreError> {
    let header = header(packed_header(&mut log, length).map_err(io_error)?, format)?;
    log.rewind().map_err(io_error)?;
    let frames = Frames::scan(&mut log, length, u64::MAX).map_err(|fault| match fault {
        FrameFault::Damaged { offset } => {
            let detail = format!("bytes that are no frame at byte {offset}");
            StoreError::new(StoreErrorKind::Damaged, detail)
        }
        FrameFault::Io(error) => io_error(error),
    })?;
    let mut scan = scan(&header, format, want);
    log.seek(SeekFrom::Start(frames.first_end))
        .map_err(io_error)?;
    if frames.end > frames.first_end {
        let length = frames.end - frames.first_end;
        let mut text = Unpacked::new(&mut log, length).map_err(io_error)?;
        if length < WORTH_A_THREAD {
            feed_whole(&mut text, &mut scan, cancel)?;
        } else {
            ahead(&mut text, |text| feed_whole(text, &mut scan, cancel))?;
        }
    }
    if frames.end < length
        && let Some(text) = torn_text(&mut log, frames.end, length).map_err(io_error)?
    {
        feed(&mut LineReader::new(text, options()), &mut scan, cancel)?;
    }
    let loaded = scan.finish()?;
    let torn = frames.end < length;
    Ok((header, Loaded { torn, ..loaded }))
}

/// Feeds the text of whole frames.
fn feed_whole(
    text: &mut dyn Read,
    scan: &mut Scan<'_>,
    cancel: &CancellationToken,
) -> Result<(), StoreError> {
    let mut lines = LineReader::new(text, options());
    if feed(&mut lines, scan, cancel)? {
        let position = lines.line().position;
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            "a whole frame that ends inside a line",
        )
        .at(position));
    }
    scan.must_be_whole()
}

fn options() -> LineOptions {
    LineOptions {
        first_cap: HEADER,
        long: LongLines::Condense,
        ..LineOptions::default()
    }
}

fn header(line: HeaderText, format: &Format) -> Result<LogHeader, StoreError> {
    let parsed = match line {
        HeaderText::Line(line) => LogHeader::parse(&line, format.version),
        HeaderText::Missing | HeaderText::Other(_) => Err(NoHeader::Other),
    };
    let header =
        parsed.map_err(|_| StoreError::new(StoreErrorKind::Damaged, "no session header"))?;
    // Before anything else is looked at [u05, z21].
    if header.logical.version != Some(format.version) {
        let detail = match header.logical.version {
            Some(version) => format!("log format {version}"),
            None => "a log format that is no whole number".into(),
        };
        return Err(StoreError::new(StoreErrorKind::Unsupported, detail));
    }
    Ok(header)
}

fn scan<'a>(header: &'a LogHeader, format: &'static Format, want: Want) -> Scan<'a> {
    Scan::new(Loader::new(header, format, want), format)
}

/// Feeds the lines that have an end; tells whether one was left that has none.
fn feed(
    lines: &mut LineReader<impl Read>,
    scan: &mut Scan<'_>,
    cancel: &CancellationToken,
) -> Result<bool, StoreError> {
    while lines.advance().map_err(io_error)? {
        let line = lines.line();
        if !line.terminated {
            return Ok(true);
        }
        scan.line(line)?;
        if line.position.line.is_multiple_of(LINES_BETWEEN_LOOKS) && cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
    }
    Ok(false)
}

/// An error of the operating system; a decoder's own, which has no number there, is damage.
fn io_error(error: io::Error) -> StoreError {
    let kind = match (error.raw_os_error(), error.kind()) {
        (
            None,
            io::ErrorKind::Other | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof,
        ) => StoreErrorKind::Damaged,
        _ => StoreErrorKind::Io,
    };
    StoreError::new(kind, "").caused_by(error)
}

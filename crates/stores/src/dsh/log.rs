//! One log file: opened, read as one observation, and checked against what was listed.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use super::format::FORMAT_0;
use super::header::{LogHeader, NoHeader, compatible};
use super::load::{Loaded, Loader, Want};
use super::scan::Scan;
use crate::lines::{LineOptions, LineReader, LongLines, Wholeness};
use crate::{StoreError, StoreErrorKind};

/// How often a log is read before one that keeps changing is given up on.
const ATTEMPTS: u32 = 5;
/// The pause before another attempt.
const PAUSE: Duration = Duration::from_millis(20);
/// The longest header line. Longer first lines are no headers.
const HEADER: usize = 1 << 20;
/// How many lines are read between two looks at the cancellation token.
const LINES_BETWEEN_LOOKS: u64 = 64;

/// What tells two states of a file apart (`spec/dsh-store.md` 4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Revision {
    /// Device and inode, where the host has them.
    file: (u64, u64),
    size: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds, where the host has them.
    changed: (i64, i64),
}

impl Revision {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (file, changed) = {
            use std::os::unix::fs::MetadataExt as _;
            (
                (metadata.dev(), metadata.ino()),
                (metadata.ctime(), metadata.ctime_nsec()),
            )
        };
        #[cfg(not(unix))]
        let (file, changed) = ((0, 0), (0, 0));
        Self {
            file,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            changed,
        }
    }

    /// Whether a log of this revision can have become one of the other by appending alone.
    fn may_have_grown_into(self, later: Self) -> bool {
        self.file == later.file && self.size <= later.size
    }
}

/// A log as a listing sees it.
#[derive(Debug)]
pub(super) struct Glance {
    pub(super) header: Result<LogHeader, NoHeader>,
    pub(super) updated_at: Option<i64>,
    pub(super) size: u64,
}

/// Reads the first line of a log; anything that is not one complete line is no header.
pub(super) fn glance(path: &Path) -> io::Result<Glance> {
    let (file, metadata) = open(path)?;
    let options = LineOptions {
        block: 4 << 10,
        cap: HEADER,
        first_cap: HEADER,
        long: LongLines::Head(0),
    };
    let mut lines = LineReader::new(file, options);
    let header = if lines.advance()? && lines.line().terminated {
        LogHeader::parse(lines.line().bytes)
    } else {
        Err(NoHeader::Other)
    };
    Ok(Glance {
        header,
        updated_at: metadata.modified().ok().map(milliseconds),
        size: metadata.len(),
    })
}

/// Opens a regular file, or a link to one. Nothing else: a pipe would never answer.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(error) => {
            i64::try_from(error.duration().as_millis()).map_or(i64::MIN, |before| -before)
        }
    }
}

/// Reads a log that was listed with this header.
///
/// The log is read up to the length it had when it was opened. If it has changed by then it is read
/// again. One that changes under every attempt is taken as it was seen, provided that it only grew:
/// what was seen is then an earlier state of it.
///
/// # Errors
///
/// [`StoreErrorKind::Conflict`] when the header is not the listed one,
/// [`StoreErrorKind::Changing`] when the log keeps changing otherwise, and whatever
/// `spec/dsh-store.md` 0.1 refuses a log for.
pub(super) fn read(
    path: &Path,
    listed: &LogHeader,
    want: Want,
    cancel: &CancellationToken,
) -> Result<(LogHeader, Loaded), StoreError> {
    let io_error = |error| StoreError::io(path, error);
    let mut attempt = 1;
    loop {
        let (file, metadata) = open(path).map_err(io_error)?;
        let before = Revision::of(&metadata);
        let outcome = read_once(file, before.size, want, cancel);
        let after = Revision::of(&path.metadata().map_err(io_error)?);
        if matches!(&outcome, Err(error) if error.kind() == StoreErrorKind::Cancelled) {
            return outcome;
        }
        if before == after {
            let (header, loaded) = outcome.map_err(|error| error.at_path(path))?;
            return same_session(path, listed, header, loaded);
        }
        if attempt == ATTEMPTS {
            return match outcome {
                Ok((header, loaded)) if before.may_have_grown_into(after) => {
                    same_session(path, listed, header, loaded)
                }
                _ => Err(StoreError::new(StoreErrorKind::Changing, "").at_path(path)),
            };
        }
        attempt += 1;
        std::thread::sleep(PAUSE);
    }
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
    source: impl Read,
    length: u64,
    want: Want,
    cancel: &CancellationToken,
) -> Result<(LogHeader, Loaded), StoreError> {
    let io_error = |error| StoreError::new(StoreErrorKind::Io, "").caused_by(error);
    let options = LineOptions {
        first_cap: HEADER,
        long: LongLines::Condense,
        ..LineOptions::default()
    };
    let mut lines = LineReader::new(source.take(length), options);
    let is_line = lines.advance().map_err(io_error)? && lines.line().terminated;
    let header = if is_line && lines.line().wholeness == Wholeness::Whole {
        LogHeader::parse(lines.line().bytes)
    } else {
        Err(NoHeader::Other)
    };
    let header = header.map_err(|_| {
        let position = lines.line().position;
        StoreError::new(StoreErrorKind::Damaged, "no session header").at(position)
    })?;
    // Before anything else is looked at [u05].
    if header.logical.version != Some(FORMAT_0.version) {
        let detail = match header.logical.version {
            Some(version) => format!("log format {version}"),
            None => "a log format that is no whole number".into(),
        };
        return Err(StoreError::new(StoreErrorKind::Unsupported, detail));
    }
    let mut scan = Scan::new(Loader::new(&header, &FORMAT_0, want), &FORMAT_0);
    while lines.advance().map_err(io_error)? && lines.line().terminated {
        let line = lines.line();
        scan.line(line)?;
        if line.position.line.is_multiple_of(LINES_BETWEEN_LOOKS) && cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
    }
    let loaded = scan.finish()?;
    Ok((header, loaded))
}

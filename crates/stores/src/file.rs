//! Files that other programs write while they are read (`spec/agent-logs.md` 1.3).

use std::fs::{File, FileType, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Diagnostic, DiagnosticKind, StoreError, StoreErrorKind};

/// How often a file is read before one that keeps changing is given up on.
const ATTEMPTS: u32 = 5;
/// The pause before another attempt.
const PAUSE: Duration = Duration::from_millis(20);

/// What tells two states of a file apart (`spec/dsh-store.md` 4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Revision {
    /// Device and inode, where the host has them.
    file: (u64, u64),
    pub(crate) size: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds, where the host has them.
    changed: (i64, i64),
}

impl Revision {
    pub(crate) fn of(metadata: &Metadata) -> Self {
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

    /// Whether a file of this revision can have become one of the other by appending alone.
    fn may_have_grown_into(self, later: Self) -> bool {
        self.file == later.file && self.size <= later.size
    }

    /// When the file was last written, in milliseconds since 1970.
    pub(crate) fn modified_at(self) -> Option<i64> {
        self.modified.map(milliseconds)
    }
}

/// An error of the operating system in plain words, without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let kind = error.kind();
    match error.get_ref() {
        Some(own) => own.to_string(),
        None if error.raw_os_error().is_some() && kind.to_string() == "uncategorized error" => {
            error.to_string()
        }
        None => kind.to_string(),
    }
}

/// The entries of a directory in the order of their names, and why some of them cannot be told.
/// What vanishes meanwhile is not there.
pub(crate) fn entries(found: ReadDir) -> (Vec<(PathBuf, FileType)>, Vec<io::Error>) {
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    for entry in found {
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok(entry) => entries.push(entry),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => errors.push(error),
        }
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    (entries, errors)
}

/// What is told of something that is neither a file nor a directory, where a log was looked for.
pub(crate) fn passed_over(path: &Path, file_type: FileType) -> Option<Diagnostic> {
    let kind = if file_type.is_symlink() {
        DiagnosticKind::Link
    } else if file_type.is_file() || file_type.is_dir() {
        return None;
    } else {
        DiagnosticKind::Special
    };
    Some(Diagnostic::new(kind, path, ""))
}

/// Whether logs may lie behind a link: it leads to a directory, or nobody knows where.
pub(crate) fn may_lead_on(path: &Path, file_type: FileType) -> bool {
    file_type.is_symlink() && path.metadata().map_or(true, |data| data.is_dir())
}

/// Where a link leads that stands directly in a store: to a directory outside of it, where people keep a
/// part of their logs. Above the store lies everything, and the store itself is looked through anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leads {
    Out,
    Above,
    Inside,
}

/// Both are canonical paths.
pub(crate) fn leads(root: &Path, place: &Path) -> Leads {
    if root.starts_with(place) {
        Leads::Above
    } else if place.starts_with(root) {
        Leads::Inside
    } else {
        Leads::Out
    }
}

/// Opens a regular file, or a link to one. Nothing else: a pipe would never answer.
pub(crate) fn open(path: &Path) -> io::Result<(File, Revision)> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let file = File::open(path)?;
    let revision = Revision::of(&file.metadata()?);
    Ok((file, revision))
}

/// Reads a file as one observation: up to the length it had when it was opened, and again if it
/// has changed by then.
///
/// One that changes under every attempt is taken as it was seen, provided that it only grew: what
/// was seen is then an earlier state of it.
///
/// # Errors
///
/// [`StoreErrorKind::Changing`] when the file keeps changing otherwise, those of the operating
/// system, and those of `read`.
pub(crate) fn consistent<T>(
    path: &Path,
    mut read: impl FnMut(File, u64) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let io_error = |error| StoreError::io(path, error);
    let mut attempt = 1;
    loop {
        let (file, before) = open(path).map_err(io_error)?;
        let outcome = read(file, before.size);
        if matches!(&outcome, Err(error) if error.kind() == StoreErrorKind::Cancelled) {
            return outcome;
        }
        let after = Revision::of(&path.metadata().map_err(io_error)?);
        if before == after {
            return outcome.map_err(|error| error.at_path(path));
        }
        if attempt == ATTEMPTS {
            return match outcome {
                Ok(outcome) if before.may_have_grown_into(after) => Ok(outcome),
                _ => Err(StoreError::new(StoreErrorKind::Changing, "").at_path(path)),
            };
        }
        attempt += 1;
        std::thread::sleep(PAUSE);
    }
}

fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(error) => {
            i64::try_from(error.duration().as_millis()).map_or(i64::MIN, |before| -before)
        }
    }
}

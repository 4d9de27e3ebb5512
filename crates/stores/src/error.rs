use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Diagnostic, DiagnosticKind};

/// A place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The line, counted from 1; of a database, the row.
    pub line: u64,
    /// Where the line begins, in bytes from the start of the (unpacked) log.
    pub offset: u64,
}

impl Position {
    pub(crate) const fn new(line: u64, offset: u64) -> Self {
        Self { line, offset }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}", self.line, self.offset)
    }
}

/// Why a store could not answer.
///
/// [`kind`](Self::kind) says what went wrong, [`code`](Self::code) is the code that session queries
/// use for it, [`reason`](Self::reason) a finer stable name, [`path`](Self::path) and
/// [`position`](Self::position) say where.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    diagnostic: Option<DiagnosticKind>,
    path: Option<PathBuf>,
    position: Option<Position>,
    detail: String,
    cause: Option<io::Error>,
}

/// The reasons behind a [`StoreError`] (`spec/dsh-store.md` 0.1, 6.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// No session of this id.
    NotFound,
    /// The operating system refused.
    Io,
    /// The log changed under every attempt to read it.
    Changing,
    /// An artifact that makes a strict listing fail as a whole.
    Listing,
    /// The log is physically damaged.
    Damaged,
    /// A format or an event type that this reader does not know.
    Unsupported,
    /// A record larger than a reader takes on.
    TooLong,
    /// The log breaks a rule of its format.
    Corrupt,
    /// The last title of the log is malformed. Its surface is not concerned.
    Title,
    /// The log's header is not the one that was listed.
    Conflict,
    /// The caller gave up.
    Cancelled,
}

impl StoreErrorKind {
    /// The code that session queries use: `SESSION_QUERY_…`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotFound => "SESSION_QUERY_SESSION_NOT_FOUND",
            Self::Corrupt | Self::Title => "SESSION_QUERY_CORRUPT_SESSION",
            Self::Conflict => "SESSION_QUERY_SOURCE_CONFLICT",
            Self::Cancelled => "SESSION_QUERY_ABORTED",
            Self::Io
            | Self::Changing
            | Self::Listing
            | Self::Damaged
            | Self::Unsupported
            | Self::TooLong => "SESSION_QUERY_PERSISTENCE_FAILED",
        }
    }

    /// The stable name of this reason.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotFound => "store.not-found",
            Self::Io => "store.io",
            Self::Changing => "store.changing",
            Self::Listing => "store.listing",
            Self::Damaged => "store.damaged",
            Self::Unsupported => "store.unsupported",
            Self::TooLong => "store.record-too-long",
            Self::Corrupt => "store.corrupt",
            Self::Title => "store.title",
            Self::Conflict => "store.conflict",
            Self::Cancelled => "store.cancelled",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::NotFound => "no such session",
            Self::Io => "could not read the store",
            Self::Changing => "the log changes while it is read",
            Self::Listing => "the store cannot be listed",
            Self::Damaged => "damaged log",
            Self::Unsupported => "unsupported log",
            Self::TooLong => "oversized record",
            Self::Corrupt => "corrupt log",
            Self::Title => "no readable title",
            Self::Conflict => "the header is not the one that was listed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl StoreError {
    pub(crate) fn new(kind: StoreErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            diagnostic: None,
            path: None,
            position: None,
            detail: detail.into(),
            cause: None,
        }
    }

    pub(crate) fn io(path: &Path, cause: io::Error) -> Self {
        Self::new(StoreErrorKind::Io, "")
            .at_path(path)
            .caused_by(cause)
    }

    pub(crate) fn caused_by(mut self, cause: io::Error) -> Self {
        self.cause = Some(cause);
        self
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StoreErrorKind::NotFound, "")
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(StoreErrorKind::Cancelled, "")
    }

    /// A finding that a strict store does not survive.
    pub(crate) fn listing(diagnostic: Diagnostic) -> Self {
        Self {
            kind: StoreErrorKind::Listing,
            diagnostic: Some(diagnostic.kind),
            path: Some(diagnostic.path),
            position: None,
            detail: diagnostic.detail,
            cause: None,
        }
    }

    pub(crate) fn at_path(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    pub(crate) const fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Shorthand for `self.kind().code()`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The finest stable name: that of the artifact which fails a listing, else that of the kind.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self.diagnostic {
            Some(kind) => kind.code(),
            None => self.kind.reason(),
        }
    }

    /// The file or directory concerned.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Where in the file.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        self.position
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.words())?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        match self.position {
            Some(position) => write!(f, " ({position})"),
            None => Ok(()),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

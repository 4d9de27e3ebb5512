use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::file::plain;
use crate::{Diagnostic, DiagnosticKind};

/// A place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The line, counted from 1; of a database, the row.
    pub line: u64,
    /// Where the line begins, in bytes from the start of the (unpacked) log; of a database 0.
    pub offset: u64,
    is_row: bool,
}

impl Position {
    pub(crate) const fn new(line: u64, offset: u64) -> Self {
        Self {
            line,
            offset,
            is_row: false,
        }
    }

    /// A row of a database, counted from 1.
    pub(crate) const fn row(row: u64) -> Self {
        Self {
            line: row,
            offset: 0,
            is_row: true,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_row {
            return write!(f, "row {}", self.line);
        }
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
    /// A record larger than a reader takes on, or more conversation.
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
            // The cause says it.
            Self::Io => "",
            Self::Changing => "the log changes while it is read",
            Self::Listing => "the store cannot be listed",
            Self::Damaged => "damaged log",
            Self::Unsupported => "not supported",
            Self::TooLong => "too large",
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

    /// What a listing tells of the one file that could not be read.
    pub(crate) fn unreadable(&self, path: &Path) -> Diagnostic {
        Diagnostic::new(DiagnosticKind::Unreadable, path, self.explanation())
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

    /// What went wrong, with its cause, and without the path: for who names that already.
    ///
    /// ```
    /// use sref_stores::{CancellationToken, Store, claude::ClaudeStore};
    ///
    /// let file = tempfile::NamedTempFile::new()?;
    /// let store = ClaudeStore::open(file.path());
    /// let error = store.list(&CancellationToken::new()).unwrap_err();
    /// assert_eq!(error.path(), Some(file.path()));
    /// assert_eq!(error.explanation(), "not a directory");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn explanation(&self) -> String {
        let what = self.what();
        match self.cause.as_ref().map(plain) {
            Some(cause) if what.is_empty() => cause,
            Some(cause) => format!("{what}: {cause}"),
            None if what.is_empty() => "could not read".to_owned(),
            None => what,
        }
    }

    /// Without path and cause.
    fn what(&self) -> String {
        let mut what = self.kind.words().to_owned();
        if !self.detail.is_empty() {
            if !what.is_empty() {
                what.push_str(": ");
            }
            what.push_str(&self.detail);
        }
        if let Some(position) = self.position {
            let space = if what.is_empty() { "" } else { " " };
            what = format!("{what}{space}({position})");
        }
        what
    }

    /// Where in the file.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        self.position
    }
}

/// `PATH: WHAT: MORE (POSITION)`; of an error of the operating system the path alone, and the cause
/// is in [`source`](Error::source).
impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what();
        match &self.path {
            Some(path) if what.is_empty() => write!(f, "{}", Shown(path)),
            Some(path) => write!(f, "{}: {what}", Shown(path)),
            None if what.is_empty() => f.write_str("could not read"),
            None => f.write_str(&what),
        }
    }
}

/// A path as a message names it: whole, harmless to a terminal, and of a monstrous one the end,
/// where the file is.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 1 << 10;
        let text = self.0.to_string_lossy();
        let start =
            (text.len().saturating_sub(MOST)..text.len()).find(|at| text.is_char_boundary(*at));
        let end = &text[start.unwrap_or(0)..];
        if end.len() < text.len() {
            f.write_str("…")?;
        }
        for part in end.split_inclusive(char::is_control) {
            let harmless = part.trim_end_matches(char::is_control);
            f.write_str(harmless)?;
            write!(f, "{}", part[harmless.len()..].escape_debug())?;
        }
        Ok(())
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

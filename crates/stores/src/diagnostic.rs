use std::path::{Path, PathBuf};

use sref_session::Loss;

/// Something in a store that costs at most one session: what was skipped, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What was found.
    pub kind: DiagnosticKind,
    /// The file or directory.
    pub path: PathBuf,
    /// More about it; may be empty.
    pub detail: String,
    /// How many there are of what the kind names, where that is counted.
    pub count: Option<u64>,
}

impl Diagnostic {
    pub(crate) fn new(kind: DiagnosticKind, path: &Path, detail: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.to_owned(),
            detail: detail.into(),
            count: None,
        }
    }

    pub(crate) fn counted(kind: DiagnosticKind, path: &Path, count: u64) -> Self {
        Self {
            count: Some(count),
            ..Self::new(kind, path, count.to_string())
        }
    }

    /// What it says to who reads the session, if words may be missing over it. Unlike the detail it
    /// quotes nothing of the log.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        if !self.kind.loses_words() {
            return None;
        }
        let reason = self.kind.explanation();
        Some(match (self.kind, self.count) {
            // Where it was cut off, in our own words.
            (DiagnosticKind::CutOff | DiagnosticKind::BadBase, _) => {
                Loss::new(self.code(), &format!("{reason}: {}", self.detail))
            }
            (_, Some(count)) => Loss::new(self.code(), reason).counted(count),
            (_, None) => Loss::new(self.code(), reason),
        })
    }

    /// Shorthand for `self.kind.code()`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// What a [`Diagnostic`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A log directly in a project directory: the layout of old builds.
    FlatLog,
    /// A log in an encoding that this store does not read.
    OtherEncoding,
    /// The same log in both encodings.
    Ambiguous,
    /// A packed log whose first frame is not exactly its header line.
    BadFrame,
    /// A log of a format that this store does not read.
    NewerFormat,
    /// A file without a session header in its first line.
    NoHeader,
    /// A header with a member that was retired.
    RetiredHeader,
    /// A header that names another format than its file.
    WrongVersion,
    /// A header that names another place than the one where its log lies.
    Misplaced,
    /// A second log with the id of another one.
    DuplicateId,
    /// A row of a database that is no session.
    BadRow,
    /// A file or directory that cannot be read.
    Unreadable,
    /// A symbolic link, which is not followed.
    Link,
    /// A pipe, a socket or a device in the place of a log.
    Special,
    /// A log in which nobody says anything.
    NoConversation,
    /// An old copy: all its records are in another log.
    Copy,
    /// A log continues one that is not there, or is the last of too many.
    MissingBase,
    /// A log that begins with a copy of another thread's, which is shown with it.
    Inherited,
    /// Records of a type or shape, or by a writer, that this reader does not know, and their number.
    UnknownRecords,
    /// Records, or parts of them, in a form that this reader does not know and with words in them, or
    /// with words that are too long for it, and their number.
    UnknownWords,
    /// Records with the id of a later one and other words, and their number: the last one counts.
    SameIds,
    /// What a log says of the one that it continues cannot be so; the detail is in our own words.
    BadBase,
    /// Conversations in one log beside the one that is shown, each with a beginning of its own, and
    /// their number.
    OtherRoots,
    /// Lines that are no JSON, and their number.
    BadLines,
    /// A bad line, from which on the log was not read.
    CutOff,
    /// Lines beyond the cap, and their number.
    LongLines,
    /// Lines that could be read after a repair, and their number.
    RepairedLines,
    /// A packed log with bytes in it that cannot be unpacked.
    DamagedFrame,
    /// A packed log that ends inside a frame: what was packed is not all there.
    TornFrame,
    /// A last line without an end.
    TornTail,
    /// Records that name one before them which is not there, and their number.
    Gaps,
    /// Records that name themselves, or one behind them, as the one before, and their number.
    Circles,
}

impl DiagnosticKind {
    /// The stable name. Wording may change in a patch release; a code never does.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.row().0
    }

    /// The rule behind it, in `docs/` and the specifications.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        self.row().1
    }

    /// One sentence for a person.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        self.row().2
    }

    /// Whether the reference fails the whole listing over it (`spec/dsh-store.md` 4.4), as
    /// [`Mode::Strict`](crate::Mode::Strict) does.
    #[must_use]
    pub const fn fails_listing(self) -> bool {
        match self {
            Self::FlatLog
            | Self::OtherEncoding
            | Self::Ambiguous
            | Self::BadFrame
            | Self::RetiredHeader
            | Self::WrongVersion
            | Self::Misplaced
            | Self::DuplicateId
            | Self::BadRow
            | Self::Unreadable => true,
            Self::NewerFormat
            | Self::NoHeader
            | Self::Link
            | Self::Special
            | Self::NoConversation
            | Self::Copy
            | Self::MissingBase
            | Self::Inherited
            | Self::UnknownRecords
            | Self::UnknownWords
            | Self::SameIds
            | Self::BadBase
            | Self::OtherRoots
            | Self::BadLines
            | Self::CutOff
            | Self::LongLines
            | Self::RepairedLines
            | Self::DamagedFrame
            | Self::TornFrame
            | Self::TornTail
            | Self::Gaps
            | Self::Circles => false,
        }
    }

    /// Whether a session in which it was found may lack words that were once said.
    ///
    /// A last line without an end is among them: nobody can tell whether its writer is at it or was
    /// stopped, and its explanation says both.
    #[must_use]
    pub const fn loses_words(self) -> bool {
        matches!(
            self,
            Self::BadLines
                | Self::UnknownWords
                | Self::SameIds
                | Self::BadBase
                | Self::CutOff
                | Self::LongLines
                | Self::DamagedFrame
                | Self::TornFrame
                | Self::TornTail
                | Self::Gaps
                | Self::MissingBase
        )
    }

    #[rustfmt::skip]
    const fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::FlatLog => ("store.flat-log", "dsh-store 4.4", "a log of the old layout, directly in a project directory"),
            Self::OtherEncoding => ("store.encoding", "dsh-store 4.4", "a log in an encoding that this store does not read"),
            Self::Ambiguous => ("store.ambiguous", "dsh-newer 9", "one session in both encodings"),
            Self::BadFrame => ("store.frame", "dsh-store 4.4", "the first frame is not exactly the header line"),
            Self::NewerFormat => ("store.format", "dsh-newer 2", "a log written by a newer harness"),
            Self::NoHeader => ("store.header", "dsh-store 4.2", "no session header in the first line"),
            Self::RetiredHeader => ("store.retired-header", "dsh-store 4.2", "a header with a retired member"),
            Self::WrongVersion => ("store.version", "dsh-newer 2", "a header of another format than the file's name says"),
            Self::Misplaced => ("store.misplaced", "dsh-store 4.4", "a header that belongs to another directory"),
            Self::DuplicateId => ("store.duplicate-id", "dsh-store 4.4", "another log has the same id; the newest is kept"),
            Self::BadRow => ("store.row", "dsh-store 5.2", "a row that is no session"),
            Self::Unreadable => ("store.unreadable", "dsh-store 4.4", "cannot be read"),
            Self::Link => ("store.link", "dsh-store 4.4", "a symbolic link is not followed"),
            Self::Special => ("store.special-file", "dsh-store 4.4", "a pipe, a socket or a device is never opened"),
            Self::NoConversation => ("store.no-conversation", "agent-logs 2.8", "nobody says anything in it"),
            Self::Copy => ("store.copy", "agent-logs 2.9", "an old copy of another log"),
            Self::MissingBase => ("store.missing-base", "agent-logs 3.7", "the log that it continues is not there, or too many logs back"),
            Self::Inherited => ("store.inherited", "agent-logs 3.7", "it begins with a copy of another thread, which is shown with it"),
            Self::UnknownRecords => ("store.unknown-records", "agent-logs 3.2", "records that this version does not know"),
            Self::UnknownWords => ("store.unknown-words", "agent-logs 1.2", "words in a form that this version does not know, or too long for it, were passed over"),
            Self::SameIds => ("store.same-ids", "agent-logs 2.6", "records with one id and different words; the last one is shown"),
            Self::BadBase => ("store.bad-base", "agent-logs 3.7", "what it says of the log that it continues cannot be so"),
            Self::OtherRoots => ("store.other-roots", "agent-logs 2.6", "the log has other conversations, which nothing joins to the one that is shown"),
            Self::BadLines => ("store.bad-lines", "agent-logs 1.2", "lines that are no JSON were passed over"),
            Self::CutOff => ("store.cut-off", "dsh-store 4.3", "what stands behind a bad line was not read, as the harness does not read it"),
            Self::LongLines => ("store.long-lines", "agent-logs 1.2", "oversized lines were passed over"),
            Self::RepairedLines => ("store.repaired-lines", "agent-logs 1.2", "lines were read after a repair"),
            Self::DamagedFrame => ("store.damaged-frame", "agent-logs 3.9", "the packed log is damaged, and what cannot be unpacked is gone"),
            Self::TornFrame => ("store.torn-frame", "agent-logs 3.9", "the packed log was cut off, and what stood behind the cut is gone"),
            Self::TornTail => ("store.torn-tail", "agent-logs 1.2", "the last line has no end: its writer was stopped, or is at it"),
            Self::Gaps => ("store.gaps", "agent-logs 2.6", "records before these are not there"),
            Self::Circles => ("store.circles", "agent-logs 2.6", "records that follow themselves stand in the order of the file"),
        }
    }
}

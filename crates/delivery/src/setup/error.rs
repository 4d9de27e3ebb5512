use sref_session::json::JsonError;
use thiserror::Error;

/// Why the text of a configuration file is left as it is.
///
/// It quotes nothing of the file: configuration holds keys and tokens.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct SetupError(#[from] SetupErrorKind);

/// The reasons behind a [`SetupError`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupErrorKind {
    /// The file is no JSON, comments and trailing commas aside.
    #[error("not JSON: {0}")]
    Json(JsonError),
    /// The agent takes no comments, trailing commas or byte order mark in this file, and reads nothing
    /// of it.
    ///
    /// Where the first of them is, in bytes.
    #[error(
        "the agent reads this file as plain JSON, which has no comments, no trailing commas and no byte order mark"
    )]
    PlainJson(usize),
    /// The agent takes comments in this file, but no trailing commas and no byte order mark, and reads
    /// nothing of it.
    ///
    /// Where the first of them is, in bytes.
    #[error(
        "the agent reads this file as JSON with comments, which has no trailing commas and no byte order mark"
    )]
    JsonWithComments(usize),
    /// The file is no TOML.
    #[error("not TOML (byte {0})")]
    Toml(usize),
    /// Something else stands where the entry belongs.
    #[error("`{path}` is not {expected}")]
    Shape {
        /// The member.
        path: &'static str,
        /// What an agent expects there, and what a person can do about it.
        expected: &'static str,
        /// Where its value begins, in bytes.
        at: usize,
    },
    /// The name of the entry is taken by something that is not of sref.
    #[error("{0} is there already and not of sref")]
    Taken(&'static str),
}

impl SetupErrorKind {
    /// The stable name of this reason.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "setup.json",
            Self::PlainJson(_) => "setup.plain-json",
            Self::JsonWithComments(_) => "setup.json-comments",
            Self::Toml(_) => "setup.toml",
            Self::Shape { .. } => "setup.shape",
            Self::Taken(_) => "setup.taken",
        }
    }

    /// Where in the text the fault is, in bytes, if it is at one place.
    #[must_use]
    pub const fn offset(&self) -> Option<usize> {
        match self {
            Self::Json(error) => Some(error.offset()),
            Self::PlainJson(at)
            | Self::JsonWithComments(at)
            | Self::Toml(at)
            | Self::Shape { at, .. } => Some(*at),
            Self::Taken(_) => None,
        }
    }
}

impl SetupError {
    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> &SetupErrorKind {
        &self.0
    }

    /// Shorthand for `self.kind().code()`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.0.code()
    }

    /// Shorthand for `self.kind().offset()`.
    #[must_use]
    pub const fn offset(&self) -> Option<usize> {
        self.0.offset()
    }
}

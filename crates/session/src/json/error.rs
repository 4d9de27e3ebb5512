use thiserror::Error;

/// Why bytes are not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind} (byte {offset})")]
pub struct JsonError {
    kind: JsonErrorKind,
    offset: usize,
}

/// The reasons behind a [`JsonError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The input ends inside a value.
    #[error("unexpected end of JSON")]
    End,
    /// A byte that cannot stand here.
    #[error("unexpected byte in JSON")]
    Unexpected,
    /// An escape that JSON does not know.
    #[error("bad escape in a JSON string")]
    Escape,
    /// A control character inside a string.
    #[error("control character in a JSON string")]
    Control,
    /// More levels than a tree may have; a [`Scanner`](super::Scanner) has no such limit.
    #[error("JSON nested too deeply")]
    TooDeep,
    /// A value of another type than the caller asked for.
    #[error("JSON value of another type")]
    Type,
}

impl JsonError {
    pub(crate) const fn new(kind: JsonErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// The byte offset at which reading stopped.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

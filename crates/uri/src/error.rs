use thiserror::Error;

/// Why a text is no session reference, and where.
///
/// It holds no copy of the text: references can carry private paths, and the caller has the text
/// already.
///
/// ```
/// use sref_uri::{Schemes, SessionUri, UriErrorKind};
///
/// let error = SessionUri::parse("dsh-session:ImEi=".into(), &Schemes::default()).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (UriErrorKind::Payload, 16));
/// assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_REFERENCE");
/// assert_eq!(error.reason(), "uri.payload");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind} (byte {offset})")]
pub struct UriError {
    kind: UriErrorKind,
    offset: usize,
}

/// The reasons behind a [`UriError`], in the order in which they are looked for.
///
/// New reasons can appear in any minor release, so a `match` needs a wildcard arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UriErrorKind {
    /// The text does not begin with an accepted scheme, in lower case.
    #[error("expected the scheme of a session reference")]
    Scheme,
    /// The payload is empty or has a byte outside `[A-Za-z0-9_-]`; padding is such a byte.
    #[error("expected a payload of base64url characters")]
    Payload,
    /// The payload has a length that base64 never has, or bits left over that are not zero.
    #[error("the payload is not the base64url form of any bytes")]
    Base64,
    /// The bytes behind the payload are not UTF-8.
    #[error("the payload does not hold UTF-8")]
    Utf8,
    /// The text behind the payload is not one JSON string.
    #[error("the payload does not hold a JSON string")]
    Json,
    /// The JSON string is not spelled as `JSON.stringify` spells it: a needless escape, white
    /// space around it.
    #[error("the JSON string in the payload is not spelled canonically")]
    Spelling,
}

impl UriErrorKind {
    /// The stable name of this reason, for logs.
    ///
    /// Wording may change in a patch release; a name never does.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Scheme => "uri.scheme",
            Self::Payload => "uri.payload",
            Self::Base64 => "uri.base64",
            Self::Utf8 => "uri.utf8",
            Self::Json => "uri.json",
            Self::Spelling => "uri.spelling",
        }
    }
}

impl UriError {
    pub(crate) const fn new(kind: UriErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// The same error, seen from a text in which the faulty part starts at `start`.
    pub(crate) const fn within(self, start: usize) -> Self {
        Self::new(self.kind, start + self.offset)
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> UriErrorKind {
        self.kind
    }

    /// The byte offset at which reading stopped, in the text that was given to be read.
    ///
    /// For what is wrong behind the payload it is the character that holds the first bit of it.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The stable code that all harnesses use for a reference that cannot be read.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "SESSION_REFERENCE_INVALID_REFERENCE"
    }

    /// Shorthand for `self.kind().reason()`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.kind.reason()
    }
}

use std::error::Error as StdError;

use sref_projection::BudgetError;
use sref_query::{BoxError, QueryError};
use sref_session::SessionId;
use sref_uri::UriError;
use thiserror::Error;

/// Why a session reference could not be resolved.
///
/// Facts stand in the variants, causes in [`source`](std::error::Error::source). Messages quote
/// foreign text only as an [`Excerpt`](sref_session::Excerpt).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// A configuration value is out of range or of another type.
    #[error("`{option}` must be a positive integer within its range")]
    InvalidConfig {
        /// The member, as JSON spells it.
        option: &'static str,
    },
    /// The number of candidates asked for is no positive integer.
    #[error("the number of candidates must be a positive integer")]
    InvalidLimit,
    /// A request from an untyped host lacks a member or has it of another type.
    #[error("the request needs `{member}` of its own type")]
    InvalidRequest {
        /// The member, as JSON spells it.
        member: &'static str,
    },
    /// A reference from an untyped host is no object with a string `sessionId` and, if any, a
    /// string `label`.
    #[error("reference {index} needs a string `sessionId` and may have a string `label`")]
    InvalidReference {
        /// Its place among the references, from 0.
        index: usize,
    },
    /// A text holds a mention or a URI that names no session.
    #[error("message {message}, block {block} has a malformed session reference")]
    InvalidMention {
        /// The place of the message among those given, from 0.
        message: usize,
        /// The place of the text block in its message, from 0.
        block: usize,
        /// What is wrong, and where in the block's text.
        source: UriError,
    },
    /// A session cites itself.
    #[error("session {} cites itself", session_id.as_js_str().excerpt())]
    SelfReference {
        /// The session.
        session_id: SessionId,
    },
    /// A message cites more sessions than it may.
    #[error("{found} sessions cited in one message, {max} allowed")]
    TooMany {
        /// How many different sessions it cites.
        found: usize,
        /// How many it may cite.
        max: usize,
    },
    /// The sessions could not be listed.
    #[error("the sessions could not be listed")]
    ListFailed {
        /// What the store said.
        source: BoxError,
    },
    /// A cited session could not be read, or does not exist.
    #[error("session {} could not be read", session_id.as_js_str().excerpt())]
    ReadFailed {
        /// The session.
        session_id: SessionId,
        /// What the store said.
        source: BoxError,
    },
    /// What a reference must carry at least is bigger than its budget.
    #[error("session {} does not fit its budget", session_id.as_js_str().excerpt())]
    BudgetExceeded {
        /// The session.
        session_id: SessionId,
        /// The sizes.
        source: BudgetError,
    },
    /// The caller's token was cancelled.
    #[error("session reference was cancelled")]
    Cancelled,
}

impl ReferenceError {
    /// The stable name of the error, the same as the seeds give it.
    ///
    /// Wording may change in a patch release; a code never does.
    ///
    /// ```
    /// use sref_service::ReferenceError;
    ///
    /// assert_eq!(ReferenceError::Cancelled.code(), "SESSION_REFERENCE_CANCELLED");
    /// ```
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidConfig { .. } => "SESSION_REFERENCE_INVALID_CONFIG",
            // The seeds have no better one for the first two.
            Self::InvalidLimit
            | Self::InvalidRequest { .. }
            | Self::InvalidReference { .. }
            | Self::InvalidMention { .. } => "SESSION_REFERENCE_INVALID_REFERENCE",
            Self::SelfReference { .. } => "SESSION_REFERENCE_SELF_REFERENCE",
            Self::TooMany { .. } => "SESSION_REFERENCE_TOO_MANY",
            Self::ListFailed { .. } | Self::ReadFailed { .. } => "SESSION_REFERENCE_READ_FAILED",
            Self::BudgetExceeded { .. } => "SESSION_REFERENCE_BUDGET_EXCEEDED",
            Self::Cancelled => "SESSION_REFERENCE_CANCELLED",
        }
    }
}

/// An error and its causes in one line, nothing said twice: that a store could not be read says
/// less than why, and is left out between an error and its cause.
///
/// ```
/// use sref_query::QueryError;
/// use sref_service::{ReferenceError, with_causes};
///
/// let source = std::io::Error::other("disk gone").into();
/// let source = QueryError::PersistenceFailed { source }.into();
/// let error = ReferenceError::ReadFailed { session_id: "a".into(), source };
/// assert_eq!(with_causes(&error), "session \"a\" could not be read: disk gone");
/// ```
#[must_use]
pub fn with_causes(error: &dyn StdError) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(own) = cause {
        cause = own.source();
        let of_a_store = matches!(
            own.downcast_ref(),
            Some(QueryError::PersistenceFailed { .. })
        );
        if !(of_a_store && cause.is_some()) {
            message += ": ";
            message += &own.to_string();
        }
    }
    message
}

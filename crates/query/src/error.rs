use sref_session::SessionId;
use thiserror::Error;

use crate::BoxError;

/// Why a store could not answer.
///
/// Stores may have errors of their own; this one carries the codes that the harness has for the
/// cases that all stores share (`spec/dsh-store.md` 6.5). Causes stand in
/// [`source`](std::error::Error::source), never in the message.
///
/// ```
/// use sref_query::QueryError;
///
/// let error = QueryError::SessionNotFound { id: "s-1".into() };
/// assert_eq!(error.code(), "SESSION_QUERY_SESSION_NOT_FOUND");
/// assert_eq!(error.to_string(), "no session \"s-1\"");
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No session of this id is listed.
    #[error("no session {}", id.as_js_str().excerpt())]
    SessionNotFound {
        /// The id asked for.
        id: SessionId,
    },
    /// The store could not be read: it failed as a whole, or one log did for a reason that is not
    /// in the log.
    #[error("the session store could not be read")]
    PersistenceFailed {
        /// What failed.
        source: BoxError,
    },
    /// The log of a session is damaged.
    #[error("the log of session {} is damaged", id.as_js_str().excerpt())]
    CorruptSession {
        /// Whose log.
        id: SessionId,
        /// What is wrong with it.
        source: BoxError,
    },
    /// What the store lists of a session and what its log says do not agree.
    #[error("session {} is not the one that was listed", id.as_js_str().excerpt())]
    SourceConflict {
        /// Which session.
        id: SessionId,
    },
    /// The events of a session do not fold into a surface.
    #[error("session {} has no valid surface", id.as_js_str().excerpt())]
    InvalidSurface {
        /// Which session.
        id: SessionId,
        /// The event that does not fit.
        source: BoxError,
    },
    /// The caller's token was cancelled before the answer was complete.
    #[error("the session query was cancelled")]
    Aborted,
}

impl QueryError {
    /// The stable name of the error.
    ///
    /// Wording may change in a patch release; a code never does.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SessionNotFound { .. } => "SESSION_QUERY_SESSION_NOT_FOUND",
            Self::PersistenceFailed { .. } => "SESSION_QUERY_PERSISTENCE_FAILED",
            Self::CorruptSession { .. } => "SESSION_QUERY_CORRUPT_SESSION",
            Self::SourceConflict { .. } => "SESSION_QUERY_SOURCE_CONFLICT",
            Self::InvalidSurface { .. } => "SESSION_QUERY_INVALID_SURFACE",
            Self::Aborted => "SESSION_QUERY_ABORTED",
        }
    }
}

use core::fmt;

use crate::{JsStr, JsString};

/// The id of a session: any JavaScript string, opaque to everything but the store that wrote it.
///
/// It may be empty, a path, a megabyte long or half an emoji. Never build a path from one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(JsString);

impl SessionId {
    /// Takes any text as an id.
    pub fn new(id: impl Into<JsString>) -> Self {
        Self(id.into())
    }

    /// The id's text.
    #[must_use]
    pub const fn as_js_string(&self) -> &JsString {
        &self.0
    }

    /// The id's text, borrowed.
    #[must_use]
    pub fn as_js_str(&self) -> JsStr<'_> {
        self.0.as_js_str()
    }

    /// The id's text, by value.
    #[must_use]
    pub fn into_js_string(self) -> JsString {
        self.0
    }
}

impl From<&str> for SessionId {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<JsString> for SessionId {
    fn from(id: JsString) -> Self {
        Self(id)
    }
}

/// Lossy and not escaped: for comparing in tests, not for a terminal.
impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a session's log says of it at the top (`spec/dsh-store.md` 1.1).
///
/// Absent members are unknown. Stores of other agents fill what their logs have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionHeader {
    /// Which session.
    pub id: SessionId,
    /// The log format, where the store numbers its formats.
    pub version: Option<u64>,
    /// When the session began, in milliseconds since 1970.
    pub created_at: i64,
    /// The working directory; absent = no project.
    pub cwd: Option<JsString>,
    /// The session this one was forked or spawned from. It need not exist.
    pub parent_session: Option<SessionId>,
    /// How many leading events were copied from the parent (formats 0 and 1).
    pub seed_length: Option<u64>,
    /// Whether events were copied from a parent (formats 2 and up).
    pub is_seeded: Option<bool>,
    /// `subagent`, where the log says so.
    pub origin: Option<JsString>,
    /// How many agents deep the session was started.
    pub delegation_depth: Option<u64>,
    /// The preset the session was started with.
    pub agent_preset: Option<JsString>,
}

impl SessionHeader {
    /// A header with the two facts that every session has.
    pub fn new(id: impl Into<SessionId>, created_at: i64) -> Self {
        Self {
            id: id.into(),
            version: None,
            created_at,
            cwd: None,
            parent_session: None,
            seed_length: None,
            is_seeded: None,
            origin: None,
            delegation_depth: None,
            agent_preset: None,
        }
    }
}

use std::borrow::Cow;

use sref_session::{JsString, SessionHeader};

/// One session of a listing: its header, and what the store knows of it without reading it.
///
/// Absent members are unknown, not empty.
///
/// ```
/// use sref_query::SessionRecord;
/// use sref_session::SessionHeader;
///
/// let mut record = SessionRecord::new(SessionHeader::new("claude:5f0c", 1_780_000_000_000));
/// record.agent = Some("claude".into());
/// assert_eq!(record.updated_at, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// What the log says of itself.
    pub header: SessionHeader,
    /// The kind of agent that wrote the log: `dsh`, `claude`, `codex`, …
    pub agent: Option<Cow<'static, str>>,
    /// When the session was last written to, in milliseconds since 1970.
    pub updated_at: Option<i64>,
    /// The size of the log as it is stored, in bytes.
    pub size_bytes: Option<u64>,
    /// The title, where the listing has it at hand.
    pub title: ListedTitle,
    /// Whether another agent started the session, so that a person may never have seen it.
    pub is_subagent: bool,
    /// Whether the person has put the session away.
    pub is_archived: bool,
}

impl SessionRecord {
    /// A record of which only the header is known.
    #[must_use]
    pub const fn new(header: SessionHeader) -> Self {
        Self {
            header,
            agent: None,
            updated_at: None,
            size_bytes: None,
            title: ListedTitle::Unread,
            is_subagent: false,
            is_archived: false,
        }
    }

    /// When something last happened in the session, as far as it is known: when it was last written
    /// to, else when it began. In milliseconds since 1970.
    ///
    /// What a person means by a recent session. A listing has an order of its own, by beginning
    /// ([`SessionQuery`](crate::SessionQuery)).
    ///
    /// ```
    /// use sref_query::SessionRecord;
    /// use sref_session::SessionHeader;
    ///
    /// let mut record = SessionRecord::new(SessionHeader::new("claude:5f0c", 1));
    /// assert_eq!(record.last_activity(), 1);
    /// record.updated_at = Some(7);
    /// assert_eq!(record.last_activity(), 7);
    /// ```
    #[must_use]
    pub const fn last_activity(&self) -> i64 {
        match self.updated_at {
            Some(updated_at) => updated_at,
            None => self.header.created_at,
        }
    }
}

/// What a listing tells of a session's title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is known or it is not")]
pub enum ListedTitle {
    /// Nothing: who needs it asks [`titles`](crate::SessionQuery::titles).
    #[default]
    Unread,
    /// What `titles` would answer now, so that nobody has to ask.
    Known(Option<JsString>),
}

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
    /// A title that came with the listing. It may be older than the one that
    /// [`titles`](crate::SessionQuery::titles) gives, which is the one that labels use.
    pub title_hint: Option<JsString>,
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
            title_hint: None,
            is_subagent: false,
            is_archived: false,
        }
    }
}

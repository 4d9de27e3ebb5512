use std::fmt;
use std::sync::Arc;

use sref_envelope::{Frame, Profile};
use sref_projection::Retention;
use sref_query::SessionRecord;
use sref_session::{Dialect, JsString};
use sref_uri::{MentionOptions, Schemes};

use crate::{Config, Search};

/// Resolves session references against one source of sessions (`contract.md` §8).
///
/// The defaults are the library's: the dialect of DeepSeek Harness, [`Retention::Fair`],
/// [`Profile::Plain`], the mention rules of the seeds, [`Search::Lowercase`]. A program that talks
/// to people turns on what is friendlier:
///
/// ```
/// use sref_envelope::Profile;
/// use sref_query::MemoryCorpus;
/// use sref_service::{Config, SessionReferenceResolver};
/// use sref_uri::MentionOptions;
///
/// let resolver = SessionReferenceResolver::new(MemoryCorpus::new(), Config::default())
///     .with_profile(Profile::Hardened)
///     .with_mention_options(MentionOptions::friendly());
/// # let _ = resolver;
/// ```
///
/// All methods take `&self`; one resolver serves any number of calls at once.
#[derive(Clone)]
pub struct SessionReferenceResolver<Q> {
    query: Q,
    config: Config,
    dialect: Dialect,
    schemes: Option<Schemes>,
    mentions: MentionOptions,
    search: Search,
    subagents: bool,
    archived: bool,
    retention: Retention,
    profile: Profile,
    frame: Frame,
    shared_budget: Option<usize>,
    message_ids: Arc<dyn Fn() -> JsString + Send + Sync>,
}

impl<Q> SessionReferenceResolver<Q> {
    /// A resolver over a query, with the defaults of the library.
    pub fn new(query: Q, config: Config) -> Self {
        Self {
            query,
            config,
            dialect: Dialect::default(),
            schemes: None,
            mentions: MentionOptions::default(),
            search: Search::default(),
            subagents: true,
            archived: true,
            retention: Retention::default(),
            profile: Profile::default(),
            frame: Frame::default(),
            shared_budget: None,
            message_ids: Arc::new(|| uuid::Uuid::new_v4().to_string().into()),
        }
    }

    /// Sets the dialect: the scheme of mentions, the place of snapshots, the checkpoint markers.
    /// Default: [`Dialect::DSH`].
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the schemes that mentions may have. Default: the dialect's alone.
    #[must_use]
    pub fn with_schemes(mut self, schemes: Schemes) -> Self {
        self.schemes = Some(schemes);
        self
    }

    /// Sets how mentions are found in texts. Default: the rules of the seeds.
    #[must_use]
    pub fn with_mention_options(mut self, mentions: MentionOptions) -> Self {
        self.mentions = mentions;
        self
    }

    /// Sets how candidates are searched. Default: [`Search::Lowercase`].
    #[must_use]
    pub fn with_search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Sets whether sessions that another agent started are candidates. Default: they are.
    #[must_use]
    pub fn with_subagents(mut self, subagents: bool) -> Self {
        self.subagents = subagents;
        self
    }

    /// Sets whether sessions that were put away are candidates. Default: they are.
    #[must_use]
    pub fn with_archived(mut self, archived: bool) -> Self {
        self.archived = archived;
        self
    }

    /// Sets what is kept of a conversation that does not fit. Default: [`Retention::Fair`].
    #[must_use]
    pub fn with_retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Sets how strings are escaped. Default: [`Profile::Plain`].
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets the words around the snapshots. Default: those of `contract.md` §7.
    #[must_use]
    pub fn with_frame(mut self, frame: Frame) -> Self {
        self.frame = frame;
        self
    }

    /// Sets one budget for all references of a message together, in bytes of their rendered
    /// objects, shared by need; each stays within the budget of one. Default: none.
    #[must_use]
    pub fn with_shared_budget(mut self, total: Option<usize>) -> Self {
        self.shared_budget = total;
        self
    }

    /// Sets where the ids of context messages come from. They must differ from all ids that the
    /// host has. Default: random UUIDs (version 4).
    #[must_use]
    pub fn with_message_ids(mut self, next: impl Fn() -> JsString + Send + Sync + 'static) -> Self {
        self.message_ids = Arc::new(next);
        self
    }

    /// The source of sessions.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// The limits.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The dialect.
    #[must_use]
    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    pub(crate) const fn search(&self) -> Search {
        self.search
    }

    pub(crate) const fn retention(&self) -> Retention {
        self.retention
    }

    pub(crate) const fn profile(&self) -> Profile {
        self.profile
    }

    pub(crate) const fn frame(&self) -> &Frame {
        &self.frame
    }

    pub(crate) const fn shared_budget(&self) -> Option<usize> {
        self.shared_budget
    }

    pub(crate) const fn mentions(&self) -> &MentionOptions {
        &self.mentions
    }

    pub(crate) fn schemes(&self) -> Schemes {
        self.schemes
            .clone()
            .unwrap_or_else(|| Schemes::from(&self.dialect))
    }

    pub(crate) fn lists(&self, record: &SessionRecord) -> bool {
        (self.subagents || !record.is_subagent) && (self.archived || !record.is_archived)
    }

    pub(crate) fn next_message_id(&self) -> JsString {
        (self.message_ids)()
    }
}

/// Without the query and the source of ids, which need not be printable.
impl<Q> fmt::Debug for SessionReferenceResolver<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionReferenceResolver")
            .field("config", &self.config)
            .field("dialect", &self.dialect)
            .field("mentions", &self.mentions)
            .field("search", &self.search)
            .field("subagents", &self.subagents)
            .field("archived", &self.archived)
            .field("retention", &self.retention)
            .field("profile", &self.profile)
            .field("frame", &self.frame)
            .field("shared_budget", &self.shared_budget)
            .finish_non_exhaustive()
    }
}

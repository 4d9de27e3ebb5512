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
    settings: Settings,
}

/// All that does not depend on the source.
#[derive(Clone)]
struct Settings {
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
        let settings = Settings {
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
        };
        Self { query, settings }
    }

    /// A resolver with the same settings over another query: over a part of the same sessions, say.
    ///
    /// ```
    /// use sref_query::MemoryCorpus;
    /// use sref_service::{Config, SessionReferenceResolver};
    ///
    /// let config = Config::default().with_max_references(1)?;
    /// let resolver = SessionReferenceResolver::new(MemoryCorpus::new(), config);
    /// assert_eq!(*resolver.over(MemoryCorpus::new()).config(), config);
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub fn over<P>(&self, query: P) -> SessionReferenceResolver<P> {
        SessionReferenceResolver {
            query,
            settings: self.settings.clone(),
        }
    }

    /// Sets the dialect: the scheme of mentions, the place of snapshots, the checkpoint markers.
    /// Default: [`Dialect::DSH`].
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.settings.dialect = dialect;
        self
    }

    /// Sets the schemes that mentions may have. Default: the dialect's alone.
    #[must_use]
    pub fn with_schemes(mut self, schemes: Schemes) -> Self {
        self.settings.schemes = Some(schemes);
        self
    }

    /// Sets how mentions are found in texts. Default: the rules of the seeds.
    #[must_use]
    pub fn with_mention_options(mut self, mentions: MentionOptions) -> Self {
        self.settings.mentions = mentions;
        self
    }

    /// Sets how candidates are searched. Default: [`Search::Lowercase`].
    #[must_use]
    pub fn with_search(mut self, search: Search) -> Self {
        self.settings.search = search;
        self
    }

    /// Sets whether sessions that another agent started are candidates. Default: they are.
    #[must_use]
    pub fn with_subagents(mut self, subagents: bool) -> Self {
        self.settings.subagents = subagents;
        self
    }

    /// Sets whether sessions that were put away are candidates. Default: they are.
    #[must_use]
    pub fn with_archived(mut self, archived: bool) -> Self {
        self.settings.archived = archived;
        self
    }

    /// Sets what is kept of a conversation that does not fit. Default: [`Retention::Fair`].
    #[must_use]
    pub fn with_retention(mut self, retention: Retention) -> Self {
        self.settings.retention = retention;
        self
    }

    /// Sets how strings are escaped. Default: [`Profile::Plain`].
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.settings.profile = profile;
        self
    }

    /// Sets the words around the snapshots. Default: those of `contract.md` §7.
    #[must_use]
    pub fn with_frame(mut self, frame: Frame) -> Self {
        self.settings.frame = frame;
        self
    }

    /// Sets one budget for all references of a message together, in bytes of their rendered
    /// objects, shared by need; each stays within the budget of one. Default: none.
    #[must_use]
    pub fn with_shared_budget(mut self, total: Option<usize>) -> Self {
        self.settings.shared_budget = total;
        self
    }

    /// Sets where the ids of context messages come from. They must differ from all ids that the
    /// host has. Default: random UUIDs (version 4).
    #[must_use]
    pub fn with_message_ids(mut self, next: impl Fn() -> JsString + Send + Sync + 'static) -> Self {
        self.settings.message_ids = Arc::new(next);
        self
    }

    /// The source of sessions.
    pub const fn query(&self) -> &Q {
        &self.query
    }

    /// The limits.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.settings.config
    }

    /// The dialect.
    #[must_use]
    pub const fn dialect(&self) -> &Dialect {
        &self.settings.dialect
    }

    pub(crate) const fn search(&self) -> Search {
        self.settings.search
    }

    pub(crate) const fn retention(&self) -> Retention {
        self.settings.retention
    }

    /// How strings are escaped.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.settings.profile
    }

    pub(crate) const fn frame(&self) -> &Frame {
        &self.settings.frame
    }

    pub(crate) const fn shared_budget(&self) -> Option<usize> {
        self.settings.shared_budget
    }

    pub(crate) const fn mentions(&self) -> &MentionOptions {
        &self.settings.mentions
    }

    pub(crate) fn schemes(&self) -> Schemes {
        self.settings
            .schemes
            .clone()
            .unwrap_or_else(|| Schemes::from(&self.settings.dialect))
    }

    pub(crate) fn lists(&self, record: &SessionRecord) -> bool {
        (self.settings.subagents || !record.is_subagent)
            && (self.settings.archived || !record.is_archived)
    }

    pub(crate) fn next_message_id(&self) -> JsString {
        (self.settings.message_ids)()
    }
}

/// Without the query and the source of ids, which need not be printable.
impl<Q> fmt::Debug for SessionReferenceResolver<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionReferenceResolver")
            .field("config", &self.settings.config)
            .field("dialect", &self.settings.dialect)
            .field("mentions", &self.settings.mentions)
            .field("search", &self.settings.search)
            .field("subagents", &self.settings.subagents)
            .field("archived", &self.settings.archived)
            .field("retention", &self.settings.retention)
            .field("profile", &self.settings.profile)
            .field("frame", &self.settings.frame)
            .field("shared_budget", &self.settings.shared_budget)
            .finish_non_exhaustive()
    }
}

//! The library set to what the recordings were made with.

use sref::envelope::Profile;
use sref::projection::Retention;
use sref::query::SessionQuery;
use sref::service::{Config, ReferenceError, Search, SessionReferenceResolver};
use sref::session::Dialect;
use sref::session::json::Value;
use sref::uri::MentionOptions;

/// A resolver that does what the seeds do: exact retention, plain profile, the seeds' mention rules
/// and lower-case search (`contract.md` §3, §5, §6, §8).
pub(crate) fn resolver<Q: SessionQuery>(
    query: Q,
    config: &Value,
) -> Result<SessionReferenceResolver<Q>, ReferenceError> {
    Ok(
        SessionReferenceResolver::new(query, Config::from_json(config)?)
            .with_dialect(Dialect::DSH)
            .with_retention(Retention::Exact)
            .with_profile(Profile::Plain)
            .with_mention_options(MentionOptions::default())
            .with_search(Search::Lowercase),
    )
}

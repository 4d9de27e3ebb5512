use std::borrow::Cow;

use sref_query::{CancellationToken, ListedTitle, SessionQuery, SessionRecord};
use sref_session::json::{Object, Value};
use sref_session::{JsStr, JsString, SessionId};
use sref_uri::format_mention;

use crate::search::Matcher;
use crate::wait::race;
use crate::{Limit, ReferenceError, SessionReferenceResolver};

/// The session that cites others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "what ranks candidates: who asks, and where"
)]
pub struct Agent {
    /// Its id, which is no candidate.
    pub id: SessionId,
    /// Its working directory; sessions of the same one are listed first.
    pub cwd: Option<JsString>,
}

/// A title as the listing lends it, or as it was read.
type Title<'a> = Option<Cow<'a, JsString>>;

/// A session that can be cited.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// What the store lists of it.
    pub record: SessionRecord,
    /// Its title, when it has one that could be read. It may be empty.
    pub title: Option<JsString>,
    /// The text that cites it.
    pub mention: JsString,
}

impl Candidate {
    /// The session's id.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.record.header.id
    }

    /// What to call it: the title, or the id when there is none.
    #[must_use]
    pub fn label(&self) -> JsStr<'_> {
        label(&self.record, self.title.as_ref())
    }

    /// `{sessionId, label, cwd?, createdAt, mention}`, as the seeds' hosts take it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let header = &self.record.header;
        let mut out = Object::new()
            .with("sessionId", header.id.as_js_string().clone())
            .with("label", self.label().to_js_string());
        if let Some(cwd) = &header.cwd {
            out.set("cwd", cwd.clone());
        }
        out.with("createdAt", header.created_at)
            .with("mention", self.mention.clone())
            .into()
    }
}

fn label<'a>(record: &'a SessionRecord, title: Option<&'a JsString>) -> JsStr<'a> {
    title.unwrap_or(record.header.id.as_js_string()).as_js_str()
}

impl<Q: SessionQuery> SessionReferenceResolver<Q> {
    /// Lists the sessions that an agent can cite: those of its own directory first, then those
    /// without one, then the others, each in the order of the listing.
    ///
    /// Without a query (or with an empty one) only the titles of the sessions that are returned are
    /// read. With one, all titles are, and the sessions stay whose id, directory or label
    /// [matches](crate::Search). A title that cannot be read costs its session the title, nothing
    /// more. The agent itself is no candidate. Without a `limit` the configured one holds.
    ///
    /// # Errors
    ///
    /// - [`ReferenceError::Cancelled`] if `cancel` fires; a pending read is dropped.
    /// - [`ReferenceError::ListFailed`] if the sessions cannot be listed.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures::executor::block_on;
    /// use sref_query::{CancellationToken, MemoryCorpus, SessionRecord};
    /// use sref_service::{Agent, Config, SessionReferenceResolver};
    /// use sref_session::SessionHeader;
    ///
    /// let corpus = MemoryCorpus::new();
    /// corpus.insert(SessionRecord::new(SessionHeader::new("s-1", 1)));
    /// corpus.set_title("s-1", "Fix login");
    /// let resolver = SessionReferenceResolver::new(corpus, Config::default());
    ///
    /// let (agent, cancel) = (Agent { id: "me".into(), cwd: None }, CancellationToken::new());
    /// let found = block_on(resolver.candidates(&agent, Some("LOGIN".into()), None, &cancel))?;
    /// assert_eq!(found[0].label(), *"Fix login");
    /// assert_eq!(found[0].mention, "@[Fix login](dsh-session:InMtMSI)");
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub async fn candidates(
        &self,
        agent: &Agent,
        query: Option<JsStr<'_>>,
        limit: Option<Limit>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Candidate>, ReferenceError> {
        let limit = limit.map_or(self.config().candidate_limit(), Limit::get);
        let calls = cancel.child_token();
        let _stop = calls.drop_guard_ref();
        let records = race(cancel, self.query().list(&calls))
            .await?
            .map_err(|error| ReferenceError::ListFailed {
                source: error.into(),
            })?;
        let records = records
            .iter()
            .filter(|record| record.header.id != agent.id && self.lists(record));
        let affinity = |record: &SessionRecord| self.affinity(agent, record);

        let found: Vec<(&SessionRecord, Title<'_>)> =
            if let Some(query) = query.filter(|query| !query.is_empty()) {
                let records: Vec<&SessionRecord> = records.collect();
                let titles = self.titles(&records, cancel, &calls).await?;
                let mut matcher = Matcher::new(self.search(), query);
                rank(
                    records.into_iter().zip(titles),
                    limit,
                    |(record, _)| affinity(record),
                    |(record, title)| {
                        let texts = [
                            Some(record.header.id.as_js_string()),
                            record.header.cwd.as_ref(),
                            title.as_deref(),
                        ];
                        matcher.matches_any(texts.into_iter().flatten().map(JsString::as_js_str))
                    },
                )
            } else {
                let first = rank(records, limit, |record| affinity(record), |_| true);
                let titles = self.titles(&first, cancel, &calls).await?;
                first.into_iter().zip(titles).collect()
            };
        let candidate = |(record, title): (&SessionRecord, Title<'_>)| Candidate {
            mention: format_mention(
                &record.header.id,
                Some(label(record, title.as_deref())),
                self.dialect(),
            ),
            record: record.clone(),
            title: title.map(Cow::into_owned),
        };
        Ok(found.into_iter().map(candidate).collect())
    }

    /// The titles of records, in their order: those that the listing did not bring are read, in one
    /// batch.
    ///
    /// A batch that fails as a whole leaves its records without titles: a list of ids is of more
    /// use than none.
    async fn titles<'a>(
        &self,
        records: &[&'a SessionRecord],
        cancel: &CancellationToken,
        calls: &CancellationToken,
    ) -> Result<Vec<Title<'a>>, ReferenceError> {
        let unread: Vec<SessionId> = records
            .iter()
            .filter(|record| record.title == ListedTitle::Unread)
            .map(|record| record.header.id.clone())
            .collect();
        let mut read = Vec::new().into_iter();
        // Of no session the seeds ask too.
        if !unread.is_empty() || records.is_empty() {
            let titles = race(cancel, self.query().titles(&unread, calls)).await?;
            read = titles.unwrap_or_default().into_iter();
        }
        let mut title = |record: &&'a SessionRecord| match &record.title {
            ListedTitle::Known(title) => title.as_ref().map(Cow::Borrowed),
            ListedTitle::Unread => read.next()?.ok().flatten().map(Cow::Owned),
        };
        Ok(records.iter().map(&mut title).collect())
    }

    fn affinity(&self, agent: &Agent, record: &SessionRecord) -> Affinity {
        match (&agent.cwd, &record.header.cwd) {
            (Some(own), Some(cwd)) if self.search().same_directory(own, cwd) => Affinity::Same,
            (_, None) => Affinity::Unplaced,
            (_, Some(_)) => Affinity::Other,
        }
    }
}

/// Where a session stands, seen from the one that asks: in the same directory, in none, elsewhere.
#[derive(Clone, Copy)]
enum Affinity {
    Same,
    Unplaced,
    Other,
}

/// The first `limit` items that are kept, nearest first, each kind in its order.
fn rank<T>(
    items: impl IntoIterator<Item = T>,
    limit: usize,
    affinity: impl Fn(&T) -> Affinity,
    mut keep: impl FnMut(&T) -> bool,
) -> Vec<T> {
    let mut ranks: [Vec<T>; 3] = Default::default();
    for item in items {
        let rank = &mut ranks[affinity(&item) as usize];
        // What is beyond the limit of its own rank is not even looked at.
        if rank.len() < limit && keep(&item) {
            rank.push(item);
        }
    }
    ranks.into_iter().flatten().take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A keystroke must not search ten thousand sessions for the fifty that it finds at once.
    #[test]
    fn what_is_beyond_the_limit_of_its_rank_is_not_searched() {
        let affinity = |item: &u32| match item % 3 {
            0 => Affinity::Same,
            1 => Affinity::Unplaced,
            _ => Affinity::Other,
        };
        let mut searched = Vec::new();
        let found = rank(0..30, 2, affinity, |item| {
            searched.push(*item);
            *item != 1
        });
        assert_eq!(found, [0, 3]);
        assert_eq!(searched, [0, 1, 2, 3, 4, 5, 7]);
    }
}

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sref_query::{
    BoxError, CancellationToken, ListedTitle, QueryError, SessionQuery, SessionRecord, TitleResult,
};
use sref_service::{ReferenceError, Search, SessionReferenceResolver};
use sref_session::{JsString, SessionId, SurfaceSnapshot};

use crate::Server;
use crate::call::Call;
use crate::fault::Fault;

/// The sessions as one call sees them: listed once, and none outside the server's scope. Whatever is asked is answered from here, so that a session outside is like none at all.
#[derive(Debug)]
pub(crate) struct View<'a, Q> {
    pub(crate) server: &'a Server<Q>,
    pub(crate) call: &'a Call,
    /// Those first in which something happened last, the sessions that ask among them.
    pub(crate) records: Arc<[SessionRecord]>,
    places: HashMap<SessionId, usize>,
    /// The sessions that ask.
    own: HashSet<SessionId>,
}

impl<'a, Q: SessionQuery> View<'a, Q> {
    pub(crate) async fn open(server: &'a Server<Q>, call: &'a Call) -> Result<Self, Fault> {
        let listing = server.resolver.query().list(&call.cancel);
        let listing = call.cancel.run_until_cancelled(listing).await;
        let listing = listing.ok_or(ReferenceError::Cancelled)?.map_err(|error| {
            let source = error.into();
            ReferenceError::ListFailed { source }
        })?;
        let records = if server.is_limited() {
            let inside = listing.iter();
            let inside = inside.filter(|record| server.scope.holds(record.header.cwd.as_ref()));
            recent_first(inside.cloned().collect::<Vec<_>>().into())
        } else {
            recent_first(listing)
        };
        call.step("sessions listed").await;
        let own = records.iter().map(|record| &record.header.id);
        let own = own.filter(|id| server.callers.contains(id) || is_one_of(id, &call.callers));
        let own = own.cloned().collect();
        Ok(Self {
            server,
            call,
            places: places(&records),
            records,
            own,
        })
    }

    /// The sessions that can be cited.
    pub(crate) fn others(&self) -> impl Iterator<Item = &SessionRecord> {
        let others = self.records.iter();
        others.filter(|record| !self.own.contains(&record.header.id))
    }

    /// Those of them that are offered: a person has seen them, and has not put them away.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = &SessionRecord> {
        self.others()
            .filter(|record| !record.is_subagent && !record.is_archived)
    }

    /// Lists only some sessions.
    pub(crate) fn keep(&mut self, mut test: impl FnMut(&SessionRecord) -> bool) {
        let kept = self.records.iter().filter(|record| test(record));
        self.records = kept.cloned().collect();
        self.places = places(&self.records);
    }

    /// Whether this is a session that asks.
    pub(crate) fn is_own(&self, id: &SessionId) -> bool {
        self.own.contains(id)
    }

    pub(crate) fn record(&self, id: &SessionId) -> Option<&SessionRecord> {
        self.places.get(id).map(|at| &self.records[*at])
    }

    /// The server's resolver over these sessions.
    pub(crate) fn resolver(&self) -> SessionReferenceResolver<&Self> {
        self.server
            .resolver
            .over(self)
            .with_search(Search::Folding)
            .with_subagents(false)
            .with_archived(false)
    }

    /// The titles of sessions, in their order; absent also where they cannot be read.
    pub(crate) async fn titles_of(
        &self,
        ids: &[SessionId],
    ) -> Result<Vec<Option<JsString>>, Fault> {
        let titles = self.titles(ids, &self.call.cancel);
        let titles = self.call.cancel.run_until_cancelled(titles).await;
        let titles = titles.ok_or(ReferenceError::Cancelled)?.unwrap_or_default();
        let mut titles: Vec<_> = titles
            .into_iter()
            .map(|title| title.ok().flatten().filter(|title| !title.is_empty()))
            .collect();
        titles.resize(ids.len(), None);
        Ok(titles)
    }

    /// What a session shows now.
    pub(crate) async fn read(&self, id: &SessionId) -> Result<SurfaceSnapshot, Fault> {
        let failed = |source| ReferenceError::ReadFailed {
            session_id: id.clone(),
            source,
        };
        let surface = self.surface(id, &self.call.cancel);
        let surface = self.call.cancel.run_until_cancelled(surface).await;
        let surface = surface.ok_or(ReferenceError::Cancelled)?.map_err(failed)?;
        let absent = || failed(QueryError::SessionNotFound { id: id.clone() }.into());
        Ok(surface.ok_or_else(absent)?)
    }
}

/// A listing is in the order in which its sessions began; who looks for one was in it lately.
fn recent_first(records: Arc<[SessionRecord]>) -> Arc<[SessionRecord]> {
    let recent = |record: &SessionRecord| Reverse(record.last_activity());
    if records.is_sorted_by_key(recent) {
        return records;
    }
    let mut sorted = records.to_vec();
    sorted.sort_by_key(recent);
    sorted.into()
}

fn places(records: &[SessionRecord]) -> HashMap<SessionId, usize> {
    let ids = records.iter().map(|record| record.header.id.clone());
    ids.zip(0..).collect()
}

/// Whether an id, or what follows the agent's name in it, is one of these.
fn is_one_of(id: &SessionId, names: &[String]) -> bool {
    let Some(id) = id.as_js_str().as_str() else {
        return false;
    };
    let native = id.split_once(':').map(|(_, native)| native);
    names
        .iter()
        .any(|name| name == id || Some(name.as_str()) == native)
}

impl<Q: SessionQuery> SessionQuery for View<'_, Q> {
    type Error = BoxError;

    async fn list(&self, _: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        if self.own.is_empty() {
            return Ok(Arc::clone(&self.records));
        }
        Ok(self.others().cloned().collect())
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        let titles = &self.server.titles;
        let known = ids.iter().map(|id| match self.record(id) {
            Some(record) if record.title == ListedTitle::Unread => titles.get(record),
            Some(record) => record.title.clone(),
            None => ListedTitle::Unread,
        });
        let known: Vec<ListedTitle> = known.collect();
        let is_unread = |known: &ListedTitle| *known == ListedTitle::Unread;
        let unknown = ids.iter().zip(&known).filter(|(_, known)| is_unread(known));
        let unknown: Vec<SessionId> = unknown.map(|(id, _)| id.clone()).collect();
        let mut read = Vec::new();
        if !unknown.is_empty() {
            read = self
                .server
                .resolver
                .query()
                .titles(&unknown, cancel)
                .await
                .map_err(Into::into)?;
            self.call.step("titles read").await;
        }
        for (id, title) in unknown.iter().zip(&read) {
            if let (Some(record), Ok(title)) = (self.record(id), title) {
                titles.set(record, title.clone());
            }
        }
        let mut read = read.into_iter();
        let answers = known.into_iter().map(|known| match known {
            ListedTitle::Known(title) => Ok(title),
            ListedTitle::Unread => read.next().unwrap_or(Ok(None)),
        });
        Ok(answers.collect())
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        if self.server.is_limited() && !self.places.contains_key(id) {
            return Ok(None);
        }
        let surface = self.server.resolver.query().surface(id, cancel).await;
        let surface = surface.map_err(Into::into)?;
        self.call.step("session read").await;
        Ok(surface)
    }
}

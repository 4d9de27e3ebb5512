use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use sref_query::{QueryError, SessionQuery, SessionRecord, TitleResult};
use sref_session::{JsString, SessionId, SurfaceSnapshot};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::dsh::Product;
use crate::ids::{listed_id, native_id, native_of_fork, qualify};
use crate::{
    Examination, Listed, Listing, Observation, Order, Store, StoreError, StoreErrorKind,
    TitleOutcome,
};

/// How many logs are read at once, as many as the reference reads.
const CONCURRENCY: usize = 4;

/// Several stores as one [`SessionQuery`]. Needs a tokio runtime: stores block.
///
/// A session of dsh keeps its id; one of any other agent has the id `<kind>:<native id>`. Where two
/// stores have a session of one id, the one that changed last is it, and the other does not exist.
/// An id of one of dsh's forks that its stores do not have is looked for in those of the others:
/// they share formats, and people move their logs from one to the next.
/// A store that cannot be listed costs its own sessions, unless no store can.
///
/// Dropping a call stops the reads that it began.
///
/// ```
/// use std::sync::Arc;
///
/// use sref_query::{CancellationToken, SessionQuery};
/// use sref_stores::Corpus;
/// use sref_stores::dsh::{DshOptions, DshStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = DshStore::open("no/such/directory", DshOptions::default())?;
/// let corpus = Corpus::new(vec![Arc::new(store)]);
/// assert!(corpus.list(&CancellationToken::new()).await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Corpus {
    stores: Vec<Arc<dyn Store>>,
    order: Order,
    permits: Arc<Semaphore>,
    /// Why stores were passed over, by their place.
    passed_over: Arc<Mutex<BTreeMap<usize, Arc<StoreError>>>>,
}

impl Corpus {
    /// Joins stores.
    #[must_use]
    pub fn new(stores: Vec<Arc<dyn Store>>) -> Self {
        Self {
            stores,
            order: Order::root(),
            permits: Arc::new(Semaphore::new(CONCURRENCY)),
            passed_over: Arc::default(),
        }
    }

    /// Sorts equal times by another collation.
    #[must_use]
    pub fn with_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Reads so many logs at once; at least one.
    #[must_use]
    pub fn with_concurrency(mut self, reads: usize) -> Self {
        self.permits = Arc::new(Semaphore::new(reads.clamp(1, Semaphore::MAX_PERMITS)));
        self
    }

    /// The stores.
    #[must_use]
    pub fn stores(&self) -> &[Arc<dyn Store>] {
        &self.stores
    }

    /// What each store lists, in the order of the stores: its sessions under their native ids, and
    /// what it skipped.
    pub async fn survey(&self, cancel: &CancellationToken) -> Vec<Result<Listing, StoreError>> {
        let calls: Vec<_> = self
            .stores
            .iter()
            .map(|store| self.blocking(store, cancel, |store, cancel| store.list(cancel)))
            .collect();
        join_all(calls).await
    }

    /// The sessions of a [`survey`](Self::survey) as one list: what [`SessionQuery::list`] gives,
    /// for who also wants to know what was skipped.
    ///
    /// # Errors
    ///
    /// The first error of the survey, when no store could be listed.
    pub fn join(
        &self,
        survey: Vec<Result<Listing, StoreError>>,
    ) -> Result<Arc<[SessionRecord]>, QueryError> {
        let mut records: Vec<SessionRecord> = Vec::new();
        let mut places: HashMap<SessionId, usize> = HashMap::new();
        let mut failures = Vec::new();
        for (at, (store, outcome)) in self.stores.iter().zip(survey).enumerate() {
            let listing = match outcome {
                Ok(listing) => listing,
                Err(error) => {
                    failures.push((at, error));
                    continue;
                }
            };
            for listed in listing.sessions {
                let record = record(store.kind(), listed);
                match places.get(&record.header.id) {
                    None => {
                        places.insert(record.header.id.clone(), records.len());
                        records.push(record);
                    }
                    Some(at) if newer(&record, &records[*at]) => records[*at] = record,
                    Some(_) => {}
                }
            }
        }
        if failures.len() == self.stores.len()
            && let Some((_, error)) = failures.drain(..).next()
        {
            return Err(persistence(error));
        }
        self.pass_over(failures);
        records.sort_by(|one, other| self.order.compare(&one.header, &other.header));
        Ok(records.into())
    }

    /// The stores that some call so far went on without, and why they did not answer: what they
    /// hold is missing from its answer.
    #[must_use]
    pub fn passed_over(&self) -> Vec<(Arc<dyn Store>, Arc<StoreError>)> {
        let passed = self.passed_over.lock();
        let passed = passed.unwrap_or_else(PoisonError::into_inner);
        let own = passed.iter().map(|(at, error)| {
            let store = Arc::clone(&self.stores[*at]);
            (store, Arc::clone(error))
        });
        own.collect()
    }

    fn pass_over(&self, failures: Vec<(usize, StoreError)>) {
        let passed = self.passed_over.lock();
        let mut passed = passed.unwrap_or_else(PoisonError::into_inner);
        for (at, error) in failures {
            if error.kind() != StoreErrorKind::Cancelled {
                passed.insert(at, Arc::new(error));
            }
        }
    }

    /// The id by which a session is listed that another id may lead to: that of a fork's session
    /// which another store has by now. `None` when no store has it; of an id that only one store
    /// can have, that is not looked up.
    ///
    /// # Errors
    ///
    /// When the stores that may have it cannot be listed.
    pub async fn resolve(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SessionId>, QueryError> {
        let owner = self.owner(id, cancel).await;
        let owner = owner.map_err(|error| query_error(id, error))?;
        Ok(owner.map(|(at, native)| listed_id(self.stores[at].kind(), &native)))
    }

    /// What [`Store::examine`] tells of the sessions of one store, given by its place among
    /// [`stores`](Self::stores) and by the ids that it lists.
    ///
    /// # Errors
    ///
    /// When the store cannot be listed.
    pub async fn examine(
        &self,
        store: usize,
        natives: Vec<JsString>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        let Some(store) = self.stores.get(store) else {
            return Ok(natives
                .iter()
                .map(|_| Err(StoreError::not_found()))
                .collect());
        };
        let call =
            move |store: &dyn Store, cancel: &CancellationToken| store.examine(&natives, cancel);
        self.blocking(store, cancel, call).await
    }

    /// What a session shows now and what was passed over in its log, from one read: what
    /// [`SessionQuery::surface`] gives, for who also wants to know where its losses are.
    ///
    /// # Errors
    ///
    /// Those of [`SessionQuery::surface`].
    pub async fn observe(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, QueryError> {
        let owner = self.owner(id, cancel).await;
        let Some((at, native)) = owner.map_err(|error| query_error(id, error))? else {
            return Ok(None);
        };
        let store = &self.stores[at];
        let kind = store.kind();
        let call = self.blocking(store, cancel, move |store, cancel| {
            store.observe(&native, cancel)
        });
        let mut seen = call.await.map_err(|error| query_error(id, error))?;
        if let Some(seen) = &mut seen {
            qualify(kind, &mut seen.surface.header);
        }
        Ok(seen)
    }

    /// Runs a call on a thread that may block. Dropping the future cancels the call.
    fn blocking<T, F>(
        &self,
        store: &Arc<dyn Store>,
        cancel: &CancellationToken,
        call: F,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store, &CancellationToken) -> Result<T, StoreError> + Send + 'static,
    {
        let permits = Arc::clone(&self.permits);
        let store = Arc::clone(store);
        let token = cancel.child_token();
        async move {
            let guard = token.clone().drop_guard();
            // Nobody closes the semaphore.
            let Ok(permit) = permits.acquire_owned().await else {
                return Err(StoreError::cancelled());
            };
            let task = spawn_blocking(move || {
                let outcome = call(&*store, &token);
                drop(permit);
                outcome
            });
            let outcome = match task.await {
                Ok(outcome) => outcome,
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime is shutting down.
                    Err(_) => Err(StoreError::cancelled()),
                },
            };
            drop(guard);
            outcome
        }
    }

    /// The stores that may have a session of this id, and what they call it.
    fn candidates(&self, id: &SessionId) -> Vec<(usize, JsString)> {
        self.stores
            .iter()
            .enumerate()
            .filter_map(|(at, store)| Some((at, native_id(store.kind(), id)?)))
            .collect()
    }

    /// The store that has a session, by its place, and what that store calls it.
    async fn owner(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<(usize, JsString)>, StoreError> {
        let candidates = self.candidates(id);
        let Some(native) = native_of_fork(id) else {
            return self.newest(candidates, cancel).await;
        };
        let own = self.having(candidates, cancel).await?;
        if own.is_some() {
            return Ok(own);
        }
        let family = self.stores.iter().enumerate();
        let family = family.filter(|(_, store)| Product::of(store.kind()).is_some());
        let family: Vec<_> = family.map(|(at, _)| (at, native.clone())).collect();
        let moved = self.having(family, cancel).await?;
        if moved.is_some() {
            return Ok(moved);
        }
        // A host of the fork may have spelled the id of another agent's session.
        let whole = self.candidates(&SessionId::new(native));
        self.newest(whole, cancel).await
    }

    /// The one that has the session, where it is known that no other store can.
    async fn newest(
        &self,
        mut candidates: Vec<(usize, JsString)>,
        cancel: &CancellationToken,
    ) -> Result<Option<(usize, JsString)>, StoreError> {
        if candidates.len() < 2 {
            return Ok(candidates.pop());
        }
        self.having(candidates, cancel).await
    }

    /// Of stores that may have a session the one whose log of it changed last.
    async fn having(
        &self,
        candidates: Vec<(usize, JsString)>,
        cancel: &CancellationToken,
    ) -> Result<Option<(usize, JsString)>, StoreError> {
        let calls: Vec<_> = candidates
            .iter()
            .map(|(at, native)| {
                let native = native.clone();
                self.blocking(&self.stores[*at], cancel, move |store, cancel| {
                    store.find(&native, cancel)
                })
            })
            .collect();
        let mut best: Option<(Listed, (usize, JsString))> = None;
        let mut failures = Vec::new();
        for (outcome, candidate) in join_all(calls).await.into_iter().zip(candidates) {
            match outcome {
                Ok(Some(listed)) => {
                    if best
                        .as_ref()
                        .is_none_or(|(best, _)| age(&listed) > age(best))
                    {
                        best = Some((listed, candidate));
                    }
                }
                Ok(None) => {}
                Err(error) => failures.push((candidate.0, error)),
            }
        }
        match best {
            Some((_, owner)) => {
                self.pass_over(failures);
                Ok(Some(owner))
            }
            None => match failures.into_iter().next() {
                Some((_, error)) => Err(error),
                None => Ok(None),
            },
        }
    }

    /// Reads the titles that one store is asked for, in as many parts as may be read at once.
    async fn titles_of(
        &self,
        store: usize,
        natives: Vec<(usize, JsString)>,
        cancel: &CancellationToken,
    ) -> Vec<(usize, Result<TitleOutcome, Arc<StoreError>>)> {
        let parts = natives.len().min(CONCURRENCY);
        let calls: Vec<_> = (0..parts)
            .map(|part| {
                let part: Vec<_> = natives.iter().skip(part).step_by(parts).cloned().collect();
                let ids: Vec<_> = part.iter().map(|(_, native)| native.clone()).collect();
                let call = self.blocking(&self.stores[store], cancel, move |store, cancel| {
                    store.titles(&ids, cancel)
                });
                async move {
                    let places = part.into_iter().map(|(place, _)| place);
                    match call.await {
                        Ok(titles) => places.zip(titles.into_iter().map(Ok)).collect(),
                        Err(error) => {
                            let error = Arc::new(error);
                            places
                                .map(|place| (place, Err(Arc::clone(&error))))
                                .collect()
                        }
                    }
                }
            })
            .collect();
        let answers: Vec<Vec<_>> = join_all(calls).await;
        answers.into_iter().flatten().collect()
    }
}

impl SessionQuery for Corpus {
    type Error = QueryError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
        let survey = self.survey(cancel).await;
        if cancel.is_cancelled() {
            return Err(QueryError::Aborted);
        }
        self.join(survey)
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, QueryError> {
        let owners: Vec<_> = ids.iter().map(|id| self.owner(id, cancel)).collect();
        let mut out: Vec<TitleResult> = Vec::with_capacity(ids.len());
        let mut work: HashMap<usize, Vec<(usize, JsString)>> = HashMap::new();
        for (place, owner) in join_all(owners).await.into_iter().enumerate() {
            out.push(Err(Box::new(QueryError::SessionNotFound {
                id: ids[place].clone(),
            })));
            match owner {
                Ok(Some((store, native))) => work.entry(store).or_default().push((place, native)),
                Ok(None) => {}
                Err(error) => out[place] = Err(Box::new(query_error(&ids[place], error))),
            }
        }
        let calls: Vec<_> = work
            .into_iter()
            .map(|(store, natives)| self.titles_of(store, natives, cancel))
            .collect();
        for (place, outcome) in join_all(calls).await.into_iter().flatten() {
            out[place] = match outcome {
                Ok(Ok(title)) => Ok(title.and_then(|title| title.text().cloned())),
                Ok(Err(error)) => Err(Box::new(query_error(&ids[place], error))),
                Err(error) => Err(Box::new(QueryError::PersistenceFailed {
                    source: Box::new(error),
                })),
            };
        }
        if cancel.is_cancelled() {
            return Err(QueryError::Aborted);
        }
        Ok(out)
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, QueryError> {
        let seen = self.observe(id, cancel).await?;
        Ok(seen.map(|seen| seen.surface))
    }
}

fn record(kind: &'static str, listed: Listed) -> SessionRecord {
    let mut header = listed.header;
    qualify(kind, &mut header);
    let mut record = SessionRecord::new(header);
    record.agent = Some(kind.into());
    record.updated_at = listed.updated_at;
    record.size_bytes = listed.size_bytes;
    record.is_archived = listed.is_archived;
    record.is_subagent = record.header.origin.is_some();
    record
}

fn age(listed: &Listed) -> i64 {
    listed.updated_at.unwrap_or(listed.header.created_at)
}

fn newer(one: &SessionRecord, other: &SessionRecord) -> bool {
    let age = |record: &SessionRecord| record.updated_at.unwrap_or(record.header.created_at);
    age(one) > age(other)
}

fn persistence(error: StoreError) -> QueryError {
    match error.kind() {
        StoreErrorKind::Cancelled => QueryError::Aborted,
        _ => QueryError::PersistenceFailed {
            source: Box::new(error),
        },
    }
}

fn query_error(id: &SessionId, error: StoreError) -> QueryError {
    match error.kind() {
        StoreErrorKind::NotFound => QueryError::SessionNotFound { id: id.clone() },
        StoreErrorKind::Corrupt | StoreErrorKind::Title => QueryError::CorruptSession {
            id: id.clone(),
            source: Box::new(error),
        },
        StoreErrorKind::Conflict => QueryError::SourceConflict { id: id.clone() },
        _ => persistence(error),
    }
}

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use sref_session::{JsString, SessionId, SurfaceSnapshot};
use tokio_util::sync::CancellationToken;

use crate::{BoxError, ListedTitle, QueryError, SessionQuery, SessionRecord, TitleResult};

/// Sessions in memory: for hosts that hold their sessions themselves, and for tests.
///
/// A session is listed by [`insert`](Self::insert); titles and surfaces belong to ids, listed or
/// not. The listing keeps the order of insertion. Anything can be made to fail. All methods take
/// `&self`, so a corpus can change while a resolver reads it.
///
/// ```
/// use futures::executor::block_on;
/// use sref_query::{CancellationToken, MemoryCorpus, SessionQuery, SessionRecord};
/// use sref_session::{SessionHeader, SurfaceSnapshot};
///
/// let header = SessionHeader::new("s-1", 1_780_000_000_000);
/// let corpus = MemoryCorpus::new();
/// corpus.insert(SessionRecord::new(header.clone()));
/// corpus.set_title("s-1", "Fix login");
/// corpus.set_surface("s-1", SurfaceSnapshot::new(header, None, vec![]));
///
/// let cancel = CancellationToken::new();
/// assert_eq!(block_on(corpus.list(&cancel))?.len(), 1);
/// assert!(block_on(corpus.surface(&"s-1".into(), &cancel))?.is_some());
/// assert!(block_on(corpus.surface(&"s-2".into(), &cancel))?.is_none());
/// # Ok::<(), sref_query::QueryError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryCorpus(RwLock<State>);

#[derive(Debug, Default)]
struct State {
    listing: Vec<SessionRecord>,
    /// The listing as it was given out last, with the titles; none after a change.
    given: OnceLock<Arc<[SessionRecord]>>,
    /// Where each id stands in the listing.
    places: HashMap<SessionId, usize>,
    titles: HashMap<SessionId, Result<JsString, Failure>>,
    surfaces: HashMap<SessionId, Result<SurfaceSnapshot, Failure>>,
    list_failure: Option<Failure>,
}

/// An error that can be given out more than once.
type Failure = Arc<dyn Error + Send + Sync>;

fn failure(failure: &Failure) -> QueryError {
    QueryError::PersistenceFailed {
        source: Box::new(Arc::clone(failure)),
    }
}

impl State {
    fn records(&self) -> Arc<[SessionRecord]> {
        let titled = |record: &SessionRecord| {
            let mut record = record.clone();
            record.title = match self.titles.get(&record.header.id) {
                None => ListedTitle::Known(None),
                Some(Ok(title)) => ListedTitle::Known(Some(title.clone())),
                Some(Err(_)) => ListedTitle::Unread,
            };
            record
        };
        self.listing.iter().map(titled).collect()
    }
}

impl MemoryCorpus {
    /// A corpus without sessions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists a session: at the end, or in the place of the record that has its id.
    pub fn insert(&self, record: SessionRecord) {
        let mut state = self.write();
        if let Some(&at) = state.places.get(&record.header.id) {
            state.listing[at] = record;
        } else {
            let at = state.listing.len();
            state.places.insert(record.header.id.clone(), at);
            state.listing.push(record);
        }
    }

    /// Gives a session its title.
    pub fn set_title(&self, id: impl Into<SessionId>, title: impl Into<JsString>) {
        self.write().titles.insert(id.into(), Ok(title.into()));
    }

    /// Makes reading the title of a session fail.
    pub fn fail_title(&self, id: impl Into<SessionId>, error: impl Into<BoxError>) {
        let failure = Err(Arc::from(error.into()));
        self.write().titles.insert(id.into(), failure);
    }

    /// Says what a session shows from now on. The snapshot may carry another id than the one it is
    /// found by: then that one is an alias.
    pub fn set_surface(&self, id: impl Into<SessionId>, surface: SurfaceSnapshot) {
        self.write().surfaces.insert(id.into(), Ok(surface));
    }

    /// Makes reading the surface of a session fail.
    pub fn fail_surface(&self, id: impl Into<SessionId>, error: impl Into<BoxError>) {
        let failure = Err(Arc::from(error.into()));
        self.write().surfaces.insert(id.into(), failure);
    }

    /// Makes listing fail.
    pub fn fail_list(&self, error: impl Into<BoxError>) {
        self.write().list_failure = Some(Arc::from(error.into()));
    }

    /// Removes a session with all that belongs to it.
    pub fn remove(&self, id: &SessionId) {
        let mut state = self.write();
        state.titles.remove(id);
        state.surfaces.remove(id);
        let Some(at) = state.places.remove(id) else {
            return;
        };
        state.listing.remove(at);
        for place in state.places.values_mut().filter(|place| **place > at) {
            *place -= 1;
        }
    }

    /// A writer that panicked has left whole values behind, so a poisoned lock is no harm.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        state.given.take();
        state
    }
}

impl SessionQuery for MemoryCorpus {
    type Error = QueryError;

    async fn list(&self, _: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
        let state = self.read();
        match &state.list_failure {
            Some(error) => Err(failure(error)),
            None => Ok(Arc::clone(state.given.get_or_init(|| state.records()))),
        }
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        _: &CancellationToken,
    ) -> Result<Vec<TitleResult>, QueryError> {
        let state = self.read();
        let title = |id: &SessionId| match state.titles.get(id) {
            Some(Ok(title)) => Ok(Some(title.clone())),
            Some(Err(error)) => Err(failure(error).into()),
            None if state.places.contains_key(id) => Ok(None),
            None => Err(QueryError::SessionNotFound { id: id.clone() }.into()),
        };
        Ok(ids.iter().map(title).collect())
    }

    async fn surface(
        &self,
        id: &SessionId,
        _: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, QueryError> {
        match self.read().surfaces.get(id) {
            Some(Ok(surface)) => Ok(Some(surface.clone())),
            Some(Err(error)) => Err(failure(error)),
            None => Ok(None),
        }
    }
}

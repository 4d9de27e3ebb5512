//! Opening stores and waiting for what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::future::Future;
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sref::query::{CancellationToken, QueryError, SessionQuery, SessionRecord, TitleResult};
use sref::service::{Config, Search, SessionReferenceResolver, with_causes};
use sref::session::json::Object;
use sref::session::{JsStr, JsString, SessionId, SurfaceSnapshot};
use sref::uri::SessionUri;
use sref_delivery::{Known, Readable, Request, Resolution, resolve};
use sref_stores::dsh::session_directory;
use sref_stores::{
    Corpus, Diagnostic, Environment, Examination, Listing, Located, Observation, Store, StoreError,
    discover, open,
};
use tokio::runtime::{Builder, Runtime};

use crate::console;
use crate::failure::{Failure, code};
use crate::ids::Ids;
use crate::options::{Spelling, StorePlace, Stores};
use crate::term::visible;

/// The stores of one command, and the runtime in which they are read.
pub(crate) struct Reader {
    corpus: Corpus,
    /// Stores that are there and cannot be opened.
    broken: Vec<(&'static str, PathBuf, Arc<StoreError>)>,
    /// Where stores were looked for and are not.
    absent: Vec<Located>,
    /// What the last listing skipped.
    skipped: Mutex<Vec<Diagnostic>>,
    runtime: Runtime,
    cancel: CancellationToken,
}

impl Reader {
    /// Opens the stores that are named, else those found on the machine.
    ///
    /// # Errors
    ///
    /// A store that is named has to be there; one that is only looked for does not.
    pub(crate) fn open(stores: &Stores) -> Result<Self, Failure> {
        let mut opened = Vec::new();
        let mut broken = Vec::new();
        let mut absent = Vec::new();
        for place in &stores.places {
            opened.push(named(place)?);
        }
        if stores.places.is_empty() {
            for located in discover(&Environment::of_process()) {
                let found = match located.is_there() {
                    Ok(true) => open(located.kind, &located.root),
                    Ok(false) => None,
                    Err(error) => Some(Err(error)),
                };
                match found {
                    None => absent.push(located),
                    Some(Ok(store)) => opened.push(store),
                    Some(Err(error)) => broken.push((located.kind, located.root, Arc::new(error))),
                }
            }
        }
        Ok(Self {
            corpus: Corpus::new(opened),
            broken,
            absent,
            skipped: Mutex::default(),
            runtime: Builder::new_current_thread().build()?,
            cancel: CancellationToken::new(),
        })
    }

    pub(crate) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Where stores were looked for and are not.
    pub(crate) fn absent(&self) -> &[Located] {
        &self.absent
    }

    /// Waits for an answer. Ctrl-C ends the program, so nothing is ever taken back.
    pub(crate) fn wait<'a, F: Future>(
        &'a self,
        ask: impl FnOnce(&'a CancellationToken) -> F,
    ) -> F::Output {
        self.runtime.block_on(ask(&self.cancel))
    }

    /// Names the stores that an answer is without, each once: those that cannot be opened, and
    /// those that could not be listed by now.
    pub(crate) fn remark(&self) {
        let broken = (self.broken.iter()).map(|(kind, root, error)| left_out(kind, root, error));
        let passed_over = self.corpus.passed_over();
        let passed_over =
            (passed_over.iter()).map(|(store, error)| left_out(store.kind(), store.root(), error));
        let mut said = locked(&SAID);
        for note in broken.chain(passed_over) {
            if !said.contains(&note) {
                console::say(&note);
                said.insert(note);
            }
        }
    }

    /// Every session, newest first.
    ///
    /// # Errors
    ///
    /// When there are stores and none of them can be read, for whatever reason.
    pub(crate) fn list(&self) -> Result<Arc<[SessionRecord]>, Failure> {
        if let Some((kind, root, error)) = self.broken.first()
            && self.corpus.stores().is_empty()
        {
            // The failure names it.
            locked(&SAID).insert(left_out(kind, root, error));
            let source = Box::new(Arc::clone(error));
            return Err(QueryError::PersistenceFailed { source }.into());
        }
        let survey = self.wait(|cancel| self.corpus.survey(cancel));
        let skipped = survey.iter().flatten();
        let skipped = skipped.flat_map(|listing| listing.diagnostics.iter().cloned());
        *locked(&self.skipped) = skipped.collect();
        Ok(self.corpus.join(survey)?)
    }

    /// The session that a person means: by its id, a unique beginning of it, or its URI.
    pub(crate) fn find(&self, given: &str, spelling: &Spelling) -> Result<SessionRecord, Failure> {
        let records = self.list();
        self.remark();
        let records = records?;
        let ids = Ids::new(&records);
        let schemes = spelling.schemes();
        let record = match SessionUri::parse(JsStr::from(given), &schemes) {
            Ok(uri) => ids.get(&self.listed_id(schemes.session_id(&uri), &ids)?)?,
            Err(_) => ids.find(given)?,
        };
        Ok(record.clone())
    }

    /// The id by which a session is listed: a URI may spell another one that leads to it.
    fn listed_id(&self, id: SessionId, ids: &Ids<'_>) -> Result<SessionId, Failure> {
        if ids.get(&id).is_ok() {
            return Ok(id);
        }
        let listed = self.wait(|cancel| self.corpus.resolve(&id, cancel))?;
        Ok(listed.unwrap_or(id))
    }

    /// The title of a session; absent also when it cannot be read, as in a list.
    pub(crate) fn title(&self, id: &SessionId) -> Result<Option<JsString>, Failure> {
        let ids = std::slice::from_ref(id);
        let titles = self.wait(|cancel| self.corpus.titles(ids, cancel))?;
        let title = titles.into_iter().next().and_then(Result::ok).flatten();
        Ok(title.filter(|title| !title.is_empty()))
    }

    /// What the readable mentions of a text are looked up in: every id, if one names a session by
    /// that, every title, if one does by that, and else the titles of those that are named or could
    /// be meant. All of it is read once, however many mentions there are.
    pub(crate) fn known(&self, readable: &[Readable]) -> Result<Vec<Known>, Failure> {
        let mut known = Vec::new();
        if readable.iter().any(|own| own.request.needs_ids()) {
            let titles = readable.iter().any(|own| own.request.needs_titles());
            known = self.listed(titles)?;
        }
        let requests = readable.iter().filter(|own| own.label.is_none());
        let requests: BTreeSet<&Request> = requests.map(|own| &own.request).collect();
        let mut untitled = BTreeSet::new();
        for request in requests {
            let named = match resolve(request, &known, Search::Folding) {
                Resolution::Found(found) => vec![found],
                Resolution::Ambiguous(several) | Resolution::Unknown(several) => several,
            };
            let named = named.into_iter().filter(|own| own.title.is_none());
            untitled.extend(named.map(|own| own.id.clone()));
            if let Request::Session(id) = request {
                untitled.insert(id.clone());
            }
        }
        if untitled.is_empty() {
            return Ok(known);
        }
        let untitled: Vec<SessionId> = untitled.into_iter().collect();
        // A session has a title where it can be read; the reading that follows says why it cannot be.
        let titles = self.wait(|cancel| self.corpus.titles(&untitled, cancel));
        let titles = titles.unwrap_or_default().into_iter();
        let titles = titles.map(|title| title.ok().flatten().filter(|title| !title.is_empty()));
        let mut titles: BTreeMap<SessionId, Option<JsString>> =
            untitled.into_iter().zip(titles).collect();
        for own in &mut known {
            if let Some(title) = titles.remove(&own.id) {
                own.title = title;
            }
        }
        known.extend(titles.into_iter().map(|(id, title)| Known { id, title }));
        Ok(known)
    }

    fn listed(&self, titles: bool) -> Result<Vec<Known>, Failure> {
        let records = self.list()?;
        let ids: Vec<SessionId> = records
            .iter()
            .map(|record| record.header.id.clone())
            .collect();
        let titles = if titles {
            self.wait(|cancel| self.corpus.titles(&ids, cancel))?
        } else {
            Vec::new()
        };
        let mut titles = titles.into_iter().map(|title| title.ok().flatten());
        let known = ids.into_iter().map(|id| Known {
            id,
            title: titles.next().flatten(),
        });
        Ok(known.collect())
    }

    /// What a session shows now, and what was passed over in its log.
    pub(crate) fn observe(&self, id: &SessionId) -> Result<Observation, Failure> {
        let seen = self.wait(|cancel| self.corpus.observe(id, cancel))?;
        let gone = || QueryError::SessionNotFound { id: id.clone() };
        Ok(seen.ok_or_else(gone)?)
    }

    /// What the listing skipped in the directories that have the name of this session: another log
    /// of it, say. Other files are nobody's.
    pub(crate) fn diagnostics(&self, id: &SessionId) -> Vec<Diagnostic> {
        let Some(directory) = session_directory(id.as_js_str()) else {
            return Vec::new();
        };
        let mut skipped = locked(&self.skipped).clone();
        skipped.retain(|own| own.path.iter().any(|name| name == directory.as_str()));
        skipped
    }

    /// What was passed over in the sessions that a store lists, given by its place.
    pub(crate) fn examine(
        &self,
        store: usize,
        ids: Vec<JsString>,
    ) -> Result<Vec<Examination>, StoreError> {
        self.wait(|cancel| self.corpus.examine(store, ids, cancel))
    }

    /// What each store holds and what it skipped; first those that could be opened, in their order.
    pub(crate) fn reports(&self) -> Vec<StoreReport> {
        let listings = self.wait(|cancel| self.corpus.survey(cancel));
        let stores = self.corpus.stores().iter();
        let read = stores.zip(listings).map(|(store, listing)| StoreReport {
            kind: store.kind(),
            root: store.root().to_owned(),
            listing: listing.map_err(Arc::new),
        });
        let broken = self.broken.iter().map(|(kind, root, error)| StoreReport {
            kind,
            root: root.clone(),
            listing: Err(Arc::clone(error)),
        });
        read.chain(broken).collect()
    }
}

/// A store, and what it lists or why it cannot.
pub(crate) struct StoreReport {
    pub(crate) kind: &'static str,
    pub(crate) root: PathBuf,
    pub(crate) listing: Result<Listing, Arc<StoreError>>,
}

impl StoreReport {
    /// `{kind, root}`
    pub(crate) fn place(&self) -> Object {
        Object::new()
            .with("kind", self.kind)
            .with("root", crate::command::path(&self.root))
    }
}

/// The notes on stores that were printed, also by another reader of the same command.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// What a panic of another thread leaves is whole: nothing is changed in steps.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `note: the claude store /home/me/.claude/projects is left out: …`
fn left_out(kind: &str, root: &Path, error: &StoreError) -> String {
    let error = match error.path() {
        Some(path) if path != root => with_causes(error),
        _ => error.explanation(),
    };
    let root = root.to_string_lossy();
    let root = JsStr::from(root.as_ref()).excerpt();
    let note = format!("note: the {kind} store {root} is left out: {error}; see `sref doctor`");
    visible::line(note.as_str().into())
}

/// Sessions that were listed already, so that asking for them again reads nothing.
pub(crate) struct Listed<'a> {
    corpus: &'a Corpus,
    records: &'a [SessionRecord],
}

impl<'a> Listed<'a> {
    pub(crate) const fn new(corpus: &'a Corpus, records: &'a [SessionRecord]) -> Self {
        Self { corpus, records }
    }
}

impl SessionQuery for Listed<'_> {
    type Error = QueryError;

    async fn list(&self, _: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
        Ok(self.records.into())
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, QueryError> {
        self.corpus.titles(ids, cancel).await
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, QueryError> {
        self.corpus.surface(id, cancel).await
    }
}

/// The session that a person is in. Its log may not be written yet: what is not found is taken as
/// it stands.
///
/// # Errors
///
/// When it begins several ids.
pub(crate) fn own_id(given: Option<&str>, records: &[SessionRecord]) -> Result<SessionId, Failure> {
    let Some(given) = given else {
        // No store names a session of an agent `sref`.
        return Ok("sref:nobody".into());
    };
    let ids = Ids::new(records);
    match ids.find(given) {
        Ok(record) => Ok(record.header.id.clone()),
        Err(failure) if ids.knows(given) => Err(failure),
        Err(_) => Ok(given.into()),
    }
}

/// A resolver as the program wants it: friendlier than the harnesses where nobody can tell.
pub(crate) fn resolver<Q>(
    query: Q,
    config: Config,
    spelling: &Spelling,
) -> SessionReferenceResolver<Q> {
    SessionReferenceResolver::new(query, config)
        .with_dialect(spelling.dialect())
        .with_search(Search::Folding)
}

/// A store that was asked for by name.
fn named(place: &StorePlace) -> Result<Arc<dyn Store>, Failure> {
    let root = path::absolute(&place.path)?;
    // A store takes an absent root for an empty one; who names it means one that is there.
    if let Err(error) = fs::metadata(&root) {
        let path = root.to_string_lossy();
        let path = JsStr::from(path.as_ref()).excerpt();
        return Err(Failure::new(
            code::NO_STORE,
            format!("could not read the store {path}: {error}"),
        ));
    }
    let store = open(place.kind, root).ok_or_else(|| {
        Failure::new(
            code::NO_STORE,
            format!("no reader for stores of {}", place.kind),
        )
    })?;
    Ok(store?)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use sref_delivery::readable_mentions;
    use sref_stores::{Listing, StoreError, TitleOutcome};

    use super::*;

    /// A store that counts how often it is looked through.
    #[derive(Debug)]
    struct Counted {
        store: Arc<dyn Store>,
        looks: AtomicUsize,
    }

    impl Counted {
        fn look(&self) -> &dyn Store {
            self.looks.fetch_add(1, Ordering::Relaxed);
            &*self.store
        }
    }

    impl Store for Counted {
        fn kind(&self) -> &'static str {
            self.store.kind()
        }

        fn root(&self) -> &Path {
            self.store.root()
        }

        fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
            self.look().list(cancel)
        }

        fn find(
            &self,
            id: &JsString,
            cancel: &CancellationToken,
        ) -> Result<Option<sref_stores::Listed>, StoreError> {
            self.look().find(id, cancel)
        }

        fn titles(
            &self,
            ids: &[JsString],
            cancel: &CancellationToken,
        ) -> Result<Vec<TitleOutcome>, StoreError> {
            self.look().titles(ids, cancel)
        }

        fn observe(
            &self,
            id: &JsString,
            cancel: &CancellationToken,
        ) -> Result<Option<Observation>, StoreError> {
            self.look().observe(id, cancel)
        }
    }

    #[test]
    fn a_store_is_looked_through_once_however_often_it_is_cited() {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sample-store/sessions");
        let looks = |text: &str| {
            let store = open("dsh", &root).unwrap().unwrap();
            let counted = Arc::new(Counted {
                store,
                looks: AtomicUsize::new(0),
            });
            let reader = Reader {
                corpus: Corpus::new(vec![Arc::<Counted>::clone(&counted) as Arc<dyn Store>]),
                broken: Vec::new(),
                absent: Vec::new(),
                skipped: Mutex::default(),
                runtime: Builder::new_current_thread().build().unwrap(),
                cancel: CancellationToken::new(),
            };
            let known = reader.known(&readable_mentions(text.into())).unwrap();
            let titled = known.iter().filter(|own| own.title.is_some()).count();
            (counted.looks.load(Ordering::Relaxed), titled)
        };
        let four = "@sref:3f9c @sref:8b27 @sref:3f @sref:c6e4 ";
        let once = looks(four);
        assert_eq!(
            once.1, 4,
            "those that are named, and those that could be meant"
        );
        assert_eq!(looks(&four.repeat(50)), once);
    }
}

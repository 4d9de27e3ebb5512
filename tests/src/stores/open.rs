//! One store, opened strictly, and its answers in the terms of the recordings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sref::query::{BoxError, CancellationToken, SessionQuery, SessionRecord, TitleResult};
use sref::session::json::{Object, Value};
use sref::session::{
    JsString, SessionHeader, SessionId, SurfacePayload, SurfaceSnapshot, TitleSnapshot,
};
use sref_stores::dsh::{DshDatabase, DshOptions, DshStore, Encoding};
use sref_stores::{Corpus, Listed, Order, Store, StoreError};
use tokio::runtime::{Builder, Runtime};

/// The recorded code for a session that is not there.
pub(super) const NOT_FOUND: &str = "SESSION_QUERY_SESSION_NOT_FOUND";

/// A store, and the corpus through which a resolver reads it; or the error with which the library
/// refused to open it, which is then the answer to every question, as in the reference.
pub(super) struct Opened {
    root: PathBuf,
    kind: String,
    store: Result<Arc<dyn Store>, Arc<StoreError>>,
    runtime: Runtime,
}

impl Opened {
    /// Opens the store of a root.
    ///
    /// # Errors
    ///
    /// Says so when the library has no reader for this kind of store.
    pub(super) fn at(root: &Path, kind: &str) -> Result<Self, String> {
        Self::ordered(root, kind, &Order::root(), 0)
    }

    /// Opens the store of a root as a release does whose newest log format is `newest`.
    ///
    /// # Errors
    ///
    /// As [`at`](Self::at).
    pub(super) fn newer(root: &Path, kind: &str, newest: u64) -> Result<Self, String> {
        Self::ordered(root, kind, &Order::root(), newest)
    }

    /// Opens a store whose listing breaks ties by another collation.
    fn ordered(root: &Path, kind: &str, order: &Order, newest: u64) -> Result<Self, String> {
        let strict = |encoding| {
            let mut options = DshOptions::strict(encoding);
            options.order = order.clone();
            options.newest_format = newest;
            options
        };
        let logs = |encoding| {
            DshStore::open(root, strict(encoding)).map(|store| Arc::new(store) as Arc<dyn Store>)
        };
        let store = match kind {
            "jsonl" => logs(Encoding::Plain),
            "jsonl.zstd" => logs(Encoding::Zstd),
            "sqlite" => Ok(Arc::new(DshDatabase::open(root, strict(Encoding::Any))) as _),
            _ => return Err(format!("no reader for a store of kind `{kind}`")),
        };
        let runtime = Builder::new_current_thread().build();
        Ok(Self {
            root: root.to_owned(),
            kind: kind.to_owned(),
            store: store.map_err(Arc::new),
            runtime: runtime.map_err(|error| error.to_string())?,
        })
    }

    /// Runs a call of a resolver over [`query`](Self::query).
    pub(super) fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    /// The store for a resolver.
    pub(super) fn query(&self) -> Query {
        let store = self.store.clone();
        Query(store.map(|store| Corpus::new(vec![store])))
    }

    /// The listed sessions.
    pub(super) fn list(&self) -> Result<Vec<Listed>, Arc<StoreError>> {
        let store = self.store.as_ref().map_err(Arc::clone)?;
        Ok(store.list(&CancellationToken::new())?.sessions)
    }

    /// The titles: one entry an id, whatever fails.
    pub(super) fn titles(
        &self,
        ids: &[JsString],
    ) -> Vec<Result<Option<TitleSnapshot>, Arc<StoreError>>> {
        let titles = match &self.store {
            Ok(store) => store
                .titles(ids, &CancellationToken::new())
                .map_err(Arc::new),
            Err(error) => Err(Arc::clone(error)),
        };
        match titles {
            Ok(titles) => titles
                .into_iter()
                .map(|title| title.map_err(Arc::new))
                .collect(),
            Err(error) => ids.iter().map(|_| Err(Arc::clone(&error))).collect(),
        }
    }

    /// The surface of a session.
    pub(super) fn surface(
        &self,
        id: &JsString,
    ) -> Result<Option<SurfaceSnapshot>, Arc<StoreError>> {
        let store = self.store.as_ref().map_err(Arc::clone)?;
        let surface = store.surface(id, &CancellationToken::new())?;
        Ok(surface.map(as_recorded))
    }
}

/// A surface as the reference's projection sees it: without the display content of baked prefixes,
/// which the reference leaves aside (`contract.md` §4).
fn as_recorded(mut surface: SurfaceSnapshot) -> SurfaceSnapshot {
    for event in &mut surface.events {
        if let SurfacePayload::UserMessage {
            display_content, ..
        } = &mut event.payload
        {
            *display_content = None;
        }
    }
    surface
}

/// A corpus of one store, or the error that stands for it.
pub(super) struct Query(Result<Corpus, Arc<StoreError>>);

impl Query {
    fn corpus(&self) -> Result<&Corpus, BoxError> {
        match &self.0 {
            Ok(corpus) => Ok(corpus),
            Err(error) => Err(Arc::clone(error).into()),
        }
    }
}

impl SessionQuery for Query {
    type Error = BoxError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        Ok(self.corpus()?.list(cancel).await?)
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        Ok(self.corpus()?.titles(ids, cancel).await?)
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        let surface = self.corpus()?.surface(id, cancel).await?;
        Ok(surface.map(as_recorded))
    }
}

impl Opened {
    /// The listing's headers, in order.
    pub(super) fn headers(&self) -> Value {
        self.listed(|listed| header(&listed.header))
    }

    /// The listing's ids, in order.
    pub(super) fn ids(&self) -> Value {
        self.listed(|listed| listed.header.id.as_js_string().clone().into())
    }

    /// The ids in the order of a locale's collation.
    pub(super) fn ids_in(&self, locale: &str) -> Value {
        let Some(order) = Order::for_locale(locale) else {
            return failed("no such locale");
        };
        match Self::ordered(&self.root, &self.kind, &order, 0) {
            Ok(store) => store.ids(),
            Err(reason) => failed(&*reason),
        }
    }

    /// The listing's ids and creation times, in order.
    pub(super) fn order(&self) -> Value {
        self.listed(|listed| {
            Object::new()
                .with("id", listed.header.id.as_js_string().clone())
                .with("createdAt", listed.header.created_at)
                .into()
        })
    }

    fn listed(&self, describe: impl Fn(&Listed) -> Value) -> Value {
        match self.list() {
            Ok(listed) => listed.iter().map(describe).collect::<Vec<_>>().into(),
            Err(error) => failed(error.code()),
        }
    }

    /// The facts of a surface, its texts aside.
    pub(super) fn surface_facts(&self, id: &JsString) -> Value {
        let surface = match self.surface(id) {
            Ok(Some(surface)) => surface,
            Ok(None) => return failed(NOT_FOUND),
            Err(error) => return failed(error.code()),
        };
        let nodes = surface.events.iter();
        let seqs: Vec<Value> = nodes.clone().map(|node| node.seq.into()).collect();
        let types: Vec<Value> = nodes.map(|node| node.payload.event_type().into()).collect();
        Object::new()
            .with("header", header(&surface.header))
            .with(
                "capturedThroughSeq",
                optional_count(surface.captured_through_seq),
            )
            .with("surfaceSeqs", seqs)
            .with("surfaceTypes", types)
            .into()
    }
}

pub(super) fn optional_count(count: Option<u64>) -> Value {
    count.map_or(Value::Null, Value::from)
}

/// A header as recordings write it: the members that are known.
fn header(header: &SessionHeader) -> Value {
    let mut out = Object::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.set(key, value);
        }
    };
    let text = |text: &JsString| Value::from(text.clone());
    set("version", header.version.map(Value::from));
    set("id", Some(text(header.id.as_js_string())));
    set("createdAt", Some(header.created_at.into()));
    set("cwd", header.cwd.as_ref().map(text));
    let parent = header.parent_session.as_ref();
    set("parentSession", parent.map(|id| text(id.as_js_string())));
    set("seedLength", header.seed_length.map(Value::from));
    set("isSeeded", header.is_seeded.map(Value::from));
    set("origin", header.origin.as_ref().map(text));
    set("delegationDepth", header.delegation_depth.map(Value::from));
    set("agentPreset", header.agent_preset.as_ref().map(text));
    out.into()
}

/// A title as recordings write it; null for none.
pub(super) fn title(title: Option<&TitleSnapshot>) -> Value {
    let Some(title) = title else {
        return Value::Null;
    };
    Object::new()
        .with("title", title.title.clone())
        .with("messageSeqs", title.message_seqs.clone())
        .with("source", title.source.clone())
        .with("eventSeq", title.event_seq)
        .with("updatedAt", title.updated_at)
        .into()
}

pub(super) fn failed(code: impl Into<Value>) -> Value {
    Object::new().with("error", code).into()
}

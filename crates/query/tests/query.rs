//! The promises of `SessionQuery` that a compiler or a caller sees only from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error as _;
use std::sync::Arc;

use futures::executor::block_on;
use sref_query::{
    CancellationToken, DynSessionQuery, ListedTitle, MemoryCorpus, QueryError, SessionQuery,
    SessionRecord,
};
use sref_session::{SessionHeader, SessionId, SurfaceSnapshot};

fn record(id: &str, created_at: i64) -> SessionRecord {
    SessionRecord::new(SessionHeader::new(id, created_at))
}

fn surface(id: &str) -> SurfaceSnapshot {
    SurfaceSnapshot::new(SessionHeader::new(id, 0), Some(3), Vec::new())
}

fn corpus() -> MemoryCorpus {
    let corpus = MemoryCorpus::new();
    for (id, created_at) in [("a", 3), ("b", 2), ("c", 1)] {
        corpus.insert(record(id, created_at));
    }
    corpus.set_title("a", "Title A");
    corpus.fail_title("b", "bad title");
    corpus.set_surface("a", surface("a"));
    corpus.set_surface("alias", surface("a"));
    corpus.fail_surface("b", "bad log");
    corpus
}

fn ids(records: &[SessionRecord]) -> Vec<String> {
    records
        .iter()
        .map(|record| record.header.id.to_string())
        .collect()
}

/// What a generic caller sees of any query; each answer is taken on another thread.
async fn check<Q: SessionQuery + Clone + 'static>(query: Q) {
    let asked: Vec<SessionId> = ["c", "b", "a", "nowhere", "a"].map(Into::into).into();

    let own = query.clone();
    let list = async move { own.list(&CancellationToken::new()).await.map_err(drop) };
    assert_eq!(
        ids(&tokio::spawn(list).await.unwrap().unwrap()),
        ["a", "b", "c"]
    );

    let own = query.clone();
    let titles = async move {
        let titles = own.titles(&asked, &CancellationToken::new()).await;
        titles.map_err(drop)
    };
    let titles = tokio::spawn(titles).await.unwrap().unwrap();
    let shown: Vec<_> = titles
        .into_iter()
        .map(|title| title.map_err(|error| error.to_string()))
        .collect();
    assert_eq!(
        shown,
        [
            Ok(None),
            Err("the session store could not be read".to_owned()),
            Ok(Some("Title A".into())),
            Err("no session \"nowhere\"".to_owned()),
            Ok(Some("Title A".into())),
        ]
    );

    let surface = async move {
        let cancel = CancellationToken::new();
        let read = async |id: &str| query.surface(&id.into(), &cancel).await.map_err(drop);
        (read("alias").await, read("b").await, read("nowhere").await)
    };
    let (alias, failed, absent) = tokio::spawn(surface).await.unwrap();
    assert_eq!(alias.unwrap().unwrap().header.id, "a".into());
    assert!(failed.is_err());
    assert_eq!(absent.unwrap(), None);
}

#[tokio::test]
async fn every_form_of_a_query_answers_alike_and_can_be_spawned() {
    check(Arc::new(corpus())).await;
    let erased: Arc<dyn DynSessionQuery> = Arc::new(corpus());
    check(erased).await;
    // Erased twice, for a host that wraps what it was given.
    let erased: Arc<dyn DynSessionQuery> = Arc::new(corpus());
    let twice: Arc<dyn DynSessionQuery> = Arc::new(erased);
    check(twice).await;
    let lent: &'static MemoryCorpus = Box::leak(Box::new(corpus()));
    check(lent).await;
}

/// Borrows a query across an await, as every layer above does.
async fn count<Q: SessionQuery>(query: &Q) -> usize {
    let cancel = CancellationToken::new();
    query.list(&cancel).await.map_or(0, |list| list.len())
}

/// It was not one: "`Arc<dyn DynSessionQuery + '0>` must implement `SessionQuery`".
#[tokio::test]
async fn a_future_that_borrows_an_erased_query_can_be_spawned() {
    let erased: Arc<dyn DynSessionQuery> = Arc::new(corpus());
    let counted = tokio::spawn(async move { count(&erased).await });
    assert_eq!(counted.await.unwrap(), 3);
}

#[test]
fn a_failure_keeps_its_cause() {
    let error =
        block_on(corpus().surface(&"b".into(), &CancellationToken::new())).expect_err("it fails");
    assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
    assert_eq!(error.source().unwrap().to_string(), "bad log");

    let erased: Arc<dyn DynSessionQuery> = Arc::new(corpus());
    let error = block_on(erased.surface(&"b".into(), &CancellationToken::new())).unwrap_err();
    let error = error.downcast_ref::<QueryError>().unwrap();
    assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
}

#[test]
fn a_corpus_changes_under_its_readers() {
    let cancel = CancellationToken::new();
    let corpus = corpus();
    let list = || ids(&block_on(corpus.list(&cancel)).unwrap());

    corpus.remove(&"a".into());
    assert_eq!(list(), ["b", "c"]);
    assert_eq!(
        block_on(corpus.surface(&"a".into(), &cancel)).unwrap(),
        None
    );
    // The places of the others were moved along.
    let mut changed = record("c", 9);
    changed.is_archived = true;
    corpus.insert(changed.clone());
    corpus.insert(record("a", 5));
    changed.title = ListedTitle::Known(None);
    assert_eq!(list(), ["b", "c", "a"]);
    assert_eq!(block_on(corpus.list(&cancel)).unwrap()[1], changed);

    corpus.fail_list("no disk");
    let error = block_on(corpus.list(&cancel)).unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), "no disk");
}

/// What the listing says of a title is what `titles` says, and stays so.
#[test]
fn a_listing_brings_the_titles_that_can_be_read() {
    let cancel = CancellationToken::new();
    let corpus = MemoryCorpus::new();
    for id in ["none", "some", "bad"] {
        corpus.insert(record(id, 1));
    }
    let titles = || -> Vec<ListedTitle> {
        let records = block_on(corpus.list(&cancel)).unwrap();
        records.iter().map(|record| record.title.clone()).collect()
    };
    corpus.set_title("some", "first");
    assert_eq!(titles()[1], ListedTitle::Known(Some("first".into())));
    corpus.set_title("some", "second");
    corpus.fail_title("bad", "torn");
    assert_eq!(
        titles(),
        [
            ListedTitle::Known(None),
            ListedTitle::Known(Some("second".into())),
            ListedTitle::Unread,
        ]
    );
}

#[test]
fn a_message_quotes_an_id_briefly_and_harmlessly() {
    let id = SessionId::new(format!("\u{1b}[2J{}", "x".repeat(1_000_000)));
    for error in [
        QueryError::SessionNotFound { id: id.clone() },
        QueryError::SourceConflict { id },
    ] {
        let message = error.to_string();
        assert!(
            message.len() < 200 && message.contains(r"\u{1b}[2J"),
            "{message}"
        );
    }
}

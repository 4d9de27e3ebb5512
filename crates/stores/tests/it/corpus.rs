//! Several stores as one source of sessions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sref_query::{QueryError, SessionQuery};
use sref_session::{JsString, SessionHeader, SessionId, SurfaceSnapshot};
use sref_stores::dsh::{DshOptions, Encoding};
use sref_stores::{
    CancellationToken, Corpus, Listed, Listing, Observation, Store, StoreError, TitleOutcome,
};

use crate::support::{APPEND, Home, event, header, one_message, shown, user};

/// A store of another agent: sessions by id, age and parent, each read under watch.
#[derive(Debug, Default)]
struct Other {
    sessions: Vec<(&'static str, i64, Option<&'static str>)>,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Store for Other {
    fn kind(&self) -> &'static str {
        "other"
    }

    fn root(&self) -> &Path {
        Path::new("other")
    }

    fn list(&self, _: &CancellationToken) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for (id, updated_at, parent) in &self.sessions {
            let mut header = SessionHeader::new(*id, 3);
            header.parent_session = parent.map(SessionId::from);
            let mut listed = Listed::new(header);
            listed.updated_at = Some(*updated_at);
            listing.sessions.push(listed);
        }
        Ok(listing)
    }

    fn find(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Listed>, StoreError> {
        let sessions = self.list(cancel)?.sessions;
        Ok(sessions
            .into_iter()
            .find(|listed| listed.header.id.as_js_string() == id))
    }

    fn titles(
        &self,
        ids: &[JsString],
        _: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        Ok(ids.iter().map(|_| Ok(None)).collect())
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        self.running.fetch_sub(1, Ordering::SeqCst);
        let found = self.find(id, cancel)?;
        Ok(found.map(|listed| {
            let seq = listed.updated_at.map(i64::unsigned_abs);
            let surface = SurfaceSnapshot::new(listed.header, seq, vec![]);
            Observation::new(surface, vec![])
        }))
    }
}

fn other(sessions: &[(&'static str, i64, Option<&'static str>)]) -> Arc<Other> {
    Arc::new(Other {
        sessions: sessions.to_vec(),
        ..Other::default()
    })
}

fn dsh(home: &Home) -> Arc<dyn Store> {
    Arc::new(home.open(DshOptions::default()))
}

fn ids(records: &[sref_query::SessionRecord]) -> Vec<String> {
    records
        .iter()
        .map(|record| record.header.id.to_string())
        .collect()
}

/// `design.md`, "Sessions of several agents".
#[tokio::test]
async fn ids_of_other_agents_carry_their_kind() {
    let home = Home::new();
    home.write(
        "a",
        (header("a", 2) + &event(0, "user/message", &user(&"hi".into()), APPEND)).as_bytes(),
    );
    home.write("b", header("b", 5).as_bytes());
    let corpus = Corpus::new(vec![
        dsh(&home),
        other(&[("x", 1, Some("y")), ("y", 1, None)]),
    ]);
    let cancel = CancellationToken::new();

    let records = corpus.list(&cancel).await.unwrap();
    assert_eq!(ids(&records), ["b", "other:x", "other:y", "a"]);
    let x = &records[1];
    assert_eq!(x.agent.as_deref(), Some("other"));
    assert_eq!(x.header.parent_session, Some("other:y".into()));

    let surface = corpus.surface(&"a".into(), &cancel).await.unwrap().unwrap();
    assert_eq!(shown(&surface).len(), 1);
    let surface = corpus
        .surface(&"other:x".into(), &cancel)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(surface.header.id, "other:x".into());
    for absent in ["x", "other:", "other", "dsh:a", "other:z", "another:x"] {
        assert!(
            corpus
                .surface(&absent.into(), &cancel)
                .await
                .unwrap()
                .is_none(),
            "{absent}"
        );
    }
}

/// The same id in two roots of one kind: the newest is it.
#[tokio::test]
async fn of_two_sessions_with_one_id_the_newest_counts() {
    let corpus = Corpus::new(vec![
        other(&[("x", 1, None), ("y", 9, None)]),
        other(&[("x", 2, None), ("y", 8, None)]),
    ]);
    let cancel = CancellationToken::new();
    let records = corpus.list(&cancel).await.unwrap();
    assert_eq!(ids(&records), ["other:x", "other:y"]);
    assert_eq!(
        records
            .iter()
            .map(|record| record.updated_at)
            .collect::<Vec<_>>(),
        [Some(2), Some(9)]
    );
    for (id, updated) in [("other:x", 2), ("other:y", 9)] {
        let surface = corpus.surface(&id.into(), &cancel).await.unwrap().unwrap();
        assert_eq!(surface.captured_through_seq, Some(updated));
    }
}

/// 6.4: one entry an id, in order; failures cost their own entry.
#[tokio::test]
async fn titles_answer_each_id_in_its_place() {
    let home = Home::new();
    let titled = |id: &str, title: &str, seqs: &str| {
        let data = format!(r#"{{"title":"{title}"{seqs},"source":{{"kind":"user"}}}}"#);
        header(id, 1) + &event(0, "session/title", &data, "")
    };
    for number in 0..9 {
        let id = format!("s-{number}");
        home.write(
            &id,
            titled(&id, &format!("T{number}"), ",\"messageSeqs\":[]").as_bytes(),
        );
    }
    home.write("malformed", titled("malformed", "x", "").as_bytes());
    home.write("plain", header("plain", 1).as_bytes());
    home.write("damaged", (header("damaged", 1) + "null\n").as_bytes());
    let corpus = Corpus::new(vec![dsh(&home), other(&[("x", 1, None)])]);
    let asked: Vec<SessionId> = [
        "s-3",
        "damaged",
        "other:x",
        "s-0",
        "absent",
        "s-3",
        "malformed",
        "plain",
        "s-8",
        "s-1",
    ]
    .map(SessionId::from)
    .into();
    let titles = corpus
        .titles(&asked, &CancellationToken::new())
        .await
        .unwrap();
    let told: Vec<_> = titles
        .iter()
        .map(|title| match title {
            Ok(Some(title)) => title.to_string(),
            Ok(None) => "-".to_owned(),
            Err(error) => error
                .downcast_ref::<QueryError>()
                .unwrap()
                .code()
                .to_owned(),
        })
        .collect();
    assert_eq!(
        told,
        [
            "T3",
            "SESSION_QUERY_PERSISTENCE_FAILED",
            "-",
            "T0",
            "SESSION_QUERY_SESSION_NOT_FOUND",
            "T3",
            "SESSION_QUERY_CORRUPT_SESSION",
            "-",
            "T8",
            "T1",
        ]
    );
}

/// A store that cannot be listed costs its own sessions, unless there is no other.
#[tokio::test]
async fn one_broken_store_does_not_hide_the_others() {
    let broken = Home::new();
    broken.write("s", one_message("other-id", "misplaced").as_bytes());
    let strict: Arc<dyn Store> = Arc::new(broken.open(DshOptions::strict(Encoding::Plain)));
    let cancel = CancellationToken::new();

    let alone = Corpus::new(vec![Arc::clone(&strict)]);
    let error = alone.list(&cancel).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
    let titles = alone
        .titles(&["s".into(), "t".into()], &cancel)
        .await
        .unwrap();
    for title in titles {
        let error = title.unwrap_err();
        let error = error.downcast_ref::<QueryError>().unwrap();
        assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
    }

    let both = Corpus::new(vec![strict, other(&[("x", 1, None)])]);
    assert_eq!(ids(&both.list(&cancel).await.unwrap()), ["other:x"]);
    let survey = both.survey(&cancel).await;
    assert_eq!(survey[0].as_ref().unwrap_err().reason(), "store.misplaced");
    assert_eq!(survey[1].as_ref().unwrap().sessions.len(), 1);
}

/// Calls run on other threads, no more of them at once than allowed, and survive being dropped.
#[tokio::test(flavor = "multi_thread")]
async fn reads_are_bounded_and_can_be_dropped() {
    let store = other(&[("x", 1, None)]);
    let corpus = Corpus::new(vec![store.clone()]).with_concurrency(2);
    let cancel = CancellationToken::new();
    let calls: Vec<_> = (0..12)
        .map(|_| {
            let (corpus, cancel) = (corpus.clone(), cancel.clone());
            tokio::spawn(async move {
                corpus
                    .surface(&"other:x".into(), &cancel)
                    .await
                    .unwrap()
                    .is_some()
            })
        })
        .collect();
    calls[0].abort();
    for call in calls.into_iter().skip(1) {
        assert!(call.await.unwrap());
    }
    assert!(store.most.load(Ordering::SeqCst) <= 2);

    cancel.cancel();
    let home = Home::new();
    home.write("a", header("a", 2).as_bytes());
    let corpus = Corpus::new(vec![dsh(&home)]);
    assert_eq!(
        corpus.list(&cancel).await.unwrap_err().code(),
        "SESSION_QUERY_ABORTED"
    );
    let error = corpus.surface(&"a".into(), &cancel).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_QUERY_ABORTED");
}

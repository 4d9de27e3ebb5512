//! What of a log was not read is told (`spec/dsh-store.md` 4.3): it ends at its first bad line.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sref_query::SessionQuery as _;
use sref_session::{JsString, Loss};
use sref_stores::dsh::{DshDatabase, DshOptions, DshStore};
use sref_stores::{
    CancellationToken, Corpus, Examination, Listed, Listing, Observation, Store, StoreError,
    TitleOutcome,
};

use crate::rows::Rows;
use crate::support::{APPEND, Home, event, header, tree, user};

fn log() -> [String; 4] {
    let said = |seq, text: &str| event(seq, "user/message", &user(&text.into()), APPEND);
    [header("s", 1), said(0, "a"), said(1, "b"), said(2, "c")]
}

fn told(store: &dyn Store, id: &str) -> Vec<(&'static str, String)> {
    let mut outcomes = store
        .examine(&[id.into()], &CancellationToken::new())
        .unwrap();
    let found = outcomes.remove(0).unwrap();
    found
        .into_iter()
        .map(|own| (own.code(), own.detail))
        .collect()
}

#[test]
fn a_bad_line_and_a_torn_tail_are_told() {
    let [head, a, b, c] = log();
    let at = head.len() + a.len();
    let cut = |detail: &str| ("store.cut-off", format!("{detail}, line 3, byte {at}"));
    for (lines, messages, expected) in [
        ([&*head, &*a, &*b, &*c], 3, vec![]),
        (
            [&*head, &*a, "no JSON\n", &*c],
            1,
            vec![cut("a line that is no JSON")],
        ),
        (
            [&*head, &*a, &*c, ""],
            1,
            vec![cut("a gap in the event numbers")],
        ),
        (
            [&*head, &*a, &b[..30], ""],
            1,
            vec![("store.torn-tail", String::new())],
        ),
    ] {
        let home = Home::new();
        home.write("s", lines.concat().as_bytes());
        let before = tree(home.root());
        let surface = home.surface("s").unwrap().unwrap();
        assert_eq!(surface.events.len(), messages);
        assert_eq!(told(&home.open(DshOptions::default()), "s"), expected);
        // The read that gives the surface gives the losses.
        let losses: Vec<&str> = surface.losses.iter().map(Loss::code).collect();
        let codes: Vec<&str> = expected.iter().map(|own| own.0).collect();
        assert_eq!(losses, codes);
        assert_eq!(tree(home.root()), before);
    }
}

#[test]
fn a_gap_between_rows_is_told() {
    let home = Home::new();
    let path = home.root().join(DshDatabase::FILE);
    let rows = Rows::create(&path, 17);
    let [_, a, _, c] = log();
    for (id, lines) in [("whole", vec![&a]), ("gap", vec![&a, &c])] {
        rows.session(id, 1);
        for line in lines {
            rows.line(id, line, usize::MAX);
        }
    }
    let store = DshDatabase::open(&path, DshOptions::default());
    let losses = |id: &str| {
        let surface = store.surface(&id.into(), &CancellationToken::new());
        surface.unwrap().unwrap().losses.to_string()
    };
    assert_eq!(losses("whole"), "");
    let reason = "what stands behind a bad line was not read, as the harness does not read it: \
                  a gap in the event numbers, row 2";
    assert!(losses("gap").starts_with(reason), "{}", losses("gap"));
    assert_eq!(told(&store, "whole"), []);
    let [(code, detail)] = &told(&store, "gap")[..] else {
        panic!("one finding");
    };
    assert_eq!(*code, "store.cut-off");
    assert!(
        detail.starts_with("a gap in the event numbers, row 2"),
        "{detail}"
    );
    let absent = store.examine(&["absent".into()], &CancellationToken::new());
    assert!(absent.unwrap()[0].is_err());
}

/// A store that counts how often a log is read to its end.
#[derive(Debug)]
struct Counted {
    store: DshStore,
    reads: AtomicUsize,
}

impl Store for Counted {
    fn kind(&self) -> &'static str {
        self.store.kind()
    }

    fn root(&self) -> &Path {
        self.store.root()
    }

    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
        self.store.list(cancel)
    }

    fn find(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Listed>, StoreError> {
        self.store.find(id, cancel)
    }

    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        self.store.titles(ids, cancel)
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.store.observe(id, cancel)
    }

    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        self.reads.fetch_add(ids.len(), Ordering::SeqCst);
        self.store.examine(ids, cancel)
    }
}

/// A prompt waits for a read: what was lost costs no second one.
#[tokio::test]
async fn one_read_gives_the_surface_and_its_losses() {
    let [head, a, _, c] = log();
    let home = Home::new();
    home.write("s", [head, a, "no JSON\n".into(), c].concat().as_bytes());
    let counted = Arc::new(Counted {
        store: home.open(DshOptions::default()),
        reads: AtomicUsize::new(0),
    });
    let corpus = Corpus::new(vec![Arc::clone(&counted) as Arc<dyn Store>]);
    let (id, cancel) = ("s".into(), CancellationToken::new());
    let surface = corpus.surface(&id, &cancel).await.unwrap().unwrap();
    assert_eq!(surface.losses.iter().count(), 1);
    assert_eq!(counted.reads.load(Ordering::SeqCst), 1);
    let seen = corpus.observe(&id, &cancel).await.unwrap().unwrap();
    assert_eq!((seen.surface, seen.diagnostics.len()), (surface, 1));
    assert_eq!(counted.reads.load(Ordering::SeqCst), 2);
}

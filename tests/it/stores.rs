//! The reference stores.

use std::fs;
use std::path::Path;

use sref::session::json::{self, Object, Value};
use sref_tests::stores::{roots, run};
use tempfile::TempDir;

use crate::spoil::{leaves, spoil};
use crate::{assert_passed, names, own};

/// The roots of `stores`, and how many answers are recorded of each.
const ROOTS: &[(&str, usize)] = &[
    ("edge-raw", 483),
    ("edge-sqlite", 94),
    ("edge-zstd", 85),
    ("poison/opposite-encoding-raw", 7),
    ("poison/opposite-encoding-zstd", 7),
    ("poison/flat-layout", 4),
    ("poison/duplicate-id", 4),
    ("poison/wrong-directory", 10),
    ("poison/wrong-project", 7),
    ("poison/retired-header-field", 7),
    ("poison/empty-id", 4),
    ("poison/log-is-directory", 4),
    ("poison/zstd-bad-magic", 7),
    ("poison/zstd-header-two-lines", 7),
    ("poison/zstd-header-checksum", 7),
    ("refuse-sqlite/schema-14", 4),
    ("refuse-sqlite/schema-15", 4),
    ("refuse-sqlite/schema-16", 4),
    ("refuse-sqlite/schema-18", 4),
    ("refuse-sqlite/foreign-application", 4),
    ("refuse-sqlite/extra-table", 4),
    ("refuse-sqlite/extra-index", 4),
    ("refuse-sqlite/bad-store-id", 4),
    ("refuse-sqlite/no-store-id", 4),
    ("refuse-sqlite/bad-incarnation", 4),
    ("refuse-sqlite/relative-cwd", 4),
    ("refuse-sqlite/bad-origin", 4),
    ("sort-raw", 12),
    ("valid-raw", 329),
    ("valid-sqlite", 317),
    ("valid-zstd", 329),
    ("wal-sqlite", 4),
];

/// Runs the roots whose names begin like this. All recorded answers must be ours too.
fn check(prefix: &str) {
    let roots = ROOTS.iter().filter(|(root, _)| root.starts_with(prefix));
    let roots: Vec<(&str, usize)> = roots.copied().collect();
    let names: Vec<String> = roots.iter().map(|(root, _)| (*root).to_owned()).collect();
    assert_passed(&run(&own("stores"), &names).unwrap(), &roots);
}

macro_rules! stores {
    ($($test:ident $prefix:literal)*) => {
        $(
            #[test]
            fn $test() {
                check($prefix);
            }
        )*

        #[test]
        fn no_root_is_forgotten() {
            let there = roots(&own("stores")).unwrap();
            let known: Vec<&str> = ROOTS.iter().map(|(root, _)| *root).collect();
            assert_eq!(known, there);
            for root in known {
                assert!([$($prefix),*].iter().any(|prefix| root.starts_with(prefix)), "{root}");
            }
        }
    };
}

stores! {
    edge_raw "edge-raw"
    edge_sqlite "edge-sqlite"
    edge_zstd "edge-zstd"
    poison "poison/"
    refuse_sqlite "refuse-sqlite/"
    sort "sort-raw"
    valid_raw "valid-raw"
    valid_sqlite "valid-sqlite"
    valid_zstd "valid-zstd"
    wal_sqlite "wal-sqlite"
}

/// Whatever is changed in a recorded answer, its comparison fails.
#[test]
fn every_recorded_answer_is_compared() {
    let (store, answers) = ("valid-raw", 329);
    let folder = TempDir::new().unwrap();
    copy(&own("stores").join(store), &folder.path().join(store));
    let expected = fs::read(own(&format!("stores/expected/{store}.json"))).unwrap();
    let expected = json::parse(&expected).unwrap();
    // Enough rounds that leaves of every kind have their turn.
    for round in 0..3 {
        let spoilt = spoil_answers(&expected, round).to_json();
        fs::create_dir_all(folder.path().join("expected")).unwrap();
        fs::write(folder.path().join("expected/one.json"), spoilt).unwrap();
        let sections = run(folder.path(), &[]).unwrap();
        let lines: Vec<String> = sections.iter().map(ToString::to_string).collect();
        assert_eq!(lines, [format!("{store} 0 passed, {answers} failed")]);
    }
}

/// Spoils one leaf of each answer: another one in each round, and another one from answer to
/// answer.
fn spoil_answers(expected: &Value, round: usize) -> Value {
    let mut turn = round * 7;
    let mut spoil_next = |value: &Value| {
        turn += 1;
        spoil(value, turn % leaves(value))
    };
    let mut out = expected.as_object().unwrap().clone();
    let mut records = items(expected, "listSessions");
    let header = spoil_next(records[0].get("header").unwrap());
    records[0] = Object::new().with("header", header).into();
    out.set("listSessions", records);
    let mut titles = items(expected, "titles");
    for title in &mut titles {
        spoil_members(title, &["title"], &mut spoil_next);
    }
    out.set("titles", titles);
    let mut sessions = items(expected, "sessions");
    for session in &mut sessions {
        spoil_members(session, &["surface"], &mut spoil_next);
        let mut projections = Object::new();
        let recorded = session.get("projection").unwrap().as_object().unwrap();
        for (budget, projection) in recorded.iter() {
            let mut projection = projection.clone();
            let facts = ["stats", "dataBytes", "dataSha256", "conversationRoles"];
            // One of these, in turn; of the rest none is in every projection.
            let fact = facts[(round + projections.len()) % facts.len()];
            spoil_members(&mut projection, &[fact], &mut spoil_next);
            projections.set(budget.clone(), projection);
        }
        let Value::Object(session) = session else {
            unreachable!()
        };
        session.set("projection", projections);
    }
    out.set("sessions", sessions);
    let mut candidates = Object::new();
    for (name, list) in expected
        .get("candidates")
        .unwrap()
        .as_object()
        .unwrap()
        .iter()
    {
        candidates.set(name.clone(), spoil_next(list));
    }
    out.set("candidates", candidates);
    out.into()
}

fn items(value: &Value, key: &str) -> Vec<Value> {
    value.get(key).unwrap().as_array().unwrap().to_vec()
}

/// Spoils the code of whichever failure is recorded, or else the given members.
fn spoil_members(answer: &mut Value, keys: &[&str], spoil_next: &mut impl FnMut(&Value) -> Value) {
    let Value::Object(members) = answer else {
        unreachable!("an answer is an object")
    };
    for key in ["error", "surfaceError"] {
        if let Some(error) = members.get(key) {
            let code = spoil_next(error.get("code").unwrap());
            members.set(key, Object::new().with("code", code));
            return;
        }
    }
    for key in keys {
        let value = spoil_next(members.get(key).unwrap());
        members.set(*key, value);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

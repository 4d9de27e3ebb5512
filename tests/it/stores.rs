//! The reference stores.

use std::fs;
use std::path::Path;

use sref::session::json::{self, Object, Value};
use sref_tests::stores::{roots, run};
use tempfile::TempDir;

use crate::spoil::{leaves, spoil};
use crate::{assert_passed, names, own};

/// Roots, and how many answers are recorded of each.
type Roots = &'static [(&'static str, usize)];

const STORES: Roots = &[
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

const NEWER: Roots = &[
    ("v0r", 2),
    ("v1", 3),
    ("v2", 3),
    ("v3", 4),
    ("v4", 4),
    ("edge3", 17),
    ("edge4", 34),
    ("z3", 4),
    ("z4", 4),
    ("p-mismatch", 2),
    ("p-opposite", 3),
    ("p-retired", 2),
    ("p-wrongpath", 2),
];

/// Runs the roots of a folder whose names begin like this. All recorded answers must be ours too.
fn check(folder: &str, roots: Roots, prefix: &str) {
    let roots = roots.iter().filter(|(root, _)| root.starts_with(prefix));
    let roots: Vec<(&str, usize)> = roots.copied().collect();
    let names: Vec<String> = roots.iter().map(|(root, _)| (*root).to_owned()).collect();
    assert_passed(&run(&own(folder), &names).unwrap(), &roots);
}

macro_rules! stores {
    ($($test:ident $prefix:literal)*) => {
        $(
            #[test]
            fn $test() {
                check("stores", STORES, $prefix);
            }
        )*

        /// What the tests above run.
        const PREFIXES: &[&str] = &[$($prefix),*];
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

#[test]
fn later_formats() {
    check("stores-newer", NEWER, "");
}

#[test]
fn no_root_is_forgotten() {
    for (folder, known) in [("stores", STORES), ("stores-newer", NEWER)] {
        let known: Vec<&str> = known.iter().map(|(root, _)| *root).collect();
        assert_eq!(known, roots(&own(folder)).unwrap());
    }
    for (root, _) in STORES {
        let run = PREFIXES.iter().any(|prefix| root.starts_with(prefix));
        assert!(run, "no test runs {root}");
    }
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
        let spoilt = match members.get(key) {
            None => continue,
            Some(code @ Value::String(_)) => spoil_next(code),
            Some(error) => {
                let code = spoil_next(error.get("code").unwrap());
                Object::new().with("code", code).into()
            }
        };
        members.set(key, spoilt);
        return;
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

/// The same where several releases have answered: whichever of them is ours.
#[test]
fn every_recorded_answer_about_later_formats_is_compared() {
    let folder = TempDir::new().unwrap();
    let original = own("stores-newer");
    for (root, _) in NEWER {
        copy(&original.join(root), &folder.path().join(root));
    }
    let expected = json::parse(&fs::read(original.join("expected.json")).unwrap()).unwrap();
    let mut out = Object::new();
    for (key, recorded) in expected.as_object().unwrap().iter() {
        let mut recorded = recorded.as_object().unwrap().clone();
        for key in ["list", "listError"] {
            let value = recorded.get(key).filter(|value| !value.is_null()).cloned();
            if let Some(value) = value {
                recorded.set(key, spoil(&value, 0));
            }
        }
        let mut sessions = Object::new();
        for (id, answer) in recorded
            .get("sessions")
            .unwrap()
            .as_object()
            .unwrap()
            .iter()
        {
            let mut answer = answer.clone();
            let members = ["conversation", "title", "compacted"];
            let member = members[sessions.len() % members.len()];
            spoil_members(&mut answer, &[member], &mut |value| spoil(value, 0));
            sessions.set(id.clone(), answer);
        }
        recorded.set("sessions", sessions);
        out.set(key.clone(), recorded);
    }
    fs::write(
        folder.path().join("expected.json"),
        Value::from(out).to_json(),
    )
    .unwrap();
    let sections = run(folder.path(), &[]).unwrap();
    let passed: Vec<String> = sections
        .iter()
        .filter(|section| section.passed() > 0)
        .map(ToString::to_string)
        .collect();
    // Of one session the only answer is a refusal that is not ours.
    assert_eq!(passed, ["edge4 1 passed, 33 failed"]);
}

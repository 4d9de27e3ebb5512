//! Which databases are read, and what a bad row costs (`spec/dsh-store.md` 5.1, 5.2, 5.5).

use std::path::{Path, PathBuf};

use rusqlite::params;
use sref_stores::dsh::{DshDatabase, DshOptions, Encoding};
use sref_stores::{CancellationToken, Store, StoreError, StoreErrorKind};

use crate::rows::Rows;
use crate::support::{APPEND, Home, event, message, shown, tree, user};

/// What a writer compresses.
const LARGE: usize = 4096;

fn isolating(path: &Path) -> DshDatabase {
    DshDatabase::open(path, DshOptions::default())
}

fn strict(path: &Path) -> DshDatabase {
    DshDatabase::open(path, DshOptions::strict(Encoding::Any))
}

fn ids(store: &DshDatabase) -> Result<Vec<String>, StoreError> {
    let listing = store.list(&CancellationToken::new())?;
    let id =
        |listed: &sref_stores::Listed| listed.header.id.as_js_string().to_string_lossy().into();
    Ok(listing.sessions.iter().map(id).collect())
}

/// What a surface says: numbers and texts.
fn surface(store: &DshDatabase, id: &str) -> Result<Option<Vec<(u64, String)>>, StoreError> {
    let surface = store.surface(&id.into(), &CancellationToken::new())?;
    Ok(surface.map(|surface| {
        let events = shown(&surface).into_iter();
        events
            .map(|(seq, _, texts)| (seq, texts[0].to_string_lossy().into()))
            .collect()
    }))
}

/// A session of two messages, the second in the place of the first.
fn session(rows: &Rows, id: &str, created_at: i64) {
    rows.session(id, created_at);
    rows.line(
        id,
        &event(0, "user/message", &user(&"first".into()), APPEND),
        LARGE,
    );
    let data = message(
        "user",
        &"summary".into(),
        r#""source":{"kind":"plugin","plugin":"compact"}"#,
    );
    let replace = r#","surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0]"#;
    rows.line(id, &event(1, "user/message", &data, replace), LARGE);
}

fn store(home: &Home, schema: i64) -> (PathBuf, Rows) {
    let path = home.root().join(DshDatabase::FILE);
    let rows = Rows::create(&path, schema);
    (path, rows)
}

#[test]
fn older_schemas_are_read_unless_strict() {
    for (schema, is_strict) in [(14, false), (15, false), (17, true)] {
        let home = Home::new();
        let (path, rows) = store(&home, schema);
        session(&rows, "a", 1);
        session(&rows, "b", 2);
        let before = tree(home.root());
        let summary = Some(vec![(1, "summary".to_owned())]);
        assert_eq!(ids(&isolating(&path)).unwrap(), ["b", "a"], "{schema}");
        assert_eq!(
            surface(&isolating(&path), "a").unwrap(),
            summary,
            "{schema}"
        );
        if is_strict {
            assert_eq!(ids(&strict(&path)).unwrap(), ["b", "a"]);
            assert_eq!(surface(&strict(&path), "a").unwrap(), summary);
        } else {
            for error in [
                ids(&strict(&path)).unwrap_err(),
                surface(&strict(&path), "a").unwrap_err(),
            ] {
                assert_eq!(error.kind(), StoreErrorKind::Unsupported);
                assert!(
                    error.to_string().contains(&format!("schema {schema}")),
                    "{error}"
                );
            }
        }
        assert_eq!(tree(home.root()), before);
    }
}

/// Schema 15 has flags, schema 14 none.
#[test]
fn an_unknown_type_is_ignorable_where_a_flag_says_so() {
    let later = event(0, "later/event", "[[1]]", r#","ignorable":true"#);
    for (schema, is_read) in [(14, false), (15, true), (17, true)] {
        let home = Home::new();
        let (path, rows) = store(&home, schema);
        rows.session("a", 1);
        rows.line("a", &later, LARGE);
        match surface(&isolating(&path), "a") {
            Ok(surface) => assert!(is_read && surface == Some(vec![])),
            Err(error) => assert!(!is_read && error.kind() == StoreErrorKind::Unsupported),
        }
    }
}

#[test]
fn what_is_no_store_is_refused() {
    for change in [
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 16",
        "PRAGMA user_version = 18",
        "PRAGMA application_id = 0",
        "PRAGMA application_id = 0x44534851",
        "DROP TABLE events",
        "ALTER TABLE events DROP COLUMN surface_op",
        "ALTER TABLE sessions RENAME COLUMN cwd TO directory",
    ] {
        let home = Home::new();
        let (path, rows) = store(&home, 17);
        session(&rows, "a", 1);
        rows.connection.execute_batch(change).unwrap();
        for store in [isolating(&path), strict(&path)] {
            let error = ids(&store).unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Unsupported, "{change}");
            let error = surface(&store, "a").unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Unsupported, "{change}");
        }
    }
}

/// The reference refuses what it did not make; nothing of it is needed to read the rest.
#[test]
fn what_is_beside_the_tables_matters_to_the_reference_alone() {
    for change in [
        "CREATE TABLE \"a table\u{1b}[31m\" (x)",
        "CREATE INDEX more ON events (type)",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN SELECT 1; END",
        "DELETE FROM persistence_state",
        "UPDATE persistence_state SET store_id = 'x'",
    ] {
        let home = Home::new();
        let (path, rows) = store(&home, 17);
        session(&rows, "a", 1);
        rows.connection.execute_batch(change).unwrap();
        assert_eq!(ids(&isolating(&path)).unwrap(), ["a"], "{change}");
        assert!(surface(&isolating(&path), "a").unwrap().is_some());
        let error = ids(&strict(&path)).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unsupported, "{change}");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
}

/// 5.2 [R:bad-incarnation, relative-cwd, bad-origin]: strictly every session, isolating its own.
#[test]
fn a_bad_session_row_costs_itself_or_in_strict_mode_all() {
    for (column, value) in [
        ("version", "1.5e18"),
        ("created_at", "-1"),
        ("cwd", "'relative'"),
        ("seed_length", "-1"),
        ("origin", "'user'"),
        ("delegation_depth", "9007199254740992"),
        ("incarnation", "'none'"),
        ("revision", "-1"),
        ("id", "''"),
    ] {
        let home = Home::new();
        let (path, rows) = store(&home, 17);
        session(&rows, "good", 1);
        rows.session("bad", 2);
        let change =
            format!("UPDATE sessions SET {column} = CAST({value} AS INTEGER) WHERE id = 'bad'");
        let text = format!("UPDATE sessions SET {column} = {value} WHERE id = 'bad'");
        let change = if value.starts_with('\'') {
            text
        } else {
            change
        };
        rows.connection.execute(&change, params![]).unwrap();

        let store = isolating(&path);
        assert_eq!(ids(&store).unwrap(), ["good"], "{column}");
        let listing = store.list(&CancellationToken::new()).unwrap();
        let codes: Vec<_> = listing
            .diagnostics
            .iter()
            .map(sref_stores::Diagnostic::code)
            .collect();
        assert_eq!(codes.len(), 1, "{column}");
        assert!(surface(&store, "good").unwrap().is_some());
        if column != "id" {
            let error = surface(&store, "bad").unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Damaged, "{column}");
        }
        for id in ["good", "bad"] {
            let error = surface(&strict(&path), id).unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Listing, "{column}");
        }
    }
}

/// 5.3: a row of the wrong kind fails its own session at once.
#[test]
fn a_bad_event_row_costs_its_session() {
    let home = Home::new();
    let (path, rows) = store(&home, 17);
    session(&rows, "good", 1);
    session(&rows, "bad", 2);
    let change = "UPDATE events SET data = 7 WHERE session_id = 'bad' AND seq = 1";
    rows.connection.execute(change, []).unwrap();
    for store in [isolating(&path), strict(&path)] {
        let error = surface(&store, "bad").unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        let start = format!("{}: damaged log: ", path.display());
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(error.to_string().ends_with(" (row 2)"), "{error}");
        assert!(surface(&store, "good").unwrap().is_some());
        let titles = store
            .titles(&["bad".into(), "good".into()], &CancellationToken::new())
            .unwrap();
        assert!(titles[0].is_err() && titles[1].is_ok());
    }
}

#[test]
fn an_absent_file_is_an_empty_store() {
    let home = Home::new();
    for store in [isolating(home.root()), isolating(&home.root().join("x.db"))] {
        assert!(ids(&store).unwrap().is_empty());
        assert_eq!(surface(&store, "a").unwrap(), None);
        assert!(
            store
                .find(&"a".into(), &CancellationToken::new())
                .unwrap()
                .is_none()
        );
    }
    assert_eq!(tree(home.root()).len(), 1);
}

//! Databases that somebody else has open.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use sref_stores::dsh::{DshDatabase, DshOptions};
use sref_stores::{CancellationToken, Store as _};

const SCHEMA: &str = "PRAGMA application_id = 0x44534850; PRAGMA user_version = 17;
CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY CHECK (singleton = 1), store_id TEXT NOT NULL) STRICT;
CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT, parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
CREATE TABLE events (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL, data ANY NOT NULL, source_event_seqs ANY, surface_op TEXT, ignorable INTEGER CHECK (ignorable IS NULL OR ignorable IN (0, 1)), PRIMARY KEY (session_id, seq)) STRICT;
INSERT INTO persistence_state VALUES (1, '11111111-1111-4111-8111-111111111111');
INSERT INTO sessions VALUES ('one', 0, 5, '/work', NULL, NULL, NULL, 0, NULL, '11111111-1111-4111-8111-111111111111', 1);";

/// A writer that holds its lock for long keeps nobody waiting: what was committed before is read.
#[test]
fn a_locked_database_is_read_at_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(DshDatabase::FILE);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL;").unwrap();
    writer.execute_batch(SCHEMA).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; UPDATE sessions SET created_at = 9;")
        .unwrap();
    let started = Instant::now();
    let store = DshDatabase::open(path, DshOptions::default());
    let listing = store.list(&CancellationToken::new()).unwrap();
    assert_eq!(listing.sessions[0].header.created_at, 5);
    assert!(started.elapsed() < Duration::from_secs(5));
    writer.execute_batch("COMMIT").unwrap();
    let listing = store.list(&CancellationToken::new()).unwrap();
    assert_eq!(listing.sessions[0].header.created_at, 9);
}

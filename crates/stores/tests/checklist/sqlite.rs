//! What a database does to its readers. Most of it is tested beside the reader: see the table.

use rusqlite::Connection;
use sref_stores::dsh::{DshDatabase, DshOptions};
use sref_stores::{CancellationToken, Store as _};

const TABLES: &str = "PRAGMA application_id = 0x44534850; PRAGMA user_version = 17;
CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY, store_id TEXT NOT NULL) STRICT;
CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT, parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
CREATE TABLE events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL, data ANY NOT NULL, source_event_seqs ANY, surface_op TEXT, ignorable INTEGER, PRIMARY KEY (session_id, seq)) STRICT;
INSERT INTO persistence_state VALUES (1, '11111111-1111-4111-8111-111111111111');
INSERT INTO sessions VALUES ('s', 0, 5, '/work', NULL, NULL, NULL, 0, NULL, '11111111-1111-4111-8111-111111111111', 1);
INSERT INTO events VALUES ('s', 0, 'user/message', 5, '{\"id\":\"m\",\"role\":\"user\",\"source\":{\"kind\":\"user\"},\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}', NULL, '\"append\"', NULL);";

/// A writer that holds its lock makes no reader wait: what was committed is read.
#[test]
fn a_locked_database_is_read_at_once() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(DshDatabase::FILE);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch(TABLES).unwrap();
    writer
        .execute_batch("BEGIN EXCLUSIVE; DELETE FROM events;")
        .unwrap();

    let store = DshDatabase::open(&path, DshOptions::default());
    let cancel = CancellationToken::new();
    assert_eq!(store.list(&cancel).unwrap().sessions.len(), 1);
    let surface = store.surface(&"s".into(), &cancel).unwrap().unwrap();
    assert_eq!(surface.events.len(), 1);

    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.surface(&"s".into(), &cancel).unwrap(), Some(surface));
}

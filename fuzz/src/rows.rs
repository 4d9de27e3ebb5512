use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use sref_stores::dsh::{DshDatabase, DshOptions};

use crate::log::{check, read, with_directory};

const TABLES: &str = "PRAGMA application_id = 0x44534850; PRAGMA user_version = 17;
CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY, store_id TEXT NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT, parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL, data ANY NOT NULL, source_event_seqs ANY, surface_op TEXT, ignorable INTEGER, PRIMARY KEY (session_id, seq));
INSERT INTO persistence_state VALUES (1, '11111111-1111-4111-8111-111111111111');
INSERT INTO sessions VALUES ('s-1', 0, 5, '/work', NULL, NULL, NULL, 0, NULL, '11111111-1111-4111-8111-111111111111', 1);";

/// A database costs at most what of it cannot be read, and reads the same every time.
///
/// Each line is a row of one session: its columns behind the id, separated by tabs. A column is
/// NULL when it is empty, a number when it reads as one, a blob behind `#`, else text. Behind a line
/// `!` stand bytes that the file gets instead of its own: the place in two bytes, then the byte.
pub fn rows(data: &[u8]) {
    let (rows, damage) = match find(data, b"\n!\n") {
        Some(at) => (&data[..at], &data[at + 3..]),
        None => (data, &data[..0]),
    };
    with_directory(|root| {
        let path = root.join(DshDatabase::FILE);
        // What SQLite itself refuses is no row.
        write(&path, rows).expect("a database");
        if !damage.is_empty() {
            spoil(&path, damage);
        }
        let read = || {
            let store = DshDatabase::open(&path, DshOptions::default());
            read(&store, "s-1")
        };
        if damage.is_empty() {
            check(read);
        } else {
            // A file that is no database any more may fail as a whole.
            assert_eq!(read(), read(), "the same every time");
        }
    });
}

fn write(path: &Path, rows: &[u8]) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    for row in rows.split(|byte| *byte == b'\n').take(64) {
        let mut columns: Vec<Value> = row.split(|byte| *byte == b'\t').map(value).collect();
        columns.resize(7, Value::Null);
        let _ = transaction.execute(
            "INSERT INTO events VALUES ('s-1', ?, ?, ?, ?, ?, ?, ?)",
            params_from_iter(columns),
        );
    }
    transaction.commit()
}

fn value(column: &[u8]) -> Value {
    match column {
        [] => Value::Null,
        [b'#', blob @ ..] => Value::Blob(blob.to_vec()),
        text => {
            let text = String::from_utf8_lossy(text);
            match text.parse() {
                Ok(number) => Value::Integer(number),
                Err(_) => Value::Text(text.into_owned()),
            }
        }
    }
}

fn spoil(path: &Path, damage: &[u8]) {
    let mut bytes = std::fs::read(path).expect("the database");
    for change in damage.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let len = bytes.len();
        bytes[at % len] = change[2];
    }
    std::fs::write(path, bytes).expect("the database");
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

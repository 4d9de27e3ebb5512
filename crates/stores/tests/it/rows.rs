//! A writer of SQLite stores (`spec/dsh-store.md` 5).

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params};
use sref_session::json;

const STATE: &str = "CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY CHECK (singleton = 1), store_id TEXT NOT NULL) STRICT;";
const SESSIONS: &str = "CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT, parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;";
const UUID: &str = "11111111-1111-4111-8111-111111111111";

/// A store with its writer's connection.
pub(crate) struct Rows {
    pub(crate) connection: Connection,
    schema: i64,
}

impl Rows {
    /// An empty store of a schema.
    pub(crate) fn create(path: &Path, schema: i64) -> Self {
        let connection = Connection::open(path).unwrap();
        let (data, ignorable) = match schema {
            14 => ("TEXT", ""),
            15 => ("TEXT", "ignorable INTEGER,"),
            _ => (
                "ANY",
                "ignorable INTEGER CHECK (ignorable IS NULL OR ignorable IN (0, 1)),",
            ),
        };
        let events = format!(
            "CREATE TABLE events (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL, data {data} NOT NULL, source_event_seqs {data}, surface_op TEXT, {ignorable} PRIMARY KEY (session_id, seq)) STRICT;"
        );
        let pragmas =
            format!("PRAGMA application_id = 0x44534850; PRAGMA user_version = {schema};");
        connection
            .execute_batch(&[&*pragmas, STATE, SESSIONS, &*events].concat())
            .unwrap();
        connection
            .execute("INSERT INTO persistence_state VALUES (1, ?1)", [UUID])
            .unwrap();
        Self { connection, schema }
    }

    /// The header of a session in `/work`.
    pub(crate) fn session(&self, id: &str, created_at: i64) {
        self.connection
            .execute(
                "INSERT INTO sessions VALUES (?1, 0, ?2, '/work', NULL, NULL, NULL, 0, NULL, ?3, 1)",
                params![id, created_at, UUID],
            )
            .unwrap();
    }

    /// A line of a log as the row that it is in this schema; with data from so many bytes on
    /// compressed.
    pub(crate) fn line(&self, id: &str, line: &str, compress_from: usize) {
        let record = json::parse(line.trim_end().as_bytes()).unwrap();
        let text = |key: &str| record.get(key).map(json::Value::to_json);
        let number = |key: &str| text(key).map(|text| text.parse::<i64>().unwrap());
        let kind = record.get("type").unwrap().as_string().unwrap();
        let kind = kind.to_string_lossy();
        let packed = record.get("seq0").is_some();
        let (seq, time) = if packed {
            (number("seq0"), number("time0"))
        } else {
            (number("seq"), number("time"))
        };
        let data = text("data").unwrap();
        let data = match self.schema {
            17 if data.len() >= compress_from => {
                Value::Blob(zstd::bulk::compress(data.as_bytes(), 3).unwrap())
            }
            _ => Value::Text(data),
        };
        let sources = text("sourceEventSeqs").map_or(Value::Null, |list| match self.schema {
            17 => Value::Blob(varints(&list)),
            _ => Value::Text(list),
        });
        let flag = match (packed, record.get("ignorable").is_some()) {
            (true, _) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        };
        let values = params![id, seq, kind, time, data, sources, text("surfaceOp"), flag];
        let (places, values) = match self.schema {
            14 => ("?1, ?2, ?3, ?4, ?5, ?6, ?7", &values[..7]),
            _ => ("?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8", values),
        };
        let sql = format!("INSERT INTO events VALUES ({places})");
        let mut statement = self.connection.prepare_cached(&sql).unwrap();
        statement.execute(values).unwrap();
    }
}

/// A list of event numbers, ranges written out, as varints: the first, then zigzag differences.
fn varints(list: &str) -> Vec<u8> {
    let list = json::parse(list.as_bytes()).unwrap();
    let number = |value: &json::Value| value.to_json().parse::<i64>().unwrap();
    let numbers = list.as_array().unwrap().iter().flat_map(|item| {
        let ends: Vec<i64> = match item.as_array() {
            Some(ends) => ends.iter().map(number).collect(),
            None => vec![number(item)],
        };
        ends[0]..=ends[ends.len() - 1]
    });
    let (mut out, mut previous) = (Vec::new(), None::<i64>);
    for number in numbers {
        let mut value = match previous.map(|previous| number - previous) {
            None => number.unsigned_abs(),
            Some(step) if step >= 0 => 2 * step.unsigned_abs(),
            Some(step) => 2 * step.unsigned_abs() - 1,
        };
        previous = Some(number);
        while value > 0x7F {
            out.push(u8::try_from(value & 0x7F).unwrap() | 0x80);
            value >>= 7;
        }
        out.push(u8::try_from(value).unwrap());
    }
    out
}

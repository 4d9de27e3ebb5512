//! Which databases are stores, and the rows of their sessions (`spec/dsh-store.md` 5.1, 5.2, 5.5).

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use sref_session::{JsString, SessionHeader, SessionId};

use crate::Mode;
use crate::dsh::header::is_absolute;

/// `DSHP`
const APPLICATION: i64 = 0x4453_4850;

/// A layout of the tables, by the release that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// 0.0.1: one row an event, all JSON text.
    V14,
    /// 0.1.0-rc.7: and `ignorable`.
    V15,
    /// 0.1.0-rc.8 and later: packed rows, compressed data, sources as varints.
    V17,
}

const TABLES: [(&str, &[&str]); 3] = [
    ("persistence_state", &["singleton", "store_id"]),
    (
        "sessions",
        &[
            "id",
            "version",
            "created_at",
            "cwd",
            "parent_session",
            "seed_length",
            "origin",
            "delegation_depth",
            "agent_preset",
            "incarnation",
            "revision",
        ],
    ),
    (
        "events",
        &[
            "session_id",
            "seq",
            "type",
            "time",
            "data",
            "source_event_seqs",
            "surface_op",
            "ignorable",
        ],
    ),
];

impl Schema {
    /// Tells the schema of a database.
    ///
    /// As the reference has it, anything beside the three tables refuses the database; isolating,
    /// what is not needed is not looked at.
    pub(super) fn of(
        connection: &Connection,
        mode: Mode,
    ) -> rusqlite::Result<Result<Self, String>> {
        let number =
            |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let application = number("application_id")?;
        if application != APPLICATION {
            let id = match application {
                0 => String::new(),
                other => format!(", whose application id is {other:#x}"),
            };
            return Ok(Err(format!("a database of another program{id}")));
        }
        let version = number("user_version")?;
        let schema = match (version, mode) {
            (17, _) => Self::V17,
            (15, Mode::Isolating) => Self::V15,
            (14, Mode::Isolating) => Self::V14,
            _ => return Ok(Err(format!("a database of schema {version}"))),
        };
        if mode == Mode::Strict
            && let Some(fault) = strict_fault(connection)?
        {
            return Ok(Err(fault));
        }
        for (table, columns) in TABLES {
            let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let found: Vec<String> = statement
                .query_map([table], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let needed = columns
                .iter()
                .filter(|name| schema != Self::V14 || **name != "ignorable");
            for name in needed {
                if !found.iter().any(|found| found == name) {
                    return Ok(Err(format!("no column {table}.{name}")));
                }
            }
        }
        Ok(Ok(schema))
    }
}

/// What the reference refuses a database of its own schema for.
fn strict_fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare(
        "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        if kind != "table" || !TABLES.iter().any(|(table, _)| *table == name) {
            let name = JsString::from(name);
            return Ok(Some(format!(
                "a {kind} {} of its own",
                name.as_js_str().excerpt()
            )));
        }
    }
    drop(rows);
    let mut statement = connection.prepare("SELECT store_id FROM persistence_state")?;
    let ids: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    match &ids[..] {
        [id] if is_uuid(id) => Ok(None),
        _ => Ok(Some("no store id".into())),
    }
}

pub(super) const SESSION_COLUMNS: &str = "id, version, created_at, cwd, parent_session, seed_length, \
     origin, delegation_depth, agent_preset, incarnation, revision";

/// Reads a row of `sessions`; the error says which rule it breaks.
pub(super) fn header(row: &Row<'_>) -> Result<SessionHeader, String> {
    let text = |at: usize, name: &str| match row.get_ref(at) {
        Ok(ValueRef::Text(text)) => Ok(Some(JsString::from_utf8_lossy(text))),
        Ok(ValueRef::Null) => Ok(None),
        _ => Err(format!("{name} is no text")),
    };
    let integer = |at: usize, name: &str| match row.get_ref(at) {
        Ok(ValueRef::Integer(value)) if value.unsigned_abs() < 1 << 53 => Ok(Some(value)),
        Ok(ValueRef::Null) => Ok(None),
        _ => Err(format!("{name} is no integer")),
    };
    let count = |at: usize, name: &str| match integer(at, name)? {
        None => Ok(None),
        Some(value) => u64::try_from(value)
            .map(Some)
            .map_err(|_| format!("{name} is negative")),
    };
    let needed = |name: &str| format!("{name} is missing");
    let id = text(0, "id")?
        .filter(|id| !id.is_empty())
        .ok_or_else(|| needed("id"))?;
    let version = integer(1, "version")?.ok_or_else(|| needed("version"))?;
    let created_at = count(2, "created_at")?.ok_or_else(|| needed("created_at"))?;
    let mut header = SessionHeader::new(SessionId::new(id), created_at.cast_signed());
    header.version = u64::try_from(version).ok();
    header.cwd = text(3, "cwd")?;
    header.parent_session = text(4, "parent_session")?.map(SessionId::new);
    header.seed_length = count(5, "seed_length")?;
    header.origin = text(6, "origin")?;
    header.delegation_depth = count(7, "delegation_depth")?;
    header.agent_preset = text(8, "agent_preset")?;
    if header.cwd.as_ref().is_some_and(|cwd| !is_absolute(cwd)) {
        return Err("cwd is relative".into());
    }
    if header
        .origin
        .as_ref()
        .is_some_and(|origin| *origin != *"subagent")
    {
        return Err("an unknown origin".into());
    }
    let incarnation = text(9, "incarnation")?.ok_or_else(|| needed("incarnation"))?;
    if !incarnation.as_str().is_some_and(is_uuid) {
        return Err("incarnation is no UUID".into());
    }
    count(10, "revision")?.ok_or_else(|| needed("revision"))?;
    Ok(header)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

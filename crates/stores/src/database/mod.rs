//! SQLite files of agents, read without leaving a trace (`spec/agent-logs.md` 1.6).
//!
//! A plain read-only connection is not enough: in WAL mode it creates a `-shm` file, and an
//! `immutable` one does not see what stands in the `-wal` file alone. So a database without a WAL is
//! opened as immutable; for one with a WAL connections use SQLite's VFS without locks, keep the WAL
//! index in memory (exclusive locking mode), and never checkpoint. Without locks a writer may get in
//! between; [`snapshot`] therefore compares the files before and after and reads again when they
//! changed.

#[cfg(test)]
mod tests;

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use sref_session::JsStr;
use tokio_util::sync::CancellationToken;

use crate::{StoreError, StoreErrorKind, file};

#[cfg(unix)]
const VFS: &str = "unix-none";
#[cfg(windows)]
const VFS: &str = "win32-none";

/// How often a database that changes is read again.
const ATTEMPTS: u32 = 5;

/// Reads a database in one consistent state.
///
/// `read` may run several times; what it returned for a state that did not last is dropped.
pub(crate) fn snapshot<T>(
    path: &Path,
    cancel: &CancellationToken,
    mut read: impl FnMut(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    for attempt in 0..ATTEMPTS {
        if cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(20) * attempt);
        }
        let before = observe(path)?;
        if let Some(fault) = is_no_database(path).map_err(|error| StoreError::io(path, error))? {
            return Err(StoreError::new(StoreErrorKind::Unsupported, fault).at_path(path));
        }
        let outcome = open(path).and_then(|connection| read(&connection));
        // An error under change may be the change's doing: a torn page reads as damage.
        if observe(path)? == before {
            return outcome;
        }
    }
    Err(StoreError::new(StoreErrorKind::Changing, "").at_path(path))
}

/// Why a file is no database, if it is none: SQLite would wait for a pipe, and say of a text
/// something about a page of it. An empty file is a database without tables.
fn is_no_database(path: &Path) -> io::Result<Option<&'static str>> {
    const MAGIC: &[u8; 16] = b"SQLite format 3\0";
    let (mut log, _) = match file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut first = Vec::new();
    log.by_ref().take(16).read_to_end(&mut first)?;
    let fits = first.is_empty() || first == MAGIC;
    Ok((!fits).then_some("neither a directory nor an SQLite database"))
}

/// A connection that can neither write nor lock.
fn open(path: &Path) -> Result<Connection, StoreError> {
    let failed = |error: &rusqlite::Error| sql_error(path, error);
    if journal_is_hot(path) {
        // A transaction was cut off. Rolling it back would write; reading without that would read
        // half a transaction.
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            "a transaction was interrupted; open the database once with its own program",
        )
        .at_path(path));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // An empty WAL is none. Asked to use a WAL that is not there, SQLite would create it.
    let wal = beside(path, "-wal")
        .metadata()
        .is_ok_and(|data| data.len() > 0);
    let connection =
        Connection::open_with_flags(uri(path, wal), flags).map_err(|error| failed(&error))?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .and_then(|_| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true))
        // Before the first read: only then the WAL index stays in memory.
        .and_then(|_| connection.query_row("PRAGMA locking_mode = EXCLUSIVE", [], |_| Ok(())))
        .and_then(|()| connection.execute_batch("PRAGMA query_only = 1; PRAGMA trusted_schema = 0"))
        .map_err(|error| failed(&error))?;
    Ok(connection)
}

/// `path` as SQLite's URI. Percent signs, question marks and hashes would end it.
fn uri(path: &Path, wal: bool) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out.push_str("?mode=ro");
    if wal {
        out.push_str("&vfs=");
        out.push_str(VFS);
    } else {
        out.push_str("&immutable=1");
    }
    out
}

/// A database error, told by what a caller can do about it.
pub(crate) fn sql_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    let detail = JsStr::from(error.to_string().as_str())
        .excerpt()
        .to_string();
    StoreError::new(StoreErrorKind::Damaged, detail).at_path(path)
}

/// What tells one state of a database from another: main file and WAL.
///
/// Not their times of change: run as root, SQLite sets the owner of a WAL to what it is.
type Observation = [Option<(u64, SystemTime, Identity)>; 2];

/// Device and inode, where the host has them.
type Identity = (u64, u64);

fn observe(path: &Path) -> Result<Observation, StoreError> {
    let state = |path: &Path| match fs::metadata(path) {
        Ok(data) => {
            let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            Ok(Some((data.len(), modified, identity(&data))))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, error)),
    };
    Ok([state(path)?, state(&beside(path, "-wal"))?])
}

#[cfg(unix)]
fn identity(data: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (data.dev(), data.ino())
}

#[cfg(not(unix))]
const fn identity(_: &Metadata) -> Identity {
    (0, 0)
}

/// Whether a rollback journal with content lies beside the database.
fn journal_is_hot(path: &Path) -> bool {
    let journal = beside(path, "-journal");
    // A finished journal is empty, or its header is zeroed.
    file::open(&journal).is_ok_and(|(mut journal, _)| {
        let mut first = [0_u8; 8];
        journal.read_exact(&mut first).is_ok() && first != [0; 8]
    })
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

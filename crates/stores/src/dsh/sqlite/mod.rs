//! The SQLite store of releases before 0.1.2 (`spec/dsh-store.md` 5).

mod rows;
mod schema;
mod varint;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};
use sref_session::{JsString, SessionHeader};
use tokio_util::sync::CancellationToken;

use self::schema::{SESSION_COLUMNS, Schema};
use super::DshOptions;
use super::format::{FORMAT_0, format};
use super::header::LogHeader;
use super::load::{Loaded, Loader, Want};
use super::scan::Scan;
use crate::database::{snapshot, sql_error};
use crate::{
    Diagnostic, DiagnosticKind, Examination, Listed, Listing, Mode, Observation, Position, Store,
    StoreError, StoreErrorKind, TitleOutcome, each,
};

/// How many rows are read between two looks at the cancellation token.
const ROWS_BETWEEN_LOOKS: u64 = 64;

/// A store of DeepSeek Harness in one SQLite file: schema 17, and 14 and 15 unless strict.
///
/// Rows that stand in the write-ahead log alone are read. Nothing is created or changed beside the
/// file, not even what SQLite itself would keep there while it reads.
#[derive(Debug)]
pub struct DshDatabase {
    path: PathBuf,
    options: DshOptions,
}

impl DshDatabase {
    /// The name of the file in a directory.
    pub const FILE: &str = "sessions.db";

    /// The store in a file, or in the `sessions.db` of a directory. An absent file is an empty
    /// store; one that is no such store fails the first call.
    pub fn open(path: impl Into<PathBuf>, options: DshOptions) -> Self {
        let mut path = path.into();
        if path.is_dir() {
            path.push(Self::FILE);
        }
        Self { path, options }
    }

    fn read<T>(
        &self,
        cancel: &CancellationToken,
        read: impl Fn(&Connection, Schema) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        snapshot(&self.path, cancel, |connection| {
            let schema = Schema::of(connection, self.options.mode)
                .map_err(|error| sql_error(&self.path, &error))?
                .map_err(|detail| {
                    StoreError::new(StoreErrorKind::Unsupported, detail).at_path(&self.path)
                })?;
            read(connection, schema)
        })
    }

    /// The sessions in the order of their rows, and what is wrong with the others.
    fn headers(
        &self,
        connection: &Connection,
        cancel: &CancellationToken,
    ) -> Result<(Vec<SessionHeader>, Vec<Diagnostic>), StoreError> {
        let failed = |error: rusqlite::Error| sql_error(&self.path, &error);
        let (mut headers, mut diagnostics) = (Vec::new(), Vec::new());
        let mut statement = connection
            .prepare(&format!("SELECT {SESSION_COLUMNS} FROM sessions"))
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if cancel.is_cancelled() {
                return Err(StoreError::cancelled());
            }
            match schema::header(row) {
                Ok(header) => headers.push(header),
                Err(detail) => {
                    let found = Diagnostic::new(DiagnosticKind::BadRow, &self.path, detail);
                    if self.options.mode == Mode::Strict {
                        return Err(StoreError::listing(found));
                    }
                    diagnostics.push(found);
                }
            }
        }
        Ok((headers, diagnostics))
    }

    /// The header of one session. Strictly, a bad row of any session fails the read.
    fn header(
        &self,
        connection: &Connection,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<SessionHeader>, StoreError> {
        // A column of text holds no lone surrogate, so that no row can have such an id.
        let Some(text) = id.as_str() else {
            return Ok(None);
        };
        if self.options.mode == Mode::Strict {
            let (headers, _) = self.headers(connection, cancel)?;
            return Ok(headers
                .into_iter()
                .find(|header| header.id.as_js_string() == id));
        }
        let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?1");
        let found = connection
            .query_row(&sql, [text], |row| Ok(schema::header(row)))
            .optional()
            .map_err(|error| sql_error(&self.path, &error))?;
        found
            .transpose()
            .map_err(|detail| StoreError::new(StoreErrorKind::Damaged, detail).at_path(&self.path))
    }

    fn load(
        &self,
        connection: &Connection,
        schema: Schema,
        header: SessionHeader,
        want: Want,
        cancel: &CancellationToken,
    ) -> Result<(SessionHeader, Loaded), StoreError> {
        let failed = |error: rusqlite::Error| sql_error(&self.path, &error);
        if header.version != Some(FORMAT_0.version) {
            let detail = "a log format that is not 0";
            return Err(StoreError::new(StoreErrorKind::Unsupported, detail).at_path(&self.path));
        }
        let log = LogHeader::checked(header);
        let format =
            format(0, self.options.newest_format, self.options.product).unwrap_or(&FORMAT_0);
        let mut scan = Scan::new(Loader::new(&log, format, want), format);
        let ignorable = if schema == Schema::V14 {
            "NULL"
        } else {
            "ignorable"
        };
        let sql = format!(
            "SELECT seq, type, time, data, source_event_seqs, surface_op, {ignorable} \
             FROM events WHERE session_id = ?1 ORDER BY seq"
        );
        let mut statement = connection.prepare(&sql).map_err(failed)?;
        let id = log.logical.id.as_js_string().to_string_lossy();
        let mut rows = statement.query([&*id]).map_err(failed)?;
        let mut number = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            number += 1;
            if number % ROWS_BETWEEN_LOOKS == 0 && cancel.is_cancelled() {
                return Err(StoreError::cancelled());
            }
            let position = Position::row(number);
            rows::feed(row, schema, format, &mut scan, position)
                .map_err(|error| error.at_path(&self.path))?;
        }
        let loaded = scan.finish().map_err(|error| error.at_path(&self.path))?;
        Ok((log.logical, loaded))
    }

    fn is_absent(&self) -> bool {
        matches!(self.path.metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
    }
}

impl Store for DshDatabase {
    fn kind(&self) -> &'static str {
        self.options.product.kind()
    }

    fn root(&self) -> &Path {
        &self.path
    }

    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
        if self.is_absent() {
            return Ok(Listing::default());
        }
        let (headers, diagnostics) =
            self.read(cancel, |connection, _| self.headers(connection, cancel))?;
        let mut sessions: Vec<Listed> = headers.into_iter().map(Listed::new).collect();
        let order = &self.options.order;
        sessions.sort_by(|one, other| order.compare(&one.header, &other.header));
        Ok(Listing {
            sessions,
            diagnostics,
        })
    }

    fn find(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Listed>, StoreError> {
        if self.is_absent() {
            return Ok(None);
        }
        let header = self.read(cancel, |connection, _| self.header(connection, id, cancel))?;
        Ok(header.map(Listed::new))
    }

    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        if self.is_absent() {
            return Ok(ids.iter().map(|_| Err(StoreError::not_found())).collect());
        }
        self.read(cancel, |connection, schema| {
            let (headers, _) = self.headers(connection, cancel)?;
            let headers: HashMap<JsString, SessionHeader> = headers
                .into_iter()
                .map(|header| (header.id.as_js_string().clone(), header))
                .collect();
            let title = |id: &JsString| {
                let header = headers.get(id).ok_or_else(StoreError::not_found)?;
                let (_, log) =
                    self.load(connection, schema, header.clone(), Want::Title, cancel)?;
                log.title.map_err(|error| {
                    StoreError::new(StoreErrorKind::Title, error.to_string()).at_path(&self.path)
                })
            };
            each(ids, cancel, title)
        })
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        if self.is_absent() {
            return Ok(None);
        }
        let read = self.read(cancel, |connection, schema| {
            let Some(header) = self.header(connection, id, cancel)? else {
                return Ok(None);
            };
            self.load(connection, schema, header, Want::Surface, cancel)
                .map(Some)
        })?;
        Ok(read.map(|(header, log)| log.observation(header, &self.path, self.options.mode)))
    }

    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        if self.is_absent() {
            return Ok(ids.iter().map(|_| Err(StoreError::not_found())).collect());
        }
        self.read(cancel, |connection, schema| {
            let damage = |id: &JsString| {
                let header = self.header(connection, id, cancel)?;
                let header = header.ok_or_else(StoreError::not_found)?;
                let (_, log) = self.load(connection, schema, header, Want::Surface, cancel)?;
                Ok(log.damage(&self.path))
            };
            each(ids, cancel, damage)
        })
    }
}

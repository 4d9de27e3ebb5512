//! The database in which Codex keeps its threads, read without a trace
//! (`spec/agent-logs.md` 1.6, 3.1, 3.7, 3.8).

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row as SqlRow, params_from_iter};
use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use crate::database::{snapshot, sql_error};
use crate::locate::expand;
use crate::{StoreError, StoreErrorKind};

/// What the database says of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// The name of the file where the thread stands now.
    pub(super) file: Option<String>,
    pub(super) name: Option<JsString>,
    pub(super) title: Option<JsString>,
    pub(super) first_prompt: Option<JsString>,
}

/// The threads of the newest database that has any table of them; only one thread, if `only` names
/// it. What cannot be read is passed over: every fact here is in the logs too, or not needed.
///
/// # Errors
///
/// When the caller gave up.
pub(super) fn rows(
    home: &Home,
    only: Option<&JsString>,
    cancel: &CancellationToken,
) -> Result<HashMap<JsString, Row>, StoreError> {
    for path in databases(home) {
        let read = snapshot(&path, cancel, |connection| {
            threads(connection, only).map_err(|error| sql_error(&path, &error))
        });
        match read {
            Ok(Some(rows)) => return Ok(rows),
            Err(error) if error.kind() == StoreErrorKind::Cancelled => return Err(error),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(HashMap::new())
}

/// A home directory, and what else says where its databases lie.
#[derive(Debug, Clone, Default)]
pub(super) struct Home {
    pub(super) path: PathBuf,
    /// Where `CODEX_SQLITE_HOME` moves them.
    pub(super) moved: Option<PathBuf>,
    /// The person's own directory, for which `~` stands.
    pub(super) person: Option<PathBuf>,
}

/// The databases of a home, the highest number first, and of one number first those where the
/// agent would look itself: its configuration goes before the variable, and both before the home.
/// After a move old ones may stay behind, so all places are looked at.
fn databases(home: &Home) -> Vec<PathBuf> {
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    let own = [home.path.clone(), home.path.join("sqlite")];
    let moved = configured(home).into_iter().chain(home.moved.clone());
    for place in moved.chain(own) {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| {
                let number = name.strip_prefix("state_")?.strip_suffix(".sqlite")?;
                number.parse().ok()
            });
            found.extend(number.map(|number| (number, entry.path())));
        }
    }
    // A stable sort: the order of the places stays.
    found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Where the configuration moves the databases: `sqlite_home`, before the first table.
fn configured(home: &Home) -> Option<PathBuf> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    let (file, _) = crate::file::open(&home.path.join("config.toml")).ok()?;
    file.take(MOST).read_to_string(&mut text).ok()?;
    let value = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with('['))
        .find_map(|line| {
            line.strip_prefix("sqlite_home")?
                .trim_start()
                .strip_prefix('=')
        })?
        .trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let path = value[1..]
        .split(quote)
        .next()
        .filter(|path| !path.is_empty())?;
    let path = expand(Path::new(path), home.person.as_deref());
    Some(home.path.join(path))
}

/// The rows of the table of threads, by what columns it has; `None` if it is no such table.
fn threads(
    connection: &Connection,
    only: Option<&JsString>,
) -> rusqlite::Result<Option<HashMap<JsString, Row>>> {
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info('threads')")?;
    let columns = columns.query_map([], |row| row.get::<_, String>(0))?;
    let columns: Vec<String> = columns.collect::<Result<_, _>>()?;
    let has = |name: &str| columns.iter().any(|column| column == name);
    if !has("id") {
        return Ok(None);
    }
    // A first message can be a whole file; of a path the end counts.
    let column = |name: &str, part: &str| {
        if has(name) {
            format!("substr({name}, {part})")
        } else {
            "NULL".to_owned()
        }
    };
    let sql = format!(
        "SELECT id, {}, {}, {}, {} FROM threads{}",
        column("rollout_path", "-400"),
        column("name", "1, 1000"),
        column("title", "1, 1000"),
        column("first_user_message", "1, 1000"),
        if only.is_some() { " WHERE id = ?1" } else { "" },
    );
    let mut statement = connection.prepare(&sql)?;
    let only = only.map(|id| id.to_string_lossy().into_owned());
    let mut found = statement.query(params_from_iter(only))?;
    let mut rows = HashMap::new();
    while let Some(row) = found.next()? {
        if let Some(id) = text(row, 0) {
            let path = text(row, 1).map(|path| path.to_string_lossy().into_owned());
            let own = Row {
                file: path.and_then(|path| Some(path.rsplit(['/', '\\']).next()?.to_owned())),
                name: text(row, 2),
                title: text(row, 3),
                first_prompt: text(row, 4),
            };
            rows.insert(id, own);
        }
    }
    Ok(Some(rows))
}

/// A text that says something. SQLite does not check that texts are UTF-8.
fn text(row: &SqlRow<'_>, column: usize) -> Option<JsString> {
    let value = row.get_ref(column).ok()?;
    let text = JsString::from_utf8_lossy(value.as_bytes().ok()?);
    Some(text).filter(|text| !text.as_wtf8().trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn database(path: &Path, sql: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        Connection::open(path).unwrap().execute_batch(sql).unwrap();
    }

    fn home(path: &Path) -> Home {
        Home {
            path: path.to_owned(),
            ..Home::default()
        }
    }

    fn read(path: &Path) -> HashMap<JsString, Row> {
        rows(&home(path), None, &CancellationToken::new()).unwrap()
    }

    fn name(path: &Path) -> Option<String> {
        name_in(&home(path))
    }

    fn name_in(home: &Home) -> Option<String> {
        let mut rows = rows(home, None, &CancellationToken::new()).unwrap();
        let name = rows.remove(&JsString::from("t"))?.name?;
        Some(name.to_string_lossy().into_owned())
    }

    fn named(name: &str) -> String {
        format!(
            "CREATE TABLE threads (id TEXT, name TEXT); INSERT INTO threads VALUES ('t', '{name}')"
        )
    }

    /// 3.7: the largest number, and where it is none, the next one.
    #[test]
    fn the_newest_database_with_threads_counts() {
        let home = TempDir::new().unwrap();
        let home = home.path();
        assert_eq!(name(home), None);
        database(&home.join("state_9.sqlite"), &named("nine"));
        assert_eq!(name(home).as_deref(), Some("nine"));
        database(&home.join("sqlite/state_10.sqlite"), &named("ten"));
        assert_eq!(name(home).as_deref(), Some("ten"));
        database(
            &home.join("state_11.sqlite"),
            "CREATE TABLE other (id TEXT)",
        );
        fs::write(home.join("state_12.sqlite"), "no database").unwrap();
        database(&home.join("state_x.sqlite"), &named("x"));
        assert_eq!(name(home).as_deref(), Some("ten"));
    }

    /// 3.1
    #[test]
    fn the_configuration_can_move_it() {
        let home = TempDir::new().unwrap();
        let home = home.path();
        database(&home.join("elsewhere/state_1.sqlite"), &named("moved"));
        let config = |text: &str| fs::write(home.join("config.toml"), text).unwrap();
        config("[table]\nsqlite_home = \"elsewhere\"\n");
        assert_eq!(name(home), None);
        config("model = \"x\"\nsqlite_home = \"elsewhere\" # here\n[table]\n");
        assert_eq!(name(home).as_deref(), Some("moved"));
        config("sqlite_home=''");
        assert_eq!(name(home), None);
    }

    /// 3.1: `~` is the person's directory.
    #[test]
    fn the_configuration_can_name_the_persons_directory() {
        let directories = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let [own, person] = directories.each_ref().map(TempDir::path);
        database(&person.join("db/state_1.sqlite"), &named("moved"));
        fs::write(own.join("config.toml"), "sqlite_home = \"~/db\"\n").unwrap();
        assert_eq!(name(own), None);
        let home = Home {
            person: Some(person.to_owned()),
            ..home(own)
        };
        assert_eq!(name_in(&home).as_deref(), Some("moved"));
    }

    /// 3.1, 3.7: the highest number, and of equals the place where the agent itself would look.
    #[test]
    fn a_variable_can_move_it_and_the_configuration_goes_before_it() {
        let directory = TempDir::new().unwrap();
        let own = directory.path();
        let mut home = Home {
            moved: Some(own.join("variable")),
            ..home(own)
        };
        database(&own.join("state_1.sqlite"), &named("home"));
        assert_eq!(name_in(&home).as_deref(), Some("home"));
        database(&own.join("variable/state_1.sqlite"), &named("variable"));
        assert_eq!(name_in(&home).as_deref(), Some("variable"));
        database(&own.join("config/state_1.sqlite"), &named("config"));
        assert_eq!(name_in(&home).as_deref(), Some("variable"));
        fs::write(own.join("config.toml"), "sqlite_home = \"config\"").unwrap();
        assert_eq!(name_in(&home).as_deref(), Some("config"));
        database(&own.join("state_2.sqlite"), &named("newer"));
        assert_eq!(name_in(&home).as_deref(), Some("newer"));
        home.moved = None;
        assert_eq!(name_in(&home).as_deref(), Some("newer"));
    }

    #[test]
    fn columns_are_what_there_is() {
        let home = TempDir::new().unwrap();
        let home = home.path();
        let sql = "CREATE TABLE threads (id TEXT, rollout_path TEXT, title, first_user_message BLOB, x);
            INSERT INTO threads VALUES ('t', 'C:\\gone\\rollout-1.jsonl', '  ', CAST(X'61FF' AS TEXT), 1);
            INSERT INTO threads VALUES (NULL, '/a/b', 7, NULL, 1), ('u', '/a/rollout-2.jsonl', 7, NULL, 1)";
        database(&home.join("state_1.sqlite"), sql);
        let rows = read(home);
        let row = &rows[&JsString::from("t")];
        assert_eq!(row.file.as_deref(), Some("rollout-1.jsonl"));
        assert_eq!(row.first_prompt.as_ref().unwrap(), "a\u{FFFD}");
        assert_eq!((&row.name, &row.title), (&None, &None));
        assert_eq!(
            rows[&JsString::from("u")].file.as_deref(),
            Some("rollout-2.jsonl")
        );
        let one = super::rows(
            &self::home(home),
            Some(&"u".into()),
            &CancellationToken::new(),
        )
        .unwrap();
        assert_eq!(one.len(), 1);
    }
}

use std::collections::BTreeMap;

use super::*;

/// A database of one table with these numbers in it.
fn write(path: &Path, journal: &str, numbers: &[i64]) -> Connection {
    let connection = Connection::open(path).unwrap();
    let mode = format!("PRAGMA journal_mode = {journal}");
    connection.query_row(&mode, [], |_| Ok(())).unwrap();
    connection
        .execute_batch("CREATE TABLE IF NOT EXISTS t (n INTEGER)")
        .unwrap();
    for number in numbers {
        connection
            .execute("INSERT INTO t VALUES (?1)", [number])
            .unwrap();
    }
    connection
}

fn read(path: &Path) -> Result<Vec<i64>, StoreError> {
    snapshot(path, &CancellationToken::new(), |connection| {
        let failed = |error| sql_error(path, &error);
        let mut statement = connection
            .prepare("SELECT n FROM t ORDER BY n")
            .map_err(failed)?;
        let rows = statement.query_map([], |row| row.get(0)).map_err(failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    })
}

/// What lies in a directory: names, contents and times of change.
fn files(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(directory).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let modified = path.metadata().unwrap().modified().unwrap();
            (path.clone(), (fs::read(path).unwrap(), modified))
        })
        .collect()
}

/// Copies a database with its WAL, but without the index that a writer keeps beside them.
fn copy(from: &Path, to: &Path) {
    for suffix in ["", "-wal"] {
        let from = beside(from, suffix);
        if from.exists() {
            fs::copy(from, beside(to, suffix)).unwrap();
        }
    }
}

#[test]
fn a_path_is_one_path_whatever_its_name() {
    let directory = tempfile::tempdir().unwrap();
    for name in [
        "plain.db",
        "a b%?#é",
        "?mode=rwc",
        "100%25.db",
        "a&b=c;d",
        "-wal",
        "é\u{FE0F}😀",
    ] {
        let path = directory.path().join(name);
        drop(write(&path, "DELETE", &[1]));
        assert_eq!(read(&path).unwrap(), [1], "{name}");
        drop(write(&path, "WAL", &[2]));
        assert_eq!(read(&path).unwrap(), [1, 2], "{name}");
    }
    let uri = uri(Path::new("/a b%?#é"), false);
    assert_eq!(uri, "file:/a%20b%25%3F%23%C3%A9?mode=ro&immutable=1");
}

/// `spec/agent-logs.md` 1.6: a WAL is part of the database.
#[test]
fn rows_of_the_wal_are_read_and_nothing_is_touched() {
    let directory = tempfile::tempdir().unwrap();
    let original = directory.path().join("writer.db");
    let writer = write(&original, "WAL", &[1, 2]);
    let folder = directory.path().join("copy");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("s.db");
    copy(&original, &path);
    let before = files(&folder);
    assert_eq!(before.len(), 2);
    assert_eq!(read(&path).unwrap(), [1, 2]);
    assert_eq!(files(&folder), before);
    // While its writer has it open, too.
    let names = |path: &Path| files(path).into_keys().collect::<Vec<_>>();
    let before = names(directory.path().join("copy").as_path());
    assert_eq!(read(&original).unwrap(), [1, 2]);
    writer.execute("INSERT INTO t VALUES (3)", []).unwrap();
    assert_eq!(read(&original).unwrap(), [1, 2, 3]);
    assert_eq!(names(&folder), before);
}

/// A database in WAL mode whose WAL is gone, or empty.
#[test]
fn a_wal_that_is_not_there_is_not_made() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    drop(write(&path, "WAL", &[1]));
    assert!(!beside(&path, "-wal").exists());
    let before = files(directory.path());
    assert_eq!(read(&path).unwrap(), [1]);
    assert_eq!(files(directory.path()), before);
    fs::write(beside(&path, "-wal"), b"").unwrap();
    let before = files(directory.path());
    assert_eq!(read(&path).unwrap(), [1]);
    assert_eq!(files(directory.path()), before);
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let original = directory.path().join("writer.db");
    let _writer = write(&original, "WAL", &[1, 2]);
    let folder = directory.path().join("copy");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("s.db");
    copy(&original, &path);
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for file in files(&folder).keys() {
        allow(file, 0o400);
    }
    allow(&folder, 0o500);
    let before = files(&folder);
    let rows = read(&path);
    let after = files(&folder);
    allow(&folder, 0o700);
    assert_eq!(rows.unwrap(), [1, 2]);
    assert_eq!(after, before);
}

/// A transaction that was cut off is not rolled back, which would write, and not read half.
#[test]
fn a_hot_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    drop(write(&path, "DELETE", &[1]));
    let journal = beside(&path, "-journal");
    fs::write(&journal, b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and so on").unwrap();
    let before = files(directory.path());
    let error = read(&path).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert!(
        error.to_string().contains("a transaction was interrupted"),
        "{error}"
    );
    assert_eq!(files(directory.path()), before);
    // One that is finished is no obstacle, however it was finished.
    for finished in [&b""[..], &[0; 512]] {
        fs::write(&journal, finished).unwrap();
        assert_eq!(read(&path).unwrap(), [1]);
    }
}

#[test]
fn a_missing_file_stays_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    assert_eq!(read(&path).unwrap_err().kind(), StoreErrorKind::Damaged);
    assert!(files(directory.path()).is_empty());
}

#[test]
fn what_is_no_database_is_told_apart_from_a_damaged_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    for text in [&b"x"[..], &[b'x'; 4096]] {
        fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unsupported);
        let shown = format!(
            "{}: not supported: neither a directory nor an SQLite database",
            path.display()
        );
        assert_eq!(error.to_string(), shown);
    }
    let mut torn = b"SQLite format 3\0".to_vec();
    torn.resize(4096, b'x');
    fs::write(&path, torn).unwrap();
    assert_eq!(read(&path).unwrap_err().kind(), StoreErrorKind::Damaged);
    assert_eq!(files(directory.path()).len(), 1);
}

/// SQLite would wait for a writer, with the database and with a journal beside it.
#[cfg(unix)]
#[test]
fn a_pipe_is_never_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    pipe(&path);
    let error = read(&path).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Io);
    assert_eq!(error.explanation(), "not a regular file");
    fs::remove_file(&path).unwrap();
    drop(write(&path, "DELETE", &[1]));
    pipe(&beside(&path, "-journal"));
    assert_eq!(read(&path).unwrap(), [1]);
}

/// A read that a change interrupts is done again; one that never has peace ends.
#[test]
fn a_change_during_the_read_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    let writer = write(&path, "WAL", &[1]);
    let cancel = CancellationToken::new();
    let mut rounds = 0;
    let outcome = snapshot(&path, &cancel, |_| {
        rounds += 1;
        if rounds < 3 {
            writer.execute("INSERT INTO t VALUES (2)", []).unwrap();
        }
        Ok(rounds)
    });
    assert_eq!(outcome.unwrap(), 3);
    let outcome: Result<(), _> = snapshot(&path, &cancel, |_| {
        writer.execute("INSERT INTO t VALUES (2)", []).unwrap();
        Ok(())
    });
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Changing);
    cancel.cancel();
    let outcome = snapshot(&path, &cancel, |_| Ok(()));
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Cancelled);
}

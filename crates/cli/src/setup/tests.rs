//! Files of others, changed and changed back.

use std::fs;
use std::path::Path;

use super::file::ConfigFile;
use super::places::Mode;
use crate::failure::Failure;

fn code_of<T>(failure: &Result<T, Failure>) -> &'static str {
    match failure {
        Err(Failure::Error { code, .. }) => code,
        _ => "",
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_change_keeps_a_backup_and_going_back_takes_it_away() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("deep/settings.json");
    let file = ConfigFile::read(path.clone()).unwrap();
    assert_eq!(file.replace("new", Mode::Usual).unwrap(), None);
    let file = ConfigFile::read(path.clone()).unwrap();
    let backup = file.replace("newer", Mode::Usual).unwrap().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), "new");
    let file = ConfigFile::read(path.clone()).unwrap();
    file.restore("new", Mode::Usual, false).unwrap();
    let directory = path.parent().unwrap();
    assert_eq!(names(directory).len(), 3, "the file, its backup, the list");
    ConfigFile::read(path.clone())
        .unwrap()
        .delete("{}", Mode::Usual)
        .unwrap();
    assert_eq!(names(home.path()), Vec::<String>::new());
}

/// A backup is known by its name and its text together.
#[test]
fn a_file_that_only_looks_like_a_backup_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    let decoys = [
        "a.sref-backup",
        "a.sref-backup-",
        "a.sref-backup-0123456789ab",
    ];
    for name in decoys {
        fs::write(home.path().join(name), "1").unwrap();
    }
    fs::write(&path, "1").unwrap();
    let read = || ConfigFile::read(path.clone()).unwrap();
    let backup = read().replace("2", Mode::Usual).unwrap().unwrap();
    assert_eq!(fs::read_to_string(&backup).unwrap(), "1");
    // Kept once, whatever comes between.
    fs::write(&path, "1").unwrap();
    assert_eq!(
        read().replace("3", Mode::Usual).unwrap(),
        Some(backup.clone())
    );
    read().restore("1", Mode::Usual, true).unwrap();
    let mut expected = vec!["a"];
    expected.extend(decoys);
    expected.sort_unstable();
    assert_eq!(names(home.path()), expected);
    for name in decoys {
        assert_eq!(fs::read_to_string(home.path().join(name)).unwrap(), "1");
    }
    // Whatever has the name that a backup needs is not written over.
    fs::write(&backup, "mine").unwrap();
    assert_eq!(code_of(&read().replace("2", Mode::Usual)), "setup.file");
    assert_eq!(fs::read_to_string(&backup).unwrap(), "mine");
    assert_eq!(fs::read_to_string(&path).unwrap(), "1");
}

#[test]
fn a_fault_has_a_line_and_a_column() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    fs::write(&path, "é\nüx\r\n").unwrap();
    let file = ConfigFile::read(path.clone()).unwrap();
    for (offset, end) in [
        (0, ":1:1"),
        (2, ":1:2"),
        (3, ":2:1"),
        (6, ":2:3"),
        (8, ":3:1"),
    ] {
        let shown = file.shown_at(Some(offset));
        assert_eq!(shown.strip_prefix(path.to_str().unwrap()), Some(end));
    }
    assert_eq!(file.shown_at(None), path.to_str().unwrap());
    fs::write(&path, b"a\n\xc3\xbc\xff").unwrap();
    let Err(Failure::Error { code, message }) = ConfigFile::read(path.clone()) else {
        panic!("read");
    };
    assert_eq!(code, "setup.utf8");
    assert!(
        message.starts_with(&format!("{}:2:2: not UTF-8", path.display())),
        "{message}"
    );
}

#[test]
fn a_file_that_was_empty_is_empty_again() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    fs::write(&path, "\n").unwrap();
    let file = ConfigFile::read(path.clone()).unwrap();
    file.replace("x", Mode::Usual).unwrap();
    ConfigFile::read(path.clone())
        .unwrap()
        .delete("", Mode::Usual)
        .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\n");
    assert_eq!(names(home.path()), ["a"]);
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    fs::write(&path, "1").unwrap();
    let file = ConfigFile::read(path.clone()).unwrap();
    fs::write(&path, "2").unwrap();
    assert_eq!(code_of(&file.replace("x", Mode::Usual)), "setup.changed");
    assert_eq!(code_of(&file.delete("", Mode::Usual)), "setup.changed");
    assert_eq!(fs::read_to_string(&path).unwrap(), "2");
    assert_eq!(names(home.path()), ["a"]);
}

#[test]
fn what_is_no_file_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("bytes");
    fs::write(&path, b"\xff").unwrap();
    assert_eq!(code_of(&ConfigFile::read(path)), "setup.utf8");
    assert_eq!(code_of(&ConfigFile::read(home.path().into())), "setup.file");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let home = tempfile::tempdir().unwrap();
    let (real, link) = (home.path().join("real"), home.path().join("link"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", &link).unwrap();
    let file = ConfigFile::read(link.clone()).unwrap();
    let backup = file.replace("new", Mode::Usual).unwrap().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    for path in [&real, &backup] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
    ConfigFile::read(link.clone())
        .unwrap()
        .delete("{}\n", Mode::Usual)
        .unwrap();
    assert_eq!(fs::read_to_string(&link).unwrap(), "{}\n");

    let nowhere = home.path().join("nowhere");
    symlink("/nonexistent/settings.json", &nowhere).unwrap();
    assert_eq!(code_of(&ConfigFile::read(nowhere.clone())), "setup.link");
    let below = nowhere.join("deep/settings.json");
    assert_eq!(code_of(&ConfigFile::read(below)), "setup.link");
    let below = real.join("settings.json");
    assert_eq!(code_of(&ConfigFile::read(below)), "setup.file");

    let private = home.path().join("private");
    let file = ConfigFile::read(private.clone()).unwrap();
    file.replace("token", Mode::Private).unwrap();
    let program = home.path().join("program");
    let file = ConfigFile::read(program.clone()).unwrap();
    file.replace("#!/bin/sh", Mode::Program).unwrap();
    let mode = program.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o500, 0o500);
    assert_eq!((mode & 0o444) >> 2, mode & 0o111);
    assert_eq!(
        private.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[cfg(unix)]
#[test]
fn what_is_read_only_is_refused_before_anything_changes() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    fs::write(&path, "1").unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let check = || code_of(&ConfigFile::read(path.clone()).unwrap().check_writable());
    assert_eq!(check(), "");
    mode(&path, 0o444);
    assert_eq!(check(), "setup.read-only");
    mode(&path, 0o644);
    mode(home.path(), 0o555);
    assert_eq!(check(), "setup.read-only");
    let below = ConfigFile::read(home.path().join("b/c")).unwrap();
    assert_eq!(code_of(&below.check_writable()), "setup.read-only");
    mode(home.path(), 0o755);
    assert_eq!(check(), "");
}

/// A file with two names keeps both.
#[cfg(unix)]
#[test]
fn a_file_with_other_names_is_written_where_it_is() {
    let home = tempfile::tempdir().unwrap();
    let (path, other) = (home.path().join("a"), home.path().join("b"));
    fs::write(&path, "old").unwrap();
    fs::hard_link(&path, &other).unwrap();
    let file = ConfigFile::read(path.clone()).unwrap();
    file.replace("new", Mode::Usual).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "new");
    let file = ConfigFile::read(path.clone()).unwrap();
    file.restore("old", Mode::Usual, true).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "old");
    assert_eq!(names(home.path()), ["a", "b"]);
}

/// What was no program is none again.
#[cfg(unix)]
#[test]
fn a_program_can_be_run_only_while_it_is_one() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hook");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
    let file = ConfigFile::read(path.clone()).unwrap();
    file.replace("#!/bin/sh\n", Mode::Program).unwrap();
    assert_eq!(mode(), 0o750);
    let file = ConfigFile::read(path.clone()).unwrap();
    file.delete("", Mode::Program).unwrap();
    assert_eq!(mode(), 0o640);
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

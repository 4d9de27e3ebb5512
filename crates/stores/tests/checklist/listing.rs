//! Which files are sessions, and what it costs to know.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sref_stores::claude::ClaudeStore;
use sref_stores::{CancellationToken, DiagnosticKind, Store as _};

use super::support::*;

fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// The promise is a second; a debug build on a busy machine gets more.
#[test]
fn ten_thousand_sessions() {
    const SESSIONS: usize = 10_000;
    let home = Home::new();
    for number in 0..SESSIONS {
        let id = id(number);
        let log = record(
            "user",
            &id,
            "",
            &format!(",\"cwd\":\"/w\"{}", message("\"hi\"")),
        );
        home.write(&format!("-{}/{id}.jsonl", number % 50), log);
    }
    let cancel = CancellationToken::new();
    assert_eq!(home.store.list(&cancel).unwrap().sessions.len(), SESSIONS);
    let started = Instant::now();
    assert_eq!(home.store.list(&cancel).unwrap().sessions.len(), SESSIONS);
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_costs_itself() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::of(user("u1", "", "a"));
    let closed = home.write(&format!("-w/{OTHER}.jsonl"), user("u2", "", "b"));
    let project = home.write("-closed/x.txt", "");
    let project = project.parent().unwrap();
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&closed, 0);
    mode(project, 0);
    if fs::File::open(&closed).is_ok() {
        // A superuser is refused nothing. What is no file is refused to everybody.
        fs::remove_file(&closed).unwrap();
        std::os::unix::fs::symlink("loop", home.directory.path().join("projects/loop")).unwrap();
    }
    assert_eq!(home.listed(), [ID]);
    assert!(home.skipped().contains(&DiagnosticKind::Unreadable));
    mode(project, 0o700);
}

/// Nothing that has no end is opened, and each is named.
#[cfg(unix)]
#[test]
fn pipes_and_devices() {
    let home = Home::of(user("u1", "", "a"));
    let project = home.directory.path().join("projects/-w");
    let log = |number| format!("{}.jsonl", id(number));
    let agents = project.join(ID).join("subagents");
    fs::create_dir_all(&agents).unwrap();
    for pipe in [project.join(log(1)), agents.join("agent-a1.jsonl")] {
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
    }
    std::os::unix::fs::symlink("/dev/zero", project.join(log(2))).unwrap();
    std::os::unix::fs::symlink("/dev/zero", project.join("notes.jsonl")).unwrap();
    fs::create_dir(project.join(log(3))).unwrap();
    assert_eq!(home.listed(), [ID]);
    let mut skipped = home.skipped();
    skipped.sort_by_key(|kind| kind.code());
    let expected = [
        DiagnosticKind::Link,
        DiagnosticKind::Special,
        DiagnosticKind::Special,
        DiagnosticKind::Unreadable,
    ];
    assert_eq!(skipped, expected);
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let home = Home::of(user("u1", "", "a"));
    let elsewhere = tempfile::tempdir().unwrap();
    let real = elsewhere.path().join("real");
    fs::create_dir(&real).unwrap();
    fs::write(real.join(format!("{OTHER}.jsonl")), user("u2", "", "b")).unwrap();
    let projects = home.directory.path().join("projects");
    symlink(&real, projects.join("-linked")).unwrap();
    symlink(&real, projects.join("-linked-again")).unwrap();
    symlink("loop", projects.join("loop")).unwrap();
    symlink("gone", projects.join("dangling")).unwrap();
    // Nothing below a project is followed.
    symlink(&projects, projects.join("-w/up")).unwrap();
    symlink(
        real.join(format!("{OTHER}.jsonl")),
        projects.join(format!("-w/{}.jsonl", id(7))),
    )
    .unwrap();
    assert_eq!(home.listed(), [ID, OTHER]);
    let unreadable = DiagnosticKind::Unreadable;
    // What has the name of a log is named; another link is nobody's.
    assert_eq!(
        home.skipped(),
        [DiagnosticKind::Link, unreadable, unreadable]
    );
    // The home itself may be a link, and so may its projects.
    let link = elsewhere.path().join("home");
    symlink(home.directory.path(), &link).unwrap();
    let listing = ClaudeStore::open(&link).list(&CancellationToken::new());
    assert_eq!(listing.unwrap().sessions.len(), 2);
    let half = elsewhere.path().join("half");
    fs::create_dir(&half).unwrap();
    symlink(&projects, half.join("projects")).unwrap();
    let listing = ClaudeStore::open(&half).list(&CancellationToken::new());
    assert_eq!(listing.unwrap().sessions.len(), 2);
}

#[test]
fn a_directory_named_like_a_session() {
    let home = Home::of(user("u1", "", "a"));
    home.write(&format!("-w/{OTHER}.jsonl/notes.txt"), "x");
    home.write(&format!("{}.jsonl", id(3)), user("u3", "", "no project"));
    assert_eq!(home.listed(), [ID]);
}

#[test]
fn files_that_come_and_go() {
    let home = Home::of(user("u1", "", "a"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                let path = home.write(&format!("-w/{}.jsonl", id(number % 20)), user("u", "", "b"));
                fs::remove_file(path).unwrap();
                number += 1;
            }
        });
        let listings: Vec<_> = (0..200)
            .map(|_| home.store.list(&CancellationToken::new()))
            .collect();
        stop.store(true, Ordering::Relaxed);
        for listing in listings {
            let listing = listing.unwrap();
            assert!(
                listing
                    .sessions
                    .iter()
                    .any(|own| own.header.id == ID.into())
            );
        }
    });
    assert_eq!(home.listed(), [ID]);
}

//! Roots, files, ids and lines as nobody should make them.

use std::fs;
use std::path::Path;

use sref_session::JsString;
use sref_stores::dsh::{DshOptions, DshStore, Encoding};
use sref_stores::{CancellationToken, DiagnosticKind, Listing, Store, StoreErrorKind};

use crate::support::{APPEND, Home, event, header, one_message, shown, tree, user};

fn list(root: &Path) -> Listing {
    let store = DshStore::open(root, DshOptions::default()).unwrap();
    store.list(&CancellationToken::new()).unwrap()
}

fn codes(root: &Path) -> Vec<&'static str> {
    let diagnostics = list(root).diagnostics;
    diagnostics
        .iter()
        .map(sref_stores::Diagnostic::code)
        .collect()
}

/// 4.4: absent is empty; a root that is there and no directory is an error.
#[test]
fn a_root_is_a_directory_or_absent() {
    let home = Home::new();
    assert_eq!(list(&home.root().join("absent")), Listing::default());
    let file = home.root().join("file");
    fs::write(&file, "").unwrap();
    let error = DshStore::open(&file, DshOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (StoreErrorKind::Io, Some(&*file))
    );
}

#[cfg(unix)]
#[test]
fn a_root_may_be_a_link_but_not_a_loop() {
    let home = Home::new();
    home.write("s", one_message("s", "hello").as_bytes());
    let elsewhere = Home::new();
    let link = elsewhere.root().join("link");
    std::os::unix::fs::symlink(home.root(), &link).unwrap();
    assert_eq!(list(&link).sessions.len(), 1);
    let looped = elsewhere.root().join("loop");
    std::os::unix::fs::symlink(&looped, &looped).unwrap();
    let error = DshStore::open(&looped, DshOptions::default()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Io);
}

/// 4.4 [linked-log-file, linked-session-dir, linked-project]; and what is no file at all.
#[cfg(unix)]
#[test]
fn links_to_logs_are_followed_and_links_to_directories_are_not() {
    use std::os::unix::fs::symlink;

    let home = Home::new();
    home.write("real", one_message("real", "hello").as_bytes());
    let project = home.root().join("--work--");
    symlink(&project, home.root().join("--link--")).unwrap();
    symlink(project.join("real"), project.join("linked")).unwrap();
    symlink("nowhere", project.join("broken")).unwrap();
    symlink("loop", project.join("loop")).unwrap();
    symlink("/dev/zero", project.join("device")).unwrap();
    symlink(project.join("real/session.jsonl"), project.join("notes")).unwrap();
    for (id, target) in [
        ("log", "target"),
        ("gone", "nowhere"),
        ("endless", "session.jsonl"),
    ] {
        fs::create_dir(project.join(id)).unwrap();
        symlink(target, project.join(id).join("session.jsonl")).unwrap();
    }
    fs::write(project.join("log/target"), one_message("log", "linked")).unwrap();
    let pipe = project.join("pipe");
    fs::create_dir(&pipe).unwrap();
    let in_place = project.join("in-place");
    for pipe in [pipe.join("session.jsonl"), in_place] {
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
    }

    let listing = list(home.root());
    let ids: Vec<_> = listing
        .sessions
        .iter()
        .map(|listed| listed.header.id.to_string())
        .collect();
    assert_eq!(ids, ["log", "real"]);
    assert_eq!(
        shown(&home.surface("log").unwrap().unwrap())[0].2,
        [JsString::from("linked")]
    );
    let mut codes = codes(home.root());
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "store.link",
            "store.link",
            "store.link",
            "store.link",
            "store.link",
            "store.special-file",
            "store.unreadable",
            "store.unreadable"
        ]
    );
}

/// 4.2, 4.4 [h01–h12]: what is no log costs nothing but itself.
#[test]
fn foreign_files_are_skipped_and_named() {
    let home = Home::new();
    home.write("good", one_message("good", "hello").as_bytes());
    for (id, log) in [
        ("empty", &b""[..]),
        ("cut", &one_message("cut", "x").as_bytes()[..40]),
        ("bom", "\u{FEFF}{}\n".as_bytes()),
        ("binary", &[0, 159, 146, 150, 10, 10]),
        ("elf", b"\x7fELF\x02\x01\x01\n"),
        ("foreign", b"{\"sessionId\":\"x\",\"type\":\"user\"}\n"),
        ("lines", b"\n\n\n"),
    ] {
        home.write(id, log);
    }
    let listing = list(home.root());
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.diagnostics.len(), 7);
    let all_headers = listing
        .diagnostics
        .iter()
        .all(|found| found.kind == DiagnosticKind::NoHeader);
    assert!(all_headers, "{:?}", listing.diagnostics);
    // No header is longer than a mebibyte.
    let endless = Home::new();
    endless.write("x", &vec![b' '; 3 << 20]);
    assert_eq!(codes(endless.root()), ["store.header"]);
}

/// 4.4: one session each in the tolerant mode, the whole listing in the strict one [P:*].
#[test]
fn a_bad_artifact_costs_one_session_or_in_strict_mode_all() {
    let poison: [(&str, &str, String); 5] = [
        ("store.flat-log", "--work--/old.jsonl", String::new()),
        (
            "store.retired-header",
            "--work--/r/session.jsonl",
            one_message("r", "x").replace("\"cwd\"", "\"sandboxMode\":null,\"cwd\""),
        ),
        (
            "store.misplaced",
            "--work--/elsewhere/session.jsonl",
            one_message("moved", "x"),
        ),
        (
            "store.misplaced",
            "--other--/moved/session.jsonl",
            one_message("moved", "x"),
        ),
        (
            "store.misplaced",
            "--work--/emptyid/session.jsonl",
            one_message("", "x"),
        ),
    ];
    for (code, path, log) in poison {
        let home = Home::new();
        home.write("good", one_message("good", "hello").as_bytes());
        let path = home.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, log).unwrap();

        assert_eq!(codes(home.root()), [code]);
        assert!(home.surface("good").unwrap().is_some());
        let strict = home.open(DshOptions::strict(Encoding::Plain));
        let cancel = CancellationToken::new();
        let error = strict.list(&cancel).unwrap_err();
        assert_eq!((error.reason(), error.path()), (code, Some(&*path)));
        assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
        assert!(strict.surface(&"good".into(), &cancel).is_err());
        assert!(strict.titles(&["good".into()], &cancel).is_err());
    }
}

/// 4.4 "duplicate": the newest stays, the other is named.
#[test]
fn of_two_logs_with_one_id_the_newest_counts() {
    let home = Home::new();
    home.write("twin", one_message("twin", "older").as_bytes());
    let other = home.root().join("--else--/twin/session.jsonl");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(
        &other,
        one_message("twin", "newer").replace("/work", "/else"),
    )
    .unwrap();
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    for (file, text) in [(home.log("twin"), "newer"), (other, "older")] {
        fs::File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_modified(past)
            .unwrap();
        assert_eq!(codes(home.root()), ["store.duplicate-id"]);
        assert_eq!(
            shown(&home.surface("twin").unwrap().unwrap())[0].2,
            [JsString::from(text)]
        );
        // Now the other one is the older.
        fs::File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_modified(past + std::time::Duration::from_secs(200))
            .unwrap();
    }
}

/// `spec/agent-logs.md` 1.4: an id is compared with names and becomes part of no path.
#[test]
fn hostile_ids_find_nothing_or_their_own_session() {
    let home = Home::new();
    let hostile = [
        "../../etc/passwd",
        "..",
        ".",
        "nul\0byte",
        "a/b",
        "~",
        " ",
        "\u{202E}",
    ];
    for id in hostile {
        home.write(id, one_message(id, id).as_bytes());
    }
    fs::write(
        home.root().join("session.jsonl"),
        one_message("x", "outside"),
    )
    .unwrap();
    for id in hostile {
        let surface = home.surface(id).unwrap().unwrap();
        assert_eq!(shown(&surface)[0].2, [JsString::from(id)]);
    }
    let long = "x".repeat(1 << 20);
    for id in [
        "",
        "../x",
        "--work--/a~002Fb",
        "a~002Fb",
        "/etc/passwd",
        "A/B",
        &long,
    ] {
        assert!(home.surface(id).unwrap().is_none(), "{id:.20}");
    }
    let lone = JsString::from_utf16([0xD800]);
    let store = home.open(DshOptions::default());
    assert!(
        store
            .surface(&lone, &CancellationToken::new())
            .unwrap()
            .is_none()
    );
}

/// Nothing below the root changes, whatever is asked.
#[test]
fn reading_touches_nothing() {
    let home = Home::new();
    home.write("good", one_message("good", "hello").as_bytes());
    home.write("torn", &one_message("torn", "x").as_bytes()[..200]);
    home.write(
        "open",
        (header("open", 2) + &event(0, "turn/start", "{\"turn\":1}", "")).as_bytes(),
    );
    home.write(
        "corrupt",
        (header("corrupt", 2) + &event(0, "user/message", "{}", APPEND)).as_bytes(),
    );
    let before = tree(home.root());
    let cancel = CancellationToken::new();
    for options in [DshOptions::default(), DshOptions::strict(Encoding::Plain)] {
        let store = home.open(options);
        store.list(&cancel).unwrap();
        let ids = ["good", "torn", "open", "corrupt", "absent"].map(JsString::from);
        assert_eq!(store.titles(&ids, &cancel).unwrap().len(), 5);
        let read: Vec<_> = ids
            .iter()
            .map(|id| store.surface(id, &cancel).is_ok())
            .collect();
        assert_eq!(read, [true, true, true, false, true]);
        for id in &ids {
            store.find(id, &cancel).unwrap();
        }
    }
    assert_eq!(tree(home.root()), before);
}

/// The cap on lines: texts are never lost, outputs are condensed, structure has a limit.
#[test]
fn lines_beyond_the_cap_are_read_or_refused_aloud() {
    let home = Home::new();
    let text = JsString::from("words ".repeat(3 << 19));
    let huge = header("text", 1) + &event(0, "user/message", &user(&text), APPEND);
    home.write("text", huge.as_bytes());
    assert_eq!(shown(&home.surface("text").unwrap().unwrap())[0].2, [text]);

    let output = "x\\n".repeat(3 << 20);
    let result = |output: &str| {
        format!(
            r#"{{"message":{{"id":"t","role":"user","source":{{"kind":"tool","callId":"c"}},"content":[{{"type":"tool-result","toolCallId":"c","content":[{{"type":"text","text":"{output}"}}]}}]}}}}"#
        )
    };
    let log = header("tool", 1)
        + &event(0, "tool/result", &result(&output), APPEND)
        + &event(1, "user/message", &user(&"after".into()), APPEND);
    home.write("tool", log.as_bytes());
    assert_eq!(shown(&home.surface("tool").unwrap().unwrap()).len(), 2);

    // A fault deep inside is still a fault: 4.3 drops the line and what follows it.
    let faulty = log.replacen("x\\n", "x\\q", 1);
    home.write("tool", faulty.as_bytes());
    assert_eq!(
        home.surface("tool").unwrap().unwrap().captured_through_seq,
        None
    );

    let deep = format!("{}1{}", "[".repeat(9 << 20), "]".repeat(9 << 20));
    home.write(
        "deep",
        (header("deep", 1) + &event(0, "todo/write", &deep, "")).as_bytes(),
    );
    let error = home.surface("deep").unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooLong);
    assert_eq!(error.position().unwrap().line, 2);
}

#[test]
fn a_cancelled_call_ends() {
    let home = Home::new();
    let mut log = header("long", 1);
    for seq in 0..1000 {
        log += &event(seq, "todo/write", "1", "");
    }
    home.write("long", log.as_bytes());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let store = home.open(DshOptions::default());
    let id = "long".into();
    for error in [
        store.list(&cancel).unwrap_err(),
        store.find(&id, &cancel).unwrap_err(),
        store.surface(&id, &cancel).unwrap_err(),
        store.titles(&[id], &cancel).unwrap_err(),
    ] {
        assert_eq!(error.kind(), StoreErrorKind::Cancelled);
    }
}

/// Errors say where, and quote little.
#[test]
fn errors_have_positions_and_quote_little() {
    let home = Home::new();
    let log = header("s", 1)
        + &event(0, "todo/write", "1", "")
        + &event(1, &"\\u001b[2J".repeat(99), "1", "");
    home.write("s", log.as_bytes());
    let error = home.surface("s").unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unsupported);
    let position = error.position().unwrap();
    assert_eq!(position.line, 3);
    assert!(log[usize::try_from(position.offset).unwrap()..].starts_with(r#"{"type":"\u001b"#));
    assert_eq!(error.path(), Some(&*home.log("s")));
    let message = error.to_string();
    assert!(
        message.len() < 250 && !message.contains('\u{1b}'),
        "{message}"
    );
}

//! `sref stores`, `sref doctor`, and that no command writes.

use sref_stores::dsh::{DshOptions, DshStore, Encoding};
use sref_stores::{CancellationToken, Store as _};

use super::*;

#[test]
fn stores_and_their_sessions() {
    let text = succeed(on_sample(&["stores"])).stdout;
    assert!(
        text.starts_with("dsh  ") && text.contains("8 sessions"),
        "{text}"
    );
    let json = succeed(on_sample(&["stores", "--json"])).json();
    assert_eq!(json[0]["kind"], "dsh");
    assert_eq!(json[0]["sessions"], 8);
    assert_eq!(
        json[0]["root"].as_str().unwrap(),
        sample().to_str().unwrap()
    );
}

#[test]
fn a_store_that_is_not_there() {
    for args in [
        &["list"][..],
        &["show", "x"],
        &["mention", "x"],
        &["stores"],
        &["doctor"],
    ] {
        let message = fails(
            || on_store(Path::new("/no/such/place"), args),
            "cli.no-store",
        );
        assert!(message.contains("/no/such/place"), "{message}");
    }
}

#[test]
fn a_store_that_is_found_and_cannot_be_read_costs_its_own_sessions() {
    let home = tempfile::tempdir().unwrap();
    // What is no directory is taken for a database.
    let root = home.path().join("sessions");
    fs::write(&root, "neither a directory nor a database").unwrap();
    let on_home = |args: &[&str]| {
        let mut command = sref(args);
        command.env("DSH_HOME", home.path());
        command
    };
    fails(|| on_home(&["list"]), "SESSION_QUERY_PERSISTENCE_FAILED");
    let stores = succeed(on_home(&["stores", "--json"])).json();
    assert_eq!(stores.as_array().unwrap().len(), 1);
    let code = stores[0]["code"].as_str().unwrap();
    assert!(code.starts_with("store."), "{code}");
    let doctor = succeed(on_home(&["doctor"])).stdout;
    assert!(doctor.starts_with(&format!("{code}  ")), "{doctor}");
    // Beside one that can be read, nothing fails, and what is missing is named in one line.
    let other = format!("dsh={}", sample().display());
    let root = root.to_string_lossy().into_owned();
    let mention = succeed(on_sample(&["mention", "3f9c"])).stdout;
    for args in [
        &["list", "--subagents"][..],
        &["show", "3f9c"],
        &["mention", "3f9c"],
        &["prepare", "--json", "as in @sref:3f9c"],
        // The store of the session may have a newer log of it.
        &["prepare", "--json", mention.trim_end()],
    ] {
        let answer = run(on_store(
            Path::new(&root),
            &[args, &["--store", &other]].concat(),
        ));
        assert_eq!(answer.status, 0, "{args:?} {}", answer.stderr);
        assert!(!answer.stdout.is_empty());
        let notes: Vec<&str> = answer.stderr.lines().collect();
        assert_eq!(notes.len(), 1, "{args:?} {notes:?}");
        let start = format!("note: the dsh store \"{root}\" is left out: ");
        assert!(notes[0].starts_with(&start), "{notes:?}");
        assert!(notes[0].ends_with("; see `sref doctor`"), "{notes:?}");
    }
    // Also where the session would have been in it.
    let answer = run(on_store(
        Path::new(&root),
        &["show", "zz", "--store", &other],
    ));
    assert_eq!(answer.status, 1);
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert!(
        lines[0].starts_with("note: ") && lines[1].starts_with("error["),
        "{lines:?}"
    );
    // A host that runs a hook reads what it prints.
    let event = serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": "@sref:3f9c"});
    let mut hook = on_store(Path::new(&root), &["hook", "claude"]);
    hook.args(["--store", &other]);
    let answer = feed(hook, event.to_string().as_bytes());
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    assert!(answer.stdout.contains("referenced"), "{}", answer.stdout);
}

/// Which file it is, what is wrong with it, and neither of them twice.
#[test]
fn a_file_in_the_place_of_a_store_is_named_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("notes.txt");
    fs::write(&file, "text").unwrap();
    let path = file.to_str().unwrap();
    for (kind, fault) in [
        ("claude", "Not a directory"),
        ("codex", "Not a directory"),
        ("dsh", "neither a directory nor an SQLite database"),
        ("toh", "neither a directory nor an SQLite database"),
    ] {
        let store = format!("{kind}={path}");
        let command = |name| {
            let mut command = sref(&[name]);
            command.args(["--store", &store]);
            command
        };
        let message = fails(|| command("list"), "SESSION_QUERY_PERSISTENCE_FAILED");
        assert_eq!(message.matches(path).count(), 1, "{message}");
        assert_eq!(message.matches("read").count(), 1, "{message}");
        assert!(message.contains(fault), "{message}");
        let doctor = run(command("doctor")).stdout;
        assert_eq!(doctor.matches(path).count(), 1, "{doctor}");
        assert!(
            doctor.to_lowercase().contains(&fault.to_lowercase()),
            "{doctor}"
        );
        let mut beside = command("list");
        beside.args(["--store", &format!("dsh={}", sample().display())]);
        let note = run(beside).stderr;
        assert_eq!(note.matches(path).count(), 1, "{note}");
    }
}

#[test]
fn a_store_of_an_unknown_kind() {
    let unknown = || {
        let mut command = sref(&["list"]);
        command.args(["--store", "hal9000=/tmp"]);
        command
    };
    let answer = run(unknown());
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("hal9000") && answer.stderr.contains("dsh"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_doctor_names_what_was_skipped() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("sessions");
    let project = root.join("--work--");
    fs::create_dir_all(project.join("broken")).unwrap();
    fs::write(project.join("broken/session.jsonl"), "garbage\n").unwrap();
    fs::write(project.join("flat.jsonl"), "{}\n").unwrap();
    let text = run(on_store(&root, &["doctor"]));
    assert_eq!(text.status, 0, "{}", text.stderr);
    assert!(text.stdout.contains("store.header"), "{}", text.stdout);
    assert!(text.stdout.contains("broken"), "{}", text.stdout);
    let json = succeed(on_store(&root, &["doctor", "--json"])).json();
    let problems = json.as_array().unwrap();
    assert_eq!(problems.len(), 2, "{json}");
    for problem in problems {
        for key in ["kind", "root", "code", "path"] {
            assert!(problem[key].is_string(), "{problem}");
        }
    }
    // What is broken costs nobody else anything.
    assert_eq!(succeed(on_store(&root, &["list", "--json"])).stdout, "[]\n");
    let healthy = run(on_sample(&["doctor"]));
    assert_eq!((healthy.status, healthy.stdout.as_str()), (0, ""));
    assert_eq!(succeed(on_sample(&["doctor", "--json"])).stdout, "[]\n");
}

#[test]
fn another_log_of_a_session_is_told_where_it_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let log = |project: &str, cwd: &str, created_at: u64| {
        let directory = home.path().join(project).join("twin");
        fs::create_dir_all(&directory).unwrap();
        let line = format!(
            r#"{{"type":"session","version":0,"id":"twin","createdAt":{created_at},"cwd":"{cwd}","delegationDepth":0}}"#
        );
        fs::write(directory.join("session.jsonl"), line + "\n").unwrap();
    };
    log("--a--", "/a", 5);
    log("--b--", "/b", 6);
    let json = run(on_store(home.path(), &["show", "twin", "--json"])).json();
    let diagnostics = json["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 1, "{json}");
    assert_eq!(diagnostics[0]["code"], "store.duplicate-id");
    let text = run(on_store(home.path(), &["show", "twin"]));
    assert!(text.stdout.contains("Nothing was said"), "{}", text.stdout);
    assert!(
        text.stderr.contains("another log has the same id"),
        "{}",
        text.stderr
    );
}

/// Every file below a directory: its bytes, and when it was written.
fn tree(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.metadata().unwrap();
            if meta.is_dir() {
                open.push(path.clone());
            }
            let bytes = if meta.is_dir() {
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            files.insert(path, (bytes, meta.modified().unwrap()));
        }
    }
    files
}

#[test]
fn no_command_writes_to_a_store() {
    let before = tree(&sample());
    assert!(before.len() > 8);
    let mention = succeed(on_sample(&["mention", "3f9c"])).stdout;
    for args in [
        &["list"][..],
        &["list", "login"],
        &["stores"],
        &["doctor"],
        &["mention", "3f9c"],
        &["show", "e20b"],
        &["show", "a771", "--full"],
        &["prepare", mention.trim_end()],
    ] {
        assert_eq!(run(on_sample(args)).status, 0, "{args:?}");
        assert!(tree(&sample()) == before, "{args:?}");
    }
}

/// The scripts of the samples are written by hand, and their logs have to pass every rule.
#[test]
fn the_sample_store_is_one_that_the_reference_reads() {
    let store = DshStore::open(sample(), DshOptions::strict(Encoding::Plain)).unwrap();
    let cancel = CancellationToken::new();
    let listing = store.list(&cancel).unwrap();
    assert_eq!((listing.sessions.len(), listing.diagnostics.len()), (8, 0));
    for listed in &listing.sessions {
        let id = listed.header.id.as_js_string();
        let surface = store.surface(id, &cancel).unwrap().unwrap();
        assert!(!surface.events.is_empty(), "{id}");
        let title = &store.titles(std::slice::from_ref(id), &cancel).unwrap()[0];
        assert_eq!(title.as_ref().unwrap().is_none(), *id == *UNTITLED, "{id}");
    }
}

/// A place that cannot be looked at is not one where nothing is, and however a store fails, what is
/// asked of it alone fails.
#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_reached_is_named() {
    use std::os::unix::fs::symlink;
    type Make = fn(&Path);
    let made: [(Make, &str); 3] = [
        (
            |home| {
                fs::create_dir(home.join(".dsh")).unwrap();
                symlink("sessions", home.join(".dsh/sessions")).unwrap();
            },
            "link",
        ),
        (
            |home| symlink("/no/such/disk", home.join(".dsh")).unwrap(),
            "a link that leads nowhere",
        ),
        (
            |home| {
                fs::create_dir(home.join(".dsh")).unwrap();
                fs::write(home.join(".dsh/sessions"), "a file").unwrap();
            },
            "neither a directory nor",
        ),
    ];
    for (make, reason) in made {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        let on_home = |args: &[&str]| {
            let mut command = sref(args);
            command.env("HOME", home.path());
            command
        };
        let stores = succeed(on_home(&["stores"])).stdout;
        assert!(stores.contains("cannot be read: "), "{stores}");
        assert!(stores.contains(reason), "{stores}");
        let json = succeed(on_home(&["stores", "--json"])).json();
        assert_eq!(json.as_array().unwrap().len(), 1, "{json}");
        assert!(json[0]["detail"].as_str().unwrap().contains(reason));
        let doctor = succeed(on_home(&["doctor"])).stdout;
        assert!(
            doctor.contains(".dsh") && doctor.contains(reason),
            "{doctor}"
        );
        let message = fails(|| on_home(&["list"]), "SESSION_QUERY_PERSISTENCE_FAILED");
        assert!(message.contains(reason), "{message}");
        // Beside one that can be read it costs a line.
        fs::create_dir_all(home.path().join(".claude/projects")).unwrap();
        let list = run(on_home(&["list"]));
        assert_eq!(list.status, 0, "{}", list.stderr);
        assert!(list.stderr.contains("the dsh store"), "{}", list.stderr);
    }
    // Below a file there is nothing, and in a directory that a link leads to there may be nothing.
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(".dsh"), "").unwrap();
    fs::create_dir(home.path().join("elsewhere")).unwrap();
    symlink("elsewhere", home.path().join(".toh")).unwrap();
    let mut command = sref(&["stores"]);
    command.env("HOME", home.path());
    let nothing = run(command);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""));
    let nothing = nothing.stderr;
    for kind in ["dsh", "toh"] {
        let expected = format!("{kind}: nothing at");
        assert!(nothing.contains(&expected), "{nothing}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_no_utf8_is_told_whole() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().unwrap();
    let session = home
        .path()
        .join("--p--")
        .join(OsStr::from_bytes(b"\xC3\xA9\xFFx"));
    fs::create_dir_all(&session).unwrap();
    fs::write(session.join("session.jsonl"), "garbage\n").unwrap();
    let json = succeed(on_store(home.path(), &["doctor", "--json"])).stdout;
    assert!(json.contains("--p--/é\\udcffx/session.jsonl"), "{json}");
}

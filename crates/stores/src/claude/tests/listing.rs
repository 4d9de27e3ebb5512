//! Titles, and which files are sessions.

use std::path::Path;

use super::*;
use crate::DiagnosticKind;

fn title(records: &[String]) -> Option<String> {
    let (_home, store) = store(&[(&format!("{ID}.jsonl"), &records.concat())]);
    let title = store
        .titles(&[ID.into()], &cancel())
        .unwrap()
        .remove(0)
        .unwrap();
    title.map(|title| title.text().unwrap().to_string_lossy().into_owned())
}

#[test]
fn titles_by_who_gave_them() {
    let custom = "{\"type\":\"custom-title\",\"customTitle\":\"Mine\"}\n".to_string();
    let blank = "{\"type\":\"custom-title\",\"customTitle\":\"  \"}\n".to_string();
    let ai = "{\"type\":\"ai-title\",\"aiTitle\":\"Theirs\"}\n".to_string();
    let summary = |leaf: &str| {
        format!("{{\"type\":\"summary\",\"summary\":\"Sum\",\"leafUuid\":\"{leaf}\"}}\n")
    };
    let prompt = user("u1", "", "first\nprompt");
    let far = user("u2", "u1", &"x".repeat(200 << 10));
    let check = |records: &[&String], expected: &str| {
        let records: Vec<String> = records.iter().map(|record| (*record).clone()).collect();
        assert_eq!(title(&records).as_deref(), Some(expected));
    };
    check(&[&prompt, &ai, &custom, &ai], "Mine");
    check(&[&prompt, &custom, &blank], "Mine");
    // Beyond both windows.
    check(&[&far, &custom, &far, &ai], "Mine");
    check(&[&prompt, &ai], "Theirs");
    // Behind another record on its line.
    let glued = format!("{}{custom}", prompt.trim_end());
    check(&[&glued, &ai], "Mine");
    check(&[&summary("u1"), &prompt], "Sum");
    check(&[&summary("elsewhere"), &prompt], "first prompt");
    check(&[&prompt], "first prompt");
    check(
        &[&user("u1", "", &"y".repeat(300))],
        &format!("{}…", "y".repeat(200)),
    );
}

/// 1.7: what a harness wrote never becomes the title.
#[test]
fn nothing_injected_is_a_title() {
    let last = |text: &str| format!("{{\"type\":\"last-prompt\",\"lastPrompt\":\"{text}\"}}\n");
    let answer = assistant("a1", "", "m", &text("done"));
    assert_eq!(title(&[answer.clone(), last("go on")]).unwrap(), "go on");
    let machine = last("<task-notification>task 1 has ended, and its outp");
    assert_eq!(title(&[answer, machine.clone()]), None);
    let log = [
        user("u1", "", "<local-command-stdout>x</local-command-stdout>"),
        user("u2", "u1", "<system-reminder>x</system-reminder>"),
        machine,
        user("u3", "u2", "fix it"),
    ];
    assert_eq!(title(&log).unwrap(), "fix it");
}

#[test]
fn listing_shows_sessions_and_explains_the_rest() {
    let meta = "{\"type\":\"ai-title\",\"aiTitle\":\"Nothing said\"}\n";
    let agent = record(
        "user",
        "s1",
        "",
        ",\"isSidechain\":true,\"message\":{\"content\":\"do it\"}",
    );
    let moved = format!(
        "{}{{\"type\":\"relocated\",\"relocatedCwd\":\"/w/new\"}}\n",
        user("u1", "", "hello")
    );
    let (_home, store) = store(&[
        (&format!("{ID}.jsonl"), &moved),
        (&format!("{OTHER}.jsonl"), meta),
        (&format!("{ID}/subagents/agent-a1.jsonl"), &agent),
        (&format!("{ID}/subagents/agent-acompact-x.jsonl"), &agent),
        ("notes.jsonl", "x"),
        ("empty.txt", ""),
    ]);
    let listing = store.list(&cancel()).unwrap();
    let ids: Vec<String> = listing
        .sessions
        .iter()
        .map(|listed| listed.header.id.to_string())
        .collect();
    assert_eq!(ids, [ID.to_owned(), format!("{ID}/agent-a1")]);
    let session = &listing.sessions[0].header;
    assert_eq!(session.cwd.as_ref().unwrap(), "/w/new");
    assert_eq!(session.created_at, 1_785_574_800_000);
    let agent = &listing.sessions[1].header;
    assert_eq!(agent.origin.as_ref().unwrap(), "subagent");
    assert_eq!(agent.parent_session.as_ref().unwrap().to_string(), ID);
    let kinds: Vec<DiagnosticKind> = listing.diagnostics.iter().map(|found| found.kind).collect();
    assert_eq!(kinds, [DiagnosticKind::NoConversation]);
    assert_eq!(read(&store, &format!("{ID}/agent-a1")), ["u:do it"]);
}

/// 2.9: an old copy hides behind the log that goes on; a fork stays.
#[test]
fn copies_hide_and_forks_stay() {
    let start = [user("u1", "", "a"), assistant("a1", "u1", "m1", &text("b"))].concat();
    let longer = start.clone() + &user("u2", "a1", "c");
    let fork = start.clone() + &user("f2", "a1", "d");
    let third = "5f0c1d2e-0000-4000-8000-000000000003";
    let (_home, store) = store(&[
        (&format!("{ID}.jsonl"), &longer),
        (&format!("{OTHER}.jsonl"), &start),
        (&format!("{third}.jsonl"), &fork),
    ]);
    let listing = store.list(&cancel()).unwrap();
    let mut ids: Vec<String> = listing
        .sessions
        .iter()
        .map(|listed| listed.header.id.to_string())
        .collect();
    ids.sort();
    assert_eq!(ids, [ID, third]);
    assert_eq!(listing.diagnostics[0].kind, DiagnosticKind::Copy);
    // Hidden is not gone: a mention of it still resolves.
    assert_eq!(read(&store, OTHER), ["u:a", "a:b"]);
}

#[test]
fn the_same_id_in_two_projects_is_the_newest() {
    let (home, store) = store(&[(&format!("{ID}.jsonl"), &user("u1", "", "old"))]);
    let second = home.path().join("projects/-w-tree");
    fs::create_dir_all(&second).unwrap();
    let path = second.join(format!("{ID}.jsonl"));
    fs::write(&path, user("u1", "", "new")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::open(&path).unwrap().set_modified(later).unwrap();
    assert_eq!(read(&store, ID), ["u:new"]);
    let listing = store.list(&cancel()).unwrap();
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.diagnostics[0].kind, DiagnosticKind::DuplicateId);
}

#[cfg(unix)]
#[test]
fn linked_projects_are_followed_and_loops_are_not() {
    let (home, store) = store(&[(&format!("{ID}.jsonl"), &user("u1", "", "a"))]);
    let projects = home.path().join("projects");
    let real = home.path().join("elsewhere");
    fs::create_dir(&real).unwrap();
    fs::write(real.join(format!("{OTHER}.jsonl")), user("u1x", "", "b")).unwrap();
    std::os::unix::fs::symlink(&real, projects.join("linked")).unwrap();
    std::os::unix::fs::symlink("loop", projects.join("loop")).unwrap();
    std::os::unix::fs::symlink(Path::new("gone"), projects.join("dangling")).unwrap();
    let listing = store.list(&cancel()).unwrap();
    assert_eq!(listing.sessions.len(), 2);
    assert!(
        listing
            .diagnostics
            .iter()
            .all(|found| found.kind == DiagnosticKind::Unreadable)
    );
}

#[test]
fn an_absent_root_is_empty_and_an_unknown_id_is_nobody() {
    let store = ClaudeStore::open("/nonexistent/claude");
    assert!(store.list(&cancel()).unwrap().sessions.is_empty());
    assert_eq!(
        store
            .surface(&"../../etc/passwd".into(), &cancel())
            .unwrap(),
        None
    );
}

/// A link back to what the store lies in is told and not followed.
#[cfg(unix)]
#[test]
fn a_link_above_the_store_is_not_followed() {
    let (home, store) = store(&[(&format!("{ID}.jsonl"), &user("u1", "", "a"))]);
    let other = home.path().join(format!("{OTHER}.jsonl"));
    fs::write(other, user("u1", "", "b")).unwrap();
    let link = home.path().join("projects/loop");
    std::os::unix::fs::symlink("..", &link).unwrap();
    let listing = store.list(&cancel()).unwrap();
    assert_eq!(listing.sessions.len(), 1);
    let found: Vec<_> = listing
        .diagnostics
        .iter()
        .map(|own| (own.kind, &*own.path))
        .collect();
    assert_eq!(found, [(DiagnosticKind::Link, &*link)]);
}

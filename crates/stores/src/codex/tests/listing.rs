//! Which files are threads, and what is told of them (`spec/agent-logs.md` 3.1 to 3.3, 3.8, 3.9).

use std::fs;
use std::path::Path;

use super::super::CodexStore;
use super::support::*;
use crate::{DiagnosticKind, Store};

fn log(thread: &str, more: &str) -> String {
    [
        meta(thread, more),
        begin("1"),
        user_item("hello"),
        agent_item("hi"),
    ]
    .concat()
}

#[test]
fn what_a_listing_tells() {
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    let listing = home.list();
    let listed = &listing.sessions[0];
    assert_eq!(listed.header.id, A.into());
    assert_eq!(listed.header.cwd.as_ref().unwrap(), "/w/api");
    assert_eq!(listed.header.created_at, 1_785_567_600_000);
    assert_eq!(listed.size_bytes, Some(log(A, "").len() as u64));
    assert!(listed.updated_at.is_some() && !listed.is_archived);
    assert_eq!(
        home.store.find(&A.into(), &cancel()).unwrap().as_ref(),
        Some(listed)
    );
    assert_eq!(home.store.kind(), "codex");
    assert_eq!(listing.diagnostics, []);
}

/// 3.8: listed by default are threads that a person started.
#[test]
fn threads_that_no_person_started_are_marked() {
    for (more, origin) in [
        (",\"source\":\"exec\"", None),
        (
            ",\"source\":\"vscode\",\"originator\":\"Codex Desktop\"",
            None,
        ),
        (",\"source\":{\"subagent\":\"review\"}", Some("subagent")),
        (",\"thread_source\":\"automation\"", Some("automation")),
        (
            ",\"thread_source\":\"guardian_review\"",
            Some("guardian_review"),
        ),
    ] {
        let home = Home::new(&[(place(A).as_str(), log(A, more))]);
        let listed = home.list().sessions.remove(0);
        let found = listed
            .header
            .origin
            .map(|origin| origin.to_string_lossy().into_owned());
        assert_eq!(found.as_deref(), origin, "{more}");
    }
}

/// 3.1: places, archives, and names that are none.
#[test]
fn which_files_are_rollouts() {
    let archived = format!("archived_sessions/rollout-2026-08-01T09-00-00-{B}.jsonl");
    let flat = format!("sessions/rollout-2025-05-01T09-00-00-{C}.jsonl");
    let home = Home::new(&[
        (place(A).as_str(), log(A, "")),
        (&archived, log(B, "")),
        (&flat, log(C, "")),
        (
            &format!("{DAY}/rollout-2026-08-01T09-00-00-{A}.jsonl.tmp"),
            "x".into(),
        ),
        (&format!("{DAY}/notes.jsonl"), "x".into()),
        (
            &format!("{DAY}/rollout-2026-08-01T09-00-01-{A}.jsonl/x"),
            "x".into(),
        ),
        ("sessions/.tmp/rollout-compression.lock", String::new()),
        ("session_index.jsonl", String::new()),
    ]);
    let sessions = home.list().sessions;
    let seen: Vec<(String, bool)> = sessions
        .iter()
        .map(|listed| (listed.header.id.to_string(), listed.is_archived))
        .collect();
    let expected =
        [(A, false), (B, true), (C, false)].map(|(id, archived)| (id.to_owned(), archived));
    assert_eq!(seen, expected);
    // A directory with the name of a rollout.
    assert_eq!(home.kinds(), [DiagnosticKind::Unreadable]);
    assert_eq!(home.conversation(B), ["u:hello", "a:hi"]);
}

/// Live beside archived: the live one counts, and the other is named.
#[test]
fn a_rollout_that_is_there_twice() {
    let archived = format!("archived_sessions/rollout-2026-08-01T09-00-00-{A}.jsonl");
    let home = Home::new(&[
        (place(A).as_str(), log(A, "")),
        (&archived, log(A, "").replace("hello", "old")),
    ]);
    assert!(!home.list().sessions[0].is_archived);
    assert_eq!(home.kinds(), [DiagnosticKind::DuplicateId]);
    assert_eq!(home.conversation(A), ["u:hello", "a:hi"]);
}

/// 3.9: without a header the name tells the thread and its time, whatever the clock there was.
#[test]
fn a_rollout_without_a_header() {
    let bare = [begin("1"), user_item("hello")].concat();
    let bare = bare.replace("\"timestamp\":\"2026-08-01T07:00:00.100Z\",", "");
    let home = Home::new(&[(place(A).as_str(), bare)]);
    let listed = home.list().sessions.remove(0);
    assert_eq!(listed.header.id, A.into());
    assert_eq!(listed.header.created_at, 0x0198_a3c0_0000);
    assert_eq!(home.conversation(A), ["u:hello"]);
}

/// 1.5: names are local time; the thread's own time is not taken from them.
#[test]
fn the_time_in_a_name_is_not_taken_for_utc() {
    // An hour that there is twice, and a day that is not yet over elsewhere.
    for name in [
        format!("sessions/2026/10/25/rollout-2026-10-25T02-30-00-{A}.jsonl"),
        format!("sessions/2026/08/02/rollout-2026-08-02T00-00-00-{A}.jsonl"),
        format!("sessions/2026/07/31/rollout-2026-07-31T23-59-59-{A}.jsonl"),
    ] {
        let home = Home::new(&[(name.as_str(), log(A, ""))]);
        assert_eq!(home.list().sessions[0].header.created_at, 1_785_567_600_000);
    }
}

/// 3.8: where the header names no directory, the first turn does.
#[test]
fn the_directory_of_the_first_turn() {
    let bare = format!("{{\"id\":\"{A}\",\"timestamp\":\"2026-08-01T07:00:00Z\"}}");
    let contexts =
        ["/w/one", "/w/two"].map(|cwd| line("turn_context", &format!("{{\"cwd\":\"{cwd}\"}}")));
    let log = [
        line("session_meta", &bare),
        user_item("a"),
        contexts.concat(),
    ]
    .concat();
    let home = Home::new(&[(place(A).as_str(), log)]);
    assert_eq!(
        home.list().sessions[0].header.cwd.as_ref().unwrap(),
        "/w/one"
    );
    let windows = log_with_cwd("\\\\\\\\?\\\\C:\\\\w");
    let home = Home::new(&[(place(A).as_str(), windows)]);
    assert_eq!(
        home.list().sessions[0].header.cwd.as_ref().unwrap(),
        "\\\\?\\C:\\w"
    );
}

fn log_with_cwd(cwd: &str) -> String {
    log(A, "").replace("/w/api", cwd)
}

/// 3.11: the first prompt can lie anywhere; what comes before is passed over.
#[test]
fn the_first_words_lie_far_into_the_log() {
    let tools = line(
        "response_item",
        &format!(
            "{{\"type\":\"additional_tools\",\"tools\":\"{}\"}}",
            "x".repeat(3 << 20)
        ),
    );
    let log = [
        meta(A, ",\"history_mode\":\"paginated\""),
        tools,
        user_item("hello"),
    ]
    .concat();
    let home = Home::new(&[(place(A).as_str(), log)]);
    assert_eq!(home.ids(), [A]);
    assert_eq!(home.title(A).as_deref(), Some("hello"));
}

#[test]
fn a_rollout_in_which_nobody_says_anything() {
    let home = Home::new(&[
        (place(A).as_str(), meta(A, "")),
        (&place(B), String::new()),
        (&place(C), "\0\0\0\n\0".into()),
    ]);
    assert_eq!(home.ids(), <[&str; 0]>::default());
    assert_eq!(home.kinds(), [DiagnosticKind::NoConversation; 3]);
}

/// Records that nobody knows are counted and cost nothing.
#[test]
fn unknown_records_are_reported() {
    let unknown = [
        line("brand_new", "{}"),
        event("brand_new", ""),
        "[1]\n".into(),
        "null\n".into(),
        line(
            "response_item",
            "{\"type\":\"message\",\"role\":\"oracle\",\"content\":[]}",
        ),
        line("session_meta", "7").replace("session_meta", "compacted"),
    ];
    let log = [meta(A, ""), unknown.concat(), user_item("hello")].concat();
    let home = Home::new(&[(place(A).as_str(), log)]);
    assert_eq!(home.conversation(A), ["u:hello"]);
    let found = home.list().diagnostics;
    assert_eq!(found[0].kind, DiagnosticKind::UnknownRecords);
    let detail = "5: \"brand_new\", \"message\"";
    assert_eq!(found[0].detail, detail);
    // Behind the first words only an examination sees them.
    let log = [
        meta(A, ""),
        user_item("hello"),
        unknown.concat(),
        "no JSON\n\0{}\n{\"torn\":".into(),
    ]
    .concat();
    let home = Home::new(&[(place(A).as_str(), log)]);
    assert_eq!(home.kinds(), []);
    let found = home.examine(A).unwrap();
    let found: Vec<(DiagnosticKind, &str)> = found
        .iter()
        .map(|found| (found.kind, found.detail.as_str()))
        .collect();
    let expected = [
        (DiagnosticKind::BadLines, "1"),
        (DiagnosticKind::RepairedLines, "1"),
        (DiagnosticKind::TornTail, ""),
        (DiagnosticKind::UnknownRecords, &detail.replace('5', "6")),
    ];
    assert_eq!(found, expected);
    let losses = home.surface(A).unwrap().losses.to_string();
    let expected = "lines that are no JSON were passed over: 1; \
                    the last line has no end: its writer was stopped, or is at it";
    assert_eq!(losses, expected);
    let nobody = home.examine(B).unwrap_err();
    assert_eq!(nobody.kind(), crate::StoreErrorKind::NotFound);
}

/// 3.11: who wrote a part of a prompt, by a word that nobody knows.
#[test]
fn unknown_writers_are_told_and_hide_nothing() {
    let kinds =
        ",\"internal_chat_message_metadata_passthrough\":{\"content_item_kinds\":[\"brand.new\"]}}";
    let prompt = bare_message("user", "typed");
    let prompt = format!("{}{kinds}", prompt.strip_suffix('}').unwrap());
    let event = user_event("also").replace("\"images\"", "\"kind\":\"newer\",\"images\"");
    let log = [
        meta(A, ""),
        begin("1"),
        line("response_item", &prompt),
        begin("2"),
        event,
    ];
    let home = Home::new(&[(place(A).as_str(), log.concat())]);
    assert_eq!(home.conversation(A), ["u:typed", "u:also"]);
    let found = home.examine(A).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, DiagnosticKind::UnknownRecords);
    assert_eq!(
        found[0].detail,
        r#"2: "content_item_kinds=brand.new", "kind=newer""#
    );
}

#[test]
fn a_header_that_names_another_thread_than_the_file() {
    let home = Home::new(&[(place(A).as_str(), log(B, ""))]);
    assert_eq!(home.ids(), [B]);
    assert_eq!(home.conversation(B), ["u:hello", "a:hi"]);
    assert_eq!(home.surface(A), None);
}

#[test]
fn which_directories_can_be_opened() {
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    let ids = |root: &Path| {
        let store = CodexStore::open(root);
        let sessions = store.list(&cancel()).unwrap().sessions;
        sessions
            .into_iter()
            .map(|listed| listed.header.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&home.path("sessions")), [A]);
    assert_eq!(ids(&home.path(DAY)), [A]);
    assert_eq!(ids(&home.path("nowhere")), <[&str; 0]>::default());
}

/// Among other stores a thread has a prefix, and so has the thread that it comes from.
#[tokio::test]
async fn threads_among_other_stores() {
    use sref_query::SessionQuery as _;
    let archived = format!("archived_sessions/rollout-2026-08-01T09-00-00-{B}.jsonl");
    let spawned = format!(",\"thread_source\":\"subagent\",\"parent_thread_id\":\"{A}\"");
    let home = Home::new(&[
        (place(A).as_str(), log(A, "")),
        (&archived, log(B, &spawned)),
    ]);
    let corpus = crate::Corpus::new(vec![std::sync::Arc::new(CodexStore::open(home.path("")))]);
    let records = corpus.list(&cancel()).await.unwrap();
    let record = records.iter().find(|record| record.is_subagent).unwrap();
    assert_eq!(record.header.id, format!("codex:{B}").as_str().into());
    assert_eq!(
        record.header.parent_session,
        Some(format!("codex:{A}").as_str().into())
    );
    assert!(record.is_archived);
    let id = record.header.id.clone();
    let surface = corpus.surface(&id, &cancel()).await.unwrap().unwrap();
    assert_eq!(words(&surface), ["u:hello", "a:hi"]);
    assert_eq!(surface.header.id, id);
}

#[test]
fn an_id_is_no_path() {
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    for id in ["../../etc/passwd", "", A.get(..8).unwrap()] {
        assert_eq!(home.surface(id), None);
        assert_eq!(home.store.find(&id.into(), &cancel()).unwrap(), None);
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_at_the_first_level() {
    use std::os::unix::fs::symlink;
    let home = Home::new(&[
        (
            "elsewhere/08/01/rollout-2026-08-01T09-00-00-a.jsonl",
            log(A, ""),
        ),
        ("sessions/2025/x", String::new()),
    ]);
    symlink(home.path("elsewhere"), home.path("sessions/2026")).unwrap();
    symlink(home.path("elsewhere"), home.path("sessions/again")).unwrap();
    symlink(home.path("sessions"), home.path("sessions/2025/loop")).unwrap();
    symlink(Path::new("gone"), home.path("sessions/dangling")).unwrap();
    assert_eq!(home.ids(), [A]);
    assert_eq!(
        home.kinds(),
        [DiagnosticKind::Link, DiagnosticKind::Unreadable]
    );
}

/// A name that is no UTF-8 is one like any other; only its id shows it.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    for name in [&b"rollout-\xFFx.jsonl"[..], b"rollout-\xFEx.jsonl"] {
        let path = home.path(DAY).join(std::ffi::OsStr::from_bytes(name));
        fs::write(path, user_event("odd")).unwrap();
    }
    assert_eq!(home.ids(), ["\u{FFFD}x", A]);
    assert_eq!(home.conversation("\u{FFFD}x"), ["u:odd"]);
    assert_eq!(home.kinds(), [DiagnosticKind::DuplicateId]);
}

/// Whatever has the name of a rollout and is not listed is named, and nothing that has no end is
/// opened.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_named_and_not_opened() {
    use std::os::unix::fs::symlink;
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    let made = std::process::Command::new("mkfifo")
        .arg(home.path(&place(B)))
        .status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", home.path(&place(C))).unwrap();
    symlink("itself", home.path(DAY).join("itself")).unwrap();
    // Nobody's.
    symlink("/dev/null", home.path(DAY).join("notes")).unwrap();
    assert_eq!(home.ids(), [A]);
    let found = home.list().diagnostics.into_iter();
    let mut found: Vec<_> = found.map(|own| (own.path, own.kind)).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        (home.path(DAY).join("itself"), DiagnosticKind::Link),
        (home.path(&place(B)), DiagnosticKind::Special),
        (home.path(&place(C)), DiagnosticKind::Link),
    ];
    assert_eq!(found, expected);
    for id in [B, C] {
        assert_eq!(home.surface(id), None);
    }
}

#[test]
fn a_cancelled_call_ends() {
    let home = Home::new(&[(place(A).as_str(), log(A, ""))]);
    let cancelled = cancel();
    cancelled.cancel();
    let kind = |error: crate::StoreError| error.kind();
    let expected = crate::StoreErrorKind::Cancelled;
    assert_eq!(home.store.list(&cancelled).map_err(kind), Err(expected));
    assert_eq!(
        home.store.surface(&A.into(), &cancelled).map_err(kind),
        Err(expected)
    );
    let titles = home.store.titles(&[A.into()], &cancelled);
    assert_eq!(titles.map(|_| ()).map_err(kind), Err(expected));
}

/// Behind a link only what is laid out as rollouts are is looked at, and a link back to what the store lies
/// in is not followed.
#[cfg(unix)]
#[test]
fn links_lead_to_no_foreign_files() {
    use std::os::unix::fs::symlink;
    let name = format!("rollout-2026-08-01T09-00-00-{B}.jsonl");
    let log = [meta(B, ""), user_item("b")].concat();
    let home = Home::new(&[
        (place(A).as_str(), [meta(A, ""), user_item("a")].concat()),
        (&format!("far/07/31/{name}"), log.clone()),
        (
            &format!("far/lib/{}", name.replace(B, C)),
            log.replace(B, C),
        ),
        ("far/lib/x", String::new()),
    ]);
    symlink("gone", home.path("far/lib/link")).unwrap();
    symlink(home.path("far"), home.path("far/more")).unwrap();
    symlink(home.path("far"), home.path("sessions/2025")).unwrap();
    symlink("../..", home.path("sessions/loop")).unwrap();
    symlink("2026", home.path("sessions/same")).unwrap();
    let mut ids = home.ids();
    ids.sort();
    assert_eq!(ids, [A, B]);
    let found = home.list().diagnostics;
    let found: Vec<_> = found.iter().map(|own| (own.kind, &*own.path)).collect();
    assert_eq!(
        found,
        [(DiagnosticKind::Link, &*home.path("sessions/loop"))]
    );
}

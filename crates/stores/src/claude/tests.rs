//! Logs as Claude Code writes them, and what a person would say was in them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::ClaudeStore;
use crate::{DiagnosticKind, Store};
use sref_session::{JsString, SurfacePayload};

const ID: &str = "5f0c1d2e-0000-4000-8000-000000000001";
const OTHER: &str = "5f0c1d2e-0000-4000-8000-000000000002";

fn cancel() -> CancellationToken {
    CancellationToken::new()
}

/// A store with one project and these files in it.
fn store(files: &[(&str, &str)]) -> (TempDir, ClaudeStore) {
    let home = TempDir::new().unwrap();
    let project = home.path().join("projects/-w-app");
    fs::create_dir_all(&project).unwrap();
    for (name, text) in files {
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let store = ClaudeStore::open(home.path());
    (home, store)
}

/// The conversation of a log, one line a message: `u:`, `a:`, `c:` for a checkpoint.
fn conversation(log: &str) -> Vec<String> {
    let (_home, store) = store(&[(&format!("{ID}.jsonl"), log)]);
    read(&store, ID)
}

fn read(store: &ClaudeStore, id: &str) -> Vec<String> {
    let surface = store
        .surface(&id.into(), &cancel())
        .unwrap()
        .expect("a session");
    surface
        .events
        .iter()
        .map(|event| {
            let (mark, content) = match &event.payload {
                SurfacePayload::UserMessage {
                    source, content, ..
                } if source.is_user() => ("u", content),
                SurfacePayload::UserMessage { content, .. } => ("c", content),
                SurfacePayload::AssistantMessage { content } => ("a", content),
                other => panic!("{other:?}"),
            };
            let texts: Vec<String> = content
                .iter()
                .map(|block| block.text().unwrap().to_string_lossy().into_owned())
                .collect();
            format!("{mark}:{}", texts.join("|"))
        })
        .collect()
}

/// A record with the members that matter; `more` is spliced in.
fn record(kind: &str, uuid: &str, parent: &str, more: &str) -> String {
    let parent = if parent.is_empty() {
        "null".into()
    } else {
        format!("\"{parent}\"")
    };
    format!(
        "{{\"parentUuid\":{parent},\"type\":\"{kind}\",\"uuid\":\"{uuid}\",\"cwd\":\"/w/app\",\"timestamp\":\"2026-08-01T09:00:00.000Z\"{more}}}\n"
    )
}

fn user(uuid: &str, parent: &str, text: &str) -> String {
    record(
        "user",
        uuid,
        parent,
        &format!(
            ",\"message\":{{\"role\":\"user\",\"content\":{}}}",
            JsString::from(text).to_json()
        ),
    )
}

fn assistant(uuid: &str, parent: &str, id: &str, blocks: &str) -> String {
    record(
        "assistant",
        uuid,
        parent,
        &format!(
            ",\"requestId\":\"r-{id}\",\"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\"content\":[{blocks}]}}"
        ),
    )
}

fn text(text: &str) -> String {
    format!(
        "{{\"type\":\"text\",\"text\":{}}}",
        JsString::from(text).to_json()
    )
}

fn check(records: &[String], expected: &[&str]) {
    assert_eq!(conversation(&records.concat()), expected);
}

#[test]
fn prompts_and_answers_without_machinery() {
    check(
        &[
            "{\"type\":\"mode\",\"mode\":\"default\"}\n".into(),
            user("u1", "", "why does login fail?"),
            assistant(
                "a1",
                "u1",
                "m1",
                "{\"type\":\"thinking\",\"thinking\":\"hm\"}",
            ),
            assistant("a2", "a1", "m1", &text("I look.")),
            assistant(
                "a3",
                "a2",
                "m1",
                "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{}}",
            ),
            record(
                "user",
                "u2",
                "a3",
                ",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"secret\"}]},\"toolUseResult\":{}",
            ),
            assistant("a4", "u2", "m2", &text("The token is stale.")),
            record(
                "user",
                "u3",
                "a4",
                ",\"isMeta\":true,\"message\":{\"content\":\"machine\"}",
            ),
            record(
                "assistant",
                "a5",
                "u3",
                ",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"API Error\"}]}",
            ),
            record(
                "assistant",
                "a6",
                "a5",
                ",\"message\":{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"No response requested.\"}]}",
            ),
        ],
        &[
            "u:why does login fail?",
            "a:I look.",
            "a:The token is stale.",
        ],
    );
}

/// 2.5: one message streams as several records; growing copies are one, distinct blocks stay.
#[test]
fn streamed_copies_are_merged_only_when_they_follow_each_other() {
    check(
        &[
            user("u1", "", "q"),
            assistant("a1", "u1", "m", &text("The to")),
            assistant("a2", "a1", "m", &text("The token")),
            assistant("a3", "a2", "m", &text("Another block")),
            user("u2", "a3", "again"),
            // A gateway that repeats one id for a whole session.
            assistant("a4", "u2", "m", &text("The token")),
        ],
        &["u:q", "a:The token|Another block", "u:again", "a:The token"],
    );
}

#[test]
fn an_edited_prompt_replaces_its_branch() {
    check(
        &[
            user("u1", "", "first"),
            assistant("a1", "u1", "m1", &text("old answer")),
            user("u2", "a1", "old question"),
            user("u3", "a1", "new question"),
            assistant("a3", "u3", "m3", &text("new answer")),
        ],
        &["u:first", "a:old answer", "u:new question", "a:new answer"],
    );
}

/// 2.6 (4), (5), 2.13: the prompt that triggers a compaction is reachable only through the list.
#[test]
fn a_compaction_is_a_checkpoint_and_keeps_what_it_names() {
    let boundary = "{\"parentUuid\":null,\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"c1\",\"compactMetadata\":{\"trigger\":\"auto\",\"preservedMessages\":{\"anchorUuid\":\"c2\",\"uuids\":[\"u2\"],\"allUuids\":[\"u2\"]}}}\n";
    let summary = record(
        "user",
        "c2",
        "c1",
        ",\"isCompactSummary\":true,\"message\":{\"content\":\"This session is being continued from a previous conversation.\\n\\nSummary:\\nThey fixed login.\"}",
    );
    check(
        &[
            user("u1", "", "long ago"),
            assistant("a1", "u1", "m1", &text("long answer")),
            user("u2", "a1", "and now?"),
            boundary.into(),
            summary,
            assistant("a2", "u2", "m2", &text("now this")),
        ],
        &["c:They fixed login.", "u:and now?", "a:now this"],
    );
}

#[test]
fn prompts_typed_while_the_model_worked() {
    let queued = |uuid: &str, parent: &str, more: &str| {
        record(
            "attachment",
            uuid,
            parent,
            &format!(
                ",\"attachment\":{{\"type\":\"queued_command\",\"commandMode\":\"prompt\",\"prompt\":\"also the docs\"{more}}}"
            ),
        )
    };
    check(
        &[
            user("u1", "", "fix it"),
            queued("q1", "u1", ""),
            queued("q2", "q1", ",\"origin\":{\"kind\":\"task-notification\"}"),
            assistant("a1", "q2", "m", &text("done")),
        ],
        &["u:fix it", "u:also the docs", "a:done"],
    );
}

#[test]
fn remarks_on_a_refused_tool_are_the_persons() {
    check(
        &[
            user("u1", "", "go"),
            assistant("a1", "u1", "m", &text("May I?")),
            record(
                "user",
                "u2",
                "a1",
                ",\"userFeedback\":\"not that file\",\"holdsPersonsWords\":true,\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"refused\"}]}",
            ),
        ],
        &["u:go", "a:May I?", "u:not that file"],
    );
}

#[test]
fn machine_prompts_are_dropped_and_unknown_origins_kept() {
    let from = |uuid: &str, parent: &str, more: &str| {
        record(
            "user",
            uuid,
            parent,
            &format!("{more},\"message\":{{\"content\":\"x {uuid}\"}}"),
        )
    };
    check(
        &[
            from("u1", "", ",\"promptSource\":\"typed\""),
            from("u2", "u1", ",\"promptSource\":\"system\""),
            from("u3", "u2", ",\"origin\":{\"kind\":\"task-notification\"}"),
            from(
                "u4",
                "u3",
                ",\"origin\":{\"kind\":\"cli\"},\"promptSource\":\"user\"",
            ),
            from("u5", "u4", ",\"turnOrigin\":\"task_notification\""),
            from("u6", "u5", ",\"sourceToolUseID\":\"t\""),
            from("u7", "u6", ",\"teamName\":\"t\""),
            from("u8", "u7", ",\"isSidechain\":true"),
        ],
        &["u:x u1", "u:x u4"],
    );
}

/// 2.7: a slash command counts when a turn followed.
#[test]
fn commands_count_when_a_turn_followed() {
    let command = "<command-name>/review</command-name><command-args>it</command-args>";
    check(
        &[
            user("u1", "", "hi"),
            user("u2", "u1", command),
            assistant("a", "u2", "m", &text("ok")),
        ],
        &["u:hi", "u:/review it", "a:ok"],
    );
    check(
        &[
            user("u1", "", "hi"),
            user("u2", "u1", command),
            user("u3", "u2", "next"),
        ],
        &["u:hi", "u:next"],
    );
}

#[test]
fn broken_chains_are_bridged() {
    check(
        &[
            user("u1", "", "a"),
            assistant("a1", "u1", "m1", &text("b")),
            user("u2", "lost", "c"),
            "{\"parentUuid\":\"u2\",\"type\":\"assi{\"parentUuid\":\"u2\",\"type\":\"assistant\",\"uuid\":\"a2\",\"message\":{\"content\":\"d\"}}\n".into(),
            "\0\0\0\n".into(),
            "{\"parentUuid\":\"a2\",\"type\":\"user\",\"uuid\":\"u3\",\"message\":{\"content\":\"cut o".into(),
        ],
        &["u:a", "a:b", "u:c", "a:d"],
    );
}

#[test]
fn old_logs_without_uuids_read_in_file_order() {
    let line = |kind: &str, text: &str| {
        format!("{{\"type\":\"{kind}\",\"message\":{{\"content\":\"{text}\"}}}}\n")
    };
    check(
        &[line("user", "a"), line("assistant", "b"), line("user", "c")],
        &["u:a", "a:b", "u:c"],
    );
}

#[test]
fn retracted_records_are_hidden() {
    check(
        &[
            user("u1", "", "a"),
            assistant("a1", "u1", "m1", &text("taken back")),
            record(
                "system",
                "s1",
                "a1",
                ",\"subtype\":\"model_refusal_fallback\",\"retractedMessageUuids\":[\"a1\"]",
            ),
            assistant("a2", "s1", "m2", &text("b")),
        ],
        &["u:a", "a:b"],
    );
}

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
    check(&[&summary("u1"), &prompt], "Sum");
    check(&[&summary("elsewhere"), &prompt], "first prompt");
    check(&[&prompt], "first prompt");
    check(
        &[&user("u1", "", &"y".repeat(300))],
        &format!("{}…", "y".repeat(200)),
    );
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

#[test]
fn a_line_beyond_the_cap_costs_itself_alone() {
    let huge = record(
        "user",
        "u2",
        "a1",
        &format!(",\"message\":{{\"content\":\"{}\"}}", "x".repeat(17 << 20)),
    );
    check(
        &[
            user("u1", "", "a"),
            assistant("a1", "u1", "m1", &text("b")),
            huge,
            user("u3", "u2", "c"),
        ],
        &["u:a", "a:b", "u:c"],
    );
}

//! Logs as Claude Code writes them, and what a person would say was in them.

use std::fs;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::ClaudeStore;
use crate::Store;
use sref_session::{JsString, SurfacePayload};

mod listing;
mod losses;

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

/// What a log has lost is told by the read that shows it, and a log that lost nothing says nothing.
#[test]
fn losses_stand_beside_the_surface() {
    let said = [user("u1", "", "one"), user("u2", "u1", "two")].concat();
    let losses = |log: &str| {
        let (_home, store) = store(&[(&format!("{ID}.jsonl"), log)]);
        let surface = store.surface(&ID.into(), &cancel()).unwrap().unwrap();
        assert_eq!(surface.events.len(), 2);
        let seen = store.observe(&ID.into(), &cancel()).unwrap().unwrap();
        assert_eq!(seen.surface, surface);
        let examined = store.examine(&[ID.into()], &cancel()).unwrap().remove(0);
        assert_eq!(seen.diagnostics, examined.unwrap());
        surface.losses.to_string()
    };
    assert_eq!(losses(&said), "");
    // A last record that is whole needs no line end, and what is not known held no words.
    assert_eq!(losses(said.trim_end()), "");
    assert_eq!(losses(&format!("{said}{{\"type\":\"tomorrow\"}}\n")), "");
    let bad = "lines that are no JSON were passed over: 2";
    assert_eq!(losses(&format!("{said}no JSON\nno JSON\n")), bad);
    let torn = "the last line has no end: its writer was stopped, or is at it";
    assert_eq!(losses(&format!("{said}{{\"type\":\"us")), torn);
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

/// 2.8, 2.13: what nobody knows hides nothing, and is told.
#[test]
fn unknown_origins_are_told() {
    let from = |uuid: &str, parent: &str, more: &str| {
        let more = format!("{more},\"message\":{{\"content\":\"x {uuid}\"}}");
        record("user", uuid, parent, &more)
    };
    let new = ",\"origin\":{\"kind\":\"brand-new\"}";
    let attached = "\"attachment\":{\"type\":\"queued_command\",\"commandMode\":\"prompt\",\"prompt\":\"queued\"";
    let log = [
        from(
            "u1",
            "",
            ",\"promptSource\":\"typed\",\"origin\":{\"kind\":\"human\"}",
        ),
        from(
            "u2",
            "u1",
            ",\"promptSource\":\"sdk\",\"origin\":{\"kind\":\"hook\"}",
        ),
        from("u3", "u2", &format!("{new},\"promptSource\":\"psychic\"")),
        record("attachment", "q1", "u3", &format!(",{attached}{new}}}")),
        record("attachment", "q2", "q1", &format!(",{attached}}}{new}")),
        from("u4", "q2", ",\"promptSource\":null,\"origin\":{\"kind\":7}"),
        assistant("a1", "u4", "m", &text("done")),
    ];
    let log = log.concat();
    let (_home, store) = store(&[(&format!("{ID}.jsonl"), &log)]);
    let expected = [
        "u:x u1", "u:x u3", "u:queued", "u:queued", "u:x u4", "a:done",
    ];
    assert_eq!(read(&store, ID), expected);
    let found = store.examine(&[ID.into()], &cancel()).unwrap().remove(0);
    let found = found.unwrap();
    let detail = r#"4: "origin.kind=", "origin.kind=brand-new", "promptSource=psychic""#;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, crate::DiagnosticKind::UnknownRecords);
    assert_eq!(found[0].detail, detail);
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

/// A log of more words than anybody says is given up before memory is.
#[test]
fn a_log_of_more_words_than_any() {
    use std::io::{Read, empty};
    let line = format!(
        "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
        "x".repeat(1 << 20)
    );
    let read = |lines: usize| {
        let log = std::iter::repeat_n(line.as_bytes(), lines);
        let log = log.fold(Box::new(empty()) as Box<dyn Read>, |log, line| {
            Box::new(log.chain(line))
        });
        super::log::Log::read(log, false, &cancel())
    };
    assert!(read(4).is_ok());
    let error = read(5).unwrap_err();
    assert!(error.to_string().contains("conversation"), "{error}");
}

//! Logs as crashes and other programs leave them (`spec/agent-logs.md` 1.2, 3.9).

use proptest::prelude::*;
use sref_session::Losses;

use super::super::CodexStore;
use super::support::*;
use crate::Store;
use crate::{Diagnostic, DiagnosticKind};

fn start() -> String {
    [meta(A, ""), begin("1"), user_item("a")].concat()
}

fn conversation(log: &[u8]) -> Vec<String> {
    Home::new(&[(place(A).as_str(), log)]).conversation(A)
}

/// Each fault of a line costs what it must and nothing else.
#[test]
fn faults_of_lines() {
    let answer = agent_item("b");
    let cases: &[(&str, String, &[&str])] = &[
        (
            "byte order mark",
            format!("\u{FEFF}{}{answer}", start()),
            &["u:a", "a:b"],
        ),
        (
            "CRLF",
            format!("{}{answer}", start()).replace('\n', "\r\n"),
            &["u:a", "a:b"],
        ),
        (
            "no last line end",
            format!("{}{}", start(), answer.trim_end()),
            &["u:a", "a:b"],
        ),
        (
            "cut off",
            format!("{}{answer}{}", start(), &answer[..90]),
            &["u:a", "a:b"],
        ),
        (
            "NULs",
            format!("{}\0\0\0\n{answer}\0\0\0", start()),
            &["u:a", "a:b"],
        ),
        (
            "NUL inside",
            format!("{}{}", start(), answer.replace("AgentM", "Agent\0M")),
            &["u:a", "a:b"],
        ),
        (
            "U+2028",
            format!("{}{}", start(), agent_item("x\u{2028}y")),
            &["u:a", "a:x\u{2028}y"],
        ),
        (
            "glued",
            format!("{}{}{answer}", start(), &answer[..60]),
            &["u:a", "a:b"],
        ),
        (
            "both whole on one line",
            format!(
                "{}{}{answer}",
                start().trim_end(),
                agent_item("one").trim_end()
            ),
            &["u:a", "a:one", "a:b"],
        ),
        (
            "whole behind a whole one that is passed over",
            format!(
                "{}{}{answer}",
                start(),
                line("world_state", "{\"x\":\"y\"}").trim_end()
            ),
            &["u:a", "a:b"],
        ),
        (
            "glued behind what is passed over",
            format!(
                "{}{}{answer}",
                start(),
                &line("world_state", "{\"x\":\"y\"}")[..70]
            ),
            &["u:a", "a:b"],
        ),
        (
            "raw line end",
            format!("{}{}", start(), agent_item("one@two").replace('@', "\n")),
            &["u:a", "a:one\ntwo"],
        ),
        (
            "two of a key",
            format!(
                "{}{}",
                start(),
                answer.replace(
                    "\"type\":\"AgentMessage\"",
                    "\"type\":\"Reasoning\",\"type\":\"AgentMessage\""
                )
            ),
            // A known item by its head: the writer never does this.
            &["u:a"],
        ),
        (
            "numbers of any size",
            format!(
                "{}{}",
                start(),
                answer.replacen('{', "{\"ordinal\":1e999,", 1)
            ),
            &["u:a", "a:b"],
        ),
    ];
    for (name, log, expected) in cases {
        assert_eq!(conversation(log.as_bytes()), *expected, "{name}");
    }
}

#[test]
fn nesting_of_any_depth_costs_nothing() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let log = [
        start(),
        line(
            "response_item",
            &format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":{deep}}}"),
        ),
        line("brand_new", &deep),
        format!("{deep}\n"),
        agent_item("b"),
    ];
    assert_eq!(conversation(log.concat().as_bytes()), ["u:a", "a:b"]);
}

/// 3.9: pictures make lines of any length; their words stay.
#[test]
fn huge_lines_keep_their_words() {
    let picture = format!("data:image/png;base64,{}", "A".repeat(9 << 20));
    let content = format!(
        "[{{\"type\":\"text\",\"text\":\"look\"}},{{\"type\":\"image\",\"image_url\":\"{picture}\"}}]"
    );
    let item = format!(",\"item\":{{\"type\":\"UserMessage\",\"content\":{content}}}");
    let history = format!(
        "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"look\"}},{{\"type\":\"input_image\",\"image_url\":\"{picture}\"}}]}}"
    );
    let log = [
        meta(A, ""),
        begin("1"),
        event("item_completed", &item),
        agent_item("a cat"),
        line(
            "response_item",
            &format!("{{\"type\":\"function_call_output\",\"output\":\"{picture}\"}}"),
        ),
    ];
    assert_eq!(conversation(log.concat().as_bytes()), ["u:look", "a:a cat"]);
    let more = [compacted("", &[history, bare_message("user", "Sum")])];
    let log = [log.concat(), more.concat()].concat();
    assert_eq!(conversation(log.as_bytes()), ["u:look", "c:Sum"]);
}

/// A text that only its digest is left of is not shown; the same words stand elsewhere.
#[test]
fn digests_are_nobodys_words() {
    let long = "word ".repeat(20_000);
    let picture = "A".repeat(9 << 20);
    let event = event(
        "user_message",
        &format!(",\"message\":{},\"images\":[\"{picture}\"]", json(&long)),
    );
    let log = [
        meta(A, ""),
        begin("1"),
        message("user", &long),
        event,
        agent_item("b"),
    ];
    let words = conversation(log.concat().as_bytes());
    assert_eq!(words[0].len(), long.len() + 2);
    assert_eq!(words[1..], ["a:b"]);
    // That they do is more than a reader can tell.
    let home = Home::new(&[(place(A).as_str(), log.concat())]);
    let losses = home.surface(A).unwrap().losses.to_string();
    assert!(losses.contains("too long"), "{losses}");
}

/// The same of what a compaction kept.
#[test]
fn digests_are_nobodys_words_in_a_compaction() {
    let long = "word ".repeat(20_000);
    let picture = "A".repeat(9 << 20);
    let shown = format!(
        "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_image\",\"image_url\":\"{picture}\"}}]}}"
    );
    let history = [
        bare_message("user", &long),
        shown,
        bare_message("user", "Sum"),
    ];
    let log = [meta(A, ""), compacted("", &history)];
    assert_eq!(
        conversation(log.concat().as_bytes()),
        ["u:[image]", "c:Sum"]
    );
    let home = Home::new(&[(place(A).as_str(), log.concat())]);
    let losses = home.surface(A).unwrap().losses.to_string();
    assert!(losses.contains("too long"), "{losses}");
}

/// A long header: the whole prompt of a system can stand in it.
#[test]
fn a_header_of_megabytes() {
    let rules = "x".repeat(5 << 20);
    let log = [
        meta(
            A,
            &format!(",\"base_instructions\":{{\"text\":\"{rules}\"}}"),
        ),
        user_item("a"),
    ];
    let home = Home::new(&[(place(A).as_str(), log.concat())]);
    assert_eq!(home.ids(), [A]);
    assert_eq!(
        home.list().sessions[0].header.cwd.as_ref().unwrap(),
        "/w/api"
    );
}

/// A log with every kind of record in it.
fn full() -> Vec<u8> {
    let lines = [
        meta(
            A,
            ",\"history_base\":{\"thread_id\":\"x\",\"end_ordinal_exclusive\":3}",
        ),
        begin("1"),
        message("developer", "rules"),
        message(
            "user",
            "# Context from my IDE setup:\nx\n## My request for Codex:\na",
        ),
        user_event("a"),
        user_item("a"),
        agent_event("b"),
        agent_item("b"),
        end(),
        line("response_item", "{\"type\":\"reasoning\",\"summary\":[]}"),
        compacted(
            "Sum",
            &[bare_message("user", "a"), bare_message("user", "Sum")],
        ),
        begin("2"),
        user_item("c"),
        event("turn_aborted", ""),
        event("thread_rolled_back", ",\"num_turns\":1"),
        event("thread_name_updated", ",\"thread_name\":\"N\""),
        line("turn_context", "{\"cwd\":\"/w\"}"),
        bare_message("user", "<skill>x</skill>") + "\n",
    ];
    lines.concat().into_bytes()
}

#[derive(Debug, Clone)]
enum Fault {
    Cut(usize),
    Flip(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Splice(usize, Vec<u8>),
}

fn fault() -> impl Strategy<Value = Fault> {
    let place = 0_usize..6_000;
    prop_oneof![
        place.clone().prop_map(Fault::Cut),
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Fault::Flip(at, byte)),
        (place.clone(), 1_usize..400).prop_map(|(at, length)| Fault::Remove(at, length)),
        (place.clone(), 1_usize..400).prop_map(|(at, length)| Fault::Repeat(at, length)),
        (place, prop::collection::vec(any::<u8>(), 0..9))
            .prop_map(|(at, bytes)| Fault::Splice(at, bytes)),
    ]
}

fn mutate(mut log: Vec<u8>, faults: Vec<Fault>) -> Vec<u8> {
    for fault in faults {
        let length = log.len();
        let range = |at: usize, span: usize| at.min(length)..(at + span).min(length);
        match fault {
            Fault::Cut(at) => log.truncate(at),
            Fault::Flip(at, byte) => {
                if let Some(old) = log.get_mut(at) {
                    *old ^= byte;
                }
            }
            Fault::Remove(at, span) => drop(log.drain(range(at, span))),
            Fault::Repeat(at, span) => {
                let again = log[range(at, span)].to_vec();
                log.splice(range(at, 0), again);
            }
            Fault::Splice(at, bytes) => drop(log.splice(range(at, 0), bytes)),
        }
    }
    log
}

/// A packed log is written as a whole, so that a cut one has lost something, wherever the cut is.
#[test]
fn a_packed_log_that_was_cut_off_has_lost_words() {
    let whole = zstd::encode_all(&full()[..], 3).unwrap();
    let name = place(A) + ".zst";
    let kinds = |bytes: &[u8]| -> Vec<DiagnosticKind> {
        let home = Home::new(&[(name.as_str(), bytes)]);
        let found = home.examine(A).unwrap();
        let losses = home.surface(A).unwrap().losses;
        let reasons: Losses = found.iter().filter_map(Diagnostic::loss).collect();
        assert_eq!(losses, reasons);
        found.iter().map(|own| own.kind).collect()
    };
    assert!(!kinds(&whole).contains(&DiagnosticKind::TornFrame));
    let cut = kinds(&whole[..whole.len() - 3]);
    assert!(cut.contains(&DiagnosticKind::TornFrame), "{cut:?}");
    assert!(DiagnosticKind::TornFrame.loses_words());
    // Its last line has no end either, but nobody is at it.
    assert!(!cut.contains(&DiagnosticKind::TornTail), "{cut:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever becomes of a log, plain or packed: every call answers, and writes nothing.
    #[test]
    fn broken_logs_are_answered(faults in prop::collection::vec(fault(), 1..5), packed in any::<bool>()) {
        let (name, whole) = if packed {
            (place(A) + ".zst", zstd::encode_all(&full()[..], 3).unwrap())
        } else {
            (place(A), full())
        };
        let log = mutate(whole, faults);
        let home = Home::new(&[(name.as_str(), log.as_slice()), ("session_index.jsonl", log.as_slice())]);
        let store: &CodexStore = &home.store;
        for listed in home.list().sessions {
            let id = listed.header.id.as_js_string();
            let found = store.find(id, &cancel());
            prop_assert_eq!(found.unwrap(), Some(listed.clone()));
            let _ = store.titles(std::slice::from_ref(id), &cancel()).unwrap();
            if let Ok(surface) = store.surface(id, &cancel()) {
                let surface = surface.unwrap();
                let last = surface.captured_through_seq;
                prop_assert!(surface.events.iter().all(|event| Some(event.seq) <= last));
                prop_assert_eq!(surface.header, listed.header);
            }
        }
    }
}

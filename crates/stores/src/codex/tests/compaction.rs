//! Compactions, and turns that were taken back (`spec/agent-logs.md` 3.6, 3.11).

use super::support::*;

const LEAD: &str = "Another language model started to solve this problem and produced a summary:";

/// 3.11: the summary stands as an answer before the compaction and as a prompt inside it.
#[test]
fn a_compaction_is_a_checkpoint_and_keeps_the_prompts() {
    let summary = format!("{LEAD}\nThey fixed it.");
    let history = [
        bare_message("user", "first"),
        bare_message("developer", "rules"),
        bare_message("user", "<environment_context>x</environment_context>"),
        bare_message("user", &summary),
    ];
    check(
        &[
            meta(A, ",\"history_mode\":\"paginated\""),
            begin("1"),
            user_item("first"),
            agent_item("old answer"),
            end(),
            begin("2"),
            message("assistant", "They fixed it."),
            compacted(&summary, &history),
            other_item("ContextCompaction", ""),
            event("context_compacted", ""),
            end(),
            begin("3"),
            user_item("and now?"),
            agent_item("now this"),
        ],
        &["u:first", "c:They fixed it.", "u:and now?", "a:now this"],
    );
}

/// A compaction in the middle of a turn: the answer goes on behind it.
#[test]
fn a_compaction_within_a_turn() {
    let history = [bare_message("user", "first"), bare_message("user", "Sum")];
    check(
        &[
            meta(A, ""),
            begin("1"),
            message("user", "first"),
            user_item("first"),
            agent_item("I look."),
            message("assistant", "Sum"),
            compacted("Sum", &history),
            message("assistant", "Done."),
            agent_item("Done."),
        ],
        &["u:first", "c:Sum", "a:Done."],
    );
}

/// Several compactions: the newest that is left counts.
#[test]
fn the_newest_compaction_counts() {
    let turn = |prompt: &str| [begin("1"), user_item(prompt), agent_item("x"), end()].concat();
    let compact = |texts: &[&str]| {
        let history: Vec<String> = texts
            .iter()
            .map(|text| bare_message("user", text))
            .collect();
        [begin("c"), compacted("", &history), end()].concat()
    };
    let log = [
        meta(A, ""),
        turn("a"),
        compact(&["a", "S1"]),
        turn("b"),
        compact(&["a", "b", "S2"]),
        turn("c"),
    ];
    check(&log, &["u:a", "u:b", "c:S2", "u:c", "a:x"]);
    // Taking back two turns takes the second compaction back too.
    let back = event("thread_rolled_back", ",\"num_turns\":2");
    let log = [&log[..], &[back, turn("d")]].concat();
    check(&log, &["u:a", "c:S1", "u:d", "a:x"]);
}

#[test]
fn an_empty_history_replaces_everything_by_nothing() {
    check(
        &[
            meta(A, ""),
            begin("1"),
            user_item("a"),
            end(),
            compacted("Sum", &[]),
            begin("2"),
            user_item("b"),
        ],
        &["u:b"],
    );
}

/// 3.6: older logs.
#[test]
fn a_compaction_without_a_history_keeps_the_prompts_before() {
    check(
        &[
            meta(A, ""),
            user_event("a"),
            agent_event("b"),
            line("compacted", "{\"message\":\"Sum\"}"),
            user_event("c"),
            agent_event("d"),
        ],
        &["u:a", "c:Sum", "u:c", "a:d"],
    );
}

#[test]
fn turns_that_were_taken_back() {
    let turn =
        |id: &str, prompt: &str| [begin(id), user_event(prompt), agent_event("x"), end()].concat();
    let back = |turns: &str| event("thread_rolled_back", &format!(",\"num_turns\":{turns}"));
    let log = |turns: &str| {
        [
            meta(A, ""),
            turn("1", "a"),
            turn("2", "b"),
            back(turns),
            turn("3", "c"),
        ]
    };
    check(&log("1"), &["u:a", "a:x", "u:c", "a:x"]);
    check(&log("99999999999"), &["u:c", "a:x"]);
    // What is no number takes nothing back.
    check(&log("\"1\""), &["u:a", "a:x", "u:b", "a:x", "u:c", "a:x"]);
}

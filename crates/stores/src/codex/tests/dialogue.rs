//! Where the dialogue is (`spec/agent-logs.md` 3.4, 3.5).

use super::support::*;

/// 3.4, 3.11: a session as current versions write it.
#[test]
fn a_paginated_session() {
    check(
        &[
            meta(
                A,
                ",\"history_mode\":\"paginated\",\"base_instructions\":{\"text\":\"rules\"}",
            ),
            begin("1"),
            message("developer", "rules"),
            message(
                "user",
                "<environment_context>\n  <cwd>/w/api</cwd>\n</environment_context>",
            ),
            line("world_state", "{\"a\":1}"),
            line("turn_context", "{\"cwd\":\"/w/api\"}"),
            message("user", "add a retry"),
            user_item("add a retry"),
            line(
                "response_item",
                "{\"type\":\"reasoning\",\"encrypted_content\":\"gAAAA\"}",
            ),
            message("assistant", "I look."),
            agent_item("I look."),
            line(
                "response_item",
                "{\"type\":\"function_call_output\",\"output\":\"secret\"}",
            ),
            other_item(
                "CommandExecution",
                ",\"source\":\"agent\",\"aggregated_output\":\"secret\"",
            ),
            other_item("Reasoning", ",\"summary_text\":[\"hm\"]"),
            event("token_count", ",\"info\":null"),
            message("assistant", "Done: 3 tries."),
            agent_item("Done: 3 tries."),
            end(),
        ],
        &["u:add a retry", "a:I look.", "a:Done: 3 tries."],
    );
}

#[test]
fn a_session_of_legacy_events() {
    check(
        &[
            meta(A, ",\"instructions\":\"rules\""),
            message(
                "user",
                "# AGENTS.md instructions for /w/api\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
            ),
            message("user", "why does it fail?"),
            user_event("why does it fail?"),
            event("agent_reasoning", ",\"text\":\"hm\""),
            agent_event("The token is stale."),
            message("assistant", "The token is stale."),
            message("user", "fix it"),
            user_event("fix it"),
            agent_event("Done."),
            message("assistant", "Done."),
        ],
        &[
            "u:why does it fail?",
            "a:The token is stale.",
            "u:fix it",
            "a:Done.",
        ],
    );
}

#[test]
fn model_items_alone_are_filtered() {
    check(
        &[
            meta(A, ""),
            message(
                "developer",
                "<permissions instructions>x</permissions instructions>",
            ),
            message("user", "<user_instructions>x</user_instructions>"),
            message("user", "<environment_context>x</environment_context>"),
            message("user", "fix it"),
            message("assistant", "Done."),
            message("user", "<turn_aborted>x</turn_aborted>"),
            message("user", "<project_context>mine</project_context>"),
            message("system", "no"),
        ],
        &[
            "u:fix it",
            "a:Done.",
            "u:<project_context>mine</project_context>",
        ],
    );
}

/// 3.4: each turn for itself; a file can change its mode.
#[test]
fn encodings_are_chosen_turn_by_turn() {
    check(
        &[
            meta(A, ""),
            begin("1"),
            message("user", "injected, by its looks typed"),
            message("user", "a"),
            user_event("a"),
            message("assistant", "b"),
            end(),
            begin("2"),
            message("user", "c"),
            user_event("c"),
            user_item("c"),
            agent_event("d"),
            agent_item("d"),
            message("assistant", "d"),
            end(),
            begin("3"),
            message("user", "e"),
            message("assistant", "f"),
        ],
        &["u:a", "a:b", "u:c", "a:d", "u:e", "a:f"],
    );
}

/// 3.11: an accepted plan is an item of its own, an inspection of the code ends in two.
#[test]
fn plans_count_and_reviews_are_not_there_twice() {
    check(
        &[
            meta(A, ""),
            begin("1"),
            user_item("plan it"),
            message("assistant", "<proposed_plan>First.</proposed_plan>"),
            other_item("Plan", ",\"text\":\"First.\""),
            other_item("EnteredReviewMode", ",\"review\":\"x\""),
            agent_item("Looks good."),
            other_item("ExitedReviewMode", ",\"review\":\"Looks good.\""),
            other_item("ContextCompaction", ""),
            other_item("ImageView", ",\"path\":\"/a.png\""),
            other_item("CollabAgentToolCall", ",\"prompt\":\"do it\""),
        ],
        &["u:plan it", "a:First.", "a:Looks good."],
    );
}

/// 3.9, 3.11: Esc before any output, and Enter while the model writes.
#[test]
fn interrupted_turns_keep_their_prompts() {
    check(
        &[
            meta(A, ""),
            begin("1"),
            user_item("first"),
            event("turn_aborted", ",\"reason\":\"interrupted\""),
            message(
                "user",
                "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
            ),
            begin("2"),
            user_item("second"),
            user_item("and also"),
            agent_item("Done."),
            end(),
        ],
        &["u:first", "u:second", "u:and also", "a:Done."],
    );
}

/// 3.5, 3.11: wrappers around what was typed, in any encoding.
#[test]
fn wrapped_requests_are_opened() {
    let ide =
        "# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nfix it";
    let chats = "## Referenced chats with Codex:\n[{\"threadId\":\"x\"}]\n\n## My request for Codex:\nas before";
    check(
        &[
            meta(A, ""),
            begin("1"),
            user_item(chats),
            end(),
            begin("2"),
            user_event(ide),
        ],
        &["u:as before", "u:fix it"],
    );
}

/// 3.4: goal continuations and the like, also where a person's words should stand.
#[test]
fn goal_context_is_nobodys_prompt() {
    let goal = "<codex_internal_context source=\"goal\">\ncontinue\n</codex_internal_context>";
    check(
        &[
            meta(A, ""),
            begin("1"),
            message("user", goal),
            user_event(goal),
            agent_event("On it."),
        ],
        &["a:On it."],
    );
}

/// 3.4: traffic between agents, and other models' secrets.
#[test]
fn traffic_between_agents_is_dropped() {
    check(
        &[
            meta(A, ""),
            begin("1"),
            user_item("go"),
            line(
                "response_item",
                "{\"type\":\"agent_message\",\"author\":\"a\",\"content\":[{\"type\":\"output_text\",\"text\":\"gAAAA\"}]}",
            ),
            line("inter_agent_communication", "{\"content\":\"x\"}"),
            line(
                "retained_context",
                "{\"type\":\"verified_answer\",\"questions\":[],\"answer\":\"x\"}",
            ),
            line(
                "response_item",
                "{\"type\":\"ghost_snapshot\",\"ghost_commit\":{}}",
            ),
            event("sub_agent_activity", ",\"text\":\"x\""),
        ],
        &["u:go"],
    );
}

#[test]
fn prompts_of_pictures_alone() {
    let item =
        "{\"type\":\"UserMessage\",\"content\":[{\"type\":\"local_image\",\"path\":\"/a.png\"}]}";
    check(
        &[
            meta(A, ""),
            begin("1"),
            event("item_completed", &format!(",\"item\":{item}")),
            begin("2"),
            event(
                "user_message",
                ",\"message\":\"\",\"images\":[\"data:image/png;base64,AAAA\"]",
            ),
        ],
        &["u:[image]", "u:[image]"],
    );
}

#[test]
fn lone_surrogates_and_bad_utf8_cost_nothing() {
    let lone = user_item("x").replace("\"x\"", "\"half \\ud83d\"");
    let mut bad = agent_item("a?b").into_bytes();
    let at = bad.iter().position(|byte| *byte == b'?').unwrap();
    bad[at] = 0xFF;
    let start = [meta(A, ""), begin("1"), lone].concat();
    let log = [start.as_bytes(), &bad, agent_item("end").as_bytes()].concat();
    let home = Home::new(&[(place(A).as_str(), log)]);
    let expected = ["u:half \u{FFFD}", "a:a\u{FFFD}b", "a:end"];
    assert_eq!(home.conversation(A), expected);
}

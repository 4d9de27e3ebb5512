//! What of a log is the conversation.

use sref_stores::DiagnosticKind::{self, Circles, Gaps, OtherRoots};

use super::support::*;

#[test]
fn content() {
    let block = |text: &str| format!("{{\"type\":\"text\",\"text\":\"{text}\"}}");
    let blocks = |blocks: &str| message(&format!("[{blocks}]"));
    let result = "{\"type\":\"tool_result\",\"content\":\"secret\"}";
    check(
        &[
            user("u1", "", "a string"),
            record(
                "user",
                "u2",
                "u1",
                &blocks(&format!("{},{}", block("two"), block("blocks"))),
            ),
            record("user", "u3", "u2", &blocks(result)),
            record(
                "user",
                "u4",
                "u3",
                &blocks(&format!("{result},{}", block("a remark"))),
            ),
            record("assistant", "a1", "u4", &message("\"a string\"")),
        ],
        &["u:a string", "u:two\nblocks", "u:a remark", "a:a string"],
    );
}

#[test]
fn streaming_duplicates() {
    check(
        &[
            user("u1", "", "q"),
            answer("a1", "u1", "m", "one"),
            answer("a2", "a1", "m", "one and more"),
            answer("a3", "a2", "m", "another block"),
            user("u2", "a3", "again"),
            answer("a4", "u2", "m", "a gateway repeats its id"),
        ],
        &[
            "u:q",
            "a:one and more|another block",
            "u:again",
            "a:a gateway repeats its id",
        ],
    );
}

#[test]
fn the_newest_branch() {
    check(
        &[
            user("u1", "", "first"),
            answer("a1", "u1", "m1", "answer"),
            user("u2", "a1", "edited away"),
            answer("a2", "u2", "m2", "gone with it"),
            user("u3", "a1", "in its place"),
            // A note that is written late onto the old branch.
            record("system", "s1", "a2", ",\"subtype\":\"turn_duration\""),
        ],
        &["u:first", "a:answer", "u:in its place"],
    );
}

#[test]
fn broken_chains() {
    let breaks = |log: &[String], expected: &[&str], kind: Option<DiagnosticKind>| {
        let home = Home::of(log.concat());
        assert_eq!(home.said(), expected);
        let kind = kind.map(|kind| (kind, "1".to_owned()));
        assert_eq!(home.told(), Vec::from_iter(kind));
    };
    // Only what is not there has cost words.
    assert!(Gaps.loses_words() && !Circles.loses_words());
    // Its own parent.
    breaks(
        &[user("u1", "u1", "a"), user("u2", "u1", "b")],
        &["u:a", "u:b"],
        Some(Circles),
    );
    // A circle.
    breaks(
        &[user("u1", "u2", "a"), user("u2", "u1", "b")],
        &["u:a", "u:b"],
        Some(Circles),
    );
    // A parent that is not there.
    breaks(
        &[
            user("u1", "", "a"),
            user("u2", "u1", "b"),
            user("u3", "lost", "c"),
        ],
        &["u:a", "u:b", "u:c"],
        Some(Gaps),
    );
    // Many roots: a root is where a conversation begins, and the last one is live.
    breaks(
        &[
            user("u1", "", "old"),
            user("u2", "", "new"),
            answer("a2", "u2", "m", "b"),
        ],
        &["u:new", "a:b"],
        Some(OtherRoots),
    );
    // Without any chain the order of the file counts.
    breaks(
        &[user("u1", "", "a"), user("u2", "", "b")],
        &["u:a", "u:b"],
        None,
    );
}

#[test]
fn bridges() {
    check(
        &[
            user("u1", "", "a"),
            record(
                "attachment",
                "t1",
                "u1",
                ",\"attachment\":{\"type\":\"diagnostics\"}",
            ),
            record("system", "s1", "t1", ",\"subtype\":\"stop_hook_summary\""),
            record("progress", "p1", "s1", ""),
            record("tomorrow", "x1", "p1", ""),
            answer("a1", "x1", "m", "b"),
        ],
        &["u:a", "a:b"],
    );
}

fn boundary(uuid: &str, metadata: &str) -> String {
    record(
        "system",
        uuid,
        "",
        &format!(",\"subtype\":\"compact_boundary\",\"compactMetadata\":{{{metadata}}}"),
    )
}

fn summary(uuid: &str, parent: &str, flag: &str, text: &str) -> String {
    let text = format!(
        "\"This session is being continued from a previous conversation that ran out of context.\\nSummary:\\n{text}\""
    );
    record("user", uuid, parent, &format!("{flag}{}", message(&text)))
}

#[test]
fn compactions() {
    let flag = ",\"isCompactSummary\":true,\"isVisibleInTranscriptOnly\":true";
    for flag in [flag, ""] {
        check(
            &[
                user("u1", "", "long ago"),
                boundary("c1", ""),
                summary("c2", "c1", flag, "They fixed it."),
                user("u2", "c2", "and now"),
            ],
            &["c:They fixed it.", "u:and now"],
        );
    }
    check(
        &[
            user("u1", "", "long ago"),
            boundary("c1", ""),
            summary("c2", "c1", flag, "first"),
            user("u2", "c2", "later"),
            boundary("c3", ""),
            summary("c4", "c3", flag, "second"),
            user("u3", "c4", "now"),
        ],
        &["c:second", "u:now"],
    );
}

#[test]
fn kept_messages() {
    for kept in [
        "\"preservedMessages\":{\"anchorUuid\":\"c2\",\"uuids\":[\"a1\",\"u2\",\"gone\"],\"allUuids\":[]}",
        "\"preservedSegment\":{\"headUuid\":\"a1\",\"anchorUuid\":\"c2\",\"tailUuid\":\"u2\"}",
    ] {
        for next in ["c2", "u2"] {
            check(
                &[
                    user("u1", "", "long ago"),
                    answer("a1", "u1", "m1", "kept answer"),
                    user("u2", "a1", "kept prompt"),
                    boundary("c1", kept),
                    summary("c2", "c1", ",\"isCompactSummary\":true", "sum"),
                    answer("a2", next, "m2", "next"),
                ],
                &["c:sum", "a:kept answer", "u:kept prompt", "a:next"],
            );
        }
    }
}

#[test]
fn machine_records() {
    let by = |uuid: &str, parent: &str, flag: &str| {
        record(
            "user",
            uuid,
            parent,
            &format!("{flag}{}", message("\"machine\"")),
        )
    };
    check(
        &[
            user("u1", "", "a"),
            by("u2", "u1", ",\"isMeta\":true"),
            by("u3", "u2", ",\"isSidechain\":true"),
            by("u4", "u2", ",\"teamName\":\"t\""),
            answer("a1", "u4", "m", "b"),
        ],
        &["u:a", "a:b"],
    );
}

#[test]
fn a_queued_command() {
    let queued = |uuid: &str, parent: &str, more: &str| {
        record(
            "attachment",
            uuid,
            parent,
            &format!(",\"attachment\":{{\"type\":\"queued_command\",\"prompt\":\"{uuid}\"{more}}}"),
        )
    };
    check(
        &[
            user("u1", "", "a"),
            queued("q1", "u1", ",\"commandMode\":\"prompt\""),
            queued(
                "q2",
                "q1",
                ",\"commandMode\":\"prompt\",\"origin\":{\"kind\":\"human\"}",
            ),
            queued(
                "q3",
                "q2",
                ",\"commandMode\":\"prompt\",\"origin\":{\"kind\":\"channel\"}",
            ),
            queued("q4", "q3", ",\"commandMode\":\"task-notification\""),
            queued("q5", "q4", ",\"commandMode\":\"prompt\",\"isMeta\":true"),
            answer("a1", "q5", "m", "b"),
        ],
        &["u:a", "u:q1", "u:q2", "a:b"],
    );
}

/// Each row of 2.7 alone, before a prompt, and quoted inside one.
#[test]
fn injected_text() {
    let alone = |machine: &str, words: Option<&str>| {
        let log = [
            user("u1", "", "a"),
            user("u2", "u1", machine),
            answer("a1", "u2", "m", "b"),
        ];
        match words {
            None => check(&log, &["u:a", "a:b"]),
            Some(words) => check(&log, &["u:a", &format!("u:{words}"), "a:b"]),
        }
    };
    for name in [
        "system-reminder",
        "local-command-caveat",
        "local-command-stdout",
        "local-command-stderr",
        "bash-stdout",
        "bash-stderr",
        "user-prompt-submit-hook",
        "session-start-hook",
        "fast_mode_info",
        "ide_opened_file",
        "ide_selection",
        "task-notification",
        "teammate-message",
        "cross-session-message",
        "channel",
        "tick",
        "goal",
    ] {
        let machine = format!("<{name}>x\ny</{name}>");
        alone(&machine, None);
        alone(&format!("{machine}\nfix it"), Some("fix it"));
        let quoted = format!("what is {machine} for?");
        alone(&quoted, Some(&quoted));
    }
    for whole in [
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "Tool loaded.",
    ] {
        alone(whole, None);
        let quoted = format!("why {whole}?");
        alone(&quoted, Some(&quoted));
    }
    alone("<bash-input>ls</bash-input>", Some("! ls"));
    alone(
        "<fork-boilerplate>x</fork-boilerplate>\nYour directive: go",
        Some("go"),
    );
    alone(
        "Caveat: The messages below were generated by the user while running local commands. x",
        None,
    );
    alone("Stop hook feedback:\n[./x.sh]: no", None);
    alone("Stop hook feedback: why?", Some("Stop hook feedback: why?"));
    alone("<persisted-output>x</persisted-output>", None);
    alone("[Image #1] what is it?", Some("[Image #1] what is it?"));
    alone(
        "The user sent a new message while you were working:\nalso this\n\nIMPORTANT: After completing your current task, x",
        Some("also this"),
    );
    // Of the client itself.
    let notice = ",\"message\":{\"model\":\"<synthetic>\",\"content\":\"No response requested.\"}";
    check(
        &[user("u1", "", "a"), record("assistant", "a1", "u1", notice)],
        &["u:a"],
    );
}

/// 1.7: people quote them in reports, so only the whole block in its very spelling counts.
#[test]
fn interrupt_markers() {
    for marker in [
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    ] {
        check(&[user("u1", "", "a"), user("u2", "u1", marker)], &["u:a"]);
        for quoted in [
            format!("{marker}."),
            format!("> {marker}"),
            format!("{marker}\nwhat is this?"),
            marker.to_lowercase(),
            marker.replace(']', ""),
        ] {
            let log = [user("u1", "", "a"), user("u2", "u1", &quoted)];
            check(&log, &["u:a", &format!("u:{quoted}")]);
        }
    }
}

/// 1.7: what nobody knows stays, and is told.
#[test]
fn unknown_wrappers() {
    let wrapped = "<brand-new-reminder>x</brand-new-reminder>";
    let home = Home::of(
        user("u1", "", wrapped)
            + &user("u2", "u1", &format!("what is {wrapped}?"))
            + &user("u3", "u2", "<div>x</div>"),
    );
    assert_eq!(home.said()[0], format!("u:{wrapped}").as_str());
    let unknown = DiagnosticKind::UnknownRecords;
    let detail = r#"1: "tag=brand-new-reminder""#.to_owned();
    assert_eq!(home.told(), [(unknown, detail)]);
}

#[test]
fn slash_commands() {
    let command = "<command-message>review</command-message><command-name>/review</command-name><command-args>it</command-args>";
    let start = [user("u1", "", "a"), user("u2", "u1", command)].concat();
    check(
        &[start.clone(), answer("a1", "u2", "m", "b")],
        &["u:a", "u:/review it", "a:b"],
    );
    check(&[start.clone(), user("u3", "u2", "c")], &["u:a", "u:c"]);
    // The prompt that it stands for followed.
    let with_id = |uuid: &str, parent: &str, more: &str, text: &str| {
        let text = sref_session::JsString::from(text).to_json();
        record(
            "user",
            uuid,
            parent,
            &format!(",\"promptId\":\"p\"{more}{}", message(&text)),
        )
    };
    check(
        &[
            with_id("u1", "", "", command),
            with_id("u2", "u1", ",\"isMeta\":true", "Review it thoroughly."),
        ],
        &["u:/review it"],
    );
    check(
        &[
            user("u1", "", "<command-name>/clear</command-name>"),
            answer("a1", "u1", "m", "b"),
        ],
        &["a:b"],
    );
}

#[test]
fn session_ids_inside_mean_nothing() {
    let of = |uuid: &str, parent: &str, id: &str| {
        record(
            "user",
            uuid,
            parent,
            &format!(",\"sessionId\":\"{id}\"{}", message("\"x\"")),
        )
    };
    let home = Home::of(of("u1", "", OTHER) + &of("u2", "u1", ID) + &of("u3", "u2", "nobody"));
    assert_eq!(home.said(), ["u:x", "u:x", "u:x"]);
    assert_eq!(home.listed(), [ID]);
}

#[test]
fn sub_agents() {
    let home = Home::of(user("u1", "", "a"));
    let agent = record(
        "user",
        "s1",
        "",
        &format!(",\"isSidechain\":true{}", message("\"do\"")),
    );
    home.write(&format!("-w/{ID}/subagents/agent-new.jsonl"), &agent);
    home.write(
        &format!("-w/{ID}/subagents/workflows/run/agent-deep.jsonl"),
        &agent,
    );
    home.write(&format!("-w/{ID}/subagents/agent-acompact-x.jsonl"), &agent);
    home.write("-w/agent-old.jsonl", &agent);
    home.write(&format!("-w/{OTHER}.jsonl"), &agent);
    let new = format!("{ID}/agent-new");
    let deep = format!("{ID}/agent-deep");
    assert_eq!(home.listed(), [ID, &deep, &new, "agent-old"]);
    for id in [&new, &deep, "agent-old"] {
        assert_eq!(home.said_in(id), ["u:do"]);
    }
}

#[test]
fn a_late_directory() {
    let home = Home::of(
        user("u1", "", "a")
            + &record(
                "user",
                "u2",
                "u1",
                &format!(",\"cwd\":\"/w/app\"{}", message("\"b\"")),
            ),
    );
    let listing = sref_stores::Store::list(&home.store, &sref_stores::CancellationToken::new());
    let cwd = listing.unwrap().sessions[0].header.cwd.clone();
    assert_eq!(cwd.unwrap(), "/w/app");
}

#[test]
fn slugs_mean_nothing() {
    let home = Home::new();
    let mut ids = Vec::new();
    let long = format!("-{}-qdz9cx", "a".repeat(199));
    for (at, slug) in ["-a-b-c", "C--Users-me", "c--Users-me", "----", &long]
        .iter()
        .enumerate()
    {
        // Two directories of one slug share a folder, as `/a/b_c` and `/a/b.c` do.
        for side in ["_", "."] {
            let id = format!(
                "{at:08}-0000-4000-8000-00000000000{}",
                u8::from(side == ".")
            );
            let cwd = format!(",\"cwd\":\"/{at}/b{side}c\"{}", message("\"x\""));
            home.write(&format!("{slug}/{id}.jsonl"), record("user", &id, "", &cwd));
            ids.push(id);
        }
    }
    // A name in capitals is one too.
    home.write(
        "-w/5F0C1D2E-0000-4000-8000-00000000000A.jsonl",
        user("u", "", "x"),
    );
    ids.push("5F0C1D2E-0000-4000-8000-00000000000A".into());
    ids.sort();
    assert_eq!(home.listed(), ids);
    let listing = sref_stores::Store::list(&home.store, &sref_stores::CancellationToken::new());
    let cwds = listing.unwrap().sessions.into_iter();
    let cwds: std::collections::HashSet<_> = cwds.filter_map(|own| own.header.cwd).collect();
    assert_eq!(cwds.len(), 10);
}

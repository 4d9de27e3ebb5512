//! Threads of several files, forks, sub-agents (`spec/agent-logs.md` 3.7, 3.11).

use rusqlite::Connection;

use super::support::*;
use crate::DiagnosticKind;

/// What a continuation says of its base.
fn base(rollout: &str, ordinal: Option<usize>, bytes: Option<usize>) -> String {
    let member = |name: &str, value: Option<usize>| {
        value.map_or(String::new(), |value| format!(",\"{name}\":{value}"))
    };
    format!(
        ",\"history_base\":{{\"thread_id\":\"{rollout}\"{}{}}}",
        member("end_ordinal_exclusive", ordinal),
        member("end_byte_offset", bytes)
    )
}

/// Two turns with numbers; the second one begins at record 4.
fn first(thread: &str) -> (String, usize) {
    let lines = [
        meta(thread, ",\"history_mode\":\"paginated\""),
        begin("1"),
        user_item("a"),
        agent_item("b"),
        begin("2"),
        user_item("c"),
        agent_item("d"),
    ];
    let lines: Vec<String> = (0..)
        .zip(&lines)
        .map(|(at, line)| numbered(at, line))
        .collect();
    (lines.concat(), lines[..4].concat().len())
}

fn second(thread: &str, more: &str) -> String {
    let lines = [
        meta(thread, more),
        begin("3"),
        user_item("e"),
        agent_item("f"),
    ];
    let lines = (4..).zip(&lines).map(|(at, line)| numbered(at, line));
    lines.collect()
}

/// 3.11: going back begins a second file; the first keeps what was undone.
#[test]
fn a_thread_goes_on_in_a_second_file() {
    let (log, bytes) = first(A);
    for more in [
        base(A, Some(4), Some(bytes)),
        base(A, Some(4), None),
        base(A, None, Some(bytes)),
        // Numbers were given twice by some versions: bytes count more.
        base(A, Some(1), Some(bytes)),
    ] {
        let home = Home::new(&[
            (place(A).as_str(), log.as_str()),
            (&later(A, B), &second(A, &more)),
        ]);
        assert_eq!(home.conversation(A), ["u:a", "a:b", "u:e", "a:f"], "{more}");
        // Numbers go on over the files.
        let surface = home.surface(A).unwrap();
        let seqs: Vec<u64> = surface.events.iter().map(|event| event.seq).collect();
        assert_eq!(
            (seqs, surface.captured_through_seq),
            (vec![2, 3, 6, 7], Some(7))
        );
        assert_eq!(home.ids(), [A]);
        assert_eq!(home.kinds(), []);
    }
}

/// A fork has a file of its own; what the model saw before is in its parent's.
#[test]
fn a_fork_shows_what_it_stands_on() {
    let (log, bytes) = first(A);
    let more = base(A, None, Some(bytes)) + &format!(",\"forked_from_id\":\"{A}\"");
    let home = Home::new(&[
        (place(A).as_str(), log.as_str()),
        (&place(B), &second(B, &more)),
    ]);
    assert_eq!(home.conversation(B), ["u:a", "a:b", "u:e", "a:f"]);
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:c", "a:d"]);
    let listing = home.list();
    let fork = listing
        .sessions
        .iter()
        .find(|listed| listed.header.id == B.into())
        .unwrap();
    assert_eq!(fork.header.parent_session, Some(A.into()));
    assert_eq!(fork.header.origin, None);
    assert_eq!(home.title(B).as_deref(), Some("e"));
}

/// The newest rollout that another one continues is not where the thread stands.
#[test]
fn a_thread_stands_at_an_end() {
    let (log, bytes) = first(A);
    let end = second(A, &base(C, None, None)).replace("\"e\"", "\"g\"");
    let home = Home::new(&[
        (place(A).as_str(), log.as_str()),
        (&later(A, C), &second(A, &base(A, None, Some(bytes)))),
        (&later(A, B), &end),
    ]);
    let expected = ["u:a", "a:b", "u:e", "a:f", "u:g", "a:f"];
    assert_eq!(home.conversation(A), expected);
}

#[test]
fn the_database_tells_where_a_thread_stands() {
    let (log, bytes) = first(A);
    let more = base(A, None, Some(bytes));
    let (b, c) = (later(A, B), later(A, C));
    let home = Home::new(&[
        (place(A).as_str(), log.as_str()),
        (&b, &second(A, &more)),
        (&c, &second(A, &more).replace("\"e\"", "\"g\"")),
    ]);
    // Without one the newest end of the thread counts.
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:g", "a:f"]);
    let database = Connection::open(home.path("state_5.sqlite")).unwrap();
    let row = |path: &str| {
        let sql = "DROP TABLE IF EXISTS threads; CREATE TABLE threads (id TEXT, rollout_path TEXT)";
        database.execute_batch(sql).unwrap();
        let sql = "INSERT INTO threads VALUES (?1, ?2)";
        database.execute(sql, [A, path]).unwrap();
    };
    // Of a path that has gone stale the name is left.
    row(&format!("/gone/{}", b.rsplit('/').next().unwrap()));
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:e", "a:f"]);
    row("/gone/rollout-of-nobody.jsonl");
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:g", "a:f"]);
    assert_eq!(home.ids(), [A]);
}

#[test]
fn a_missing_base_is_named_and_costs_only_itself() {
    let home = Home::new(&[(later(A, B).as_str(), second(A, &base(A, Some(4), None)))]);
    assert_eq!(home.conversation(A), ["u:e", "a:f"]);
    assert_eq!(home.kinds(), [DiagnosticKind::MissingBase]);
    let found = home.examine(A).unwrap();
    assert_eq!(
        (found[0].kind, found[0].detail.contains(A)),
        (DiagnosticKind::MissingBase, true)
    );
    // The name comes from the log; what goes to a model does not.
    let losses = home.surface(A).unwrap().losses;
    assert_eq!(
        losses.to_string(),
        DiagnosticKind::MissingBase.explanation()
    );
}

#[test]
fn circles_and_long_chains_end() {
    let home = Home::new(&[
        (later(A, B).as_str(), second(A, &base(C, None, None))),
        (&later(A, C), second(A, &base(B, None, None))),
    ]);
    assert_eq!(home.conversation(A).len(), 4);
    let itself = Home::new(&[(place(A).as_str(), second(A, &base(A, None, None)))]);
    assert_eq!(itself.conversation(A), ["u:e", "a:f"]);
    let (endless, circle) = (
        "its header does not tell where it leaves the log that it continues, which is shown whole",
        "the logs that it continues lead back to itself",
    );
    assert_eq!(faults(&itself, A), [endless, circle]);
    assert_eq!(faults(&home, A), [endless, endless, circle]);
    let id = |at: u32| format!("0198a3c0-0000-7000-8000-{at:012}");
    let files: Vec<(String, String)> = (0..40)
        .map(|at| {
            (
                place(&id(at)),
                second(&id(at), &base(&id(at + 1), None, None)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, log)| (&**path, &**log)).collect();
    let home = Home::new(&files);
    assert_eq!(home.conversation(&id(0)).len(), 2 * 17);
    // Where the chain was given up, words are missing.
    let losses = home.surface(&id(0)).unwrap().losses;
    assert_eq!(losses.iter().count(), 2);
    assert!(
        home.surface(&id(30))
            .unwrap()
            .losses
            .to_string()
            .contains("is not there")
    );
}

/// What is said of a thread's bases and cannot be so.
fn faults(home: &Home, id: &str) -> Vec<String> {
    let found = home.examine(id).unwrap().into_iter();
    let found = found.filter(|own| own.kind == DiagnosticKind::BadBase);
    found.map(|own| own.detail).collect()
}

/// 3.7: a base that is not what its continuation says is told, and whole ones say nothing.
#[test]
fn a_base_that_cannot_be_so_is_told() {
    let told = |base: &str| {
        let (log, _) = first(A);
        let home = Home::new(&[
            (place(A).as_str(), log.as_str()),
            (&later(A, B), &second(A, base)),
        ]);
        let losses = home.surface(A).unwrap().losses.to_string();
        let faults = faults(&home, A);
        let lead = DiagnosticKind::BadBase.explanation();
        let reasons: Vec<String> = faults.iter().map(|own| format!("{lead}: {own}")).collect();
        assert_eq!(losses, reasons.join("; "), "{base}");
        faults
    };
    let (log, bytes) = first(A);
    let records = log.lines().count();
    let short = "the log that it continues ends before the place where it is left";
    let inside = "the log that it continues is left inside a record";
    let endless =
        "its header does not tell where it leaves the log that it continues, which is shown whole";
    let unread = "its header does not tell which log it continues";
    for whole in [bytes, log.len(), 0] {
        assert_eq!(told(&base(A, None, Some(whole))), [""; 0], "{whole}");
    }
    assert_eq!(told(&base(A, None, Some(log.len() + 1))), [short]);
    assert_eq!(told(&base(A, None, Some(bytes + 10))), [inside]);
    assert_eq!(told(&base(A, None, None)), [endless]);
    for odd in ["\"x\"", "7", "{}", "{\"thread_id\":7}", "[]"] {
        assert_eq!(told(&format!(",\"history_base\":{odd}")), [unread], "{odd}");
    }
    let negative =
        r#","history_base":{"thread_id":"A","end_ordinal_exclusive":-1,"end_byte_offset":-1}"#;
    assert_eq!(told(&negative.replace('A', A)), [endless]);
    // By the numbers of the records.
    for (end, expected) in [
        (records, &[][..]),
        (records - 1, &[]),
        (records + 1, &[short]),
    ] {
        assert_eq!(told(&base(A, Some(end), None)), expected, "{end}");
    }
    // Which the log has not.
    let plain = [meta(A, ""), user_item("a")].concat();
    let home = Home::new(&[
        (place(A).as_str(), plain.as_str()),
        (&later(A, B), &second(A, &base(A, Some(2), None))),
    ]);
    assert_eq!(faults(&home, A), [short]);
}

/// A turn that its file leaves open does not go on in the next one, which may be written otherwise.
#[test]
fn a_turn_ends_with_its_file() {
    let first = [meta(A, ""), begin("1"), user_item("a"), agent_item("b")].concat();
    let more = base(A, None, Some(first.len()));
    let second = [meta(A, &more), user_event("c"), agent_event("d")].concat();
    let home = Home::new(&[(place(A).as_str(), first), (&later(A, B), second)]);
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:c", "a:d"]);
}

/// A base that was cut off by hand in the middle of a record.
#[test]
fn a_cut_inside_a_record_ends_before_it() {
    let (log, bytes) = first(A);
    let home = Home::new(&[
        (place(A).as_str(), log.as_str()),
        (&later(A, B), &second(A, &base(A, None, Some(bytes + 10)))),
    ]);
    assert_eq!(home.conversation(A), ["u:a", "a:b", "u:e", "a:f"]);
}

/// 3.3, 3.7: sub-agents are hidden, not gone; what they were given is not theirs.
#[test]
fn sub_agents_have_their_own_part() {
    let (log, bytes) = first(A);
    let spawned = format!(
        ",\"source\":{{\"subagent\":{{\"thread_spawn\":{{\"parent_thread_id\":\"{A}\",\"depth\":1}}}}}}"
    );
    let numbered_start = spawned.clone() + ",\"subagent_history_start_ordinal\":8";
    let copied = [
        numbered(0, &meta(B, &numbered_start)),
        numbered(1, &meta(A, "")),
        numbered(2, &user_item("a")),
        numbered(8, &user_item("do it")),
        numbered(9, &agent_item("done")),
    ];
    // By the turns that stand in the parent too.
    let by_turns = [
        meta(C, &spawned),
        meta(A, ""),
        begin("1"),
        user_item("a"),
        agent_item("b"),
        begin("9"),
        user_item("do it"),
        agent_item("done"),
    ];
    let home = Home::new(&[
        (place(A).as_str(), log),
        (&place(B), copied.concat()),
        (&place(C), by_turns.concat()),
    ]);
    assert_eq!(home.conversation(B), ["u:do it", "a:done"]);
    assert_eq!(home.conversation(C), ["u:do it", "a:done"]);
    assert_eq!(home.title(B).as_deref(), Some("do it"));
    for listed in home.list().sessions {
        let is_agent = listed.header.id != A.into();
        assert_eq!(listed.header.origin.is_some(), is_agent);
        assert_eq!(listed.header.parent_session.is_some(), is_agent);
    }
    // Given by a base, it is not its own either.
    let based = meta(B, &(numbered_start + &base(A, None, Some(bytes))));
    let home = Home::new(&[
        (place(A).as_str(), first(A).0),
        (
            &place(B),
            [numbered(0, &based), numbered(8, &user_item("do it"))].concat(),
        ),
    ]);
    assert_eq!(home.conversation(B), ["u:do it"]);
}

/// 3.7: what was copied and cannot be told apart stays, and is told.
#[test]
fn what_was_copied_is_cut_off_or_told() {
    let spawned =
        format!(",\"source\":\"cli\",\"thread_source\":\"subagent\",\"parent_thread_id\":\"{A}\"");
    let log = |more: &str| {
        let log = [
            meta(B, more),
            meta(A, ""),
            begin("1"),
            user_item("a"),
            begin("2"),
            user_item("do it"),
        ];
        log.concat()
    };
    let parent = |turn: &str| [meta(A, ""), begin(turn), user_item("a")].concat();
    let check = |more: &str, parent: Option<String>, said: &[&str], is_told: bool| {
        let mut files = vec![(place(B), log(more))];
        files.extend(parent.map(|log| (place(A), log)));
        let files: Vec<(&str, &String)> = files
            .iter()
            .map(|(place, log)| (place.as_str(), log))
            .collect();
        let home = Home::new(&files);
        assert_eq!(home.conversation(B), said, "{more}");
        let found = home.examine(B).unwrap().into_iter();
        let found: Vec<DiagnosticKind> = found.map(|own| own.kind).collect();
        let told = [DiagnosticKind::Inherited];
        assert_eq!(found, if is_told { &told[..] } else { &[] }, "{more}");
    };
    check(&spawned, Some(parent("1")), &["u:do it"], false);
    check(&spawned, Some(parent("0")), &["u:a", "u:do it"], true);
    check(&spawned, None, &["u:a", "u:do it"], true);
    // The model of a fork took it for its own.
    let forked = format!(",\"forked_from_id\":\"{A}\"");
    check(&forked, Some(parent("1")), &["u:a", "u:do it"], true);
}

/// 3.3: a fork of old versions copies lines, headers too: the first header is the truth.
#[test]
fn the_first_header_is_the_truth() {
    let log = [
        meta(B, &format!(",\"forked_from_id\":\"{A}\"")),
        meta(A, "").replace("/w/api", "/w/other"),
        begin("1"),
        user_item("a"),
        agent_item("b"),
        begin("2"),
        user_item("c"),
    ];
    let home = Home::new(&[(place(B).as_str(), log.concat())]);
    assert_eq!(home.ids(), [B]);
    assert_eq!(
        home.list().sessions[0].header.cwd.as_ref().unwrap(),
        "/w/api"
    );
    assert_eq!(home.conversation(B), ["u:a", "a:b", "u:c"]);
}

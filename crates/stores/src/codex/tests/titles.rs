//! What threads are called (`spec/agent-logs.md` 3.8, 3.11).

use rusqlite::Connection;

use super::support::*;

fn log(more: &[String]) -> String {
    let start = [
        meta(A, ""),
        message(
            "user",
            "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>",
        ),
        message("user", "first\nprompt"),
        user_event("first\nprompt"),
        agent_event("answer"),
    ];
    [start.concat(), more.concat()].concat()
}

fn renamed(time: &str, more: &str) -> String {
    event("thread_name_updated", more).replace("2026-08-01T07:00:00.100Z", time)
}

fn index(time: &str, name: &str) -> String {
    format!("{{\"id\":\"{A}\",\"thread_name\":\"{name}\",\"updated_at\":\"{time}\"}}\n")
}

fn check(log: &str, index: &str, expected: &str) {
    let home = Home::new(&[(place(A).as_str(), log), ("session_index.jsonl", index)]);
    assert_eq!(home.title(A).as_deref(), Some(expected));
}

#[test]
fn a_thread_without_a_name_is_called_by_its_first_prompt() {
    check(&log(&[]), "", "first prompt");
    let model_only = [
        meta(A, ""),
        message("user", "<skill>x</skill>"),
        message("user", "typed"),
    ];
    check(&model_only.concat(), "", "typed");
    check(
        &log(&[]).replace("first\\nprompt", &"y".repeat(300)),
        "",
        &format!("{}…", "y".repeat(200)),
    );
}

/// The newer of both by time; a blank name takes the name away.
#[test]
fn names_from_events_and_from_the_index() {
    let (early, late) = ("2026-08-01T08:00:00Z", "2026-08-01T09:00:00Z");
    let event = |time, name: &str| {
        renamed(
            time,
            &format!(",\"thread_id\":\"{A}\",\"thread_name\":\"{name}\""),
        )
    };
    check(&log(&[event(early, "E")]), "", "E");
    check(&log(&[event(early, "E"), event(late, "F")]), "", "F");
    check(&log(&[]), &index(early, "I"), "I");
    check(
        &log(&[]),
        &[index(early, "I"), index(late, "J")].concat(),
        "J",
    );
    check(
        &log(&[]),
        &[index(early, "I"), index(late, " ")].concat(),
        "first prompt",
    );
    check(&log(&[event(early, "E")]), &index(late, "I"), "I");
    check(&log(&[event(late, "E")]), &index(early, "I"), "E");
    check(&log(&[event(late, "")]), &index(early, "I"), "first prompt");
    // A copied part names the thread that it was copied from.
    let other = renamed(
        late,
        &format!(",\"thread_id\":\"{B}\",\"thread_name\":\"theirs\""),
    );
    check(&log(&[other]), "", "first prompt");
    check(
        &log(&[event(early, "E")]),
        "garbage\n{}\n[1]\n{\"id\":7}\n",
        "E",
    );
}

/// 3.11: current versions write no names into the log, so it is not read on behind the first prompt.
#[test]
fn a_current_log_is_read_up_to_the_first_prompt() {
    let event = renamed("2026-08-01T08:00:00Z", ",\"thread_name\":\"E\"");
    let current =
        log(&[event]).replace("\"source\":", "\"history_mode\":\"paginated\",\"source\":");
    check(&current, "", "first prompt");
}

/// A name lies behind any window.
#[test]
fn names_far_into_the_log() {
    let far = message("assistant", &"x".repeat(300 << 10));
    let event = renamed("2026-08-01T08:00:00Z", ",\"thread_name\":\"E\"");
    check(&log(&[far.clone(), event, far]), "", "E");
}

#[test]
fn names_from_the_database() {
    let home = |sql: &str| {
        let home = Home::new(&[
            (place(A).as_str(), log(&[])),
            ("session_index.jsonl", index("2026-08-01T08:00:00Z", "I")),
        ]);
        let database = Connection::open(home.path("state_5.sqlite")).unwrap();
        database
            .execute_batch(
                "CREATE TABLE threads (id TEXT, name TEXT, title TEXT, first_user_message TEXT)",
            )
            .unwrap();
        database.execute(sql, [A]).unwrap();
        home
    };
    let named = home("INSERT INTO threads VALUES (?1, 'N', 'T', 'F')");
    assert_eq!(named.title(A).as_deref(), Some("N"));
    let unnamed = home("INSERT INTO threads VALUES (?1, NULL, 'T', 'F')");
    assert_eq!(unnamed.title(A).as_deref(), Some("I"));
    std::fs::remove_file(unnamed.path("session_index.jsonl")).unwrap();
    assert_eq!(unnamed.title(A).as_deref(), Some("T"));
    let machine = home("INSERT INTO threads VALUES (?1, '', '<skill>x</skill>', 'F')");
    std::fs::remove_file(machine.path("session_index.jsonl")).unwrap();
    assert_eq!(machine.title(A).as_deref(), Some("F"));
}

/// 1.6: rows of the write-ahead log count, a writer's lock keeps nobody out, and nothing appears
/// beside the database.
#[test]
fn names_from_a_database_in_use() {
    let home = Home::new(&[(place(A).as_str(), log(&[]))]);
    let path = home.path("state_5.sqlite");
    let writer = Connection::open(home.path("elsewhere.sqlite")).unwrap();
    writer
        .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    let sql = "CREATE TABLE threads (id TEXT, name TEXT)";
    writer.execute_batch(sql).unwrap();
    let sql = "INSERT INTO threads VALUES (?1, 'N')";
    writer.execute(sql, [A]).unwrap();
    // As it is at rest after a crash: no index beside it.
    for suffix in ["", "-wal"] {
        let from = home.path(&format!("elsewhere.sqlite{suffix}"));
        std::fs::copy(from, home.path(&format!("state_5.sqlite{suffix}"))).unwrap();
    }
    assert_eq!(home.title(A).as_deref(), Some("N"));
    drop(writer);
    let locker = Connection::open(&path).unwrap();
    locker
        .execute_batch("BEGIN EXCLUSIVE; UPDATE threads SET name = 'not yet'")
        .unwrap();
    assert_eq!(home.title(A).as_deref(), Some("N"));
}

/// A rollout of which only the history of prompts tells.
#[test]
fn the_history_of_prompts_comes_last() {
    let history = format!(
        "{{\"session_id\":\"{A}\",\"ts\":1785567600,\"text\":\"typed\"}}\n{{\"session_id\":\"{A}\",\"ts\":1785567601,\"text\":\"later\"}}\n"
    );
    let log = [meta(A, ""), agent_event("answer")].concat();
    let home = Home::new(&[(place(A).as_str(), log), ("history.jsonl", history)]);
    assert_eq!(home.title(A).as_deref(), Some("typed"));
}

#[test]
fn nobody_has_no_title() {
    let home = Home::new(&[(place(A).as_str(), [meta(A, ""), agent_event("x")].concat())]);
    assert_eq!(home.title(A), None);
    let missing = crate::Store::titles(&home.store, &[B.into()], &cancel()).unwrap();
    assert_eq!(
        missing[0].as_ref().unwrap_err().kind(),
        crate::StoreErrorKind::NotFound
    );
}

/// 1.7, 3.8: the beginning of a wrapper is no name, wherever it was written down.
#[test]
fn nothing_injected_is_a_name() {
    for machine in [
        "# Context from my IDE setup: ## Open tabs…",
        "# AGENTS.md instructions for /w/api…",
        "<environment_context> <cwd>/w/a…",
    ] {
        check(
            &log(&[renamed(
                "2026-08-01T08:00:00Z",
                &format!(",\"thread_name\":\"{machine}\""),
            )]),
            "",
            "first prompt",
        );
        check(
            &log(&[]),
            &index("2026-08-01T08:00:00Z", machine),
            "first prompt",
        );
        let home = Home::new(&[(place(A).as_str(), log(&[]))]);
        let database = Connection::open(home.path("state_1.sqlite")).unwrap();
        let sql = format!(
            "CREATE TABLE threads (id TEXT, name TEXT); INSERT INTO threads VALUES ('{A}', '{machine}')"
        );
        database.execute_batch(&sql).unwrap();
        drop(database);
        assert_eq!(home.title(A).as_deref(), Some("first prompt"));
    }
    check(
        &log(&[]),
        &index("2026-08-01T08:00:00Z", "# Context"),
        "# Context",
    );
}

/// 3.1: the variable counts in the environment that the store is opened for.
#[test]
fn the_database_of_an_environment() {
    let home = Home::new(&[(place(A).as_str(), log(&[]))]);
    let elsewhere = home.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let sql = format!(
        "CREATE TABLE threads (id TEXT, name TEXT); INSERT INTO threads VALUES ('{A}', 'Moved')"
    );
    let database = Connection::open(elsewhere.join("state_1.sqlite")).unwrap();
    database.execute_batch(&sql).unwrap();
    drop(database);
    assert_eq!(home.title(A).as_deref(), Some("first prompt"));
    let mut environment = crate::Environment::default();
    let variable = ("CODEX_SQLITE_HOME".into(), elsewhere.into_os_string());
    environment.variables.extend([variable]);
    let store = super::super::CodexStore::open(home.directory.path()).within(&environment);
    let titles = crate::Store::titles(&store, &[A.into()], &cancel()).unwrap();
    let title = titles.into_iter().next().unwrap().unwrap().unwrap();
    assert_eq!(title.text().unwrap(), "Moved");
}

//! `sref list --agent --since --project --subagents`.

use std::time::Duration;

use super::*;

const CLAUDE: &str = "5f0c1d2e-0000-4000-8000-000000000001";
const OLD: &str = "5f0c1d2e-0000-4000-8000-000000000002";

/// A machine with two agents: what Claude Code did in `app` now, in `app/docs` ten days ago and
/// in a sub-agent, and what dsh did elsewhere.
pub(crate) fn machine() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let app = home.path().join("app");
    fs::create_dir_all(app.join("docs")).unwrap();
    let project = home.path().join(".claude/projects/-app");
    fs::create_dir_all(project.join(format!("{CLAUDE}/subagents"))).unwrap();
    let log = |name: &str, cwd: &Path, side: bool, words: &str, days: u64| {
        let path = project.join(name);
        let cwd = serde_json::to_string(&cwd).unwrap();
        let line = format!(
            r#"{{"parentUuid":null,"isSidechain":{side},"type":"user","uuid":"{name}","cwd":{cwd},"timestamp":"2026-08-01T09:00:00.000Z","message":{{"role":"user","content":"{words}"}}}}"#
        );
        fs::write(&path, line + "\n").unwrap();
        let time = SystemTime::now() - Duration::from_secs(days * 86_400);
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
    };
    log(&format!("{CLAUDE}.jsonl"), &app, false, "fix login", 0);
    log(
        &format!("{OLD}.jsonl"),
        &app.join("docs"),
        false,
        "write docs",
        10,
    );
    let agent = format!("{CLAUDE}/subagents/agent-a1.jsonl");
    log(&agent, &app, true, "look around", 1);
    let dsh = home.path().join(".dsh/sessions/--elsewhere--/session-d1");
    fs::create_dir_all(&dsh).unwrap();
    let line = r#"{"type":"session","version":0,"id":"session-d1","createdAt":5,"cwd":"/elsewhere","delegationDepth":0}"#;
    fs::write(dsh.join("session.jsonl"), format!("{line}\n")).unwrap();
    home
}

/// The program on that machine.
pub(crate) fn on_machine(home: &Path, args: &[&str]) -> Command {
    let mut command = sref(args);
    command.env("HOME", home).current_dir(home.join("app"));
    command
}

/// The ids that a list names, without their heads and sorted.
fn listed(home: &Path, args: &[&str]) -> Vec<String> {
    let mut command = on_machine(home, &["list", "--json"]);
    command.args(args);
    let list = succeed(command).json();
    let ids = list.as_array().unwrap().iter();
    let ids = ids.map(|own| own["sessionId"].as_str().unwrap().to_owned());
    let mut ids: Vec<String> = ids
        .map(|id| id.replace(CLAUDE, "new").replace(OLD, "old"))
        .collect();
    ids.sort();
    ids
}

#[test]
fn every_store_of_the_machine_without_filters() {
    let home = machine();
    assert_eq!(
        listed(home.path(), &[]),
        ["claude:new", "claude:old", "session-d1"]
    );
}

#[test]
fn agents() {
    let home = machine();
    assert_eq!(
        listed(home.path(), &["--agent", "claude"]),
        ["claude:new", "claude:old"]
    );
    assert_eq!(listed(home.path(), &["--agent", "dsh"]), ["session-d1"]);
    assert_eq!(
        listed(home.path(), &["--agent", "dsh", "--agent", "claude"]).len(),
        3
    );
    assert_eq!(listed(home.path(), &["--agent", "toh"]), [""; 0]);
    let wrong = run(on_machine(home.path(), &["list", "--agent", "hal"]));
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("claude"), "{}", wrong.stderr);
}

#[test]
fn since_a_time_ago_or_a_day() {
    let home = machine();
    let claude = |since| listed(home.path(), &["--agent", "claude", "--since", since]);
    assert_eq!(claude("2d"), ["claude:new"]);
    assert_eq!(claude("1w"), ["claude:new"]);
    assert_eq!(claude("2w"), ["claude:new", "claude:old"]);
    assert_eq!(claude("2001-01-01"), ["claude:new", "claude:old"]);
    assert_eq!(claude("9999-01-01"), [""; 0]);
    let wrong = run(on_machine(home.path(), &["list", "--since", "yesterday"]));
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("2026-11-01"), "{}", wrong.stderr);
    let wrong = run(on_machine(home.path(), &["list", "--since", "-1d"]));
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("has no sign: 1d"), "{}", wrong.stderr);
}

#[test]
fn a_project_and_what_is_below_it() {
    let home = machine();
    let here = home.path();
    assert_eq!(
        listed(here, &["--project", "."]),
        ["claude:new", "claude:old"]
    );
    assert_eq!(listed(here, &["--project", "docs"]), ["claude:old"]);
    assert_eq!(listed(here, &["--project", "../app/docs/"]), ["claude:old"]);
    assert_eq!(listed(here, &["--project", "/elsewhere"]), ["session-d1"]);
    assert_eq!(listed(here, &["--project", "/else"]), [""; 0]);
    #[cfg(unix)]
    {
        // The link is another name of the place that the agent wrote down.
        std::os::unix::fs::symlink(here.join("app"), here.join("link")).unwrap();
        assert_eq!(listed(here, &["--project", "../link/docs"]), ["claude:old"]);
    }
}

#[test]
fn sub_agents_are_shown_on_request_and_marked() {
    let home = machine();
    let all = ["claude:new", "claude:new/agent-a1", "claude:old"];
    assert_eq!(
        listed(home.path(), &["--agent", "claude", "--subagents"]),
        all
    );
    assert_eq!(listed(home.path(), &["--agent", "claude", "--all"]), all);
    let mut command = on_machine(home.path(), &["list", "--subagents", "--json"]);
    command.args(["--agent", "claude", "--since", "2d"]);
    let list = succeed(command).json();
    let agent = (list.as_array().unwrap().iter())
        .find(|own| own["sessionId"].as_str().unwrap().ends_with("agent-a1"))
        .unwrap();
    assert_eq!(agent["subagent"], true);
    let other = list.as_array().unwrap().iter().find(|own| *own != agent);
    assert_eq!(other.unwrap().get("subagent"), None);
    let text = succeed(on_machine(home.path(), &["list", "--subagents"])).stdout;
    assert!(text.contains("↳ look around"), "{text}");
    assert!(text.contains("  fix login"), "{text}");
}

#[test]
fn a_line_has_every_fact() {
    let home = machine();
    let text = run(on_machine(
        home.path(),
        &["list", "--since", "11d", "--agent", "claude"],
    ));
    // The sub-agent's is not listed, and not passed over in silence.
    let hidden = "1 session of sub-agents, or put away, not shown; --all shows every one.\n";
    assert_eq!((text.status, text.stderr.as_str()), (0, hidden));
    let old = text.stdout.lines().find(|line| line.contains("docs"));
    let old = old.unwrap_or_else(|| panic!("{}", text.stdout));
    let words: Vec<&str> = old.split_whitespace().collect();
    let size = fs::metadata(
        home.path()
            .join(format!(".claude/projects/-app/{OLD}.jsonl")),
    );
    let size = size.unwrap().len().to_string();
    assert_eq!(words[1..4], ["claude", "10d", &size], "{old}");
    assert!(old.contains("write docs") && old.ends_with("docs"), "{old}");
}

#[test]
fn a_limit_counts_what_passed_and_nothing_fits_is_said() {
    let home = machine();
    let limited = run(on_machine(
        home.path(),
        &["list", "--agent", "claude", "--limit", "1"],
    ));
    // The sub-agent is one of them: --all shows it.
    assert!(
        limited.stderr.contains("1 of 3 sessions"),
        "{}",
        limited.stderr
    );
    let none = run(on_machine(home.path(), &["list", "--agent", "toh"]));
    assert_eq!((none.status, none.stdout.as_str()), (0, ""));
    assert!(
        none.stderr.contains("None of 4 sessions fits"),
        "{}",
        none.stderr
    );
}

/// What a person was in lately is recent, whenever it began; the column of ages says no other thing.
#[test]
fn what_was_written_to_last_comes_first() {
    let home = machine();
    let project = home.path().join(".claude/projects/-app");
    let cwd = serde_json::to_string(&home.path().join("app")).unwrap();
    // (id, began on that day of July, was written to so many days ago)
    for (id, began, days) in [("1", 1, 3), ("2", 20, 9), ("3", 10, 6)] {
        let path = project.join(format!("5f0c1d2e-0000-4000-8000-00000000001{id}.jsonl"));
        let line = format!(
            r#"{{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"{id}","cwd":{cwd},"timestamp":"2026-07-{began:02}T09:00:00.000Z","message":{{"role":"user","content":"session {id}"}}}}"#
        );
        fs::write(&path, line + "\n").unwrap();
        let time = SystemTime::now() - Duration::from_secs(days * 86_400);
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
    }
    let list = |args: &[&str]| {
        let mut command = on_machine(home.path(), &["list", "--json", "--agent", "claude"]);
        command.args(args);
        let list = succeed(command).json();
        let ids = list.as_array().unwrap().iter();
        ids.map(|own| own["sessionId"].as_str().unwrap()[40..].to_owned())
            .collect::<Vec<_>>()
    };
    // The directory comes before the time: the second of the machine's is of `app/docs`.
    assert_eq!(list(&[]), ["001", "011", "013", "012", "002"]);
    assert_eq!(list(&["--limit", "2"]), ["001", "011"]);
    assert_eq!(list(&["session"]), ["011", "013", "012"]);
}

#[test]
fn what_was_named_and_is_not_there_is_told() {
    let home = machine();
    let none = run(on_machine(home.path(), &["list", "--project", "nonexist"]));
    assert_eq!((none.status, none.stdout.as_str()), (0, ""));
    assert!(
        none.stderr.contains("there is no directory "),
        "{}",
        none.stderr
    );
    // A project that is gone still has its sessions.
    let gone = run(on_machine(
        home.path(),
        &["list", "--project", "/elsewhere"],
    ));
    assert!(
        gone.stdout.contains("dsh") && gone.stderr.is_empty(),
        "{}",
        gone.stderr
    );
    let own = run(on_machine(home.path(), &["list", "--session", "zzz"]));
    assert_eq!(own.status, 0);
    assert!(own.stderr.contains("no session is zzz"), "{}", own.stderr);
}

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::{LOGIN, feed, on_sample, sample, sref};

/// Requests as lines, behind a handshake.
pub(crate) fn session(requests: &[(&str, Value)]) -> Vec<u8> {
    let info = json!({"name": "test", "version": "1"});
    let start = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
    let mut lines = String::new();
    for (id, (method, params)) in [("initialize", start)].iter().chain(requests).enumerate() {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        lines += &line.to_string();
        lines.push('\n');
    }
    lines.into_bytes()
}

/// The answers, in the order of the requests. Standard output has nothing else.
pub(crate) fn answers(stdout: &str) -> Vec<Value> {
    let lines = stdout.lines();
    let mut answers: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

pub(crate) fn tool(name: &str, arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({"name": name, "arguments": arguments}))
}

fn everything(id: &str) -> Vec<(&'static str, Value)> {
    let prompt = json!({"type": "ref/prompt", "name": "reference"});
    vec![
        ("tools/list", json!({})),
        tool("session_candidates", &json!({"query": "a"})),
        tool("session_reference", &json!({"mentions": [id]})),
        tool("session_read", &json!({"uri": id})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": id})),
        ("prompts/list", json!({})),
        (
            "prompts/get",
            json!({"name": "reference", "arguments": {"session": id}}),
        ),
        (
            "completion/complete",
            json!({"ref": prompt, "argument": {"name": "session", "value": ""}}),
        ),
    ]
}

#[test]
fn everything_is_answered_on_standard_output() {
    let answer = feed(on_sample(&["mcp", "--all"]), &session(&everything(LOGIN)));
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    let answers = answers(&answer.stdout);
    assert_eq!(answers.len(), 11);
    for answer in &answers {
        assert!(answer["result"].is_object(), "{answer}");
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
}

#[test]
fn a_project_limits_what_there_is() {
    let list = session(&[
        ("resources/list", json!({})),
        tool("session_read", &json!({"uri": LOGIN})),
    ]);
    let ask = |project: &Path| {
        let mut command = on_sample(&["mcp"]);
        command.arg("--project").arg(project);
        let answer = feed(command, &list);
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
        answers(&answer.stdout)
    };
    // The sample's sessions are those of directories that this machine does not have.
    let here = ask(&sample());
    assert_eq!(here[1]["result"]["resources"], json!([]));
    assert_eq!(here[2]["result"]["isError"], true);
    // By default it is the directory that the program runs in.
    let default = feed(on_sample(&["mcp"]), &list);
    assert_eq!(
        answers(&default.stdout)[1]["result"]["resources"],
        json!([])
    );
    assert_eq!(ask(Path::new("/"))[2]["result"]["isError"], false);
}

/// The limit is on sessions: a fork inside shows what its person saw in it, also what was first said
/// in a session outside, which itself does not exist.
#[test]
fn a_fork_inside_keeps_the_words_that_it_began_with() {
    let home = tempfile::tempdir().unwrap();
    let (base, fork) = (
        "0198a3c0-0000-7000-8000-00000000000a",
        "0198a3c1-0000-7000-8000-00000000000b",
    );
    let line = |kind: &str, ordinal: u64, payload: Value| {
        let line = json!({"timestamp": "2026-08-01T07:00:00Z", "ordinal": ordinal, "type": kind, "payload": payload});
        format!("{line}\n")
    };
    let meta = |id: &str, cwd: &Path, more: Value| {
        let mut meta = json!({"id": id, "timestamp": "2026-08-01T07:00:00Z", "cwd": cwd, "source": "cli", "history_mode": "paginated"});
        meta.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        meta
    };
    let said = |text: &str| {
        let item = json!({"type": "UserMessage", "content": [{"type": "text", "text": text}]});
        json!({"type": "item_completed", "thread_id": "t", "turn_id": "1", "item": item})
    };
    let begin = json!({"type": "task_started", "turn_id": "1"});
    let project = home.path().join("project");
    fs::create_dir(&project).unwrap();
    let first = [
        line(
            "session_meta",
            0,
            meta(base, Path::new("/elsewhere"), json!({})),
        ),
        line("event_msg", 1, begin.clone()),
        line("event_msg", 2, said("said elsewhere")),
    ];
    let history = json!({"history_base": {"thread_id": base, "end_ordinal_exclusive": 3}});
    let second = [
        line("session_meta", 3, meta(fork, &project, history)),
        line("event_msg", 4, begin),
        line("event_msg", 5, said("said here")),
    ];
    let day = home.path().join("sessions/2026/08/01");
    fs::create_dir_all(&day).unwrap();
    for (id, lines) in [(base, first), (fork, second)] {
        let name = format!("rollout-2026-08-01T09-00-00-{id}.jsonl");
        fs::write(day.join(name), lines.concat()).unwrap();
    }
    let mut command = sref(&["mcp", "--project"]);
    command.arg(&project).arg("--store");
    command.arg(format!("codex={}", home.path().display()));
    let read = |id: &str| tool("session_read", &json!({"uri": format!("codex:{id}")}));
    let list = tool("session_candidates", &json!({}));
    let answer = feed(command, &session(&[read(fork), read(base), list]));
    let answers = answers(&answer.stdout);
    let text = answers[1].to_string();
    assert!(
        text.contains("said elsewhere") && text.contains("said here"),
        "{text}"
    );
    assert_eq!(answers[2]["result"]["isError"], true);
    assert!(!answers[2].to_string().contains("said"));
    assert!(!answers[3].to_string().contains(base));
}

#[test]
fn a_project_that_is_not_there_is_told() {
    let answer = feed(on_sample(&["mcp", "--project", "/no/such/directory"]), b"");
    assert_eq!((answer.status, answer.stdout.as_str()), (1, ""));
    assert!(
        answer.stderr.starts_with("error[cli.no-project]: "),
        "{}",
        answer.stderr
    );
    let answer = feed(on_sample(&["mcp", "--all", "--project", "/"]), b"");
    assert_eq!(answer.status, 2, "{}", answer.stderr);
}

/// Claude Code names the session in the environment of the server.
#[test]
fn the_session_that_asks_is_known_by_the_environment() {
    let root = tempfile::tempdir().unwrap();
    let own = "5f0c11aa-0001-4000-8000-000000000001";
    let directory = root.path().join("-p");
    fs::create_dir(&directory).unwrap();
    let said = json!({
        "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": own, "cwd": "/p",
        "version": "2.1.332", "timestamp": "2026-11-01T00:00:00.000Z",
        "message": {"role": "user", "content": "hello"},
    });
    fs::write(directory.join(format!("{own}.jsonl")), format!("{said}\n")).unwrap();
    let ask = |asks: &str| {
        let mut command = sref(&["mcp", "--all", "--store"]);
        command
            .arg(format!("claude={}", root.path().display()))
            .env("CLAUDE_CODE_SESSION_ID", asks);
        let read = tool("session_read", &json!({"uri": format!("claude:{own}")}));
        feed(command, &session(&[read])).stdout
    };
    assert!(ask("another").contains("hello"), "{}", ask("another"));
    assert!(
        ask(own).contains("SESSION_REFERENCE_SELF_REFERENCE"),
        "{}",
        ask(own)
    );
}

/// Everything below a directory: what it holds, and when it last changed.
fn tree(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let (mut out, mut pending) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(path) = pending.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
            Vec::new()
        } else {
            fs::read(&path).unwrap()
        };
        out.insert(path, (content, metadata.modified().unwrap()));
    }
    out
}

#[test]
fn serving_leaves_the_store_as_it_is() {
    let before = tree(&sample());
    let answer = feed(on_sample(&["mcp", "--all"]), &session(&everything(LOGIN)));
    assert_eq!(answers(&answer.stdout).len(), 11);
    assert!(tree(&sample()) == before, "the store has changed");
}

/// A server whose two ends are held.
fn start() -> Child {
    let mut command = on_sample(&["mcp", "--all"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn ends(child: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    false
}

#[test]
fn it_ends_with_the_host() {
    // It closes what the server reads.
    let mut child = start();
    drop(child.stdin.take());
    assert!(ends(&mut child));

    // It closes what the server writes, and keeps the other end open.
    let mut child = start();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(&session(&[])).unwrap();
    assert!(lines.next().unwrap().unwrap().contains("protocolVersion"));
    drop(lines);
    input
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n")
        .unwrap();
    assert!(ends(&mut child));
    drop(input);
}

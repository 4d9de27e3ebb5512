//! Logs that have lost words: whoever carries or shows what is left of one says so, from the read
//! that gave it. Intact logs give no word.

use serde_json::json;

use super::mcp::{answers, session, tool};
use super::*;

const CLAUDE: &str = "5f0c1d2e-0000-4000-8000-000000000001";
const CODEX: &str = "0198a3c0-0000-7000-8000-00000000000a";
const TORN: &str = "the last line has no end: its writer was stopped, or is at it";

/// One session of each agent, whole or damaged.
struct Machine {
    home: tempfile::TempDir,
}

/// How a log is left.
#[derive(Clone, Copy)]
enum State {
    Whole,
    Damaged,
}

impl Machine {
    fn new(state: State) -> Self {
        let home = tempfile::tempdir().unwrap();
        let machine = Self { home };
        let whole = matches!(state, State::Whole);
        machine.write(
            ".dsh/sessions/--w--/session-d1/session.jsonl",
            dsh(if whole { "" } else { "no JSON\n" }).as_bytes(),
        );
        let claude = claude(if whole { "" } else { "no JSON\n" });
        machine.write(&claude_log(), claude.as_bytes());
        let [first, second] = codex().map(|text| zstd::encode_all(text.as_bytes(), 3).unwrap());
        let kept = second.len() - if whole { 0 } else { 3 };
        let day = ".codex/sessions/2026/08/01";
        machine.write(
            &format!("{day}/rollout-2026-08-01T09-00-00-{CODEX}.jsonl.zst"),
            &[&first, &second[..kept]].concat(),
        );
        machine
    }

    fn write(&self, place: &str, log: &[u8]) {
        let path = self.home.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, log).unwrap();
    }

    fn sref(&self, args: &[&str]) -> Command {
        let mut command = sref(args);
        command
            .env("HOME", self.home.path())
            .current_dir(self.home.path());
        command
    }

    /// What the hook of a host answers to a mention: the context, and the receipt.
    fn hook(&self, host: &str, id: &str) -> (String, String) {
        let event = json!({"session_id": "s", "prompt": format!("as in @sref:{id} here")});
        let answer = feed(self.sref(&["hook", host]), event.to_string().as_bytes());
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
        let answer = answer.json();
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str();
        let receipt = answer["systemMessage"].as_str().unwrap();
        (context.unwrap().to_owned(), receipt.to_owned())
    }

    /// What the server says of a session in its tools, as a resource and in its prompt.
    fn served(&self, id: &str) -> [String; 4] {
        let prompt = json!({"name": "reference", "arguments": {"session": id}});
        let requests = [
            tool("session_reference", &json!({"mentions": [id]})),
            tool("session_read", &json!({"uri": id})),
            ("resources/read", json!({"uri": id})),
            ("prompts/get", prompt),
        ];
        let answer = feed(self.sref(&["mcp", "--all"]), &session(&requests));
        let text = |answer: &Value| {
            let result = &answer["result"];
            let texts = [
                &result["content"][0]["text"],
                &result["contents"][0]["text"],
                &result["messages"][0]["content"]["text"],
            ];
            let text = texts.into_iter().find_map(Value::as_str);
            text.unwrap_or_else(|| panic!("{answer}")).to_owned()
        };
        let texts: Vec<String> = answers(&answer.stdout)[1..].iter().map(text).collect();
        texts.try_into().unwrap()
    }
}

fn claude_log() -> String {
    format!(".claude/projects/-w/{CLAUDE}.jsonl")
}

fn dsh(between: &str) -> String {
    let header = r#"{"type":"session","version":0,"id":"session-d1","createdAt":5,"cwd":"/w","delegationDepth":0}"#;
    let said = |seq: u64, text: &str| {
        format!(
            r#"{{"type":"user/message","seq":{seq},"time":6,"data":{{"id":"m{seq}","role":"user","source":{{"kind":"user"}},"content":[{{"type":"text","text":"{text}"}}]}},"surfaceOp":"append"}}"#
        ) + "\n"
    };
    [header, "\n", &said(0, "one"), between, &said(1, "two")].concat()
}

fn claude(between: &str) -> String {
    let said = |uuid: &str, parent: &str, text: &str| {
        format!(
            r#"{{"parentUuid":{parent},"type":"user","uuid":"{uuid}","cwd":"/w","timestamp":"2026-08-01T09:00:00.000Z","message":{{"role":"user","content":"{text}"}}}}"#
        ) + "\n"
    };
    [
        &said("u1", "null", "one"),
        between,
        &said("u2", "\"u1\"", "two"),
    ]
    .concat()
}

fn codex() -> [String; 2] {
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-08-01T07:00:00.100Z","type":"{kind}","payload":{payload}}}"#)
            + "\n"
    };
    let said = |text: &str| {
        let payload = format!(r#"{{"type":"user_message","message":"{text}","images":[]}}"#);
        line("event_msg", &payload)
    };
    let meta = format!(
        r#"{{"id":"{CODEX}","timestamp":"2026-08-01T07:00:00Z","cwd":"/w","source":"cli"}}"#
    );
    [line("session_meta", &meta) + &said("one"), said("two")]
}

/// The sessions, what of each can still be read, and what is said of the rest.
fn sessions() -> [(String, bool, &'static str); 3] {
    [
        (
            "session-d1".into(),
            false,
            "what stands behind a bad line was not read, as the harness does not read it: a line \
             that is no JSON, line 3, byte ",
        ),
        (
            format!("claude:{CLAUDE}"),
            true,
            "lines that are no JSON were passed over: 1",
        ),
        (
            format!("codex:{CODEX}"),
            false,
            "the packed log was cut off, and what stood behind the cut is gone",
        ),
    ]
}

/// The text around the snapshot, and the snapshot.
fn parts(context: &str) -> (&str, &str) {
    let (_, rest) = context.split_once("<referenced-sessions>\n").unwrap();
    let (objects, after) = rest.split_once("\n</referenced-sessions>").unwrap();
    (after, objects)
}

#[test]
fn the_hooks_say_what_was_lost() {
    let (whole, damaged) = (Machine::new(State::Whole), Machine::new(State::Damaged));
    for (id, both, reason) in sessions() {
        for host in ["claude", "codex", "gemini"] {
            let (context, receipt) = damaged.hook(host, &id);
            let (after, objects) = parts(&context);
            let fact = format!("\n\nSession 1 above may lack words that were said: {reason}");
            assert!(after.contains(&fact), "{host}: {after}");
            assert!(objects.contains("\"one\""), "{objects}");
            assert_eq!(objects.contains("\"two\""), both, "{objects}");
            let said = format!("; words may be missing, see sref doctor --sessions: {reason}");
            assert!(receipt.contains(&said), "{host}: {receipt}");

            let (context, receipt) = whole.hook(host, &id);
            let (after, objects) = parts(&context);
            assert_eq!(after, "");
            assert!(objects.contains("\"one\"") && objects.contains("\"two\""));
            assert!(!receipt.contains("missing"), "{receipt}");
        }
    }
}

#[test]
fn the_server_says_what_was_lost() {
    let (whole, damaged) = (Machine::new(State::Whole), Machine::new(State::Damaged));
    for (id, _, reason) in sessions() {
        let [reference, page, resource, prompt] = damaged.served(&id);
        let fact = format!("\n\nSession 1 above may lack words that were said: {reason}");
        for text in [reference, resource, prompt] {
            assert!(parts(&text).0.contains(&fact), "{text}");
        }
        let note = format!(" Note that words may be missing: {reason}");
        let (after, _) = parts(&page);
        assert!(after.contains(&note), "{after}");
        let end = " This is the end of what could be read of the session as it is now.";
        assert!(after.ends_with(end), "{after}");

        let [reference, page, resource, prompt] = whole.served(&id);
        for text in [reference, resource, prompt] {
            assert_eq!(parts(&text).0, "");
        }
        let end = "Messages 1 to 2 of 2 are above. This is the end of the session as it is now.";
        assert_eq!(parts(&page).0.trim(), end);
    }
}

#[test]
fn the_commands_say_what_was_lost() {
    let (whole, damaged) = (Machine::new(State::Whole), Machine::new(State::Damaged));
    for (id, both, reason) in sessions() {
        let prompt = format!("as in @sref:{id}");
        for args in [&["show", &id, "--text"][..], &["prepare", &prompt]] {
            let answer = run(damaged.sref(args));
            assert_eq!(answer.status, 0);
            let note = format!("words may be missing: {reason}");
            assert!(answer.stderr.contains(&note), "{}", answer.stderr);
            let pointer = "`sref doctor --sessions` says where\n";
            assert!(answer.stderr.contains(pointer), "{}", answer.stderr);
            assert_eq!(answer.stdout.contains("two"), both, "{}", answer.stdout);
            // What is lost is no part of what was read.
            assert!(!answer.stdout.contains("missing"), "{}", answer.stdout);
            let answer = run(whole.sref(args));
            assert!(!answer.stderr.contains("missing"), "{}", answer.stderr);
            assert!(answer.stdout.contains("two"), "{}", answer.stdout);
        }
    }
}

#[test]
fn the_receipt_of_a_program_names_the_losses() {
    let (whole, damaged) = (Machine::new(State::Whole), Machine::new(State::Damaged));
    let codes = ["store.cut-off", "store.bad-lines", "store.torn-frame"];
    for ((id, _, reason), code) in sessions().into_iter().zip(codes) {
        let prompt = format!("as in @sref:{id}");
        let losses = |machine: &Machine| {
            let answer = run(machine.sref(&["prepare", "--json", &prompt]));
            answer.json()["receipt"]["losses"].clone()
        };
        let found = losses(&damaged);
        assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
        assert_eq!(found[0]["sessionId"], id);
        assert_eq!(found[0]["code"], code);
        let told = found[0]["reason"].as_str().unwrap();
        assert!(
            !told.is_empty() && reason.starts_with(&told[..30]),
            "{told}"
        );
        let count = found[0].get("count").and_then(Value::as_u64);
        assert_eq!(count, (code == "store.bad-lines").then_some(1));
        assert_eq!(losses(&whole), json!([]));
    }
}

/// Nobody can tell whether the writer of a last line is still at it, so that is what is said.
#[test]
fn a_last_line_without_an_end_is_told_softly() {
    let machine = Machine::new(State::Whole);
    let torn =
        claude("") + "{\"type\":\"user\",\"uuid\":\"u3\",\"parentUuid\":\"u2\",\"message\":{\"con";
    machine.write(&claude_log(), torn.as_bytes());
    let id = format!("claude:{CLAUDE}");
    let (context, receipt) = machine.hook("claude", &id);
    assert!(
        parts(&context).0.ends_with(&format!("{TORN}.")),
        "{context}"
    );
    assert!(receipt.contains(TORN), "{receipt}");
    assert!(machine.served(&id)[1].contains(TORN));
    let shown = run(machine.sref(&["show", &id]));
    assert!(shown.stderr.contains(TORN), "{}", shown.stderr);
    // A line that is whole but for its end is read, and nothing is missing.
    machine.write(&claude_log(), claude("").trim_end().as_bytes());
    let (context, receipt) = machine.hook("claude", &id);
    assert!(context.contains("\"two\"") && !receipt.contains("missing"));
}

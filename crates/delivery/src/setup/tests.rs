use std::panic;
use std::prelude::v1::*;

use proptest::prelude::*;

use super::*;

fn text(change: Change) -> String {
    match change {
        Change::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// A hook in a file of which the agent takes everything.
fn lenient(host: Host, event: Event, program: &str, strict: bool) -> Entry {
    let event = Event {
        grammar: Grammar::TrailingCommas,
        ..event
    };
    let command = command::hook(host, program, strict);
    Entry(Form::Json(JsonEntry::hook(
        host,
        event,
        program.into(),
        command,
    )))
}

/// Every JSON entry.
fn entries() -> Vec<Entry> {
    vec![
        lenient(Host::Claude, CLAUDE, "sref", false),
        lenient(Host::Gemini, GEMINI, "/opt/my tools/sref", true),
        Entry::server(Grammar::TrailingCommas, "sref", &["mcp", "--project", "."]),
    ]
}

/// In and out again, and twice is once.
fn check(entry: &Entry, before: &str) {
    let with = text(entry.insert(Some(before)).unwrap());
    assert_eq!(entry.insert(Some(&with)).unwrap(), Change::Same, "{with}");
    assert!(entry.found(&with).unwrap().is_some());
    let after = match entry.remove(&with).unwrap() {
        Change::Nothing => String::new(),
        other => text(other),
    };
    assert_eq!(after, before, "{with}");
    assert_eq!(entry.remove(&after).unwrap(), Change::Same, "{after}");
}

const FIXTURES: &[&str] = &[
    "",
    "\n",
    "\u{FEFF}",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\n  // nothing yet\n}\n",
    "\u{FEFF}{\"a\":1}",
    "{\"a\":1}",
    "{\"a\":1,}",
    "{\"a\": [1, 2], \"b\": {}}",
    "{ \"a\": 1, }",
    "{\r\n\t\"a\": 1\r\n}\r\n",
    "{\r\n\t\"a\": 1, // one\r\n}",
    "{\n  \"a\": 1 // one\n}",
    "{\n  \"a\": 1 /* one\n two */\n}",
    "{\n  \"a\": 1 /* one */ }",
    "{\n  \"a\": 1, /* one\n two */ // three\n\n  // four\n}\n\n// five",
    "{\n    \"a\": 1,\n\n    \"b\": 2   \n\n}\n",
    "{ \"a\": 1\n, \"b\": 2\n}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": { },\n  \"mcpServers\": {\n  }\n}\n",
    "{\n  \"hooks\": {\"UserPromptSubmit\": [], \"BeforeAgent\": [ /* none */ ]}\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  },\n  \"mcpServers\": {\"a\": {\"command\": \"a\"}}\n}",
    "{\"hooks\":{\"UserPromptSubmit\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"log\"}]}],\"BeforeAgent\":[{\"hooks\":[]}]}}",
    "{\n\t\"hooks\": {\n\t\t\"UserPromptSubmit\": [\n\t\t\t// the log\n\t\t\t{\"hooks\": [{\"command\": \"log\"}]}, // really\n\t\t],\n\t\t\"BeforeAgent\": [\n\t\t\t{\"hooks\": [{\"command\": \"log\"}]}]\n\t},\n}\n",
    "{\"hooks\":{\"UserPromptSubmit\":[]},\"hooks\":{\"UserPromptSubmit\":[1]}}",
];

#[test]
fn in_and_out_leaves_every_byte() {
    for entry in entries() {
        for before in FIXTURES {
            check(&entry, before);
        }
    }
}

/// Hook and server share the file of Gemini CLI; they go out in either order.
#[test]
fn two_entries_of_one_file() {
    let all = entries();
    for before in FIXTURES {
        let one = text(all[1].insert(Some(before)).unwrap());
        let two = text(all[2].insert(Some(&one)).unwrap());
        for order in [[1, 2], [2, 1]] {
            let less = text(all[order[0]].remove(&two).unwrap());
            let after = match all[order[1]].remove(&less).unwrap() {
                Change::Nothing => String::new(),
                other => text(other),
            };
            assert_eq!(after, *before, "{two}");
        }
    }
}

/// What came in between stays, and the entry goes as if nothing had.
#[test]
fn what_an_agent_has_written_since_stays() {
    let entry = Entry::hook(Host::Claude, "sref", false);
    for (before, more, after) in [
        (
            "{\n  \"a\": 1\n}\n",
            ",\n  \"b\": 2",
            "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
        ),
        ("{}", ", \"b\": 2", "{\"b\": 2 }"),
    ] {
        let with = text(entry.insert(Some(before)).unwrap());
        let end = with.rfind('}').unwrap();
        let end = with[..end].trim_end().len();
        let since = with[..end].to_owned() + more + &with[end..];
        assert_eq!(text(entry.remove(&since).unwrap()), after, "{since}");
    }
}

#[test]
fn what_is_written() {
    let entry = lenient(Host::Claude, CLAUDE, "sref", false);
    let pretty = r#"{
  "hooks": {
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "sref hook claude"
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(entry.snippet(), pretty);
    let group = r#"{"hooks": [{"type": "command", "command": "sref hook claude"}]}"#;
    for (before, with) in [
        (
            "{}",
            format!(r#"{{"hooks": {{"UserPromptSubmit": [{group}]}} }}"#),
        ),
        (
            r#"{"hooks": {"UserPromptSubmit": [1, 2]}}"#,
            format!(r#"{{"hooks": {{"UserPromptSubmit": [1, 2, {group}]}}}}"#),
        ),
        (
            "{\n\t\"a\": 1 // one\n}\n",
            "{\n\t\"a\": 1, // one".to_owned() + &pretty[1..].replace("  ", "\t"),
        ),
        (
            "{\r\n    \"a\": 1,\r\n}\r\n",
            "{\r\n    \"a\": 1,".to_owned()
                + &pretty[1..]
                    .replace("  ", "    ")
                    .replace('\n', "\r\n")
                    .replacen("\r\n}\r\n", ",\r\n}\r\n", usize::MAX),
        ),
    ] {
        assert_eq!(text(entry.insert(Some(before)).unwrap()), with);
    }
    // Behind the hooks that are there: Codex counts their places.
    let entry = Entry::hook(Host::Codex, "sref", false);
    let before = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"log"}]}]}}"#;
    let with = text(entry.insert(Some(before)).unwrap());
    assert!(
        with.contains(r#""log"}]},{"hooks":[{"type":"command","command":"sref hook codex"}]}]"#)
    );
}

#[test]
fn only_what_is_of_sref_goes() {
    let entry = lenient(Host::Claude, CLAUDE, "sref", false);
    let removed = |with: &str| text(entry.remove(with).unwrap());
    // Typed by hand, beside a hook of somebody else.
    assert_eq!(
        removed(
            r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"log"},{"command":"sref hook claude"}]}]}}"#
        ),
        r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"log"}]}]}}"#
    );
    // A group that would do nothing without it.
    assert_eq!(
        removed(
            "{\"a\":1,\"hooks\":{\"UserPromptSubmit\":[{\"matcher\":\"\",\"hooks\":[{\"command\":\"/bin/sref hook claude --strict\"}]},2]}}"
        ),
        r#"{"a":1,"hooks":{"UserPromptSubmit":[2]}}"#
    );
    // A comment of somebody keeps the container that it stands in.
    assert_eq!(
        removed(
            "{\"hooks\":{\"UserPromptSubmit\":[\n// mine\n{\"hooks\":[{\"command\":\"sref hook claude\"}]}]}}"
        ),
        "{\"hooks\":{\"UserPromptSubmit\":[\n// mine\n]}}"
    );
    let others = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"sref hook codex"}]}]}}"#;
    assert_eq!(entry.remove(others).unwrap(), Change::Same);
    // What follows a comment of one line does not come to stand in it.
    let with = "{\"hooks\":{\"UserPromptSubmit\":[ // x\n {\"hooks\":[{\"command\":\"sref hook claude\"}]}, 2]}}";
    assert!(removed(with).contains("// x\n 2]"), "{}", removed(with));
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let entry = Entry::hook(Host::Claude, "sref", false);
    for (bad, code) in [
        ("{", "setup.json"),
        ("hooks: {}", "setup.json"),
        ("[]", "setup.shape"),
        ("null", "setup.shape"),
        (r#"{"hooks":[]}"#, "setup.shape"),
        (r#"{"hooks":{"UserPromptSubmit":{}}}"#, "setup.shape"),
    ] {
        assert_eq!(entry.insert(Some(bad)).unwrap_err().code(), code, "{bad}");
        assert_eq!(entry.remove(bad).unwrap_err().code(), code, "{bad}");
    }
    let server = Entry::server(Grammar::Plain, "sref", &["mcp"]);
    let taken = server.insert(Some(r#"{"mcpServers":{"sref":{"command":"npx"}}}"#));
    assert_eq!(taken.unwrap_err().code(), "setup.taken");
}

/// An agent reads nothing of a file with more than it takes: an entry in it would do nothing.
#[test]
fn what_the_agent_cannot_read_is_refused_with_its_place() {
    const PLAIN: &str = "setup.plain-json";
    let hook = |host| Entry::hook(host, "sref", false);
    let server = |grammar| Entry::server(grammar, "sref", &["mcp"]);
    for (text, mark, comment, comma) in [
        ("", None, None, None),
        ("{\"a\": \"// ,]\"}\n", None, None, None),
        ("{} // x", None, Some(3), None),
        ("// nothing", None, Some(0), None),
        ("{\"a\":[1,]}", None, None, Some(7)),
        ("{\"a\":1, /* x */}", None, Some(9), Some(6)),
        ("\u{FEFF}{}", Some(0), None, None),
        ("\u{FEFF}{}//", Some(0), Some(5), None),
    ] {
        let first = |all: &[Option<usize>]| all.iter().flatten().min().copied();
        let plain = first(&[mark, comment, comma]).map(|at| (PLAIN, Some(at)));
        let with_mark = first(&[comment, comma]).map(|at| (PLAIN, Some(at)));
        let comments = first(&[mark, comma]).map(|at| ("setup.json-comments", Some(at)));
        for (entry, expected) in [
            (hook(Host::Codex), plain),
            (server(Grammar::Plain), plain),
            (hook(Host::Claude), with_mark),
            (server(Grammar::PlainWithMark), with_mark),
            (hook(Host::Gemini), comments),
            (server(Grammar::Comments), comments),
            (server(Grammar::TrailingCommas), None),
        ] {
            let error = entry.insert(Some(text)).err();
            let found = error.as_ref().map(|error| (error.code(), error.offset()));
            assert_eq!(found, expected, "{text:?} {entry:?}");
            // There is nothing to take out, and nothing in the way of that.
            assert_eq!(entry.remove(text).unwrap(), Change::Same, "{text:?}");
        }
    }
    // What went into such a file before comes out of it.
    let codex = hook(Host::Codex);
    let with = "{} // x".replace("{}", codex.snippet().trim());
    assert_eq!(codex.insert(Some(&with)).unwrap_err().code(), PLAIN);
    assert_eq!(text(codex.remove(&with).unwrap()), "{} // x");
}

#[test]
fn all_that_is_of_sref_goes_and_nothing_else() {
    let groups = |commands: &[&str]| {
        let group = |own: &&str| format!(r#"{{"hooks":[{{"type":"command","command":"{own}"}}]}}"#);
        let groups: Vec<String> = commands.iter().map(group).collect();
        format!(
            r#"{{"a":1,"hooks":{{"UserPromptSubmit":[{}]}}}}"#,
            groups.join(",")
        )
    };
    let entry = Entry::hook(Host::Claude, "/opt/wrap.sh", false);
    let own = [
        "sref  hook  claude",
        "log",
        "/opt/wrap.sh hook claude",
        "/bin/sref hook claude --strict",
    ];
    assert_eq!(text(entry.remove(&groups(&own)).unwrap()), groups(&["log"]));
    // In one group.
    let group = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"sref hook claude"},{"command":"log"},{"command":"sref hook claude --strict"}]}]}}"#;
    assert_eq!(
        text(entry.remove(group).unwrap()),
        r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"log"}]}]}}"#
    );
    let others = groups(&[
        "echo sref hook claude",
        "# sref hook claude",
        "true && sref hook claude",
        "rm -rf ~/.cache; sref hook claude",
    ]);
    assert_eq!(entry.remove(&others).unwrap(), Change::Same);
    // A program by another name is known to those who name it.
    let with = text(entry.insert(Some("{}")).unwrap());
    assert_eq!(entry.insert(Some(&with)).unwrap(), Change::Same);
    assert_eq!(text(entry.remove(&with).unwrap()), "{}");
    let usual = Entry::hook(Host::Claude, "sref", false);
    assert_eq!(usual.remove(&with).unwrap(), Change::Same);
    for (named, usual) in [
        (
            Entry::server(Grammar::Plain, "/opt/wrap.sh", &[]),
            Entry::server(Grammar::Plain, "sref", &[]),
        ),
        (
            Entry::codex_server("/opt/wrap.sh", &[]),
            Entry::codex_server("sref", &[]),
        ),
        (
            Entry::hook(Host::Cline, "/opt/wrap.sh", false),
            Entry::hook(Host::Cline, "sref", false),
        ),
    ] {
        let with = named.snippet();
        assert_eq!(named.insert(Some(&with)).unwrap(), Change::Same);
        assert_eq!(named.remove(&with).unwrap(), Change::Nothing);
        assert_eq!(usual.remove(&with).unwrap_err().code(), "setup.taken");
    }
}

/// JSON with comments, in any formatting.
fn jsonc() -> impl Strategy<Value = String> {
    let white = || {
        prop::sample::select(vec![
            "",
            "",
            " ",
            "\n",
            "\r\n",
            "\n  ",
            "\t",
            " // c\n",
            "/* c\n */",
            "\n\n    ",
        ])
    };
    let leaf = prop::sample::select(vec!["1", "\"a,}\"", "null", "{}", "[]", "[1,2]"]);
    let key = prop::sample::select(vec![
        "\"hooks\"",
        "\"a\"",
        "\"mcpServers\"",
        "\"UserPromptSubmit\"",
        "\"BeforeAgent\"",
        "\"b\"",
    ]);
    let value = leaf
        .prop_map(str::to_owned)
        .prop_recursive(4, 40, 4, move |inner| {
            let member = (white(), key.clone(), white(), inner, white(), any::<bool>());
            (prop::collection::vec(member, 0..4), white(), any::<bool>()).prop_map(
                |(members, end, trailing)| {
                    let mut out = "{".to_owned();
                    let count = members.len();
                    for (at, (before, key, colon, mut value, after, array)) in
                        members.into_iter().enumerate()
                    {
                        if key.contains("Submit") || key.contains("Agent") {
                            value = if array {
                                format!("[{value}]")
                            } else {
                                "[]".into()
                            };
                        } else if !array && !key.contains("\"a") {
                            value = "{}".into();
                        }
                        let comma = if at + 1 < count || trailing { "," } else { "" };
                        out += &[before, key, colon, ":", &value, after, comma].concat();
                    }
                    out + end + "}"
                },
            )
        });
    (white(), value, white()).prop_map(|(before, value, after)| before.to_owned() + &value + after)
}

proptest! {
    #[test]
    fn any_text_comes_back(before in jsonc()) {
        for entry in entries() {
            if let Ok(Change::Text(_)) = entry.insert(Some(&before)) {
                check(&entry, &before);
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]{},:\"/* \n\\\\ahooksé\u{FEFF}]{0,40}") {
        for entry in entries() {
            let _ = entry.insert(Some(&text));
            let _ = entry.remove(&text);
        }
    }
}

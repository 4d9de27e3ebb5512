//! The sessions that the documents show print what the documents say.
//!
//! A runner of our own: the usual one turns backslashes into slashes before it compares, and the
//! program prints JSON.

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Both sides of the README have the same blocks, which `cargo xtask i18n` checks; so one is enough.
#[test]
fn the_readme_shows_what_the_program_does() {
    assert_eq!(run_sessions("README.md"), 3);
}

/// As a new user would: each command that installs, in an empty home, and what a prompt gives then.
#[cfg(unix)]
#[test]
fn what_the_readme_installs_works_and_goes_again() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("README.md")).expect("a document");
    let commands = text.lines().filter(|line| line.starts_with("sref setup "));
    let mut hosts = Vec::new();
    for command in commands {
        let host = command.split(' ').nth(2).expect("a host");
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        let said = run_in(command, home, home);
        assert!(said.contains("server: written to"), "{command}: {said}");
        let state = run_in(&format!("sref setup {host} --json"), home, home);
        let state: serde_json::Value = serde_json::from_str(&state).expect("JSON");
        let parts = state.as_array().expect("parts");
        assert!(parts.iter().all(|own| own["state"] == "present"), "{state}");
        if let Some(part) = parts.iter().find(|own| own["part"] == "hook") {
            let line = hook_line(part["path"].as_str().expect("a path"));
            let store = Path::new(ROOT).join("examples/sample-store");
            let event = r#"{"session_id":"a","prompt":"as in @sref:3f9c","userPromptSubmit":{"prompt":"as in @sref:3f9c"}}"#;
            let prompt = format!("echo '{event}' | DSH_HOME='{}' {line}", store.display());
            let answer = run_in(&prompt, home, home);
            assert!(answer.contains("<referenced-sessions>"), "{host}: {answer}");
            assert!(answer.contains("sref: attached "), "{host}: {answer}");
        }
        let server = parts.iter().find(|own| own["part"] == "server");
        let line = server_line(
            server.expect("a server")["path"].as_str().expect("a path"),
            home,
        );
        let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
        let answer = run_in(&format!("echo '{hello}' | {line}"), home, home);
        assert!(
            answer.contains("\"protocolVersion\":\"2025-06-18\""),
            "{host}: {answer}"
        );
        run_in(&format!("sref setup {host} --remove"), home, home);
        assert_eq!(run_in("find . -type f", home, home), "", "{command}");
        hosts.push(host);
    }
    assert_eq!(hosts, ["claude", "codex", "gemini", "cline", "mcp-json"]);
}

/// What an agent gives to a shell: the command in its file, or the file.
fn hook_line(path: &str) -> String {
    let text = std::fs::read_to_string(path).expect("a file");
    let Ok(settings) = serde_json::from_str::<serde_json::Value>(&text) else {
        return format!("'{path}'");
    };
    let events = settings["hooks"].as_object().expect("events");
    let (_, groups) = events.iter().next().expect("an event");
    groups[0]["hooks"][0]["command"]
        .as_str()
        .expect("a command")
        .to_owned()
}

/// What an agent starts: the program and the arguments in its file.
fn server_line(path: &str, directory: &Path) -> String {
    let text = std::fs::read_to_string(directory.join(path)).expect("a file");
    let file = serde_json::from_str::<serde_json::Value>(&text);
    let (program, args) = if let Ok(file) = file {
        let server = &file["mcpServers"]["sref"];
        (server["command"].clone(), server["args"].clone())
    } else {
        // These two values are spelled in TOML as in JSON.
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            serde_json::from_str(line.expect("a line")).expect("a value")
        };
        (value("command = "), value("args = "))
    };
    let args: Vec<String> = serde_json::from_value(args).expect("arguments");
    format!(
        "{} {}",
        program.as_str().expect("a program"),
        args.join(" ")
    )
}

/// Runs the `console` blocks of a document and tells how many commands they hold.
fn run_sessions(document: &str) -> usize {
    let text = std::fs::read_to_string(Path::new(ROOT).join(document)).expect("a document");
    let mut commands = 0;
    for block in text.split("\n```console\n").skip(1) {
        let (block, _) = block.split_once("\n```").expect("the end of a block");
        for session in format!("\n{block}").split("\n$ ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
            let printed = run(command);
            let same = matches(expected.trim_end(), printed.trim_end());
            assert!(
                same,
                "{document}: {command}\n--- expected\n{expected}\n--- printed\n{printed}"
            );
            commands += 1;
        }
    }
    commands
}

/// What a shell in the root of the repository shows for a command: the answer, then the remarks.
fn run(command: &str) -> String {
    // The home of the person in the examples, who has nothing installed.
    run_in(command, Path::new(ROOT), Path::new("/home/mei"))
}

fn run_in(command: &str, directory: &Path, home: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_sref"));
    let programs = program.parent().expect("a directory");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    for moved in [
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "CLINE_DIR",
    ] {
        shell.env_remove(moved);
    }
    let output = shell
        .args(["-c", command])
        .current_dir(directory)
        .env("HOME", home)
        .env("PATH", std::env::join_paths(paths).expect("paths"))
        .output()
        .expect("a shell");
    let part = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    part(output.stdout) + &part(output.stderr)
}

/// Whether a text is as expected, where `[..]` stands for any part of a line.
fn matches(expected: &str, printed: &str) -> bool {
    let (mut expected, mut printed) = (expected.lines(), printed.lines());
    loop {
        match (expected.next(), printed.next()) {
            (None, None) => return true,
            (Some(expected), Some(printed)) if line_matches(expected, printed) => {}
            _ => return false,
        }
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    // An age depends on the day.
    let expected = &expected.replace("  3d ago  ", "  [..]  ");
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        match parts.peek() {
            None => return rest.ends_with(part),
            Some(_) => match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            },
        }
    }
    true
}

#[test]
fn a_placeholder_stands_for_a_part_of_one_line() {
    assert!(matches("a [..] b\nc", "a x y b\nc"));
    assert!(matches("x[..]", "x"));
    for (expected, printed) in [
        ("a [..] b", "a b"),
        ("a", "b"),
        ("a\nb", "a"),
        ("[..]", "a\nb"),
    ] {
        assert!(!matches(expected, printed), "{expected:?} {printed:?}");
    }
}

//! `sref setup`: what an agent's files hold before, between and after.

use super::*;

/// An empty home, and the program in it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = sref(args);
        command
            .env("HOME", self.0.path())
            .current_dir(self.0.path());
        command
    }

    fn setup(&self, args: &[&str]) -> Answer {
        let mut all = vec!["setup"];
        all.extend(args);
        all.extend(["--program", "sref"]);
        let answer = run(self.command(&all));
        assert_eq!(answer.status, 0, "{}", answer.stderr);
        answer
    }

    /// Every file below, with its text.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![self.0.path().to_owned()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.0.path()).unwrap();
                files.insert(
                    name.to_str().unwrap().to_owned(),
                    fs::read_to_string(&path).unwrap(),
                );
            }
        }
        files
    }
}

/// Each host, and its files.
const HOSTS: &[(&str, &[&str])] = &[
    ("claude", &[".claude/settings.json", ".claude.json"]),
    ("mcp-json", &[".mcp.json"]),
];

#[test]
fn written_and_removed_leaves_nothing_behind() {
    for (host, names) in HOSTS {
        let home = Home::new();
        let shown = home.setup(&[host]).stdout;
        assert_eq!(home.files(), BTreeMap::new(), "showing writes nothing");
        home.setup(&[host, "--write"]);
        let written = home.files();
        assert_eq!(
            written.keys().map(String::as_str).collect::<Vec<_>>(),
            sorted(names)
        );
        for text in written.values() {
            assert!(
                text.trim().is_empty() || shown.contains(text.trim()),
                "{text} {shown}"
            );
        }
        home.setup(&[host, "--write"]);
        assert_eq!(home.files(), written, "twice is once");
        home.setup(&[host, "--remove"]);
        assert_eq!(home.files(), BTreeMap::new());
        home.setup(&[host, "--remove"]);
        assert_eq!(home.files(), BTreeMap::new());
    }
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

#[test]
fn what_was_there_is_there_again() {
    for (host, names) in HOSTS {
        for text in [
            "{}",
            "",
            "{\r\n\t\"theme\": \"dark\", // mine\r\n\t\"hooks\": {\"Stop\": []},\r\n}",
            "\u{FEFF}{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}\n",
            "{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"log\"}]}\n    ]\n  }\n}\n",
        ] {
            let home = Home::new();
            for name in *names {
                home.write(name, text);
            }
            let before = home.files();
            home.setup(&[host, "--write"]);
            for name in *names {
                assert!(home.read(name).contains("sref"), "{host} {name}");
                assert_eq!(home.read(&format!("{name}.sref-backup")), text);
            }
            home.setup(&[host, "--remove"]);
            assert_eq!(home.files(), before, "{host}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let home = Home::new();
    home.write(".claude.json", "{\"mcpServers\": {");
    let message = fails(
        || home.command(&["setup", "claude", "--write"]),
        "setup.json",
    );
    assert!(message.contains(".claude.json"), "{message}");
    // Not even the file that could be.
    assert_eq!(home.files().len(), 1);
    let wrong = run(home.command(&["setup", "claude", "--write", "--remove"]));
    assert_eq!(wrong.status, 2);
}

#[test]
fn the_program_is_named_so_that_a_shell_finds_it() {
    let home = Home::new();
    let shown = |command: Command| {
        let answer = run(command);
        assert_eq!(answer.status, 0, "{}", answer.stderr);
        (answer.stdout, answer.stderr)
    };
    let own = env!("CARGO_BIN_EXE_sref");
    let (stdout, stderr) = shown(home.command(&["setup", "claude"]));
    assert!(stdout.contains(&format!("{own} hook claude")), "{stdout}");
    assert!(stderr.contains("not on your path"), "{stderr}");
    let mut command = home.command(&["setup", "claude"]);
    command.env("PATH", Path::new(own).parent().unwrap());
    let (stdout, stderr) = shown(command);
    assert!(
        stdout.contains("\"command\": \"sref hook claude\""),
        "{stdout}"
    );
    assert!(!stderr.contains("path"), "{stderr}");
    let odd = [
        "setup",
        "claude",
        "--strict",
        "--all",
        "--program",
        "/my tools/sref",
    ];
    let (stdout, _) = shown(home.command(&odd));
    assert!(
        stdout.contains(r#""command": "'/my tools/sref' hook claude --strict""#),
        "{stdout}"
    );
    assert!(
        stdout.contains(r#""command": "/my tools/sref""#),
        "{stdout}"
    );
    assert!(stdout.contains(r#"["mcp", "--all"]"#), "{stdout}");
}

#[test]
fn a_program_is_told_each_state() {
    let home = Home::new();
    let states = |args: &[&str]| {
        let answer = home.setup(&[&["claude", "--json"], args].concat()).json();
        let parts = answer.as_array().unwrap();
        parts
            .iter()
            .map(|own| {
                format!(
                    "{} {}",
                    own["part"].as_str().unwrap(),
                    own["state"].as_str().unwrap()
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&[]), ["hook absent", "server absent"]);
    assert_eq!(states(&["--write", "--only", "hook"]), ["hook written"]);
    assert_eq!(states(&[]), ["hook present", "server absent"]);
    assert_eq!(states(&["--write"]), ["hook present", "server written"]);
    assert_eq!(states(&["--remove"]), ["hook removed", "server removed"]);
    assert_eq!(states(&["--remove"]), ["hook absent", "server absent"]);
}

/// What an agent does with the line that was written.
#[cfg(unix)]
#[test]
fn the_hook_that_was_written_answers_a_prompt() {
    let home = Home::new();
    let mut command = home.command(&["setup", "claude", "--write"]);
    command.stdin(Stdio::null());
    assert_eq!(run(command).status, 0);
    let settings: Value = serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
    let line = &settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"];
    let mut shell = Command::new("sh");
    let line = format!(
        "{} --store dsh={}",
        line.as_str().unwrap(),
        sample().display()
    );
    shell.args(["-c", &line]).env("HOME", home.0.path());
    let event = br#"{"session_id":"5f0c","hook_event_name":"UserPromptSubmit","prompt":"as in @sref:3f9c"}"#;
    let answer = feed(shell, event).json();
    let context = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(context.contains("<referenced-sessions>"), "{context}");
    let receipt = answer["systemMessage"].as_str().unwrap();
    assert!(receipt.starts_with("sref: attached \""), "{receipt}");
}

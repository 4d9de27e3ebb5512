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
    ("codex", &[".codex/hooks.json", ".codex/config.toml"]),
    ("gemini", &[".gemini/settings.json"]),
    (
        "cline",
        &[
            "Documents/Cline/Hooks/UserPromptSubmit",
            ".cline/data/settings/cline_mcp_settings.json",
        ],
    ),
    ("mcp-json", &[".mcp.json"]),
];

/// Texts that a file may have held before, by its name.
fn before(name: &str) -> &'static [&'static str] {
    match name.rsplit(['/', '.']).next() {
        Some("toml") => &[
            "",
            "# mine\r\nmodel = \"x\" # two\r\n\r\n[mcp_servers.a]\r\ncommand = \"a\"",
            "[projects.\"/p\"]\n  trust_level = 'trusted'\n\n\n",
        ],
        // A script of somebody is no place for another.
        Some("UserPromptSubmit") => &["", "\n", ""],
        _ if name.ends_with("hooks.json") => &[
            "{}",
            "{\"hooks\":{\"UserPromptSubmit\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"log\"}]}]}}",
            "{\r\n\t\"hooks\": {\"Stop\": []}\r\n}",
        ],
        _ => &[
            "",
            "{\r\n\t\"theme\": \"dark\", // mine\r\n\t\"hooks\": {\"Stop\": []},\r\n}",
            "\u{FEFF}{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}\n",
        ],
    }
}

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
        for at in 0..3 {
            let home = Home::new();
            for name in *names {
                home.write(name, before(name)[at]);
            }
            let before = home.files();
            home.setup(&[host, "--write"]);
            for name in *names {
                assert!(home.read(name).contains("sref"), "{host} {name}");
                assert_eq!(home.read(&format!("{name}.sref-backup")), before[*name]);
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

/// What an agent does with the line that was written: it gives it to a shell.
#[cfg(unix)]
#[test]
fn the_hook_that_was_written_answers_a_prompt() {
    for (host, file, event) in [
        ("claude", ".claude/settings.json", "UserPromptSubmit"),
        ("codex", ".codex/hooks.json", "UserPromptSubmit"),
        ("gemini", ".gemini/settings.json", "BeforeAgent"),
        ("cline", "", "UserPromptSubmit"),
    ] {
        let home = Home::new();
        assert_eq!(run(home.command(&["setup", host, "--write"])).status, 0);
        let line = if file.is_empty() {
            format!(
                "'{}'",
                home.path("Documents/Cline/Hooks/UserPromptSubmit")
                    .display()
            )
        } else {
            let settings: Value = serde_json::from_str(&home.read(file)).unwrap();
            let hook = &settings["hooks"][event][0]["hooks"][0];
            assert_eq!(hook["type"], "command");
            hook["command"].as_str().unwrap().to_owned()
        };
        let mut shell = Command::new("sh");
        let store = format!("DSH_HOME={}", sample().parent().unwrap().display());
        shell
            .args(["-c", &format!("{store} {line}")])
            .env("HOME", home.0.path());
        let (id, prompt) = ("5f0c", "as in @sref:3f9c");
        let input = match host {
            "cline" => serde_json::json!({
                "taskId": id, "hookName": event, "userPromptSubmit": {"prompt": prompt},
            }),
            _ => serde_json::json!({
                "session_id": id, "hook_event_name": event, "prompt": prompt,
            }),
        };
        let answer = feed(shell, input.to_string().as_bytes());
        assert_eq!(answer.status, 0, "{host} {}", answer.stderr);
        assert!(
            answer.stdout.contains("<referenced-sessions>"),
            "{host} {}",
            answer.stdout
        );
        let said = answer.stdout + &answer.stderr;
        assert!(said.contains("sref: attached "), "{host} {said}");
    }
}

#[test]
fn codex_is_told_how_to_trust() {
    let home = Home::new();
    let first = home.setup(&["codex", "--write"]);
    assert!(first.stderr.contains("/hooks"), "{}", first.stderr);
    let second = home.setup(&["codex", "--write"]);
    assert_eq!(
        second.stderr, "",
        "a hook that is there is as trusted as before"
    );
    // Alone in the file it shifts no other.
    let gone = home.setup(&["codex", "--remove"]);
    assert_eq!(gone.stderr, "");
    home.write(".codex/hooks.json", "{\"hooks\":{\"Stop\":[]}}");
    home.setup(&["codex", "--write"]);
    let gone = home.setup(&["codex", "--remove"]);
    assert!(gone.stderr.contains("by its place"), "{}", gone.stderr);
    home.setup(&["codex", "--write"]);
    // The line is that of every version.
    assert!(
        home.read(".codex/hooks.json")
            .contains("\"sref hook codex\"")
    );
}

#[test]
fn the_doctor_knows_whether_codex_trusts() {
    let home = Home::new();
    let look = || run(home.command(&["doctor"]));
    assert!(!look().stdout.contains("setup."));
    home.setup(&["codex", "--write"]);
    let key = home.path(".codex/hooks.json");
    let key = format!("[hooks.state.\"{}:user_prompt_submit:0:0\"]", key.display());
    // The hash that Codex keeps for this line.
    let hash = "sha256:cabf62ab620bb80ec44c2f4da283330a302beddc52dc2364ccfeaeb676b11bb6";
    let trusted = format!("{key}\ntrusted_hash = \"{hash}\"\n");
    for (config, code) in [
        (String::new(), "setup.untrusted"),
        (trusted.replace("cabf", "abcf"), "setup.trust-changed"),
        (trusted.clone() + "enabled = false\n", "setup.disabled"),
    ] {
        home.write(".codex/config.toml", &config);
        let answer = look();
        assert!(answer.stdout.starts_with(code), "{}", answer.stdout);
        let json = run(home.command(&["doctor", "--json"])).json();
        assert_eq!(keys(&json[0]), ["kind", "root", "code", "path", "detail"]);
        assert_eq!(
            (&json[0]["kind"], &json[0]["code"]),
            (&"codex".into(), &code.into())
        );
    }
    home.write(".codex/config.toml", &trusted);
    let answer = look();
    assert_eq!(answer.stdout, "");
    assert!(
        answer.stderr.contains("Codex trusts the hook"),
        "{}",
        answer.stderr
    );
    // A store that is named is all that is looked at.
    home.write(".codex/config.toml", "");
    let store = format!("dsh={}", sample().display());
    let answer = run(home.command(&["doctor", "--store", &store]));
    assert!(!answer.stdout.contains("setup."), "{}", answer.stdout);
}

#[test]
fn homes_are_where_their_variables_say() {
    for (host, variable, names) in [
        (
            "claude",
            "CLAUDE_CONFIG_DIR",
            ["m/.claude.json", "m/settings.json"],
        ),
        ("codex", "CODEX_HOME", ["m/config.toml", "m/hooks.json"]),
        (
            "cline",
            "CLINE_DIR",
            [
                "Documents/Cline/Hooks/UserPromptSubmit",
                "m/data/settings/cline_mcp_settings.json",
            ],
        ),
    ] {
        let home = Home::new();
        let mut command = home.command(&["setup", host, "--write", "--program", "sref"]);
        command.env(variable, home.path("m"));
        assert_eq!(run(command).status, 0);
        assert_eq!(home.files().keys().collect::<Vec<_>>(), names);
    }
}

/// What is there is never changed, so that options given later are not taken up: that is said.
#[test]
fn options_that_come_too_late_are_named() {
    let home = Home::new();
    home.setup(&["claude", "--write"]);
    let before = home.files();
    let late = "note: what was there keeps the options that it has; `--remove` it first to write others.\n";
    let again = home.setup(&["claude", "--write", "--strict"]);
    assert!(again.stderr.contains(late), "{}", again.stderr);
    assert_eq!(home.files(), before);
    let same = home.setup(&["claude", "--write"]);
    assert!(!same.stderr.contains(late), "{}", same.stderr);
}

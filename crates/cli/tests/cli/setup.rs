//! `sref setup`: what an agent's files hold before, between and after.

use super::home::Home;
use super::*;

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
        let files = home.files();
        let files = files.keys().filter(|name| !name.ends_with("/.sref-made"));
        assert_eq!(files.collect::<Vec<_>>(), names);
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

/// An entry in a file that the agent cannot read would do nothing, and nobody would know.
#[test]
fn what_the_agent_would_not_read_is_not_written() {
    for (host, name, text, code, place) in [
        (
            "claude",
            ".claude/settings.json",
            "{\n  // mine\n}",
            "setup.plain-json",
            ":2:3: ",
        ),
        (
            "claude",
            ".claude.json",
            "{\"a\": [],}",
            "setup.plain-json",
            ":1:9: ",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "// nothing",
            "setup.plain-json",
            ":1:1: ",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            "{\"a\": 1, // x\n}",
            "setup.json-comments",
            ":1:8: ",
        ),
        (
            "cline",
            ".cline/data/settings/cline_mcp_settings.json",
            "{} // x",
            "setup.plain-json",
            ":1:4: ",
        ),
        (
            "mcp-json",
            ".mcp.json",
            "{} /**/",
            "setup.plain-json",
            ":1:4: ",
        ),
    ] {
        let home = Home::new();
        home.write(name, text);
        let before = home.tree();
        let message = fails(|| home.command(&["setup", host, "--write"]), code);
        assert!(message.contains(&format!("{name}{place}")), "{message}");
        assert_eq!(home.tree(), before, "{host}");
        home.setup(&[host, "--remove"]);
        assert_eq!(home.tree(), before, "{host}");
    }
    let home = Home::new();
    home.write(".gemini/settings.json", "{\n  // mine\n}");
    home.setup(&["gemini", "--write"]);
    assert!(home.read(".gemini/settings.json").contains("// mine"));
}

/// Where the fault is, and what to do.
#[test]
fn what_cannot_be_changed_is_named_with_its_place() {
    let home = Home::new();
    let fault = |code| fails(|| home.command(&["setup", "codex", "--write"]), code);
    fs::create_dir_all(home.path(".codex")).unwrap();
    fs::write(home.path(".codex/config.toml"), b"a = 1\nb = \"\xff\"\n").unwrap();
    let message = fault("setup.utf8");
    assert!(
        message.contains("config.toml:2:6: not UTF-8; save it as UTF-8"),
        "{message}"
    );
    home.write(
        ".codex/config.toml",
        "a = 1\n  mcp_servers = { a = { command = \"a\" } }\n",
    );
    let message = fault("setup.shape");
    assert!(
        message.contains("config.toml:2:17: `mcp_servers` is not a table"),
        "{message}"
    );
    assert!(
        message.contains("`[mcp_servers.NAME]`, and run this again"),
        "{message}"
    );
    home.write(
        ".codex/config.toml",
        "mcp_servers = { sref = { command = \"sref\" } }\n",
    );
    let taken = fails(
        || home.command(&["setup", "codex", "--remove"]),
        "setup.shape",
    );
    assert!(
        taken.contains("config.toml:1:15:") && taken.contains("by hand"),
        "{taken}"
    );
    home.write(".codex/config.toml", "a = 1\n= 2\n");
    assert!(fault("setup.toml").contains("config.toml:2:1: not TOML"));
    home.write(".codex/config.toml", "");
    home.write(".codex/hooks.json", "{\n  \"hooks\": []\n}");
    assert!(fault("setup.shape").contains("hooks.json:2:12: `hooks` is not an object"));
}

#[test]
fn a_project_that_is_not_there_is_told() {
    let home = Home::new();
    let said = |project: &str| home.setup(&["claude", "--project", project]).stderr;
    assert!(said("nonexist").contains("there is no directory nonexist"));
    for fine in [".", "${CLAUDE_PROJECT_DIR}"] {
        assert!(!said(fine).contains("there is no directory"), "{fine}");
    }
}

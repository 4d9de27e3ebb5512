//! `sref setup --write` and `--remove`: everything is as it was before.

use super::home::Home;
use super::*;

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
        _ if name.starts_with(".claude") => &[
            "",
            "\u{FEFF}{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}\n",
            "{\n  \"hooks\": {\n  }\n}",
        ],
        _ if !name.starts_with(".gemini") => &[
            "",
            "{\r\n\t\"theme\": \"dark\",\r\n\t\"hooks\": {\"Stop\": []}\r\n}",
            "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}\n",
        ],
        _ => &[
            "",
            "{\r\n\t\"theme\": \"dark\", // mine\r\n\t\"hooks\": {\"Stop\": []}\r\n}",
            "{ /* a */ \"mcpServers\":{\"a\":{\"command\":\"a\"}}}\n",
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
        let without_lists = || {
            written
                .iter()
                .filter(|(name, _)| !name.ends_with("/.sref-made"))
        };
        assert_eq!(
            without_lists()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
            sorted(names)
        );
        for (_, text) in without_lists() {
            assert!(
                text.trim().is_empty() || shown.contains(text.trim()),
                "{text} {shown}"
            );
        }
        home.setup(&[host, "--write"]);
        assert_eq!(home.files(), written, "twice is once");
        home.setup(&[host, "--remove"]);
        assert_eq!(home.tree(), BTreeMap::new());
        home.setup(&[host, "--remove"]);
        assert_eq!(home.tree(), BTreeMap::new());
        // Also part by part, in either order.
        for [first, second] in [["hook", "server"], ["server", "hook"]] {
            for part in [first, second] {
                home.setup(&[host, "--write", "--only", part]);
            }
            for part in [first, second] {
                home.setup(&[host, "--remove", "--only", part]);
            }
            assert_eq!(home.tree(), BTreeMap::new(), "{host} {first}");
        }
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
            // Somebody's own, whatever they are called.
            for name in *names {
                let text = home.read(name);
                home.write(&format!("{name}.sref-backup"), &text);
                home.write(&format!("{name}.sref-backup-0123456789ab"), &text);
            }
            let (before, tree) = (home.files(), home.tree());
            home.setup(&[host, "--write"]);
            for name in *names {
                assert!(home.read(name).contains("sref"), "{host} {name}");
                assert_eq!(home.read(&format!("{name}.sref-backup")), before[*name]);
            }
            home.setup(&[host, "--remove"]);
            assert_eq!(home.tree(), tree, "{host}");
            for name in *names {
                fs::remove_file(home.path(&format!("{name}.sref-backup-0123456789ab"))).unwrap();
                home.setup(&[host, "--write"]);
                assert_eq!(home.backup(name), before[*name]);
                home.setup(&[host, "--remove"]);
            }
        }
    }
}

/// A directory that was there and empty is there and empty.
#[test]
fn empty_directories_stay() {
    for (host, names) in HOSTS {
        let home = Home::new();
        for name in *names {
            fs::create_dir_all(home.path(name).parent().unwrap()).unwrap();
        }
        let before = home.tree();
        home.setup(&[host, "--write"]);
        assert!(
            !home.files().keys().any(|name| name.ends_with(".sref-made")),
            "{host}"
        );
        home.setup(&[host, "--remove"]);
        assert_eq!(home.tree(), before, "{host}");
    }
}

/// A file that an agent went on writing stays, and nothing of sref is left beside it.
#[test]
fn a_file_that_became_another_s_stays() {
    let home = Home::new();
    home.setup(&["codex", "--write"]);
    let config = home.read(".codex/config.toml");
    home.write(".codex/config.toml", &(config + "\n[hooks.state]\n"));
    home.setup(&["codex", "--remove"]);
    let files = home.files();
    assert_eq!(files[".codex/config.toml"], "\n[hooks.state]\n");
    assert!(!files.contains_key(".codex/.sref-made"), "{files:?}");
    assert!(!files.contains_key(".codex/hooks.json"), "{files:?}");
}

/// The text from before is in the file, whatever the agent made of it: nothing is to be kept of it.
#[test]
fn a_file_that_the_agent_laid_out_anew_leaves_no_backup() {
    let home = Home::new();
    home.write(".claude.json", "{\"a\": 1}\n");
    home.setup(&["claude", "--write"]);
    let written: Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    home.write(".claude.json", &serde_json::to_string(&written).unwrap());
    let gone = home.setup(&["claude", "--remove", "--json"]).json();
    assert_eq!(gone[1]["state"], "removed");
    assert_eq!(gone[1].get("backup"), None);
    let files = home.files();
    assert_eq!(files.keys().collect::<Vec<_>>(), [".claude.json"]);
    assert_eq!(files[".claude.json"], "{\"a\":1}");
}

/// Files that lie in a directory of dotfiles are written there.
#[cfg(unix)]
#[test]
fn links_lead_where_they_led() {
    use std::os::unix::fs::symlink;

    for (host, names) in HOSTS {
        for text in 0..2 {
            let home = Home::new();
            for (at, name) in names.iter().enumerate() {
                home.write(&format!("dotfiles/{at}"), before(name)[text]);
                fs::create_dir_all(home.path(name).parent().unwrap()).unwrap();
                symlink(home.path(&format!("dotfiles/{at}")), home.path(name)).unwrap();
            }
            let tree = home.tree();
            home.setup(&[host, "--write"]);
            for (at, name) in names.iter().enumerate() {
                assert!(home.path(name).is_symlink(), "{host} {name}");
                assert!(home.read(&format!("dotfiles/{at}")).contains("sref"));
            }
            home.setup(&[host, "--remove"]);
            assert_eq!(home.tree(), tree, "{host}");
        }
    }
}

/// Somebody made it read-only, and root would not be kept from it.
#[cfg(unix)]
#[test]
fn what_is_read_only_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    home.write(".claude.json", "{}");
    let path = home.path(".claude.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let before = home.tree();
    // It is shown, and what is not to be changed needs no leave.
    home.setup(&["claude"]);
    home.setup(&["claude", "--remove"]);
    let message = fails(
        || home.command(&["setup", "claude", "--write"]),
        "setup.read-only",
    );
    assert!(
        message.contains(".claude.json") && message.contains("chmod u+w"),
        "{message}"
    );
    // Not even the file that could be changed was.
    assert_eq!(home.tree(), before);
}

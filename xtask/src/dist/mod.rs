//! `cargo xtask dist`: what is made for others to install.
//!
//! A plugin of Claude Code, in a folder that is a marketplace of its own. The hook and the server in
//! it are what `sref setup claude` says, so that the two cannot differ.

mod schema;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sref_session::json::{self, Object, Value};

use crate::codegen::cli::program;
use crate::manifest;
use crate::metadata::{stdout, text};
use crate::report::{Outcome, Place, Problem};
use crate::tree::Tree;

pub(crate) const REPAIR: &str = "see xtask/src/dist";

const SKILL: &str = include_str!("SKILL.md");
const SUMMARY: &str =
    "Cite other sessions of coding agents in a prompt, and let the model read them";

/// A file of the plugin: its path, its schema, its text.
type Made = (&'static str, &'static str, String);

/// `cargo xtask dist`
pub(crate) fn write(root: &Path, tree: &Tree) -> Outcome {
    made(root, tree)
        .and_then(|files| {
            check(&files)?;
            let directory = directory(root);
            put(&directory, &files)?;
            Ok(format!(
                "{} holds a plugin of Claude Code",
                directory.display()
            ))
        })
        .map_err(|error| vec![Problem::at(Place::file("xtask/src/dist"), error)])
}

fn directory(root: &Path) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("dist/claude")
}

fn made(root: &Path, tree: &Tree) -> Result<Vec<Made>, String> {
    let mut command = Command::new(program(root)?);
    // Claude Code puts the directory of the session in the place of the variable.
    command
        .args(["setup", "claude", "--json", "--program", "sref"])
        .args(["--project", "${CLAUDE_PROJECT_DIR}"])
        // What is installed on this machine says nothing.
        .env("HOME", directory(root))
        .env_remove("CLAUDE_CONFIG_DIR");
    let said = stdout(command)?;
    let parts = json::parse(said.as_bytes()).map_err(|error| error.to_string())?;
    let part = |name: &str| {
        let parts = parts.as_array().unwrap_or_default();
        let found = parts.iter().find(|own| text(own, "part") == name);
        let snippet = found.map(|own| text(own, "snippet").to_owned());
        snippet.ok_or_else(|| format!("`sref setup claude` says nothing of a {name}"))
    };
    let manifest = tree.text("Cargo.toml").unwrap_or_default();
    let version = manifest::version(manifest).ok_or("Cargo.toml names no version")?;
    Ok(files(version, part("hook")?, part("server")?))
}

fn files(version: &str, hooks: String, server: String) -> Vec<Made> {
    let plugin = Object::new()
        .with("name", "sref")
        .with("version", version)
        .with("description", SUMMARY)
        .with("author", Object::new().with("name", "sref"))
        .with("license", "MIT");
    let entry = Object::new()
        .with("name", "sref")
        .with("source", "./sref")
        .with("description", SUMMARY);
    let marketplace = Object::new()
        .with("name", "sref")
        .with("owner", Object::new().with("name", "sref"))
        .with(
            "metadata",
            Object::new().with("description", "Session references for coding agents"),
        )
        .with("plugins", vec![Value::from(entry)]);
    let line = |object: Object| Value::from(object).to_json() + "\n";
    vec![
        (
            ".claude-plugin/marketplace.json",
            include_str!("schemas/marketplace.json"),
            line(marketplace),
        ),
        (
            "sref/.claude-plugin/plugin.json",
            include_str!("schemas/plugin.json"),
            line(plugin),
        ),
        (
            "sref/hooks/hooks.json",
            include_str!("schemas/hooks.json"),
            hooks,
        ),
        ("sref/.mcp.json", include_str!("schemas/mcp.json"), server),
        ("sref/skills/sref/SKILL.md", "", SKILL.to_owned()),
    ]
}

fn check(files: &[Made]) -> Result<(), String> {
    for (path, schema, text) in files {
        if schema.is_empty() {
            check_skill(text).map_err(|error| format!("{path}: {error}"))?;
            continue;
        }
        let parse = |text: &str| json::parse(text.as_bytes()).map_err(|error| error.to_string());
        let (schema, value) = (parse(schema)?, parse(text)?);
        schema::check(&schema, &value, path)?;
    }
    Ok(())
}

/// A skill has a name and says in 1,024 characters when it is of use (`docs/skills.md`).
fn check_skill(text: &str) -> Result<(), String> {
    let head = text
        .strip_prefix("---\n")
        .and_then(|text| text.split_once("\n---\n"));
    let (head, _) = head.ok_or("no head")?;
    let member = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let name = member("name: ").unwrap_or_default();
    let description = member("description: ").unwrap_or_default();
    if name != "sref" || description.is_empty() || description.chars().count() > 1_024 {
        return Err("a skill has a name and a description of at most 1,024 characters".into());
    }
    Ok(())
}

fn put(directory: &Path, files: &[Made]) -> Result<(), String> {
    for (path, _, text) in files {
        let path = directory.join(path);
        let parent = path.parent().unwrap_or(directory);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOKS: &str = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"sref hook claude"}]}]}}"#;
    const SERVER: &str = r#"{"mcpServers":{"sref":{"command":"sref","args":["mcp"]}}}"#;

    fn checked(hooks: &str, server: &str) -> Result<(), String> {
        check(&files("0.1.0", hooks.to_owned(), server.to_owned()))
    }

    #[test]
    fn the_plugin_is_of_its_schemas() {
        assert_eq!(checked(HOOKS, SERVER), Ok(()));
        for (hooks, server) in [
            (r#"{"UserPromptSubmit":[]}"#, SERVER),
            (&HOOKS.replace("\"command\",", "\"shell\","), SERVER),
            (
                &HOOKS.replace("hook claude", "").replace("sref ", ""),
                SERVER,
            ),
            (&HOOKS.replace("[{\"type", "[{\"more\":1,\"type"), SERVER),
            (HOOKS, "{}"),
            (HOOKS, &SERVER.replace("[\"mcp\"]", "\"mcp\"")),
            (HOOKS, &SERVER.replace("\"mcp\"", "1")),
        ] {
            assert!(checked(hooks, server).is_err(), "{hooks} {server}");
        }
    }

    #[test]
    fn a_skill_says_when_it_is_of_use() {
        assert_eq!(check_skill(SKILL), Ok(()));
        for bad in [
            "# x",
            "---\nname: sref\n---\n",
            "---\ndescription: d\n---\n",
        ] {
            assert!(check_skill(bad).is_err(), "{bad}");
        }
        let long = format!("---\nname: sref\ndescription: {}\n---\n", "x".repeat(1_025));
        assert!(check_skill(&long).is_err());
    }

    #[test]
    fn a_rule_that_is_not_known_is_a_fault() {
        let schema = json::parse(br#"{"pattern":"x"}"#).unwrap();
        assert!(schema::check(&schema, &Value::Null, "x").is_err());
    }
}

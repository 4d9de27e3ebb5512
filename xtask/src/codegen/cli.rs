//! `docs/cli.md`: the help of every command, as the program prints it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use sref_session::json;

use super::Problem;
use crate::metadata::{cargo, stdout, text};
use crate::report::Place;

pub(crate) const PATH: &str = "docs/cli.md";

const HEAD: &str = "\
# Commands

<!-- Written by `cargo xtask codegen` from the program's own help. -->
";

/// The document.
pub(super) fn derive(root: &Path) -> Result<String, Vec<Problem>> {
    let pages = program(root).and_then(|program| pages(&|words| help(&program, words)));
    pages.map_err(|error| vec![Problem::at(Place::file("crates/cli"), error)])
}

/// Builds the program and says where it is.
pub(crate) fn program(root: &Path) -> Result<String, String> {
    let mut command = cargo(root);
    command.args([
        "build",
        "--quiet",
        "--package",
        "sref-cli",
        "--message-format",
        "json",
    ]);
    stdout(command)?
        .lines()
        .filter_map(|line| json::parse(line.as_bytes()).ok())
        .map(|message| text(&message, "executable").to_owned())
        .find(|path| !path.is_empty())
        .ok_or_else(|| "cargo built no program".into())
}

fn help(program: &str, words: &[String]) -> Result<String, String> {
    let mut command = Command::new(program);
    // The width that clap takes when it has no terminal.
    command.args(words).arg("--help").env("COLUMNS", "100");
    stdout(command)
}

/// The help of the program and of each command below it, in the order in which help lists them.
fn pages(help: &dyn Fn(&[String]) -> Result<String, String>) -> Result<String, String> {
    let mut out = HEAD.to_owned();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(words) = waiting.pop() {
        let text = help(&words)?;
        let name = [&["sref".to_owned()], words.as_slice()].concat().join(" ");
        let _ = write!(out, "\n## `{name}`\n\n```text\n");
        for line in text.trim().lines() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out.push_str("```\n");
        let children = commands(&text).into_iter().rev();
        waiting.extend(children.map(|child| [words.as_slice(), &[child]].concat()));
    }
    Ok(out)
}

/// The names in the list of commands of a help page.
fn commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Continued descriptions are indented further.
        .filter_map(|line| {
            line.strip_prefix("  ")
                .filter(|line| !line.starts_with(' '))
        })
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = pages(&|words| {
            Ok(match words.join(" ").as_str() {
                "" => "Says.\n\nCommands:\n  list  Lists \n        more\n  uri   Codec\n  help  Help\n\nOptions:\n  -h\n",
                "uri" => "Codec\n\nCommands:\n  encode  E\n",
                "list" | "uri encode" => "leaf\n",
                other => return Err(format!("unexpected {other}")),
            }
            .to_owned())
        })
        .unwrap();
        let headings: Vec<&str> = pages
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(
            headings,
            [
                "## `sref`",
                "## `sref list`",
                "## `sref uri`",
                "## `sref uri encode`"
            ]
        );
        assert!(
            pages.contains("\n  list  Lists\n"),
            "no spaces at ends of lines"
        );
    }
}

//! Whether what a document shows is real: examples run, commands and paths exist.

use sref_session::json;

use super::document::{Block, Document, Fence};
use crate::codegen::errors;
use crate::report::{Place, Problem};
use crate::rust::{Token, tokens};
use crate::tree::Tree;
use crate::{manifest, tasks};

/// Directories of the repository, as inline code names them.
const DIRECTORIES: &[&str] = &[
    ".cargo/",
    ".ci/",
    "crates/",
    "docs/",
    "examples/",
    "fuzz/",
    "tests/",
    "xtask/",
];

/// Checks one document.
pub(super) fn check(tree: &Tree, file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    for block in document.blocks() {
        let mut found = Vec::new();
        if let Some(fence) = &block.fence {
            check_fence(tree, file, fence, &mut found);
        }
        for words in code(block) {
            check_words(tree, words, &mut found);
        }
        let place = || Place::new(file, block.line);
        problems.extend(found.into_iter().map(|found| Problem::at(place(), found)));
    }
}

/// Inline code, and the lines of commands that nothing runs.
fn code(block: &Block) -> impl Iterator<Item = &str> {
    let shell = block.fence.iter().filter(|fence| fence.info == "sh");
    let lines = shell.flat_map(|fence| fence.content.lines());
    block.code.iter().map(String::as_str).chain(lines)
}

fn check_fence(tree: &Tree, file: &str, fence: &Fence, problems: &mut Vec<String>) {
    // Blocks are equal on both sides of a pair, so that it is enough to run one of them.
    let file = &file.replace(".zh.md", ".md");
    match fence.info.as_str() {
        "" | "text" | "sh" => {}
        "rust" => {
            if !names(tree, "crates/sref/src/lib.rs", file, "include_str") {
                problems.push("no doctest of crates/sref/src/lib.rs runs these examples".into());
            }
        }
        "console" => {
            let mut tests = tree.texts("", ".rs").filter(|(path, _)| {
                path.starts_with("tests/") || path.starts_with("crates/cli/tests/")
            });
            if !tests.any(|(path, _)| names(tree, path, file, "run_sessions")) {
                problems
                    .push("no test with run_sessions runs the sessions of this document".into());
            }
        }
        "json" => check_json(&fence.content, problems),
        "jsonl" => fence
            .content
            .lines()
            .for_each(|line| check_json(line, problems)),
        "toml" => check_versions(tree, &fence.content, problems),
        info => problems.push(format!("`{info}` blocks have no check; `text` needs none")),
    }
}

/// Whether a source uses `word` and has a string that is a path to `file`.
fn names(tree: &Tree, source: &str, file: &str, word: &str) -> bool {
    let tokens = tokens(tree.text(source).unwrap_or_default());
    let is_path = |text: &str| {
        let rest = text.strip_suffix(file);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    tokens.iter().any(|own| own.token == Token::Word(word))
        && tokens
            .iter()
            .any(|own| matches!(own.token, Token::Text(text) if is_path(text)))
}

fn check_json(text: &str, problems: &mut Vec<String>) {
    if let Err(error) = json::parse(text.as_bytes()) {
        problems.push(format!("not JSON: {error}"));
    }
}

/// `sref = "0.1"` and `sref-uri = { version = "0.1.0", … }` name the workspace's version.
fn check_versions(tree: &Tree, toml: &str, problems: &mut Vec<String>) {
    let root = tree.text("Cargo.toml").unwrap_or_default();
    let Some(version) = manifest::version(root) else {
        return problems.push("Cargo.toml has no [workspace.package] version".into());
    };
    let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
    let members = manifest::layers(root);
    for (key, value) in toml.lines().filter_map(|line| line.split_once('=')) {
        if !members.iter().any(|member| member == key.trim()) {
            continue;
        }
        let value = value
            .split_once("version")
            .map_or(value, |(_, value)| value);
        let said = value.split('"').nth(1).unwrap_or_default();
        if said != version && said != minor {
            problems.push(format!("{} is {version}, not {said}", key.trim()));
        }
    }
}

fn check_words(tree: &Tree, words: &str, problems: &mut Vec<String>) {
    if let Some(rest) = words.strip_prefix("sref ") {
        check_command(tree, rest, problems);
    } else if let Some(rest) = words.strip_prefix("cargo xtask ") {
        let task = rest.split(' ').next().unwrap_or_default();
        if !tasks().any(|known| known == task) {
            problems.push(format!("xtask has no task `{task}`"));
        }
    } else if DIRECTORIES.iter().any(|start| words.starts_with(start)) {
        let path = words.split([':', '#']).next().unwrap_or_default();
        if !path.contains(['*', '<', '{', ' ', '…']) && !tree.exists(path) {
            problems.push(format!("there is no `{path}`"));
        }
    } else if errors::is_code(words) {
        let table = tree.text(errors::PATH).unwrap_or_default();
        if !table.contains(&format!("`{words}`")) {
            problems.push(format!("no error has the code `{words}`"));
        }
    }
}

/// A command line of the program uses a command and flags that its reference has.
fn check_command(tree: &Tree, line: &str, problems: &mut Vec<String>) {
    // Before the first release of the program there is nothing to compare with.
    let Some(reference) = tree.text(crate::codegen::cli::PATH) else {
        return;
    };
    let sections: Vec<(&str, &str)> = reference
        .split("\n## `sref")
        .skip(1)
        .filter_map(|section| section.split_once("`\n"))
        .map(|(name, text)| (name.trim(), text))
        .collect();
    let find = |name: &str| sections.iter().find(|(own, _)| *own == name);
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_name = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let named = words.iter().take_while(is_name).count();
    let command = (1..=named.min(2))
        .rev()
        .find_map(|count| find(&words[..count].join(" ")));
    let Some((name, help)) = command.or_else(|| find("").filter(|_| named == 0)) else {
        problems.push(format!("sref has no command `{}`", words.join(" ")));
        return;
    };
    let general = find("").map_or("", |(_, text)| text);
    for word in words.iter().filter(|word| word.starts_with("--")) {
        let flag = word.split(['=', ']']).next().unwrap_or_default();
        if flag.len() > 2 && !has_flag(help, flag) && !has_flag(general, flag) {
            problems.push(format!(
                "`{}` has no flag `{flag}`",
                ["sref", name].join(" ").trim_end()
            ));
        }
    }
}

fn has_flag(help: &str, flag: &str) -> bool {
    help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| word == flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let tree = Tree::from([
            (
                "Cargo.toml",
                "[workspace.package]\nversion = \"0.3.1\"\n[workspace.dependencies]\nsref = { path = \"crates/sref\" }\n",
            ),
            (
                "crates/sref/src/lib.rs",
                "#[doc = include_str!(\"../../../README.md\")] struct Readme;",
            ),
            ("tests/cli.rs", "run_sessions(\"../README.md\");"),
            ("docs/errors.md", "| `uri.scheme` | … |\n"),
            (
                "docs/cli.md",
                "# R\n\n## `sref`\n\n--store <S>\n\n## `sref list`\n\n--all, --limit <N>\n\n## `sref uri decode`\n",
            ),
        ]);
        let mut problems = Vec::new();
        check(&tree, "README.md", &Document::parse(text), &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn real_things_pass() {
        for text in [
            "```rust\nfn main() {}\n```\n",
            "```console\n$ sref list\n```\n",
            "```json\n{\"a\":\"\\ud83d\"}\n```\n",
            "```jsonl\n1\n2\n```\n",
            "```toml\nsref = \"0.3\"\nserde = \"1\"\n```\n",
            "```toml\nsref = { version = \"0.3.1\", features = [\"x\"] }\n```\n",
            "`sref list --all --store dsh=x` and `sref uri decode URI`, `sref --store x`\n",
            "```sh\nsref list --limit 3\n```\n",
            "`cargo xtask check`, `docs/errors.md`, `tests/*.rs`, `uri.scheme`\n",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn invented_things_are_found() {
        for (text, problem) in [
            (
                "```json\n{\n```\n",
                "not JSON: unexpected end of JSON (byte 2)",
            ),
            ("```toml\nsref = \"0.2\"\n```\n", "sref is 0.3.1, not 0.2"),
            (
                "```rust,ignore\nx\n```\n",
                "`rust,ignore` blocks have no check; `text` needs none",
            ),
            ("`sref list --turn 3`\n", "`sref list` has no flag `--turn`"),
            ("`sref --stores x list`\n", "`sref` has no flag `--stores`"),
            ("`sref show x`\n", "sref has no command `show x`"),
            (
                "```sh\nsref list --lim 3\n```\n",
                "`sref list` has no flag `--lim`",
            ),
            ("`cargo xtask fly`\n", "xtask has no task `fly`"),
            ("`docs/nope.md`\n", "there is no `docs/nope.md`"),
            ("`uri.nope`\n", "no error has the code `uri.nope`"),
        ] {
            assert_eq!(found(text), [format!("README.md:1: {problem}")]);
        }
    }

    #[test]
    fn examples_that_nothing_runs_are_found() {
        let mut problems = Vec::new();
        let document = Document::parse("```rust\n```\n\n```console\n```\n");
        check(&Tree::default(), "README.md", &document, &mut problems);
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}

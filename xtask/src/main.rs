//! Repository checks that `cargo` alone cannot express. Run `cargo xtask help`.
//!
//! Every check has a read-only form, used by CI and by `cargo test -p xtask`, and prints the
//! command that repairs what it found.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool"
)]

mod codegen;
mod dist;
mod files;
mod i18n;
mod layers;
mod manifest;
mod metadata;
mod msrv;
mod report;
mod rust;
mod sample;
mod tree;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use report::{Outcome, Place, Problem};
use tree::Tree;

const HELP: &str = "\
cargo xtask check                  run every check below
cargo xtask codegen [--check]      write what is derived from code: docs/errors.md, docs/cli.md, the sample store
cargo xtask dist                   write the plugin of Claude Code to target/dist/claude
cargo xtask docs                   links, commands and examples in the documents are real
cargo xtask files                  long, forgotten and unclean files
cargo xtask i18n check             fail if a README side drifted from the other
cargo xtask i18n status            say which sections changed since they were confirmed
cargo xtask i18n confirm README    record that the two sides of one pair now say the same
cargo xtask layers                 a crate depends only on crates below it
cargo xtask msrv                   the promised compiler is enough for every dependency
cargo xtask sample [--check]       write the sample store
";

/// A check: its name, what it does, and what to do when it fails.
type Check = (&'static str, fn(&Path, &Tree) -> Outcome, &'static str);

const CHECKS: &[Check] = &[
    ("layers", layers::check, layers::REPAIR),
    ("msrv", msrv::check, msrv::REPAIR),
    ("files", files::check, files::REPAIR),
    (
        "docs",
        |_, tree| i18n::check_others(tree),
        "edit the document",
    ),
    ("i18n", |_, tree| i18n::check(tree), i18n::REPAIR),
    ("codegen", codegen::check, codegen::REPAIR),
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let [] | ["help" | "--help"] = words[..] {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let tree = match Tree::read(root()) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let ok = match words[..] {
        ["check"] => check(&tree),
        ["i18n", "status"] => tell("i18n status", i18n::status(root(), &tree), i18n::REPAIR),
        ["i18n", "confirm", pair] => {
            tell("confirm", i18n::confirm(root(), &tree, pair), i18n::REPAIR)
        }
        ["codegen"] => tell("codegen", codegen::write(root(), &tree), codegen::REPAIR),
        ["dist"] => tell("dist", dist::write(root(), &tree), dist::REPAIR),
        ["sample"] => tell("sample", text(sample::write(root())), codegen::REPAIR),
        ["sample", "--check"] => tell("sample", text(sample::check(root())), codegen::REPAIR),
        ["i18n"] => usage(&words),
        [name] | [name @ "codegen", "--check"] | [name @ "i18n", "check"] => {
            match CHECKS.iter().find(|(own, ..)| *own == name) {
                Some(check) => run(check, &tree),
                None => usage(&words),
            }
        }
        _ => usage(&words),
    };
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Every check, also after one that failed.
fn check(tree: &Tree) -> bool {
    let failed = CHECKS.iter().filter(|check| !run(check, tree)).count();
    if failed > 0 {
        eprintln!("error: {failed} of {} checks failed", CHECKS.len());
    }
    failed == 0
}

fn run((name, check, repair): &Check, tree: &Tree) -> bool {
    tell(name, check(root(), tree), repair)
}

/// Prints the end of a task, and says whether it was a good one.
fn tell(name: &str, outcome: Outcome, repair: &str) -> bool {
    match outcome {
        Ok(fact) => {
            println!("{name}: {fact}");
            true
        }
        Err(problems) => {
            for problem in &problems {
                eprintln!("{problem}");
            }
            eprintln!("error: {name}: {} found; {repair}", problems.len());
            false
        }
    }
}

fn text(outcome: Result<String, String>) -> Outcome {
    let outcome = outcome.map(|text| text.trim_end().to_owned());
    outcome.map_err(|error| vec![Problem::at(Place::file("xtask/src/sample"), error)])
}

fn usage(words: &[&str]) -> bool {
    eprintln!("error: unknown task `{}`\n\n{HELP}", words.join(" "));
    false
}

/// The first word of each task.
fn tasks() -> impl Iterator<Item = &'static str> {
    HELP.lines().filter_map(|line| line.split(' ').nth(2))
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `cargo xtask check` says of this repository, but for `docs/cli.md`: its source is a
    /// program, and a test builds none.
    #[test]
    fn the_repository_passes() {
        let tree = Tree::read(root()).unwrap();
        let mut found = Vec::new();
        for (name, check, _) in CHECKS {
            let outcome = match *name {
                "codegen" => codegen::check_sources(root(), &tree),
                // Fails as soon as one side is there without the other, or they differ.
                "i18n" if i18n::nothing_written(&tree) => continue,
                _ => check(root(), &tree),
            };
            let problems = outcome.err().unwrap_or_default();
            found.extend(problems.iter().map(|problem| format!("{name}: {problem}")));
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn tasks_are_those_of_the_help() {
        let tasks: Vec<&str> = tasks().collect();
        assert!(CHECKS.iter().all(|(name, ..)| tasks.contains(name)));
        assert!(!tasks.contains(&"fly"));
    }
}

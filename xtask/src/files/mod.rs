//! Files as such: not too long, none forgotten, nothing in them that belongs elsewhere.

mod modules;

use std::path::Path;

use crate::report::{Outcome, Place, Problem, outcome};
use crate::rust::{Token, starts_with, tokens};
use crate::tree::Tree;

pub(crate) const REPAIR: &str =
    "mend the file; a long one is split, or listed with its reason in xtask/src/files/mod.rs";

/// From here on a file has to say why it is one.
const LONG: usize = 500;

/// Sources above [`LONG`] lines, and why they are not split.
const LONG_FILES: &[(&str, &str)] = &[];

/// `cargo xtask files`
pub(crate) fn check(_root: &Path, tree: &Tree) -> Outcome {
    check_tree(tree, LONG_FILES)
}

fn check_tree(tree: &Tree, long_files: &[(&str, &str)]) -> Outcome {
    let mut problems = Vec::new();
    check_length(tree, long_files, &mut problems);
    modules::check(tree, &mut problems);
    for (path, source) in tree.texts("", ".rs") {
        check_source(path, source, &mut problems);
    }
    for (path, text) in tree.texts("", "") {
        check_text(path, text, &mut problems);
    }
    let sources = tree.texts("", ".rs").count();
    outcome(format!("{sources} sources"), problems)
}

fn check_length(tree: &Tree, long_files: &[(&str, &str)], problems: &mut Vec<Problem>) {
    for (path, source) in tree.texts("", ".rs") {
        let lines = source.lines().count();
        let listed = long_files.iter().any(|(own, _)| *own == path);
        let message = match (lines > LONG, listed) {
            (true, false) => format!("{lines} lines without a reason; {LONG} are enough"),
            (false, true) => "no longer long: take it off the list".to_owned(),
            _ => continue,
        };
        problems.push(Problem::at(Place::file(path), message));
    }
    for (path, _) in long_files {
        if !tree.exists(path) {
            problems.push(Problem::at(Place::file(*path), "listed as long, but gone"));
        }
    }
}

/// What no source has: tests that do not run, code that is not there, exceptions without a reason.
fn check_source(path: &str, source: &str, problems: &mut Vec<Problem>) {
    const REFUSED: &[(&str, &str)] = &[
        ("#[ignore", "a test that does not run"),
        ("todo!", "code that is not there"),
        ("unimplemented!", "code that is not there"),
        ("#[allow", "`#[expect(…, reason = \"…\")]` instead"),
        ("#![allow", "`#![expect(…, reason = \"…\")]` instead"),
    ];
    let tokens = tokens(source);
    for at in 0..tokens.len() {
        if !matches!(
            tokens[at].token,
            Token::Mark('#') | Token::Word("todo" | "unimplemented")
        ) {
            continue;
        }
        for (pattern, why) in REFUSED {
            if starts_with(&tokens[at..], pattern) {
                let place = Place::new(path, tokens[at].line);
                problems.push(Problem::at(place, format!("`{pattern}`: {why}")));
            }
        }
    }
}

/// No path of one machine, and no host that serves packages.
fn check_text(path: &str, text: &str, problems: &mut Vec<Problem>) {
    for (at, line) in text.lines().enumerate() {
        let place = || Place::new(path, at + 1);
        if machine_paths().any(|own| line.contains(&own)) {
            problems.push(Problem::at(place(), "a path of one machine"));
        }
        if has_registry(line) {
            problems.push(Problem::at(place(), "a host of a package registry"));
        }
    }
}

/// Put together here, so that this file does not find itself.
fn machine_paths() -> impl Iterator<Item = String> {
    let home = [
        "root",
        "farm",
        "work/main",
        "work/shared",
        "tmp/bash_jobs",
        "tmp/target-",
    ];
    home.into_iter()
        .map(|name| format!("/{name}"))
        .chain([[".library", "/"].concat()])
}

fn has_registry(line: &str) -> bool {
    let part = |text: &str| text.bytes().take_while(u8::is_ascii_lowercase).count();
    let named = line.split("registry.").skip(1).any(|rest| {
        let host = part(rest);
        host > 0 && rest[host..].starts_with('.') && part(&rest[host + 1..]) > 0
    });
    named
        || ["index", "static"]
            .iter()
            .any(|name| line.contains(&format!("{name}.crates")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], long_files: &[(&str, &str)]) -> Vec<String> {
        let mut tree = Tree::from([("a/Cargo.toml", "[package]"), ("a/src/lib.rs", "mod x;")]);
        for (path, text) in files {
            tree.set(path, text);
        }
        match check_tree(&tree, long_files) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn long_files_need_a_reason() {
        let long = "\n".repeat(501);
        let path = "a/src/x.rs";
        assert_eq!(found(&[(path, &long)], &[(path, "why")]), [""; 0]);
        assert_eq!(
            found(&[(path, &long)], &[]),
            ["a/src/x.rs: 501 lines without a reason; 500 are enough"]
        );
        assert_eq!(
            found(&[(path, "")], &[(path, "why")]),
            ["a/src/x.rs: no longer long: take it off the list"]
        );
        assert_eq!(
            found(&[], &[(path, "why")]),
            ["a/src/x.rs: listed as long, but gone"]
        );
    }

    #[test]
    fn unclean_sources_are_found() {
        for (source, problem) in [
            (
                "#[test]\n#[ignore]\nfn f() {}",
                "2: `#[ignore`: a test that does not run",
            ),
            ("fn f() { todo!() }", "1: `todo!`: code that is not there"),
            (
                "fn f() { unimplemented!(\"x\") }",
                "1: `unimplemented!`: code that is not there",
            ),
            (
                "#[allow(dead_code)]\nfn f() {}",
                "1: `#[allow`: `#[expect(…, reason = \"…\")]` instead",
            ),
        ] {
            assert_eq!(
                found(&[("a/src/x.rs", source)], &[]),
                [format!("a/src/x.rs:{problem}")]
            );
        }
        let harmless = "// todo! #[ignore]\nconst A: &str = \"#[allow(x)]\"; fn todo() {}";
        assert_eq!(found(&[("a/src/x.rs", harmless)], &[]), [""; 0]);
    }

    #[test]
    fn machine_paths_and_registries_are_found() {
        for (text, problem) in [
            ("see /work", ""),
            ("registry. The end", ""),
            ("https://crates.io/crates/x", ""),
            (&["/ro", "ot/x"].concat(), "a path of one machine"),
            (
                &["https://registry.", "npmjs.org"].concat(),
                "a host of a package registry",
            ),
            (
                &["index", ".crates.io"].concat(),
                "a host of a package registry",
            ),
        ] {
            let found = found(&[("a.md", text)], &[]);
            let expected = (!problem.is_empty()).then(|| format!("a.md:1: {problem}"));
            assert_eq!(found, Vec::from_iter(expected), "{text}");
        }
    }
}

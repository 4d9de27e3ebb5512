//! Files that are derived from others: written by `codegen`, compared by `codegen --check`.

pub(crate) mod cli;
pub(crate) mod errors;

use std::fs;
use std::path::Path;

use crate::report::{Outcome, Place, Problem, outcome};
use crate::sample;
use crate::tree::Tree;

pub(crate) const REPAIR: &str = "run `cargo xtask codegen` and commit what it wrote";

/// The text of a derived document, or what is wrong with its sources.
type Derived = Result<String, Vec<Problem>>;

/// `cargo xtask codegen`
pub(crate) fn write(root: &Path, tree: &Tree) -> Outcome {
    let mut problems = Vec::new();
    for (path, text) in [
        (errors::PATH, errors::derive(tree)),
        (cli::PATH, cli::derive(root)),
    ] {
        match text {
            Ok(text) => {
                let written = fs::write(root.join(path), text);
                problems.extend(written.err().map(|error| problem(path, &error.to_string())));
            }
            Err(found) => problems.extend(found),
        }
    }
    problems.extend(sample_problem(sample::write(root)));
    outcome("written", problems)
}

/// `cargo xtask codegen --check`
pub(crate) fn check(root: &Path, tree: &Tree) -> Outcome {
    let mut problems = check_sources(root, tree).err().unwrap_or_default();
    problems.extend(compare(cli::PATH, cli::derive(root), tree));
    outcome("as their sources say", problems)
}

/// The part that builds nothing.
pub(crate) fn check_sources(root: &Path, tree: &Tree) -> Outcome {
    let mut problems = compare(errors::PATH, errors::derive(tree), tree);
    problems.extend(sample_problem(sample::check(root)));
    outcome("as their sources say", problems)
}

fn sample_problem(outcome: Result<String, String>) -> Option<Problem> {
    let error = outcome.err()?;
    Some(problem("xtask/src/sample", &error))
}

/// Where the file stops saying what its sources say.
fn compare(path: &str, derived: Derived, tree: &Tree) -> Vec<Problem> {
    let (expected, text) = match (derived, tree.text(path)) {
        (Err(problems), _) => return problems,
        (Ok(_), None) => return vec![problem(path, "missing")],
        (Ok(expected), Some(text)) => (expected, text),
    };
    if text == expected {
        return Vec::new();
    }
    let same = std::iter::zip(text.lines(), expected.lines());
    let at = same.take_while(|(own, wanted)| own == wanted).count();
    let wanted = expected.lines().nth(at).unwrap_or("the end of the file");
    vec![Problem::at(
        Place::new(path, at + 1),
        format!("stale, expected: {wanted}"),
    )]
}

fn problem(path: &str, message: &str) -> Problem {
    Problem::at(Place::file(path), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_and_missing_files_are_found() {
        let tree = Tree::from([("docs/errors.md", "a\nb\n")]);
        let found = |path, text: &str| {
            let problems = compare(path, Ok(text.to_owned()), &tree);
            problems.first().map(ToString::to_string)
        };
        assert_eq!(found("docs/errors.md", "a\nb\n"), None);
        for (path, text, expected) in [
            (
                "docs/errors.md",
                "a\nc\n",
                "docs/errors.md:2: stale, expected: c",
            ),
            (
                "docs/errors.md",
                "a\n",
                "docs/errors.md:2: stale, expected: the end of the file",
            ),
            ("docs/cli.md", "", "docs/cli.md: missing"),
        ] {
            assert_eq!(found(path, text).as_deref(), Some(expected));
        }
    }
}

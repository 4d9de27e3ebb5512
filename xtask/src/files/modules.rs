//! No forgotten files: every source is part of a target, above all every test.

use std::collections::BTreeSet;

use crate::report::{Place, Problem};
use crate::rust::{Spanned, Token, starts_with, tokens};
use crate::tree::Tree;

/// Finds sources that no target reaches over `mod` declarations.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let packages: Vec<(&str, &str)> = tree
        .texts("", "Cargo.toml")
        .filter(|(_, text)| text.contains("[package]"))
        .filter_map(|(path, text)| Some((path.strip_suffix("Cargo.toml")?, text)))
        .collect();
    let mut reached = BTreeSet::new();
    for (path, _) in tree.texts("", ".rs") {
        if is_target(&packages, path) {
            reach(tree, path.to_owned(), true, &mut reached);
        }
    }
    for (path, _) in tree.texts("", ".rs") {
        if !reached.contains(path) {
            problems.push(Problem::at(
                Place::file(path),
                "part of no target: no `mod` names it",
            ));
        }
    }
}

/// Whether cargo takes a file as the root of a target.
fn is_target(packages: &[(&str, &str)], path: &str) -> bool {
    let owners = packages.iter().filter(|(start, _)| path.starts_with(start));
    let Some((start, manifest)) = owners.max_by_key(|(start, _)| start.len()) else {
        return false;
    };
    let inner = &path[start.len()..];
    if manifest.contains(&format!("path = \"{inner}\"")) {
        return true;
    }
    match inner.split('/').collect::<Vec<_>>()[..] {
        ["tests", ..] if manifest.contains("autotests = false") => false,
        ["build.rs"]
        | ["src", "lib.rs" | "main.rs"]
        | ["src", "bin", _]
        | ["src", "bin", _, "main.rs"]
        | ["tests" | "benches" | "examples", _]
        | ["tests" | "benches" | "examples", _, "main.rs"] => true,
        _ => false,
    }
}

/// Follows the module declarations of a file.
fn reach(tree: &Tree, path: String, root: bool, reached: &mut BTreeSet<String>) {
    let Some(source) = tree.text(&path) else {
        return;
    };
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let own = name.trim_end_matches(".rs");
    let directory = if root || own == "mod" {
        parent.to_owned()
    } else {
        format!("{parent}/{own}")
    };
    let declared = declarations(&tokens(source));
    let parent = parent.to_owned();
    if !reached.insert(path) {
        return;
    }
    for declaration in declared {
        let candidates = match declaration {
            Declaration::Path(path) => vec![format!("{parent}/{path}")],
            Declaration::Name(name) => vec![
                format!("{directory}/{name}.rs"),
                format!("{directory}/{name}/mod.rs"),
            ],
        };
        for path in candidates {
            reach(tree, path, false, reached);
        }
    }
}

enum Declaration {
    /// `mod a { mod b; }` is `a/b`.
    Name(String),
    /// `#[path = "…"] mod a;`
    Path(String),
}

fn declarations(tokens: &[Spanned<'_>]) -> Vec<Declaration> {
    let mut out = Vec::new();
    // The inline modules around a place, each with the depth of its braces.
    let mut around: Vec<(&str, usize)> = Vec::new();
    let mut depth = 0;
    let mut path = None;
    for (at, own) in tokens.iter().enumerate() {
        match own.token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => {
                depth -= 1;
                around.retain(|(_, open)| *open <= depth);
            }
            Token::Word("path") if starts_with(&tokens[at + 1..], "=") => {
                if let Some(Token::Text(text)) = tokens.get(at + 2).map(|own| own.token) {
                    path = Some(text.to_owned());
                }
            }
            Token::Word("mod") => {
                let next = |ahead: usize| tokens.get(at + ahead).map(|own| own.token);
                match (next(1), next(2)) {
                    (Some(Token::Word(name)), Some(Token::Mark(';'))) => {
                        let mut names: Vec<&str> = around.iter().map(|(name, _)| *name).collect();
                        names.push(name);
                        out.push(match path.take() {
                            Some(path) => Declaration::Path(path),
                            None => Declaration::Name(names.join("/")),
                        });
                    }
                    (Some(Token::Word(name)), Some(Token::Mark('{'))) => {
                        around.push((name, depth + 1));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgotten(files: &[(&str, &str)]) -> Vec<String> {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.set(path, text);
        }
        let mut problems = Vec::new();
        check(&tree, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn modules_are_followed() {
        assert_eq!(
            forgotten(&[
                ("a/Cargo.toml", "[package]"),
                (
                    "a/src/lib.rs",
                    "pub(crate) mod b; mod c { mod d; } #[path = \"odd.rs\"] mod e;"
                ),
                ("a/src/b.rs", "mod f;"),
                ("a/src/b/f.rs", ""),
                ("a/src/c/d/mod.rs", "#[cfg(test)] mod tests;"),
                ("a/src/c/d/tests.rs", ""),
                ("a/src/odd.rs", ""),
                ("a/tests/one.rs", "mod two;"),
                ("a/tests/two.rs", ""),
                ("a/benches/size.rs", ""),
                ("a/src/bin/tool.rs", ""),
            ]),
            [""; 0]
        );
    }

    #[test]
    fn forgotten_files_are_found() {
        let manifest = "[package]\nautotests = false\n[[test]]\npath = \"tests/main.rs\"";
        assert_eq!(
            forgotten(&[
                ("t/Cargo.toml", manifest),
                ("t/src/lib.rs", "// mod gone;\n"),
                ("t/src/gone.rs", ""),
                ("t/tests/main.rs", "mod a;"),
                ("t/tests/a.rs", ""),
                ("t/tests/b.rs", ""),
            ]),
            ["t/src/gone.rs", "t/tests/b.rs"]
                .map(|path| format!("{path}: part of no target: no `mod` names it"))
        );
    }
}

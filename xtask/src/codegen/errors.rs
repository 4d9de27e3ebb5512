//! `docs/errors.md`: every stable code of the libraries, with the first words of its documentation.
//!
//! The source is the code itself. A code is a string of a certain form ([`is_code`]); its meaning is
//! the doc comment of the variant whose match arm holds it, of the type whose `fn code` returns it
//! without a match, or of the constant that is it. A code without a meaning is an error here, so
//! none can be forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Problem;
use crate::manifest;
use crate::report::Place;
use crate::rust::{Spanned, Token, starts_with, tokens, without_tests};
use crate::tree::Tree;

pub(crate) const PATH: &str = "docs/errors.md";

const HEAD: &str = "\
# Errors

<!-- Written by `cargo xtask codegen` from the doc comments of the code. -->

Every error has a code that outlives changes of wording: it stands in `error[CODE]: …` on standard error, in
`{\"error\":{\"code\",\"message\"}}` with `--json`, in diagnostics and in the data of MCP errors. A code never changes its
meaning; new ones can come with any minor release.
";

/// Methods that give a stable name.
const METHODS: &[&str] = &["code", "reason"];

/// What the dotted codes begin with.
const AREAS: &[&str] = &[
    "cli", "envelope", "hook", "mcp", "mention", "setup", "store", "uri",
];

/// Whether a text has the form of a code: `SESSION_REFERENCE_…`, `SESSION_QUERY_…`, `store.…`.
pub(crate) fn is_code(text: &str) -> bool {
    for seed in ["SESSION_REFERENCE_", "SESSION_QUERY_"] {
        if let Some(rest) = text.strip_prefix(seed) {
            return !rest.is_empty() && all(rest, |c| c.is_ascii_uppercase() || c == '_');
        }
    }
    let mut parts = text.split('.');
    AREAS.contains(&parts.next().unwrap_or_default())
        && text.contains('.')
        && parts.all(|part| {
            !part.is_empty() && all(part, |c| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_'))
        })
}

fn all(text: &str, allowed: fn(char) -> bool) -> bool {
    text.chars().all(allowed)
}

/// The document.
pub(super) fn derive(tree: &Tree) -> Result<String, Vec<Problem>> {
    let mut out = HEAD.to_owned();
    let mut known = BTreeSet::new();
    let mut uses = Vec::new();
    for package in manifest::layers(tree.text("Cargo.toml").unwrap_or_default()) {
        let short = package.strip_prefix("sref-").unwrap_or(&package);
        let sources = sources(tree, &format!("crates/{short}/src/"));
        let rows = rows(&sources);
        if !rows.is_empty() {
            let _ = write!(
                out,
                "\n## {package}\n\n| code | item | meaning |\n| --- | --- | --- |\n"
            );
        }
        for (code, item, meaning) in rows {
            let _ = writeln!(out, "| `{code}` | `{item}` | {meaning} |");
            known.insert(code);
        }
        uses.extend(sources);
    }
    let problems: Vec<Problem> = uses
        .iter()
        .flat_map(|source| faults(source, &known))
        .collect();
    if problems.is_empty() {
        Ok(out)
    } else {
        Err(problems)
    }
}

/// Codes of a file that have no meaning, and strings in a `fn code` that are not of their form.
fn faults(source: &Source<'_>, known: &BTreeSet<&str>) -> Vec<Problem> {
    let (path, tokens) = source;
    let mut method = "";
    let mut problems = Vec::new();
    for (at, own) in tokens.iter().enumerate() {
        let message = match own.token {
            Token::Word("fn") => {
                if let Some(Token::Word(name)) = tokens.get(at + 1).map(|own| own.token) {
                    method = name;
                }
                continue;
            }
            Token::Text(text) if is_code(text) => {
                if known.contains(text) {
                    continue;
                }
                format!("no doc comment says what the code {text} means")
            }
            Token::Text(text) if method == "code" => {
                format!("`{text}` has not the form of a code, or of an area not in AREAS of xtask")
            }
            _ => continue,
        };
        problems.push(Problem::at(Place::new(*path, own.line), message));
    }
    problems
}

/// A file's path and its tokens.
type Source<'a> = (&'a str, Vec<Spanned<'a>>);

/// Whether a file is a module of tests. It names codes beside what it expects them of, which are not
/// what they mean.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/")
}

/// The sources of one crate, without its tests.
fn sources<'a>(tree: &'a Tree, directory: &str) -> Vec<Source<'a>> {
    tree.texts(directory, ".rs")
        .filter(|(path, _)| !is_test(path))
        .map(|(path, text)| (path, without_tests(&tokens(text))))
        .collect()
}

/// Code, item and meaning for each code that a crate gives a meaning, sorted.
fn rows<'a>(sources: &[Source<'a>]) -> BTreeSet<(&'a str, String, String)> {
    let mut docs = BTreeMap::new();
    for (_, tokens) in sources {
        collect_docs(tokens, &mut docs);
    }
    let named = sources.iter().flat_map(|(_, tokens)| named_codes(tokens));
    named
        .filter(|(_, code)| is_code(code))
        .filter_map(|(item, code)| {
            let meaning = docs.get(&item)?.clone();
            Some((code, item, meaning))
        })
        .collect()
}

/// The first paragraph of documentation of each type, variant and constant.
fn collect_docs(tokens: &[Spanned<'_>], docs: &mut BTreeMap<String, String>) {
    let mut pending: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].token {
            Token::Doc(line) => pending.push(line),
            Token::Mark('#') => at = end_of_group(tokens, at + 1),
            Token::Word("pub") if starts_with(&tokens[at + 1..], "(") => {
                at = end_of_group(tokens, at + 1);
            }
            Token::Word("pub") => {}
            Token::Word(kind @ ("enum" | "struct" | "const")) => {
                if let Some(Token::Word(name)) = tokens.get(at + 1).map(|own| own.token) {
                    insert(docs, name.to_owned(), &pending);
                    if kind == "enum" {
                        collect_variants(&tokens[at + 2..], name, docs);
                    }
                }
                pending.clear();
            }
            _ => pending.clear(),
        }
        at += 1;
    }
}

/// The variants of an enum, from behind its name.
fn collect_variants(tokens: &[Spanned<'_>], name: &str, docs: &mut BTreeMap<String, String>) {
    let Some(open) = tokens.iter().position(|own| own.token == Token::Mark('{')) else {
        return;
    };
    let (mut at, mut pending, mut named) = (open + 1, Vec::new(), false);
    while at < tokens.len() {
        match tokens[at].token {
            Token::Doc(line) => pending.push(line),
            Token::Mark('}') => return,
            Token::Mark('{' | '(' | '[') => at = end_of_group(tokens, at),
            Token::Mark(',') => {
                pending.clear();
                named = false;
            }
            Token::Word(variant) if !named => {
                insert(docs, format!("{name}::{variant}"), &pending);
                named = true;
            }
            _ => {}
        }
        at += 1;
    }
}

fn insert(docs: &mut BTreeMap<String, String>, item: String, lines: &[&str]) {
    let paragraph: Vec<&str> = lines
        .iter()
        .copied()
        .take_while(|line| !line.is_empty())
        .collect();
    if !paragraph.is_empty() {
        docs.insert(item, cell(&paragraph.join(" ")));
    }
}

/// Documentation as it can stand in a table: without links that only rustdoc resolves.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        out.push_str(before);
        let (name, after) = link.split_once("`]").unwrap_or((link, ""));
        let _ = write!(out, "`{name}`");
        rest = match after
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'))
        {
            Some((_, after)) => after,
            None => after,
        };
    }
    (out + rest).replace('|', "\\|")
}

/// The items of a file and the codes they stand for: the variants before the `=>` of an arm that
/// holds a code, the type whose `fn code` returns it, the constant that is it.
fn named_codes<'a>(tokens: &[Spanned<'a>]) -> Vec<(String, &'a str)> {
    let mut out = Vec::new();
    let (mut owner, mut method) = ("", "");
    let mut arm = Arm::default();
    let mut constant = None;
    for (at, own) in tokens.iter().enumerate() {
        let word = |ahead: usize| match tokens.get(at + ahead).map(|own| own.token) {
            Some(Token::Word(word)) => word,
            _ => "",
        };
        match own.token {
            Token::Word("impl") => owner = implementor(&tokens[at + 1..]),
            Token::Word("fn") => {
                method = word(1);
                (arm, constant) = (Arm::default(), None);
            }
            Token::Word("const" | "static") => constant = Some(word(1)),
            Token::Mark(';') => constant = None,
            Token::Mark('=') if starts_with(&tokens[at + 1..], ">") => arm.complete = true,
            Token::Word(_) if starts_with(&tokens[at + 1..], "::") => {
                let (kind, variant) = (word(0), word(3));
                if variant.starts_with(char::is_uppercase) {
                    let kind = if kind == "Self" { owner } else { kind };
                    arm.add(format!("{kind}::{variant}"));
                }
            }
            Token::Text(code) => match constant {
                Some(name) => out.push((name.to_owned(), code)),
                None if !arm.variants.is_empty() => {
                    out.extend(arm.variants.iter().map(|variant| (variant.clone(), code)));
                }
                None if METHODS.contains(&method) => out.push((owner.to_owned(), code)),
                None => {}
            },
            _ => {}
        }
    }
    out
}

/// The variants in the pattern of a match arm.
#[derive(Default)]
struct Arm {
    variants: Vec<String>,
    /// Whether `=>` has passed: the next variant begins another arm.
    complete: bool,
}

impl Arm {
    fn add(&mut self, variant: String) {
        if self.complete {
            *self = Self::default();
        }
        self.variants.push(variant);
    }
}

/// The type of an `impl` block.
fn implementor<'a>(tokens: &[Spanned<'a>]) -> &'a str {
    let mut depth = 0_usize;
    let mut name = "";
    for own in tokens {
        match own.token {
            Token::Mark('{') => break,
            Token::Mark('<') => depth += 1,
            Token::Mark('>') => depth = depth.saturating_sub(1),
            Token::Word("for") if depth == 0 => name = "",
            Token::Word(word) if depth == 0 && name.is_empty() => name = word,
            _ => {}
        }
    }
    name
}

/// The index of the bracket that closes the group opened at or after `at`.
fn end_of_group(tokens: &[Spanned<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, own) in tokens.iter().enumerate().skip(at) {
        match own.token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}' | ')' | ']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = r#"
/// Why.
#[derive(Debug)]
pub enum UriErrorKind {
    /// Not the scheme of [`Schemes`](super::Schemes),
    /// or none.
    ///
    /// More.
    #[error("expected")]
    Scheme,
    /// An id
    Id {
        /// Which.
        id: u8,
    },
    Plain,
}
impl<'a> From<X<'a>> for UriErrorKind { fn from() {} }
impl UriErrorKind {
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Scheme | Self::Id { .. } => ("uri.scheme", "docs"),
            PLAIN
        }
    }
}
/// Over the budget.
pub struct BudgetError(u8);
impl BudgetError {
    pub fn code(&self) -> &'static str { "SESSION_REFERENCE_BUDGET_EXCEEDED" }
}
/// A file that is not read.
pub const SKIPPED: &str = "store.skipped";
#[cfg(test)]
mod tests { const X: &str = "store.unknown"; }
"#;

    fn tree(source: &str) -> Tree {
        Tree::from([
            (
                "Cargo.toml",
                "[workspace.dependencies]\nsref-uri = { path = \"crates/uri\" }\n",
            ),
            ("crates/uri/src/error.rs", source),
        ])
    }

    #[test]
    fn codes_are_listed_with_their_meaning() {
        let text = derive(&tree(&ERROR.replace("PLAIN", ""))).unwrap();
        let (_, table) = text.split_once("\n## ").unwrap();
        assert_eq!(
            table,
            "sref-uri\n\n| code | item | meaning |\n| --- | --- | --- |\n\
             | `SESSION_REFERENCE_BUDGET_EXCEEDED` | `BudgetError` | Over the budget. |\n\
             | `store.skipped` | `SKIPPED` | A file that is not read. |\n\
             | `uri.scheme` | `UriErrorKind::Id` | An id |\n\
             | `uri.scheme` | `UriErrorKind::Scheme` | Not the scheme of `Schemes`, or none. |\n"
        );
    }

    #[test]
    fn what_a_test_says_of_a_code_is_not_its_meaning() {
        let source = ERROR.replace("PLAIN", "");
        let alone = derive(&tree(&source)).unwrap();
        let test = "fn f() { assert_eq!(UriErrorKind::Id, g(\"store.skipped\")); }";
        for path in ["tests.rs", "uri_tests.rs", "tests/uri.rs"] {
            let path = format!("crates/uri/src/{path}");
            let tree = Tree::from([
                (
                    "Cargo.toml",
                    "[workspace.dependencies]\nsref-uri = { path = \"crates/uri\" }\n",
                ),
                ("crates/uri/src/error.rs", &source),
                (&path, test),
            ]);
            assert_eq!(derive(&tree).unwrap(), alone, "{path}");
        }
    }

    #[test]
    fn a_code_without_a_meaning_is_found() {
        for source in [
            ERROR.replace("PLAIN", "Self::Plain => (\"uri.plain\", \"\"),"),
            "fn f() { Diagnostic::new(\"store.unknown\") }".to_owned(),
            "const UNDOCUMENTED: &str = \"SESSION_QUERY_ABORTED\";".to_owned(),
            "impl E { fn code(&self) -> &'static str { \"url.scheme\" } }".to_owned(),
        ] {
            assert_eq!(derive(&tree(&source)).unwrap_err().len(), 1, "{source}");
        }
    }

    #[test]
    fn codes_are_told_by_their_form() {
        for (text, expected) in [
            ("SESSION_REFERENCE_TOO_MANY", true),
            ("SESSION_REFERENCE_", false),
            ("store.file.too-long", true),
            ("store", false),
            ("store.", false),
            ("session.jsonl", false),
            ("uri.Scheme", false),
        ] {
            assert_eq!(is_code(text), expected, "{text}");
        }
    }
}

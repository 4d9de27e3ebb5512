//! Documents in two languages that must keep saying the same.
//!
//! A pair is `NAME.md` and `NAME.zh.md`, and the record `docs/NAME.i18n`: the hash of each side at
//! the moment somebody confirmed that they agree. The check proves shape, facts and freshness. That
//! the sentences mean the same it cannot prove: that is what confirming says.

mod compare;
mod document;
mod language;
mod links;
mod real;
mod record;
mod status;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use document::{Block, Document};
use record::Record;

use crate::report::{Outcome, Place, Problem, outcome};
use crate::tree::Tree;

pub(crate) use status::status;

/// The documents that exist in two languages.
const PAIRS: &[&str] = &["README"];

/// The line under the title, by side.
const SWITCHERS: [&str; 2] = [
    "English | [简体中文](NAME.zh.md)",
    "[English](NAME.md) | 简体中文",
];

/// What a reader of a failed check does next.
pub(crate) const REPAIR: &str =
    "edit both sides, read them against each other, then `cargo xtask i18n confirm README`";

/// Both sides of a pair, parsed.
struct Pair<'a> {
    name: &'a str,
    english: Document<'a>,
    chinese: Document<'a>,
    record: Option<&'a str>,
}

impl<'a> Pair<'a> {
    fn read(tree: &'a Tree, name: &'a str) -> Result<Self, Vec<Problem>> {
        let side = |path: String| match tree.text(&path) {
            Some(text) => Ok(Document::parse(text)),
            None => Err(vec![Problem::at(Place::file(path), "missing")]),
        };
        let (english, chinese) = (format!("{name}.md"), format!("{name}.zh.md"));
        match (side(english), side(chinese)) {
            (Ok(english), Ok(chinese)) => Ok(Self {
                name,
                english,
                chinese,
                record: tree.text(&record_path(name)),
            }),
            (left, right) => Err([left, right]
                .into_iter()
                .filter_map(Result::err)
                .flatten()
                .collect()),
        }
    }

    fn english_name(&self) -> String {
        format!("{}.md", self.name)
    }

    fn chinese_name(&self) -> String {
        format!("{}.zh.md", self.name)
    }

    fn places(&self, english: usize, chinese: usize) -> [Place; 2] {
        [
            Place::new(self.english_name(), english),
            Place::new(self.chinese_name(), chinese),
        ]
    }

    fn sides(&self) -> [(String, &Document<'a>); 2] {
        [
            (self.english_name(), &self.english),
            (self.chinese_name(), &self.chinese),
        ]
    }

    fn current_record(&self) -> Record {
        Record::of(
            [&self.english_name(), &self.chinese_name()],
            [&self.english, &self.chinese],
        )
    }

    /// What stands in the way of confirming: everything but the record.
    fn defects(&self, tree: &Tree) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (at, (file, document)) in self.sides().into_iter().enumerate() {
            check_bytes(&file, document.text, &mut problems);
            check_switcher(self.name, &file, document, at, &mut problems);
            check_document(tree, &file, document, &mut problems);
        }
        compare::compare(self, &mut problems);
        language::english(&self.english_name(), &self.english, &mut problems);
        language::chinese(&self.chinese_name(), &self.chinese, &mut problems);
        problems
    }
}

/// `cargo xtask i18n check`
pub(crate) fn check(tree: &Tree) -> Outcome {
    let mut problems = strays(tree);
    for name in PAIRS {
        match Pair::read(tree, name) {
            Ok(pair) => {
                problems.extend(pair.defects(tree));
                status::check_record(&pair, &mut problems);
            }
            Err(missing) => problems.extend(missing),
        }
    }
    outcome(format!("{} pair", PAIRS.len()), problems)
}

/// `cargo xtask i18n confirm NAME`
///
/// Refuses while something is wrong that a record cannot mend, and knows no "all": each pair is
/// confirmed by somebody who has read it.
pub(crate) fn confirm(root: &Path, tree: &Tree, name: &str) -> Outcome {
    if !PAIRS.contains(&name) {
        let known = PAIRS.join(", ");
        let message = format!("no pair of this name; there are: {known}");
        return Err(vec![Problem::at(Place::file(name), message)]);
    }
    let pair = Pair::read(tree, name)?;
    outcome("", pair.defects(tree))?;
    let path = record_path(name);
    fs::write(root.join(&path), pair.current_record().print())
        .map_err(|error| vec![Problem::at(Place::file(&path), error.to_string())])?;
    Ok(format!("recorded in {path}"))
}

/// Whether neither side of any pair has been written yet.
#[cfg(test)]
pub(crate) fn nothing_written(tree: &Tree) -> bool {
    PAIRS.iter().all(|name| {
        [".md", ".zh.md"]
            .iter()
            .all(|end| !tree.exists(&format!("{name}{end}")))
            && !tree.exists(&record_path(name))
    })
}

/// Links and facts of one document, in whatever language.
fn check_document(tree: &Tree, file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    links::check(tree, file, document, problems);
    real::check(tree, file, document, problems);
}

/// Links and facts of the documents that are in one language only.
pub(crate) fn check_others(tree: &Tree) -> Outcome {
    let mut problems = Vec::new();
    let others: Vec<(&str, &str)> = tree
        .texts("", ".md")
        .filter(|(path, _)| !path.starts_with("tests/") && !is_side(path))
        .collect();
    for (path, text) in &others {
        check_document(tree, path, &Document::parse(text), &mut problems);
    }
    outcome(format!("{} documents", others.len()), problems)
}

fn record_path(name: &str) -> String {
    format!("docs/{name}.i18n")
}

fn is_side(path: &str) -> bool {
    PAIRS.iter().any(|name| {
        let end = path.strip_prefix(name);
        matches!(end, Some(".md" | ".zh.md"))
    })
}

/// Halves of pairs that nobody declared.
fn strays(tree: &Tree) -> Vec<Problem> {
    let halves = tree
        .texts("", ".zh.md")
        .map(|(path, _)| (path, path.strip_suffix(".zh.md")))
        .chain(tree.texts("", ".i18n").map(|(path, _)| {
            let name = path.strip_prefix("docs/");
            (path, name.and_then(|name| name.strip_suffix(".i18n")))
        }));
    halves
        .filter(|(_, name)| !name.is_some_and(|name| PAIRS.contains(&name)))
        .map(|(path, _)| {
            let message = "belongs to no pair: list it in PAIRS of xtask/src/i18n/mod.rs";
            Problem::at(Place::file(path), message)
        })
        .collect()
}

/// Hashes agree on all platforms only if no checkout changes the bytes.
fn check_bytes(file: &str, text: &str, problems: &mut Vec<Problem>) {
    if text.starts_with('\u{FEFF}') {
        problems.push(Problem::at(Place::new(file, 1), "a byte order mark"));
    }
    if let Some(at) = text.find('\r') {
        let line = document::line_of(text, at);
        problems.push(Problem::at(Place::new(file, line), "a carriage return"));
    }
}

fn check_switcher(
    name: &str,
    file: &str,
    document: &Document<'_>,
    side: usize,
    problems: &mut Vec<Problem>,
) {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let expected = SWITCHERS[side].replace("NAME", stem);
    let blocks: Vec<&Block> = document.blocks().take(2).collect();
    let found = matches!(blocks[..], [title, line]
        if title.shape == "heading h1" && is_switcher(line)
        && document.text.lines().nth(line.line - 1) == Some(expected.as_str()));
    if !found {
        let line = blocks.last().map_or(1, |block| block.line);
        let message = format!("a title, then the line `{expected}`, must open the document");
        problems.push(Problem::at(Place::new(file, line), message));
    }
}

/// Whether a block is the line that leads to the other language.
fn is_switcher(block: &Block) -> bool {
    block.shape == "paragraph" && matches!(block.prose.as_str(), "English | 简体中文")
}

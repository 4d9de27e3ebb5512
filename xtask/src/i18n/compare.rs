//! Whether two documents have the same structure and the same facts.

use std::collections::{BTreeMap, BTreeSet};

use super::Pair;
use super::document::{Block, Document, Section, TOP};
use crate::report::{Place, Problem, excerpt};

/// The differences between the two sides, section by section.
pub(super) fn compare(pair: &Pair<'_>, problems: &mut Vec<Problem>) {
    let (english, chinese) = (&pair.english, &pair.chinese);
    for (side, document) in [
        (pair.english_name(), english),
        (pair.chinese_name(), chinese),
    ] {
        check_ids(&side, document, problems);
    }
    let keys = |document: &Document<'_>| -> Vec<String> {
        let sections = document.sections.iter();
        sections.map(|section| section.key().to_owned()).collect()
    };
    for step in align(&keys(english), &keys(chinese)) {
        match step {
            Step::Both(left, right) => compare_sections(
                pair,
                &english.sections[left],
                &chinese.sections[right],
                problems,
            ),
            Step::Left(at, next) => problems.push(missing(
                pair,
                english.sections[at].line,
                chinese.sections.get(next).map(|section| section.line),
                &format!("section `{}`", english.sections[at].key()),
            )),
            Step::Right(at, next) => problems.push(surplus(
                pair,
                english.sections.get(next).map(|section| section.line),
                chinese.sections[at].line,
                &format!("section `{}`", chinese.sections[at].key()),
            )),
        }
    }
}

/// Every heading but the title has an id of its own, so that a link works in both languages.
fn check_ids(file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    let mut seen = BTreeSet::from([TOP]);
    for section in &document.sections[1..] {
        let place = || Place::new(file, section.line);
        match &section.id {
            None => problems.push(Problem::at(
                place(),
                "a heading without an id: write `## <a id=\"name\"></a>Title`",
            )),
            Some(id) if !seen.insert(id) => {
                problems.push(Problem::at(place(), format!("the id `{id}` is taken")));
            }
            Some(_) => {}
        }
    }
}

fn compare_sections(pair: &Pair<'_>, left: &Section, right: &Section, problems: &mut Vec<Problem>) {
    let shapes = |section: &Section| -> Vec<String> {
        let blocks = section.blocks.iter();
        blocks.map(|block| block.shape.clone()).collect()
    };
    let line = |section: &Section, at: usize| section.blocks.get(at).map(|block| block.line);
    for step in align(&shapes(left), &shapes(right)) {
        match step {
            Step::Both(a, b) => {
                compare_atoms(pair, &left.blocks[a], &right.blocks[b], problems);
            }
            Step::Left(a, next) => problems.push(missing(
                pair,
                left.blocks[a].line,
                line(right, next),
                &excerpt(&left.blocks[a].shape),
            )),
            Step::Right(b, next) => problems.push(surplus(
                pair,
                line(left, next),
                right.blocks[b].line,
                &excerpt(&right.blocks[b].shape),
            )),
        }
    }
}

fn compare_atoms(pair: &Pair<'_>, left: &Block, right: &Block, problems: &mut Vec<Problem>) {
    let mut balance: BTreeMap<&str, i32> = BTreeMap::new();
    for atom in &left.atoms {
        *balance.entry(atom).or_default() += 1;
    }
    for atom in &right.atoms {
        *balance.entry(atom).or_default() -= 1;
    }
    let only = |wanted: fn(i32) -> bool| -> Vec<&str> {
        let atoms = balance.iter();
        atoms
            .filter(|(_, count)| wanted(**count))
            .map(|(atom, _)| *atom)
            .collect()
    };
    let (english, chinese) = (only(|count| count > 0), only(|count| count < 0));
    if !english.is_empty() || !chinese.is_empty() {
        problems.push(Problem::between(
            pair.places(left.line, right.line),
            format!(
                "facts differ: English has {}, Chinese has {}",
                list(&english),
                list(&chinese)
            ),
        ));
    }
}

fn list(atoms: &[&str]) -> String {
    if atoms.is_empty() {
        "nothing for it".into()
    } else {
        atoms.join(", ")
    }
}

fn missing(pair: &Pair<'_>, line: usize, other: Option<usize>, what: &str) -> Problem {
    Problem::between(
        pair.places(line, other.unwrap_or(0)),
        format!("not in the Chinese text: {what}"),
    )
}

fn surplus(pair: &Pair<'_>, other: Option<usize>, line: usize, what: &str) -> Problem {
    Problem::between(
        pair.places(other.unwrap_or(0), line),
        format!("not in the English text: {what}"),
    )
}

/// A step through two sequences; the second index is where the other side stands.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Both(usize, usize),
    Left(usize, usize),
    Right(usize, usize),
}

/// Walks two sequences along a longest common subsequence.
fn align(left: &[String], right: &[String]) -> Vec<Step> {
    // `longest[a][b]` is the length of the longest common subsequence of the tails from a and b.
    let mut longest = vec![vec![0_usize; right.len() + 1]; left.len() + 1];
    for a in (0..left.len()).rev() {
        for b in (0..right.len()).rev() {
            longest[a][b] = if left[a] == right[b] {
                longest[a + 1][b + 1] + 1
            } else {
                longest[a + 1][b].max(longest[a][b + 1])
            };
        }
    }
    let (mut a, mut b, mut steps) = (0, 0, Vec::new());
    while a < left.len() || b < right.len() {
        if a < left.len() && b < right.len() && left[a] == right[b] {
            steps.push(Step::Both(a, b));
            (a, b) = (a + 1, b + 1);
        } else if b == right.len() || a < left.len() && longest[a + 1][b] >= longest[a][b + 1] {
            steps.push(Step::Left(a, b));
            a += 1;
        } else {
            steps.push(Step::Right(b, a));
            b += 1;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::Step::{Both, Left, Right};
    use super::*;

    #[test]
    fn alignment_goes_on_after_a_difference() {
        let words = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
        let steps = |left, right| align(&words(left), &words(right));
        assert_eq!(steps("ab", "ab"), [Both(0, 0), Both(1, 1)]);
        assert_eq!(steps("abc", "ac"), [Both(0, 0), Left(1, 1), Both(2, 1)]);
        assert_eq!(steps("ac", "abc"), [Both(0, 0), Right(1, 1), Both(1, 2)]);
        assert_eq!(steps("", "x"), [Right(0, 0)]);
    }
}

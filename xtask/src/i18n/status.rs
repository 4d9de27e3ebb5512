//! Which sections changed since the two sides were confirmed, and which side is behind.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::document::{Document, Section, line_of};
use super::record::Record;
use super::{PAIRS, Pair, record_path};
use crate::report::{Outcome, Place, Problem};
use crate::tree::Tree;

/// A section that is not as it was confirmed.
struct Change {
    key: String,
    english: bool,
    chinese: bool,
    /// Where it stands now, 0 where it is gone.
    lines: [usize; 2],
}

impl Change {
    fn what(&self) -> String {
        let (key, verdict) = (
            &self.key,
            match (self.english, self.chinese) {
                (true, true) => "both sides changed",
                (true, false) => "English changed, Chinese did not",
                (false, _) => "Chinese changed, English did not",
            },
        );
        format!("section `{key}`: {verdict}")
    }
}

/// Compares a pair with its record.
pub(super) fn check_record(pair: &Pair<'_>, problems: &mut Vec<Problem>) {
    match recorded(pair) {
        Err(problem) => problems.push(problem),
        Ok(record) => {
            let changes = changes(pair, &record);
            // Sections cover every byte, so hashes of files differ only with a section's.
            if changes.is_empty() && record != pair.current_record() {
                let place = Place::file(record_path(pair.name));
                problems.push(Problem::at(place, "does not fit the two files"));
            }
            problems.extend(changes.iter().map(|change| {
                let [english, chinese] = change.lines;
                Problem::between(pair.places(english, chinese), change.what())
            }));
        }
    }
}

fn recorded(pair: &Pair<'_>) -> Result<Record, Problem> {
    let path = record_path(pair.name);
    let Some(text) = pair.record else {
        return Err(Problem::at(Place::file(path), "missing: never confirmed"));
    };
    Record::parse(text)
        .map_err(|line| Problem::at(Place::new(path, line), "not as `confirm` writes it"))
}

fn changes(pair: &Pair<'_>, record: &Record) -> Vec<Change> {
    let current = pair.current_record();
    let mut keys: Vec<&String> = current.sections.keys().collect();
    keys.extend(record.sections.keys());
    keys.sort();
    keys.dedup();
    let hash = |record: &Record, key: &str, side: usize| {
        record.sections.get(key).map(|hashes| hashes[side].clone())
    };
    let line = |document: &Document<'_>, key: &str| {
        document.section(key).map_or(0, |section| section.line)
    };
    keys.into_iter()
        .map(|key| Change {
            key: key.clone(),
            english: hash(&current, key, 0) != hash(record, key, 0),
            chinese: hash(&current, key, 1) != hash(record, key, 1),
            lines: [line(&pair.english, key), line(&pair.chinese, key)],
        })
        .filter(|change| change.english || change.chinese)
        .collect()
}

/// `cargo xtask i18n status`
pub(crate) fn status(root: &Path, tree: &Tree) -> Outcome {
    // On lines of its own, below the name of the task.
    let mut out = "\n".to_owned();
    for name in PAIRS {
        let pair = Pair::read(tree, name)?;
        let record = recorded(&pair).map_err(|problem| vec![problem])?;
        let changes = changes(&pair, &record);
        for (file, _) in pair.sides() {
            let _ = writeln!(out, "{file}: last commit {}", age(root, &file));
        }
        for change in &changes {
            let _ = writeln!(out, "{}", change.what());
            for (changed, (file, document)) in
                std::iter::zip([change.english, change.chinese], pair.sides())
            {
                if let (true, Some(section)) = (changed, document.section(&change.key)) {
                    let blob = record.files.get(&file).map_or("", String::as_str);
                    out.push_str(&difference(root, blob, &file, document, section));
                }
            }
        }
        if changes.is_empty() {
            let _ = writeln!(out, "{name}: as confirmed");
        }
    }
    Ok(out.trim_end().to_owned())
}

fn age(root: &Path, file: &str) -> String {
    git(root, &["log", "-1", "--format=%cr, %h", "--", file])
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "unknown".into())
}

/// What changed in a section, while git still has the confirmed text.
fn difference(
    root: &Path,
    blob: &str,
    file: &str,
    document: &Document<'_>,
    section: &Section,
) -> String {
    let Some(diff) = git(
        root,
        &["diff", "--no-color", "--no-ext-diff", "-U0", blob, file],
    ) else {
        return String::new();
    };
    let last = line_of(document.text, section.range.end);
    hunks_within(&diff, section.line..=last)
}

/// The hunks whose new lines touch a range.
fn hunks_within(diff: &str, lines: std::ops::RangeInclusive<usize>) -> String {
    let mut inside = false;
    diff.lines()
        .filter(|line| {
            if let Some(header) = line.strip_prefix("@@ ") {
                let (start, count) = new_range(header).unwrap_or((0, 0));
                inside = start <= *lines.end() && start + count.max(1) > *lines.start();
            } else if !line.starts_with(['+', '-']) {
                inside = false;
            }
            inside && !line.starts_with("+++") && !line.starts_with("---")
        })
        .fold(String::new(), |out, line| out + "    " + line + "\n")
}

/// Start and length after `+` in `-3,2 +3,4 @@`.
fn new_range(header: &str) -> Option<(usize, usize)> {
    let range = header.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

/// What git prints, or `None`: no git, no repository, no such object.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(root).args(args).output();
    let output = output.ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hunks_of_the_section_are_shown() {
        let diff =
            "diff --git a b\n--- a\n+++ b\n@@ -2 +2 @@ x\n-a\n+b\n@@ -9,0 +10,2 @@\n+c\n+d\n";
        let shown = |lines| hunks_within(diff, lines);
        assert_eq!(shown(1..=4), "    @@ -2 +2 @@ x\n    -a\n    +b\n");
        assert_eq!(shown(11..=12), "    @@ -9,0 +10,2 @@\n    +c\n    +d\n");
        assert_eq!(shown(5..=9), "");
    }
}

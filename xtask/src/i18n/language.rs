//! Whether a side is in its language.

use super::document::{Block, Document, OBJECT};
use crate::report::{Place, Problem, excerpt};

/// Names that stay as they are in a Chinese sentence. Acronyms, and words with a capital inside
/// (`GitHub`), need no entry.
const NAMES: &[&str] = &[
    "Apache", "Chat", "Claude", "Code", "Codex", "Copilot", "Cursor", "Gemini", "Harness", "Hydra",
    "Kimi", "Linux", "Markdown", "Node", "Qwen", "Rust", "Windows", "dsh", "sref", "toh",
];

/// The longest run of other foreign words that a Chinese sentence may quote.
const QUOTED: usize = 4;

/// The English side is free of Chinese.
pub(super) fn english(file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    for block in prose(document) {
        if block.prose.contains(is_han) {
            problems.push(Problem::at(
                Place::new(file, block.line),
                format!("Chinese in the English text: {}", excerpt(&block.prose)),
            ));
        }
    }
}

/// Every sentence of the Chinese side is Chinese.
pub(super) fn chinese(file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    for block in prose(document) {
        for sentence in sentences(&block.prose) {
            let longest = foreign_run(sentence);
            let han = sentence.contains(is_han);
            if longest > if han { QUOTED } else { 0 } {
                problems.push(Problem::at(
                    Place::new(file, block.line),
                    format!(
                        "not Chinese (names go into NAMES of xtask/src/i18n/language.rs): {}",
                        excerpt(sentence.trim())
                    ),
                ));
            }
        }
    }
}

/// The blocks with words. The switcher names both languages.
fn prose<'d>(document: &'d Document<'_>) -> impl Iterator<Item = &'d Block> {
    document.blocks().filter(|block| !super::is_switcher(block))
}

fn sentences(prose: &str) -> impl Iterator<Item = &str> {
    let mut rest = prose;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut ends = rest.char_indices().filter(|(at, c)| match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => rest[at + 1..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace),
            _ => false,
        });
        let end = ends.next().map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// The longest run of foreign words that are no names, counting over spaces and ASCII punctuation.
fn foreign_run(sentence: &str) -> usize {
    sentence
        .split(|c: char| is_han(c) || c == OBJECT || (!c.is_ascii() && !c.is_alphabetic()))
        .map(|run| {
            run.split(|c: char| !c.is_alphanumeric())
                .filter(|word| is_word(word) && !is_name(word))
                .count()
        })
        .max()
        .unwrap_or(0)
}

/// Letters only: `v0` of a version and `x86` are no words of a language.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
}

fn is_name(word: &str) -> bool {
    NAMES.contains(&word) || word.chars().skip(1).any(char::is_uppercase)
}

/// The unified ideographs and their extensions.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(text: &str) -> bool {
        let mut problems = Vec::new();
        chinese("x.zh.md", &Document::parse(text), &mut problems);
        problems.is_empty()
    }

    #[test]
    fn a_chinese_sentence_may_hold_names_and_short_quotations() {
        for text in [
            "用 `sref list` 列出会话。\n",
            "## Claude Code\n",
            "| OpenAI Codex | MCP |\n| -- | -- |\n| `a` | v1.0 |\n",
            "把提及称为 mention，把快照称为 snapshot of a session。\n",
            "支持 Claude Code、Codex、Gemini CLI。\n",
        ] {
            assert!(passes(text), "{text}");
        }
    }

    #[test]
    fn english_left_standing_is_found() {
        for text in [
            "Install\n",
            "## Quick start\n",
            "先装好。Then run it. 然后用。\n",
            "这个命令 prints the sessions of this directory and exits。\n",
            "- 一\n- two\n",
        ] {
            assert!(!passes(text), "{text}");
        }
    }
}

//! Foreign text as a terminal may see it.
//!
//! Ids, titles, paths and conversations come from somebody else, and a terminal obeys what it
//! prints: a title can clear the screen, a bidi control can turn a line around, an invisible
//! character can hide in an id. All of these are written as `\u{1b}`, like in error messages.

use std::fmt::Write as _;

use sref::session::{JsStr, Sight, tame};

/// A text on one line: line breaks and runs of white space become one space.
pub(crate) fn line(text: JsStr<'_>) -> String {
    let words = text.to_string_lossy();
    if words.len() == text.len() && words.bytes().all(|byte| (0x21..0x7F).contains(&byte)) {
        return words.into_owned();
    }
    write(text, Shape::Line)
}

/// A foreign title on one line, so that it is only words also for a model that reads the terminal.
pub(crate) fn label(text: JsStr<'_>) -> String {
    let line = line(text);
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        out.push(tame(out.as_bytes(), c, characters.peek().copied()));
    }
    out
}

/// A text with its line breaks and tabs.
pub(crate) fn lines(text: JsStr<'_>) -> String {
    write(text, Shape::Lines)
}

/// JSON whose strings hold the same, with an escape for each character that does not show. Outside
/// of strings JSON has none.
pub(crate) fn json(mut text: String) -> String {
    if text.contains(is_hidden) {
        let plain = std::mem::take(&mut text);
        for c in plain.chars() {
            if is_hidden(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(text, "\\u{unit:04x}");
                }
            } else {
                text.push(c);
            }
        }
    }
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Line,
    Lines,
}

fn write(text: JsStr<'_>, shape: Shape) -> String {
    let mut out = String::with_capacity(text.len());
    let mut code_points = text.code_points().peekable();
    // The character before, when it was one that shows.
    let mut before = None;
    while let Some(code_point) = code_points.next() {
        let next = code_points.peek().copied().and_then(char::from_u32);
        let Some(c) = char::from_u32(code_point) else {
            escape(&mut out, code_point);
            before = None;
            continue;
        };
        match (c, shape) {
            ('\r', _) if next == Some('\n') => continue,
            ('\n' | '\t' | ' ', Shape::Lines) => out.push(c),
            _ if shape == Shape::Line && (c == ' ' || c.is_whitespace()) => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ if is_hidden(c) && !joins(before, c, next) => escape(&mut out, code_point),
            _ => {
                out.push(c);
                before = Some(c);
                continue;
            }
        }
        before = None;
    }
    if shape == Shape::Line {
        out.truncate(out.trim_end_matches(' ').len());
    }
    out
}

fn escape(out: &mut String, code_point: u32) {
    let _ = write!(out, "\\u{{{code_point:x}}}");
}

/// Whether a character is one that a terminal acts on, or that does not show.
fn is_hidden(c: char) -> bool {
    !Sight::of(c).is_visible()
}

/// Whether a hidden character does its work here: a joiner between two letters of a script that
/// needs it or between two emoji, a presentation selector behind its character.
fn joins(before: Option<char>, c: char, next: Option<char>) -> bool {
    let joined = |c: char| !c.is_ascii() && !c.is_whitespace() && !is_hidden(c);
    match c {
        '\u{200C}' | '\u{200D}' => {
            before.is_some_and(|c| joined(c) || c == '\u{FE0F}') && next.is_some_and(joined)
        }
        '\u{FE0E}' | '\u{FE0F}' => before.is_some_and(|c| !is_hidden(c)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use sref::session::JsString;

    use super::*;

    fn check(text: &str, one_line: &str, all_lines: &str) {
        let text = JsString::from(text);
        assert_eq!(line(text.as_js_str()), one_line);
        assert_eq!(lines(text.as_js_str()), all_lines);
    }

    #[test]
    fn ordinary_text_stays() {
        let text = "Straße, 支付回调 e\u{301} 👩‍👧 ❤️ 1️⃣ می‌خواهم";
        check(text, text, text);
        check("abc", "abc", "abc");
        check("  a \t b\n\nc  ", "a b c", "  a \t b\n\nc  ");
        check("a\r\nb", "a b", "a\nb");
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        check(
            "\x1b[2J\x07\u{9b}1m\x7f",
            r"\u{1b}[2J\u{7}\u{9b}1m\u{7f}",
            r"\u{1b}[2J\u{7}\u{9b}1m\u{7f}",
        );
        // A bare CR goes back to the start of the line.
        check("safe\rEVIL", "safe EVIL", r"safe\u{d}EVIL");
        check(
            "a\u{202e}b\u{2066}c",
            r"a\u{202e}b\u{2066}c",
            r"a\u{202e}b\u{2066}c",
        );
        check("a\u{2028}b", "a b", r"a\u{2028}b");
    }

    #[test]
    fn a_title_is_only_words() {
        let title = JsString::from("</b>\nFix\u{7}: @sref:3f9c");
        assert_eq!(label(title.as_js_str()), r"‹/b› Fix\u{7}: @sref∶3f9c");
    }

    #[test]
    fn what_does_not_show_is_shown() {
        check("pass\u{200b}word", r"pass\u{200b}word", r"pass\u{200b}word");
        // Joiners and selectors where they join and select nothing.
        check("a\u{200d}b", r"a\u{200d}b", r"a\u{200d}b");
        check(
            "❤\u{fe0f}\u{fe0f}",
            "❤\u{fe0f}\\u{fe0f}",
            "❤\u{fe0f}\\u{fe0f}",
        );
        check(
            "\u{e0041}\u{fdd0}\u{1ffff}",
            r"\u{e0041}\u{fdd0}\u{1ffff}",
            r"\u{e0041}\u{fdd0}\u{1ffff}",
        );
        let half = JsString::from_utf16([0x61, 0xD83D]);
        assert_eq!(line(half.as_js_str()), r"a\u{d83d}");
        assert_eq!(lines(half.as_js_str()), r"a\u{d83d}");
    }

    #[test]
    fn json_means_the_same() {
        use sref::session::json::{Value, parse};

        let hostile = "del\u{7f} \u{9b}2J \u{202e}\u{e0041} 👩‍👧 \u{1b}[0m \\u001b";
        let value = Value::from(hostile);
        let text = json(value.to_json());
        assert!(!text.contains(is_hidden), "{text}");
        assert!(
            text.contains(r"del\u007f") && text.contains(r"\udb40\udc41"),
            "{text}"
        );
        assert_eq!(parse(text.as_bytes()).unwrap(), value);
        assert_eq!(json(r#"{"a":"支付"}"#.to_owned()), r#"{"a":"支付"}"#);
    }

    #[test]
    fn nothing_hidden_is_left() {
        for c in '\0'..='\u{1FFFF}' {
            let text = JsString::from(format!("x{c}y"));
            for shown in [line(text.as_js_str()), lines(text.as_js_str())] {
                assert!(
                    shown
                        .chars()
                        .all(|c| !is_hidden(c) || "\n\t\u{fe0e}\u{fe0f}".contains(c)),
                    "{shown:?}"
                );
            }
        }
    }
}

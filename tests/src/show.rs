//! Foreign text made fit for a terminal.

use sref::session::json::Value;
use sref::session::{JsStr, JsString};

/// How many bytes of one value a report shows.
const LIMIT: usize = 1_600;

/// A value as JSON that a terminal shows as it is: controls, invisible and bidirectional characters
/// in the form `\u{202e}`, which JSON does not have, so that they differ from written escapes. A
/// long value is cut in the middle.
pub(crate) fn value(value: &Value) -> String {
    cut(&visible(&value.to_json()), LIMIT)
}

/// A text, without quotes, fit for a line of a report.
pub(crate) fn text(text: &JsString) -> String {
    let json = text.to_json();
    cut(&visible(&json[1..json.len() - 1]), LIMIT)
}

/// The part of a text around a byte offset, as a JSON string; `…` marks what is left out.
pub(crate) fn around(text: JsStr<'_>, at: usize) -> String {
    const BEFORE: usize = 40;
    const AFTER: usize = 120;
    let start = text.floor_boundary(at.saturating_sub(BEFORE));
    let end = text.floor_boundary(at + AFTER);
    let part = visible(&text.slice(start..end).to_js_string().to_json());
    let head = if start > 0 { "…" } else { "" };
    let tail = if end < text.len() { "…" } else { "" };
    format!("{head}{part}{tail}")
}

fn visible(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, ' '..='~') {
            out.push(c);
        } else {
            out.extend(c.escape_debug());
        }
    }
    out
}

/// Two thirds of the head and one third of the tail of what is longer than `limit` bytes.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let boundary = |at| JsStr::from(text).floor_boundary(at);
    let (head, tail) = (boundary(limit / 3 * 2), boundary(text.len() - limit / 3));
    format!(
        "{} [… {} bytes …] {}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}

#[cfg(test)]
mod tests {
    use sref::session::json::parse;

    use super::*;

    fn shown(json: &[u8]) -> String {
        value(&parse(json).unwrap())
    }

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(shown(br#""a\u001b[2J""#), r#""a\u001b[2J""#);
        assert_eq!(
            shown("\"\u{7f}\u{9b}\u{202e}\u{200b}\u{feff}\"".as_bytes()),
            r#""\u{7f}\u{9b}\u{202e}\u{200b}\u{feff}""#
        );
        // What is only unusual stays readable.
        assert_eq!(shown("\"日本 😀 é\"".as_bytes()), "\"日本 😀 é\"");
        assert_eq!(shown(br#""\ud83d""#), r#""\ud83d""#);
    }

    #[test]
    fn long_values_lose_their_middle() {
        let long = format!("\"{}é{}\"", "a".repeat(2_000), "z".repeat(2_000));
        let shown = shown(long.as_bytes());
        assert!(shown.len() < LIMIT + 40, "{}", shown.len());
        assert!(shown.starts_with("\"aaa") && shown.ends_with("zzz\""));
        assert!(shown.contains(" bytes …] "), "{shown}");
        // A limit inside a character falls back to its start.
        assert_eq!(cut("é".repeat(100).as_str(), 31).chars().next(), Some('é'));
    }

    #[test]
    fn a_window_shows_the_place() {
        let text = JsString::from(format!("{}X{}", "a".repeat(100), "é".repeat(100)));
        let window = around(text.as_js_str(), 100);
        assert_eq!(
            window,
            format!("…\"{}X{}\"…", "a".repeat(40), "é".repeat(59))
        );
        assert_eq!(around(JsString::from("ab").as_js_str(), 2), "\"ab\"");
    }
}

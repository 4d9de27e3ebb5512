use alloc::vec::Vec;
use core::ops::Range;

use memchr::memmem;
use sref_session::{JsStr, JsString, SessionId};
use sref_uri::{Schemes, SessionUri};

use super::{Readable, Request};
use crate::event::corpus_id;
use crate::prompt::is_thread_id;

pub(crate) const READABLE: &str = "@sref:";
pub(crate) const THREAD: &str = "thread://";

/// Ids, titles and labels that are longer are none.
const MAX: usize = 700;

/// Quotation marks around the words of a title.
const QUOTES: [(&str, &str); 3] = [("\"", "\""), ("“", "”"), ("「", "」")];

/// All places that are spelled like a readable mention, in order, none overlapping.
pub(super) fn scan(text: JsStr<'_>) -> Vec<Readable> {
    let bytes = text.as_wtf8();
    let schemes = Schemes::known();
    let mut found: Vec<Readable> = memmem::find_iter(bytes, READABLE)
        .filter_map(|at| named(text, at, &schemes))
        .chain(memmem::find_iter(bytes, THREAD).filter_map(|at| thread(text, at)))
        .collect();
    found.sort_by_key(|readable| readable.range.start);
    let mut end = 0;
    found.retain(|readable| {
        let free = readable.range.start >= end;
        if free {
            end = readable.range.end;
        }
        free
    });
    found
}

/// What `@sref:` at `at` names.
fn named(text: JsStr<'_>, at: usize, schemes: &Schemes) -> Option<Readable> {
    let bytes = text.as_wtf8();
    if !begins_word(bytes, at) {
        return None;
    }
    let start = at + READABLE.len();
    let (end, request) = title(text, start)
        .or_else(|| attempt(bytes, at, start))
        .or_else(|| id(bytes, start, schemes))?;
    Some(Readable {
        range: at..end,
        request,
        label: None,
    })
}

/// Whether a mention can begin here: not in an e-mail address, not behind a backslash.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'\\')
}

fn title(text: JsStr<'_>, start: usize) -> Option<(usize, Request)> {
    let bytes = text.as_wtf8();
    let (open, close) = QUOTES
        .into_iter()
        .find(|(open, _)| bytes[start..].starts_with(open.as_bytes()))?;
    let start = start + open.len();
    let window = &bytes[start..bytes.len().min(start + MAX)];
    let end = start + memmem::find(window, close.as_bytes())?;
    let words = &bytes[start..end];
    // A line end or a backtick in it: the quotation mark was another one's.
    if words
        .iter()
        .any(|byte| matches!(byte, b'\n' | b'\r' | b'`'))
        || words.trim_ascii().is_empty()
    {
        return None;
    }
    let words = text.slice(start..end).to_js_string();
    Some((end + close.len(), Request::Title(words)))
}

/// A quotation mark that is not closed in its line, or has nothing in it, with the word behind it.
///
/// Whoever wrote it waits for a session. In `"@sref:"` the mark closes another one.
fn attempt(bytes: &[u8], at: usize, start: usize) -> Option<(usize, Request)> {
    let (open, close) = QUOTES
        .into_iter()
        .find(|(open, _)| bytes[start..].starts_with(open.as_bytes()))?;
    let line = &bytes[start + open.len()..bytes.len().min(start + MAX)];
    let line = line
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .next()
        .unwrap_or_default();
    if bytes[..at].ends_with(open.as_bytes()) || line.contains(&b'`') {
        return None;
    }
    let blank = memmem::find(line, close.as_bytes()).map(|blank| blank + close.len());
    let length = blank.unwrap_or_else(|| {
        let word = line.iter().take(MAX_WORD);
        let mut length = word.take_while(|byte| !byte.is_ascii_whitespace()).count();
        // Not in the middle of a character.
        while line.get(length).is_some_and(|byte| byte & 0xC0 == 0x80) {
            length -= 1;
        }
        length
    });
    let end = start + open.len() + length;
    Some((end, Request::Title(JsString::new())))
}

/// How much of a word behind an open quotation mark is shown, in bytes.
const MAX_WORD: usize = 80;

fn id(bytes: &[u8], start: usize, schemes: &Schemes) -> Option<(usize, Request)> {
    let run = bytes[start..]
        .iter()
        .take(MAX)
        .take_while(|byte| is_id_byte(**byte))
        .count();
    let written = &bytes[start..start + run];
    // What ends a sentence or an emphasis is no part of an id.
    let kept = written.len()
        - written
            .iter()
            .rev()
            .take_while(|byte| b".:!?_~-".contains(byte))
            .count();
    if kept == 0 || run == MAX {
        return None;
    }
    let text = core::str::from_utf8(&written[..kept]).ok()?;
    let request = SessionUri::parse(text.into(), schemes).map_or_else(
        |_| Request::Id {
            prefix: text.into(),
            complete: kept == run,
        },
        |uri| Request::Session(schemes.session_id(&uri)),
    );
    Some((start + kept, request))
}

/// Printable ASCII but quotation marks, brackets and what separates words.
const fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\''
                | b'`'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b','
                | b';'
                | b'|'
                | b'\\'
                | b'*'
        )
}

/// What `thread://` at `at` names: a Codex thread, in a Markdown link or, if a UUID, alone.
fn thread(text: JsStr<'_>, at: usize) -> Option<Readable> {
    let bytes = text.as_wtf8();
    let before = at.checked_sub(1).map(|before| bytes[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    {
        return None;
    }
    let start = at + THREAD.len();
    let run = bytes[start..]
        .iter()
        .take(65)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    let id = &bytes[start..start + run];
    if !is_thread_id(id) {
        return None;
    }
    let session = if is_uuid(id) {
        // Codex writes its own in lower case.
        let lower = JsString::from_utf8_lossy(&id.to_ascii_lowercase());
        corpus_id("codex", lower.as_js_str())
    } else {
        corpus_id("codex", text.slice(start..start + run))
    };
    link(text, at, start + run, &session).or_else(|| {
        is_uuid(id).then(|| Readable {
            range: at..start + run,
            request: Request::Session(session),
            label: None,
        })
    })
}

/// The link `[@title](thread://id?hostId=…)` around a URI.
fn link(text: JsStr<'_>, at: usize, id_end: usize, session: &SessionId) -> Option<Readable> {
    let bytes = text.as_wtf8();
    let query = if bytes.get(id_end) == Some(&b'?') {
        let window = &bytes[id_end..bytes.len().min(id_end + MAX)];
        window
            .iter()
            .position(|byte| *byte == b')' || byte.is_ascii_whitespace())?
    } else {
        0
    };
    let end = id_end + query;
    let title_end = at.checked_sub("](".len())?;
    if bytes.get(end) != Some(&b')') || &bytes[title_end..at] != b"](" {
        return None;
    }
    let open = opening(bytes, title_end)?;
    let title = text.slice(open + 1..title_end);
    let title = match title.as_wtf8().first() {
        Some(b'@') => title.slice(1..title.len()),
        _ => title,
    };
    let start = if open > 0 && bytes[open - 1] == b'@' {
        open - 1
    } else {
        open
    };
    Some(Readable {
        range: start..end + 1,
        request: Request::Session(session.clone()),
        label: (!title.is_empty()).then(|| JsString::from(title)),
    })
}

/// The `[` that the `]` at `close` belongs to, on the same line.
fn opening(bytes: &[u8], close: usize) -> Option<usize> {
    let from = close.saturating_sub(MAX);
    let mut depth = 0_usize;
    for (back, byte) in bytes[from..close].iter().rev().enumerate() {
        match byte {
            b'[' if depth == 0 => return Some(close - 1 - back),
            b'[' => depth -= 1,
            b']' => depth += 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

fn is_uuid(id: &[u8]) -> bool {
    let dashes: Range<usize> = 0..36;
    id.len() == 36
        && dashes.zip(id).all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use super::*;

    /// The mentions of a text as `what it is: what it names`.
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = scan(text.into())
            .into_iter()
            .map(|readable| {
                let written = &text[readable.range];
                let label = readable
                    .label
                    .map_or_else(String::new, |label| format!(" ({label})"));
                match readable.request {
                    Request::Id { prefix, complete } => {
                        format!("{written} = {prefix}{}", if complete { "" } else { "…" })
                    }
                    Request::Title(words) => format!("{written} = \"{words}\""),
                    Request::Session(id) => format!("{written} = {id}{label}"),
                }
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn ids() {
        check("@sref:5f0c", &["@sref:5f0c = 5f0c"]);
        check(
            "see @sref:claude:5f0c-1/a, please",
            &["@sref:claude:5f0c-1/a = claude:5f0c-1/a"],
        );
        check("(@sref:a) @sref:b.", &["@sref:a = a", "@sref:b = b…"]);
        check(
            "**@sref:a** _@sref:b_ 看@sref:c看",
            &["@sref:a = a", "@sref:b = b…", "@sref:c = c"],
        );
        check("@sref:dsh-session:ImEi.", &["@sref:dsh-session:ImEi = a"]);
        check(
            "@sref:dsh-session:x",
            &["@sref:dsh-session:x = dsh-session:x"],
        );
        check("@sref: a @sref:. me@sref:a \\@sref:a @SREF:a", &[]);
        check(&format!("@sref:{}", "x".repeat(700)), &[]);
    }

    #[test]
    fn titles() {
        check(
            "@sref:\"fix the login\"s",
            &["@sref:\"fix the login\" = \"fix the login\""],
        );
        check(
            "@sref:“登录”和@sref:「会话」",
            &["@sref:“登录” = \"登录\"", "@sref:「会话」 = \"会话\""],
        );
        for text in ["\"@sref:\"", "@sref:\"a`b\"", "“@sref:”", "“@sref:“"] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_mention_that_was_begun_names_nothing() {
        check(
            "@sref:\"\" @sref:\" \" @sref:\"a b\nc\" @sref:“登录",
            &[
                "@sref:\"\" = \"\"",
                "@sref:\" \" = \"\"",
                "@sref:\"a = \"\"",
                "@sref:“登录 = \"\"",
            ],
        );
        check("@sref:\"a @sref:b", &["@sref:\"a = \"\"", "@sref:b = b"]);
    }

    #[test]
    fn threads() {
        const ID: &str = "019edb56-0000-7000-8000-0123456789ab";
        check(
            &format!("go on with [@Fix [v2] login](thread://{ID})."),
            &[&format!(
                "[@Fix [v2] login](thread://{ID}) = codex:{ID} (Fix [v2] login)"
            )],
        );
        check(
            "@[a](thread://t-1) [b](thread://t_2?hostId=local)",
            &[
                "@[a](thread://t-1) = codex:t-1 (a)",
                "[b](thread://t_2?hostId=local) = codex:t_2 (b)",
            ],
        );
        check(
            &format!("thread://{ID}, x"),
            &[&format!("thread://{ID} = codex:{ID}")],
        );
        check(
            &format!("thread://{}", ID.to_uppercase()),
            &[&format!("thread://{} = codex:{ID}", ID.to_uppercase())],
        );
        check(
            "thread://pool codex-thread://a interthread://a thread:// [x](thread://a b)",
            &[],
        );
        check(
            &format!(
                "[x]\n(thread://t) [\n](thread://t) [a](thread://{})",
                "a".repeat(65)
            ),
            &[],
        );
    }

    proptest! {
        /// Ranges are in the text, in order, on characters, whatever stands around.
        #[test]
        fn ranges_are_sound(pieces in prop::collection::vec(prop::sample::select(vec![
            "@sref:", "\"", "“", "”", "a-1", "thread://", "](", "[@", "@[", ")", "dsh-session:ImEi",
            "日", "\n", " ", "`", "019edb56-0000-7000-8000-0123456789ab", "?", "_", ":",
        ]), 0..24)) {
            let text = pieces.concat();
            let mut end = 0;
            for readable in scan(text.as_str().into()) {
                prop_assert!(readable.range.start >= end && readable.range.end > readable.range.start);
                end = readable.range.end;
                prop_assert!(text.get(readable.range).is_some());
            }
        }
    }

    /// Quadratic, this would take minutes.
    #[test]
    fn hostile_text_costs_little() {
        for piece in [
            "@sref:",
            "@sref:\"",
            "[[[](thread://",
            "](thread://a",
            "[",
            "@sref:a?thread://",
        ] {
            let text = piece.repeat(100_000 / piece.len());
            scan(text.as_str().into());
        }
    }
}

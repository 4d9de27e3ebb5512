use alloc::vec::Vec;

use sref_session::json::{Kind, Scanner};
use sref_session::{JsStr, SessionId};

use crate::event::corpus_id;

const CHATS: &[u8] = b"## Referenced chats with Codex:\n";
/// The line before the person's words; newer builds leave the product's name out.
const REQUEST: [&[u8]; 2] = [b"## My request for Codex:", b"## My request:"];

/// A Codex prompt taken apart: the person's words, and the threads that a block before them names.
pub(super) struct Unwrapped<'a> {
    pub(super) words: JsStr<'a>,
    pub(super) threads: Vec<SessionId>,
}

/// Takes the person's words out of a prompt that Codex put machine text in front of.
///
/// A prompt that cites other threads begins with `## Referenced chats with Codex:`, some advice and
/// one line of JSON, `[{"threadId":"…"}]`; editors put the open files before it. The words follow
/// `## My request for Codex:` (`spec/delivery.md` 0.1, 6; `spec/agent-logs.md` 3). A prompt that does
/// not begin with a heading is all words.
pub(super) fn unwrap(prompt: JsStr<'_>) -> Unwrapped<'_> {
    let whole = Unwrapped {
        words: prompt,
        threads: Vec::new(),
    };
    let bytes = prompt.as_wtf8();
    if bytes.first() != Some(&b'#') {
        return whole;
    }
    let Some((heading, words)) = request_line(bytes) else {
        return whole;
    };
    let before = &bytes[..heading];
    Unwrapped {
        words: prompt.slice(words..bytes.len()),
        threads: memchr::memmem::find(before, CHATS)
            .map(|at| threads(&before[at + CHATS.len()..]))
            .unwrap_or_default(),
    }
}

/// Where the heading of the words stands, and where they begin.
fn request_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut start = 0;
    loop {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let line = bytes[start..end].trim_ascii_end();
        if REQUEST.contains(&line) {
            return Some((start, bytes.len().min(end + 1)));
        }
        if end == bytes.len() {
            return None;
        }
        start = end + 1;
    }
}

/// The threads of the first line that is a JSON array.
fn threads(block: &[u8]) -> Vec<SessionId> {
    block
        .split(|byte| *byte == b'\n')
        .find(|line| line.starts_with(b"["))
        .map(thread_ids)
        .unwrap_or_default()
}

fn thread_ids(json: &[u8]) -> Vec<SessionId> {
    let mut ids: Vec<SessionId> = Vec::new();
    let mut scanner = Scanner::new(json);
    let mut read = || {
        scanner.enter_array()?;
        while scanner.next_element()? {
            if scanner.peek()? != Kind::Object {
                scanner.skip_value()?;
                continue;
            }
            scanner.enter_object()?;
            while let Some(key) = scanner.next_key()? {
                if key.is("threadId") && scanner.peek()? == Kind::String {
                    let id = scanner.string()?.decode();
                    if is_thread_id(id.as_wtf8()) && ids.len() < MAX_THREADS {
                        ids.push(corpus_id("codex", id.as_js_str()));
                    }
                } else {
                    scanner.skip_value()?;
                }
            }
        }
        Ok::<_, sref_session::json::JsonError>(())
    };
    // A line that is no JSON after all names no thread beyond those before the fault.
    let _ = read();
    ids
}

/// As many as Codex puts into one prompt.
const MAX_THREADS: usize = 16;

/// Whether this is what Codex takes for a thread's id.
pub(crate) fn is_thread_id(id: &[u8]) -> bool {
    matches!(id.len(), 1..=64)
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    fn check(prompt: &str, words: &str, threads: &[&str]) {
        let unwrapped = unwrap(prompt.into());
        assert_eq!(unwrapped.words.to_string(), words);
        let ids: Vec<String> = unwrapped.threads.iter().map(ToString::to_string).collect();
        assert_eq!(ids, threads);
    }

    #[test]
    fn words_follow_the_heading() {
        check(
            "## Referenced chats with Codex:\nThese are references. Call `read_thread`.\n[{\"threadId\":\"019e-a\"},{\"hostId\":\"local\",\"threadId\":\"b\"}]\n## My request for Codex:\ngo on with [@a](thread://019e-a)\n## My request:\n",
            "go on with [@a](thread://019e-a)\n## My request:\n",
            &["codex:019e-a", "codex:b"],
        );
        check(
            "# Context from my IDE setup:\n## Open tabs:\n- a\n\n## My request:\nfix it",
            "fix it",
            &[],
        );
        check("## My request:", "", &[]);
    }

    #[test]
    fn a_person_s_own_headings_are_words() {
        for prompt in [
            "hi\n## My request:\nx",
            "# Title\n## My requests:\nx",
            "## Referenced chats with Codex:\n[{\"threadId\":\"a\"}]\nno heading",
            "",
        ] {
            check(prompt, prompt, &[]);
        }
    }

    #[test]
    fn odd_json_names_no_thread() {
        for json in [
            "[{\"threadId\":7}]",
            "[{\"threadId\":\"../x\"}]",
            "[\"threadId\"",
            "[[[{\"threadId\":\"a\"}]]]",
            "{\"threadId\":\"a\"}",
        ] {
            let prompt = format!("## Referenced chats with Codex:\n{json}\n## My request:\nx");
            check(&prompt, "x", &[]);
        }
    }
}

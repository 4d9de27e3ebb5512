//! What of a prompt may cite a session: the words of a person.

mod codex;
mod gate;
mod pasted;
mod schedule;

use alloc::vec::Vec;

use memchr::memmem;
use sref_session::{Dialect, JsStr, JsString, SessionId};

use crate::event::Event;
use crate::host::Host;
use crate::readable::{READABLE, THREAD};

pub(crate) use codex::is_thread_id;
pub use gate::Skip;
pub use schedule::schedules;

/// The words of a prompt that a person typed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Typed {
    /// The words. What was pasted is cut out, what a machine put around them taken off.
    pub words: JsString,
    /// Sessions that the prompt names beside its words: the threads of a Codex block.
    pub threads: Vec<SessionId>,
}

/// Whether anything in a hook's event can be a mention, from its raw bytes.
///
/// Nearly every prompt has none, and this is what such a prompt costs: one pass without reading
/// JSON. `true` promises nothing; `false` is certain, also for a host that escapes what it need not.
///
/// ```
/// use sref_delivery::may_mention;
/// use sref_session::Dialect;
///
/// assert!(!may_mention(br#"{"prompt":"fix the login"}"#, [&Dialect::DSH]));
/// assert!(may_mention(br#"{"prompt":"as in @sref:5f0c"}"#, [&Dialect::DSH]));
/// assert!(may_mention(br#"{"prompt":"as in \u0040sref:5f0c"}"#, [&Dialect::DSH]));
/// ```
#[must_use]
pub fn may_mention<'a>(event: &[u8], dialects: impl IntoIterator<Item = &'a Dialect>) -> bool {
    let finds = |needle: &str| memmem::find(event, needle.as_bytes()).is_some();
    finds(READABLE)
        || finds(THREAD)
        || dialects.into_iter().any(|dialect| finds(dialect.scheme()))
        || escapes_ascii(event)
}

/// Whether a printable ASCII character stands as an escape that JSON does not ask for. Then a
/// mention could hide from a search of the bytes.
fn escapes_ascii(json: &[u8]) -> bool {
    memmem::find_iter(json, b"\\u00").any(|at| matches!(json.get(at + 4), Some(b'2'..=b'7')))
        || memmem::find(json, b"\\/").is_some()
}

/// The words of an event's prompt that may cite sessions.
///
/// `scheduled` is asked at most once, and only when all else speaks for a person's words: whether
/// the event's transcript holds an earlier call by which the model put this prompt on a timer
/// ([`schedules`] tells it of one record).
///
/// # Errors
///
/// [`Skip`] when the prompt is to be left alone.
///
/// ```
/// use sref_delivery::{Host, Skip, typed};
/// use sref_session::Dialect;
///
/// let event = br#"{"prompt":"<task-notification>see @sref:5f0c"}"#;
/// let event = Host::Claude.read(event)?;
/// let words = typed(Host::Claude, &event, [&Dialect::DSH], |_| false);
/// assert_eq!(words, Err(Skip::Machine { tag: "task-notification" }));
/// # Ok::<(), sref_delivery::EventError>(())
/// ```
pub fn typed<'a>(
    host: Host,
    event: &Event,
    dialects: impl IntoIterator<Item = &'a Dialect>,
    scheduled: impl FnOnce(JsStr<'_>) -> bool,
) -> Result<Typed, Skip> {
    let prompt = event.prompt.as_js_str();
    let (words, threads) = match host {
        Host::Codex => {
            let unwrapped = codex::unwrap(prompt);
            (unwrapped.words.to_js_string(), unwrapped.threads)
        }
        Host::Claude => (pasted::without_pasted(prompt), Vec::new()),
        Host::Gemini | Host::Cline => (prompt.to_js_string(), Vec::new()),
    };
    let mut dialects = dialects.into_iter();
    let finds = |needle: &str| memmem::find(words.as_wtf8(), needle.as_bytes()).is_some();
    let mentions = finds(READABLE)
        || finds(THREAD)
        || dialects.any(|dialect| finds(dialect.scheme()))
        || !threads.is_empty();
    if !mentions {
        return Err(Skip::NoMention);
    }
    gate::check(host, event, scheduled)?;
    Ok(Typed { words, threads })
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    fn claude(prompt: &str, scheduled: bool) -> Result<Typed, Skip> {
        let json = format!(r#"{{"prompt":{}}}"#, JsString::from(prompt).to_json());
        let event = Host::Claude.read(json.as_bytes()).unwrap();
        typed(Host::Claude, &event, [&Dialect::DSH], |_| scheduled)
    }

    #[test]
    fn only_words_that_can_cite_are_given_on() {
        assert_eq!(claude("fix it", false), Err(Skip::NoMention));
        let typed = claude("as in @sref:x", false).unwrap();
        assert_eq!(typed.words, "as in @sref:x");
        assert_eq!(claude("as in @sref:x", true), Err(Skip::Scheduled));
        assert_eq!(
            claude("fix it", true),
            Err(Skip::NoMention),
            "not worth a look"
        );
        let pasted = "<pasted_content id=\"1\">\n@sref:x\n</pasted_content id=\"1\">";
        assert_eq!(claude(pasted, false), Err(Skip::NoMention));
    }

    #[test]
    fn a_sub_agent_opens_no_door() {
        for (host, json, expected) in [
            (
                Host::Claude,
                r#"{"prompt":"@sref:x","agent_id":"a1"}"#,
                Some(Skip::SubAgent),
            ),
            (
                Host::Codex,
                r#"{"prompt":"@sref:x","agent_id":"a1","agent_type":"x"}"#,
                Some(Skip::SubAgent),
            ),
            (
                Host::Codex,
                r#"{"prompt":"@sref:x","agent_id":7}"#,
                Some(Skip::SubAgent),
            ),
            (Host::Codex, r#"{"prompt":"@sref:x","agent_id":""}"#, None),
            (Host::Codex, r#"{"prompt":"@sref:x","agent_id":null}"#, None),
            (
                Host::Cline,
                r#"{"agent_id":"main","parent_agent_id":null,"userPromptSubmit":{"prompt":"@sref:x"}}"#,
                None,
            ),
            (
                Host::Cline,
                r#"{"agent_id":"b","parent_agent_id":"main","userPromptSubmit":{"prompt":"@sref:x"}}"#,
                Some(Skip::SubAgent),
            ),
        ] {
            let event = host.read(json.as_bytes()).unwrap();
            let words = typed(host, &event, [&Dialect::DSH], |_| false);
            assert_eq!(words.err(), expected, "{json}");
        }
    }

    #[test]
    fn a_codex_block_names_threads() {
        let prompt = "## Referenced chats with Codex:\n[{\"threadId\":\"t-1\"}]\n## My request for Codex:\ngo on";
        let json = format!(r#"{{"prompt":{}}}"#, JsString::from(prompt).to_json());
        let event = Host::Codex.read(json.as_bytes()).unwrap();
        let typed = typed(Host::Codex, &event, [&Dialect::DSH], |_| false).unwrap();
        assert_eq!(typed.words, "go on");
        assert_eq!(typed.threads[0].to_string(), "codex:t-1");
    }

    #[test]
    fn the_fast_path_hears_every_spelling() {
        let may = |event: &str| may_mention(event.as_bytes(), [&Dialect::TOH]);
        assert!(!may("{}") && !may(r#"{"prompt":"\n\u001b[1m é dsh-session:x"}"#));
        assert!(may("toh-session:x") && may("thread://x") && may("thread:\\/\\/x"));
        assert!(may(r"@sre\u0066:x"));
    }
}

use sref_session::JsStr;

use crate::event::Event;
use crate::host::{Answer, Host};

/// Why a prompt is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// It cites nothing.
    NoMention,
    /// It goes to a sub-agent: a model wrote it.
    SubAgent,
    /// It begins with the tag of a machine's message.
    Machine {
        /// The tag's name.
        tag: &'static str,
    },
    /// A model put it on a timer, so a person may never have seen it.
    Scheduled,
}

impl Skip {
    /// What the hook says of it: nothing, but for a prompt from a timer, since a person may have
    /// typed the same words and would wait for the session.
    #[must_use]
    pub fn answer(self) -> Answer {
        match self {
            Self::Scheduled => Answer::Pass {
                context: None,
                note: Some(SCHEDULED.into()),
            },
            Self::NoMention | Self::SubAgent | Self::Machine { .. } => Answer::Silent,
        }
    }
}

const SCHEDULED: &str = "sref: nothing attached: the model put this prompt on a timer, and only what \
                         a person types opens another session";

/// Tags that agents put around text that no person typed: a sub-agent's result, another session's
/// words (`spec/delivery.md` 0.1, 4; `spec/agent-logs.md` 2).
const MACHINE_TAGS: [&str; 5] = [
    "task-notification",
    "cross-session-message",
    "teammate-message",
    "agent-message",
    "channel",
];

/// The line that Claude Code may put before another session's message.
const PEER_LINE: &str = "Another Claude session sent a message:";

/// The tools by which Claude sends itself a prompt later.
pub(crate) const SCHEDULING_TOOLS: [&str; 2] = ["CronCreate", "ScheduleWakeup"];

/// Whether a person typed the prompt. Both Claude Code and Codex call their hook for text that a
/// model wrote, and a model must not open the door to another session.
pub(super) fn check(
    host: Host,
    event: &Event,
    scheduled: impl FnOnce(JsStr<'_>) -> bool,
) -> Result<(), Skip> {
    if event.sub_agent {
        return Err(Skip::SubAgent);
    }
    let prompt = event.prompt.as_js_str();
    if let Some(tag) = machine_tag(prompt) {
        return Err(Skip::Machine { tag });
    }
    if host == Host::Claude && scheduled(prompt) {
        return Err(Skip::Scheduled);
    }
    Ok(())
}

fn machine_tag(prompt: JsStr<'_>) -> Option<&'static str> {
    let mut text = prompt.as_wtf8().trim_ascii_start();
    if let Some(rest) = text.strip_prefix(PEER_LINE.as_bytes()) {
        text = rest.trim_ascii_start();
    }
    let text = text.strip_prefix(b"<")?;
    MACHINE_TAGS.into_iter().find(|tag| {
        text.strip_prefix(tag.as_bytes())
            .and_then(<[u8]>::first)
            .is_some_and(|byte| *byte == b'>' || byte.is_ascii_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn machine_messages_are_told_from_words_about_them() {
        for (prompt, tag) in [
            (
                "<task-notification>\n<result>@sref:x",
                Some("task-notification"),
            ),
            (
                "\n <cross-session-message from=\"a\">x",
                Some("cross-session-message"),
            ),
            (
                "Another Claude session sent a message:\n<cross-session-message>x",
                Some("cross-session-message"),
            ),
            ("<channel source=\"slack\">x", Some("channel")),
            ("<channels>x", None),
            ("<task-notification", None),
            ("what is <task-notification>?", None),
            ("Another Claude session sent a message: hi", None),
            ("", None),
        ] {
            assert_eq!(machine_tag(prompt.into()), tag, "{prompt}");
        }
    }
}

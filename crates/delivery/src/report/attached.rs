use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sref_projection::Kept;
use sref_service::ContextMessage;
use sref_session::{Dialect, Losses, SessionId};
use sref_uri::encode;

use super::losses::{fact, reasons};
use super::plain::{count, label_line, size};

/// A session that stands in the context, in the numbers that a receipt and a continuation give.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attached {
    /// Which session.
    pub session_id: SessionId,
    /// What the person called it, as one plain line.
    pub label: String,
    /// How many messages it has.
    pub messages: u64,
    /// How many of them stand there, in full or cut.
    pub shown: u64,
    /// The bytes of text that were left out.
    pub left_out: u64,
    /// The bytes of its rendered form.
    pub bytes: usize,
    /// The number of the first message that does not stand there in full, from 1.
    pub read_on: Option<u64>,
    /// What may be missing of it in any reading, because its log is damaged.
    pub losses: Losses,
}

impl Attached {
    /// The sessions of a context, in its order.
    #[must_use]
    pub fn of(context: &ContextMessage) -> Vec<Self> {
        let parts = context.kept.iter().zip(&context.losses);
        let parts = context.objects.iter().zip(parts);
        let parts = context.references.iter().zip(parts);
        parts
            .map(|(record, (object, (kept, losses)))| Self {
                session_id: record.session_id.clone(),
                label: label_line(record.label.as_js_str(), MAX_LABEL),
                messages: record.facts.original_messages,
                shown: record.facts.retained_messages,
                left_out: record.facts.omitted_bytes,
                bytes: object.len(),
                read_on: first_gap(kept, record.facts.original_messages),
                losses: losses.clone(),
            })
            .collect()
    }

    /// `"Fix login" (12 of 40 messages, 7.9 KB; 31 KB left out: sref show claude:5f0c --from 1)`
    pub(super) fn receipt(&self) -> String {
        let messages = count(self.messages, "message");
        let shown = if self.shown == self.messages {
            messages
        } else {
            format!("{} of {messages}", self.shown)
        };
        let carried = size(self.bytes as u64);
        let rest = self.read_on.map_or_else(String::new, |from| {
            let left_out = size(self.left_out);
            format!("; {left_out} left out: {}", command(&self.session_id, from))
        });
        let missing = reasons(&self.losses).map_or_else(String::new, |reasons| {
            format!("; words may be missing, see sref doctor --sessions: {reasons}")
        });
        format!("\"{}\" ({shown}, {carried}{rest}{missing})", self.label)
    }

    /// For the model: what may be missing of the session at this place of the context.
    pub(super) fn losses(&self, place: usize) -> Option<String> {
        fact(place, &self.losses)
    }

    /// For the model: what is missing of the session at this place of the context, and what reads it.
    pub(super) fn continuation(&self, place: usize) -> Option<String> {
        let from = self.read_on?;
        let dropped = self.messages.saturating_sub(self.shown);
        Some(continuation(&self.session_id, place, dropped, from))
    }
}

/// How a model reads on. It states facts: the text has the authority of a system message, and an
/// order in it would be ours.
pub(super) fn continuation(id: &SessionId, place: usize, dropped: u64, from: u64) -> String {
    let missing = match dropped {
        0 => String::from("parts of its messages"),
        _ => format!("{} and parts of others", count(dropped, "message")),
    };
    let command = command(id, from);
    let uri = encode(id, &Dialect::DSH);
    format!(
        "Session {place} above lacks {missing}. From message {from} on it is printed by \
         `{command}` and returned by the MCP tool `session_read` for \
         {{\"uri\":\"{uri}\",\"cursor\":\"{from}\"}}."
    )
}

/// The command that prints a session from a message on.
fn command(id: &SessionId, from: u64) -> String {
    format!("sref show {} --from {from}", argument(id))
}

/// Labels are shown up to here.
pub(super) const MAX_LABEL: usize = 80;

/// The number of the first message that is missing or cut, from 1.
fn first_gap(kept: &[Kept], messages: u64) -> Option<u64> {
    let whole = kept
        .iter()
        .enumerate()
        .take_while(|(at, kept)| kept.index == *at && kept.omitted_bytes == 0)
        .count() as u64;
    (whole < messages).then_some(whole + 1)
}

/// An id as a word of a command line: as it is when no shell takes it for anything else, or its URI,
/// which is letters and digits whatever the id.
pub(super) fn argument(id: &SessionId) -> String {
    let plain = |id: &&str| {
        (1..=128).contains(&id.len())
            && !id.starts_with('-')
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:@+".contains(&byte))
    };
    id.as_js_str()
        .as_str()
        .filter(plain)
        .map_or_else(|| encode(id, &Dialect::DSH), String::from)
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use sref_session::{JsString, Loss};

    use super::*;

    fn attached(id: &str) -> Attached {
        Attached {
            session_id: id.into(),
            label: "Fix login".into(),
            messages: 40,
            shown: 12,
            left_out: 31_400,
            bytes: 7_901,
            read_on: Some(3),
            losses: Losses::new(),
        }
    }

    #[test]
    fn a_receipt_says_how_much_and_how_to_get_the_rest() {
        let mut own = attached("claude:5f0c");
        assert_eq!(
            own.receipt(),
            "\"Fix login\" (12 of 40 messages, 7.9 KB; 31 KB left out: sref show claude:5f0c --from 3)"
        );
        (own.shown, own.read_on) = (40, None);
        assert_eq!(own.receipt(), "\"Fix login\" (40 messages, 7.9 KB)");
        own.losses.add(Loss::new("x", "bad lines").counted(2));
        assert_eq!(
            own.receipt(),
            "\"Fix login\" (40 messages, 7.9 KB; words may be missing, see sref doctor --sessions: bad lines: 2)"
        );
    }

    #[test]
    fn a_continuation_names_command_and_tool() {
        let mut own = attached("a");
        assert_eq!(
            own.continuation(2).unwrap(),
            "Session 2 above lacks 28 messages and parts of others. From message 3 on it is printed \
             by `sref show a --from 3` and returned by the MCP tool `session_read` for \
             {\"uri\":\"dsh-session:ImEi\",\"cursor\":\"3\"}."
        );
        own.shown = 40;
        assert!(
            own.continuation(1)
                .unwrap()
                .contains("lacks parts of its messages.")
        );
        own.read_on = None;
        assert_eq!(own.continuation(1), None);
    }

    #[test]
    fn an_id_that_a_shell_would_read_is_given_as_its_uri() {
        let argument = |id: &str| argument(&id.into());
        assert_eq!(argument("claude:5f0c-1_a.b"), "claude:5f0c-1_a.b");
        for id in [
            "",
            "-x",
            "a b",
            "$(reboot)",
            "a\nb",
            "日本",
            "~",
            "a/b",
            &"x".repeat(129),
        ] {
            assert!(argument(id).starts_with("dsh-session:"), "{id}");
        }
        let half = SessionId::new(JsString::from_utf16([0xD83D]));
        assert_eq!(super::argument(&half), "dsh-session:Ilx1ZDgzZCI");
    }
}

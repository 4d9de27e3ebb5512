//! The agents that have a prompt hook: one small module each, a table and a writer.

mod claude;
mod cline;
mod codex;
mod gemini;

use alloc::string::String;

use sref_session::json::{Object, Value};

use crate::event::{self, Event, EventError, Fields};
use crate::report::one_line;
use crate::unit::{Cap, Unit};

/// An agent whose prompt hook can deliver a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Host {
    /// Claude Code, event `UserPromptSubmit`.
    Claude,
    /// Codex, event `UserPromptSubmit`.
    Codex,
    /// Gemini CLI, event `BeforeAgent`.
    Gemini,
    /// Cline, event `UserPromptSubmit`.
    Cline,
}

/// What is known of a host's prompt hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// What the numbers were taken from.
    pub checked: &'static str,
    /// The text that goes to the model.
    pub context: Cap,
    /// The line that goes to the person.
    pub note: Cap,
    /// The role in which the model gets the text.
    pub role: &'static str,
    /// After how many milliseconds the host gives up on a hook that names no timeout of its own.
    /// The prompt then goes out alone.
    pub timeout_ms: u32,
}

/// Enough for three sessions and three failures. No host was seen to cut such a line; a person would.
const NOTE: Cap = Cap {
    unit: Unit::Utf16,
    limit: None,
    aim: 2_000,
};

/// What a hook has to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Answer {
    /// Nothing: the prompt goes out as it is.
    #[default]
    Silent,
    /// The prompt goes out.
    Pass {
        /// The text that the model gets with it.
        context: Option<String>,
        /// The line that the person gets.
        note: Option<String>,
    },
    /// The prompt does not go out. No text for the model can go with it: Codex would keep it and
    /// send it with the next prompt (`spec/delivery.md` 0.1, 15).
    Block {
        /// Why: one line for the person.
        reason: String,
    },
}

/// What a hook process prints and returns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// Standard output, to the byte: one JSON value and nothing else, or nothing at all.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status.
    pub exit_code: u8,
}

/// A host as data.
struct Definition {
    name: &'static str,
    limits: Limits,
    fields: Fields,
    form: Form,
}

/// How a host takes an answer.
enum Form {
    /// One JSON object, as Claude Code had it first.
    Json {
        /// What the host calls the event.
        event: &'static str,
        /// What it calls a decision to stop the prompt.
        block: &'static str,
    },
    /// Its own.
    Own(fn(&Answer) -> Reply),
}

/// The members of Claude Code's event, which others took over.
const fn fields(kind: &'static str, events: &'static [&'static str]) -> Fields {
    Fields {
        kind,
        event: ("hook_event_name", events),
        prompt: (None, "prompt"),
        session: "session_id",
        cwd: Some("cwd"),
        transcript: Some("transcript_path"),
        sub_agent: Some("agent_id"),
    }
}

impl Host {
    /// All hosts.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Cline];

    const fn definition(self) -> &'static Definition {
        match self {
            Self::Claude => &claude::DEFINITION,
            Self::Codex => &codex::DEFINITION,
            Self::Gemini => &gemini::DEFINITION,
            Self::Cline => &cline::DEFINITION,
        }
    }

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// The host of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.name() == name)
    }

    /// What is known of its hook.
    #[must_use]
    pub const fn limits(self) -> &'static Limits {
        &self.definition().limits
    }

    /// Reads the event that the host writes to the hook's standard input.
    ///
    /// # Errors
    ///
    /// [`EventError`] when it is no JSON object, names another event, or has no prompt. Missing,
    /// unknown and wrongly typed members of any other name are no error: hosts add and change them.
    ///
    /// ```
    /// use sref_delivery::Host;
    ///
    /// let event = br#"{"session_id":"5f0c","hook_event_name":"UserPromptSubmit","prompt":"hi","new":[]}"#;
    /// let event = Host::Claude.read(event)?;
    /// assert_eq!(event.prompt, "hi");
    /// assert_eq!(event.session.unwrap().to_string(), "claude:5f0c");
    ///
    /// let error = Host::Claude.read(br#"{"hook_event_name":"Stop"}"#).unwrap_err();
    /// assert_eq!(error.code(), "hook.event");
    /// # Ok::<(), sref_delivery::EventError>(())
    /// ```
    pub fn read(self, event: &[u8]) -> Result<Event, EventError> {
        event::read(event, &self.definition().fields)
    }

    /// Writes an answer as the host's schema has it.
    ///
    /// A context over the host's cap is dropped and said so in the note: the host would cut it,
    /// and half a snapshot is worse than none. A text that [`fit`](crate::fit()) made is never over.
    ///
    /// ```
    /// use sref_delivery::{Answer, Host};
    ///
    /// let answer = Answer::Block { reason: "no such session".into() };
    /// let reply = Host::Codex.reply(&answer);
    /// assert_eq!(reply.stdout, r#"{"decision":"block","reason":"no such session"}"#);
    /// assert_eq!(reply.exit_code, 0);
    /// assert_eq!(Host::Codex.reply(&Answer::Silent).stdout, "");
    /// ```
    #[must_use]
    pub fn reply(self, answer: &Answer) -> Reply {
        let answer = self.checked(answer);
        match self.definition().form {
            Form::Json { event, block } => write_json(&answer, event, block),
            Form::Own(write) => write(&answer),
        }
    }

    /// Says that the hook could not do its work, in the host's form. The prompt goes out alone.
    ///
    /// ```
    /// use sref_delivery::Host;
    ///
    /// let reply = Host::Gemini.fail("sref: no store found");
    /// assert_eq!((reply.stdout.as_str(), reply.exit_code), ("", 1));
    /// ```
    #[must_use]
    pub fn fail(self, message: &str) -> Reply {
        // Every host takes 1 for "the hook failed, go on", and shows or logs standard error.
        Reply {
            stdout: String::new(),
            stderr: shorten(message, &self.limits().note).unwrap_or_default(),
            exit_code: 1,
        }
    }

    fn checked(self, answer: &Answer) -> Answer {
        let limits = self.limits();
        match answer {
            Answer::Silent => Answer::Silent,
            Answer::Pass { context, note } => {
                let over = context
                    .as_deref()
                    .is_some_and(|text| !limits.context.holds(text));
                let context = context.as_ref().filter(|text| !over && !text.is_empty());
                let note = if over {
                    Some(OVER_CAP.into())
                } else {
                    note.as_deref().and_then(|note| shorten(note, &limits.note))
                };
                if context.is_none() && note.is_none() {
                    return Answer::Silent;
                }
                Answer::Pass {
                    context: context.cloned(),
                    note,
                }
            }
            Answer::Block { reason } => Answer::Block {
                // Codex counts a blank reason as a failure of the hook and sends the prompt.
                reason: shorten(reason, &limits.note).unwrap_or_else(|| NO_REASON.into()),
            },
        }
    }
}

/// [`Form::Json`]: members only where they say something, and no other member.
fn write_json(answer: &Answer, event: &'static str, block: &'static str) -> Reply {
    let output = match answer {
        Answer::Silent => return Reply::default(),
        Answer::Pass { context, note } => {
            let mut output = Object::new();
            if let Some(context) = context {
                output.set(
                    "hookSpecificOutput",
                    Object::new()
                        .with("hookEventName", event)
                        .with("additionalContext", context.as_str()),
                );
            }
            if let Some(note) = note {
                output.set("systemMessage", note.as_str());
            }
            output
        }
        Answer::Block { reason } => Object::new()
            .with("decision", block)
            .with("reason", reason.as_str()),
    };
    Reply {
        stdout: Value::from(output).to_json(),
        ..Reply::default()
    }
}

const OVER_CAP: &str = "sref: nothing attached: the snapshot is larger than this agent takes";
const NO_REASON: &str = "sref: a session could not be attached";

/// A note as one plain line within its cap, or `None` when nothing is in it.
fn shorten(note: &str, cap: &Cap) -> Option<String> {
    let note = one_line(note.into(), usize::MAX);
    if note.is_empty() {
        return None;
    }
    if cap.holds(&note) {
        return Some(note);
    }
    let mut left = cap.aim - cap.unit.measure("…");
    let fits = |c: &char| {
        let size = cap.unit.measure(c.encode_utf8(&mut [0; 4]));
        let rest = left.checked_sub(size);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut kept: String = note.chars().take_while(fits).collect();
    kept.push('…');
    Some(kept)
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    fn pass(context: &str, note: &str) -> Answer {
        Answer::Pass {
            context: Some(context.into()),
            note: Some(note.into()),
        }
    }

    #[test]
    fn a_context_over_the_cap_is_dropped_whole() {
        for host in Host::ALL {
            let cap = host.limits().context;
            let most = "x".repeat(cap.aim);
            assert!(host.reply(&pass(&most, "n")).stdout.contains(&most));
            let reply = host.reply(&pass(&format!("{most}x"), "n"));
            assert!(!reply.stdout.contains("xxx"));
            let said = format!("{}{}", reply.stdout, reply.stderr);
            assert!(said.contains(OVER_CAP), "{said}");
        }
    }

    #[test]
    fn a_note_is_one_short_plain_line() {
        for host in Host::ALL {
            let reply = host.reply(&pass("", "a\n\u{1b}[2J\u{202e}b"));
            let said = format!("{}{}", reply.stdout, reply.stderr);
            assert!(
                said.contains("a [2Jb") && !said.contains('\u{202e}'),
                "{said}"
            );
            let long = shorten(&"😀".repeat(2_000), &host.limits().note).unwrap();
            assert_eq!(Unit::Utf16.measure(&long), 1_999);
            assert!(long.ends_with("😀…"));
        }
    }

    #[test]
    fn nothing_to_say_is_silence() {
        for host in Host::ALL {
            assert_eq!(host.reply(&pass("", " \n")), Reply::default());
            assert_eq!(host.reply(&Answer::Silent), Reply::default());
            // A host that was given no reason for a block would send the prompt.
            let reply = host.reply(&Answer::Block {
                reason: "\u{200b}".into(),
            });
            assert!(reply.stdout.contains(NO_REASON), "{}", reply.stdout);
        }
    }

    #[test]
    fn hosts_have_names() {
        for host in Host::ALL {
            assert_eq!(Host::from_name(host.name()), Some(host));
            assert!(
                host.limits()
                    .context
                    .limit
                    .is_none_or(|limit| limit > host.limits().context.aim)
            );
        }
        assert_eq!(Host::from_name("Claude"), None);
    }
}

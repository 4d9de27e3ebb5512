//! One record of a rollout: what it adds to the conversation (`spec/agent-logs.md` 3.2, 3.4, 3.6).

use sref_session::JsString;

use super::compaction::Compaction;
use super::message;
use super::meta::Meta;
use super::sniff;
use crate::digest::digest;
use crate::raw::Raw;

/// What a line says.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) timestamp: Option<JsString>,
    pub(super) ordinal: Option<u64>,
    pub(super) fact: Fact,
    /// What it says of its writer that this reader does not know.
    pub(super) strange: Vec<JsString>,
    /// Where it holds words in a form that this reader does not know.
    pub(super) unread: Option<(Encoding, Role)>,
}

/// What a record is about, as far as it matters.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    /// Known to say nothing.
    #[default]
    Nothing,
    /// A type or shape that this reader does not know, by its name; empty if it has none.
    Unknown(JsString),
    Meta(Box<Meta>),
    /// Where a turn works.
    Cwd(JsString),
    /// A turn begins; a digest of its id.
    Begin(Option<u128>),
    /// A turn ends.
    End,
    Said(Said),
    Compacted(Compaction),
    /// So many turns were taken back.
    RolledBack(u64),
    /// A thread got a name; blank takes it away.
    Named {
        thread: Option<JsString>,
        name: JsString,
    },
}

/// Words, and how they were written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) encoding: Encoding,
    pub(super) role: Role,
    pub(super) text: JsString,
}

/// The three ways in which a rollout holds the same words (3.4), the least trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Encoding {
    /// What the model took and gave, mixed with injected context.
    Model,
    /// Events of older versions.
    Event,
    /// Completed items of paginated threads.
    Item,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    User,
    Assistant,
}

impl Record {
    /// Reads a line that is JSON.
    ///
    /// `condensed` tells that long strings may be digests of themselves; such a text is not taken, and
    /// told as one that was not read.
    pub(super) fn parse(line: &[u8], condensed: bool) -> Self {
        let mut record = Self::of(Raw::checked(line));
        if condensed {
            match &mut record.fact {
                Fact::Said(said) if is_digest(&said.text) => {
                    record.unread = Some((said.encoding, said.role));
                    record.fact = Fact::Nothing;
                }
                Fact::Compacted(compaction) => {
                    if compaction.texts().any(is_digest) {
                        // Nothing else says what stands after a compaction.
                        record.unread = Some((Encoding::Item, Role::User));
                    }
                    compaction.retain(|text| !is_digest(text));
                }
                _ => {}
            }
        }
        record
    }

    fn of(line: Raw<'_>) -> Self {
        let names = [
            "timestamp",
            "ordinal",
            "type",
            "payload",
            "id",
            "record_type",
        ];
        let Some(found) = line.members(names) else {
            return Self {
                fact: nameless(),
                ..Self::default()
            };
        };
        let [timestamp, ordinal, kind, payload, id, state] = found.found;
        let timestamp = timestamp.and_then(Raw::decode);
        let said = |kind: &Raw<'_>| kind.is_string("response_item") || kind.is_string("event_msg");
        let strange = kind.filter(said).and(payload).map(message::strange);
        let unread = kind.and_then(|kind| unread(kind, payload.unwrap_or(line)));
        let fact = match (kind, payload) {
            (Some(kind), Some(payload)) => enveloped(kind, payload),
            // Very old logs: no envelope (3.1).
            (Some(_), None) => response_item(line),
            (None, _) if id.is_some() && timestamp.is_some() => {
                Fact::Meta(Box::new(Meta::parse(line)))
            }
            (None, _) if state.is_some() => Fact::Nothing,
            (None, _) => nameless(),
        };
        Self {
            timestamp,
            ordinal: ordinal.and_then(Raw::index),
            fact,
            strange: strange.unwrap_or_default(),
            unread,
        }
    }
}

/// Where a record has words that are not taken, as far as its shape tells: parts of an unknown type in
/// what is known to be said, and items or records of unknown types that look like messages. Events of
/// unknown types are mostly notices, and what is said stands beside them as an item.
fn unread(kind: Raw<'_>, payload: Raw<'_>) -> Option<(Encoding, Role)> {
    let [own, role, content, text, message, item] = payload
        .members(["type", "role", "content", "text", "message", "item"])?
        .found;
    let is = |value: Option<Raw<'_>>, name| value.is_some_and(|value| value.is_string(name));
    let side = match role {
        Some(role) if role.is_string("assistant") => Role::Assistant,
        _ => Role::User,
    };
    if kind.is_string("event_msg") {
        if is(own, "user_message") || is(own, "agent_message") {
            let side = if is(own, "agent_message") {
                Role::Assistant
            } else {
                Role::User
            };
            return message
                .is_some_and(message::is_unread)
                .then_some((Encoding::Event, side));
        }
        let item = item.filter(|_| is(own, "item_completed"))?;
        let [own, content, text] = item.members(["type", "content", "text"])?.found;
        let kind = own.and_then(Raw::string)?;
        let (side, unread) = match &*kind.text() {
            b"UserMessage" => (Role::User, content.is_some_and(message::is_unread)),
            b"AgentMessage" => (
                Role::Assistant,
                content.or(text).is_some_and(message::is_unread),
            ),
            b"Plan" => (Role::Assistant, text.is_some_and(message::is_unread)),
            _ if sniff::is_idle_item(kind) => return None,
            _ => (
                Role::User,
                [content, text]
                    .into_iter()
                    .flatten()
                    .any(message::has_words),
            ),
        };
        return unread.then_some((Encoding::Item, side));
    }
    let is_item = kind.is_string("response_item");
    // Very old logs have no envelope.
    let is_message = is(own, "message") && (is_item || kind.is_string("message"));
    let unread = if is_message && is(role, "user") {
        message::is_user_unread(payload)
    } else if is_message && is(role, "assistant") {
        content.is_some_and(message::is_unread)
    } else if is_message {
        // Who speaks there nobody knows.
        let is_known = is(role, "developer") || is(role, "system");
        role.is_some() && !is_known && content.is_some_and(message::has_words)
    } else {
        let is_said = is(role, "user") || is(role, "assistant");
        let name = if is_item { own } else { Some(kind) }.and_then(Raw::string);
        let is_known = |name| {
            if is_item {
                sniff::is_idle_response_item(name)
            } else {
                sniff::is_idle_record(name)
            }
        };
        is_said
            && !name.is_some_and(is_known)
            && [content, text]
                .into_iter()
                .flatten()
                .any(message::has_words)
    };
    unread.then_some((Encoding::Model, side))
}

/// A record that does not even say what it is.
fn nameless() -> Fact {
    Fact::Unknown(JsString::new())
}

fn enveloped(kind: Raw<'_>, payload: Raw<'_>) -> Fact {
    let Some(kind) = kind.string() else {
        return nameless();
    };
    match &*kind.text() {
        b"response_item" => response_item(payload),
        b"event_msg" => event(payload),
        b"session_meta" => Fact::Meta(Box::new(Meta::parse(payload))),
        b"compacted" => Compaction::parse(payload).map_or(Fact::Nothing, Fact::Compacted),
        b"turn_context" => {
            let cwd = payload.member("cwd").and_then(Raw::decode);
            let cwd = cwd.filter(|cwd| !cwd.is_empty());
            cwd.map_or(Fact::Nothing, Fact::Cwd)
        }
        _ if sniff::is_idle_record(kind) => Fact::Nothing,
        _ => Fact::Unknown(kind.decode()),
    }
}

/// An item of what the model took or gave.
pub(super) fn response_item(item: Raw<'_>) -> Fact {
    let found = item.members(["type", "role", "content"]);
    let [kind, role, content] = found.map(|found| found.found).unwrap_or_default();
    let Some(kind) = kind.and_then(Raw::string) else {
        return nameless();
    };
    if !kind.is("message") {
        return if sniff::is_idle_response_item(kind) {
            Fact::Nothing
        } else {
            Fact::Unknown(kind.decode())
        };
    }
    let is = |name| role.is_some_and(|role| role.is_string(name));
    if is("user") {
        said(Encoding::Model, Role::User, message::of_user(item))
    } else if is("assistant") {
        said(
            Encoding::Model,
            Role::Assistant,
            content.and_then(message::of_assistant),
        )
    } else if is("developer") || is("system") {
        Fact::Nothing
    } else {
        Fact::Unknown(kind.decode())
    }
}

fn event(event: Raw<'_>) -> Fact {
    let Some(kind) = event.member("type").and_then(Raw::string) else {
        return nameless();
    };
    match &*kind.text() {
        b"user_message" => said(Encoding::Event, Role::User, message::of_event(event)),
        b"agent_message" => {
            let text = event.member("message").and_then(message::of_assistant);
            said(Encoding::Event, Role::Assistant, text)
        }
        b"item_completed" => event.member("item").map_or_else(nameless, item),
        b"task_started" | b"turn_started" => {
            let id = event.member("turn_id").filter(|id| id.is_filled());
            Fact::Begin(id.map(|id| digest(id.bytes())))
        }
        b"task_complete" | b"turn_complete" | b"turn_aborted" | b"shutdown_complete" => Fact::End,
        b"thread_rolled_back" => {
            let turns = event.member("num_turns").and_then(Raw::index);
            turns.map_or_else(nameless, Fact::RolledBack)
        }
        b"thread_name_updated" => {
            let found = event.members(["thread_name", "thread_id"]);
            let [name, thread] = found.map(|found| found.found).unwrap_or_default();
            Fact::Named {
                thread: thread.and_then(Raw::decode),
                name: name.and_then(Raw::decode).unwrap_or_default(),
            }
        }
        _ if sniff::is_idle_event(kind) => Fact::Nothing,
        _ => Fact::Unknown(kind.decode()),
    }
}

/// A completed item of a paginated thread.
fn item(item: Raw<'_>) -> Fact {
    let found = item.members(["type", "content", "text"]);
    let [kind, content, text] = found.map(|found| found.found).unwrap_or_default();
    let Some(kind) = kind.and_then(Raw::string) else {
        return nameless();
    };
    match &*kind.text() {
        b"UserMessage" => said(
            Encoding::Item,
            Role::User,
            content.and_then(message::of_item),
        ),
        b"AgentMessage" => {
            let text = content.or(text).and_then(message::of_assistant);
            said(Encoding::Item, Role::Assistant, text)
        }
        b"Plan" => {
            let text = text.and_then(message::of_assistant);
            said(Encoding::Item, Role::Assistant, text)
        }
        _ if sniff::is_idle_item(kind) => Fact::Nothing,
        _ => Fact::Unknown(kind.decode()),
    }
}

fn said(encoding: Encoding, role: Role, text: Option<JsString>) -> Fact {
    text.map_or(Fact::Nothing, |text| {
        Fact::Said(Said {
            encoding,
            role,
            text,
        })
    })
}

fn is_digest(text: &JsString) -> bool {
    let text = text.as_wtf8();
    text.len() == 32 && text.iter().all(u8::is_ascii_hexdigit)
}

//! The data of message events: read in one pass, judged by `spec/dsh-store.md` 3.3.

use sref_session::json::{JsonError, Kind, RawString, Scanner};

use super::format::{Format, SystemSource};
use crate::raw::{Raw, elements, members};

/// The `data` of an event whose type has rules.
#[derive(Debug, Clone)]
pub(super) enum Body<'a> {
    User(User<'a>),
    Assistant(Assistant<'a>),
    Tool(Tool<'a>),
    System(Wrapped<'a>),
    Developer(Wrapped<'a>),
    /// Of another type: only checked for grammar.
    Unread,
}

impl<'a> Body<'a> {
    /// 3.3: whether a message is as messages of the format are.
    pub(super) fn check(&self, format: &Format) -> Result<Checked<'_, 'a>, &'static str> {
        Ok(match self {
            Self::User(user) => {
                let blocks = user.message.blocks("user")?;
                user.message.check_kind(format)?;
                Checked::User(user, blocks)
            }
            Self::Assistant(assistant) => Checked::Assistant(assistant.check()?),
            Self::Tool(tool) if format.own_kinds => Checked::Tool(tool.check_role()?),
            Self::Tool(tool) => Checked::Tool(tool.check()?),
            Self::System(system) => {
                system.check_system(format)?;
                Checked::System
            }
            Self::Developer(developer) => {
                developer.message()?.blocks("developer")?;
                developer.message()?.check_kind(format)?;
                Checked::Developer
            }
            Self::Unread => Checked::NoMessage,
        })
    }
}

/// A [`Body`] that has passed its check.
#[derive(Debug, Clone, Copy)]
pub(super) enum Checked<'b, 'a> {
    User(&'b User<'a>, &'b Blocks<'a>),
    Assistant(&'b Blocks<'a>),
    Tool(ToolResult<'a>),
    System,
    Developer,
    NoMessage,
}

/// What a tool result answers, and the content that a rewrite may change.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolResult<'a> {
    pub(super) call_id: Raw<'a>,
    pub(super) content: Raw<'a>,
}

/// `user/message`: the message itself.
#[derive(Debug, Clone, Default)]
pub(super) struct User<'a> {
    pub(super) message: Message<'a>,
    /// Whether a member `message` is there, which no user message has.
    pub(super) wrapped: bool,
    /// What the days of baked snapshots left (10.3).
    pub(super) envelope: Option<Raw<'a>>,
}

/// `assistant/message`.
#[derive(Debug, Clone, Default)]
pub(super) struct Assistant<'a> {
    pub(super) message: Option<Message<'a>>,
    /// Old logs have these two instead of a message.
    pub(super) content: Option<Raw<'a>>,
    pub(super) provenance: Option<Raw<'a>>,
}

/// `tool/result`.
#[derive(Debug, Clone, Default)]
pub(super) struct Tool<'a> {
    pub(super) message: Option<ToolMessage<'a>>,
    /// Old logs have these three instead of a message.
    pub(super) call_id: Option<Raw<'a>>,
    pub(super) content: Option<Raw<'a>>,
    pub(super) is_error: Option<Raw<'a>>,
}

/// `system/message` and `developer/message` (`spec/dsh-newer.md` 7, 8).
#[derive(Debug, Clone, Default)]
pub(super) struct Wrapped<'a> {
    message: Option<Message<'a>>,
}

/// A message of a user or of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Message<'a> {
    pub(super) id: Option<Raw<'a>>,
    pub(super) role: Option<Raw<'a>>,
    pub(super) source: Option<Raw<'a>>,
    pub(super) content: Option<Content<'a>>,
}

/// A member `content`.
#[derive(Debug, Clone)]
pub(super) enum Content<'a> {
    Array(Blocks<'a>),
    Other,
}

/// The blocks of a message, as far as anything depends on them: blocks of other kinds can be many
/// and are not kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks<'a> {
    /// The texts of the text blocks whose text is a string.
    pub(super) texts: Vec<RawString<'a>>,
    /// The ids of the tool calls.
    pub(super) calls: Vec<Option<Raw<'a>>>,
    /// Whether one of the blocks is `null`.
    pub(super) null: bool,
}

/// The message of a tool result.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolMessage<'a> {
    pub(super) id: Option<Raw<'a>>,
    role: Option<Raw<'a>>,
    source: Option<Raw<'a>>,
    /// The content, if it is an array, and how many elements it has.
    content: Option<(Raw<'a>, usize)>,
    first: ToolBlock<'a>,
    /// The call, in format 4.
    call_id: Option<Raw<'a>>,
    /// Whether one of the blocks is a `tool-result`, which format 4 has no more.
    wrapped: bool,
}

#[derive(Debug, Clone, Default)]
struct ToolBlock<'a> {
    kind: Option<Raw<'a>>,
    call_id: Option<Raw<'a>>,
    /// The content, if it is an array.
    content: Option<Raw<'a>>,
}

impl<'a> Content<'a> {
    /// Reads the next value of a scanner.
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut blocks = Blocks::default();
        let is_array = elements(scanner, |scanner| blocks.push(scanner))?;
        Ok(if is_array {
            Self::Array(blocks)
        } else {
            Self::Other
        })
    }
}

impl<'a> Blocks<'a> {
    /// Reads one block.
    fn push(&mut self, scanner: &mut Scanner<'a>) -> Result<(), JsonError> {
        self.null |= scanner.peek()? == Kind::Null;
        let (mut kind, mut text, mut id) = (None, None, None);
        members(scanner, |scanner, key| {
            match key {
                b"type" => kind = Some(Raw::read(scanner)?),
                b"text" if scanner.peek()? == Kind::String => text = Some(scanner.string()?),
                b"text" => {
                    scanner.skip_value()?;
                    text = None;
                }
                b"id" => id = Some(Raw::read(scanner)?),
                _ => {
                    scanner.skip_value()?;
                }
            }
            Ok(())
        })?;
        match (kind, text) {
            (Some(kind), Some(text)) if kind.is_string("text") => self.texts.push(text),
            (Some(kind), _) if kind.is_string("tool-call") => self.calls.push(id),
            _ => {}
        }
        Ok(())
    }
}

impl<'a> Message<'a> {
    /// Takes a member of a message.
    fn member(&mut self, scanner: &mut Scanner<'a>, key: &[u8]) -> Result<(), JsonError> {
        match key {
            b"id" => self.id = Some(Raw::read(scanner)?),
            b"role" => self.role = Some(Raw::read(scanner)?),
            b"source" => self.source = Some(Raw::read(scanner)?),
            b"content" => self.content = Some(Content::read(scanner)?),
            _ => {
                scanner.skip_value()?;
            }
        }
        Ok(())
    }

    /// The blocks, when the message has a string id, this role, and a source of some kind.
    fn blocks(&self, role: &str) -> Result<&Blocks<'a>, &'static str> {
        if !self.id.is_some_and(Raw::is_filled) {
            return Err("a message without an id");
        }
        if !self.role.is_some_and(|own| own.is_string(role)) {
            return Err("a message of another role");
        }
        let kind = self.source.and_then(|source| source.member("kind"));
        if !kind.is_some_and(Raw::is_filled) {
            return Err("a message without a source");
        }
        match &self.content {
            Some(Content::Array(blocks)) => Ok(blocks),
            _ => Err("a message whose content is no array"),
        }
    }
}

impl Message<'_> {
    /// From format 4 on the kind of a source names its producer.
    fn check_kind(&self, format: &Format) -> Result<(), &'static str> {
        let kind = self.source.and_then(|source| source.member("kind"));
        if format.own_kinds && kind.is_some_and(|kind| kind.is_string("plugin")) {
            return Err("a message with the retired source kind plugin");
        }
        Ok(())
    }
}

impl<'a> Wrapped<'a> {
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            if key == b"message" {
                let mut message = Message::default();
                members(scanner, |scanner, key| message.member(scanner, key))?;
                out.message = Some(message);
            } else {
                scanner.skip_value()?;
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn message(&self) -> Result<&Message<'a>, &'static str> {
        self.message.as_ref().ok_or("an event without its message")
    }

    fn check_system(&self, format: &Format) -> Result<(), &'static str> {
        let message = self.message()?;
        message.blocks("system")?;
        let source = message
            .source
            .and_then(|source| source.members(["kind", "plugin"]));
        let [kind, plugin] = source.map_or([None; 2], |source| source.found);
        let is_kind = |name| kind.is_some_and(|kind| kind.is_string(name));
        let fits = match format.system {
            Some(SystemSource::Plugin) => is_kind("plugin") && plugin.is_some_and(Raw::is_filled),
            Some(SystemSource::SystemPrompt) => is_kind("system-prompt"),
            None => false,
        };
        if fits {
            Ok(())
        } else {
            Err("a system message of another source")
        }
    }
}

impl<'a> User<'a> {
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| match key {
            b"message" => {
                out.wrapped = true;
                scanner.skip_value().map(|_| ())
            }
            b"envelope" => {
                out.envelope = Some(Raw::read(scanner)?);
                Ok(())
            }
            _ => out.message.member(scanner, key),
        })?;
        Ok(out)
    }
}

impl<'a> Assistant<'a> {
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            match key {
                b"message" => {
                    let mut message = Message::default();
                    members(scanner, |scanner, key| message.member(scanner, key))?;
                    out.message = Some(message);
                }
                b"content" => out.content = Some(Raw::read(scanner)?),
                b"provenance" => out.provenance = Some(Raw::read(scanner)?),
                _ => {
                    scanner.skip_value()?;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn check(&self) -> Result<&Blocks<'a>, &'static str> {
        let message = self
            .message
            .as_ref()
            .ok_or("an event without its message")?;
        let blocks = message.blocks("assistant")?;
        let source = message
            .source
            .and_then(|source| source.members(["kind", "provider", "model"]));
        match source.map(|source| source.found) {
            Some([Some(kind), Some(provider), Some(model)])
                if kind.is_string("model") && provider.is_filled() && model.is_filled() =>
            {
                Ok(blocks)
            }
            _ => Err("an assistant message without its model"),
        }
    }
}

impl<'a> Tool<'a> {
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            match key {
                b"message" => out.message = Some(ToolMessage::read(scanner)?),
                b"callId" => out.call_id = Some(Raw::read(scanner)?),
                b"content" => out.content = Some(Raw::read(scanner)?),
                b"isError" => out.is_error = Some(Raw::read(scanner)?),
                _ => {
                    scanner.skip_value()?;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// The message and the call that it answers, when the message has this role.
    fn message(&self, role: &str) -> Result<(&ToolMessage<'a>, Raw<'a>), &'static str> {
        let message = self
            .message
            .as_ref()
            .ok_or("an event without its message")?;
        if !message.id.is_some_and(Raw::is_filled) {
            return Err("a message without an id");
        }
        if !message.role.is_some_and(|own| own.is_string(role)) {
            return Err("a message of another role");
        }
        let source = message
            .source
            .and_then(|source| source.members(["kind", "callId"]));
        match source.map(|source| source.found) {
            Some([Some(kind), Some(call_id)]) if kind.is_string("tool") && call_id.is_filled() => {
                Ok((message, call_id))
            }
            _ => Err("a tool result without its call"),
        }
    }

    /// In format 4: role `tool`, plain blocks (`spec/dsh-newer.md` 8).
    fn check_role(&self) -> Result<ToolResult<'a>, &'static str> {
        let (message, call_id) = self.message("tool")?;
        let (content, _) = message
            .content
            .filter(|_| !message.wrapped)
            .ok_or("a tool result that is not plain blocks")?;
        let own = message.call_id.and_then(Raw::decode);
        if own.is_none() || own != call_id.decode() {
            return Err("a tool result for another call");
        }
        Ok(ToolResult { call_id, content })
    }

    fn check(&self) -> Result<ToolResult<'a>, &'static str> {
        let (message, call_id) = self.message("user")?;
        let block = &message.first;
        let is_result = block.kind.is_some_and(|kind| kind.is_string("tool-result"));
        let is_alone = message.content.is_some_and(|(_, count)| count == 1);
        let content = block
            .content
            .filter(|_| is_result && is_alone)
            .ok_or("a tool result that is not one tool-result block")?;
        let own = block.call_id.and_then(Raw::decode);
        if own.is_none() || own != call_id.decode() {
            return Err("a tool result for another call");
        }
        Ok(ToolResult { call_id, content })
    }
}

impl<'a> ToolMessage<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            match key {
                b"id" => out.id = Some(Raw::read(scanner)?),
                b"role" => out.role = Some(Raw::read(scanner)?),
                b"source" => out.source = Some(Raw::read(scanner)?),
                b"toolCallId" => out.call_id = Some(Raw::read(scanner)?),
                b"content" => {
                    out.first = ToolBlock::default();
                    out.wrapped = false;
                    scanner.peek()?;
                    let start = scanner.position();
                    let mut count = 0;
                    let is_array = elements(scanner, |scanner| {
                        count += 1;
                        let block = ToolBlock::read(scanner)?;
                        out.wrapped |= block.kind.is_some_and(|kind| kind.is_string("tool-result"));
                        if count == 1 {
                            out.first = block;
                        }
                        Ok(())
                    })?;
                    let content = Raw::checked(scanner.slice(start..scanner.position()));
                    out.content = is_array.then_some((content, count));
                }
                _ => {
                    scanner.skip_value()?;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }
}

impl<'a> ToolBlock<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            match key {
                b"type" => out.kind = Some(Raw::read(scanner)?),
                b"toolCallId" => out.call_id = Some(Raw::read(scanner)?),
                b"content" => {
                    let content = Raw::read(scanner)?;
                    out.content = Some(content).filter(|content| content.kind() == Kind::Array);
                }
                _ => {
                    scanner.skip_value()?;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }
}

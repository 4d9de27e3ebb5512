use alloc::vec::Vec;

use thiserror::Error;

use crate::JsString;
use crate::json::{Object, Value};

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a projected conversation has these two"
)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// `user` or `assistant`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Where a message came from: its kind and, for kind `plugin`, the plugin's name
/// (`spec/dsh-store.md` 3.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    kind: JsString,
    plugin: Option<JsString>,
}

impl Source {
    /// A source of a kind.
    pub fn new(kind: impl Into<JsString>) -> Self {
        Self {
            kind: kind.into(),
            plugin: None,
        }
    }

    /// A person's own words: kind `user`.
    #[must_use]
    pub fn user() -> Self {
        Self::new("user")
    }

    /// A plugin's message: kind `plugin`.
    pub fn plugin(name: impl Into<JsString>) -> Self {
        Self {
            kind: "plugin".into(),
            plugin: Some(name.into()),
        }
    }

    /// Reads the two members that matter; `None` unless it is an object with a string `kind`.
    #[must_use]
    pub fn from_json(source: &Value) -> Option<Self> {
        Some(Self {
            kind: source.get("kind")?.as_string()?.clone(),
            plugin: source.get("plugin").and_then(Value::as_string).cloned(),
        })
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> &JsString {
        &self.kind
    }

    /// The plugin's name, if one is given.
    #[must_use]
    pub const fn plugin_name(&self) -> Option<&JsString> {
        self.plugin.as_ref()
    }

    /// Whether these are a person's own words.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.kind == *"user"
    }
}

/// A piece of a message: text, or something else that stays as it is.
///
/// ```
/// use sref_session::{Block, json};
///
/// let plain = Block::from_json(json::parse(br#"{"type":"text","text":"hi"}"#)?);
/// assert_eq!(plain, Block::Text("hi".into()));
///
/// let marked = Block::from_json(json::parse(br#"{"type":"text","text":"hi","n":1}"#)?);
/// assert!(matches!(marked, Block::Other(_)));
/// assert_eq!(marked.text().unwrap(), "hi");
/// # Ok::<(), json::JsonError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "`Other` is the open end")]
pub enum Block {
    /// `{"type":"text","text":…}` and nothing else.
    Text(JsString),
    /// Any other block, and text blocks with more members.
    Other(Value),
}

impl Block {
    /// Reads a block; anything is one.
    #[must_use]
    pub fn from_json(value: Value) -> Self {
        match &value {
            Value::Object(object)
                if object.len() == 2 && object.get("type") == Some(&Value::from("text")) =>
            {
                match object.get("text") {
                    Some(Value::String(text)) => Self::Text(text.clone()),
                    _ => Self::Other(value),
                }
            }
            _ => Self::Other(value),
        }
    }

    /// The block as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Object::new()
                .with("type", "text")
                .with("text", text.clone())
                .into(),
            Self::Other(value) => value.clone(),
        }
    }

    /// Whether the block's type is `text`, whatever its text is.
    #[must_use]
    pub fn is_text(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Other(value) => value
                .get("type")
                .and_then(Value::as_string)
                .is_some_and(|kind| *kind == *"text"),
        }
    }

    /// The text of a text block; `None` when it is none, or its text is no string.
    #[must_use]
    pub fn text(&self) -> Option<&JsString> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(value) if self.is_text() => value.get("text")?.as_string(),
            Self::Other(_) => None,
        }
    }
}

/// One message of an agent's conversation, as a host holds it: the members that session references
/// look at, and all others untouched.
///
/// ```
/// use sref_session::{Message, json};
///
/// let json = br#"{"id":"m-1","role":"user","source":{"kind":"user"},"content":[],"x":1}"#;
/// let message = Message::from_json(json::parse(json)?)?;
/// assert!(message.source().is_user());
/// assert_eq!(message.to_json().to_json().as_bytes(), json);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// All members; `content` is empty here while `blocks` hold it.
    members: Object,
    source: Source,
    content: Vec<Block>,
}

/// A JSON value that is no [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a message needs `{member}` of its own type")]
pub struct MessageError {
    member: &'static str,
}

impl MessageError {
    /// The member that is missing or of another type: `role`, `source` or `content`.
    #[must_use]
    pub const fn member(&self) -> &'static str {
        self.member
    }
}

impl Message {
    /// A message of role `user`.
    pub fn user(id: impl Into<JsString>, source: Value, content: Vec<Block>) -> Self {
        Self {
            source: Source::from_json(&source).unwrap_or_else(|| Source::new("")),
            members: Object::new()
                .with("id", id.into())
                .with("role", "user")
                .with("source", source)
                .with("content", Vec::new()),
            content,
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// [`MessageError`] unless it is an object with a string `role`, an object `source` with a
    /// string `kind`, and an array `content`.
    pub fn from_json(value: Value) -> Result<Self, MessageError> {
        let wrong = |member| MessageError { member };
        let Value::Object(mut members) = value else {
            return Err(wrong("role"));
        };
        members
            .get("role")
            .and_then(Value::as_string)
            .ok_or(wrong("role"))?;
        let source = members
            .get("source")
            .and_then(Source::from_json)
            .ok_or(wrong("source"))?;
        let Some(Value::Array(blocks)) = members.get("content") else {
            return Err(wrong("content"));
        };
        let content = blocks.iter().cloned().map(Block::from_json).collect();
        members.set("content", Vec::new());
        Ok(Self {
            members,
            source,
            content,
        })
    }

    /// The message as JSON, members in their order.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let blocks: Vec<Value> = self.content.iter().map(Block::to_json).collect();
        self.members.clone().with("content", blocks).into()
    }

    /// The message's id, where it has one that is a string.
    #[must_use]
    pub fn id(&self) -> Option<&JsString> {
        self.members.get("id")?.as_string()
    }

    /// The role; any text.
    #[must_use]
    pub fn role(&self) -> Option<&JsString> {
        self.members.get("role")?.as_string()
    }

    /// Where the message came from.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// The whole source, with the members that [`Source`] leaves out.
    #[must_use]
    pub fn source_json(&self) -> &Value {
        self.members.get("source").unwrap_or(&Value::Null)
    }

    /// The blocks.
    #[must_use]
    pub fn content(&self) -> &[Block] {
        &self.content
    }

    /// The same message with other blocks.
    #[must_use]
    pub fn with_content(&self, content: Vec<Block>) -> Self {
        Self {
            members: self.members.clone(),
            source: self.source.clone(),
            content,
        }
    }
}

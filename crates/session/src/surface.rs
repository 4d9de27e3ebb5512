use alloc::vec::Vec;

use crate::{Block, Losses, SessionHeader, Source};

/// One event of the current surface: an event that stands for a message the model would see.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SurfaceEvent {
    /// The event's number in its log.
    pub seq: u64,
    /// What it says.
    pub payload: SurfacePayload,
}

/// What a surface event says.
///
/// A reader keeps only what a projection can use: of other events the type alone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SurfacePayload {
    /// `user/message`: a person's words, or context that a harness injected in the user role.
    UserMessage {
        /// Who wrote it.
        source: Source,
        /// What the model saw. Only a few readers keep blocks other than text.
        content: Vec<Block>,
        /// The prompt alone, in logs of the three days when snapshots were baked into it
        /// (`spec/dsh-store.md` 10.3).
        display_content: Option<Vec<Block>>,
    },
    /// `assistant/message`: a model's answer.
    AssistantMessage {
        /// What it said.
        content: Vec<Block>,
    },
    /// `tool/result`.
    ToolResult,
    /// `system/message` (format 3 and up).
    SystemMessage,
    /// `developer/message` (format 4).
    DeveloperMessage,
}

impl SurfacePayload {
    /// The event type, as logs spell it.
    #[must_use]
    pub const fn event_type(&self) -> &'static str {
        match self {
            Self::UserMessage { .. } => "user/message",
            Self::AssistantMessage { .. } => "assistant/message",
            Self::ToolResult => "tool/result",
            Self::SystemMessage => "system/message",
            Self::DeveloperMessage => "developer/message",
        }
    }
}

impl SurfaceEvent {
    /// An event.
    #[must_use]
    pub const fn new(seq: u64, payload: SurfacePayload) -> Self {
        Self { seq, payload }
    }

    /// A person's or a plugin's message.
    #[must_use]
    pub const fn user(seq: u64, source: Source, content: Vec<Block>) -> Self {
        Self::new(
            seq,
            SurfacePayload::UserMessage {
                source,
                content,
                display_content: None,
            },
        )
    }

    /// A model's answer.
    #[must_use]
    pub const fn assistant(seq: u64, content: Vec<Block>) -> Self {
        Self::new(seq, SurfacePayload::AssistantMessage { content })
    }
}

/// What a session showed at one moment: its header and its current surface, in order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SurfaceSnapshot {
    /// Which session. Its id need not be the one asked for: an alias resolves to it.
    pub header: SessionHeader,
    /// The last event that the observation covers, on the surface or not; absent for an empty log.
    pub captured_through_seq: Option<u64>,
    /// The log format whose numbering `captured_through_seq` uses, where the store knows it.
    pub captured_format_version: Option<u64>,
    /// The current surface.
    pub events: Vec<SurfaceEvent>,
    /// What may be missing from it, because its log could not be read in full. It is no part of a
    /// rendered snapshot.
    pub losses: Losses,
}

impl SurfaceSnapshot {
    /// A snapshot.
    #[must_use]
    pub const fn new(
        header: SessionHeader,
        captured_through_seq: Option<u64>,
        events: Vec<SurfaceEvent>,
    ) -> Self {
        Self {
            header,
            captured_through_seq,
            captured_format_version: None,
            events,
            losses: Losses::new(),
        }
    }
}

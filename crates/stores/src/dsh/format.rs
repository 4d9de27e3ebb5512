//! What differs between the formats of the log, as data.

/// The rules of one format.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) version: u64,
    /// Event types without rules of their own here, sorted (`spec/dsh-store.md` 1.3).
    log_only: &'static [&'static str],
    /// How a replace spells the two ends of its span.
    pub(super) span: [&'static str; 2],
    /// Whether runs of chunks are packed into one row (1.5).
    packed_rows: bool,
}

/// Format 0, as release 0.1.1 reads it.
pub(super) const FORMAT_0: Format = Format {
    version: 0,
    log_only: &[
        "agent-preset/selected",
        "agent/inbox/spliced",
        "approval/asked",
        "approval/decided",
        "approval/policy",
        "assistant/chunk",
        "command/done",
        "command/run",
        "compaction/end",
        "compaction/prune",
        "compaction/start",
        "compaction/summary",
        "feedback/record",
        "goal/change",
        "hook/invoked",
        "hook/result",
        "llm/retry",
        "llm/retry-started",
        "permission/preset",
        "plan/mode",
        "request/context",
        "sandbox/mode",
        "schedule/change",
        "session/end-seed",
        "session/title-llm-request",
        "subagent/descriptor",
        "team/member",
        "team/message/delivered",
        "team/message/queued",
        "team/task",
        "todo/write",
        "tool-workflow/agent-end",
        "tool-workflow/agent-start",
        "tool-workflow/run-end",
        "tool-workflow/run-start",
        "tool/code-dispatch",
        "tool/code-dispatch-start",
        "web/deepseek-search-llm-request",
    ],
    span: ["start", "end"],
    packed_rows: true,
};

/// What a record's `type` says, as far as the rules tell types apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventType {
    UserMessage,
    AssistantMessage,
    ToolResult,
    /// `steering/message`, which became `user/message`.
    Steering,
    TurnStart,
    TurnEnd,
    StepStart,
    StepEnd,
    ToolCall,
    RequestHeader,
    Title,
    /// A type whose presence alone makes a log corrupt.
    Retired,
    /// Known, and of no consequence.
    LogOnly,
    Unknown,
    Packed(Packed),
}

/// The tags of packed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packed {
    Text,
    Reasoning,
    ToolCall,
}

impl Format {
    pub(super) fn event_type(&self, name: &[u8]) -> EventType {
        match name {
            b"text-chunks" if self.packed_rows => EventType::Packed(Packed::Text),
            b"reasoning-chunks" if self.packed_rows => EventType::Packed(Packed::Reasoning),
            b"tool-call-chunks" if self.packed_rows => EventType::Packed(Packed::ToolCall),
            b"user/message" => EventType::UserMessage,
            b"assistant/message" => EventType::AssistantMessage,
            b"tool/result" => EventType::ToolResult,
            b"steering/message" => EventType::Steering,
            b"turn/start" => EventType::TurnStart,
            b"turn/end" => EventType::TurnEnd,
            b"step/start" => EventType::StepStart,
            b"step/end" => EventType::StepEnd,
            b"tool/call" => EventType::ToolCall,
            b"request/header" => EventType::RequestHeader,
            b"session/title" => EventType::Title,
            b"request/header-delta" | b"mode/set" => EventType::Retired,
            _ => {
                let found = self
                    .log_only
                    .binary_search_by(|known| known.as_bytes().cmp(name));
                found.map_or(EventType::Unknown, |_| EventType::LogOnly)
            }
        }
    }
}

impl EventType {
    /// Whether events of this type stand on the surface (`spec/dsh-store.md` 2.1).
    pub(super) const fn is_eligible(self) -> bool {
        matches!(
            self,
            Self::UserMessage | Self::AssistantMessage | Self::ToolResult
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.3: 48 types, and the search needs them sorted.
    #[test]
    fn format_0_knows_48_types() {
        assert!(FORMAT_0.log_only.is_sorted());
        let own = [
            "user/message",
            "assistant/message",
            "tool/result",
            "turn/start",
            "turn/end",
        ]
        .into_iter()
        .chain([
            "step/start",
            "step/end",
            "tool/call",
            "request/header",
            "session/title",
        ]);
        let known = own.chain(FORMAT_0.log_only.iter().copied());
        let known: Vec<_> = known
            .filter(|name| FORMAT_0.event_type(name.as_bytes()) != EventType::Unknown)
            .collect();
        assert_eq!(known.len(), 48);
        assert_eq!(FORMAT_0.event_type(b"compact/start"), EventType::Unknown); // [u02]
        assert_eq!(FORMAT_0.event_type(b"context/message"), EventType::Unknown); // [u03]
    }
}

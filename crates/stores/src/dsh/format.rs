//! What differs between the formats of the log, as data.

use super::Product;

/// The rules of one format.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule that a format has or has not"
)]
pub(super) struct Format {
    pub(super) version: u64,
    /// Which column of [`LOG_ONLY`] names its types.
    generation: u8,
    /// Types that a fork of the harness added.
    extra: &'static [&'static str],
    /// Whether a log may hold several versions of its conversation (`spec/dsh-newer.md` 11).
    pub(super) versions: bool,
    /// How a replace spells the two ends of its span.
    pub(super) span: [&'static str; 2],
    /// Whether runs of chunks are packed into one row (1.5).
    pub(super) packed_rows: bool,
    /// Whether a list of sources may hold ranges (`spec/dsh-newer.md` 3).
    pub(super) ranges: bool,
    /// Whether an event with wrong members is a bad row, like a line that is no JSON, and damage is
    /// corruption (`spec/dsh-newer.md` 2, 9).
    pub(super) strict_rows: bool,
    /// Whether old shapes are upgraded (1.7).
    pub(super) legacy: bool,
    /// Whether the header tells if there is a seed, and a marker where it ends
    /// (`spec/dsh-newer.md` 6).
    pub(super) seeded: bool,
    /// How system prompts stand on the surface, if they do (`spec/dsh-newer.md` 7).
    pub(super) system: Option<SystemSource>,
    /// Whether messages have producers' kinds, and tool results a role of their own
    /// (`spec/dsh-newer.md` 8).
    pub(super) own_kinds: bool,
}

/// The source of a system message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemSource {
    /// Kind `plugin` with a plugin.
    Plugin,
    /// Kind `system-prompt`.
    SystemPrompt,
}

/// Format 0, as release 0.1.1 reads it.
pub(super) const FORMAT_0: Format = Format {
    version: 0,
    generation: 0,
    extra: &[],
    versions: false,
    span: ["start", "end"],
    packed_rows: true,
    ranges: false,
    strict_rows: false,
    legacy: true,
    seeded: false,
    system: None,
    own_kinds: false,
};

/// Format 0 with what release 0.1.2 added to it (`spec/dsh-newer.md` 4).
const FORMAT_0_LATE: Format = Format {
    generation: 1,
    ranges: true,
    ..FORMAT_0
};

/// Format 0 as Hydra writes it (`spec/dsh-newer.md` 11).
const FORMAT_0_HYDRA: Format = Format {
    extra: &[
        "llm/call-end",
        "llm/call-first-output",
        "llm/call-start",
        "memory/accepted",
        "memory/policy",
        "personalization/personality",
        "research/charge",
        "session/revision",
        "subagent/admission",
    ],
    versions: true,
    ..FORMAT_0_LATE
};

/// Format 0 as freddie writes it (`spec/dsh-newer.md` 11).
const FORMAT_0_FREDDIE: Format = Format {
    extra: &["tool-workflow/log", "tool-workflow/phase"],
    ..FORMAT_0_LATE
};

const FORMAT_1: Format = Format {
    version: 1,
    generation: 2,
    strict_rows: true,
    ..FORMAT_0_LATE
};

const FORMAT_2: Format = Format {
    version: 2,
    generation: 3,
    packed_rows: false,
    legacy: false,
    seeded: true,
    ..FORMAT_1
};

const FORMAT_3: Format = Format {
    version: 3,
    generation: 4,
    span: ["startSeq", "endSeq"],
    system: Some(SystemSource::Plugin),
    ..FORMAT_2
};

const FORMAT_4: Format = Format {
    version: 4,
    generation: 5,
    system: Some(SystemSource::SystemPrompt),
    own_kinds: true,
    ..FORMAT_3
};

/// The newest format that is read.
pub(super) const NEWEST: u64 = 4;

/// The rules for a log of this version, as a reader knows them whose newest format is `newest`.
pub(super) fn format(version: u64, newest: u64, product: Product) -> Option<&'static Format> {
    if version > newest {
        return None;
    }
    Some(match version {
        0 if product == Product::Hydra => &FORMAT_0_HYDRA,
        0 if product == Product::Freddie => &FORMAT_0_FREDDIE,
        0 if newest == 0 => &FORMAT_0,
        0 => &FORMAT_0_LATE,
        1 => &FORMAT_1,
        2 => &FORMAT_2,
        3 => &FORMAT_3,
        4 => &FORMAT_4,
        _ => return None,
    })
}

/// Event types without rules of their own here, sorted, with the first and last generation that
/// knows them: 0 = format 0, 1 = its late dialect, 2 to 5 = formats 1 to 4
/// (`spec/dsh-store.md` 1.3, `spec/dsh-newer.md` 4 to 8).
#[rustfmt::skip]
const LOG_ONLY: &[(&str, u8, u8)] = &[
    ("agent-preset/selected", 0, 5),
    ("agent/inbox/spliced", 0, 5),
    ("approval/asked", 0, 5),
    ("approval/decided", 0, 5),
    ("approval/policy", 0, 5),
    ("assistant/attempt", 3, 5),
    ("assistant/chunk", 0, 2),
    ("command/done", 0, 5),
    ("command/run", 0, 5),
    ("compaction/end", 0, 5),
    ("compaction/prune", 0, 5),
    ("compaction/start", 0, 5),
    ("compaction/summary", 0, 5),
    ("deliverables/presented", 4, 5),
    ("feedback/message-delete", 4, 5),
    ("feedback/message-put", 4, 5),
    ("feedback/record", 0, 5),
    ("goal/change", 0, 5),
    ("hook/invoked", 0, 5),
    ("hook/result", 0, 5),
    ("image/offload", 4, 5),
    ("job/registered", 5, 5),
    ("job/settled", 5, 5),
    ("llm/retry", 0, 5),
    ("llm/retry-started", 0, 5),
    ("model/selection", 1, 5),
    ("permission/preset", 0, 5),
    ("plan/mode", 0, 5),
    ("request/context", 0, 5),
    ("sandbox/mode", 0, 5),
    ("schedule/change", 0, 5),
    ("session-log-deepseek/delivery-accepted", 1, 5),
    ("session/title-llm-request", 0, 5),
    ("subagent/catalog", 4, 5),
    ("subagent/descriptor", 0, 5),
    ("subagent/model-selection-policy", 1, 5),
    ("team/member", 0, 5),
    ("team/message/delivered", 0, 5),
    ("team/message/queued", 0, 5),
    ("team/task", 0, 5),
    ("todo/write", 0, 5),
    ("tool-workflow/agent-end", 0, 5),
    ("tool-workflow/agent-start", 0, 5),
    ("tool-workflow/run-end", 0, 5),
    ("tool-workflow/run-start", 0, 5),
    ("tool/code-dispatch", 0, 3),
    ("tool/code-dispatch-start", 0, 3),
    ("tool/ptc-dispatch", 4, 5),
    ("tool/ptc-dispatch-start", 4, 5),
    ("web/deepseek-search-llm-request", 0, 5),
    ("working-directory/change", 5, 5),
    ("workspace/changes", 4, 5),
];

/// What a record's `type` says, as far as the rules tell types apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventType {
    UserMessage,
    AssistantMessage,
    ToolResult,
    /// `system/message`, from format 3 on.
    SystemMessage,
    /// `developer/message`, from format 4 on.
    DeveloperMessage,
    /// `steering/message`, which became `user/message`.
    Steering,
    TurnStart,
    TurnEnd,
    StepStart,
    StepEnd,
    ToolCall,
    RequestHeader,
    Title,
    /// `session/end-seed`.
    EndSeed,
    /// `session/version` of Hydra.
    Version,
    /// `session/version-selected` of Hydra.
    VersionSelected,
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
            b"system/message" if self.system.is_some() => EventType::SystemMessage,
            b"developer/message" if self.own_kinds => EventType::DeveloperMessage,
            b"steering/message" if self.legacy => EventType::Steering,
            b"turn/start" => EventType::TurnStart,
            b"turn/end" => EventType::TurnEnd,
            b"step/start" => EventType::StepStart,
            b"step/end" => EventType::StepEnd,
            b"tool/call" => EventType::ToolCall,
            b"request/header" => EventType::RequestHeader,
            b"session/title" => EventType::Title,
            b"session/end-seed" => EventType::EndSeed,
            b"session/version" if self.versions => EventType::Version,
            b"session/version-selected" if self.versions => EventType::VersionSelected,
            b"request/header-delta" | b"mode/set" if self.legacy => EventType::Retired,
            _ => {
                let found = LOG_ONLY.binary_search_by(|(known, ..)| known.as_bytes().cmp(name));
                match found.map(|at| LOG_ONLY[at]) {
                    Ok((_, first, last)) if (first..=last).contains(&self.generation) => {
                        EventType::LogOnly
                    }
                    _ if self.extra.iter().any(|own| own.as_bytes() == name) => EventType::LogOnly,
                    _ => EventType::Unknown,
                }
            }
        }
    }
}

impl EventType {
    /// Whether events of this type stand on the surface (`spec/dsh-store.md` 2.1).
    pub(super) const fn is_eligible(self) -> bool {
        matches!(
            self,
            Self::UserMessage
                | Self::AssistantMessage
                | Self::ToolResult
                | Self::SystemMessage
                | Self::DeveloperMessage
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.3 and `spec/dsh-newer.md` 4 to 8: how many types each format knows. The search needs them
    /// sorted.
    #[test]
    fn each_format_knows_its_types() {
        assert!(LOG_ONLY.is_sorted());
        let own = [
            "user/message",
            "assistant/message",
            "tool/result",
            "system/message",
            "developer/message",
            "turn/start",
            "turn/end",
            "step/start",
            "step/end",
            "tool/call",
            "request/header",
            "session/title",
            "session/end-seed",
        ];
        let names = own
            .into_iter()
            .chain(LOG_ONLY.iter().map(|(name, ..)| *name));
        let known = |format: &Format| {
            let known = names.clone().map(|name| format.event_type(name.as_bytes()));
            known.filter(|kind| *kind != EventType::Unknown).count()
        };
        assert_eq!(known(&FORMAT_0), 48);
        for (version, types) in [(0, 51), (1, 51), (2, 51), (3, 58), (4, 62)] {
            assert_eq!(
                known(format(version, NEWEST, Product::Dsh).unwrap()),
                types,
                "format {version}"
            );
        }
        assert!(format(5, NEWEST, Product::Dsh).is_none());
        assert_eq!(FORMAT_0.event_type(b"compact/start"), EventType::Unknown); // [u02]
        assert_eq!(FORMAT_0.event_type(b"context/message"), EventType::Unknown); // [u03]
    }
}

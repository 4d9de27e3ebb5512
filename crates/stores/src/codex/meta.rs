//! The record that opens a rollout (`spec/agent-logs.md` 3.3).

use sref_session::JsString;
use sref_session::json::Kind;

use crate::raw::Raw;

/// What a rollout says of its thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) id: Option<JsString>,
    /// The thread this one was started from, as a sub-agent or as a fork.
    pub(super) parent: Option<JsString>,
    pub(super) timestamp: Option<JsString>,
    pub(super) cwd: Option<JsString>,
    /// What started the thread, when no person did.
    pub(super) origin: Option<&'static str>,
    pub(super) depth: Option<u64>,
    /// The rollout that this one continues.
    pub(super) base: Option<Base>,
    /// Whether it says that there is one, in a form that tells not which.
    pub(super) base_unread: bool,
    /// Whether the rollout is written in items, as current versions do.
    pub(super) paginated: bool,
    /// Where a sub-agent's own part begins, by the number of the record.
    pub(super) own_from: Option<u64>,
}

/// A rollout that another one continues, and how far it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) rollout: JsString,
    pub(super) cut: Cut,
}

/// Where the part of a base ends that its continuation stands on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) bytes: Option<u64>,
    pub(super) ordinal: Option<u64>,
}

/// Names of `thread_source` behind which no person stands (3.3, 3.8). Unknown ones hide nothing.
const MACHINES: &[&str] = &[
    "subagent",
    "automation",
    "guardian_review",
    "memory_consolidation",
];

impl Meta {
    /// Reads a payload; absent and odd members are absent.
    pub(super) fn parse(payload: Raw<'_>) -> Self {
        let names = [
            "id",
            "session_id",
            "forked_from_id",
            "parent_thread_id",
            "timestamp",
            "cwd",
            "source",
            "thread_source",
            "history_base",
            "subagent_history_start_ordinal",
            "history_mode",
        ];
        let Some(found) = payload.members(names) else {
            return Self::default();
        };
        let [
            id,
            session,
            forked,
            parent,
            timestamp,
            cwd,
            source,
            thread_source,
            base,
            own_from,
            mode,
        ] = found.found;
        let id = filled(id);
        let agent = source.and_then(|source| source.member("subagent"));
        let spawn = agent.and_then(|agent| agent.member("thread_spawn"));
        let spawn_parent = spawn.and_then(|spawn| spawn.member("parent_thread_id"));
        let root = filled(session).filter(|root| Some(root) != id.as_ref());
        let depth = spawn.and_then(|spawn| spawn.member("depth"));
        Self {
            parent: filled(parent)
                .or_else(|| filled(spawn_parent))
                .or_else(|| filled(forked))
                .or(root),
            id,
            timestamp: filled(timestamp),
            cwd: filled(cwd),
            origin: origin(thread_source, agent),
            depth: depth.and_then(Raw::index),
            base: base.and_then(Base::parse),
            base_unread: base.is_some_and(|base| !base.is_null() && Base::parse(base).is_none()),
            own_from: own_from.and_then(Raw::index),
            paginated: mode.is_some_and(|mode| mode.is_string("paginated")),
        }
    }

    pub(super) fn is_agent(&self) -> bool {
        self.origin == Some("subagent")
    }
}

impl Base {
    fn parse(base: Raw<'_>) -> Option<Self> {
        let [rollout, ordinal, bytes] = base
            .members(["thread_id", "end_ordinal_exclusive", "end_byte_offset"])?
            .found;
        Some(Self {
            rollout: filled(rollout)?,
            cut: Cut {
                bytes: bytes.and_then(Raw::index),
                ordinal: ordinal.and_then(Raw::index),
            },
        })
    }
}

fn origin(thread_source: Option<Raw<'_>>, agent: Option<Raw<'_>>) -> Option<&'static str> {
    let named = thread_source.and_then(|source| {
        let machine = MACHINES.iter().find(|name| source.is_string(name));
        machine.copied()
    });
    // A sub-agent's source is an object or a word.
    let agent = agent.filter(|agent| matches!(agent.kind(), Kind::Object | Kind::String));
    named.or_else(|| agent.map(|_| "subagent"))
}

fn filled(value: Option<Raw<'_>>) -> Option<JsString> {
    value?.decode().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(json: &str) -> Meta {
        Meta::parse(Raw::checked(json.as_bytes()))
    }

    #[test]
    fn what_started_a_thread() {
        let origin = |json: &str| meta(json).origin;
        assert_eq!(origin(r#"{"source":"cli","thread_source":"user"}"#), None);
        assert_eq!(origin(r#"{"source":"exec"}"#), None);
        assert_eq!(origin(r#"{"source":"mcp","thread_source":null}"#), None);
        assert_eq!(
            origin(r#"{"thread_source":"subagent","originator":"codex-tui"}"#),
            Some("subagent")
        );
        assert_eq!(
            origin(r#"{"source":{"subagent":"review"}}"#),
            Some("subagent")
        );
        assert_eq!(origin(r#"{"source":{"subagent":null}}"#), None);
        assert_eq!(
            origin(r#"{"thread_source":"automation"}"#),
            Some("automation")
        );
        assert_eq!(
            origin(r#"{"thread_source":"guardian_review"}"#),
            Some("guardian_review")
        );
        assert_eq!(origin(r#"{"thread_source":"brand_new"}"#), None);
    }

    #[test]
    fn where_a_thread_comes_from() {
        let parent = |json: &str| {
            meta(json)
                .parent
                .map(|id| id.to_string_lossy().into_owned())
        };
        let spawned = r#"{"id":"c","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":2}}}}"#;
        assert_eq!(parent(spawned).as_deref(), Some("p"));
        assert_eq!(meta(spawned).depth, Some(2));
        assert_eq!(
            parent(r#"{"id":"c","forked_from_id":"f"}"#).as_deref(),
            Some("f")
        );
        assert_eq!(parent(r#"{"id":"c","session_id":"c"}"#), None);
        assert_eq!(
            parent(r#"{"id":"c","session_id":"r"}"#).as_deref(),
            Some("r")
        );
    }

    #[test]
    fn odd_members_are_absent() {
        assert_eq!(meta("[1]"), Meta::default());
        let odd =
            r#"{"id":7,"cwd":null,"timestamp":"","history_base":{"thread_id":1},"source":[]}"#;
        let unread = Meta {
            base_unread: true,
            ..Meta::default()
        };
        assert_eq!(meta(odd), unread);
        for odd in ["\"r\"", "7", "{}", "[]"] {
            assert_eq!(
                meta(&format!("{{\"history_base\":{odd}}}")),
                unread,
                "{odd}"
            );
        }
        assert_eq!(meta(r#"{"history_base":null}"#), Meta::default());
        let base =
            r#"{"history_base":{"thread_id":"r","end_ordinal_exclusive":5,"end_byte_offset":-1}}"#;
        let cut = Cut {
            bytes: None,
            ordinal: Some(5),
        };
        assert_eq!(meta(base).base.unwrap().cut, cut);
    }
}

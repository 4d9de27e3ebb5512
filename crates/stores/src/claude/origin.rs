//! Who wrote a prompt, by the log's own word (`spec/agent-logs.md` 2.7, 2.8, 2.13).

use sref_session::JsString;

use super::record::Members;
use crate::raw::Raw;

/// Sources of prompts that no person typed. Unknown ones hide nothing.
const MACHINE_ORIGINS: &[&str] = &[
    "task-notification",
    "task_notification",
    "coordinator",
    "channel",
    "teammate",
    "peer",
    "hook",
    "scheduled",
    "cron",
    "auto-continuation",
    "auto_continuation",
];

/// Sources of prompts that a person typed, or that a program gave as a person's.
const HUMAN_ORIGINS: &[&str] = &["human", "user", "cli"];
const PROMPT_SOURCES: &[&str] = &["typed", "queued", "system", "sdk", "user", "cli"];

/// What a record says of who wrote it that this reader does not know (2.8, 2.13). It hides nothing.
pub(super) fn strange(own: &Members<'_>) -> Vec<JsString> {
    let unknown = |name: &str, value: Option<Raw<'_>>, known: &[&[&str]]| {
        let value = value.filter(|value| !value.is_null())?;
        let mut known = known.iter().copied().flatten();
        if known.any(|known| value.is_string(known)) {
            return None;
        }
        let mut unknown = JsString::from(format!("{name}="));
        unknown.push(value.decode().unwrap_or_default().as_js_str());
        Some(unknown)
    };
    let inner = own.attachment.and_then(|own| own.member("origin"));
    let origins = [own.origin, inner].into_iter().flatten();
    let origins = origins.map(|origin| origin.member("kind"));
    origins
        .map(|kind| unknown("origin.kind", kind, &[HUMAN_ORIGINS, MACHINE_ORIGINS]))
        .chain([unknown(
            "promptSource",
            own.prompt_source,
            &[PROMPT_SOURCES],
        )])
        .flatten()
        .collect()
}

fn named(value: Option<Raw<'_>>, names: &[&str]) -> bool {
    let value = value.and_then(Raw::string);
    value.is_some_and(|value| names.iter().any(|name| value.is(name)))
}

/// Whether a kind of origin is known to be a machine's. Unknown ones hide nothing.
pub(super) fn is_of_machine(kind: Option<Raw<'_>>) -> bool {
    named(kind, MACHINE_ORIGINS)
}

/// Whether a record says that no person wrote it.
pub(super) fn is_machine(own: &Members<'_>) -> bool {
    is_of_machine(own.origin.and_then(|origin| origin.member("kind")))
        || named(own.prompt_source, &["system"])
        || named(
            own.turn_origin,
            &[
                "task_notification",
                "auto_continuation",
                "peer",
                "scheduled",
            ],
        )
        || own
            .user_type
            .is_some_and(|kind| !kind.is_string("external"))
}

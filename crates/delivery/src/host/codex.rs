//! Codex (`spec/delivery.md` 0.2.2, 1.3).
//!
//! An unknown member, a wrong type, text after the JSON or an escape of a lone surrogate fails the
//! hook, and nothing is delivered. A context that goes with a block is stored and sent with the
//! next prompt. The cap cuts the middle out and keeps both ends.

use super::{Definition, Form, Limits, NOTE, fields};
use crate::unit::{Cap, Unit};

const EVENT: &str = "UserPromptSubmit";

pub(super) static DEFINITION: Definition = Definition {
    name: "codex",
    limits: Limits {
        checked: "Codex CLI 0.171.0, by running it",
        context: Cap {
            unit: Unit::Utf8,
            limit: Some(10_000),
            aim: 9_500,
        },
        note: NOTE,
        role: "developer",
        timeout_ms: 600_000,
    },
    fields: fields("codex", &[EVENT]),
    form: Form::Json {
        event: EVENT,
        block: "block",
    },
};

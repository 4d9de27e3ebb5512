//! Claude Code (`spec/delivery.md` 0.2.1, 1.2).
//!
//! Unknown members are ignored; a wrong type, a wrong `hookEventName` or a context at the top level
//! drops everything in silence. Text before or after the JSON makes all of it a plain text. A
//! blocked prompt is shown to the person with the reason, so that it can be copied.

use super::{Definition, Form, Limits, NOTE, fields};
use crate::unit::{Cap, Unit};

const EVENT: &str = "UserPromptSubmit";

pub(super) static DEFINITION: Definition = Definition {
    name: "claude",
    limits: Limits {
        checked: "Claude Code 2.1.332 and 2.1.197, by running them",
        // Per string; 10,000 pass, 10,001 become the first 2,000 and the path of a file.
        context: Cap {
            unit: Unit::Utf16,
            limit: Some(10_000),
            aim: 9_500,
        },
        note: NOTE,
        role: "system",
        timeout_ms: 30_000,
    },
    fields: fields("claude", &[EVENT]),
    form: Form::Json {
        event: EVENT,
        block: "block",
    },
};

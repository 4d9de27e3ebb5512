//! Gemini CLI (`spec/delivery.md` 1.4; its `docs/hooks/reference.md`).
//!
//! The context is appended to the prompt in `<hook_context>` with `<` and `>` as `&lt;` and `&gt;`,
//! so our tags arrive in that form; the hardened profile keeps the JSON between them untouched.

use super::{Definition, Form, Limits, NOTE, fields};
use crate::event::Fields;
use crate::unit::{Cap, Unit};

const EVENT: &str = "BeforeAgent";

pub(super) static DEFINITION: Definition = Definition {
    name: "gemini",
    limits: Limits {
        checked: "Gemini CLI 0.61.0, by running it, and the hook reference of 2026",
        // No limit was found: the default budget of one reference.
        context: Cap {
            unit: Unit::Utf8,
            limit: None,
            aim: 65_536,
        },
        note: NOTE,
        role: "user",
        timeout_ms: 60_000,
    },
    fields: Fields {
        sub_agent: None,
        ..fields("gemini", &[EVENT])
    },
    form: Form::Json {
        event: EVENT,
        block: "deny",
    },
};

//! Cline (`spec/delivery.md` 1.4; its `.clinerules/hooks/README.md` and hook runners).
//!
//! Two generations read the output: 3.x takes the JSON object of the last line, the SDK the last
//! line that begins with `HOOK_CONTROL` and a tab. One such line suits both. Output lines and
//! standard error are shown with the hook, so the note goes there: there is no channel for it.
//!
//! Cline 4.0 to 4.1 runs the hook and throws `contextModification` away for prompts
//! (cline/cline#13554); a cancel works in all.

use alloc::format;
use alloc::string::String;

use sref_session::json::{Object, Value};

use super::{Answer, Definition, Form, Limits, NOTE, Reply};
use crate::event::Fields;
use crate::unit::{Cap, Unit};

pub(super) static DEFINITION: Definition = Definition {
    name: "cline",
    limits: Limits {
        checked: "the sources of Cline 3.x and of its SDK, 2026; Cline CLI 3.0.65, by running it",
        // `String.length`; what is over is cut and marked.
        context: Cap {
            unit: Unit::Utf16,
            limit: Some(50_000),
            aim: 47_500,
        },
        note: NOTE,
        role: "user",
        timeout_ms: 30_000,
    },
    fields: Fields {
        kind: "cline",
        event: ("hookName", &["UserPromptSubmit", "prompt_submit"]),
        prompt: (Some("userPromptSubmit"), "prompt"),
        session: "taskId",
        cwd: None,
        transcript: None,
        // `agent_id` is there for the main agent too.
        sub_agent: Some("parent_agent_id"),
    },
    form: Form::Own(write),
};

fn write(answer: &Answer) -> Reply {
    match answer {
        Answer::Silent => Reply::default(),
        Answer::Pass { context, note } => Reply {
            stdout: context.as_deref().map_or_else(String::new, |context| {
                line(
                    Object::new()
                        .with("cancel", false)
                        .with("contextModification", context),
                )
            }),
            stderr: note.clone().unwrap_or_default(),
            exit_code: 0,
        },
        Answer::Block { reason } => Reply {
            stdout: line(
                Object::new()
                    .with("cancel", true)
                    .with("errorMessage", reason.as_str()),
            ),
            ..Reply::default()
        },
    }
}

fn line(control: Object) -> String {
    format!("HOOK_CONTROL\t{}\n", Value::from(control))
}

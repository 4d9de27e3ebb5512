//! `pre-step`: the messages that enter a step of an agent loop.

use sref::service::{Decision, PreparedMessage};
use sref::session::json::{Object, Value};
use sref::session::{JsString, Message};

use super::reads::Reads;
use crate::drive::{STALLED, drive};
use crate::fields::{self, Malformed};
use crate::{context, seed};

pub(super) fn pre_step(input: &Value) -> Result<Value, Malformed> {
    let reads = Reads::from_json(input)?;
    let mut messages = Vec::new();
    for message in fields::items(input, "messages")? {
        let message = Message::from_json(message.clone());
        messages.push(message.map_err(|error| Malformed(error.to_string()))?);
    }
    // What the other listeners of the step have decided.
    let decision = fields::optional_text(input, "decision")?;
    let decision = match decision.map(JsString::as_str) {
        None | Some(Some("enter")) => Decision::Enter(messages.clone()),
        Some(Some("reject")) => Decision::Reject(()),
        Some(_) => return Err(Malformed("`decision` is unknown".into())),
    };
    let agent = fields::id(input, "agentId")?;
    let empty = Value::from(Object::new());
    let config = fields::optional(input, "config").unwrap_or(&empty);
    let call = async {
        seed::resolver(&reads, config)?
            .pre_step(&agent, decision, reads.token())
            .await
    };
    Ok(reads.outcome(match drive(call) {
        None => Object::new().with("error", STALLED),
        Some(Err(error)) => Object::new().with("error", error.code()),
        Some(Ok(Decision::Reject(()))) => Object::new().with("kind", "reject"),
        Some(Ok(Decision::Enter(prepared))) => Object::new()
            .with("kind", "enter")
            .with("messages", describe(&messages, &prepared.messages)),
    }))
}

/// Which of the messages stayed, which were rewritten, which are new.
fn describe(given: &[Message], prepared: &[PreparedMessage]) -> Vec<Value> {
    let mut next = given.iter().enumerate();
    let describe = |prepared: &PreparedMessage| match prepared {
        PreparedMessage::Same(message) => match next.next() {
            Some((at, given)) if given == message => Object::new().with("same", at as u64),
            _ => Object::new().with("invalid", "a message that was not given"),
        },
        PreparedMessage::Rewritten(message) => {
            next.next();
            Object::new().with("rewritten", message.to_json())
        }
        PreparedMessage::Context(own) => {
            Object::new().with("context", context::describe(&own.message))
        }
        _ => Object::new().with("invalid", "a message of a new kind"),
    };
    prepared.iter().map(describe).map(Value::from).collect()
}

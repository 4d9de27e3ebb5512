//! `prepare` and `config`.

use sref::service::{Config, PrepareRequest};
use sref::session::Block;
use sref::session::json::{Object, Value};

use super::reads::Reads;
use crate::drive::{STALLED, drive};
use crate::fields::{self, Malformed};
use crate::{context, seed};

pub(super) fn config(input: &Value) -> Result<Value, Malformed> {
    let result = match Config::from_json(fields::any(input, "config")?) {
        Ok(_) => Object::new().with("ok", true),
        Err(error) => Object::new().with("error", error.code()),
    };
    Ok(result.into())
}

pub(super) fn prepare(input: &Value) -> Result<Value, Malformed> {
    let reads = Reads::from_json(input)?;
    let empty = Value::from(Object::new());
    let config = fields::optional(input, "config").unwrap_or(&empty);
    let call = async {
        let resolver = seed::resolver(&reads, config)?;
        let request = PrepareRequest::from_json(input.clone())?;
        resolver
            .prepare(
                &request.agent_id,
                request.content,
                &request.references,
                reads.token(),
            )
            .await
    };
    let result = match drive(call) {
        None => Object::new().with("error", STALLED),
        Some(Err(error)) => Object::new().with("error", error.code()),
        Some(Ok(prepared)) => {
            let content: Vec<Value> = prepared.content.iter().map(Block::to_json).collect();
            let snapshots = prepared.context.map(|own| context::describe(&own.message));
            Object::new()
                .with("content", content)
                .with("context", snapshots.unwrap_or(Value::Null))
        }
    };
    Ok(reads.outcome(result))
}

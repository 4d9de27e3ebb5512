//! What a reference carries: `serialization`, `projection` and the four files of `retention`.

use sref::envelope::Profile;
use sref::projection::{Conversation, Identity, Retained, Retention, project, retain};
use sref::service::Config;
use sref::session::json::{Object, Value};
use sref::session::{
    Block, CheckpointMarkers, JsString, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot,
};

use super::surface;
use crate::compare::Mismatch;
use crate::digest;
use crate::fields::{self, Malformed};

/// The budget of `serialization`: enough for any of its texts.
const AMPLE: u64 = 1_000_000;

pub(super) fn serialization(input: &Value) -> Result<Value, Malformed> {
    let mut header = SessionHeader::new(fields::id(input, "sessionId")?, 0);
    header.cwd = fields::optional_text(input, "cwd")?.cloned();
    let captured = fields::optional_count(input, "capturedThroughSeq")?;
    let events = fields::optional_text(input, "text")?
        .map(|text| SurfaceEvent::user(0, Source::user(), vec![Block::Text(text.clone())]));
    let snapshot = SurfaceSnapshot::new(header, captured, events.into_iter().collect());
    let label = fields::optional_text(input, "label")?;
    Ok(Cited::new(&snapshot, label).render(&AMPLE.into()))
}

pub(super) fn projection(input: &Value) -> Result<Value, Malformed> {
    let snapshot = surface::read(input)?;
    let label = fields::optional_text(input, "label")?;
    let budget = Config::default().max_reference_bytes() as u64;
    Ok(Cited::new(&snapshot, label).render(&budget.into()))
}

/// Compares each budget with its outcome, whatever the outcome records: the object itself or its
/// digest.
pub(super) fn retention(input: &Value, expect: &Value) -> Result<Vec<Mismatch>, Malformed> {
    let snapshot = surface::read(input)?;
    let label = fields::optional_text(input, "label")?;
    let budgets = fields::items(input, "budgets")?;
    let outcomes = fields::items(expect, "outcomes")?;
    let of = fields::items(expect, "of")?;
    if budgets.is_empty() || budgets.len() != of.len() {
        return Err(Malformed("`of` needs one entry for each budget".into()));
    }
    let cited = Cited::new(&snapshot, label);
    let mut mismatches = Vec::new();
    for (budget, of) in budgets.iter().zip(of) {
        let expected = of
            .as_safe_integer()
            .and_then(|of| outcomes.get(usize::try_from(of).ok()?))
            .ok_or_else(|| Malformed("`of` names no outcome".into()))?;
        let got = cited.render(budget);
        mismatches.extend(Mismatch::of(format!("budget {budget}"), expected, got));
    }
    Ok(mismatches)
}

/// A session that is cited, before the budget is known.
struct Cited<'a> {
    identity: Identity<'a>,
    conversation: Conversation<'a>,
}

impl<'a> Cited<'a> {
    /// Without a label the id is one.
    fn new(snapshot: &'a SurfaceSnapshot, label: Option<&'a JsString>) -> Self {
        let label = label.unwrap_or(snapshot.header.id.as_js_string());
        Self {
            identity: Identity::of_surface(snapshot, label.as_js_str()),
            conversation: project(snapshot, &CheckpointMarkers::STANDARD),
        }
    }

    /// Everything that any of the files records of the reference.
    fn render(&self, budget: &Value) -> Value {
        let config = Object::new().with("maxReferenceBytes", budget.clone());
        let config = match Config::from_json(&config.into()) {
            Ok(config) => config,
            Err(error) => return failed(error.code()),
        };
        let Self {
            identity,
            conversation,
        } = self;
        let bytes = config.max_reference_bytes();
        match retain(
            identity,
            conversation,
            bytes,
            Retention::Exact,
            Profile::Plain,
        ) {
            Ok(retained) => self.describe(&retained),
            Err(error) => failed(error.code()),
        }
    }

    fn describe(&self, retained: &Retained) -> Value {
        let facts = &retained.facts;
        let captured = self.identity.captured_through_seq;
        let reference = Object::new()
            .with("sessionId", self.identity.session_id.to_js_string())
            .with("label", self.identity.label.to_js_string())
            .with(
                "capturedThroughSeq",
                captured.map_or(Value::Null, Value::from),
            )
            .with("compacted", facts.compacted)
            .with("originalMessages", facts.original_messages)
            .with("retainedMessages", facts.retained_messages)
            .with("omittedMessages", facts.omitted_messages)
            .with("omittedBytes", facts.omitted_bytes)
            .with("truncated", facts.truncated)
            .with("inputIndex", 0_u64);
        let json = format!("[{}]", retained.rendered);
        Object::new()
            .with("bytes", retained.rendered.len() as u64)
            .with("sha256", &*digest::sha256(json.as_bytes()))
            .with("json", JsString::from(json))
            .with("retainedMessages", facts.retained_messages)
            .with("omittedMessages", facts.omitted_messages)
            .with("omittedBytes", facts.omitted_bytes)
            .with("reference", reference)
            .into()
    }
}

fn failed(code: &str) -> Value {
    Object::new().with("error", code).into()
}

use sref_projection::Facts;
use sref_session::json::{Object, Value};
use sref_session::{JsString, Message, SessionId};

use crate::ReferenceError;
use crate::config::natural;

/// The kind of source that marks a context message.
const KIND: &str = "session-reference";

/// What a context message keeps of one cited session, beside what the model reads: where the
/// snapshot was taken, and what was left out (`contract.md` §8, `spec/dsh-store.md` 10.4).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceRecord {
    /// The session that was read. Where the id cited was an alias, this is the session's own.
    pub session_id: SessionId,
    /// What the person called it.
    pub label: JsString,
    /// The log format whose numbering `captured_through_seq` uses, where the store knows it.
    pub captured_format_version: Option<u64>,
    /// The last event that the snapshot covers; absent for an empty log.
    pub captured_through_seq: Option<u64>,
    /// What was kept and what was left out.
    pub facts: Facts,
    /// The place among the different sessions that the message cites, from 0.
    pub input_index: usize,
}

impl SourceRecord {
    /// The record as it is stored.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = Object::new()
            .with("sessionId", self.session_id.as_js_string().clone())
            .with("label", self.label.clone());
        // The reference writes it since 0.1.5, where every store knows it.
        if let Some(version) = self.captured_format_version {
            out.set("capturedFormatVersion", version);
        }
        let through = self.captured_through_seq.map_or(Value::Null, Value::from);
        out.with("capturedThroughSeq", through)
            .with("compacted", self.facts.compacted)
            .with("originalMessages", self.facts.original_messages)
            .with("retainedMessages", self.facts.retained_messages)
            .with("omittedMessages", self.facts.omitted_messages)
            .with("omittedBytes", self.facts.omitted_bytes)
            .with("truncated", self.facts.truncated)
            .with("inputIndex", self.input_index as u64)
            .into()
    }

    /// Reads a record that was stored.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidRequest`], naming the member that is missing or of another type.
    ///
    /// ```
    /// use sref_service::SourceRecord;
    /// use sref_session::json;
    ///
    /// let stored = br#"{"sessionId":"s","label":"S","capturedThroughSeq":7,"compacted":false,
    ///     "originalMessages":3,"retainedMessages":3,"omittedMessages":0,"omittedBytes":0,
    ///     "truncated":false,"inputIndex":0}"#;
    /// let stored = json::parse(stored)?;
    /// let record = SourceRecord::from_json(&stored)?;
    /// assert_eq!(record.captured_through_seq, Some(7));
    /// assert_eq!(record.to_json(), stored);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(record: &Value) -> Result<Self, ReferenceError> {
        let wrong = |member| ReferenceError::InvalidRequest { member };
        let text = |member| {
            let text = record.get(member).and_then(Value::as_string);
            text.cloned().ok_or(wrong(member))
        };
        let flag = |member| {
            record
                .get(member)
                .and_then(Value::as_bool)
                .ok_or(wrong(member))
        };
        let count = |member| record.get(member).and_then(natural).ok_or(wrong(member));
        let optional = |member| match record.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => natural(value).map(Some).ok_or(wrong(member)),
        };
        let mut facts = Facts::default();
        facts.compacted = flag("compacted")?;
        facts.original_messages = count("originalMessages")?;
        facts.retained_messages = count("retainedMessages")?;
        facts.omitted_messages = count("omittedMessages")?;
        facts.omitted_bytes = count("omittedBytes")?;
        facts.truncated = flag("truncated")?;
        Ok(Self {
            session_id: text("sessionId")?.into(),
            label: text("label")?,
            captured_format_version: optional("capturedFormatVersion")?,
            captured_through_seq: optional("capturedThroughSeq")?,
            facts,
            input_index: usize::try_from(count("inputIndex")?).map_err(|_| wrong("inputIndex"))?,
        })
    }

    /// The records of a stored message; `None` when it is no context message.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json).
    pub fn of_message(message: &Message) -> Result<Option<Vec<Self>>, ReferenceError> {
        if *message.source().kind() != *KIND {
            return Ok(None);
        }
        let member = "references";
        let references = message.source_json().get(member).and_then(Value::as_array);
        let references = references.ok_or(ReferenceError::InvalidRequest { member })?;
        references
            .iter()
            .map(Self::from_json)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// The source of a context message: `{kind, form, version, references}`.
    pub(crate) fn source_json(records: &[Self]) -> Value {
        let references: Vec<Value> = records.iter().map(Self::to_json).collect();
        Object::new()
            .with("kind", KIND)
            .with("form", "recall")
            .with("version", 1_u64)
            .with("references", references)
            .into()
    }
}

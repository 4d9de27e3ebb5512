use alloc::vec::Vec;

use thiserror::Error;

use crate::JsString;
use crate::json::{Object, Value};

/// The title of a session at one moment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TitleSnapshot {
    /// The title as the log has it: a string from every known writer, and passed on unchecked.
    pub title: Value,
    /// The messages it was made from.
    pub message_seqs: Vec<Value>,
    /// Who made it: the known members alone.
    pub source: Value,
    /// The event that set it.
    pub event_seq: u64,
    /// When, in milliseconds since 1970.
    pub updated_at: i64,
}

impl TitleSnapshot {
    /// A title of which no more is known than its text: from agents whose logs say no more.
    #[must_use]
    pub fn plain(title: JsString) -> Self {
        Self {
            title: title.into(),
            message_seqs: Vec::new(),
            source: Value::Null,
            event_seq: 0,
            updated_at: 0,
        }
    }

    /// The title, when it is text.
    #[must_use]
    pub fn text(&self) -> Option<&JsString> {
        self.title.as_string()
    }
}

/// The last `session/title` of a log is malformed. It costs the title, never the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("malformed session/title (event {seq})")]
pub struct TitleError {
    seq: u64,
}

impl TitleError {
    /// The malformed event.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
}

/// Folds the `session/title` events of a log: the last one wins (`spec/dsh-store.md` 7).
///
/// ```
/// use sref_session::{TitleFold, json};
///
/// let data = json::parse(br#"{"title":"Fix login","messageSeqs":[1],"source":{"kind":"fallback"}}"#)?;
/// let mut fold = TitleFold::default();
/// fold.push(7, 1_780_000_000_000, data);
/// assert_eq!(fold.finish()?.unwrap().text().unwrap(), "Fix login");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct TitleFold {
    last: Option<(u64, i64, Value)>,
}

impl TitleFold {
    /// Takes the data of one `session/title` event.
    pub fn push(&mut self, seq: u64, time: i64, data: Value) {
        self.last = Some((seq, time, data));
    }

    /// The title of the log, or `None` when it has no title event.
    ///
    /// # Errors
    ///
    /// [`TitleError`] when the last title event lacks an array `messageSeqs` or has a source of
    /// an unknown kind. Earlier bad ones are harmless.
    pub fn finish(self) -> Result<Option<TitleSnapshot>, TitleError> {
        let Some((seq, updated_at, data)) = self.last else {
            return Ok(None);
        };
        let error = TitleError { seq };
        let message_seqs = message_seqs(data.get("messageSeqs")).ok_or(error)?;
        let source = data.get("source").and_then(source).ok_or(error)?;
        Ok(Some(TitleSnapshot {
            title: data.get("title").cloned().unwrap_or(Value::Null),
            message_seqs,
            source,
            event_seq: seq,
            updated_at,
        }))
    }
}

/// What JavaScript iterates: an array, or the characters of a string.
fn message_seqs(value: Option<&Value>) -> Option<Vec<Value>> {
    match value? {
        Value::Array(items) => Some(items.clone()),
        Value::String(text) => Some(
            text.as_js_str()
                .code_points()
                .map(|code_point| {
                    let unit = u16::try_from(code_point).ok();
                    let text = match (char::from_u32(code_point), unit) {
                        (Some(c), _) => {
                            JsString::from_utf16(c.encode_utf16(&mut [0; 2]).iter().copied())
                        }
                        (None, unit) => JsString::from_utf16(unit),
                    };
                    text.into()
                })
                .collect(),
        ),
        _ => None,
    }
}

/// The known members of a title's source; `None` for an unknown kind.
fn source(value: &Value) -> Option<Value> {
    let kind = value.get("kind")?.as_string()?;
    let mut out = Object::new().with("kind", kind.clone());
    match kind.as_str()? {
        "fallback" | "user" => {}
        "provider" => {
            copy(&mut out, value, "provider");
            if let Some(model) = value.get("model") {
                let mut own = Object::new();
                copy(&mut own, model, "provider");
                copy(&mut own, model, "model");
                out.set("model", own);
            }
        }
        _ => return None,
    }
    Some(out.into())
}

fn copy(out: &mut Object, from: &Value, key: &str) {
    if let Some(value) = from.get(key) {
        out.set(key, value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn fold(data: &[&str]) -> Result<Option<Value>, TitleError> {
        let mut fold = TitleFold::default();
        for (seq, data) in (0..).zip(data) {
            fold.push(seq, 5, parse(data.as_bytes()).unwrap());
        }
        Ok(fold.finish()?.map(|title| title.title))
    }

    #[test]
    fn the_last_title_wins_and_only_it_can_fail() {
        let good = r#"{"title":"b","messageSeqs":[],"source":{"kind":"user"}}"#;
        let bad = r#"{"title":"a","messageSeqs":[],"source":{"kind":"oracle"}}"#;
        assert_eq!(fold(&[]), Ok(None));
        assert_eq!(fold(&[bad, good]), Ok(Some("b".into())));
        assert_eq!(fold(&[good, bad]).unwrap_err().seq(), 1);
        assert!(fold(&[r#"{"title":"a","source":{"kind":"user"}}"#]).is_err());
        assert!(fold(&["null"]).is_err());
        // Nothing is type-checked: a numeric title passes.
        let number = r#"{"title":7,"messageSeqs":[],"source":{"kind":"user"}}"#;
        assert_eq!(fold(&[number]), Ok(Some(Value::from(7_u64))));
    }
}

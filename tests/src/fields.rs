//! Members of recorded JSON.

use sref::session::json::Value;
use sref::session::{JsString, SessionId};
use thiserror::Error;

/// A recording that does not have the shape its schema gives it.
#[derive(Debug, Error)]
#[error("malformed recording: {0}")]
pub(crate) struct Malformed(pub(crate) String);

/// A member of any type.
pub(crate) fn any<'a>(value: &'a Value, key: &str) -> Result<&'a Value, Malformed> {
    value
        .get(key)
        .ok_or_else(|| Malformed(format!("`{key}` is missing")))
}

/// A member; `None` when absent or null.
pub(crate) fn optional<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|value| !value.is_null())
}

/// A text.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a JsString, Malformed> {
    as_text(any(value, key)?, key)
}

/// A text; `None` when absent or null.
pub(crate) fn optional_text<'a>(
    value: &'a Value,
    key: &str,
) -> Result<Option<&'a JsString>, Malformed> {
    optional(value, key)
        .map(|value| as_text(value, key))
        .transpose()
}

pub(crate) fn as_text<'a>(value: &'a Value, key: &str) -> Result<&'a JsString, Malformed> {
    value
        .as_string()
        .ok_or_else(|| Malformed(format!("`{key}` is no string")))
}

/// A session id.
pub(crate) fn id(value: &Value, key: &str) -> Result<SessionId, Malformed> {
    text(value, key).map(|id| SessionId::from(id.clone()))
}

/// An array.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], Malformed> {
    any(value, key)?
        .as_array()
        .ok_or_else(|| Malformed(format!("`{key}` is no array")))
}

/// An array; empty when absent or null.
pub(crate) fn optional_items<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], Malformed> {
    optional(value, key).map_or(Ok(&[]), |_| items(value, key))
}

/// A count: a safe integer of at least 0; `None` when absent or null.
pub(crate) fn optional_count(value: &Value, key: &str) -> Result<Option<u64>, Malformed> {
    optional(value, key)
        .map(|value| {
            value
                .as_safe_integer()
                .and_then(|count| u64::try_from(count).ok())
                .ok_or_else(|| Malformed(format!("`{key}` is no count")))
        })
        .transpose()
}

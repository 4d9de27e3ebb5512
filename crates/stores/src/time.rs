//! Times as agents write them (`spec/agent-logs.md` 1.5).

use jiff::Timestamp;
use sref_session::JsString;

/// An RFC 3339 time in milliseconds since 1970.
pub(crate) fn milliseconds(time: &JsString) -> Option<i64> {
    let time: Timestamp = time.as_str()?.parse().ok()?;
    Some(time.as_millisecond())
}

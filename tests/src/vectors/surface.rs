//! Surfaces as vectors write them.

use sref::session::json::Value;
use sref::session::{Block, SessionHeader, Source, SurfaceEvent, SurfacePayload, SurfaceSnapshot};

use crate::fields::{self, Malformed};

/// Reads `{session: {id, cwd?}, capturedThroughSeq, events}`.
pub(super) fn read(value: &Value) -> Result<SurfaceSnapshot, Malformed> {
    let session = fields::any(value, "session")?;
    let mut header = SessionHeader::new(fields::id(session, "id")?, 0);
    header.cwd = fields::optional_text(session, "cwd")?.cloned();
    let events = fields::optional_items(value, "events")?
        .iter()
        .zip(0..)
        .map(|(event, index)| read_event(event, index))
        .collect::<Result<_, _>>()?;
    let captured = fields::optional_count(value, "capturedThroughSeq")?;
    Ok(SurfaceSnapshot::new(header, captured, events))
}

fn read_event(event: &Value, index: u64) -> Result<SurfaceEvent, Malformed> {
    let seq = fields::optional_count(event, "seq")?.unwrap_or(index);
    let data = event.get("data").unwrap_or(&Value::Null);
    match fields::text(event, "type")?.as_str() {
        Some("user/message") => {
            let source = data.get("source").and_then(Source::from_json);
            let source = source.unwrap_or_else(|| Source::new(""));
            Ok(SurfaceEvent::user(seq, source, blocks(data)?))
        }
        Some("assistant/message") => Ok(SurfaceEvent::assistant(
            seq,
            blocks(fields::any(data, "message")?)?,
        )),
        Some("tool/result") => Ok(SurfaceEvent::new(seq, SurfacePayload::ToolResult)),
        _ => Err(Malformed("a surface event of unknown type".into())),
    }
}

fn blocks(message: &Value) -> Result<Vec<Block>, Malformed> {
    let blocks = fields::optional_items(message, "content")?;
    Ok(blocks.iter().cloned().map(Block::from_json).collect())
}

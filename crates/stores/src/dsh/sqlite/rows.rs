//! One row of `events` as a record of the log (`spec/dsh-store.md` 5.3).

use std::borrow::Cow;
use std::io::Read as _;

use rusqlite::Row;
use rusqlite::types::ValueRef;
use sref_session::JsString;
use sref_session::json::Scanner;

use super::schema::Schema;
use super::varint;
use crate::Position;
use crate::dsh::chunks::ChunkData;
use crate::dsh::event::{Event, Line, body};
use crate::dsh::format::{EventType, Format};
use crate::dsh::scan::Scan;
use crate::raw::Raw;
use crate::{StoreError, StoreErrorKind};

/// The most text a row may unpack to; a packed row may have less.
const DATA: u64 = 64 << 20;
const PACKED_DATA: usize = 1 << 20;
/// How many chunks a packed row holds.
const MEMBERS: std::ops::RangeInclusive<u64> = 3..=1024;
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A row with its columns of their types. Anything else fails the read outright.
struct Columns<'r> {
    seq: i64,
    name: &'r [u8],
    time: i64,
    data: ValueRef<'r>,
    sources: ValueRef<'r>,
    surface_op: Option<&'r [u8]>,
    ignorable: Option<i64>,
}

impl<'r> Columns<'r> {
    fn read(row: &'r Row<'_>, schema: Schema) -> Result<Self, String> {
        let integer = |at: usize, name: &str| match row.get_ref(at) {
            Ok(ValueRef::Integer(value)) if value.unsigned_abs() <= MAX_SAFE.unsigned_abs() => {
                Ok(value)
            }
            _ => Err(format!("{name} is no safe integer")),
        };
        let seq = integer(0, "seq")?;
        let Ok(ValueRef::Text(name)) = row.get_ref(1) else {
            return Err("type is no text".into());
        };
        if seq < 0 || name.is_empty() {
            return Err("a row without a number or a type".into());
        }
        let data = row.get_ref(3).map_err(|error| error.to_string())?;
        if !matches!(data, ValueRef::Text(_) | ValueRef::Blob(_)) {
            return Err("data is neither text nor a frame".into());
        }
        let sources = row.get_ref(4).map_err(|error| error.to_string())?;
        match (sources, schema) {
            (ValueRef::Null, _)
            | (ValueRef::Blob(_), Schema::V17)
            | (ValueRef::Text(_), Schema::V14 | Schema::V15) => {}
            _ => return Err("source_event_seqs of another type".into()),
        }
        let surface_op = match row.get_ref(5) {
            Ok(ValueRef::Null) => None,
            Ok(ValueRef::Text(text)) => Some(text),
            _ => return Err("surface_op is no text".into()),
        };
        let ignorable = match (row.get_ref(6), schema) {
            (Ok(ValueRef::Null), _) => None,
            (Ok(ValueRef::Integer(flag @ (0 | 1))), Schema::V17) => Some(flag),
            (Ok(ValueRef::Integer(1)), _) => Some(1),
            _ => return Err("ignorable is neither 0 nor 1".into()),
        };
        Ok(Self {
            seq,
            name,
            time: integer(2, "time")?,
            data,
            sources,
            surface_op,
            ignorable,
        })
    }
}

/// Feeds a row to a scan: as the record it is, or as one that cannot be read.
pub(super) fn feed(
    row: &Row<'_>,
    schema: Schema,
    format: &Format,
    scan: &mut Scan<'_>,
    position: Position,
) -> Result<(), StoreError> {
    let columns = Columns::read(row, schema)
        .map_err(|detail| StoreError::new(StoreErrorKind::Damaged, detail).at(position))?;
    let data = match data(columns.data) {
        Ok(Some(data)) => data,
        Ok(None) => {
            scan.note(position, "data that cannot be unpacked");
            return Ok(());
        }
        Err(size) => {
            let detail = format!("a record of more than {size} bytes");
            return Err(StoreError::new(StoreErrorKind::TooLong, detail).at(position));
        }
    };
    let quoted = JsString::from_utf8_lossy(columns.name).to_json();
    let (seq, time) = (columns.seq.to_string(), columns.time.to_string());
    let sources = match columns.sources {
        ValueRef::Blob(bytes) => {
            let Some(list) = varint::sources(bytes) else {
                scan.note(position, "sources that are no varints");
                return Ok(());
            };
            Some(Cow::Owned(list.into_bytes()))
        }
        ValueRef::Text(text) => Some(Cow::Borrowed(text)),
        _ => None,
    };
    let parts = Parts {
        name: quoted.as_bytes(),
        seq: seq.as_bytes(),
        time: time.as_bytes(),
        data: &data,
        sources: sources.as_deref(),
        surface_op: columns.surface_op,
    };
    let event_type = format.event_type(columns.name);
    let record = match columns.ignorable {
        Some(0) => parts.packed(event_type),
        flag => parts.event(event_type, flag.is_some()),
    };
    let Some(record) = record else {
        scan.note(position, "a row that cannot be read");
        return Ok(());
    };
    scan.record(&record, position)
}

/// The members of a record, as JSON.
struct Parts<'a> {
    name: &'a [u8],
    seq: &'a [u8],
    time: &'a [u8],
    data: &'a [u8],
    sources: Option<&'a [u8]>,
    surface_op: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// A run of chunks [s03, s04, s07, s08, s26].
    fn packed(&self, event_type: EventType) -> Option<Line<'a>> {
        let EventType::Packed(tag) = event_type else {
            return None;
        };
        if self.sources.is_some() || self.surface_op.is_some() || self.data.len() > PACKED_DATA {
            return None;
        }
        let mut scanner = Scanner::new(self.data);
        let chunks = ChunkData::read(&mut scanner).ok()?;
        scanner.finish().ok()?;
        let (seq0, time0) = (Raw::checked(self.seq), Raw::checked(self.time));
        let row = chunks.run(tag, seq0.index(), time0.safe_integer())?;
        MEMBERS.contains(&row.count).then_some(Line::Packed(row))
    }

    /// One event. A chunk tag is no event type here [s05].
    fn event(&self, event_type: EventType, ignorable: bool) -> Option<Line<'a>> {
        let kind = match event_type {
            EventType::Packed(_) => EventType::Unknown,
            other => other,
        };
        let mut scanner = Scanner::new(self.data);
        scanner.peek().ok()?;
        let start = scanner.position();
        let body = body(&mut scanner, kind).ok()?;
        let data = Raw::checked(scanner.slice(start..scanner.position()));
        scanner.finish().ok()?;
        // A column that is there holds JSON, or the row cannot be read.
        let surface_op = self.surface_op.map(value);
        let sources = self.sources.map(value);
        if matches!(surface_op, Some(None)) || matches!(sources, Some(None)) {
            return None;
        }
        let (surface_op, sources) = (surface_op.flatten(), sources.flatten());
        Some(Line::Event(Event {
            kind,
            name: Some(Raw::checked(self.name)),
            seq: Some(Raw::checked(self.seq)),
            time: Some(Raw::checked(self.time)),
            data: Some(data),
            surface_op,
            sources,
            ignorable: ignorable.then_some(Raw::checked(b"true")),
            body,
            ..Event::unknown()
        }))
    }
}

/// One JSON value and nothing else.
fn value(text: &[u8]) -> Option<Raw<'_>> {
    let mut scanner = Scanner::new(text);
    let value = Raw::read(&mut scanner).ok()?;
    scanner.finish().ok()?;
    Some(value)
}

/// The text of `data`: as it is, or unpacked from its first frame. The error is the limit it
/// exceeds.
fn data(value: ValueRef<'_>) -> Result<Option<Cow<'_, [u8]>>, u64> {
    let ValueRef::Blob(frame) = value else {
        return Ok(value.as_bytes().ok().map(Cow::Borrowed));
    };
    let mut text = Vec::new();
    let unpacked = zstd::stream::read::Decoder::with_buffer(frame)
        .and_then(|decoder| decoder.single_frame().take(DATA + 1).read_to_end(&mut text));
    if text.len() as u64 > DATA {
        return Err(DATA);
    }
    if unpacked.is_err() || core::str::from_utf8(&text).is_err() {
        return Ok(None);
    }
    if text.starts_with(b"\xEF\xBB\xBF") {
        text.drain(..3);
    }
    Ok(Some(Cow::Owned(text)))
}

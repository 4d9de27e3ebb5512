//! One line of a log: what it is, and its members (`spec/dsh-store.md` 1.2, 1.5).

use std::borrow::Cow;

use sref_session::json::{JsonError, Kind, RawString, Scanner};

use super::chunks::{self, ChunkData, PackedRow};
use super::format::{EventType, Format};
use super::shape::{Assistant, Body, Tool, User, Wrapped};
use crate::raw::Raw;

/// What a line that is JSON holds.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart once a line; a box would be an allocation a line"
)]
pub(super) enum Line<'a> {
    /// `null`, which no reader of this format survives.
    Null,
    /// Some other value that is no object: it has no number, so it is a gap.
    NoObject,
    Event(Event<'a>),
    Packed(PackedRow),
    MalformedRow,
}

/// An event: its members as they stand, the data read if its type has rules.
#[derive(Debug, Clone)]
pub(super) struct Event<'a> {
    pub(super) kind: EventType,
    /// The member `type`, whatever it is.
    pub(super) name: Option<Raw<'a>>,
    pub(super) seq: Option<Raw<'a>>,
    pub(super) time: Option<Raw<'a>>,
    pub(super) data: Option<Raw<'a>>,
    pub(super) surface_op: Option<Raw<'a>>,
    pub(super) sources: Option<Raw<'a>>,
    pub(super) ignorable: Option<Raw<'a>>,
    /// Whether there are members that no event has.
    pub(super) others: bool,
    pub(super) body: Body<'a>,
}

impl<'a> Line<'a> {
    /// Reads one line, which must be JSON to its end.
    pub(super) fn parse(line: &'a [u8], format: &Format) -> Result<Self, JsonError> {
        if format.packed_rows
            && let Some(row) = chunks::as_written(line)
        {
            return Ok(Self::Packed(row));
        }
        Self::parse_any(line, format)
    }

    fn parse_any(line: &'a [u8], format: &Format) -> Result<Self, JsonError> {
        let mut scanner = Scanner::new(line);
        match scanner.peek()? {
            Kind::Object => {}
            kind => {
                scanner.skip_value()?;
                scanner.finish()?;
                return Ok(match kind {
                    Kind::Null => Self::Null,
                    _ => Self::NoObject,
                });
            }
        }
        let mut event = Event::unknown();
        let (mut seq0, mut time0) = (None, None);
        // The type under which the data was read, which may be named later, or once more.
        let mut read_as = None;
        let mut chunks = ChunkData::default();
        let mut key = if let Some(head) = Head::as_written(line, format) {
            event.kind = head.kind;
            [event.name, event.seq, event.time] = [head.name, head.seq, head.time].map(Some);
            scanner = Scanner::new(head.rest);
            Some(Cow::Borrowed(&b"data"[..]))
        } else {
            scanner.enter_object()?;
            scanner.next_key()?.map(RawString::text)
        };
        while let Some(name) = key {
            match &*name {
                b"type" => {
                    let name = Raw::read(&mut scanner)?;
                    event.name = Some(name);
                    event.kind = event_type(name, format);
                }
                b"data" => {
                    scanner.peek()?;
                    let start = scanner.position();
                    match event.kind {
                        EventType::Packed(_) => chunks = ChunkData::read(&mut scanner)?,
                        kind => event.body = body(&mut scanner, kind)?,
                    }
                    read_as = Some(event.kind);
                    let range = start..scanner.position();
                    event.data = Some(Raw::checked(scanner.slice(range)));
                }
                b"seq" => event.seq = Some(Raw::read(&mut scanner)?),
                b"time" => event.time = Some(Raw::read(&mut scanner)?),
                b"surfaceOp" => event.surface_op = Some(Raw::read(&mut scanner)?),
                b"sourceEventSeqs" => event.sources = Some(Raw::read(&mut scanner)?),
                b"ignorable" => event.ignorable = Some(Raw::read(&mut scanner)?),
                b"seq0" => seq0 = Some(Raw::read(&mut scanner)?),
                b"time0" => time0 = Some(Raw::read(&mut scanner)?),
                _ => {
                    scanner.skip_value()?;
                    event.others = true;
                }
            }
            key = scanner.next_key()?.map(RawString::text);
        }
        scanner.finish()?;
        if let EventType::Packed(tag) = event.kind {
            let Some(data) = event.data else {
                return Ok(Self::MalformedRow);
            };
            if !matches!(read_as, Some(EventType::Packed(_))) {
                chunks = ChunkData::read(&mut data.scanner())?;
            }
            let (seq0, time0) = (seq0.and_then(Raw::index), time0.and_then(Raw::safe_integer));
            return Ok(match chunks.run(tag, seq0, time0) {
                Some(row) if !event.has_event_members() => Self::Packed(row),
                _ => Self::MalformedRow,
            });
        }
        event.others |= seq0.is_some() || time0.is_some();
        if read_as != Some(event.kind)
            && let Some(data) = event.data
        {
            event.body = body(&mut data.scanner(), event.kind)?;
        }
        Ok(Self::Event(event))
    }
}

/// The members before the data of an event.
struct Head<'a> {
    kind: EventType,
    name: Raw<'a>,
    seq: Raw<'a>,
    time: Raw<'a>,
    /// From the data on.
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    /// The head of a line that begins exactly as writers put it: members in their order, nothing
    /// between them, a type that is known. `None` says nothing of a line.
    fn as_written(line: &'a [u8], format: &Format) -> Option<Self> {
        /// No known type is longer.
        const NAME: usize = 64;
        let value = line.strip_prefix(b"{\"type\":")?;
        let name = value.get(1..value.len().min(NAME))?;
        let name = &name[..memchr::memchr(b'"', name)?];
        let kind = format.event_type(name);
        if matches!(kind, EventType::Unknown | EventType::Packed(_)) || value[0] != b'"' {
            return None;
        }
        let (name, rest) = value.split_at(name.len() + 2);
        let rest = rest.strip_prefix(b",\"seq\":")?;
        let (seq, rest) = digits(rest)?;
        let rest = rest.strip_prefix(b",\"time\":")?;
        let (time, rest) = digits(rest)?;
        Some(Self {
            kind,
            name: Raw::checked(name),
            seq,
            time,
            rest: rest.strip_prefix(b",\"data\":")?,
        })
    }
}

/// A number of nothing but digits, and what follows it.
fn digits(rest: &[u8]) -> Option<(Raw<'_>, &[u8])> {
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = rest.split_at(count);
    matches!(number, [b'0'] | [b'1'..=b'9', ..]).then_some((Raw::checked(number), rest))
}

impl Event<'_> {
    pub(super) const fn unknown() -> Self {
        Self {
            kind: EventType::Unknown,
            name: None,
            seq: None,
            time: None,
            data: None,
            surface_op: None,
            sources: None,
            ignorable: None,
            others: false,
            body: Body::Unread,
        }
    }

    /// Whether the row is one that later formats call an event at all: all members there, of their
    /// types, and no others (`spec/dsh-newer.md` 3).
    pub(super) fn is_row(&self, seq: u64, format: &Format) -> bool {
        let sources = self
            .sources
            .map(|list| super::surface::sources(list, seq, self.kind, format));
        self.name.and_then(Raw::string).is_some()
            && self.time.and_then(Raw::safe_integer).is_some()
            && self.data.is_some()
            && !self.others
            && self.ignorable.is_none_or(Raw::is_true)
            && sources.is_none_or(|sources| sources.is_ok())
    }

    /// Whether there is any member beside those of a packed row.
    const fn has_event_members(&self) -> bool {
        self.others
            || self.seq.is_some()
            || self.time.is_some()
            || self.surface_op.is_some()
            || self.sources.is_some()
            || self.ignorable.is_some()
    }
}

fn event_type(name: Raw<'_>, format: &Format) -> EventType {
    match name.string() {
        Some(name) => format.event_type(&name.text()),
        None => EventType::Unknown,
    }
}

/// Reads the data of an event.
pub(super) fn body<'a>(
    scanner: &mut Scanner<'a>,
    event_type: EventType,
) -> Result<Body<'a>, JsonError> {
    Ok(match event_type {
        EventType::UserMessage => Body::User(User::read(scanner)?),
        EventType::AssistantMessage => Body::Assistant(Assistant::read(scanner)?),
        EventType::ToolResult => Body::Tool(Tool::read(scanner)?),
        EventType::SystemMessage => Body::System(Wrapped::read(scanner)?),
        EventType::DeveloperMessage => Body::Developer(Wrapped::read(scanner)?),
        _ => {
            scanner.skip_value()?;
            Body::Unread
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dsh::format::FORMAT_0;

    fn parse(line: &str) -> Line<'_> {
        Line::parse(line.as_bytes(), &FORMAT_0).unwrap()
    }

    /// 0.2 no. 4 [c06, c07, r25, r26]
    #[test]
    fn null_is_told_from_other_values_that_are_no_object() {
        assert!(matches!(parse(" null\r"), Line::Null));
        for line in ["7", "[]", "\"x\"", "true"] {
            assert!(matches!(parse(line), Line::NoObject), "{line}");
        }
        for line in ["", " ", "nul", "{}{}", "\u{FEFF}{}", "{\"a\":1"] {
            assert!(Line::parse(line.as_bytes(), &FORMAT_0).is_err(), "{line}");
        }
    }

    proptest! {
        /// The short way to a packed row sees what the long one sees.
        #[test]
        fn a_row_as_it_is_written_is_a_row(
            tag in prop::sample::select(vec!["text", "reasoning", "tool-call"]),
            numbers in prop::collection::vec(prop::sample::select(vec!["0", "1", "42", "-1", "1.0", "01", "9007199254740991"]), 5),
            dt in prop::collection::vec(prop::sample::select(vec!["0", "7", "-7", "1e1", "\"x\""]), 0..4),
            texts in prop::collection::vec(prop::sample::select(vec!["\"a\"", "\"\\n\"", " \"b\"", "\"\"", "1"]), 0..5),
            (at, insert) in (0_usize..200, prop::sample::select(vec!["", "", " ", ",", "\"", "}", "1"])),
        ) {
            let [seq0, time0, turn, step, index] = &numbers[..] else { unreachable!() };
            let mut line = format!(
                r#"{{"type":"{tag}-chunks","seq0":{seq0},"time0":{time0},"data":{{"turn":{turn},"step":{step},"index":{index},"dt":[{}],"texts":[{}]}}}}"#,
                dt.join(","),
                texts.join(",")
            );
            line.insert_str(at.min(line.len()), insert);
            if let Some(written) = chunks::as_written(line.as_bytes()) {
                match Line::parse_any(line.as_bytes(), &FORMAT_0) {
                    Ok(Line::Packed(row)) => prop_assert_eq!(row, written),
                    other => prop_assert!(false, "{line}: {other:?}"),
                }
            } else if insert.is_empty() && tag != "tool-call" && dt.is_empty() && texts == ["\"a\""] {
                // What it is for, it does.
                let plain = numbers.iter().all(|number| ["0", "1", "42"].contains(number));
                prop_assert!(!plain, "{line}");
            }
        }
    }

    proptest! {
        /// The short way past the head of an event sees what the long one sees, which white space
        /// before the line leads to.
        #[test]
        fn an_event_as_it_is_written_is_an_event(
            name in prop::sample::select(vec![
                "\"user/message\"", "\"turn/end\"", "\"todo/write\"", "\"user\\/message\"", "\"other\"", "\"text-chunks\"", "null", "\"",
            ]),
            numbers in prop::array::uniform2(prop::sample::select(vec!["0", "42", "-1", "1.0", "01", "", "12345678901234567890"])),
            data in prop::sample::select(vec!["{\"id\":\"m\",\"content\":[]}", "7", "\"x\"", "[]", "{", ""]),
            tail in prop::sample::select(vec!["", ",\"surfaceOp\":\"append\"", ",\"data\":null", ",\"type\":\"tool/result\"", ",", "}"]),
            (at, insert) in (0_usize..200, prop::sample::select(vec!["", "", " ", ",", "\"", "}", "1"])),
        ) {
            let [seq, time] = numbers;
            let mut line = format!(r#"{{"type":{name},"seq":{seq},"time":{time},"data":{data}{tail}}}"#);
            line.insert_str(at.min(line.len()), insert);
            let read = |line: &str| {
                let line = Line::parse(line.as_bytes(), &FORMAT_0);
                line.map(|line| format!("{line:?}")).map_err(|error| error.kind())
            };
            prop_assert_eq!(read(&line), read(&format!(" {line}")), "{}", line);
        }
    }

    /// The order of members does not matter, nor that a type is named twice [r09].
    #[test]
    fn data_is_read_by_the_type_that_counts() {
        let data = r#""data":{"id":"m","role":"user"}"#;
        for line in [
            format!(r#"{{"type":"user/message",{data}}}"#),
            format!(r#"{{{data},"type":"user/message"}}"#),
            format!(r#"{{"type":"tool/result",{data},"type":"user\/message"}}"#),
            format!(r#"{{"type":"user/message","data":7,{data}}}"#),
        ] {
            match parse(&line) {
                Line::Event(event) => match event.body {
                    Body::User(user) => assert!(user.message.id.unwrap().is_string("m"), "{line}"),
                    body => panic!("{line}: {body:?}"),
                },
                other => panic!("{line}: {other:?}"),
            }
        }
        let late = r#"{"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]},"time0":1,"seq0":5,"type":"text-chunks"}"#;
        assert!(matches!(parse(late), Line::Packed(row) if row.count == 1));
    }

    /// 1.5: the envelope of a packed row has four members [c10].
    #[test]
    fn a_packed_row_has_nothing_else() {
        let row = r#"{"type":"text-chunks","seq0":5,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}"#;
        assert!(matches!(parse(row), Line::Packed(_)));
        for extra in [
            "\"extra\":1",
            "\"seq\":5",
            "\"time\":1",
            "\"surfaceOp\":\"append\"",
            "\"sourceEventSeqs\":[]",
            "\"ignorable\":true",
        ] {
            let line = row.replacen('{', &format!("{{{extra},"), 1);
            assert!(matches!(parse(&line), Line::MalformedRow), "{extra}");
        }
        assert!(matches!(
            parse(&row.replace("\"time0\":1,", "")),
            Line::MalformedRow
        ));
        assert!(matches!(
            parse(r#"{"type":"text-chunks","seq0":5}"#),
            Line::MalformedRow
        ));
        // Its members make an event of another type invalid.
        let event = r#"{"type":"todo/write","seq":0,"seq0":1,"time":1,"data":1}"#;
        assert!(matches!(parse(event), Line::Event(event) if event.others));
    }
}

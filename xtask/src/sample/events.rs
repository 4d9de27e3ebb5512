//! The lines of a log: numbered events, and what they do to the surface.

use std::ops::Range;

use sref_session::json::{Object, Value};

/// How much of a streamed text one chunk holds, in characters.
const CHUNK: usize = 24;

/// A log in the making. Its first line is the header's.
pub(super) struct Events {
    pub(super) lines: Vec<Value>,
    session: &'static str,
    /// The next event's number, and its time.
    pub(super) seq: u64,
    pub(super) time: i64,
    /// The events on the surface, in order.
    pub(super) surface: Vec<u64>,
}

impl Events {
    pub(super) fn new(session: &'static str, time: i64) -> Self {
        Self {
            lines: vec![Value::Null],
            session,
            seq: 0,
            time,
            surface: Vec::new(),
        }
    }

    /// The file.
    pub(super) fn to_text(&self) -> String {
        self.lines.iter().fold(String::new(), |mut text, line| {
            line.write(&mut text);
            text.push('\n');
            text
        })
    }

    /// Adds an event and gives its number.
    pub(super) fn event(&mut self, kind: &str, data: impl Into<Value>) -> u64 {
        self.surface_event(kind, data, None)
    }

    /// Adds an event with what it does to the surface: the events it cites, and its operation.
    pub(super) fn surface_event(
        &mut self,
        kind: &str,
        data: impl Into<Value>,
        surface: Option<(Vec<u64>, Value)>,
    ) -> u64 {
        let seq = self.seq;
        let mut line = Object::new()
            .with("type", kind)
            .with("seq", seq)
            .with("time", self.time)
            .with("data", data);
        if let Some((sources, operation)) = surface {
            if !sources.is_empty() {
                line.set("sourceEventSeqs", numbers(&sources));
            }
            line.set("surfaceOp", operation);
        }
        self.lines.push(line.into());
        self.seq += 1;
        self.time += 7;
        seq
    }

    pub(super) fn append(&mut self, kind: &str, data: impl Into<Value>, sources: Vec<u64>) -> u64 {
        let seq = self.surface_event(kind, data, Some((sources, "append".into())));
        self.surface.push(seq);
        seq
    }

    /// Adds a packed row of the chunks in which a text arrived, and gives their numbers; a run has
    /// three members or more.
    pub(super) fn chunks(
        &mut self,
        kind: &str,
        index: u64,
        text: &str,
        place: Object,
    ) -> Range<u64> {
        let all: Vec<char> = text.chars().collect();
        let texts: Vec<Value> = all
            .chunks(CHUNK)
            .map(|chunk| Value::String(chunk.iter().collect::<String>().into()))
            .collect();
        if texts.len() < 3 {
            return self.seq..self.seq;
        }
        let count = u64::try_from(texts.len()).unwrap_or(0);
        let data = place
            .with("index", index)
            .with("dt", vec![Value::from(7_i64); texts.len() - 1])
            .with("texts", texts);
        let row = Object::new()
            .with("type", format!("{kind}-chunks"))
            .with("seq0", self.seq)
            .with("time0", self.time)
            .with("data", data);
        self.lines.push(row.into());
        let first = self.seq;
        self.seq += count;
        self.time += 7 * i64::try_from(count).unwrap_or(0);
        first..self.seq
    }

    /// An id for the next event's message: a UUID by its shape, and the same on every run.
    pub(super) fn uuid(&self) -> String {
        let mut state = self
            .session
            .bytes()
            .chain(self.seq.to_le_bytes())
            .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
            });
        let mut next = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed ^ (mixed >> 31)
        };
        let (high, low) = (next(), next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xFFFF,
            high & 0xFFF,
            low >> 52,
            low & 0xFFFF_FFFF_FFFF
        )
    }
}

pub(super) fn numbers(seqs: &[u64]) -> Vec<Value> {
    seqs.iter().copied().map(Value::from).collect()
}

//! What happens to files, and what a reader makes of them.

use std::time::Duration;

use sref_session::{Block, SurfacePayload};
use sref_stores::{CancellationToken, Store, StoreError};

/// How many cases run where nobody asks for more.
const CASES: u64 = 300;
/// Far more than a log of a few kilobytes takes on any machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How many cases run.
pub(super) fn cases() -> u64 {
    let asked = std::env::var("SREF_CASES").ok();
    asked.map_or(CASES, |cases| cases.parse().unwrap())
}

/// The conversation of a session, one line a message: `u:`, `a:`, `c:` for a checkpoint.
pub(super) fn conversation(store: &dyn Store, id: &str) -> Result<Option<Vec<String>>, StoreError> {
    let Some(surface) = store.surface(&id.into(), &CancellationToken::new())? else {
        return Ok(None);
    };
    let last = surface.captured_through_seq;
    let events = surface.events.iter().map(|event| {
        assert!(Some(event.seq) <= last);
        let (mark, content) = match &event.payload {
            SurfacePayload::UserMessage {
                source, content, ..
            } if source.is_user() => ("u", content),
            SurfacePayload::AssistantMessage { content } => ("a", content),
            SurfacePayload::UserMessage { content, .. } => ("c", content),
            other => panic!("{other:?}"),
        };
        let texts = content.iter().filter_map(Block::text);
        let texts: Vec<String> = texts.map(ToString::to_string).collect();
        format!("{mark}:{}", texts.join("|"))
    });
    Ok(Some(events.collect()))
}

/// Numbers that look random and are the same every time (xorshift64*).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap() % n.max(1)
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Bytes that mean something to a reader of lines or of JSON.
const SHARP: &[&[u8]] = &[
    b"\n", b"\r\n", b"\0", b"\0\0\0\0", b"\"", b"\\", b"{", b"}", b"[", b"]", b",", b"\xFF",
    b"\xED\xA0\x80", b"\xEF\xBB\xBF", b"\xE2\x80\xA8", b"\\ud83d", b"null", b"1e999", b"{\"type\":\"user\"",
    b"\"parentUuid\":", b"\"isSidechain\":true,", b"\"isMeta\":true,", b"\"isCompactSummary\":true,",
    b"{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"c\",\"compactMetadata\":{\"preservedSegment\":{\"headUuid\":\"c\",\"anchorUuid\":\"c\",\"tailUuid\":\"c\"}}}\n",
    b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"thread_rolled_back\",\"num_turns\":1}}\n", b"{\"type\":\"compacted\",\"payload\":{",
    b"{\"type\":\"session_meta\",\"payload\":{", b"\"history_base\":", b"\"payload\":",
    b"<system-reminder>", b"</system-reminder>", b"<command-name>/x</command-name>",
];

/// Damages a file once.
pub(super) fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.below(40)).min(bytes.len());
    match dice.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 => drop(bytes.splice(at..at, dice.pick(SHARP).iter().copied())),
        2 => drop(bytes.splice(at..end, dice.pick(SHARP).iter().copied())),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.truncate(at),
        5 => drop(bytes.drain(..at)),
        6 => {
            let part = bytes[at..end].to_vec();
            let to = dice.below(bytes.len() + 1);
            bytes.splice(to..to, part);
        }
        // Lines change places or are written twice.
        _ => {
            let mut lines: Vec<Vec<u8>> =
                bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
            if dice.below(2) == 0 {
                lines.swap(one, other);
            } else {
                let line = lines[one].clone();
                lines.insert(other, line);
            }
            *bytes = lines.join(&b'\n');
        }
    }
}

/// Names the case that fails.
pub(super) struct Case(pub(super) u64);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("case {}", self.0);
        }
    }
}

/// A log before it is damaged: its lines, and what each says to a person.
#[derive(Default)]
pub(super) struct Script {
    pub(super) lines: Vec<String>,
    said: Vec<Option<String>>,
}

impl Script {
    pub(super) fn push(&mut self, line: impl Into<String>, said: Option<String>) {
        self.lines.push(line.into());
        self.said.push(said);
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// The conversation, without one line.
    pub(super) fn conversation(&self, without: Option<usize>) -> Vec<String> {
        let said = self.said.iter().enumerate();
        let said = said.filter(|(at, _)| Some(*at) != without);
        said.filter_map(|(_, said)| said.clone()).collect()
    }
}

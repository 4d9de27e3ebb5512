//! The files of a thread, read one after the other (`spec/agent-logs.md` 3.6, 3.7).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use super::files::Form;
use super::meta::Cut;
use super::record::{Encoding, Fact, Role};
use super::rollout::{Met, Seen, Step, Way, each};
use super::sniff;
use super::turns::Turns;
use crate::container::Harm;
use crate::damage::Unknown;
use crate::held::Held;

/// What the files of a thread held so far. Memory follows their words.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) turns: Turns,
    /// The number of the next record, counted over all files.
    pub(super) next: u64,
    pub(super) unknown: Unknown,
    unread: Unread,
    /// What the header behind the file that was read last says of it and cannot be so.
    pub(super) fault: Option<&'static str>,
    /// All words so far, those that were taken back too.
    held: Held,
    /// What was met in the file that was read last.
    pub(super) met: Met,
    /// The thread of the first header in the file that was read last.
    owner: Option<JsString>,
    /// Whether that file has a header of another thread too: a part of it was copied.
    pub(super) copied: bool,
}

/// Which part of a file counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    /// Where it ends.
    pub(super) cut: Cut,
    /// The number of the first record that is the thread's own.
    pub(super) own_from: Option<u64>,
}

/// What of the file that is read has words in a form that this reader does not know. The same words can
/// stand in up to three encodings; where one is there that counts more, nothing of the others is missing.
#[derive(Debug, Clone, Default)]
struct Unread {
    records: BTreeMap<(Encoding, Role), u64>,
    read: BTreeSet<(Encoding, Role)>,
}

impl Unread {
    /// How many records' words are in no better encoding.
    fn lost(&self) -> u64 {
        let lost = self.records.iter().filter(|((encoding, role), _)| {
            let mut read = self.read.iter();
            !read.any(|(better, own)| own == role && better > encoding)
        });
        lost.map(|(_, number)| number).sum()
    }
}

impl Log {
    /// Reads on in a file; `None` when the caller gave up.
    pub(super) fn read(
        mut self,
        file: File,
        size: u64,
        form: Form,
        part: Part,
        cancel: &CancellationToken,
    ) -> io::Result<Option<Self>> {
        // Where bytes are given they are exact: record numbers were given twice by some versions.
        let last_ordinal = part.cut.ordinal.filter(|_| part.cut.bytes.is_none());
        let way = Way {
            pass: sniff::is_idle,
            block: 256 << 10,
            bytes: part.cut.bytes,
        };
        let before = self.next;
        self.owner = None;
        self.copied = false;
        // A turn does not go on in another file.
        self.turns.end();
        self.unread = Unread::default();
        let mut cancelled = false;
        let (mut highest, mut is_left) = (None, false);
        self.met = each(file, size, form, way, |step| {
            cancelled = step.number % 64 == 0 && cancel.is_cancelled();
            let ordinal = match &step.seen {
                Seen::Passed(line) if last_ordinal.is_some() => sniff::ordinal(line),
                Seen::Record(record) => record.ordinal,
                _ => None,
            };
            let is_behind = ordinal
                .zip(last_ordinal)
                .is_some_and(|(own, end)| own >= end);
            is_left |= is_behind;
            highest = highest.max(ordinal);
            if cancelled || is_behind {
                return ControlFlow::Break(());
            }
            self.next = before + step.number + 1;
            let inherited = ordinal
                .zip(part.own_from)
                .is_some_and(|(own, from)| own < from);
            self.take(step, before, inherited);
            if self.held.check().is_err() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        self.held.check()?;
        self.unknown.add_words(self.unread.lost());
        let is_short = match last_ordinal {
            Some(end) => !is_left && highest.is_none_or(|highest| highest.saturating_add(1) < end),
            // What is missing from a packed log is told as that.
            None => self.met.left > 0 && self.met.harm == Harm::default(),
        };
        // Where the part that counts ends, the log itself goes on.
        let is_inside =
            part.cut.bytes.is_some() && self.met.left == 0 && self.met.counts.incomplete_tail;
        self.met.counts.incomplete_tail &= !is_inside;
        self.fault = if is_short {
            Some("the log that it continues ends before the place where it is left")
        } else {
            is_inside.then_some("the log that it continues is left inside a record")
        };
        Ok((!cancelled).then_some(self))
    }

    fn take(&mut self, step: Step<'_>, before: u64, inherited: bool) {
        let seq = before + step.number;
        let mut record = match step.seen {
            Seen::Passed(_) | Seen::Lost => return,
            Seen::Record(record) => record,
        };
        self.unknown.add_all(std::mem::take(&mut record.strange));
        if let Some(unread) = record.unread.filter(|_| !inherited) {
            *self.unread.records.entry(unread).or_default() += 1;
        }
        match record.fact {
            Fact::Unknown(kind) => self.unknown.add(kind),
            Fact::Meta(meta) => match &self.owner {
                None => self.owner = Some(meta.id.unwrap_or_default()),
                Some(owner) => self.copied |= meta.id.is_some_and(|id| id != *owner),
            },
            _ if inherited => {}
            Fact::Begin(id) => self.turns.begin(id),
            Fact::End => self.turns.end(),
            Fact::Said(said) => {
                self.unread.read.insert((said.encoding, said.role));
                self.held.take(&said.text);
                self.turns.say(seq, said);
            }
            Fact::Compacted(compaction) => {
                compaction.texts().for_each(|text| self.held.take(text));
                self.turns.compact(seq, compaction);
            }
            Fact::RolledBack(turns) => self.turns.roll_back(turns),
            Fact::Nothing | Fact::Cwd(_) | Fact::Named { .. } => {}
        }
    }

    /// The number of the last record.
    pub(super) const fn last_record(&self) -> Option<u64> {
        self.next.checked_sub(1)
    }
}

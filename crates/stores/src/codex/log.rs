//! The files of a thread, read one after the other (`spec/agent-logs.md` 3.6, 3.7).

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use super::files::Form;
use super::meta::Cut;
use super::record::Fact;
use super::rollout::{Met, Seen, Step, Way, each};
use super::sniff;
use super::turns::Turns;
use crate::damage::Unknown;
use crate::held::Held;

/// What the files of a thread held so far. Memory follows their words.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) turns: Turns,
    /// The number of the next record, counted over all files.
    pub(super) next: u64,
    pub(super) unknown: Unknown,
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
        let mut cancelled = false;
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
        Ok((!cancelled).then_some(self))
    }

    fn take(&mut self, step: Step<'_>, before: u64, inherited: bool) {
        let seq = before + step.number;
        let mut record = match step.seen {
            Seen::Passed(_) | Seen::Lost => return,
            Seen::Record(record) => record,
        };
        self.unknown.add_all(std::mem::take(&mut record.strange));
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

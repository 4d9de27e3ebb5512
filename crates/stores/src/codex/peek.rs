//! A look at a rollout that does not read it whole (`spec/agent-logs.md` 1.4, 3.3, 3.11).

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use sref_session::JsString;

use super::files::Form;
use super::meta::Meta;
use super::record::Fact;
use super::rollout::{Met, Seen, Step, Way, each};
use super::sniff;
use crate::damage::Unknown;

/// How many more records are looked at for a directory that the header does not name.
const AFTER_WORDS: u64 = 64;

/// What a listing tells of a rollout.
#[derive(Debug, Default)]
pub(super) struct Peek {
    /// The first header: a copied part has others.
    pub(super) meta: Option<Meta>,
    pub(super) first_time: Option<JsString>,
    /// Where the first turn worked.
    pub(super) cwd: Option<JsString>,
    /// The first record in which anybody said anything.
    words_at: Option<u64>,
    /// Those among what was looked at.
    pub(super) unknown: Unknown,
    pub(super) met: Met,
}

impl Peek {
    /// Reads up to the first words. They can lie behind any number of bytes, so there is no window:
    /// what is not words is passed over by the heads of its lines.
    pub(super) fn read(file: File, size: u64, form: Form) -> io::Result<Self> {
        let mut peek = Self::default();
        let way = Way {
            pass: sniff::is_idle_in_head,
            block: 64 << 10,
            bytes: None,
        };
        peek.met = each(file, size, form, way, |step| peek.take(step))?;
        Ok(peek)
    }

    fn take(&mut self, step: Step<'_>) -> ControlFlow<()> {
        let Seen::Record(mut record) = step.seen else {
            return ControlFlow::Continue(());
        };
        if self.first_time.is_none() {
            self.first_time = record.timestamp;
        }
        self.unknown.add_all(std::mem::take(&mut record.strange));
        match record.fact {
            Fact::Meta(meta) => self.meta = self.meta.take().or(Some(*meta)),
            Fact::Cwd(cwd) => self.cwd = self.cwd.take().or(Some(cwd)),
            Fact::Unknown(kind) => self.unknown.add(kind),
            Fact::Said(_) | Fact::Compacted(_) => {
                self.words_at = self.words_at.or(Some(step.number));
            }
            _ => {}
        }
        match self.words_at {
            Some(at) if self.cwd().is_some() || step.number > at + AFTER_WORDS => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// Whether anybody said anything.
    pub(super) const fn has_words(&self) -> bool {
        self.words_at.is_some()
    }

    /// The directory that the thread was started in.
    pub(super) fn cwd(&self) -> Option<&JsString> {
        let meta = self.meta.as_ref().and_then(|meta| meta.cwd.as_ref());
        meta.or(self.cwd.as_ref())
    }
}

//! What threads are called (`spec/agent-logs.md` 3.8, 3.11).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use super::injected;
use super::record::{Encoding, Fact, Record, Role};
use super::rollout::{Seen, Step, Way, each, observe};
use super::sniff;
use super::source::line_options;
use super::state::{self, Home, Row};
use super::threads::{Rollout, Thread};
use crate::lines::{RecordReader, Repairs};
use crate::raw::Raw;
use crate::words::tidy;
use crate::{StoreError, file};

/// What the agent wrote beside the logs about the names of threads.
#[derive(Debug)]
pub(super) struct Names {
    home: PathBuf,
    rows: HashMap<JsString, Row>,
    index: HashMap<JsString, Name>,
    /// The first prompt of each thread, in the order it was typed. Rarely asked for.
    history: OnceCell<HashMap<JsString, JsString>>,
}

/// A name and when it was given. A blank one takes the name away.
#[derive(Debug, Clone)]
struct Name {
    at: Option<i64>,
    name: JsString,
}

impl Names {
    /// # Errors
    ///
    /// When the caller gave up. What cannot be read names nothing.
    pub(super) fn read(
        home: &Home,
        only: Option<&JsString>,
        cancel: &CancellationToken,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            home: home.path.clone(),
            rows: state::rows(home, only, cancel)?,
            index: index(&home.path),
            history: OnceCell::new(),
        })
    }

    /// The title of a thread: the name it was given, else its first prompt, by who knows it best.
    pub(super) fn title(
        &self,
        thread: &Thread,
        cancel: &CancellationToken,
    ) -> Result<Option<JsString>, StoreError> {
        let id = thread.head().thread();
        let row = self.rows.get(id);
        let name = row.and_then(|row| row.name.as_ref());
        if let Some(name) = name.filter(|name| !injected::is_name_of_nobody(name)) {
            return Ok(Some(tidy(name)));
        }
        let known = row.and_then(|row| {
            let mut known = [&row.title, &row.first_prompt].into_iter().flatten();
            known.find_map(|text| injected::read(text.as_js_str()))
        });
        let mut scan = Scan::default();
        for rollout in thread.in_order() {
            scan.read(rollout, id, known.is_some(), cancel)?;
        }
        let given = match (scan.name, self.index.get(id)) {
            (Some(event), Some(index)) if event.at > index.at => Some(event.name),
            (event, index) => index.cloned().or(event).map(|name| name.name),
        };
        let history = || {
            self.history
                .get_or_init(|| history(&self.home))
                .get(id)
                .cloned()
        };
        let title = given
            .filter(|name| is_filled(name) && !injected::is_name_of_nobody(name))
            .or(known)
            .or(scan.prompt)
            .or(scan.model_prompt)
            .or_else(history);
        Ok(title.map(|title| tidy(&title)))
    }
}

fn is_filled(text: &JsString) -> bool {
    !text.as_wtf8().trim_ascii().is_empty()
}

/// What the logs of a thread say of its name.
#[derive(Debug, Default)]
struct Scan {
    name: Option<Name>,
    prompt: Option<JsString>,
    /// The first prompt as the model took it, for logs that have no other.
    model_prompt: Option<JsString>,
}

impl Scan {
    /// Reads a log: to its end where its version wrote names into it, else to the first prompt.
    fn read(
        &mut self,
        rollout: &Rollout,
        id: &JsString,
        known: bool,
        cancel: &CancellationToken,
    ) -> Result<(), StoreError> {
        let meta = rollout.peek.meta.as_ref();
        let named = !meta.is_some_and(|meta| meta.paginated);
        if !named && (known || self.prompt.is_some()) {
            return Ok(());
        }
        let own_from = meta.and_then(|meta| meta.own_from);
        let way = Way {
            pass: sniff::is_idle,
            block: if named { 256 << 10 } else { 64 << 10 },
            bytes: None,
        };
        observe(&rollout.file, |handle, size, form| {
            each(handle, size, form, way, |step| {
                if step.number % 64 == 0 && cancel.is_cancelled() {
                    return ControlFlow::Break(());
                }
                self.take(step, id, own_from);
                match self.prompt {
                    Some(_) if !named => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            })
        })?;
        if cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
        Ok(())
    }

    fn take(&mut self, step: Step<'_>, id: &JsString, own_from: Option<u64>) {
        let Seen::Record(record) = step.seen else {
            return;
        };
        let Record {
            timestamp,
            ordinal,
            fact,
            ..
        } = *record;
        if ordinal.zip(own_from).is_some_and(|(own, from)| own < from) {
            return;
        }
        match fact {
            // A copied part names the thread it was copied from.
            Fact::Named { thread, name } if thread.as_ref().is_none_or(|thread| thread == id) => {
                let at = timestamp.as_ref().and_then(crate::time::milliseconds);
                if self.name.as_ref().is_none_or(|name| name.at <= at) {
                    self.name = Some(Name { at, name });
                }
            }
            Fact::Said(said) if said.role == Role::User => {
                let prompt = match said.encoding {
                    Encoding::Model => &mut self.model_prompt,
                    Encoding::Event | Encoding::Item => &mut self.prompt,
                };
                prompt.get_or_insert(said.text);
            }
            _ => {}
        }
    }
}

/// `session_index.jsonl`: the last entry of each thread.
fn index(home: &Path) -> HashMap<JsString, Name> {
    let mut index = HashMap::new();
    each_entry(
        &home.join("session_index.jsonl"),
        ["id", "thread_name", "updated_at"],
        |id, name, at| {
            let at = at.and_then(instant);
            index.insert(id, Name { at, name });
        },
    );
    index
}

/// `history.jsonl`: the first prompt of each thread.
fn history(home: &Path) -> HashMap<JsString, JsString> {
    let mut history = HashMap::new();
    each_entry(
        &home.join("history.jsonl"),
        ["session_id", "text", "ts"],
        |id, text, _| {
            if let Some(text) = injected::read(text.as_js_str()) {
                history.entry(id).or_insert(text);
            }
        },
    );
    history
}

/// Gives id, text and time of each line of a file that has an id. A file that is not there, or
/// cannot be read, has no more lines.
fn each_entry(
    path: &Path,
    names: [&str; 3],
    mut take: impl FnMut(JsString, JsString, Option<Raw<'_>>),
) {
    let mut read = || -> io::Result<()> {
        let (file, _) = file::open(path)?;
        let mut records = RecordReader::new(file, line_options(64 << 10), Repairs::ALL);
        while records.advance()? {
            let record = records.record();
            if record.cut {
                continue;
            }
            let found = Raw::checked(record.bytes).members(names);
            let [id, text, time] = found.map(|found| found.found).unwrap_or_default();
            if let Some(id) = id.and_then(Raw::decode) {
                take(id, text.and_then(Raw::decode).unwrap_or_default(), time);
            }
        }
        Ok(())
    };
    // Names are a help, not the conversation.
    let _: io::Result<()> = read();
}

/// A time as agents write it: RFC 3339, or a number of seconds, milliseconds or microseconds (1.5).
fn instant(time: Raw<'_>) -> Option<i64> {
    if let Some(text) = time.decode() {
        return crate::time::milliseconds(&text);
    }
    let number = time.double();
    let milliseconds = match number.abs() {
        size if !size.is_finite() => return None,
        size if size > 1e14 => number / 1e3,
        size if size > 1e11 => number,
        _ => number * 1e3,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a saturating cast; fractions of a millisecond do not matter"
    )]
    Some(milliseconds as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_any_spelling() {
        for same in [
            "\"2026-08-01T07:00:00Z\"",
            "1785567600",
            "1785567600.0",
            "1785567600000",
            "1785567600000000",
        ] {
            assert_eq!(
                instant(Raw::checked(same.as_bytes())),
                Some(1_785_567_600_000),
                "{same}"
            );
        }
        assert_eq!(instant(Raw::checked(b"null")), None);
        assert_eq!(instant(Raw::checked(b"1e999")), None);
    }
}

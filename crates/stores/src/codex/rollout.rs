//! One rollout file, record by record, whichever way it is written.

use std::cell::Cell;
use std::error::Error as _;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use sref_session::json::Scanner;

use super::files::{Form, LogFile};
use super::message::list;
use super::meta::Meta;
use super::record::{Fact, Record, response_item};
use super::source::{Text, line_options};
use crate::container::Harm;
use crate::lines::{Counts, RecordReader, Repairs};
use crate::raw::Raw;
use crate::{Diagnostic, DiagnosticKind, StoreError, file};

/// The largest document of the first versions, which is read as a whole.
const DOCUMENT: u64 = 256 << 20;
/// How often, and with which pauses, a file is looked for while it is being packed (1.3).
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(50);

/// How a rollout is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// Which lines are told by their head to be of no use.
    pub(super) pass: fn(&[u8]) -> bool,
    /// How many bytes are read at once.
    pub(super) block: usize,
    /// Where the text ends, if not with the file.
    pub(super) bytes: Option<u64>,
}

/// A record, and the number of its line from 0.
pub(super) struct Step<'a> {
    pub(super) number: u64,
    pub(super) seen: Seen<'a>,
}

pub(super) enum Seen<'a> {
    /// A line that was passed over.
    Passed(&'a [u8]),
    /// A line that is too large even without its pictures.
    Lost,
    Record(Box<Record>),
}

/// Reads a file as one observation. While Codex packs it, it is under its other name for a moment.
pub(super) fn observe<T>(
    log: &LogFile,
    mut read: impl FnMut(File, u64, Form) -> io::Result<T>,
) -> Result<T, StoreError> {
    let mut path = log.path.clone();
    let mut form = log.form;
    let mut attempt = 1;
    loop {
        let outcome = file::consistent(&path, |file, size| {
            read(file, size, form).map_err(|error| StoreError::io(&path, error))
        });
        match outcome {
            Err(error) if is_absent(&error) && attempt < ATTEMPTS => {}
            outcome => return outcome,
        }
        if let Some((other, other_form)) = sibling(&path, form).filter(|(path, _)| path.exists()) {
            (path, form) = (other, other_form);
        } else {
            std::thread::sleep(PAUSE);
        }
        attempt += 1;
    }
}

fn is_absent(error: &StoreError) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
}

/// The same rollout packed, or unpacked.
fn sibling(path: &Path, form: Form) -> Option<(PathBuf, Form)> {
    let name = path.file_name()?.to_str()?;
    match form {
        Form::Lines => Some((path.with_file_name(format!("{name}.zst")), Form::Packed)),
        Form::Packed => Some((path.with_file_name(name.strip_suffix(".zst")?), Form::Lines)),
        Form::Document => None,
    }
}

/// What was met in a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    pub(super) counts: Counts,
    pub(super) harm: Harm,
    /// How many bytes of the text are missing before the place where it was to end.
    pub(super) left: u64,
}

/// A text up to a place, and how far it is to there.
struct Limited<R> {
    text: io::Take<R>,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(out)?;
        self.left.set(self.text.limit());
        Ok(read)
    }
}

impl Met {
    /// What is told of the packed bytes of a file.
    pub(super) fn frames(&self, path: &Path) -> Vec<Diagnostic> {
        let damaged = self.harm.damaged.map(|at| {
            let detail = format!("from byte {at} on");
            Diagnostic::new(DiagnosticKind::DamagedFrame, path, detail)
        });
        let torn = Diagnostic::new(DiagnosticKind::TornFrame, path, "");
        damaged
            .into_iter()
            .chain(self.harm.torn.then_some(torn))
            .collect()
    }
}

/// Gives the records of an open file to `take`, until that breaks off; tells what was met.
pub(super) fn each(
    file: File,
    size: u64,
    form: Form,
    way: Way,
    mut take: impl FnMut(Step<'_>) -> ControlFlow<()>,
) -> io::Result<Met> {
    if form == Form::Document {
        return document(file, size, take).map(|()| Met::default());
    }
    // Behind damage nobody knows how many bytes of the text have passed.
    let text = Text::new(file, size, form == Form::Packed, way.bytes.is_none())?;
    let harm = text.harm();
    let left = Rc::new(Cell::new(way.bytes.unwrap_or_default()));
    let text = Limited {
        text: text.take(way.bytes.unwrap_or(u64::MAX)),
        left: Rc::clone(&left),
    };
    let mut records =
        RecordReader::new(text, line_options(way.block), Repairs::ALL).passing(way.pass);
    while records.advance()? {
        let record = records.record();
        let step = Step {
            number: record.position.line - 1,
            seen: if record.passed {
                Seen::Passed(record.bytes)
            } else if record.cut {
                Seen::Lost
            } else {
                Seen::Record(Box::new(Record::parse(record.bytes, record.condensed)))
            },
        };
        if take(step).is_break() {
            break;
        }
    }
    let (counts, harm) = (records.counts(), harm.get());
    if harm.damaged.is_some() && counts.records + counts.bad + counts.too_long == 0 {
        let detail = "nothing of it can be unpacked";
        return Err(io::Error::new(io::ErrorKind::InvalidData, detail));
    }
    let left = way.bytes.map_or(0, |_| left.get());
    Ok(Met { counts, harm, left })
}

/// `{"session":{…},"items":[…]}`, as the first versions wrote it: the session is record 0.
fn document(
    file: File,
    size: u64,
    mut take: impl FnMut(Step<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    let invalid = |detail| io::Error::new(io::ErrorKind::InvalidData, detail);
    if size > DOCUMENT {
        return Err(invalid("a document of more than 256 MiB"));
    }
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes)?;
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut scanner = Scanner::new(bytes);
    let whole = scanner.skip_value().and_then(|_| scanner.finish());
    whole.map_err(|_| invalid("no JSON"))?;
    let found = Raw::checked(bytes).members(["session", "items"]);
    let Some([Some(session), items]) = found.map(|found| found.found) else {
        return Err(invalid("no session"));
    };
    let meta = Fact::Meta(Box::new(Meta::parse(session)));
    let facts = items
        .map(list)
        .unwrap_or_default()
        .into_iter()
        .map(response_item);
    for (number, fact) in (0..).zip(std::iter::once(meta).chain(facts)) {
        let record = Box::new(Record {
            fact,
            ..Record::default()
        });
        let seen = Seen::Record(record);
        if take(Step { number, seen }).is_break() {
            break;
        }
    }
    Ok(())
}

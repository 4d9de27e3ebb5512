//! The lines of a log: which of them count, and when the log is damaged (`spec/dsh-store.md` 4.3).

use super::event::Line as Record;
use super::format::{EventType, Format};
use super::load::{Loaded, Loader};
use crate::held::TOO_MUCH;
use crate::lines::{Line, Wholeness};
use crate::{Position, StoreError, StoreErrorKind};

/// Feeds the complete lines of a log behind its header to a [`Loader`].
///
/// What comes before the first bad line is kept. What comes after it is dropped, unless a
/// `turn/end` shows that the writer went on as if nothing had happened: then the log is damaged.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    format: &'a Format,
    loader: Loader<'a>,
    /// The first bad line.
    issue: Option<(Position, &'static str)>,
}

impl<'a> Scan<'a> {
    pub(super) const fn new(loader: Loader<'a>, format: &'a Format) -> Self {
        Self {
            format,
            loader,
            issue: None,
        }
    }

    /// Takes the next line that ends with LF.
    ///
    /// # Errors
    ///
    /// Damage, as soon as it is proven.
    pub(super) fn line(&mut self, line: Line<'_>) -> Result<(), StoreError> {
        let position = line.position;
        if line.wholeness == Wholeness::Cut {
            let detail = format!("a record of {} bytes", line.length);
            return Err(StoreError::new(StoreErrorKind::TooLong, detail).at(position));
        }
        let Ok(record) = Record::parse(line.bytes, self.format) else {
            self.note(position, "a line that is no JSON");
            return Ok(());
        };
        self.record(&record, position)
    }

    /// Takes the next record, whatever it was stored as.
    ///
    /// # Errors
    ///
    /// Damage, as soon as it is proven.
    pub(super) fn record(
        &mut self,
        record: &Record<'_>,
        position: Position,
    ) -> Result<(), StoreError> {
        match record {
            Record::Null if self.format.strict_rows => {
                self.note(position, "a line that says null");
                Ok(())
            }
            Record::Null => Err(self.damaged(position, "a line that says null")),
            Record::MalformedRow => {
                self.note(position, "a malformed packed row");
                Ok(())
            }
            Record::NoObject => {
                self.note(position, "a line that holds no event");
                Ok(())
            }
            Record::Packed(row) => {
                if self.issue.is_none() {
                    if row.seq0 == self.loader.expected() {
                        self.loader.chunks(row.count);
                    } else {
                        self.note(position, "a gap in the event numbers");
                    }
                }
                Ok(())
            }
            Record::Event(event) => {
                let seq = event.seq.and_then(crate::raw::Raw::index);
                if self.issue.is_none() && seq == Some(self.loader.expected()) {
                    let seq = self.loader.expected();
                    if !self.format.strict_rows || event.is_row(seq, self.format) {
                        self.loader.event(event, position);
                        return self.loader.held().check().map_err(|_| {
                            StoreError::new(StoreErrorKind::TooLong, TOO_MUCH).at(position)
                        });
                    }
                    self.note(position, "a row that is no event");
                }
                self.note(position, "a gap in the event numbers");
                match self.issue {
                    Some((position, detail)) if event.kind == EventType::TurnEnd => {
                        Err(self.damaged(position, detail))
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Checks that nothing was dropped: behind whole frames a bad line is damage, whatever follows
    /// (`spec/dsh-store.md` 4.5) [z11, z12].
    ///
    /// # Errors
    ///
    /// Damage.
    pub(super) fn must_be_whole(&self) -> Result<(), StoreError> {
        match self.issue {
            Some((position, detail)) => Err(self.damaged(position, detail)),
            None => Ok(()),
        }
    }

    /// Notes a record that cannot be read: what follows it does not count.
    pub(super) fn note(&mut self, position: Position, detail: &'static str) {
        self.issue = self.issue.or(Some((position, detail)));
    }

    /// What damage is called: from format 1 on it is corruption (`spec/dsh-newer.md` 2).
    fn damaged(&self, position: Position, detail: &'static str) -> StoreError {
        let kind = if self.format.strict_rows {
            StoreErrorKind::Corrupt
        } else {
            StoreErrorKind::Damaged
        };
        StoreError::new(kind, detail).at(position)
    }

    /// Ends the log, dropping whatever stands behind the first bad line.
    pub(super) fn finish(self) -> Result<Loaded, StoreError> {
        let loaded = self.loader.finish()?;
        Ok(Loaded {
            cut_off: self.issue,
            ..loaded
        })
    }
}

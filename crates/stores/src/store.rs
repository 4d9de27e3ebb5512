use std::fmt;
use std::path::Path;

use sref_session::{JsString, SessionHeader, SurfaceSnapshot, TitleSnapshot};
use tokio_util::sync::CancellationToken;

use crate::{Diagnostic, StoreError};

/// The session logs of one agent under one root, read-only.
///
/// # Contract
///
/// - Calls block; [`Corpus`](crate::Corpus) takes them off an async runtime. They may run at the
///   same time.
/// - Nothing is written, created or locked below the root.
/// - An id selects among what a directory holds; it never becomes part of a path that is opened.
/// - `cancel` is polled while directories and logs are read; a cancelled call ends with
///   [`StoreErrorKind::Cancelled`](crate::StoreErrorKind::Cancelled).
pub trait Store: Send + Sync + fmt::Debug {
    /// The agent: `dsh`, `claude`, …
    fn kind(&self) -> &'static str;

    /// Where the logs lie.
    fn root(&self) -> &Path;

    /// The sessions, newest first, and what was skipped. Headers only: bodies are not looked at.
    ///
    /// # Errors
    ///
    /// When the root cannot be read, and in [`Mode::Strict`] over any artifact that fails the
    /// reference. An absent root is an empty store.
    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError>;

    /// The listed session of this id, if there is one.
    ///
    /// # Errors
    ///
    /// Those of [`list`](Self::list).
    fn find(&self, id: &JsString, cancel: &CancellationToken)
    -> Result<Option<Listed>, StoreError>;

    /// The titles of sessions, one entry an id, in the order of `ids`. A session without a title
    /// is `Ok(None)`; one that is absent or broken costs its own entry.
    ///
    /// # Errors
    ///
    /// Those of [`list`](Self::list).
    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError>;

    /// The current surface of a session, or `None` when there is no such session. What may be
    /// missing from it stands in its `losses`.
    ///
    /// # Errors
    ///
    /// Those of [`list`](Self::list), and whatever keeps the log from being read as a whole: no
    /// partial surface is given.
    fn surface(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, StoreError> {
        let seen = self.observe(id, cancel)?;
        Ok(seen.map(|seen| seen.surface))
    }

    /// The current surface of a session with all that is to be told of its log, from one read.
    ///
    /// # Errors
    ///
    /// Those of [`surface`](Self::surface).
    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError>;

    /// Reads sessions to their ends and tells what of them was passed over, one entry an id, in the
    /// order of `ids`. An entry that is an error is that of [`surface`](Self::surface).
    ///
    /// By default what [`observe`](Self::observe) tells of each.
    ///
    /// # Errors
    ///
    /// Those of [`list`](Self::list).
    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        each(ids, cancel, |id| {
            let seen = self.observe(id, cancel)?;
            seen.map(|seen| seen.diagnostics)
                .ok_or_else(StoreError::not_found)
        })
    }
}

/// An answer for each id, in their order, until the caller wants none any more.
pub(crate) fn each<T>(
    ids: &[JsString],
    cancel: &CancellationToken,
    mut answer: impl FnMut(&JsString) -> Result<T, StoreError>,
) -> Result<Vec<Result<T, StoreError>>, StoreError> {
    let answers = ids.iter().map(|id| {
        if cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
        Ok(answer(id))
    });
    answers.collect()
}

/// What one read of a session gave: its surface, and what was passed over in its log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// The surface.
    pub surface: SurfaceSnapshot,
    /// What was passed over. What of it may have cost words stands in the surface's `losses` too.
    pub diagnostics: Vec<Diagnostic>,
}

impl Observation {
    /// A surface from a log of which this is to be told.
    #[must_use]
    pub fn new(mut surface: SurfaceSnapshot, diagnostics: Vec<Diagnostic>) -> Self {
        surface.losses = diagnostics.iter().filter_map(Diagnostic::loss).collect();
        Self {
            surface,
            diagnostics,
        }
    }
}

/// What was passed over in one session, and so may be missing from what is shown of it.
pub type Examination = Result<Vec<Diagnostic>, StoreError>;

/// The title of one session.
pub type TitleOutcome = Result<Option<TitleSnapshot>, StoreError>;

/// How a store treats what it cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// One bad artifact costs one session, and is reported.
    #[default]
    Isolating,
    /// As the reference: one bad artifact fails the listing, and with it every read
    /// (`spec/dsh-store.md` 0.2 no. 3).
    Strict,
}

/// What a store holds.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Listing {
    /// The sessions: newest first, equal times by id (`spec/dsh-store.md` 6.2).
    pub sessions: Vec<Listed>,
    /// What was skipped.
    pub diagnostics: Vec<Diagnostic>,
}

/// A session as its store lists it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Listed {
    /// The header, with the store's own id. A member that the log has in another type than it
    /// should is absent here; reading the session reports it.
    pub header: SessionHeader,
    /// When the log last changed, in milliseconds since 1970.
    pub updated_at: Option<i64>,
    /// The log's size in bytes.
    pub size_bytes: Option<u64>,
    /// Whether a person put it away.
    pub is_archived: bool,
}

impl Listed {
    /// A session of which no more than its header is known.
    #[must_use]
    pub const fn new(header: SessionHeader) -> Self {
        Self {
            header,
            updated_at: None,
            size_bytes: None,
            is_archived: false,
        }
    }
}

//! Codex: one or more JSONL files a thread, the same words in up to three encodings
//! (`spec/agent-logs.md` 3).

mod compaction;
mod files;
mod injected;
mod log;
mod message;
mod meta;
mod names;
mod peek;
mod record;
mod rollout;
mod sniff;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod threads;
mod turns;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sref_session::{JsString, SurfaceSnapshot, TitleSnapshot};
use tokio_util::sync::CancellationToken;

use self::log::Log;
use self::names::Names;
use self::rollout::observe;
use self::state::Home;
use self::threads::{Chain, Rollout, Shelf, Thread};
use crate::container::Harm;
use crate::damage::{self, Breaks};
use crate::{
    Diagnostic, DiagnosticKind, Environment, Examination, Listed, Listing, Observation, Order,
    Store, StoreError, TitleOutcome, each,
};

/// The threads of Codex in one home directory.
///
/// Ids are those of the threads. Archived threads and sub-agents are listed as such.
///
/// ```
/// use sref_stores::codex::CodexStore;
/// use sref_stores::{CancellationToken, Store};
///
/// let store = CodexStore::open("no/such/home");
/// assert!(store.list(&CancellationToken::new())?.sessions.is_empty());
/// # Ok::<(), sref_stores::StoreError>(())
/// ```
#[derive(Debug)]
pub struct CodexStore {
    home: Home,
    /// Where rollouts lie, and whether they are archived there.
    places: Vec<(PathBuf, bool)>,
    order: Order,
}

impl CodexStore {
    /// The store of a home directory (`~/.codex`), of its `sessions` directory, or of any other
    /// directory with rollouts in it.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        const SESSIONS: &str = "sessions";
        const ARCHIVED: &str = "archived_sessions";
        let mut home: PathBuf = root.into();
        if home.ends_with(SESSIONS) && !home.join(SESSIONS).is_dir() {
            home.pop();
        }
        let mut places = vec![(home.join(SESSIONS), false), (home.join(ARCHIVED), true)];
        if home.exists() && !places.iter().any(|(place, _)| place.is_dir()) {
            let archived = home.ends_with(ARCHIVED);
            places = vec![(home.clone(), archived)];
        }
        Self {
            home: Home {
                path: home,
                ..Home::default()
            },
            places,
            order: Order::root(),
        }
    }

    /// The same in an environment: `CODEX_SQLITE_HOME` moves the databases, and in the configuration
    /// `~` is the person's directory.
    #[must_use]
    pub fn within(mut self, environment: &Environment) -> Self {
        self.home.moved = environment.path("CODEX_SQLITE_HOME");
        self.home.person.clone_from(&environment.home);
        self
    }

    /// Reads the logs of a thread to their ends, its own part of them, and tells what was passed over
    /// or cannot be told apart. A listing tells the same of the beginnings of logs.
    fn read(
        &self,
        shelf: &Shelf,
        head: &Rollout,
        cancel: &CancellationToken,
    ) -> Result<(Log, Vec<Diagnostic>), StoreError> {
        let (mut log, mut found) = read(shelf.chain(head)?, cancel)?;
        let meta = head.peek.meta.as_ref().filter(|_| log.copied);
        if let Some(meta) = meta.filter(|meta| !(meta.is_agent() && meta.own_from.is_some())) {
            // A fork goes on with what it copied; a sub-agent was only given it.
            let parent = meta.parent.as_ref().filter(|_| meta.is_agent());
            let parent = parent.map(|parent| self.thread(shelf, parent, cancel));
            let is_cut = match parent.transpose()?.flatten() {
                Some(parent) => {
                    let (parent, _) = read(shelf.chain(parent.head())?, cancel)?;
                    log.turns.disown(&parent.turns.ids().collect())
                }
                None => false,
            };
            if !is_cut {
                let kind = DiagnosticKind::Inherited;
                found.push(Diagnostic::new(kind, &head.file.path, ""));
            }
        }
        Ok((log, found))
    }

    fn shelf(&self, cancel: &CancellationToken) -> Result<Shelf, StoreError> {
        Ok(Shelf::new(files::walk(
            &self.places,
            &mut Vec::new(),
            cancel,
        )?))
    }

    fn thread(
        &self,
        shelf: &Shelf,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Thread>, StoreError> {
        let rollouts = shelf.rollouts(id)?;
        Ok(match rollouts.len() {
            0 => None,
            1 => Some(Thread::new(rollouts, None)),
            _ => {
                let rows = state::rows(&self.home, Some(id), cancel)?;
                let file = rows.get(id).and_then(|row| row.file.as_deref());
                Some(Thread::new(rollouts, file))
            }
        })
    }
}

/// Reads the files of a chain, the first one first, and tells what of them was passed over.
fn read(chain: Chain, cancel: &CancellationToken) -> Result<(Log, Vec<Diagnostic>), StoreError> {
    let mut log = Log::default();
    let mut found = chain.notes;
    for (file, part) in chain.files {
        let read = observe(&file, |handle, size, form| {
            log.clone().read(handle, size, form, part, cancel)
        })?;
        log = read.ok_or_else(StoreError::cancelled)?;
        let mut counts = log.met.counts;
        // Nobody is still writing a log that is packed.
        counts.incomplete_tail &= log.met.harm == Harm::default();
        let unknown = std::mem::take(&mut log.unknown);
        found.extend(damage::diagnostics(
            &file.path,
            &counts,
            &unknown,
            Breaks::default(),
        ));
        found.extend(log.met.frames(&file.path));
        let fault = log.fault.take();
        found
            .extend(fault.map(|fault| Diagnostic::new(DiagnosticKind::BadBase, &file.path, fault)));
    }
    Ok((log, found))
}

fn missing_base(shelf: &Shelf, rollout: &Rollout) -> Option<Diagnostic> {
    let base = rollout.base().filter(|base| !shelf.has(base))?;
    let name = base.rollout.as_js_str().excerpt().to_string();
    let kind = DiagnosticKind::MissingBase;
    Some(Diagnostic::new(kind, &rollout.file.path, name))
}

impl Store for CodexStore {
    fn kind(&self) -> &'static str {
        "codex"
    }

    fn root(&self) -> &Path {
        &self.home.path
    }

    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        let files = files::walk(&self.places, &mut listing.diagnostics, cancel)?;
        let shelf = Shelf::new(files.clone());
        let mut threads: Vec<Vec<Rollout>> = Vec::new();
        let mut places: HashMap<JsString, usize> = HashMap::new();
        for file in files {
            if cancel.is_cancelled() {
                return Err(StoreError::cancelled());
            }
            let path = file.path.clone();
            let rollout = match Rollout::read(file) {
                Ok(rollout) => rollout,
                Err(error) => {
                    listing.diagnostics.push(error.unreadable(&path));
                    continue;
                }
            };
            let notes = &mut listing.diagnostics;
            notes.extend(rollout.peek.unknown.diagnostic(&path));
            notes.extend(rollout.peek.met.frames(&path));
            notes.extend(missing_base(&shelf, &rollout));
            notes.extend(rollout.base_fault());
            if let Some(at) = places.get(rollout.thread()) {
                threads[*at].push(rollout);
            } else {
                places.insert(rollout.thread().clone(), threads.len());
                threads.push(vec![rollout]);
            }
        }
        // Where a thread stands is a question only of those with several rollouts.
        let rows = if threads.iter().any(|rollouts| rollouts.len() > 1) {
            state::rows(&self.home, None, cancel)?
        } else {
            HashMap::new()
        };
        for rollouts in threads {
            let row = rollouts
                .first()
                .and_then(|rollout| rows.get(rollout.thread()));
            let thread = Thread::new(rollouts, row.and_then(|row| row.file.as_deref()));
            if thread.has_words() {
                listing.sessions.push(thread.listed());
            } else if !thread.is_harmed() {
                let path = &thread.head().file.path;
                let note = Diagnostic::new(DiagnosticKind::NoConversation, path, "");
                listing.diagnostics.push(note);
            }
        }
        listing
            .sessions
            .sort_by(|one, other| self.order.compare(&one.header, &other.header));
        Ok(listing)
    }

    fn find(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Listed>, StoreError> {
        let thread = self.thread(&self.shelf(cancel)?, id, cancel)?;
        Ok(thread.map(|thread| thread.listed()))
    }

    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        let shelf = self.shelf(cancel)?;
        let only = ids.first().filter(|_| ids.len() == 1);
        let names = Names::read(&self.home, only, cancel)?;
        each(ids, cancel, |id| {
            let rollouts = shelf.rollouts(id)?;
            if rollouts.is_empty() {
                return Err(StoreError::not_found());
            }
            let title = names.title(&Thread::new(rollouts, None), cancel)?;
            Ok(title.map(TitleSnapshot::plain))
        })
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        let shelf = self.shelf(cancel)?;
        let Some(thread) = self.thread(&shelf, id, cancel)? else {
            return Ok(None);
        };
        let (log, diagnostics) = self.read(&shelf, thread.head(), cancel)?;
        let header = thread.listed().header;
        let last_record = log.last_record();
        let surface = SurfaceSnapshot::new(header, last_record, log.turns.surface());
        Ok(Some(Observation::new(surface, diagnostics)))
    }

    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        let shelf = self.shelf(cancel)?;
        each(ids, cancel, |id| {
            let thread = self.thread(&shelf, id, cancel)?;
            let thread = thread.ok_or_else(StoreError::not_found)?;
            Ok(self.read(&shelf, thread.head(), cancel)?.1)
        })
    }
}

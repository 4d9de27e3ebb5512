//! Which files make up a thread (`spec/agent-logs.md` 3.7).
//!
//! A thread begins with one rollout; going back in it or resuming it begins another, which names the
//! one before as its base. A fork is a thread of its own with a base in another one.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use sref_session::{JsString, SessionHeader};

use super::files::{LogFile, made_at};
use super::log::Part;
use super::meta::{Base, Cut, Meta};
use super::peek::Peek;
use super::rollout::observe;
use crate::container::Harm;
use crate::{Diagnostic, DiagnosticKind, Listed, StoreError, StoreErrorKind};

/// The longest chain of bases that is followed.
const BASES: usize = 16;

/// A rollout and a look at it.
#[derive(Debug)]
pub(super) struct Rollout {
    pub(super) file: LogFile,
    pub(super) peek: Peek,
}

impl Rollout {
    pub(super) fn read(file: LogFile) -> Result<Self, StoreError> {
        let peek = observe(&file, Peek::read)?;
        Ok(Self { file, peek })
    }

    /// The thread: the header's word, else that of the name.
    pub(super) fn thread(&self) -> &JsString {
        let meta = self.peek.meta.as_ref().and_then(|meta| meta.id.as_ref());
        meta.unwrap_or(&self.file.thread)
    }

    pub(super) fn base(&self) -> Option<&Base> {
        self.peek.meta.as_ref()?.base.as_ref()
    }

    /// What its header says of its base and cannot be so.
    pub(super) fn base_fault(&self) -> Option<Diagnostic> {
        let meta = self.peek.meta.as_ref()?;
        let is_endless = |base: &Base| base.cut == Cut::default();
        let fault = if meta.base_unread {
            "its header does not tell which log it continues"
        } else if meta.base.as_ref().is_some_and(is_endless) {
            "its header does not tell where it leaves the log that it continues, which is shown whole"
        } else {
            return None;
        };
        Some(Diagnostic::new(
            DiagnosticKind::BadBase,
            &self.file.path,
            fault,
        ))
    }

    fn created_at(&self) -> Option<i64> {
        let meta = self
            .peek
            .meta
            .as_ref()
            .and_then(|meta| meta.timestamp.as_ref());
        meta.and_then(crate::time::milliseconds)
            .or_else(|| {
                self.peek
                    .first_time
                    .as_ref()
                    .and_then(crate::time::milliseconds)
            })
            .or_else(|| made_at(&self.file.rollout))
            .or_else(|| made_at(&self.file.thread))
            .or(self.file.updated_at)
    }
}

/// The rollouts of one thread, and which of them is where it stands now.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) rollouts: Vec<Rollout>,
    head: usize,
}

impl Thread {
    /// A thread of at least one rollout. `current` is the file that the agent's database names.
    pub(super) fn new(rollouts: Vec<Rollout>, current: Option<&str>) -> Self {
        let named = current.and_then(|name| {
            rollouts
                .iter()
                .position(|rollout| rollout.file.name() == Some(name))
        });
        let head = named.unwrap_or_else(|| newest(&rollouts));
        Self { rollouts, head }
    }

    pub(super) fn head(&self) -> &Rollout {
        &self.rollouts[self.head]
    }

    fn first(&self) -> &Rollout {
        let first = self
            .rollouts
            .iter()
            .find(|rollout| rollout.file.rollout == rollout.file.thread);
        first.unwrap_or_else(|| self.head())
    }

    /// The rollouts, the first one first.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Rollout> {
        let first = self.first();
        let others = self
            .rollouts
            .iter()
            .filter(|own| !std::ptr::eq(*own, first));
        std::iter::once(first).chain(others)
    }

    /// Whether anybody said anything, here or in what it continues.
    pub(super) fn has_words(&self) -> bool {
        self.rollouts.iter().any(|rollout| rollout.peek.has_words()) || self.head().base().is_some()
    }

    /// Whether a file of it is not all there, so that nobody knows what was said.
    pub(super) fn is_harmed(&self) -> bool {
        let mut harms = self.rollouts.iter().map(|rollout| rollout.peek.met.harm);
        harms.any(|harm| harm != Harm::default())
    }

    pub(super) fn listed(&self) -> Listed {
        let created_at = self.rollouts.iter().filter_map(Rollout::created_at).min();
        let mut header = SessionHeader::new(self.head().thread().clone(), created_at.unwrap_or(0));
        // The newest header counts; what it leaves out may stand in the first.
        let metas = [self.head(), self.first()].map(|rollout| rollout.peek.meta.as_ref());
        let of =
            |member: fn(&Meta) -> Option<JsString>| metas.into_iter().flatten().find_map(member);
        header.cwd = self
            .head()
            .peek
            .cwd()
            .or_else(|| self.first().peek.cwd())
            .cloned();
        header.parent_session = of(|meta| meta.parent.clone()).map(Into::into);
        header.origin = of(|meta| meta.origin.map(Into::into));
        header.delegation_depth = metas.into_iter().flatten().find_map(|meta| meta.depth);
        let mut listed = Listed::new(header);
        listed.updated_at = self.head().file.updated_at;
        listed.size_bytes = Some(self.rollouts.iter().map(|rollout| rollout.file.size).sum());
        listed.is_archived = self.head().file.archived;
        listed
    }
}

/// What tells the newer of two rollouts.
fn age(file: &LogFile) -> (Option<i64>, Option<String>) {
    (made_at(&file.rollout), file.name().map(str::to_owned))
}

/// The newest rollout that no other one of the thread continues.
fn newest(rollouts: &[Rollout]) -> usize {
    let continued: HashSet<&JsString> = rollouts
        .iter()
        .filter_map(|rollout| Some(&rollout.base()?.rollout))
        .collect();
    let age = |at: &usize| age(&rollouts[*at].file);
    let is_end = |at: &usize| !continued.contains(&rollouts[*at].file.rollout);
    let all = 0..rollouts.len();
    let end = all.clone().filter(is_end).max_by_key(age);
    // A circle has no end.
    end.or_else(|| all.max_by_key(age)).unwrap_or_default()
}

/// The files that a rollout stands on, the first one first, and the rollout itself.
#[derive(Debug)]
pub(super) struct Chain {
    /// Each with the part of it that counts.
    pub(super) files: Vec<(LogFile, Part)>,
    /// What the first one continues in turn and was not followed to: it is not there, cannot be read,
    /// or is too far; and what the headers say of their bases and cannot be so.
    pub(super) notes: Vec<Diagnostic>,
}

/// All rollouts of a store, by thread and by rollout.
#[derive(Debug)]
pub(super) struct Shelf {
    files: Vec<LogFile>,
    by_thread: HashMap<JsString, Vec<usize>>,
    by_rollout: HashMap<JsString, usize>,
    /// The same by the threads that the headers name, which are rarely others than the names say.
    by_header: OnceCell<HashMap<JsString, Vec<usize>>>,
}

impl Shelf {
    pub(super) fn new(files: Vec<LogFile>) -> Self {
        let mut by_thread: HashMap<JsString, Vec<usize>> = HashMap::new();
        let mut by_rollout = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            by_thread.entry(file.thread.clone()).or_default().push(at);
            by_rollout.insert(file.rollout.clone(), at);
        }
        Self {
            files,
            by_thread,
            by_rollout,
            by_header: OnceCell::new(),
        }
    }

    pub(super) fn has(&self, base: &Base) -> bool {
        self.by_rollout.contains_key(&base.rollout)
    }

    /// The rollouts of a thread; none if there is no such thread.
    pub(super) fn rollouts(&self, id: &JsString) -> Result<Vec<Rollout>, StoreError> {
        let named = self.by_thread.get(id).map_or(&[][..], Vec::as_slice);
        let own = self.read(named, id)?;
        if !own.is_empty() {
            return Ok(own);
        }
        let headed = self.by_header.get_or_init(|| self.headers()).get(id);
        self.read(headed.map_or(&[], Vec::as_slice), id)
    }

    fn read(&self, places: &[usize], id: &JsString) -> Result<Vec<Rollout>, StoreError> {
        let mut own: Vec<Rollout> = Vec::new();
        let mut failed = Vec::new();
        for at in places {
            match Rollout::read(self.files[*at].clone()) {
                Ok(rollout) if rollout.thread() == id => own.push(rollout),
                Ok(_) => {}
                Err(error) if error.kind() == StoreErrorKind::Io => failed.push((*at, error)),
                Err(error) => return Err(error),
            }
        }
        // An older one is missing from what the newest stands on; without the newest nobody knows
        // where the thread stands.
        for (at, error) in failed {
            let age = age(&self.files[at]);
            if own.iter().all(|own| self::age(&own.file) < age) {
                return Err(error);
            }
        }
        Ok(own)
    }

    fn headers(&self) -> HashMap<JsString, Vec<usize>> {
        let mut headers: HashMap<JsString, Vec<usize>> = HashMap::new();
        for (at, file) in self.files.iter().enumerate() {
            // What cannot be read names no thread.
            if let Ok(rollout) = Rollout::read(file.clone()) {
                headers
                    .entry(rollout.thread().clone())
                    .or_default()
                    .push(at);
            }
        }
        headers
    }

    /// The files that a rollout stands on. A base that is not there ends the chain.
    pub(super) fn chain(&self, head: &Rollout) -> Result<Chain, StoreError> {
        let meta = head.peek.meta.as_ref();
        let own_from = meta
            .filter(|meta| meta.is_agent())
            .and_then(|meta| meta.own_from);
        let part = Part {
            own_from,
            ..Part::default()
        };
        let mut files = vec![(head.file.clone(), part)];
        let mut seen: HashSet<PathBuf> = HashSet::from([head.file.path.clone()]);
        // What a sub-agent was given of its parent's conversation is not its own.
        let mut base = head.base().filter(|_| own_from.is_none()).cloned();
        let mut notes = Vec::new();
        notes.extend(head.base_fault().filter(|_| own_from.is_none()));
        while let Some(Base { rollout, cut }) = base {
            let at = self.by_rollout.get(&rollout);
            let Some(at) = at.filter(|_| files.len() <= BASES) else {
                let name = rollout.as_js_str().excerpt().to_string();
                let path = files.last().map(|(file, _)| &*file.path);
                notes.extend(
                    path.map(|path| Diagnostic::new(DiagnosticKind::MissingBase, path, name)),
                );
                break;
            };
            if !seen.insert(self.files[*at].path.clone()) {
                let path = files.last().map(|(file, _)| &*file.path);
                let fault = "the logs that it continues lead back to itself";
                notes
                    .extend(path.map(|path| Diagnostic::new(DiagnosticKind::BadBase, path, fault)));
                break;
            }
            let rollout = match Rollout::read(self.files[*at].clone()) {
                Err(error) if error.kind() == StoreErrorKind::Io => {
                    let name = rollout.as_js_str().excerpt();
                    let detail = format!("{name}: {}", error.explanation());
                    let path = files.last().map(|(file, _)| &*file.path);
                    let kind = DiagnosticKind::MissingBase;
                    notes.extend(path.map(|path| Diagnostic::new(kind, path, detail)));
                    break;
                }
                read => read?,
            };
            base = rollout.base().cloned();
            notes.extend(rollout.base_fault());
            let own_from = None;
            files.push((rollout.file, Part { cut, own_from }));
        }
        files.reverse();
        Ok(Chain { files, notes })
    }
}

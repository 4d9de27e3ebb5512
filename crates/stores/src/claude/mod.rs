//! Claude Code: one JSONL file a session, a tree of records (`spec/agent-logs.md` 2).

mod blocks;
mod chain;
mod files;
mod injected;
mod log;
mod origin;
mod peek;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sref_session::{JsString, SessionHeader, SurfaceSnapshot, TitleSnapshot};
use tokio_util::sync::CancellationToken;

use self::files::LogFile;
use self::log::Log;
use self::peek::Peek;
use crate::{
    Diagnostic, DiagnosticKind, Examination, Listed, Listing, Observation, Order, Store,
    StoreError, TitleOutcome, damage, each, file,
};

/// The sessions of Claude Code below one `projects` directory.
///
/// Ids are those of the files: `<uuid>`, and `<uuid>/agent-<id>` for a sub-agent.
#[derive(Debug)]
pub struct ClaudeStore {
    root: PathBuf,
    order: Order,
}

impl ClaudeStore {
    /// The store of a configuration directory (`~/.claude`), or of its `projects` directory.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        let mut root = root.into();
        let projects = root.join("projects");
        if projects.is_dir() {
            root = projects;
        }
        Self {
            root,
            order: Order::root(),
        }
    }

    /// All files that are sessions, one an id, the newest of two.
    fn files(
        &self,
        diagnostics: &mut Vec<Diagnostic>,
        cancel: &CancellationToken,
    ) -> Result<Vec<LogFile>, StoreError> {
        let mut kept: Vec<LogFile> = Vec::new();
        let mut places: HashMap<JsString, usize> = HashMap::new();
        for mut file in files::walk(&self.root, diagnostics, cancel)? {
            match places.get(&file.id) {
                None => {
                    places.insert(file.id.clone(), kept.len());
                    kept.push(file);
                }
                Some(at) => {
                    if file.updated_at > kept[*at].updated_at {
                        std::mem::swap(&mut file, &mut kept[*at]);
                    }
                    let id = file.id.as_js_str().excerpt().to_string();
                    diagnostics.push(Diagnostic::new(DiagnosticKind::DuplicateId, &file.path, id));
                }
            }
        }
        Ok(kept)
    }

    fn file(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<LogFile>, StoreError> {
        let mut files = self.files(&mut Vec::new(), cancel)?;
        let at = files.iter().position(|file| file.id == *id);
        Ok(at.map(|at| files.swap_remove(at)))
    }
}

/// Runs a read of a log's bytes as one observation.
fn observe<T>(
    log: &LogFile,
    mut read: impl FnMut(File, u64) -> io::Result<T>,
) -> Result<T, StoreError> {
    file::consistent(&log.path, |file, size| {
        read(file, size).map_err(|error| StoreError::io(&log.path, error))
    })
}

fn listed(file: &LogFile, peek: &Peek) -> Listed {
    let created_at = peek.first_time.as_ref().and_then(crate::time::milliseconds);
    let mut header =
        SessionHeader::new(file.id.clone(), created_at.or(file.updated_at).unwrap_or(0));
    header.cwd.clone_from(&peek.cwd);
    if file.agent {
        header.origin = Some("subagent".into());
        header.parent_session = parent_of(&file.id).map(Into::into);
    }
    let mut listed = Listed::new(header);
    listed.updated_at = file.updated_at;
    listed.size_bytes = Some(file.size);
    listed
}

/// The session that a sub-agent belongs to.
fn parent_of(id: &JsString) -> Option<JsString> {
    Some(id.as_str()?.split_once('/')?.0.into())
}

impl Store for ClaudeStore {
    fn kind(&self) -> &'static str {
        "claude"
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        let files = self.files(&mut listing.diagnostics, cancel)?;
        let mut first_uuids: HashMap<u128, Vec<usize>> = HashMap::new();
        let mut found: Vec<(LogFile, Listed)> = Vec::new();
        for file in files {
            if cancel.is_cancelled() {
                return Err(StoreError::cancelled());
            }
            let peek = match observe(&file, |handle, size| Peek::read(handle, size, file.agent)) {
                Ok(peek) => peek,
                Err(error) => {
                    listing.diagnostics.push(error.unreadable(&file.path));
                    continue;
                }
            };
            if !peek.has_words || peek.sidechain && !file.agent {
                let kind = DiagnosticKind::NoConversation;
                listing
                    .diagnostics
                    .push(Diagnostic::new(kind, &file.path, ""));
                continue;
            }
            if let Some(uuid) = peek.first_uuid.filter(|_| !file.agent) {
                first_uuids.entry(uuid).or_default().push(found.len());
            }
            let listed = listed(&file, &peek);
            found.push((file, listed));
        }
        let copies = copies(&found, first_uuids, &mut listing.diagnostics, cancel)?;
        let kept = found.into_iter().zip(copies).filter(|(_, copy)| !copy);
        listing.sessions = kept.map(|((_, listed), _)| listed).collect();
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
        let Some(file) = self.file(id, cancel)? else {
            return Ok(None);
        };
        let peek = observe(&file, |handle, size| Peek::read(handle, size, file.agent))?;
        Ok(Some(listed(&file, &peek)))
    }

    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        let files = self.files(&mut Vec::new(), cancel)?;
        let files: HashMap<&JsString, &LogFile> =
            files.iter().map(|file| (&file.id, file)).collect();
        each(ids, cancel, |id| {
            let file = files.get(id).ok_or_else(StoreError::not_found)?;
            let title = observe(file, |handle, size| peek::title(handle, size, file.agent))?;
            Ok(title.map(TitleSnapshot::plain))
        })
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        let Some(file) = self.file(id, cancel)? else {
            return Ok(None);
        };
        observation(&file, cancel).map(Some)
    }

    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        let files = self.files(&mut Vec::new(), cancel)?;
        let files: HashMap<&JsString, &LogFile> =
            files.iter().map(|file| (&file.id, file)).collect();
        each(ids, cancel, |id| {
            let file = files.get(id).ok_or_else(StoreError::not_found)?;
            Ok(observation(file, cancel)?.diagnostics)
        })
    }
}

/// What a log shows, and what of it was passed over.
fn observation(file: &LogFile, cancel: &CancellationToken) -> Result<Observation, StoreError> {
    let log = read(file, cancel)?;
    let peek = Peek {
        first_time: log.first_time.clone(),
        cwd: log.relocated.clone().or_else(|| log.cwd.clone()),
        ..Peek::default()
    };
    let header = listed(file, &peek).header;
    let last_record = log.last_record;
    let (counts, unknown) = (log.counts, log.unknown.clone());
    let same_ids = log.same_ids();
    let (events, breaks) = log.surface();
    let surface = SurfaceSnapshot::new(header, last_record, events);
    let mut diagnostics = damage::diagnostics(&file.path, &counts, &unknown, breaks);
    if same_ids > 0 {
        let kind = DiagnosticKind::SameIds;
        diagnostics.push(Diagnostic::counted(kind, &file.path, same_ids));
    }
    Ok(Observation::new(surface, diagnostics))
}

/// Reads a log to its end.
fn read(file: &LogFile, cancel: &CancellationToken) -> Result<Log, StoreError> {
    let log = observe(file, |handle, size| {
        Log::read(handle.take(size), file.agent, cancel)
    })?;
    log.ok_or_else(StoreError::cancelled)
}

/// Which of the found logs are old copies: their records are all in another one that begins with
/// the same record. Forks have records of their own and stay.
fn copies(
    found: &[(LogFile, Listed)],
    first_uuids: HashMap<u128, Vec<usize>>,
    diagnostics: &mut Vec<Diagnostic>,
    cancel: &CancellationToken,
) -> Result<Vec<bool>, StoreError> {
    let mut copies = vec![false; found.len()];
    for group in first_uuids.into_values().filter(|group| group.len() > 1) {
        let mut keys = Vec::new();
        for at in &group {
            keys.push(read(&found[*at].0, cancel)?.keys());
        }
        for (own, at) in group.iter().enumerate() {
            let bigger = keys.iter().enumerate().any(|(other, theirs)| {
                other != own
                    && keys[own].is_subset(theirs)
                    && (keys[own].len() < theirs.len() || group[other] > *at)
            });
            if bigger {
                copies[*at] = true;
                let path = &found[*at].0.path;
                diagnostics.push(Diagnostic::new(DiagnosticKind::Copy, path, ""));
            }
        }
    }
    Ok(copies)
}

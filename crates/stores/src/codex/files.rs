//! Which files are rollouts (`spec/agent-logs.md` 3.1, 3.9).

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use crate::file::{Leads, Revision, entries, leads, may_lead_on, passed_over, plain};
use crate::{Diagnostic, DiagnosticKind, StoreError};

/// How deep rollouts lie: below year, month and day.
const DEPTH: usize = 4;

/// A rollout, as its place and name tell of it.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    /// The thread, or the whole name where it names none.
    pub(super) thread: JsString,
    /// The rollout. The first one of a thread has the thread's id.
    pub(super) rollout: JsString,
    pub(super) archived: bool,
    pub(super) form: Form,
    pub(super) size: u64,
    pub(super) updated_at: Option<i64>,
}

/// How a rollout is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Lines,
    Packed,
    /// One JSON document, as the first versions wrote it.
    Document,
}

impl LogFile {
    /// The file's name as the thread's database has it, where packing changes no name.
    pub(super) fn name(&self) -> Option<&str> {
        let name = self.path.file_name()?.to_str()?;
        Some(name.strip_suffix(".zst").unwrap_or(name))
    }
}

/// The rollouts below some directories, archived or not, one of each.
///
/// A link is followed at the first level, where people move years to another disk, and nowhere else; not
/// to what the store lies in. Behind it only directories of years, months and days are looked into.
pub(super) fn walk(
    roots: &[(PathBuf, bool)],
    diagnostics: &mut Vec<Diagnostic>,
    cancel: &CancellationToken,
) -> Result<Vec<LogFile>, StoreError> {
    let mut walk = Walk {
        files: Vec::new(),
        diagnostics,
        cancel,
        seen: HashSet::new(),
        archived: false,
        root: PathBuf::new(),
        linked: false,
    };
    for (root, archived) in roots {
        walk.archived = *archived;
        walk.root = root.canonicalize().unwrap_or_default();
        match fs::read_dir(root) {
            Ok(found) => walk.directory(root, found, DEPTH)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io(root, error)),
        }
    }
    let files = walk.files;
    Ok(distinct(files, diagnostics))
}

struct Walk<'a> {
    files: Vec<LogFile>,
    diagnostics: &'a mut Vec<Diagnostic>,
    cancel: &'a CancellationToken,
    /// The directories that links lead to.
    seen: HashSet<PathBuf>,
    archived: bool,
    /// The directory that is looked through, without links in its path.
    root: PathBuf,
    /// Whether the walk is behind a link.
    linked: bool,
}

impl Walk<'_> {
    fn directory(
        &mut self,
        directory: &Path,
        found: fs::ReadDir,
        depth: usize,
    ) -> Result<(), StoreError> {
        if self.cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
        let (found, errors) = entries(found);
        for error in errors {
            self.unreadable(directory, &error);
        }
        for (path, file_type) in found {
            let is_log = path.file_name().is_some_and(is_rollout);
            let is_top_link = depth == DEPTH && file_type.is_symlink();
            if file_type.is_file() {
                self.file(path);
            } else if self.linked && !is_log && !path.file_name().is_some_and(is_date) {
                // It is no part of the store.
            } else if file_type.is_dir() && is_log {
                self.unreadable(&path, &io::ErrorKind::IsADirectory.into());
            } else if depth > 0 && (file_type.is_dir() || is_top_link && self.is_new_link(&path)) {
                let before = self.linked;
                self.linked |= is_top_link;
                match fs::read_dir(&path) {
                    Ok(found) => self.directory(&path, found, depth - 1)?,
                    Err(error) => self.unreadable(&path, &error),
                }
                self.linked = before;
            } else if is_log || !is_top_link && may_lead_on(&path, file_type) {
                self.diagnostics.extend(passed_over(&path, file_type));
            }
        }
        Ok(())
    }

    fn is_new_link(&mut self, path: &Path) -> bool {
        match path.canonicalize() {
            Ok(place) if !place.is_dir() => false,
            Ok(place) => match leads(&self.root, &place) {
                Leads::Out => self.seen.insert(place),
                Leads::Inside => false,
                Leads::Above => {
                    let note = Diagnostic::new(DiagnosticKind::Link, path, "");
                    self.diagnostics.push(note);
                    false
                }
            },
            Err(error) => {
                self.unreadable(path, &error);
                false
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        let name = path.file_name().map(OsStr::to_string_lossy);
        let Some((thread, rollout, form)) = name.and_then(|name| named(&name)) else {
            return;
        };
        match path.metadata() {
            Ok(metadata) => {
                let revision = Revision::of(&metadata);
                self.files.push(LogFile {
                    path,
                    thread,
                    rollout,
                    archived: self.archived,
                    form,
                    size: revision.size,
                    updated_at: revision.modified_at(),
                });
            }
            // It vanished between two looks.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.unreadable(&path, &error),
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        let detail = plain(error);
        self.diagnostics
            .push(Diagnostic::new(DiagnosticKind::Unreadable, path, detail));
    }
}

/// Of files of one rollout the one that counts: the plain one beside a packed one, the live one
/// beside an archived one, else the newest.
fn distinct(files: Vec<LogFile>, diagnostics: &mut Vec<Diagnostic>) -> Vec<LogFile> {
    let mut kept: Vec<LogFile> = Vec::with_capacity(files.len());
    let mut places: HashMap<JsString, usize> = HashMap::new();
    for mut file in files {
        let Some(at) = places.get(&file.rollout).copied() else {
            places.insert(file.rollout.clone(), kept.len());
            kept.push(file);
            continue;
        };
        // While a rollout is packed both are there: no fault of the store.
        let being_packed = file.path.parent() == kept[at].path.parent()
            && file
                .name()
                .is_some_and(|name| kept[at].name() == Some(name));
        let rank = |file: &LogFile| {
            let plain = being_packed && file.form != Form::Packed;
            (plain, !file.archived, file.updated_at)
        };
        if rank(&file) > rank(&kept[at]) {
            std::mem::swap(&mut file, &mut kept[at]);
        }
        if !being_packed {
            let id = file.rollout.as_js_str().excerpt().to_string();
            diagnostics.push(Diagnostic::new(DiagnosticKind::DuplicateId, &file.path, id));
        }
    }
    kept
}

/// What a file name says: thread, rollout, form. `None` if it is no rollout's.
///
/// `rollout-<time>-<thread>.jsonl`, with `_<rollout>` behind the thread from its second file on.
fn named(name: &str) -> Option<(JsString, JsString, Form)> {
    let stem = name.strip_prefix("rollout-")?;
    let (stem, form) = [
        (".jsonl", Form::Lines),
        (".jsonl.zst", Form::Packed),
        (".json", Form::Document),
    ]
    .into_iter()
    .find_map(|(ending, form)| Some((stem.strip_suffix(ending)?, form)))?;
    if stem.is_empty() {
        return None;
    }
    let (first, rollout) = match stem.split_once('_') {
        Some((first, rollout)) if !rollout.is_empty() => (first, Some(rollout)),
        _ => (stem, None),
    };
    let at = first.len().checked_sub(36);
    let thread = at.and_then(|at| first.get(at..)).filter(|id| is_uuid(id));
    Some(match (thread, rollout) {
        (Some(thread), rollout) => (thread.into(), rollout.unwrap_or(thread).into(), form),
        (None, _) => (stem.into(), stem.into(), form),
    })
}

/// Whether a name is that of a year, a month or a day.
fn is_date(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() <= 4 && name.iter().all(u8::is_ascii_digit)
}

fn is_rollout(name: &OsStr) -> bool {
    named(&name.to_string_lossy()).is_some()
}

fn is_uuid(name: &str) -> bool {
    name.len() == 36
        && name.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// When an id of version 7 was made, in milliseconds since 1970.
pub(super) fn made_at(id: &JsString) -> Option<i64> {
    let id = id
        .as_str()
        .filter(|id| is_uuid(id) && id.as_bytes()[14] == b'7')?;
    let digits: String = id[..13].chars().filter(|digit| *digit != '-').collect();
    i64::from_str_radix(&digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREAD: &str = "0198a3c0-0000-7000-8000-000000000001";

    #[test]
    fn names_tell_thread_and_rollout() {
        let parts = |name: &str| {
            let (thread, rollout, form) = named(name)?;
            let [thread, rollout] = [thread, rollout].map(|id| id.to_string_lossy().into_owned());
            Some((thread, rollout, form))
        };
        let both = |rollout: &str, form| Some((THREAD.to_owned(), rollout.to_owned(), form));
        let start = format!("rollout-2026-08-01T09-00-00-{THREAD}");
        assert_eq!(parts(&format!("{start}.jsonl")), both(THREAD, Form::Lines));
        assert_eq!(
            parts(&format!("{start}.jsonl.zst")),
            both(THREAD, Form::Packed)
        );
        assert_eq!(
            parts(&format!("{start}_0198b.jsonl")),
            both("0198b", Form::Lines)
        );
        assert_eq!(
            parts(&format!("rollout-2025-04-16-{THREAD}.json")),
            both(THREAD, Form::Document)
        );
        let nameless = Some(("x".to_owned(), "x".to_owned(), Form::Lines));
        assert_eq!(parts("rollout-x.jsonl"), nameless);
        for no in [
            "rollout-.jsonl",
            "rollout-x.jsonl.tmp",
            "rollout-x.zst",
            "x.jsonl",
            "rollout-compression.lock",
        ] {
            assert_eq!(parts(no), None, "{no}");
        }
        // Not at a character's border.
        assert!(named(&format!("rollout-é{}.jsonl", "é".repeat(17) + "a")).is_some());
    }

    #[test]
    fn ids_of_version_7_tell_their_time() {
        assert_eq!(made_at(&THREAD.into()), Some(0x0198_a3c0_0000));
        assert_eq!(
            made_at(&"0198a3c0-0000-4000-8000-000000000001".into()),
            None
        );
        assert_eq!(made_at(&"x".into()), None);
    }
}

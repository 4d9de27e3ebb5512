//! Which files are sessions (`spec/agent-logs.md` 2.1).

use std::collections::HashSet;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use crate::file::{Leads, Revision, entries, leads, may_lead_on, passed_over, plain};
use crate::{Diagnostic, DiagnosticKind, StoreError};

/// A log, as its place and name tell of it.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    /// `<uuid>`, or `<uuid>/agent-<id>` for a sub-agent.
    pub(super) id: JsString,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) updated_at: Option<i64>,
    /// A sub-agent's log; its session is the part of the id before the slash. In the older layout
    /// only the records tell which session that is, and the id is the agent's alone.
    pub(super) agent: bool,
}

/// How deep the directories of sub-agents are looked through.
const DEPTH: usize = 4;

/// The logs below a `projects` directory. An absent one is empty.
///
/// Linked project directories are followed, as people move them, but not to what the store lies in;
/// nothing below is.
pub(super) fn walk(
    root: &Path,
    diagnostics: &mut Vec<Diagnostic>,
    cancel: &CancellationToken,
) -> Result<Vec<LogFile>, StoreError> {
    let mut walk = Walk {
        files: Vec::new(),
        diagnostics,
    };
    let projects = match fs::read_dir(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(walk.files),
        projects => projects.map_err(|error| StoreError::io(root, error))?,
    };
    let whole = root
        .canonicalize()
        .map_err(|error| StoreError::io(root, error))?;
    let mut seen = HashSet::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for project in projects {
        paths.push(project.map_err(|error| StoreError::io(root, error))?.path());
    }
    paths.sort();
    for path in paths {
        if cancel.is_cancelled() {
            return Err(StoreError::cancelled());
        }
        match path.canonicalize() {
            Ok(place) if place.is_dir() && leads(&whole, &place) == Leads::Above => {
                let note = Diagnostic::new(DiagnosticKind::Link, &path, "");
                walk.diagnostics.push(note);
            }
            Ok(place) => {
                if place.is_dir() && seen.insert(place) {
                    walk.project(&path);
                }
            }
            Err(error) => walk.unreadable(&path, &error),
        }
    }
    Ok(walk.files)
}

struct Walk<'a> {
    files: Vec<LogFile>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    fn project(&mut self, directory: &Path) {
        for (path, name, file_type) in self.entries(directory) {
            let stem = name.strip_suffix(".jsonl").unwrap_or_default();
            let (is_session, is_agent) = (is_uuid(stem), is_agent(stem));
            if file_type.is_file() && (is_session || is_agent) {
                self.file(path, stem, is_agent);
            } else if file_type.is_dir() && is_uuid(&name) {
                self.agents(&path.join("subagents"), &name, DEPTH);
            } else {
                let is_log = is_session || is_agent;
                self.pass_over(&path, file_type, is_log, is_log || is_uuid(&name));
            }
        }
    }

    fn agents(&mut self, directory: &Path, session: &str, depth: usize) {
        match directory.symlink_metadata() {
            Ok(data) if data.is_dir() => {}
            Ok(data) => return self.pass_over(directory, data.file_type(), false, true),
            Err(_) => return,
        }
        for (path, name, file_type) in self.entries(directory) {
            let stem = name.strip_suffix(".jsonl").unwrap_or_default();
            if file_type.is_file() && is_agent(stem) {
                self.file(path, &format!("{session}/{stem}"), true);
            } else if file_type.is_dir() && depth > 0 && !is_agent(stem) {
                self.agents(&path, session, depth - 1);
            } else {
                let is_log = is_agent(stem);
                self.pass_over(
                    &path,
                    file_type,
                    is_log,
                    is_log || may_lead_on(&path, file_type),
                );
            }
        }
    }

    /// Tells of what has the name of a log, or is in the place of `more` logs, and is not read.
    fn pass_over(&mut self, path: &Path, file_type: FileType, is_log: bool, more: bool) {
        if file_type.is_dir() && is_log {
            self.unreadable(path, &io::ErrorKind::IsADirectory.into());
        }
        let note = more.then(|| passed_over(path, file_type)).flatten();
        self.diagnostics.extend(note);
    }

    /// What lies in a directory, in the order of the names.
    fn entries(&mut self, directory: &Path) -> Vec<(PathBuf, String, FileType)> {
        let (found, errors) = match fs::read_dir(directory) {
            Ok(found) => entries(found),
            Err(error) => (Vec::new(), vec![error]),
        };
        for error in errors {
            self.unreadable(directory, &error);
        }
        let named = found.into_iter().filter_map(|(path, file_type)| {
            let name = path.file_name()?.to_str()?.to_owned();
            Some((path, name, file_type))
        });
        named.collect()
    }

    fn file(&mut self, path: PathBuf, id: &str, agent: bool) {
        match path.metadata() {
            Ok(metadata) => {
                let revision = Revision::of(&metadata);
                self.files.push(LogFile {
                    id: id.into(),
                    path,
                    size: revision.size,
                    updated_at: revision.modified_at(),
                    agent,
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

/// Whether a name is a UUID, in either case.
fn is_uuid(name: &str) -> bool {
    name.len() == 36
        && name.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a name is that of a sub-agent which a person could know: the harness has internal ones.
fn is_agent(stem: &str) -> bool {
    stem.strip_prefix("agent-").is_some_and(|id| {
        !id.is_empty()
            && !id.starts_with("aprompt_suggestion-")
            && !id.starts_with("acompact-")
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    })
}

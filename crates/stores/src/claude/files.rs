//! Which files are sessions (`spec/agent-logs.md` 2.1).

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use crate::file::Revision;
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
/// Linked project directories are followed, as people move them; nothing below is.
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
        for (path, name, is_dir) in self.entries(directory) {
            if is_dir && is_uuid(&name) {
                self.agents(&path.join("subagents"), &name, DEPTH);
            } else if let Some(stem) = name.strip_suffix(".jsonl").filter(|_| !is_dir) {
                if is_uuid(stem) {
                    self.file(path, stem, false);
                } else if is_agent(stem) {
                    self.file(path, stem, true);
                }
            }
        }
    }

    fn agents(&mut self, directory: &Path, session: &str, depth: usize) {
        if !directory.is_dir() {
            return;
        }
        for (path, name, is_dir) in self.entries(directory) {
            if is_dir && depth > 0 {
                self.agents(&path, session, depth - 1);
            } else if let Some(stem) = name.strip_suffix(".jsonl").filter(|_| !is_dir)
                && is_agent(stem)
            {
                self.file(path, &format!("{session}/{stem}"), true);
            }
        }
    }

    /// Files and directories, in the order of their names. Links are neither.
    fn entries(&mut self, directory: &Path) -> Vec<(PathBuf, String, bool)> {
        let mut found = Vec::new();
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => {
                self.unreadable(directory, &error);
                return found;
            }
        };
        for entry in entries.flatten() {
            let Ok(file_type) = entry.file_type() else {
                continue;
            };
            if (file_type.is_file() || file_type.is_dir())
                && let Ok(name) = entry.file_name().into_string()
            {
                found.push((entry.path(), name, file_type.is_dir()));
            }
        }
        found.sort();
        found
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
        let detail = error.kind().to_string();
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

//! The directories of a store: which logs there are, and what is wrong with the others
//! (`spec/dsh-store.md` 4.4).

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use super::format::{Format, format};
use super::header::{LogHeader, NoHeader};
use super::log::{Packing, glance};
use super::path::session_directory;
use super::{DshOptions, Encoding};
use crate::{Diagnostic, DiagnosticKind, Mode, StoreError, file};

/// A log that is listed.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) packing: Packing,
    pub(super) format: &'static Format,
    pub(super) header: LogHeader,
    pub(super) updated_at: Option<i64>,
    pub(super) size: u64,
}

/// What a walk has found.
#[derive(Debug)]
pub(super) struct Found {
    options: DshOptions,
    pub(super) entries: Vec<Entry>,
    by_id: HashMap<JsString, usize>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Lists a root, or the part of it that can hold these sessions.
///
/// `only` is compared with the names of directories; it is not made part of a path.
pub(super) fn list(
    root: &Path,
    options: &DshOptions,
    only: Option<&[JsString]>,
    cancel: &CancellationToken,
) -> Result<Found, StoreError> {
    let mut found = Found {
        options: options.clone(),
        entries: Vec::new(),
        by_id: HashMap::new(),
        diagnostics: Vec::new(),
    };
    let only = only.map(|ids| {
        let names = ids
            .iter()
            .filter_map(|id| session_directory(id.as_js_str()));
        // Case is for the header to tell: the file system may not.
        names.map(|name| name.to_ascii_lowercase().into()).collect()
    });
    let projects = match sorted_entries(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        projects => projects.map_err(|error| StoreError::io(root, error))?,
    };
    for (project, file_type) in projects {
        let path = root.join(&project);
        if file_type.is_dir() {
            found.project(root, &project, &path, only.as_ref(), cancel)?;
        } else {
            found.pass_over(&path, file_type);
        }
    }
    Ok(found)
}

impl Found {
    fn project(
        &mut self,
        root: &Path,
        project: &OsStr,
        path: &Path,
        only: Option<&HashSet<OsString>>,
        cancel: &CancellationToken,
    ) -> Result<(), StoreError> {
        let entries = match sorted_entries(path) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable(path, &error),
        };
        for (name, file_type) in entries {
            if cancel.is_cancelled() {
                return Err(StoreError::cancelled());
            }
            let path = path.join(&name);
            if file_type.is_file() {
                let name = name.as_encoded_bytes();
                if name.ends_with(b".jsonl") || name.ends_with(b".jsonl.zstd") {
                    self.note(DiagnosticKind::FlatLog, &path, "")?;
                }
            } else if !file_type.is_dir() {
                self.pass_over(&path, file_type);
            } else if only.is_none_or(|only| only.contains(&name.to_ascii_lowercase())) {
                self.session(root, [project, &name], &path)?;
            }
        }
        Ok(())
    }

    /// Looks into one session directory.
    fn session(
        &mut self,
        root: &Path,
        names: [&OsStr; 2],
        directory: &Path,
    ) -> Result<(), StoreError> {
        let files = match Files::of(directory, self.options.newest_format) {
            Ok(files) => files,
            Err(error) => return self.unreadable(directory, &error),
        };
        let (version, packing) = match self.choose(&files) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(()),
            Err((kind, file)) => return self.note(kind, &directory.join(log_name(file)), ""),
        };
        let path = directory.join(log_name((version, packing)));
        let Some(format) = format(version, self.options.newest_format, self.options.product) else {
            // To read an older log now would be to read a stale copy.
            let detail = format!("format {version}");
            return self.note(DiagnosticKind::NewerFormat, &path, detail);
        };
        let glance = match glance(&path, packing, version) {
            Ok(glance) => glance,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return self.unreadable(&path, &error),
        };
        let header = match glance.header {
            Ok(header) => header,
            Err(NoHeader::Other) => return self.note(DiagnosticKind::NoHeader, &path, ""),
            Err(NoHeader::Retired(member)) => {
                return self.note(DiagnosticKind::RetiredHeader, &path, member);
            }
            Err(NoHeader::Version(other)) => {
                let detail = format!("format {other}");
                return self.note(DiagnosticKind::WrongVersion, &path, detail);
            }
            Err(NoHeader::Container(fault)) => {
                return self.note(DiagnosticKind::BadFrame, &path, fault);
            }
        };
        if !is_at_its_place(root, &header, names, directory) {
            let id = header.logical.id.as_js_str().excerpt().to_string();
            return self.note(DiagnosticKind::Misplaced, &path, id);
        }
        self.add(Entry {
            path,
            packing,
            format,
            header,
            updated_at: glance.updated_at,
            size: glance.size,
        })
    }

    /// The log that is the session: the one of the highest format, even if it is broken or too new
    /// (`spec/dsh-newer.md` 2).
    fn choose(&self, files: &Files) -> Result<Option<LogFile>, (DiagnosticKind, LogFile)> {
        let highest = |packing| {
            files
                .logs
                .iter()
                .copied()
                .filter(move |log| log.1 == packing)
                .max()
        };
        let (plain, zstd) = (highest(Packing::Plain), highest(Packing::Zstd));
        match (self.options.encoding, plain, zstd) {
            (Encoding::Plain, _, Some(other)) | (Encoding::Zstd, Some(other), _) => {
                Err((DiagnosticKind::OtherEncoding, other))
            }
            // Which of the two is the newer state cannot be told.
            (Encoding::Any, Some((one, _)), Some(other)) if one == other.0 => {
                Err((DiagnosticKind::Ambiguous, other))
            }
            _ => Ok(plain.max(zstd)),
        }
    }

    /// Takes a log. Of two with one id the newest stays.
    fn add(&mut self, mut entry: Entry) -> Result<(), StoreError> {
        let id = entry.header.logical.id.as_js_string();
        match self.by_id.get(id) {
            None => {
                self.by_id.insert(id.clone(), self.entries.len());
                self.entries.push(entry);
                Ok(())
            }
            Some(at) => {
                let kept = &mut self.entries[*at];
                if entry.updated_at > kept.updated_at {
                    std::mem::swap(kept, &mut entry);
                }
                let id = entry.header.logical.id.as_js_str().excerpt().to_string();
                self.note(DiagnosticKind::DuplicateId, &entry.path, id)
            }
        }
    }

    /// The log of this session.
    pub(super) fn get(&self, id: &JsString) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(id)?)
    }

    /// Tells of a link, and of a pipe and the like, where a directory should be.
    fn pass_over(&mut self, path: &Path, file_type: FileType) {
        // A link to a file is nobody's.
        if !(file_type.is_symlink() && path.is_file()) {
            self.diagnostics.extend(file::passed_over(path, file_type));
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) -> Result<(), StoreError> {
        self.note(DiagnosticKind::Unreadable, path, file::plain(error))
    }

    fn note(
        &mut self,
        kind: DiagnosticKind,
        path: &Path,
        detail: impl Into<String>,
    ) -> Result<(), StoreError> {
        let diagnostic = Diagnostic::new(kind, path, detail);
        if self.options.mode == Mode::Strict && kind.fails_listing() {
            return Err(StoreError::listing(diagnostic));
        }
        self.diagnostics.push(diagnostic);
        Ok(())
    }
}

/// A log by its name: the format, and how it is stored.
type LogFile = (u64, Packing);

/// The logs in a session directory.
#[derive(Debug, Default)]
struct Files {
    logs: Vec<LogFile>,
}

impl Files {
    fn of(directory: &Path, newest: u64) -> io::Result<Self> {
        let mut files = Self::default();
        for entry in fs::read_dir(directory)? {
            let Some(name) = entry?.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            // A build that knows one format does not look at the names of others.
            let log = log_of(&name).filter(|(version, _)| newest > 0 || *version == 0);
            // What cannot be opened is not there.
            if let Some(log) = log
                && is_there(&directory.join(&name))?
            {
                files.logs.push(log);
            }
        }
        Ok(files)
    }
}

fn is_there(path: &Path) -> io::Result<bool> {
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|_| true),
    }
}

/// What a name says; `None` for any that is not canonical.
fn log_of(name: &str) -> Option<LogFile> {
    let (name, packing) = match name.strip_suffix(".zstd") {
        Some(name) => (name, Packing::Zstd),
        None => (name, Packing::Plain),
    };
    let version = match name.strip_prefix("session")?.strip_suffix(".jsonl")? {
        "" => 0,
        version => {
            let digits = version.strip_prefix(".v")?;
            let digit = |byte: u8| byte.is_ascii_digit();
            let canonical = digits.bytes().all(digit) && !digits.starts_with('0');
            digits.parse().ok().filter(|_| canonical)?
        }
    };
    Some((version, packing))
}

fn log_name((version, packing): LogFile) -> String {
    let suffix = match packing {
        Packing::Plain => "",
        Packing::Zstd => ".zstd",
    };
    match version {
        0 => format!("session.jsonl{suffix}"),
        version => format!("session.v{version}.jsonl{suffix}"),
    }
}

/// The entries of a directory in the byte order of their names.
fn sorted_entries(directory: &Path) -> io::Result<Vec<(OsString, FileType)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        entries.push((entry.file_name(), entry.file_type()?));
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

/// Whether a header belongs where its log lies. A file system that ignores case may spell the
/// directories differently.
fn is_at_its_place(root: &Path, header: &LogHeader, names: [&OsStr; 2], actual: &Path) -> bool {
    let Some((project, session)) = header.place() else {
        return false;
    };
    let derived = [project, session];
    let mut pairs = derived.iter().zip(names);
    if pairs
        .clone()
        .all(|(derived, name)| name == OsStr::new(derived))
    {
        return true;
    }
    let same_but_case = pairs.all(|(derived, name)| name.eq_ignore_ascii_case(derived));
    let real = |path: &Path| fs::canonicalize(path).ok();
    let [project, session] = derived;
    same_but_case
        && real(&root.join(project).join(session)).is_some_and(|path| Some(path) == real(actual))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `spec/dsh-newer.md` 2
    #[test]
    fn only_canonical_names_are_logs() {
        for (name, log) in [
            ("session.jsonl", (0, Packing::Plain)),
            ("session.jsonl.zstd", (0, Packing::Zstd)),
            ("session.v3.jsonl", (3, Packing::Plain)),
            ("session.v10.jsonl.zstd", (10, Packing::Zstd)),
        ] {
            assert_eq!(log_of(name), Some(log));
            assert_eq!(log_name(log), name);
        }
        for name in [
            "session.v0.jsonl",
            "session.v04.jsonl",
            "session.V4.jsonl",
            "session.v.jsonl",
            "session.v+4.jsonl",
            "session.v4.jsonl.zstd.tmp",
            "session.v99999999999999999999.jsonl",
            "session.lock",
        ] {
            assert_eq!(log_of(name), None, "{name}");
        }
    }
}

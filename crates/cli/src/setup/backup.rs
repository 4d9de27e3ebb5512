//! What a file held before a change, kept beside it.
//!
//! The name says which text it is, so that a file which somebody else named like a backup is never
//! taken for one: it is neither written over nor removed.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::write;

/// Behind the name of the file, and before the digest of the text.
const MARK: &str = ".sref-backup-";

/// A text that was kept.
pub(super) struct Backup {
    path: PathBuf,
    pub(super) text: String,
}

impl Backup {
    pub(super) fn permissions(&self) -> io::Result<Permissions> {
        Ok(fs::metadata(&self.path)?.permissions())
    }

    pub(super) fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }
}

/// Keeps a text, and says where.
pub(super) fn keep(path: &Path, text: &str, permissions: Permissions) -> io::Result<PathBuf> {
    let backup = path.with_file_name(name(path, text));
    match write::new(&backup, text, permissions) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if read(&backup).is_some_and(|kept| kept == text) {
                return Ok(backup);
            }
            let message = format!("{} is in the way", backup.display());
            Err(io::Error::new(ErrorKind::AlreadyExists, message))
        }
        done => done.map(|()| backup),
    }
}

/// All that are kept of a file.
pub(super) fn all(path: &Path) -> io::Result<Vec<Backup>> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let own = entry?.file_name();
        if !own
            .as_encoded_bytes()
            .starts_with(before_digest(path).as_encoded_bytes())
        {
            continue;
        }
        let kept = path.with_file_name(&own);
        if let Some(text) = read(&kept)
            && name(path, &text) == own
        {
            found.push(Backup { path: kept, text });
        }
    }
    Ok(found)
}

fn before_digest(path: &Path) -> OsString {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(MARK);
    name
}

fn name(path: &Path, text: &str) -> OsString {
    let mut name = before_digest(path);
    for byte in &Sha256::digest(text)[..6] {
        name.push(format!("{byte:02x}"));
    }
    name
}

/// The text of a file that is one, and no link to one.
fn read(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let small = metadata.is_file() && metadata.len() <= write::MOST;
    small.then(|| fs::read_to_string(path).ok()).flatten()
}

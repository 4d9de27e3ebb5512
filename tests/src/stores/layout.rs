//! What lies in a root, told from names.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sref::session::JsString;

/// The file of an SQLite store, below its root.
pub(super) const DATABASE: &str = "sessions.db";

/// The kind of a store, told from what lies in it. A root with logs of both encodings is a plain
/// one in which the others are strangers.
pub(super) fn kind_of(root: &Path) -> &'static str {
    if root.join(DATABASE).exists() {
        return "sqlite";
    }
    let children = |directory: PathBuf| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    };
    let mut packed = false;
    for log in children(root.to_owned())
        .flat_map(children)
        .flat_map(children)
    {
        match log.extension().and_then(OsStr::to_str) {
            Some("jsonl") => return "jsonl",
            Some("zstd") => packed = true,
            _ => {}
        }
    }
    if packed { "jsonl.zstd" } else { "jsonl" }
}

/// The format of the session's log: the highest that a file name in its directory gives.
pub(super) fn format_on_disk(root: &Path, id: &JsString) -> Option<u64> {
    let segment = id.utf16_units().fold(String::new(), |mut segment, unit| {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) => {
                segment.push(byte.into());
            }
            _ => {
                let _ = write!(segment, "~{unit:04X}");
            }
        }
        segment
    });
    let projects = fs::read_dir(root).ok()?.flatten();
    projects
        .filter_map(|project| fs::read_dir(project.path().join(&segment)).ok())
        .flatten()
        .flatten()
        .filter_map(|file| format_of(file.file_name().to_str()?))
        .max()
}

/// The format that a log's name gives (`spec/dsh-newer.md` 2).
fn format_of(name: &str) -> Option<u64> {
    let name = name.strip_suffix(".zstd").unwrap_or(name);
    let name = name.strip_prefix("session")?.strip_suffix(".jsonl")?;
    if name.is_empty() {
        return Some(0);
    }
    let digits = name.strip_prefix(".v")?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    canonical.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_names_give_a_format() {
        for (name, format) in [
            ("session.jsonl", Some(0)),
            ("session.v3.jsonl.zstd", Some(3)),
            ("session.v10.jsonl", Some(10)),
            ("session.v0.jsonl", None),
            ("session.v04.jsonl", None),
            ("session.V4.jsonl", None),
            ("session.v.jsonl", None),
            ("session.v4.jsonl.aabb.tmp", None),
            ("session.lock", None),
        ] {
            assert_eq!(format_of(name), format, "{name}");
        }
    }
}

//! A private copy of a folder of stores, with what an archive of files cannot hold put back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Directories that were empty on purpose: git does not keep them (`stores/README.md`).
///
/// Two of the three have no recorded name. Any will do: a project and a session directory without a
/// log are passed over, whatever they are called.
const EMPTY_DIRECTORIES: &[(&str, &str)] = &[
    ("edge-raw", "--empty-project--"),
    ("edge-raw", "--work-edge--/empty-session"),
    (
        "poison/log-is-directory",
        "--work-edge--/dirlog/session.jsonl",
    ),
];

/// The longest path that a link placeholder holds.
const LONGEST_TARGET: u64 = 4096;

/// Copies a folder of stores to a temporary directory, which lives as long as the value.
///
/// The original is only read. In the copy files are `0600` and directories `0700`, as the reference
/// wants them around SQLite; symbolic links are links again where a checkout has left plain files
/// that hold the target's path; and empty directories are back.
#[derive(Debug)]
pub(super) struct Copy {
    directory: TempDir,
}

impl Copy {
    pub(super) fn of(original: &Path) -> io::Result<Self> {
        let original = original.canonicalize()?;
        let directory = TempDir::with_prefix("sref-stores-")?;
        // A stack instead of recursion: the depth is the folder's.
        let mut pending = vec![PathBuf::new()];
        while let Some(relative) = pending.pop() {
            let (from, to) = (original.join(&relative), directory.path().join(&relative));
            let kind = fs::symlink_metadata(&from)?.file_type();
            if kind.is_dir() {
                if !relative.as_os_str().is_empty() {
                    fs::create_dir(&to)?;
                }
                for entry in fs::read_dir(&from)? {
                    pending.push(relative.join(entry?.file_name()));
                }
                set_mode(&to, 0o700)?;
            } else if kind.is_symlink() {
                link(&fs::read_link(&from)?, &to)?;
            } else if let Some(target) = link_target(&original, &from)? {
                link(&target, &to)?;
            } else {
                fs::copy(&from, &to)?;
                set_mode(&to, 0o600)?;
            }
        }
        for (root, path) in EMPTY_DIRECTORIES {
            let root = directory.path().join(root);
            if root.is_dir() {
                fs::create_dir_all(root.join(path))?;
            }
        }
        Ok(Self { directory })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// The path that a file holds, if it is what a checkout without symbolic links makes of one: the
/// bare target, relative, of something that exists in the same folder of stores.
fn link_target(original: &Path, file: &Path) -> io::Result<Option<PathBuf>> {
    if !(1..=LONGEST_TARGET).contains(&fs::metadata(file)?.len()) {
        return Ok(None);
    }
    let Ok(text) = String::from_utf8(fs::read(file)?) else {
        return Ok(None);
    };
    let target = PathBuf::from(&text);
    if text.chars().any(char::is_control) || target.is_absolute() {
        return Ok(None);
    }
    let resolved = file
        .parent()
        .unwrap_or(original)
        .join(&target)
        .canonicalize();
    let inside = resolved.is_ok_and(|resolved| resolved.starts_with(original) && resolved != file);
    Ok(inside.then_some(target))
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "the stores hold symbolic links",
    ))
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_links_and_empty_directories_again() {
        let original = TempDir::new().unwrap();
        let file = |path: &str, text: &str| {
            let path = original.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("target.jsonl", "{}\n");
        file("edge-raw/--p--/s/session.jsonl", "../../../target.jsonl");
        file("edge-raw/--linked--", "--p--");
        file("edge-raw/outside", "../../");
        file("edge-raw/nothing", "no-such-file");
        file("edge-raw/line", "--p--\n");
        file("edge-raw/empty", "");
        link(Path::new("--p--"), &original.path().join("edge-raw/real")).unwrap();
        let copy = Copy::of(original.path()).unwrap();
        let read_link = |path: &str| fs::read_link(copy.path().join(path)).ok();
        assert_eq!(
            read_link("edge-raw/--p--/s/session.jsonl"),
            Some("../../../target.jsonl".into())
        );
        assert_eq!(read_link("edge-raw/--linked--"), Some("--p--".into()));
        assert_eq!(read_link("edge-raw/real"), Some("--p--".into()));
        for plain in ["outside", "nothing", "line", "empty"] {
            assert_eq!(read_link(&format!("edge-raw/{plain}")), None, "{plain}");
        }
        assert_eq!(
            fs::read(copy.path().join("edge-raw/--linked--/s/session.jsonl")).unwrap(),
            b"{}\n"
        );
        assert!(copy.path().join("edge-raw/--empty-project--").is_dir());
        assert!(!copy.path().join("poison").exists());
        // Nothing was written into the original.
        assert!(!original.path().join("edge-raw/--empty-project--").exists());
    }
}

//! How the text of a file is replaced.
//!
//! It is written beside the file and renamed over it, so that nobody reads half of it. A file of
//! another owner, or with other names, would be another one then: it is written where it is.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::Path;
use std::process;

use super::places::Mode;

/// More than any configuration is, in bytes.
pub(super) const MOST: u64 = 64 << 20;

/// Makes a file, or replaces one whose metadata are given.
pub(super) fn file(path: &Path, text: &str, old: Option<&Metadata>, mode: Mode) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".sref-{}", process::id()));
    let beside = path.with_file_name(name);
    // Nobody else reads it before it has its permissions.
    let written = create(&beside, old.is_some() || mode == Mode::Private).and_then(|mut file| {
        if let Some(old) = old {
            if !is_like(old, &file.metadata()?) {
                fs::remove_file(&beside)?;
                return in_place(path, text, mode);
            }
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        if mode == Mode::Program {
            make_executable(&file)?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes a file where none is.
pub(super) fn new(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let mut file = create(path, true)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.set_permissions(permissions))
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

fn in_place(path: &Path, text: &str, mode: Mode) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())?;
    if mode == Mode::Program {
        make_executable(&file)?;
    }
    file.sync_all()
}

/// Whether a file that was just made can take the place of another.
#[cfg(unix)]
fn is_like(old: &Metadata, new: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    old.nlink() == 1 && (old.uid(), old.gid()) == (new.uid(), new.gid())
}

#[cfg(not(unix))]
fn is_like(_: &Metadata, _: &Metadata) -> bool {
    true
}

fn create(path: &Path, private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt as _;

        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options.open(path)
}

/// Lets those run a file who may read it.
fn make_executable(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = file.metadata()?.permissions().mode();
        file.set_permissions(Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

//! A configuration file of somebody else, read whole and replaced whole.
//!
//! The new text is written beside the file and renamed over it, so that an agent never reads half
//! of it; the text before stays in `<name>.sref-backup`. A symbolic link stays one: the file that
//! it leads to is replaced.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use super::places::Mode;
use crate::failure::{Failure, code};

/// More than any configuration is.
const MOST: u64 = 64 << 20;

/// A file as it was when it was read.
pub(crate) struct ConfigFile {
    /// As it is named.
    shown: PathBuf,
    /// Where it really lies.
    path: PathBuf,
    /// Nothing where there is no file.
    pub(crate) text: Option<String>,
}

impl ConfigFile {
    pub(crate) fn read(shown: PathBuf) -> Result<Self, Failure> {
        let path = match fs::canonicalize(&shown) {
            Ok(path) => path,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                check_absent(&shown)?;
                let path = shown.clone();
                return Ok(Self {
                    shown,
                    path,
                    text: None,
                });
            }
            Err(error) => return Err(fault(&shown, &error)),
        };
        let text = read(&path).map_err(|error| fault(&shown, &error))?;
        Ok(Self {
            shown,
            path,
            text: Some(text),
        })
    }

    pub(crate) fn shown(&self) -> &Path {
        &self.shown
    }

    /// Where the text before the last change is kept.
    pub(crate) fn backup(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".sref-backup");
        name.into()
    }

    /// Replaces the text, and tells where the one before is kept, if there was one.
    pub(crate) fn replace(&self, new: &str, mode: Mode) -> Result<Option<PathBuf>, Failure> {
        let failed = |error: io::Error| fault(&self.shown, &error);
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        let Some(old) = &self.text else {
            write(&self.path, new, None, mode).map_err(failed)?;
            return Ok(None);
        };
        self.unchanged()?;
        let backup = self.backup();
        let permissions = fs::metadata(&self.path).map_err(failed)?.permissions();
        write(&backup, old, Some(permissions.clone()), mode).map_err(failed)?;
        self.unchanged()?;
        write(&self.path, new, Some(permissions), mode).map_err(failed)?;
        Ok(Some(backup))
    }

    /// Goes back to a text from before a change. A backup that says the same goes, too.
    pub(crate) fn restore(&self, new: &str) -> Result<Option<PathBuf>, Failure> {
        let backup = self.backup();
        if read(&backup).is_ok_and(|old| old == new) {
            let failed = |error: io::Error| fault(&self.shown, &error);
            self.unchanged()?;
            let permissions = fs::metadata(&self.path).map_err(failed)?.permissions();
            write(&self.path, new, Some(permissions), Mode::Usual).map_err(failed)?;
            fs::remove_file(&backup).map_err(failed)?;
            return Ok(None);
        }
        self.replace(new, Mode::Usual)
    }

    /// Removes a file that was made for an entry and holds nothing else. One that was there and
    /// empty is empty again, and a link keeps leading somewhere.
    pub(crate) fn delete(&self, empty: &str) -> Result<Option<PathBuf>, Failure> {
        if let Ok(old) = read(&self.backup())
            && old.trim_start_matches('\u{FEFF}').trim().is_empty()
        {
            return self.restore(&old);
        }
        if fs::symlink_metadata(&self.shown).is_ok_and(|own| own.is_symlink()) {
            return self.replace(empty, Mode::Usual);
        }
        self.unchanged()?;
        fs::remove_file(&self.path).map_err(|error| fault(&self.shown, &error))?;
        Ok(None)
    }

    /// Agents write their files, too.
    fn unchanged(&self) -> Result<(), Failure> {
        let now = read(&self.path).map_err(|error| fault(&self.shown, &error))?;
        if self.text.as_ref() == Some(&now) {
            return Ok(());
        }
        let message = format!(
            "{}: changed meanwhile; run this again",
            self.shown.display()
        );
        Err(Failure::new(code::CONFIG_CHANGED, message))
    }
}

/// Whether a file that is not there can be made: every directory above it is one, or is not there
/// either.
fn check_absent(path: &Path) -> Result<(), Failure> {
    for own in path.ancestors().filter(|own| !own.as_os_str().is_empty()) {
        match fs::metadata(own) {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => return Err(fault(own, &io::Error::from(ErrorKind::NotADirectory))),
            Err(_) if fs::symlink_metadata(own).is_ok() => {
                let message = format!("{}: a link that leads nowhere", own.display());
                return Err(Failure::new(code::CONFIG_LINK, message));
            }
            Err(_) => {}
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(io::Error::other("not a file, or too large for one"));
    }
    let mut text = String::new();
    File::open(path)?.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

/// Writes a file beside another and renames it over that.
fn write(
    path: &Path,
    text: &str,
    permissions: Option<fs::Permissions>,
    mode: Mode,
) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".sref-{}", process::id()));
    let beside = path.with_file_name(name);
    // Nobody else reads it before it has its permissions.
    let private = permissions.is_some() || mode == Mode::Private;
    let written = create(&beside, private).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        match permissions {
            Some(permissions) => file.set_permissions(permissions)?,
            None if mode == Mode::Program => make_executable(&file)?,
            None => {}
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
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
        file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

fn fault(path: &Path, error: &io::Error) -> Failure {
    Failure::new(code::CONFIG_FILE, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of<T>(failure: &Result<T, Failure>) -> &'static str {
        match failure {
            Err(Failure::Error { code, .. }) => code,
            _ => "",
        }
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_change_keeps_a_backup_and_going_back_takes_it_away() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/settings.json");
        let file = ConfigFile::read(path.clone()).unwrap();
        assert_eq!(file.replace("new", Mode::Usual).unwrap(), None);
        let file = ConfigFile::read(path.clone()).unwrap();
        let backup = file.replace("newer", Mode::Usual).unwrap().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), "new");
        let file = ConfigFile::read(path.clone()).unwrap();
        file.restore("new").unwrap();
        let directory = path.parent().unwrap();
        assert_eq!(names(directory), ["settings.json"]);
        ConfigFile::read(path.clone())
            .unwrap()
            .delete("{}")
            .unwrap();
        assert_eq!(names(directory), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_was_empty_is_empty_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a");
        fs::write(&path, "\n").unwrap();
        let file = ConfigFile::read(path.clone()).unwrap();
        file.replace("x", Mode::Usual).unwrap();
        ConfigFile::read(path.clone()).unwrap().delete("").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "\n");
        assert_eq!(names(home.path()), ["a"]);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a");
        fs::write(&path, "1").unwrap();
        let file = ConfigFile::read(path.clone()).unwrap();
        fs::write(&path, "2").unwrap();
        assert_eq!(code_of(&file.replace("x", Mode::Usual)), "setup.changed");
        assert_eq!(code_of(&file.delete("")), "setup.changed");
        assert_eq!(fs::read_to_string(&path).unwrap(), "2");
        assert_eq!(names(home.path()), ["a"]);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("bytes");
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(code_of(&ConfigFile::read(path)), "setup.file");
        assert_eq!(code_of(&ConfigFile::read(home.path().into())), "setup.file");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let home = tempfile::tempdir().unwrap();
        let (real, link) = (home.path().join("real"), home.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        let file = ConfigFile::read(link.clone()).unwrap();
        let backup = file.replace("new", Mode::Usual).unwrap().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        for path in [&real, &backup] {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        }
        ConfigFile::read(link.clone())
            .unwrap()
            .delete("{}\n")
            .unwrap();
        assert_eq!(fs::read_to_string(&link).unwrap(), "{}\n");

        let nowhere = home.path().join("nowhere");
        symlink("/nonexistent/settings.json", &nowhere).unwrap();
        assert_eq!(code_of(&ConfigFile::read(nowhere.clone())), "setup.link");
        let below = nowhere.join("deep/settings.json");
        assert_eq!(code_of(&ConfigFile::read(below)), "setup.link");
        let below = real.join("settings.json");
        assert_eq!(code_of(&ConfigFile::read(below)), "setup.file");

        let private = home.path().join("private");
        let file = ConfigFile::read(private.clone()).unwrap();
        file.replace("token", Mode::Private).unwrap();
        let program = home.path().join("program");
        let file = ConfigFile::read(program.clone()).unwrap();
        file.replace("#!/bin/sh", Mode::Program).unwrap();
        let mode = program.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o500, 0o500);
        assert_eq!((mode & 0o444) >> 2, mode & 0o111);
        assert_eq!(
            private.metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

//! A configuration file of somebody else, read whole and replaced whole.
//!
//! The text before a change stays beside it, as a [backup]. A symbolic link stays one: the file that
//! it leads to is replaced. What is read-only is left alone: somebody made it so.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::backup::{self, Backup};
use super::places::Mode;
use super::{made, write};
use crate::failure::{Failure, code};

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
        let text = String::from_utf8(text).map_err(|error| {
            let end = error.utf8_error().valid_up_to();
            let place = place(&error.as_bytes()[..end]);
            let shown = shown.display();
            let message = format!(
                "{shown}:{place}: not UTF-8; save it as UTF-8 and run this again; the file is left as it is"
            );
            Failure::new(code::CONFIG_UTF8, message)
        })?;
        Ok(Self {
            shown,
            path,
            text: Some(text),
        })
    }

    pub(crate) fn shown(&self) -> &Path {
        &self.shown
    }

    /// The file, with the line and column where its text has a fault.
    pub(crate) fn shown_at(&self, offset: Option<usize>) -> String {
        let shown = self.shown.display();
        let text = self.text.as_deref().unwrap_or_default().as_bytes();
        match offset.and_then(|at| text.get(..at)) {
            Some(before) => format!("{shown}:{}", place(before)),
            None => shown.to_string(),
        }
    }

    /// Whether it may be changed.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        let failed = |error: io::Error| fault(&self.shown, &error);
        if self.text.is_some() {
            if fs::metadata(&self.path)
                .map_err(failed)?
                .permissions()
                .readonly()
            {
                return Err(self.read_only(&self.path));
            }
            OpenOptions::new()
                .append(true)
                .open(&self.path)
                .map_err(failed)?;
        }
        let directory = self.path.ancestors().skip(1).find(|own| own.is_dir());
        match directory {
            #[cfg(unix)]
            Some(own) if fs::metadata(own).map_err(failed)?.permissions().readonly() => {
                Err(self.read_only(own))
            }
            _ => Ok(()),
        }
    }

    fn read_only(&self, what: &Path) -> Failure {
        let mut name = self.shown.display().to_string();
        if what != self.shown {
            name = format!("{name} ({})", what.display());
        }
        let message = format!(
            "{name}: read-only, and left as it is; `chmod u+w` it first, or change by hand what `sref setup` shows without --write"
        );
        Failure::new(code::CONFIG_READ_ONLY, message)
    }

    /// Replaces the text, and tells where the one before is kept, if there was one.
    pub(crate) fn replace(&self, new: &str, mode: Mode) -> Result<Option<PathBuf>, Failure> {
        let failed = |error: io::Error| fault(&self.shown, &error);
        let Some(old) = &self.text else {
            if fs::symlink_metadata(&self.path).is_ok() {
                return Err(self.changed());
            }
            made::make(&self.path).map_err(failed)?;
            if let Err(error) = write::file(&self.path, new, None, mode) {
                let _ = made::release(&self.path);
                return Err(failed(error));
            }
            return Ok(None);
        };
        self.unchanged()?;
        let metadata = fs::metadata(&self.path).map_err(failed)?;
        let backup = backup::keep(&self.path, old, metadata.permissions()).map_err(failed)?;
        self.unchanged()?;
        write::file(&self.path, new, Some(&metadata), mode).map_err(failed)?;
        Ok(Some(backup))
    }

    /// Takes something out again. What the file held with it is not kept: all else is in the file.
    ///
    /// `last` says that nothing of sref is left in the file then, so that its backups go.
    pub(crate) fn restore(&self, new: &str, mode: Mode, last: bool) -> Result<(), Failure> {
        let failed = |error: io::Error| fault(&self.shown, &error);
        let backups = backup::all(&self.path).map_err(failed)?;
        self.unchanged()?;
        match backups.iter().find(|own| own.text == new) {
            Some(own) => self.go_back(own, mode),
            None => fs::metadata(&self.path)
                .and_then(|old| write::file(&self.path, new, Some(&old), Mode::Usual)),
        }
        .map_err(failed)?;
        if last {
            forget(backups).map_err(failed)?;
            made::release(&self.path).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes the text of a backup.
    fn go_back(&self, backup: &Backup, mode: Mode) -> io::Result<()> {
        let old = fs::metadata(&self.path)?;
        write::file(&self.path, &backup.text, Some(&old), Mode::Usual)?;
        if mode == Mode::Program {
            // It could be run only because of the entry.
            fs::set_permissions(&self.path, backup.permissions()?)?;
        }
        Ok(())
    }

    /// Removes a file that was made for an entry and holds nothing else. One that was there and
    /// empty is empty again, and a link keeps leading somewhere.
    pub(crate) fn delete(&self, empty: &str, mode: Mode) -> Result<(), Failure> {
        let failed = |error: io::Error| fault(&self.shown, &error);
        let backups = backup::all(&self.path).map_err(failed)?;
        let blank = |text: &str| text.trim_start_matches('\u{FEFF}').trim().is_empty();
        if let Some(own) = backups.iter().find(|own| blank(&own.text)) {
            return self.restore(&own.text, mode, true);
        }
        if fs::symlink_metadata(&self.shown).is_ok_and(|own| own.is_symlink()) {
            return self.restore(empty, mode, true);
        }
        self.unchanged()?;
        fs::remove_file(&self.path).map_err(failed)?;
        forget(backups).map_err(failed)?;
        made::release(&self.path).map_err(failed)
    }

    /// Agents write their files, too.
    fn unchanged(&self) -> Result<(), Failure> {
        let now = read(&self.path).map_err(|error| fault(&self.shown, &error))?;
        if self
            .text
            .as_ref()
            .is_some_and(|text| *text.as_bytes() == now)
        {
            return Ok(());
        }
        Err(self.changed())
    }

    fn changed(&self) -> Failure {
        let message = format!(
            "{}: changed meanwhile; run this again",
            self.shown.display()
        );
        Failure::new(code::CONFIG_CHANGED, message)
    }
}

fn forget(backups: Vec<Backup>) -> io::Result<()> {
    backups.into_iter().try_for_each(Backup::remove)
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

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > write::MOST {
        return Err(io::Error::other("not a file, or too large for one"));
    }
    let mut text = Vec::new();
    File::open(path)?.take(write::MOST).read_to_end(&mut text)?;
    Ok(text)
}

/// The line and the column that come behind a text, both from one.
fn place(before: &[u8]) -> String {
    let line = before.split(|byte| *byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n');
    let start = start.map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    format!("{line}:{column}")
}

fn fault(path: &Path, error: &io::Error) -> Failure {
    Failure::new(code::CONFIG_FILE, format!("{}: {error}", path.display()))
}

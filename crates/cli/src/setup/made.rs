//! Directories that are made for a file, and go with it.
//!
//! The topmost of them holds a list, `.sref-made`: the directories that were made, and the files they
//! were made for. With the last of these files the list goes, and each directory in it that nothing
//! else is in. A directory that was there before stays, also when it was empty.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

const NAME: &str = ".sref-made";
const HEAD: &str = "Made by `sref setup`, which takes it away again:";

/// The list in a directory.
struct Made {
    top: PathBuf,
    /// Relative to it; a directory ends with a slash.
    names: BTreeSet<String>,
}

/// Makes the directories above a file.
pub(super) fn make(file: &Path) -> io::Result<()> {
    let parents = || file.ancestors().skip(1);
    let missing: Vec<&Path> = parents()
        .take_while(|own| !own.as_os_str().is_empty() && !own.exists())
        .collect();
    let mut made = match (Made::above(file), missing.last()) {
        (Some(made), _) => made,
        (None, Some(top)) => Made {
            top: top.to_path_buf(),
            names: BTreeSet::new(),
        },
        (None, None) => return Ok(()),
    };
    let named = missing.iter().filter_map(|own| made.name(own, "/"));
    let named: Vec<String> = named.chain(made.name(file, "")).collect();
    made.names.extend(named);
    let mut done = Ok(());
    for directory in missing.iter().rev() {
        done = done.and_then(|()| match fs::create_dir(directory) {
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            done => done,
        });
    }
    if let Err(error) = done.and_then(|()| made.write()) {
        for directory in missing {
            let _ = fs::remove_dir(directory);
        }
        return Err(error);
    }
    Ok(())
}

/// Removes what was made for a file that is gone, or has become somebody else's.
pub(super) fn release(file: &Path) -> io::Result<()> {
    let Some(mut made) = Made::above(file) else {
        return Ok(());
    };
    if !made
        .name(file, "")
        .is_some_and(|name| made.names.remove(&name))
    {
        return Ok(());
    }
    for directory in file.ancestors().skip(1).take_while(|own| *own != made.top) {
        let name = made.name(directory, "/").unwrap_or_default();
        if made.names.contains(&name) && remove_empty(directory)? {
            made.names.remove(&name);
        }
    }
    if made.names.iter().any(|name| !name.ends_with('/')) {
        return made.write();
    }
    fs::remove_file(made.top.join(NAME))?;
    remove_empty(&made.top).map(drop)
}

impl Made {
    /// The list in the next directory above a file that has one.
    fn above(file: &Path) -> Option<Self> {
        file.ancestors().skip(1).find_map(Self::read)
    }

    fn read(top: &Path) -> Option<Self> {
        let list = top.join(NAME);
        if !fs::symlink_metadata(&list).ok()?.is_file() {
            return None;
        }
        let text = fs::read_to_string(list).ok()?;
        let mut lines = text.lines();
        (lines.next() == Some(HEAD)).then(|| Self {
            top: top.to_owned(),
            names: lines.map(Into::into).collect(),
        })
    }

    fn write(&self) -> io::Result<()> {
        let mut text = format!("{HEAD}\n");
        for name in &self.names {
            text += name;
            text.push('\n');
        }
        fs::File::create(self.top.join(NAME))?.write_all(text.as_bytes())
    }

    /// How the list calls something below its directory. `None` for what it cannot write: that stays.
    fn name(&self, path: &Path, end: &str) -> Option<String> {
        let below = path.strip_prefix(&self.top).ok()?;
        let parts: Option<Vec<&str>> = below
            .components()
            .map(|part| match part {
                Component::Normal(part) => part.to_str().filter(|part| !part.contains('\n')),
                _ => None,
            })
            .collect();
        let name = parts?.join("/");
        (!name.is_empty()).then(|| name + end)
    }
}

/// Whether a directory was empty and is gone.
fn remove_empty(directory: &Path) -> io::Result<bool> {
    match fs::remove_dir(directory) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_goes_with_its_last_file() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("old")).unwrap();
        for file in ["new/a/b/one", "new/c/two", "old/three", "old/d/four"] {
            make(&at(file)).unwrap();
            fs::write(at(file), "").unwrap();
        }
        assert!(!at("old").join(NAME).exists());
        let gone = |file: &str| {
            fs::remove_file(at(file)).unwrap();
            release(&at(file)).unwrap();
        };
        gone("new/a/b/one");
        assert!(at("new/c").exists() && !at("new/a").exists());
        gone("new/c/two");
        assert!(!at("new").exists());
        gone("old/three");
        gone("old/d/four");
        let left: Vec<_> = fs::read_dir(at("old")).unwrap().collect();
        assert!(left.is_empty() && at("old").exists(), "{left:?}");
    }

    #[test]
    fn what_somebody_else_made_stays() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        make(&at("new/a/one")).unwrap();
        fs::create_dir(at("new/theirs")).unwrap();
        make(&at("new/theirs/two")).unwrap();
        release(&at("new/a/one")).unwrap();
        release(&at("new/theirs/two")).unwrap();
        assert!(!at("new/a").exists() && at("new/theirs").exists());
        assert!(!at("new").join(NAME).exists());
        // A list of somebody else is none.
        fs::write(at("new").join(NAME), "theirs/\n").unwrap();
        make(&at("new/theirs/two")).unwrap();
        release(&at("new/theirs/two")).unwrap();
        assert_eq!(
            fs::read_to_string(at("new").join(NAME)).unwrap(),
            "theirs/\n"
        );
        assert!(at("new/theirs").exists());
    }

    /// A list that came with a project cannot reach out of it.
    #[test]
    fn only_what_is_above_the_file_goes() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("project/a")).unwrap();
        fs::create_dir_all(at("victim")).unwrap();
        let list = format!("{HEAD}\n../victim/\na/\na/one\n");
        fs::write(at("project").join(NAME), list).unwrap();
        release(&at("project/a/one")).unwrap();
        assert!(at("victim").exists() && !at("project").exists());
    }
}

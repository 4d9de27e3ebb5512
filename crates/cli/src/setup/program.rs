//! What the configuration calls the program.

use std::env;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, code};

/// The name or path that an agent starts.
pub(crate) struct Program {
    pub(crate) name: String,
    /// What a person should know of it.
    pub(crate) note: Option<String>,
}

/// `sref` where the path has one: that line stays the same when the program is updated or moved,
/// and Codex trusts a line only as long as it does. Else the file that runs now.
pub(crate) fn find(given: Option<&str>) -> Result<Program, Failure> {
    if let Some(given) = given {
        return Ok(Program {
            name: given.to_owned(),
            note: None,
        });
    }
    let own = env::current_exe()?;
    let paths = env::var_os("PATH").unwrap_or_default();
    let file = format!("sref{}", env::consts::EXE_SUFFIX);
    if let Some(found) = on_path(env::split_paths(&paths), &file) {
        let same = found.canonicalize().ok() == own.canonicalize().ok();
        return Ok(Program {
            name: "sref".to_owned(),
            note: (!same).then(|| format!("`sref` on your path is {}", found.display())),
        });
    }
    let Some(name) = own.to_str() else {
        let message = format!("the path of this program is no Unicode: {}", own.display());
        return Err(Failure::new(code::CONFIG_FILE, message));
    };
    Ok(Program {
        name: name.to_owned(),
        note: Some(format!(
            "`sref` is not on your path, so the configuration names {name}; it fails when that file moves"
        )),
    })
}

/// The first file of a name; a relative directory of a path says nothing where an agent runs.
fn on_path(mut paths: impl Iterator<Item = PathBuf>, file: &str) -> Option<PathBuf> {
    paths.find_map(|directory| {
        let path = directory.join(file);
        (directory.is_absolute() && is_executable(&path)).then_some(path)
    })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    let metadata = path.metadata();
    metadata.is_ok_and(|own| own.is_file() && own.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

//! Folders of session stores with what the reference read from them.
//!
//! Two layouts are known: a folder with `expected/*.json` (one object or array of objects per
//! file, each naming its root), recorded with one release; and a folder with one `expected.json`,
//! recorded with several (`stores/README.md`, `stores-newer/README.md`). Stores are opened
//! strictly, since one bad artifact fails the reference's listing, and never in place.

mod answers;
mod check;
mod layout;
mod newer;
mod open;
mod recorded;
mod reference;
mod tree;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sref::session::json::{self, JsonError, Value};
use thiserror::Error;

use crate::report::Section;

/// A folder that cannot be run at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A file or directory cannot be read, or the copy cannot be written.
    #[error("{}: cannot be read or copied", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of expectations is no JSON.
    #[error("{}: is no JSON", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Where.
        source: JsonError,
    },
    /// The folder has neither `expected/` nor `expected.json`, or they hold nothing.
    #[error("{}: no expectations", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// The expectations do not have the shape that their README gives them.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A root that was asked for is not among those recorded.
    #[error("{root}: no such root among {known:?}")]
    NoSuchRoot {
        /// The name asked for.
        root: String,
        /// The roots that there are.
        known: Vec<String>,
    },
}

/// The roots of which something is recorded, in the order in which they are run.
///
/// # Errors
///
/// [`FolderError`] when there are none.
pub fn roots(folder: &Path) -> Result<Vec<String>, FolderError> {
    let roots = expectations(folder)?;
    Ok(roots.iter().map(|root| root.name().to_owned()).collect())
}

/// Runs a folder of stores; one section per root, restricted to `roots` if there are any.
///
/// A root of a kind that the library cannot open fails in everything that is recorded of it.
///
/// # Errors
///
/// [`FolderError`] when there is nothing to compare, or a root that was asked for is missing.
pub fn run(folder: &Path, roots: &[String]) -> Result<Vec<Section>, FolderError> {
    let mut expectations = expectations(folder)?;
    let known = |root: &str| expectations.iter().any(|own| own.name() == root);
    if let Some(root) = roots.iter().find(|root| !known(root)) {
        return Err(FolderError::NoSuchRoot {
            root: root.clone(),
            known: self::roots(folder)?,
        });
    }
    expectations.retain(|own| roots.is_empty() || roots.iter().any(|root| root == own.name()));
    let copy = tree::Copy::of(folder).map_err(|source| FolderError::Io {
        path: folder.to_owned(),
        source,
    })?;
    Ok(expectations
        .iter()
        .map(|own| own.run(copy.path()))
        .collect())
}

fn expectations(folder: &Path) -> Result<Vec<Box<dyn Root>>, FolderError> {
    let single = folder.join("expected.json");
    let several = folder.join("expected");
    let expectations = if single.is_file() {
        newer::read(&read_json(&single)?)
    } else if several.is_dir() {
        recorded::read(&read_all(&several)?)
    } else {
        Ok(Vec::new())
    };
    match expectations {
        Ok(expectations) if expectations.is_empty() => Err(FolderError::Nothing {
            path: folder.to_owned(),
        }),
        Ok(expectations) => Ok(expectations),
        Err(malformed) => Err(FolderError::Malformed {
            path: folder.to_owned(),
            reason: malformed.to_string(),
        }),
    }
}

/// What is recorded of one root.
trait Root {
    /// The root's path in the folder; its name in a report.
    fn name(&self) -> &str;

    /// Compares the root in a private copy of the folder.
    fn run(&self, folder: &Path) -> Section;
}

fn read_json(path: &Path) -> Result<Value, FolderError> {
    let bytes = fs::read(path).map_err(|source| FolderError::Io {
        path: path.to_owned(),
        source,
    })?;
    json::parse(&bytes).map_err(|source| FolderError::Json {
        path: path.to_owned(),
        source,
    })
}

/// All `.json` files of a folder, by name.
fn read_all(folder: &Path) -> Result<Vec<Value>, FolderError> {
    let error = |source| FolderError::Io {
        path: folder.to_owned(),
        source,
    };
    let mut paths = fs::read_dir(folder)
        .map_err(error)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(error)?;
    paths.retain(|path| path.extension().is_some_and(|own| own == "json"));
    paths.sort();
    paths.iter().map(|path| read_json(path)).collect()
}

//! DeepSeek Harness: one directory per session, one log in it (`spec/dsh-store.md`,
//! `spec/dsh-newer.md`).
//!
//! | module | knows |
//! | --- | --- |
//! | `path`, `listing` | directories and their names |
//! | `header`, `log` | one file: its first line, its state while it is read |
//! | `event`, `chunks`, `shape` | one line: its grammar and its members |
//! | `scan` | which lines count, and when a log is damaged |
//! | `load`, `legacy`, `request`, `turn` | what the events mean |
//! | `surface`, `rewrite` | what they leave on the surface |
//! | `format` | what differs between formats, as data |
//! | `sqlite` | the same events as rows of a database |

mod chunks;
mod event;
mod format;
mod header;
mod legacy;
mod listing;
mod load;
mod log;
mod path;
mod request;
mod rewrite;
mod scan;
mod shape;
mod sqlite;
mod surface;
mod turn;
mod versions;

use std::path::{Path, PathBuf};

use sref_session::JsString;
use tokio_util::sync::CancellationToken;

use self::listing::{Entry, Found};
use self::load::Want;
use crate::{
    Examination, Listed, Listing, Mode, Observation, Order, Store, StoreError, StoreErrorKind,
    TitleOutcome, each,
};

pub use self::path::{project_directory, session_directory, session_of_directory};
pub use self::sqlite::DshDatabase;

/// A store of DeepSeek Harness: logs of formats 0 to 4, plain or packed with Zstandard.
///
/// ```
/// use sref_stores::dsh::{DshOptions, DshStore};
/// use sref_stores::{CancellationToken, Store};
///
/// let home = tempfile::tempdir()?;
/// let log = home.path().join("--work--/s-1/session.jsonl");
/// std::fs::create_dir_all(log.parent().unwrap())?;
/// std::fs::write(&log, concat!(
///     r#"{"type":"session","version":0,"id":"s-1","createdAt":5,"cwd":"/work","delegationDepth":0}"#, "\n",
///     r#"{"type":"user/message","seq":0,"time":6,"data":{"id":"m","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"Hello"}]},"surfaceOp":"append"}"#, "\n",
/// ))?;
///
/// let store = DshStore::open(home.path(), DshOptions::default())?;
/// let cancel = CancellationToken::new();
/// assert_eq!(store.list(&cancel)?.sessions[0].header.created_at, 5);
/// let surface = store.surface(&"s-1".into(), &cancel)?.unwrap();
/// assert_eq!(surface.captured_through_seq, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DshStore {
    root: PathBuf,
    options: DshOptions,
}

/// How the logs of a store are stored.
///
/// The harness is configured for one of the two and refuses a root in which it meets the other
/// (`spec/dsh-store.md` 4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// Either, session by session. A session that has both is ambiguous and not read.
    #[default]
    Any,
    /// `session.jsonl`.
    Plain,
    /// `session.jsonl.zstd`, the harness's default.
    Zstd,
}

/// A harness that writes these logs: the first, or a fork of it (`spec/dsh-newer.md` 11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Product {
    /// DeepSeek Harness.
    #[default]
    Dsh,
    /// TheOpen Harness.
    Toh,
    /// Hydra. Its logs may hold several versions of a conversation; the selected one counts.
    Hydra,
    /// The first name of Hydra.
    Bh,
    /// freddie.
    Freddie,
}

impl Product {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Dsh, Self::Toh, Self::Hydra, Self::Bh, Self::Freddie];

    /// The one whose stores are of this kind.
    #[must_use]
    pub fn of(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.kind() == kind)
    }

    /// The kind of its stores.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Dsh => "dsh",
            Self::Toh => "toh",
            Self::Hydra => "hydra",
            Self::Bh => "bh",
            Self::Freddie => "freddie",
        }
    }
}

/// How a [`DshStore`] reads.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DshOptions {
    /// Whose logs they are.
    pub product: Product,
    /// What happens to what cannot be read.
    pub mode: Mode,
    /// Which logs are read.
    pub encoding: Encoding,
    /// The newest log format that counts: 4, or less to see a store as an older release does. With
    /// 0, the late dialect of format 0 is refused too, as release 0.1.1 does.
    pub newest_format: u64,
    /// The order of the listing.
    pub order: Order,
}

impl Default for DshOptions {
    fn default() -> Self {
        Self {
            product: Product::default(),
            mode: Mode::default(),
            encoding: Encoding::default(),
            newest_format: format::NEWEST,
            order: Order::default(),
        }
    }
}

impl DshOptions {
    /// As the reference, release 0.1.1, reads when it is configured for this encoding.
    #[must_use]
    pub fn strict(encoding: Encoding) -> Self {
        Self {
            mode: Mode::Strict,
            encoding,
            newest_format: 0,
            ..Self::default()
        }
    }
}

impl DshStore {
    /// A store whose project directories lie in `root`. An absent root is an empty store.
    ///
    /// # Errors
    ///
    /// [`StoreErrorKind::Io`] when `root` is there and is no readable directory.
    pub fn open(root: impl Into<PathBuf>, options: DshOptions) -> Result<Self, StoreError> {
        let root = root.into();
        match std::fs::read_dir(&root) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::io(&root, error))
            }
            _ => Ok(Self { root, options }),
        }
    }

    /// The entries among which these sessions must be.
    fn among(&self, ids: &[JsString], cancel: &CancellationToken) -> Result<Found, StoreError> {
        let only = match self.options.mode {
            // Whatever fails the listing fails the read.
            Mode::Strict => None,
            Mode::Isolating => Some(ids),
        };
        listing::list(&self.root, &self.options, only, cancel)
    }

    fn title(entry: Option<&Entry>, cancel: &CancellationToken) -> TitleOutcome {
        let entry = entry.ok_or_else(StoreError::not_found)?;
        let (_, log) = log::read(entry, Want::Title, cancel)?;
        log.title.map_err(|error| {
            StoreError::new(StoreErrorKind::Title, error.to_string()).at_path(&entry.path)
        })
    }
}

impl Store for DshStore {
    fn kind(&self) -> &'static str {
        self.options.product.kind()
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn list(&self, cancel: &CancellationToken) -> Result<Listing, StoreError> {
        let found = listing::list(&self.root, &self.options, None, cancel)?;
        let mut sessions: Vec<_> = found.entries.iter().map(listed).collect();
        let order = &self.options.order;
        sessions.sort_by(|one, other| order.compare(&one.header, &other.header));
        Ok(Listing {
            sessions,
            diagnostics: found.diagnostics,
        })
    }

    fn find(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Listed>, StoreError> {
        let found = self.among(std::slice::from_ref(id), cancel)?;
        Ok(found.get(id).map(listed))
    }

    fn titles(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleOutcome>, StoreError> {
        let found = self.among(ids, cancel)?;
        each(ids, cancel, |id| Self::title(found.get(id), cancel))
    }

    fn observe(
        &self,
        id: &JsString,
        cancel: &CancellationToken,
    ) -> Result<Option<Observation>, StoreError> {
        let found = self.among(std::slice::from_ref(id), cancel)?;
        let Some(entry) = found.get(id) else {
            return Ok(None);
        };
        let (header, log) = log::read(entry, Want::Surface, cancel)?;
        let observation = log.observation(header.logical, &entry.path, self.options.mode);
        Ok(Some(observation))
    }

    fn examine(
        &self,
        ids: &[JsString],
        cancel: &CancellationToken,
    ) -> Result<Vec<Examination>, StoreError> {
        let found = self.among(ids, cancel)?;
        each(ids, cancel, |id| {
            let entry = found.get(id).ok_or_else(StoreError::not_found)?;
            let (_, log) = log::read(entry, Want::Surface, cancel)?;
            Ok(log.damage(&entry.path))
        })
    }
}

fn listed(entry: &Entry) -> Listed {
    Listed {
        updated_at: entry.updated_at,
        size_bytes: Some(entry.size),
        ..Listed::new(entry.header.logical.clone())
    }
}

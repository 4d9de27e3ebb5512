use std::path::PathBuf;
use std::sync::Arc;

use crate::claude::ClaudeStore;
use crate::codex::CodexStore;
use crate::dsh::{DshDatabase, DshOptions, DshStore, Product};
use crate::{Environment, Store, StoreError};

/// The kinds of stores that [`open`] knows: one for each agent.
pub const KINDS: &[&str] = &["dsh", "toh", "hydra", "bh", "freddie", "claude", "codex"];

/// Opens a store by its kind; `None` for a kind that is not in [`KINDS`].
///
/// `root` is where the agent's logs lie, as [`locate`](crate::locate) says it. For DeepSeek Harness and its
/// forks it may also be a database: a file, or a directory with a `sessions.db` in it; or the agent's home, with the
/// logs in `sessions` below. Where Codex has its
/// databases is also a question of this process's environment.
///
/// ```
/// use sref_stores::{CancellationToken, open};
///
/// let store = open("claude", "no/such/directory").unwrap()?;
/// assert_eq!(store.kind(), "claude");
/// assert!(store.list(&CancellationToken::new())?.sessions.is_empty());
/// assert!(open("acme", "x").is_none());
/// # Ok::<(), sref_stores::StoreError>(())
/// ```
pub fn open(kind: &str, root: impl Into<PathBuf>) -> Option<Result<Arc<dyn Store>, StoreError>> {
    let root = root.into();
    let product = match kind {
        "dsh" => Product::Dsh,
        "toh" => Product::Toh,
        "hydra" => Product::Hydra,
        "bh" => Product::Bh,
        "freddie" => Product::Freddie,
        "claude" => return Some(Ok(Arc::new(ClaudeStore::open(root)))),
        "codex" => {
            let store = CodexStore::open(root).within(&Environment::of_process());
            return Some(Ok(Arc::new(store)));
        }
        _ => return None,
    };
    let root = logs(root);
    let options = DshOptions {
        product,
        ..DshOptions::default()
    };
    if root.is_file() || root.join(DshDatabase::FILE).is_file() {
        return Some(Ok(Arc::new(DshDatabase::open(root, options))));
    }
    let store = DshStore::open(root, options);
    Some(store.map(|store| Arc::new(store) as Arc<dyn Store>))
}

/// Where the logs lie when it is the home that was named: no project of theirs has a directory of
/// this name (`spec/dsh-store.md` 4.1).
fn logs(root: PathBuf) -> PathBuf {
    let below = root.join("sessions");
    if below.is_dir() && !root.join(DshDatabase::FILE).is_file() {
        below
    } else {
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_will_do_for_what_lies_in_it() {
        let home = tempfile::tempdir().unwrap();
        let sessions = home.path().join("sessions");
        std::fs::create_dir(&sessions).unwrap();
        for kind in ["dsh", "toh", "hydra", "bh", "freddie"] {
            let root =
                |path: &std::path::Path| open(kind, path).unwrap().unwrap().root().to_owned();
            assert_eq!(root(home.path()), sessions);
            assert_eq!(root(&sessions), sessions);
        }
        // A database is what it is.
        std::fs::write(home.path().join(DshDatabase::FILE), "").unwrap();
        assert_eq!(logs(home.path().to_owned()), home.path());
    }
}

//! Reading leaves every store as it was, with all that lies beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sref::query::CancellationToken;
use sref::session::JsString;
use sref_stores::Store;
use sref_stores::dsh::{DshDatabase, DshOptions, DshStore, Encoding};
use sref_tests::stores::roots;
use tempfile::TempDir;

use crate::{names, own};

/// Files, directories and links: what they hold, and when they last changed.
type Tree = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

fn tree(root: &Path) -> Tree {
    let (mut out, mut pending) = (Tree::new(), vec![root.to_owned()]);
    while let Some(path) = pending.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_dir() {
            pending.extend(names(&path).iter().map(|name| path.join(name)));
            Vec::new()
        } else if metadata.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        out.insert(path, (content, metadata.modified().unwrap()));
    }
    out
}

/// The files alone: what a link leads to lies in the same folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// The stores of a root: isolating, and strict as the reference is configured for each encoding.
fn stores(root: &Path) -> Vec<Box<dyn Store>> {
    let options = [
        DshOptions::default(),
        DshOptions::strict(Encoding::Plain),
        DshOptions::strict(Encoding::Zstd),
    ];
    let logs = options.clone().map(|options| {
        let store = DshStore::open(root, options).unwrap();
        Box::new(store) as Box<dyn Store>
    });
    let rows = options.map(|options| {
        let store = DshDatabase::open(root, options);
        Box::new(store) as Box<dyn Store>
    });
    logs.into_iter().chain(rows).collect()
}

/// Asks everything of a store; gives how many sessions it has listed and how many surfaces it has.
fn ask(store: &dyn Store) -> (usize, usize) {
    let cancel = CancellationToken::new();
    let listed = store.list(&cancel).map_or_else(
        |_| Vec::new(),
        |listing| {
            let ids = listing.sessions.into_iter();
            ids.map(|listed| listed.header.id.as_js_string().clone())
                .collect()
        },
    );
    // Where the listing fails, too, and for an id that nobody has.
    let mut ids = listed.clone();
    ids.extend(["good", "no such session"].map(JsString::from));
    let _ = store.titles(&ids, &cancel);
    let mut surfaces = 0;
    for id in &ids {
        let _ = store.find(id, &cancel);
        surfaces += usize::from(matches!(store.surface(id, &cancel), Ok(Some(_))));
    }
    (listed.len(), surfaces)
}

fn check(folder: &str) {
    let original = own(folder);
    let private = TempDir::new().unwrap();
    copy(&original, private.path());
    let roots = roots(&original).unwrap();
    assert!(!roots.is_empty());
    for root in roots {
        let path = private.path().join(&root);
        let before = tree(private.path());
        let (mut listed, mut surfaces) = (0, 0);
        for store in stores(&path) {
            let asked = ask(&*store);
            listed += asked.0;
            surfaces += asked.1;
        }
        assert!(tree(private.path()) == before, "{root} has changed");
        // Only a root whose one log is broken or misplaced has nothing to read.
        let is_poor = root.starts_with("poison/")
            || root.starts_with("refuse-sqlite/")
            || root.starts_with("p-");
        assert!(is_poor || (listed > 0 && surfaces > 0), "{root}");
    }
}

#[test]
fn reading_leaves_the_stores_as_they_are() {
    check("stores");
}

#[test]
fn reading_leaves_stores_of_later_formats_as_they_are() {
    check("stores-newer");
}

//! `examples/sample-store`: a small session store of the dsh format for trying the program out.
//!
//! The sessions are told as plain scripts in `scripts/`; the logs are derived from them. Everything
//! in a log is a function of the script, so that a check can compare bytes.

mod events;
mod log;
mod paste;
mod path;
mod script;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use log::Log;
use script::Script;

/// Where the store lies, seen from the repository's root. It is a dsh home: logs are below
/// `sessions`.
const STORE: &str = "examples/sample-store";

/// One sample session: what its header says, and its script.
struct Sample {
    id: &'static str,
    /// Milliseconds since 1970; November 2026.
    created_at: i64,
    cwd: Option<&'static str>,
    title: Option<&'static str>,
    kind: Kind,
    script: &'static str,
}

enum Kind {
    Plain,
    /// Goes on from the end of a turn of another sample, whose log it copies up to there.
    Fork {
        parent: &'static str,
        turns: usize,
    },
    /// Started by another sample's session for one task.
    Subagent {
        parent: &'static str,
    },
}

const LOGIN: &str = "session-3f9c1e52-7d0b-4c6e-9a41-0b8e6d2f5c17";
const CSV: &str = "session-8b27d0c4-15ea-4f39-b7c2-6e90a1d43f58";

/// The sessions. A fork stands after its parent.
const SAMPLES: [Sample; 8] = [
    Sample {
        id: LOGIN,
        created_at: 1_795_079_640_000,
        cwd: Some("/home/mei/shop"),
        title: Some("Login loop after password reset in Safari"),
        kind: Kind::Plain,
        script: include_str!("scripts/login.txt"),
    },
    Sample {
        id: "session-3fd07a96-42cc-4b1d-8e63-97c5f0ab2d84",
        created_at: 1_795_086_120_000,
        cwd: Some("/home/mei/shop"),
        title: Some("One-time code instead of the reset cookie?"),
        kind: Kind::Fork {
            parent: LOGIN,
            turns: 2,
        },
        script: include_str!("scripts/login-fork.txt"),
    },
    Sample {
        id: CSV,
        created_at: 1_794_988_200_000,
        cwd: Some("/home/mei/importer"),
        title: Some("CSV importer loses rows with quoted line breaks"),
        kind: Kind::Plain,
        script: include_str!("scripts/csv.txt"),
    },
    Sample {
        id: "session-c6e4f812-0a3d-4d57-9b1e-52f7308ad6c9",
        created_at: 1_794_991_500_000,
        cwd: Some("/home/mei/importer"),
        title: Some("Review: CSV state machine"),
        kind: Kind::Subagent { parent: CSV },
        script: include_str!("scripts/csv-review.txt"),
    },
    Sample {
        id: "session-51ad9be7-6c84-4e02-a3f6-d81c7e09b425",
        created_at: 1_795_137_900_000,
        cwd: Some("/home/mei/项目/支付"),
        title: Some("支付回调重复扣款"),
        kind: Kind::Plain,
        script: include_str!("scripts/payment.txt"),
    },
    Sample {
        id: "session-e20b5f6d-93a7-4188-8c0f-4a7d1be63902",
        created_at: 1_793_869_500_000,
        cwd: Some("/home/mei/shop"),
        title: Some("Move the job queue from Redis to Postgres"),
        kind: Kind::Plain,
        script: include_str!("scripts/queue.txt"),
    },
    Sample {
        id: "session-a7710c3e-b5f2-47d9-90e4-1c6d8f2a05b3",
        created_at: 1_795_166_400_000,
        cwd: Some("/home/mei/shop"),
        title: Some("Flaky upload test: expected 3 parts, got 2"),
        kind: Kind::Plain,
        script: include_str!("scripts/upload.txt"),
    },
    Sample {
        id: "session-09d4ca18-f7e3-4ab6-b25d-83e1c0567fa2",
        created_at: 1_795_050_300_000,
        cwd: None,
        title: None,
        kind: Kind::Plain,
        script: include_str!("scripts/question.txt"),
    },
];

/// Writes the store.
///
/// # Errors
///
/// A script that cannot be read, or a file that cannot be written.
pub(crate) fn write(root: &Path) -> Result<String, String> {
    let files = files()?;
    let store = root.join(STORE);
    for (path, bytes) in &files {
        let path = store.join(path);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(&store))?;
            fs::write(&path, bytes)
        };
        write().map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let size: usize = files.values().map(String::len).sum();
    Ok(format!("{STORE}: {} sessions, {size} bytes\n", files.len()))
}

/// Compares the store with the scripts.
///
/// # Errors
///
/// The files that differ, are missing or are left over, and the command that mends it.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    let files = files()?;
    let store = root.join(STORE);
    let mut problems = String::new();
    for (path, bytes) in &files {
        if fs::read(store.join(path)).ok().as_deref() != Some(bytes.as_bytes()) {
            let _ = writeln!(
                problems,
                "{STORE}/{}: differs from its script",
                path.display()
            );
        }
    }
    for path in logs(&store) {
        if !files.contains_key(&path) {
            let _ = writeln!(problems, "{STORE}/{}: has no script", path.display());
        }
    }
    if problems.is_empty() {
        return Ok(format!(
            "{STORE}: {} sessions as their scripts say\n",
            files.len()
        ));
    }
    Err(format!("{problems}run `cargo xtask sample`"))
}

/// Every log of the store: path below it and content.
fn files() -> Result<BTreeMap<PathBuf, String>, String> {
    let mut done: BTreeMap<&str, Log> = BTreeMap::new();
    let mut files = BTreeMap::new();
    for sample in SAMPLES {
        let script = Script::parse(sample.script).map_err(|error| {
            let line = error.line;
            format!("{}: line {line}: {}", sample.id, error.reason)
        })?;
        let log = Log::write(&sample, &script, &done)
            .map_err(|error| format!("{}: {error}", sample.id))?;
        let path = Path::new("sessions")
            .join(path::project(sample.cwd))
            .join(path::session(sample.id))
            .join("session.jsonl");
        files.insert(path, log.to_text());
        done.insert(sample.id, log);
    }
    Ok(files)
}

/// The logs that lie in the store, relative to it.
fn logs(store: &Path) -> Vec<PathBuf> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect()
    };
    entries(&store.join("sessions"))
        .iter()
        .flat_map(|project| entries(project))
        .flat_map(|session| entries(&session))
        .filter_map(|path| Some(path.strip_prefix(store).ok()?.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_what_the_scripts_say() {
        check(crate::root()).unwrap();
    }

    #[test]
    fn the_store_stays_small() {
        let size: usize = files().unwrap().values().map(String::len).sum();
        assert!(size < 250_000, "{size} bytes");
    }

    #[test]
    fn a_changed_log_and_a_left_over_one_are_found() {
        let root = std::env::temp_dir().join(format!("sref-sample-{}", std::process::id()));
        write(&root).unwrap();
        assert!(check(&root).is_ok());
        let path = files().unwrap().into_keys().next().unwrap();
        let log = root.join(STORE).join(&path);
        fs::write(&log, "{}\n").unwrap();
        let other = root.join(STORE).join("sessions/--x--/y");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("session.jsonl"), "").unwrap();
        let problems = check(&root).unwrap_err();
        assert!(problems.contains("differs from its script"), "{problems}");
        assert!(problems.contains("--x--/y/session.jsonl: has no script"));
        fs::remove_dir_all(&root).unwrap();
    }
}

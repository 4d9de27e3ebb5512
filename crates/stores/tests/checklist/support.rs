//! A home of Claude Code, and records for it.

use std::fs;
use std::path::PathBuf;

use sref_session::{Block, JsString, SurfacePayload};
use sref_stores::claude::ClaudeStore;
use sref_stores::{CancellationToken, DiagnosticKind, Store as _};
use tempfile::TempDir;

pub(crate) const ID: &str = "5f0c1d2e-0000-4000-8000-000000000001";
pub(crate) const OTHER: &str = "5f0c1d2e-0000-4000-8000-000000000002";

pub(crate) struct Home {
    pub(crate) directory: TempDir,
    pub(crate) store: ClaudeStore,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        fs::create_dir_all(directory.path().join("projects/-w")).unwrap();
        let store = ClaudeStore::open(directory.path());
        Self { directory, store }
    }

    /// A home with one session.
    pub(crate) fn of(log: impl AsRef<[u8]>) -> Self {
        let home = Self::new();
        home.write(&format!("-w/{ID}.jsonl"), log);
        home
    }

    pub(crate) fn write(&self, path: &str, log: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join("projects").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, log).unwrap();
        path
    }

    /// The conversation, one text a message: `u:`, `a:`, `c:` for a checkpoint.
    pub(crate) fn said_in(&self, id: &str) -> Vec<JsString> {
        let cancel = CancellationToken::new();
        let surface = self.store.surface(&id.into(), &cancel).unwrap().unwrap();
        let said = surface.events.iter().map(|event| {
            let (mark, content) = match &event.payload {
                SurfacePayload::UserMessage {
                    source, content, ..
                } if source.is_user() => ("u:", content),
                SurfacePayload::AssistantMessage { content } => ("a:", content),
                SurfacePayload::UserMessage { content, .. } => ("c:", content),
                other => panic!("{other:?}"),
            };
            let mut said = JsString::from(mark);
            for (at, text) in content.iter().filter_map(Block::text).enumerate() {
                said.push_str(if at > 0 { "|" } else { "" });
                said.push(text.as_js_str());
            }
            said
        });
        said.collect()
    }

    pub(crate) fn said(&self) -> Vec<JsString> {
        self.said_in(ID)
    }

    /// What is told of the session when it is read.
    pub(crate) fn told(&self) -> Vec<(DiagnosticKind, String)> {
        let found = self.store.examine(&[ID.into()], &CancellationToken::new());
        let found = found.unwrap().remove(0).unwrap().into_iter();
        found.map(|own| (own.kind, own.detail)).collect()
    }

    /// The ids that are listed, sorted.
    pub(crate) fn listed(&self) -> Vec<String> {
        let listing = self.store.list(&CancellationToken::new()).unwrap();
        let ids = listing.sessions.iter();
        let mut ids: Vec<String> = ids.map(|own| own.header.id.to_string()).collect();
        ids.sort();
        ids
    }

    /// What is told of the files that are not listed.
    pub(crate) fn skipped(&self) -> Vec<DiagnosticKind> {
        let listing = self.store.list(&CancellationToken::new()).unwrap();
        listing.diagnostics.iter().map(|own| own.kind).collect()
    }
}

/// A record; `more` is spliced in behind the members that place it.
pub(crate) fn record(kind: &str, uuid: &str, parent: &str, more: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
    format!(
        "{{\"parentUuid\":{parent},\"type\":\"{kind}\",\"uuid\":\"{uuid}\",\"timestamp\":\"2026-08-01T09:00:00.000Z\"{more}}}\n"
    )
}

pub(crate) fn message(content: &str) -> String {
    format!(",\"message\":{{\"content\":{content}}}")
}

pub(crate) fn user(uuid: &str, parent: &str, text: &str) -> String {
    let text = JsString::from(text).to_json();
    record("user", uuid, parent, &message(&text))
}

pub(crate) fn answer(uuid: &str, parent: &str, id: &str, text: &str) -> String {
    let text = JsString::from(text).to_json();
    record(
        "assistant",
        uuid,
        parent,
        &format!(
            ",\"requestId\":\"r-{id}\",\"message\":{{\"id\":\"{id}\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}"
        ),
    )
}

/// The conversation of one log.
pub(crate) fn check(records: &[String], expected: &[&str]) {
    assert_eq!(Home::of(records.concat()).said(), expected);
}

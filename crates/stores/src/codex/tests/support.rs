//! Rollouts as Codex writes them, built line by line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sref_session::{JsString, SurfacePayload, SurfaceSnapshot};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::CodexStore;
use crate::{DiagnosticKind, Listing, Store};

/// Ids of version 7, the later ones younger.
pub(super) const A: &str = "0198a3c0-0000-7000-8000-00000000000a";
pub(super) const B: &str = "0198a3c1-0000-7000-8000-00000000000b";
pub(super) const C: &str = "0198a3c2-0000-7000-8000-00000000000c";

pub(super) const DAY: &str = "sessions/2026/08/01";

pub(super) fn cancel() -> CancellationToken {
    CancellationToken::new()
}

/// A home directory and its store.
pub(super) struct Home {
    pub(super) directory: TempDir,
    pub(super) store: CodexStore,
}

impl Home {
    /// What is told of one thread.
    pub(super) fn examine(&self, id: &str) -> crate::Examination {
        let mut all = self.store.examine(&[id.into()], &cancel()).unwrap();
        all.remove(0)
    }

    /// A home with these files in it, by their place.
    pub(super) fn new<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Self {
        let directory = TempDir::new().unwrap();
        for (place, content) in files {
            write(&directory.path().join(place), content.as_ref());
        }
        let store = CodexStore::open(directory.path());
        Self { directory, store }
    }

    pub(super) fn path(&self, place: &str) -> PathBuf {
        self.directory.path().join(place)
    }

    /// Reads a thread, or tells that there is none. What lies in the home is the same afterwards.
    pub(super) fn surface(&self, id: &str) -> Option<SurfaceSnapshot> {
        self.untouched(|store| store.surface(&id.into(), &cancel()).unwrap())
    }

    /// The conversation of a thread, one line a message: `u:`, `a:`, `c:` for a checkpoint.
    pub(super) fn conversation(&self, id: &str) -> Vec<String> {
        words(&self.surface(id).expect("a thread"))
    }

    pub(super) fn list(&self) -> Listing {
        self.untouched(|store| store.list(&cancel()).unwrap())
    }

    pub(super) fn ids(&self) -> Vec<String> {
        let sessions = self.list().sessions;
        let ids = sessions.iter().map(|listed| listed.header.id.to_string());
        ids.collect()
    }

    pub(super) fn kinds(&self) -> Vec<DiagnosticKind> {
        let found = self.list().diagnostics;
        found.iter().map(|diagnostic| diagnostic.kind).collect()
    }

    pub(super) fn title(&self, id: &str) -> Option<String> {
        let titles = self.untouched(|store| store.titles(&[id.into()], &cancel()).unwrap());
        let title = titles.into_iter().next().unwrap().unwrap()?;
        Some(title.text().unwrap().to_string_lossy().into_owned())
    }

    /// Nothing is written below the home, whatever is read.
    fn untouched<T>(&self, read: impl FnOnce(&CodexStore) -> T) -> T {
        let before = tree(self.directory.path());
        let outcome = read(&self.store);
        assert_eq!(tree(self.directory.path()), before);
        outcome
    }
}

/// Everything below a directory: names, contents, times of change.
fn tree(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            let content = if data.is_file() {
                fs::read(&path).unwrap_or_default()
            } else {
                Vec::new()
            };
            if data.is_dir() {
                left.push(path.clone());
            }
            found.insert(path, (content, data.modified().unwrap()));
        }
    }
    found
}

pub(super) fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(super) fn words(surface: &SurfaceSnapshot) -> Vec<String> {
    let events = surface.events.iter().map(|event| {
        let (mark, content) = match &event.payload {
            SurfacePayload::UserMessage {
                source, content, ..
            } if source.is_user() => ("u", content),
            SurfacePayload::UserMessage { content, .. } => ("c", content),
            SurfacePayload::AssistantMessage { content } => ("a", content),
            other => panic!("{other:?}"),
        };
        let text = content[0].text().unwrap().to_string_lossy();
        format!("{mark}:{text}")
    });
    events.collect()
}

/// Where the first rollout of a thread lies.
pub(super) fn place(thread: &str) -> String {
    format!("{DAY}/rollout-2026-08-01T09-00-00-{thread}.jsonl")
}

/// Where a later one does.
pub(super) fn later(thread: &str, rollout: &str) -> String {
    format!("{DAY}/rollout-2026-08-01T10-00-00-{thread}_{rollout}.jsonl")
}

/// The conversation of a log.
pub(super) fn check(log: &[String], expected: &[&str]) {
    let home = Home::new(&[(place(A).as_str(), log.concat())]);
    assert_eq!(home.conversation(A), expected);
}

pub(super) fn json(text: &str) -> String {
    JsString::from(text).to_json()
}

pub(super) fn line(kind: &str, payload: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-08-01T07:00:00.100Z\",\"type\":\"{kind}\",\"payload\":{payload}}}\n"
    )
}

/// A line with a number.
pub(super) fn numbered(ordinal: u64, line: &str) -> String {
    line.replacen("\"type\"", &format!("\"ordinal\":{ordinal},\"type\""), 1)
}

/// A header; `more` is spliced in.
pub(super) fn meta(id: &str, more: &str) -> String {
    line(
        "session_meta",
        &format!(
            "{{\"id\":\"{id}\",\"timestamp\":\"2026-08-01T07:00:00Z\",\"cwd\":\"/w/api\",\"source\":\"cli\"{more}}}"
        ),
    )
}

pub(super) fn event(kind: &str, more: &str) -> String {
    line("event_msg", &format!("{{\"type\":\"{kind}\"{more}}}"))
}

pub(super) fn begin(turn: &str) -> String {
    event("task_started", &format!(",\"turn_id\":\"{turn}\""))
}

pub(super) fn end() -> String {
    event("task_complete", "")
}

fn item(item: &str) -> String {
    event(
        "item_completed",
        &format!(",\"thread_id\":\"t\",\"turn_id\":\"1\",\"item\":{item}"),
    )
}

/// Encoding B.
pub(super) fn user_item(text: &str) -> String {
    let text = json(text);
    item(&format!(
        "{{\"type\":\"UserMessage\",\"id\":\"i\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}"
    ))
}

pub(super) fn agent_item(text: &str) -> String {
    let text = json(text);
    item(&format!(
        "{{\"type\":\"AgentMessage\",\"id\":\"i\",\"phase\":\"final_answer\",\"content\":[{{\"type\":\"Text\",\"text\":{text}}}]}}"
    ))
}

/// Another item.
pub(super) fn other_item(kind: &str, more: &str) -> String {
    item(&format!("{{\"type\":\"{kind}\",\"id\":\"i\"{more}}}"))
}

/// Encoding A.
pub(super) fn user_event(text: &str) -> String {
    event(
        "user_message",
        &format!(",\"message\":{},\"images\":[]", json(text)),
    )
}

pub(super) fn agent_event(text: &str) -> String {
    event(
        "agent_message",
        &format!(",\"message\":{},\"phase\":\"commentary\"", json(text)),
    )
}

/// Encoding C.
pub(super) fn message(role: &str, text: &str) -> String {
    line("response_item", &bare_message(role, text))
}

pub(super) fn bare_message(role: &str, text: &str) -> String {
    let part = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    format!(
        "{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{part}\",\"text\":{}}}]}}",
        json(text)
    )
}

pub(super) fn compacted(message: &str, history: &[String]) -> String {
    let payload = format!(
        "{{\"message\":{},\"replacement_history\":[{}]}}",
        json(message),
        history.join(",")
    );
    line("compacted", &payload)
}

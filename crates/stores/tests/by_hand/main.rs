//! What the program finds in logs that were read by hand: see `README.md` beside this file.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use sref_session::{JsString, SurfaceEvent, SurfacePayload, json};
use sref_stores::{CancellationToken, open};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/by_hand")
}

/// `user "text"`
fn message(event: &SurfaceEvent) -> String {
    let (role, content) = match &event.payload {
        SurfacePayload::UserMessage {
            source, content, ..
        } if source.is_user() => ("user", content),
        SurfacePayload::UserMessage { content, .. } => ("checkpoint", content),
        SurfacePayload::AssistantMessage { content } => ("assistant", content),
        other => panic!("{other:?}"),
    };
    let mut text = JsString::new();
    for (number, block) in content.iter().enumerate() {
        if number > 0 {
            text.push_str("\n");
        }
        text.push(block.text().unwrap().as_js_str());
    }
    format!("{role} {}", text.to_json())
}

/// The same, however the text is escaped.
fn unified(line: &str) -> String {
    let (role, text) = line.split_once(' ').unwrap();
    let text = json::parse(text.as_bytes()).unwrap();
    format!("{role} {}", text.to_json())
}

/// Compares one store with what a reader found in it.
fn check(name: &str) {
    let root = directory().join(name);
    let expected = fs::read_to_string(root.join("expected.txt")).unwrap();
    let (kind, _) = name.split_once('-').unwrap();
    let store = open(kind, root).unwrap().unwrap();
    let cancel = CancellationToken::new();
    let mut sessions = expected.split("\nsession ");
    let rule = sessions.next().unwrap();
    assert!(rule.contains('(') && rule.ends_with('\n'), "{rule}");
    let mut seen = Vec::new();
    for session in sessions {
        let mut lines = session.lines().filter(|line| !line.is_empty());
        let id = JsString::from(lines.next().unwrap());
        let surface = store.surface(&id, &cancel).unwrap().unwrap();
        let found: Vec<String> = surface.events.iter().map(message).collect();
        let expected: Vec<String> = lines.map(unified).collect();
        assert_eq!(found, expected, "{name}, {id:?}");
        seen.push(id);
    }
    let listing = store.list(&cancel).unwrap();
    let listed = listing.sessions.into_iter();
    let mut listed: Vec<JsString> = listed
        .map(|own| own.header.id.as_js_string().clone())
        .collect();
    listed.sort();
    seen.sort();
    assert_eq!(listed, seen, "{name}");
}

macro_rules! checks {
    ($($test:ident $name:literal)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*
        const NAMES: &[&str] = &[$($name),*];
    };
}

checks! {
    claude_branch "claude-branch"
    claude_bridges "claude-bridges"
    claude_damaged "claude-damaged"
    claude_preserved "claude-preserved"
    claude_subagent "claude-subagent"
    codex_backtrack "codex-backtrack"
    codex_compaction "codex-compaction"
    codex_old "codex-old"
    codex_rollback "codex-rollback"
    codex_subagent "codex-subagent"
}

#[test]
fn no_log_is_left_out() {
    let entries = fs::read_dir(directory()).unwrap().map(Result::unwrap);
    let stores = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    let mut names: Vec<String> = stores
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}

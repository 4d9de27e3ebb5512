use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sref_session::{Block, JsString, SurfacePayload, SurfaceSnapshot};
use sref_stores::dsh::{DshOptions, DshStore, session_directory};
use sref_stores::{CancellationToken, Store, StoreError};

/// A root in a directory of its own.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// Where the log of a session in `/work` lies.
    pub(crate) fn log(&self, id: &str) -> PathBuf {
        let directory = session_directory(JsString::from(id).as_js_str()).unwrap();
        self.root()
            .join("--work--")
            .join(directory)
            .join("session.jsonl")
    }

    /// Writes the log of a session.
    pub(crate) fn write(&self, id: &str, log: &[u8]) {
        let path = self.log(id);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, log).unwrap();
    }

    pub(crate) fn open(&self, options: DshOptions) -> DshStore {
        DshStore::open(self.root(), options).unwrap()
    }

    pub(crate) fn surface(&self, id: &str) -> Result<Option<SurfaceSnapshot>, StoreError> {
        self.open(DshOptions::default())
            .surface(&id.into(), &CancellationToken::new())
    }
}

/// The first line of a log.
pub(crate) fn header(id: &str, created_at: u64) -> String {
    let id = JsString::from(id).to_json();
    format!(
        r#"{{"type":"session","version":0,"id":{id},"createdAt":{created_at},"cwd":"/work","delegationDepth":0}}"#
    ) + "\n"
}

/// One event, numbered by the caller.
pub(crate) fn event(seq: u64, kind: &str, data: &str, rest: &str) -> String {
    format!(r#"{{"type":"{kind}","seq":{seq},"time":{seq},"data":{data}{rest}}}"#) + "\n"
}

pub(crate) fn user(text: &JsString) -> String {
    message("user", text, r#""source":{"kind":"user"}"#)
}

pub(crate) fn message(role: &str, text: &JsString, rest: &str) -> String {
    let text = text.to_json();
    format!(r#"{{"id":"m","role":"{role}","content":[{{"type":"text","text":{text}}}],{rest}}}"#)
}

pub(crate) const APPEND: &str = r#","surfaceOp":"append""#;

/// A log of one message.
pub(crate) fn one_message(id: &str, text: &str) -> String {
    header(id, 1) + &event(0, "user/message", &user(&text.into()), APPEND)
}

/// What a surface shows: number, type and joined texts of each event.
pub(crate) fn shown(surface: &SurfaceSnapshot) -> Vec<(u64, &'static str, Vec<JsString>)> {
    surface
        .events
        .iter()
        .map(|event| {
            let blocks: &[Block] = match &event.payload {
                SurfacePayload::UserMessage { content, .. }
                | SurfacePayload::AssistantMessage { content } => content,
                _ => &[],
            };
            let texts = blocks.iter().filter_map(Block::text).cloned().collect();
            (event.seq, event.payload.event_type(), texts)
        })
        .collect()
}

/// Everything below a directory: what it is, what is in it and when it changed.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, Option<SystemTime>)> {
    let mut out = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            b"directory".to_vec()
        } else if metadata.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else if metadata.is_file() {
            fs::read(&path).unwrap()
        } else {
            b"special".to_vec()
        };
        out.insert(path, (content, metadata.modified().ok()));
    }
    out
}

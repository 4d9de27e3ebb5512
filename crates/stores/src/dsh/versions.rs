//! Hydra's versions: one log holds several paths through a conversation, and the selected one alone
//! is the conversation (`spec/dsh-newer.md` 11).

use std::collections::HashMap;

use sref_session::JsString;

use super::surface::Step;
use crate::raw::Raw;

/// The path that a log begins with.
const ORIGINAL: &str = "original";

/// The steps of all paths. Nothing is folded before the log ends: only then it is known which path
/// counts.
#[derive(Debug)]
pub(super) struct Versions {
    paths: Vec<Path>,
    by_id: HashMap<JsString, usize>,
    selected: usize,
}

#[derive(Debug, Default)]
struct Path {
    /// The path this one starts from, and the event before which it leaves it.
    start: Option<(usize, u64)>,
    steps: Vec<Step>,
}

impl Versions {
    pub(super) fn new() -> Self {
        Self {
            paths: vec![Path::default()],
            by_id: HashMap::from([(ORIGINAL.into(), 0)]),
            selected: 0,
        }
    }

    /// Puts a step on the selected path.
    pub(super) fn push(&mut self, step: Step) {
        self.paths[self.selected].steps.push(step);
    }

    /// `session/version`: starts a path and selects it.
    pub(super) fn start(&mut self, seq: u64, data: Raw<'_>) -> Result<(), &'static str> {
        let members = data.members(["versionId", "parentVersionId", "beforeSeq"]);
        let [id, parent, before] = members.map_or([None; 3], |members| members.found);
        let id = id.and_then(Raw::decode).filter(|id| !id.is_empty());
        let id = id.ok_or("a version without an id")?;
        let parent = parent.and_then(Raw::decode);
        let parent = parent.and_then(|parent| self.by_id.get(&parent).copied());
        let parent = parent.ok_or("a version of a version that is not there")?;
        let before = before.and_then(Raw::index).filter(|before| *before <= seq);
        let before = before.ok_or("a version that starts at no event")?;
        if self.by_id.contains_key(&id) {
            return Err("a version whose id is taken");
        }
        self.selected = self.paths.len();
        self.by_id.insert(id, self.selected);
        self.paths.push(Path {
            start: Some((parent, before)),
            steps: Vec::new(),
        });
        Ok(())
    }

    /// `session/version-selected`: goes back to a path.
    pub(super) fn select(&mut self, data: Raw<'_>) -> Result<(), &'static str> {
        let id = data.member("versionId").and_then(Raw::decode);
        let path = id.and_then(|id| self.by_id.get(&id).copied());
        self.selected = path.ok_or("a selected version that is not there")?;
        Ok(())
    }

    /// The steps of the selected path, in the order of their events.
    pub(super) fn into_steps(mut self) -> Vec<Step> {
        let mut out = Vec::new();
        let mut next = Some((self.selected, u64::MAX));
        // A path starts from an older one, so this ends.
        while let Some((at, before)) = next {
            let path = &mut self.paths[at];
            let own = path
                .steps
                .iter()
                .take_while(|step| step.seq < before)
                .count();
            out.extend(path.steps.drain(..own).rev());
            next = path
                .start
                .map(|(parent, start)| (parent, start.min(before)));
        }
        out.reverse();
        out
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use sref_session::SurfacePayload;
    use tokio_util::sync::CancellationToken;

    use crate::Store;
    use crate::dsh::{DshOptions, DshStore, Product};

    /// The prompts on the surface of a Hydra log of these events, or why it is refused.
    fn prompts(events: &[&str]) -> Result<Vec<String>, String> {
        let home = tempfile::tempdir().unwrap();
        let session = home.path().join("_no-cwd/s");
        fs::create_dir_all(&session).unwrap();
        let mut log = String::from(
            "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":5,\"delegationDepth\":0}\n",
        );
        for (seq, event) in events.iter().enumerate() {
            let event = match event.split_once(' ') {
                Some(("say", text)) => format!(
                    "\"type\":\"user/message\",\"data\":{{\"id\":\"m{seq}\",\"role\":\"user\",\"source\":{{\"kind\":\"user\"}},\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"surfaceOp\":\"append\""
                ),
                Some(("version", data)) => format!("\"type\":\"session/version\",\"data\":{data}"),
                Some(("select", id)) => format!(
                    "\"type\":\"session/version-selected\",\"data\":{{\"versionId\":\"{id}\"}}"
                ),
                _ => format!("\"type\":\"{event}\",\"data\":{{}}"),
            };
            writeln!(log, "{{\"seq\":{seq},\"time\":1,{event}}}").unwrap();
        }
        fs::write(session.join("session.jsonl"), log).unwrap();
        let options = DshOptions {
            product: Product::Hydra,
            ..DshOptions::default()
        };
        let store = DshStore::open(home.path(), options).unwrap();
        let surface = store
            .surface(&"s".into(), &CancellationToken::new())
            .map_err(|error| error.code().to_owned())?
            .expect("listed");
        let texts = surface.events.into_iter().map(|event| match event.payload {
            SurfacePayload::UserMessage { content, .. } => content[0].text().unwrap().to_string(),
            other => panic!("{other:?}"),
        });
        Ok(texts.collect())
    }

    const EDITED: &str =
        r#"version {"versionId":"edited","parentVersionId":"original","beforeSeq":1}"#;

    #[test]
    fn the_selected_path_alone_is_the_conversation() {
        let read = |events: &[&str]| prompts(events).unwrap();
        assert_eq!(read(&["say a", "say old", EDITED, "say new"]), ["a", "new"]);
        assert_eq!(
            read(&["say a", "say old", EDITED, "say new", "select original"]),
            ["a", "old"]
        );
        assert_eq!(
            read(&[
                "say a",
                "say old",
                EDITED,
                "say new",
                "select original",
                "say more"
            ]),
            ["a", "old", "more"]
        );
        // A version of a version, left before its own first event.
        let second = r#"version {"versionId":"b","parentVersionId":"edited","beforeSeq":3}"#;
        assert_eq!(
            read(&["say a", "say old", EDITED, "say new", second, "say third"]),
            ["a", "third"]
        );
    }

    #[test]
    fn versions_have_rules() {
        for bad in [
            r#"version {"versionId":"","parentVersionId":"original","beforeSeq":0}"#,
            r#"version {"versionId":"original","parentVersionId":"original","beforeSeq":0}"#,
            r#"version {"versionId":"x","parentVersionId":"y","beforeSeq":0}"#,
            r#"version {"versionId":"x","parentVersionId":"original","beforeSeq":9}"#,
            "select x",
        ] {
            assert_eq!(
                prompts(&["say a", bad]),
                Err("SESSION_QUERY_CORRUPT_SESSION".into()),
                "{bad}"
            );
        }
    }

    #[test]
    fn hydras_own_types_are_known() {
        assert_eq!(
            prompts(&["memory/accepted", "say a", "research/charge"]).unwrap(),
            ["a"]
        );
        assert!(prompts(&["acme/charge", "say a"]).is_err());
    }
}

//! A folder with `expected.json`: what several releases read (`stores-newer/README.md`).

use std::path::Path;

use sref::session::json::{Object, Value};
use sref::session::{CheckpointMarkers, JsString, SurfacePayload};

use super::check::Check;
use super::open::{self, NOT_FOUND, Opened};
use super::{Root, answers, layout};
use crate::fields::{self, Malformed};
use crate::report::Section;
use crate::show;

/// A release, and the newest log format that it knows, which is the one it reads natively.
const RELEASES: &[(&str, u64)] = &[("0.1.2", 0), ("0.1.5", 3), ("0.2.1", 4)];

/// What is recorded of one root, oldest release first.
struct Recorded {
    name: String,
    releases: Vec<(u64, Value)>,
}

/// Groups `<store>@<release>` by store, in the order of the file.
pub(super) fn read(file: &Value) -> Result<Vec<Box<dyn Root>>, Malformed> {
    let roots = grouped(file)?.into_iter();
    Ok(roots.map(|root| Box::new(root) as Box<dyn Root>).collect())
}

fn grouped(file: &Value) -> Result<Vec<Recorded>, Malformed> {
    let stores = file
        .as_object()
        .ok_or_else(|| Malformed("no object of stores".into()))?;
    let mut roots: Vec<Recorded> = Vec::new();
    for (key, recorded) in stores.iter() {
        let key = key.to_string_lossy();
        let (name, format) = key
            .split_once('@')
            .and_then(|(name, release)| Some((name, native_format(release)?)))
            .ok_or_else(|| Malformed("a key is not `<store>@<release>`".into()))?;
        let entry = (format, recorded.clone());
        match roots.iter_mut().find(|root| root.name == name) {
            Some(root) => root.releases.push(entry),
            None => roots.push(Recorded {
                name: name.to_owned(),
                releases: vec![entry],
            }),
        }
    }
    for root in &mut roots {
        root.releases.sort_by_key(|(format, _)| *format);
    }
    Ok(roots)
}

fn native_format(release: &str) -> Option<u64> {
    let (number, _) = release.split_once('-').unwrap_or((release, ""));
    let row = RELEASES.iter().find(|(own, _)| *own == number);
    row.map(|(_, format)| *format)
}

impl Root for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, folder: &Path) -> Section {
        let root = folder.join(&self.name);
        let newest = self.releases.last().map_or(0, |(format, _)| *format);
        let store = Opened::newer(&root, layout::kind_of(&root), newest);
        let mut check = Check::new(&self.name, store);
        if let Err(malformed) = self.compare(&root, &mut check) {
            check.broken(malformed.to_string());
        }
        check.finish()
    }
}

impl Recorded {
    fn compare(&self, root: &Path, check: &mut Check) -> Result<(), Malformed> {
        // The newest release knows all formats, so its listing is whole.
        let Some((_, newest)) = self.releases.last() else {
            return Ok(());
        };
        let listing = match fields::optional(newest, "listError") {
            Some(error) => open::failed(error.clone()),
            None => fields::any(newest, "list")?.clone(),
        };
        check.answer("listing", &listing, Opened::ids);
        for id in self.ids()? {
            let format = layout::format_on_disk(root, id);
            let expected = answers::ours(self.answers(id)?, format)?;
            check.answer(&format!("session {}", show::text(id)), &expected, |store| {
                describe(store, id)
            });
        }
        Ok(())
    }

    /// The sessions of which a release has said something.
    fn ids(&self) -> Result<Vec<&JsString>, Malformed> {
        let mut ids = Vec::new();
        for (_, recorded) in &self.releases {
            let sessions = fields::any(recorded, "sessions")?.as_object();
            for (id, _) in sessions.into_iter().flat_map(Object::iter) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        Ok(ids)
    }

    /// What the releases have said of one session.
    fn answers(&self, id: &JsString) -> Result<Vec<(u64, &Value)>, Malformed> {
        let key = id
            .as_str()
            .ok_or_else(|| Malformed("an id is no text".into()))?;
        let mut answers = Vec::new();
        for (format, recorded) in &self.releases {
            if let Some(answer) = fields::any(recorded, "sessions")?.get(key) {
                answers.push((*format, answer));
            }
        }
        Ok(answers)
    }
}

/// What is recorded of a session, as our reader sees it.
fn describe(store: &Opened, id: &JsString) -> Value {
    let surface = match store.surface(id) {
        Ok(Some(surface)) => surface,
        Ok(None) => return open::failed(NOT_FOUND),
        Err(error) => return open::failed(error.code()),
    };
    let title = match store.titles(std::slice::from_ref(id)).pop() {
        Some(Ok(title)) => title.map_or(Value::Null, |title| title.title),
        Some(Err(error)) => open::failed(error.code()),
        None => open::failed(NOT_FOUND),
    };
    let nodes: Vec<Value> = surface
        .events
        .iter()
        .map(|event| {
            let kind = event.payload.event_type();
            Value::from(&*match &event.payload {
                SurfacePayload::UserMessage { source, .. } => {
                    format!("{}:{kind}:{}", event.seq, source.kind())
                }
                _ => format!("{}:{kind}", event.seq),
            })
        })
        .collect();
    let conversation = sref::projection::project(&surface, &CheckpointMarkers::STANDARD);
    let items: Vec<Value> = conversation
        .items()
        .iter()
        .map(|item| {
            Object::new()
                .with("role", item.role.as_str())
                .with("text", item.text.to_js_string())
                .into()
        })
        .collect();
    Object::new()
        .with("error", Value::Null)
        .with("title", title)
        .with("compacted", conversation.is_compacted())
        .with("conversation", items)
        .with(
            "capturedThroughSeq",
            open::optional_count(surface.captured_through_seq),
        )
        .with("surface", nodes)
        .into()
}

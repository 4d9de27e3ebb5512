//! The surface of a log while it is read: the fold, and what its current events say
//! (`spec/dsh-store.md` 2).

use std::collections::HashMap;

use sref_session::json::{Kind, RawString};
use sref_session::{Block, JsString, Source, SurfaceEvent, SurfaceFold, SurfacePayload};

use super::format::{EventType, Format};
use super::rewrite::Kept;
use super::shape::{Blocks, Checked, Content, User};
use super::versions::Versions;
use crate::held::Held;
use crate::raw::{Raw, elements};

/// Folds events and keeps the texts of those that are current, until something replaces them.
#[derive(Debug)]
pub(super) struct Surface {
    fold: SurfaceFold,
    nodes: HashMap<u64, Node>,
    keep_texts: bool,
    /// How many more bytes of tool results' data may be kept unread.
    spare: usize,
    /// In a log that has versions, the steps that wait for its end.
    versions: Option<Versions>,
    held: Held,
}

/// How much data of tool results is kept unread.
const UNREAD: usize = 4 << 20;

#[derive(Debug)]
struct Node {
    payload: SurfacePayload,
    tool: Option<Kept>,
}

/// What an event does to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Append,
    Replace { start: u64, end: u64 },
}

/// An event on its way to the surface.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) seq: u64,
    operation: Operation,
    sources: Vec<u64>,
    tool: Option<Kept>,
    inherits_id: bool,
    payload: SurfacePayload,
}

/// An eligible event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'b, 'a> {
    pub(super) seq: u64,
    pub(super) event_type: EventType,
    pub(super) operation: Option<Raw<'a>>,
    pub(super) sources: Option<Raw<'a>>,
    pub(super) data: Raw<'b>,
    pub(super) message: Checked<'b, 'b>,
    /// Whether a tool result takes the id of the one it replaces.
    pub(super) inherits_id: bool,
}

impl Surface {
    /// An empty surface. Without `keep_texts` it checks everything and keeps no text.
    pub(super) fn new(keep_texts: bool, format: &Format) -> Self {
        Self {
            fold: SurfaceFold::new(),
            nodes: HashMap::new(),
            keep_texts,
            spare: UNREAD,
            versions: format.versions.then(Versions::new),
            held: Held::default(),
        }
    }

    /// The texts that are kept.
    pub(super) const fn held(&self) -> Held {
        self.held
    }

    /// Puts an event on the surface; errors in the order of 2.5.
    pub(super) fn apply(&mut self, change: Change<'_, '_>, format: &Format) -> Result<(), String> {
        let step = self.step(change, format)?;
        match &mut self.versions {
            Some(versions) => {
                versions.push(step);
                Ok(())
            }
            None => self.take(step, format),
        }
    }

    /// What an event does, with all of it that outlives its line.
    fn step(&mut self, change: Change<'_, '_>, format: &Format) -> Result<Step, &'static str> {
        let operation = operation(change.operation, format)?;
        let sources = match change.sources {
            Some(list) => sources(list, change.seq, change.event_type, format)?,
            None => Vec::new(),
        };
        let tool = match change.message {
            Checked::Tool(result) => Some(Kept::of(change.data, result.content, &mut self.spare)),
            _ => None,
        };
        let payload = self.payload(change.message);
        texts_of(&payload).for_each(|text| self.held.take(text));
        Ok(Step {
            seq: change.seq,
            operation,
            sources,
            tool,
            inherits_id: change.inherits_id,
            payload,
        })
    }

    fn take(&mut self, step: Step, format: &Format) -> Result<(), String> {
        let Step {
            seq,
            operation,
            sources,
            mut tool,
            inherits_id,
            payload,
        } = step;
        let head = self.system_head();
        let is_system = matches!(payload, SurfacePayload::SystemMessage);
        match operation {
            Operation::Append => {
                let orphan =
                    format.own_kinds && is_system && head.is_none() && self.fold.first().is_some();
                if orphan {
                    return Err("a system message behind a surface that has no system head".into());
                }
                let appended = self.fold.append(seq, &sources);
                appended.map_err(|error| error.kind().to_string())?;
            }
            Operation::Replace { start, end } => {
                let removed = self.fold.replace(seq, start, end, &sources);
                let removed = removed.map_err(|error| error.kind().to_string())?;
                // `spec/dsh-newer.md` 7: the prompt gives way to another prompt alone.
                let over_head = head.is_some() && removed.first().copied() == head;
                if over_head && (!is_system || removed.len() > 1) {
                    return Err("a replacement of the protected system head".into());
                }
                if let Some(kept) = &mut tool {
                    let [target] = removed[..] else {
                        return Err("a tool result in the place of several events".into());
                    };
                    let old = self.nodes.get(&target).and_then(|node| node.tool.as_ref());
                    let old = old.ok_or("a tool result in the place of something else")?;
                    let (mut new, old) = (kept.fingerprint(), old.fingerprint());
                    if inherits_id {
                        new = new.with_id_of(old);
                        *kept = Kept::Read(new);
                    }
                    if !new.may_replace(old) {
                        return Err("a tool result that differs in more than its content".into());
                    }
                }
                for seq in removed {
                    if let Some(node) = self.nodes.remove(&seq) {
                        let texts = texts_of(&node.payload);
                        self.held.give_back(texts.map(JsString::len).sum());
                    }
                }
            }
        }
        self.nodes.insert(seq, Node { payload, tool });
        Ok(())
    }

    /// Takes an event that starts a version, or selects one.
    pub(super) fn version(
        &mut self,
        seq: u64,
        event_type: EventType,
        data: Raw<'_>,
    ) -> Result<(), &'static str> {
        match (&mut self.versions, event_type) {
            (Some(versions), EventType::Version) => versions.start(seq, data),
            (Some(versions), EventType::VersionSelected) => versions.select(data),
            _ => Ok(()),
        }
    }

    /// Folds the version that is selected at the end of the log.
    pub(super) fn settle(&mut self, format: &Format) -> Result<(), String> {
        for step in self
            .versions
            .take()
            .map_or(Vec::new(), Versions::into_steps)
        {
            self.take(step, format)?;
        }
        Ok(())
    }

    /// Puts the result of a call that never returned at the end.
    pub(super) fn append_synthetic_result(&mut self, seq: u64) -> Result<(), String> {
        let appended = self.fold.append(seq, &[]);
        appended.map_err(|error| error.kind().to_string())?;
        let payload = SurfacePayload::ToolResult;
        self.nodes.insert(
            seq,
            Node {
                payload,
                tool: None,
            },
        );
        Ok(())
    }

    /// The system message at the head of the surface, if that is what stands there.
    fn system_head(&self) -> Option<u64> {
        let first = self.fold.first()?;
        let payload = &self.nodes.get(&first)?.payload;
        matches!(payload, SurfacePayload::SystemMessage).then_some(first)
    }

    fn payload(&self, message: Checked<'_, '_>) -> SurfacePayload {
        match message {
            Checked::User(user, blocks) => {
                let source = source(user);
                let keep = self.keep_texts && may_be_projected(&source);
                SurfacePayload::UserMessage {
                    content: if keep { texts(blocks) } else { Vec::new() },
                    display_content: user.envelope.filter(|_| keep).and_then(display_content),
                    source,
                }
            }
            Checked::Assistant(blocks) => SurfacePayload::AssistantMessage {
                content: if self.keep_texts {
                    texts(blocks)
                } else {
                    Vec::new()
                },
            },
            Checked::System => SurfacePayload::SystemMessage,
            Checked::Developer => SurfacePayload::DeveloperMessage,
            Checked::Tool(_) | Checked::NoMessage => SurfacePayload::ToolResult,
        }
    }

    /// The current events in their order.
    pub(super) fn into_events(mut self) -> Vec<SurfaceEvent> {
        let current = self.fold.current().into_iter();
        current
            .filter_map(|seq| {
                let node = self.nodes.remove(&seq)?;
                Some(SurfaceEvent::new(seq, node.payload))
            })
            .collect()
    }
}

/// The texts that a payload holds.
fn texts_of(payload: &SurfacePayload) -> impl Iterator<Item = &JsString> {
    let (content, displayed) = match payload {
        SurfacePayload::UserMessage {
            content,
            display_content,
            ..
        } => (content.as_slice(), display_content.as_deref()),
        SurfacePayload::AssistantMessage { content } => (content.as_slice(), None),
        _ => (Default::default(), None),
    };
    let blocks = content.iter().chain(displayed.unwrap_or_default());
    blocks.filter_map(Block::text)
}

/// The text blocks alone: no projection looks at others.
fn texts(blocks: &Blocks<'_>) -> Vec<Block> {
    blocks
        .texts
        .iter()
        .map(|text: &RawString<'_>| Block::Text(text.decode()))
        .collect()
}

fn source(user: &User<'_>) -> Source {
    let found = user
        .message
        .source
        .and_then(|source| source.members(["kind", "plugin"]));
    let [kind, plugin] = found.map_or([None; 2], |members| members.found);
    let kind = kind.and_then(Raw::decode).unwrap_or_default();
    let is_plugin = kind == *"plugin";
    match plugin.and_then(Raw::decode) {
        Some(plugin) if is_plugin => Source::plugin(plugin),
        _ => Source::new(kind),
    }
}

/// Whether any projection can show a message of this source: a person's words, or a checkpoint.
/// Which plugins write checkpoints is for the projection to say.
fn may_be_projected(source: &Source) -> bool {
    let kind = source.kind();
    source.is_user() || *kind == *"plugin" || *kind == *"compact-checkpoint"
}

/// The prompt without the snapshot that was baked into it (`spec/dsh-store.md` 10.3).
fn display_content(envelope: Raw<'_>) -> Option<Vec<Block>> {
    let content = envelope.member("displayContent")?;
    match Content::read(&mut content.scanner()).ok()? {
        Content::Array(blocks) => Some(texts(&blocks)),
        Content::Other => None,
    }
}

/// 2.2
fn operation(operation: Option<Raw<'_>>, format: &Format) -> Result<Operation, &'static str> {
    const ERROR: &str = "an unknown surface operation";
    let operation = operation.ok_or("a message without a surface operation")?;
    if operation.is_string("append") {
        return Ok(Operation::Append);
    }
    let [start, end] = format.span;
    let members = operation.members(["op", start, end]).ok_or(ERROR)?;
    let [Some(op), start, end] = members.found else {
        return Err(ERROR);
    };
    if members.others || !op.is_string("replace") {
        return Err(ERROR);
    }
    let end_of = |end: Option<Raw<'_>>| {
        end.and_then(Raw::index)
            .ok_or("a replacement without its span")
    };
    Ok(Operation::Replace {
        start: end_of(start)?,
        end: end_of(end)?,
    })
}

/// 2.3, and ranges where the format has them (`spec/dsh-newer.md` 3); duplicates, lateness and
/// coverage are the fold's to check.
pub(super) fn sources(
    list: Raw<'_>,
    seq: u64,
    event_type: EventType,
    format: &Format,
) -> Result<Vec<u64>, &'static str> {
    if list.kind() != Kind::Array {
        return Err("sources that are no array");
    }
    let mut out: Vec<u64> = Vec::new();
    let (mut fault, mut ranges) = (None, false);
    let read = elements(&mut list.scanner(), |scanner| {
        let source = Raw::read(scanner)?;
        let (first, until) = match (source.index(), range(source)) {
            (Some(one), _) => (one, one),
            (None, Some(range)) if format.ranges => {
                ranges = true;
                range
            }
            _ => {
                fault = fault.or(Some("a source that is no event number"));
                return Ok(());
            }
        };
        if until < first || (ranges && until >= seq) {
            fault = fault.or(Some("a range of sources that is none"));
        } else if (out.len() as u64).saturating_add(until - first) <= seq {
            // Among more sources than earlier events one is late or twice; they are not collected.
            out.extend(first..=until);
        }
        Ok(())
    });
    if let (Some(fault), _) | (None, Err(fault)) = (fault, read.map_err(|_| "bad sources")) {
        return Err(fault);
    }
    if ranges && !out.is_sorted_by(|one, other| one < other) {
        return Err("ranges of sources out of order");
    }
    if out.is_empty() && event_type != EventType::AssistantMessage {
        return Err("an empty list of sources");
    }
    Ok(out)
}

/// `[first,last]`
fn range(source: Raw<'_>) -> Option<(u64, u64)> {
    let mut ends = Vec::new();
    let is_array = elements(&mut source.scanner(), |scanner| {
        let end = Raw::read(scanner)?;
        if ends.len() < 3 {
            ends.push(end.index());
        }
        Ok(())
    });
    match (is_array, &ends[..]) {
        (Ok(true), [Some(first), Some(last)]) => Some((*first, *last)),
        _ => None,
    }
}

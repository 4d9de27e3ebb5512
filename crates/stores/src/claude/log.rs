//! A log read once: the tree of its records, their words, and the facts beside them.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use sref_session::{Block, JsString, Source, SurfaceEvent};
use tokio_util::sync::CancellationToken;

use super::chain::{Key, Node, Path, Preserved, live_path};
use super::injected::Said;
use super::record::{Content, Fact, Kept, Record};
use crate::damage::{Breaks, Unknown};
use crate::held::Held;
use crate::lines::{Counts, LineOptions, LongLines, RecordReader, Repairs};
use crate::words::{join, tidy};

/// Everything that matters of one log. Memory follows its words and the number of its records.
#[derive(Debug, Default)]
pub(super) struct Log {
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// Content without a place in the tree, as old versions wrote it.
    loose: Vec<usize>,
    preserved: Vec<Kept>,
    taken_back: HashSet<Key>,
    tip: Option<Key>,
    pub(super) titles: Titles,
    pub(super) cwd: Option<JsString>,
    pub(super) relocated: Option<JsString>,
    pub(super) first_time: Option<JsString>,
    pub(super) last_time: Option<JsString>,
    pub(super) counts: Counts,
    pub(super) unknown: Unknown,
    held: Held,
    /// The number of the last record, from 0.
    pub(super) last_record: Option<u64>,
}

/// Candidates for a title.
#[derive(Debug, Default)]
pub(super) struct Titles {
    pub(super) custom: Option<JsString>,
    pub(super) ai: Option<JsString>,
    pub(super) summaries: Vec<(JsString, Option<Key>)>,
    pub(super) last_prompt: Option<JsString>,
}

#[derive(Debug)]
struct Entry {
    line: u64,
    content: Content,
    message: Option<u64>,
    prompt: Option<u64>,
    meta: bool,
}

/// How lines are read: whole up to 16 MiB. The text of one message is never longer than what a
/// model takes or gives; beyond that lines hold files and pictures.
pub(super) fn line_options() -> LineOptions {
    LineOptions {
        cap: 16 << 20,
        first_cap: 16 << 20,
        long: LongLines::Head(64 << 10),
        ..LineOptions::default()
    }
}

impl Log {
    /// Reads a log. `agent` tells that it is a sub-agent's, whose records are all of a sidechain.
    pub(super) fn read(
        source: impl Read,
        agent: bool,
        cancel: &CancellationToken,
    ) -> io::Result<Option<Self>> {
        let mut log = Self::default();
        let mut records = RecordReader::new(source, line_options(), Repairs::ALL);
        while records.advance()? {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let record = records.record();
            log.last_record = Some(record.position.line - 1);
            if record.cut {
                continue;
            }
            match Record::parse(record.bytes) {
                Ok(parsed) => {
                    log.take(parsed, record.position.line - 1, agent);
                    log.held.check()?;
                }
                Err(_) => log.unknown.add(JsString::new()),
            }
        }
        log.counts = records.counts();
        Ok(Some(log))
    }

    fn take(&mut self, record: Record, line: u64, agent: bool) {
        self.unknown.add_all(record.unknown);
        if self.cwd.is_none() {
            self.cwd = record.cwd.filter(|cwd| !cwd.is_empty());
        }
        if record.timestamp.is_some() {
            if self.first_time.is_none() {
                self.first_time.clone_from(&record.timestamp);
            }
            if record.uuid.is_some() {
                self.last_time = record.timestamp;
            }
        }
        let boundary = matches!(record.fact, Fact::Boundary(_))
            || matches!(record.content, Content::Summary(_));
        match record.fact {
            Fact::None => {}
            Fact::Relocated(cwd) => self.relocated = Some(cwd),
            Fact::Boundary(kept) => self.preserved.extend(kept),
            Fact::Retracted(keys) => self.taken_back.extend(keys),
            Fact::LastPrompt(prompt, leaf) => {
                self.titles.last_prompt = prompt.or(self.titles.last_prompt.take());
                self.tip = leaf;
            }
            fact => self.titles.take(fact),
        }
        let sidechain = record.sidechain && !agent;
        if !sidechain {
            self.unknown.add_words(record.unread);
        }
        if record.uuid.is_none() {
            if record.content == Content::Nothing || sidechain {
                return;
            }
            self.loose.push(self.nodes.len());
        }
        self.nodes.push(Node {
            // A record without a key cannot be named; the number only keeps it apart.
            key: record.uuid.unwrap_or(Key::MAX - self.nodes.len() as Key),
            parent: record.parent.filter(|_| record.uuid.is_some()),
            visible: record.content != Content::Nothing && !sidechain,
            sidechain,
            boundary,
            answer: record.answer,
        });
        let content = if sidechain {
            Content::Nothing
        } else {
            record.content
        };
        content.texts().for_each(|text| self.held.take(text));
        self.entries.push(Entry {
            line,
            content,
            message: record.message,
            prompt: record.prompt,
            meta: record.meta,
        });
    }

    /// The live path through the records.
    fn path(&self) -> Path {
        let parents: HashMap<Key, Option<Key>> =
            if self.preserved.iter().any(|kept| kept.segment.is_some()) {
                let links = self.nodes.iter().map(|node| (node.key, node.parent));
                links.collect()
            } else {
                HashMap::new()
            };
        let preserved: Vec<Preserved> = self
            .preserved
            .iter()
            .filter_map(|kept| preserved(kept, &parents))
            .collect();
        let mut path = live_path(&self.nodes, &preserved, self.tip);
        // What has no place in the tree is shown by its place in the file.
        path.others.retain(|at| {
            self.loose.binary_search(at).is_err() && !self.taken_back.contains(&self.nodes[*at].key)
        });
        path.breaks.roots = path.others.len() as u64;
        if path.nodes.len() < self.nodes.len() && !self.loose.is_empty() {
            path.nodes = self.with_loose(&path.nodes);
        }
        path
    }

    /// The path with the content that has no place in the tree, by its place in the file.
    fn with_loose(&self, path: &[usize]) -> Vec<usize> {
        let on_path: HashSet<usize> = path.iter().copied().collect();
        let mut loose = self
            .loose
            .iter()
            .copied()
            .filter(|at| !on_path.contains(at))
            .peekable();
        let mut out = Vec::with_capacity(path.len() + self.loose.len());
        for at in path {
            while let Some(earlier) = loose.next_if(|loose| loose < at) {
                out.push(earlier);
            }
            out.push(*at);
        }
        out.extend(loose);
        out
    }

    /// The conversation as a surface, and how often its chain is broken.
    pub(super) fn surface(mut self) -> (Vec<SurfaceEvent>, Breaks) {
        let path = self.path();
        let mut events = Vec::new();
        let mut answer: Option<(u64, Option<u64>, Vec<JsString>)> = None;
        for (place, at) in path.nodes.iter().copied().enumerate() {
            let node = self.nodes[at];
            if node.sidechain || self.taken_back.contains(&node.key) {
                continue;
            }
            let content = std::mem::take(&mut self.entries[at].content);
            let entry = &self.entries[at];
            // Parts of one answer follow each other directly; anything between ends it.
            if let Some((seq, message, texts)) = &mut answer {
                if entry.message.is_some() && entry.message == *message {
                    if let Content::Answer(more) = &content {
                        for text in more {
                            merge(texts, text);
                        }
                    }
                    continue;
                }
                events.push(answer_event(*seq, texts));
                answer = None;
            }
            match content {
                Content::Nothing => {}
                Content::Answer(texts) => answer = Some((entry.line, entry.message, texts)),
                Content::Summary(summary) => {
                    let source = Source::new("compact-checkpoint");
                    events.push(SurfaceEvent::user(
                        entry.line,
                        source,
                        vec![Block::Text(summary)],
                    ));
                }
                Content::Prompt(said) => {
                    let answered = self.answered(&path.nodes[place + 1..], entry.prompt);
                    if let Some(text) = prompt_text(&said, answered) {
                        events.push(SurfaceEvent::user(
                            entry.line,
                            Source::user(),
                            vec![Block::Text(text)],
                        ));
                    }
                }
            }
        }
        if let Some((seq, _, texts)) = &answer {
            events.push(answer_event(*seq, texts));
        }
        (events, path.breaks)
    }

    /// Whether a turn followed a command: an answer, or the prompt that it stands for.
    fn answered(&self, rest: &[usize], prompt: Option<u64>) -> bool {
        for at in rest {
            let entry = &self.entries[*at];
            match &entry.content {
                Content::Answer(_) => return true,
                Content::Prompt(_) => return false,
                Content::Nothing if entry.meta && prompt.is_some() && entry.prompt == prompt => {
                    return true;
                }
                Content::Nothing | Content::Summary(_) => {}
            }
        }
        false
    }

    /// How many records have the id of a later one and words that it has not. Copies, and the states
    /// of a text that grew, lose nothing.
    pub(super) fn same_ids(&self) -> u64 {
        let mut last: HashMap<Key, usize> = HashMap::new();
        let mut lost = 0;
        for (at, node) in self.nodes.iter().enumerate().rev() {
            match last.get(&node.key) {
                None => {
                    last.insert(node.key, at);
                }
                Some(_) if self.taken_back.contains(&node.key) => {}
                Some(later) => {
                    let (own, later) = (&self.entries[at].content, &self.entries[*later].content);
                    lost += u64::from(!later.covers(own));
                }
            }
        }
        lost
    }

    /// The title, by the order of who gave it; `None` when nobody did.
    pub(super) fn title(&self) -> Option<JsString> {
        let in_file = |leaf: &Option<Key>| {
            leaf.is_some_and(|leaf| self.nodes.iter().any(|node| node.key == leaf))
        };
        self.titles.given(in_file)
    }

    /// The keys of all records: what tells a copy from a session of its own.
    pub(super) fn keys(&self) -> HashSet<Key> {
        self.nodes.iter().map(|node| node.key).collect()
    }
}

impl Titles {
    /// Takes the facts that name a title. Blank ones take none away.
    pub(super) fn take(&mut self, fact: Fact) {
        let filled = |title: &JsString| !title.as_wtf8().trim_ascii().is_empty();
        match fact {
            Fact::CustomTitle(title) if filled(&title) => self.custom = Some(title),
            Fact::AiTitle(title) if filled(&title) => self.ai = Some(title),
            Fact::Summary(title, leaf) if filled(&title) => self.summaries.push((title, leaf)),
            _ => {}
        }
    }

    /// A given title: a person's, a generated one, a summary of this very session.
    pub(super) fn given(&self, in_file: impl Fn(&Option<Key>) -> bool) -> Option<JsString> {
        let summary = || {
            self.summaries
                .iter()
                .rev()
                .find(|(_, leaf)| in_file(leaf))
                .map(|(title, _)| title)
        };
        let title = self.custom.as_ref().or(self.ai.as_ref()).or_else(summary)?;
        Some(tidy(title))
    }
}

/// The text of a prompt. A command that no turn followed never reached a model.
pub(super) fn prompt_text(said: &[Said], answered: bool) -> Option<JsString> {
    let texts = said.iter().filter_map(|said| match said {
        Said::Words(text) => Some(text),
        Said::Command(text) if answered => Some(text),
        _ => None,
    });
    let mut text = JsString::new();
    join(&mut text, texts);
    (!text.is_empty()).then_some(text)
}

/// Adds a part of an answer. While an answer streams, some versions write ever longer copies of it.
fn merge(texts: &mut Vec<JsString>, more: &JsString) {
    match texts.last_mut() {
        Some(last) if more.as_wtf8().starts_with(last.as_wtf8()) => last.clone_from(more),
        Some(last) if last.as_wtf8().starts_with(more.as_wtf8()) => {}
        _ => texts.push(more.clone()),
    }
}

fn answer_event(seq: u64, texts: &[JsString]) -> SurfaceEvent {
    SurfaceEvent::assistant(seq, texts.iter().cloned().map(Block::Text).collect())
}

fn preserved(kept: &Kept, parents: &HashMap<Key, Option<Key>>) -> Option<Preserved> {
    let anchor = kept.anchor?;
    let Some((head, tail)) = kept.segment else {
        return Some(Preserved {
            anchor,
            kept: kept.uuids.clone(),
        });
    };
    // The older form: from the tail up to the head.
    let mut list = Vec::new();
    let mut seen = HashSet::new();
    let mut at = Some(tail);
    while let Some(key) = at.filter(|key| seen.insert(*key)) {
        list.push(key);
        if key == head {
            break;
        }
        at = *parents.get(&key)?;
    }
    list.reverse();
    Some(Preserved { anchor, kept: list })
}

//! Script → event log of the dsh format, version 0 (`spec/dsh-store.md` 1, 2, 4.3, 8.1).

use std::collections::{BTreeMap, VecDeque};

use sref_session::json::{Object, Value};

use super::events::{Events, numbers};
use super::script::{Part, Script};
use super::{Kind, Sample};

/// A log in the making: its lines, and where the session stands.
pub(super) struct Log {
    events: Events,
    turn: u64,
    step: u64,
    turn_open: bool,
    step_open: bool,
    /// The answer that is being collected: it ends with the first block that is no part of it.
    answer: Option<Answer>,
    reasoning: Option<String>,
    /// Calls without a result so far: id and name.
    waiting: VecDeque<(String, String)>,
    /// The first prompt, for titles.
    first_prompt: Option<u64>,
    /// What the first step of the session's own is followed by.
    title: Option<&'static str>,
    ends: Vec<TurnEnd>,
}

#[derive(Default)]
struct Answer {
    reasoning: Option<String>,
    /// Absent when the model only called tools.
    text: Option<String>,
    streamed: bool,
    /// Name and arguments.
    calls: Vec<(String, String)>,
}

/// What a fork needs to know of the moment after a turn.
struct TurnEnd {
    lines: usize,
    seq: u64,
    surface: usize,
}

impl Log {
    /// Writes the log of a sample; `done` are the logs written so far.
    pub(super) fn write(
        sample: &Sample,
        script: &Script<'_>,
        done: &BTreeMap<&str, Self>,
    ) -> Result<Self, &'static str> {
        let mut log = Self::begin(sample, done)?;
        let mut context = Vec::new();
        let mut cut = false;
        for part in &script.parts {
            log.part(part, &mut context)?;
            cut |= *part == Part::Cut;
        }
        log.flush();
        if !cut {
            log.end_turn()?;
        }
        Ok(log)
    }

    /// The file.
    pub(super) fn to_text(&self) -> String {
        self.events.to_text()
    }

    fn begin(sample: &Sample, done: &BTreeMap<&str, Self>) -> Result<Self, &'static str> {
        let mut header = Object::new()
            .with("type", "session")
            .with("version", 0_u64)
            .with("id", sample.id)
            .with("createdAt", sample.created_at);
        if let Some(cwd) = sample.cwd {
            header.set("cwd", cwd);
        }
        let mut log = Self {
            events: Events::new(sample.id, sample.created_at + 20),
            turn: 0,
            step: 0,
            turn_open: false,
            step_open: false,
            answer: None,
            reasoning: None,
            waiting: VecDeque::new(),
            first_prompt: None,
            title: sample.title,
            ends: Vec::new(),
        };
        match sample.kind {
            Kind::Plain => header.set("delegationDepth", 0_u64),
            Kind::Subagent { parent } => {
                done.get(parent).ok_or("no such parent")?;
                header.set("parentSession", parent);
                header.set("origin", "subagent");
                header.set("delegationDepth", 1_u64);
                header.set("agentPreset", "reviewer");
            }
            Kind::Fork { parent, turns } => {
                let source = done.get(parent).ok_or("no such parent")?;
                let at = turns.checked_sub(1).and_then(|at| source.ends.get(at));
                let end = at.ok_or("no such turn")?;
                header.set("parentSession", parent);
                header.set("seedLength", end.seq);
                header.set("delegationDepth", 0_u64);
                log.events
                    .lines
                    .extend_from_slice(&source.events.lines[1..end.lines]);
                log.events
                    .surface
                    .extend_from_slice(&source.events.surface[..end.surface]);
                log.events.seq = end.seq;
                log.turn = u64::try_from(turns).map_err(|_| "too many turns")?;
                log.first_prompt = source.first_prompt;
                log.events.event("session/end-seed", Object::new());
            }
        }
        log.events.lines[0] = header.into();
        Ok(log)
    }

    fn part(
        &mut self,
        part: &Part<'_>,
        context: &mut Vec<(String, String)>,
    ) -> Result<(), &'static str> {
        match part {
            Part::Context { kind, text } => context.push(((*kind).to_owned(), text.clone())),
            Part::User { text } => {
                self.flush();
                self.end_turn()?;
                self.begin_turn(text, std::mem::take(context));
            }
            Part::Reasoning { text } => {
                self.flush();
                self.reasoning = Some(text.clone());
            }
            Part::Assistant { text, streamed } => {
                self.flush();
                let answer = self.answer()?;
                answer.text = Some(text.clone());
                answer.streamed = *streamed;
            }
            Part::Call { name, arguments } => {
                sref_session::json::parse(arguments.as_bytes())
                    .map_err(|_| "arguments that are no JSON")?;
                let call = ((*name).to_owned(), (*arguments).to_owned());
                self.answer()?.calls.push(call);
            }
            Part::Result { text } => {
                self.flush();
                self.result(text)?;
            }
            Part::Compact { text } => {
                self.flush();
                self.end_turn()?;
                self.compact(text)?;
            }
            Part::Cut => {}
        }
        Ok(())
    }

    /// The answer that is being collected; a new one when there is none.
    fn answer(&mut self) -> Result<&mut Answer, &'static str> {
        if !self.turn_open || !self.waiting.is_empty() {
            return Err("an answer that nobody waits for");
        }
        let reasoning = &mut self.reasoning;
        Ok(self.answer.get_or_insert_with(|| Answer {
            reasoning: reasoning.take(),
            ..Answer::default()
        }))
    }

    /// The members with which most payloads begin.
    fn place(&self) -> Object {
        Object::new()
            .with("turn", self.turn)
            .with("step", self.step)
    }

    fn begin_turn(&mut self, prompt: &str, context: Vec<(String, String)>) {
        self.events.time += 60_000 + i64::try_from(prompt.len()).unwrap_or(0) * 40;
        self.turn += 1;
        self.step = 0;
        self.turn_open = true;
        self.events
            .event("turn/start", Object::new().with("turn", self.turn));
        self.begin_step();
        for (kind, text) in context {
            let source = Object::new()
                .with("kind", kind)
                .with("form", "instructions")
                .with("baseline", true)
                .with("changes", Vec::new());
            self.user_message(&[&text], source);
        }
        let seq = self.user_message(&[prompt], Object::new().with("kind", "user"));
        if self.first_prompt.is_none() {
            self.first_prompt = Some(seq);
            let config = model(Object::new());
            let header = Object::new()
                .with("config", config)
                .with("system", "You are a coding agent.");
            let data = Object::new()
                .with("header", header)
                .with("reason", "initial");
            self.events.event("request/header", data);
        }
    }

    fn user_message(&mut self, texts: &[&str], source: Object) -> u64 {
        let data = self.user_data(texts, source);
        self.events.append("user/message", data, Vec::new())
    }

    fn user_data(&self, texts: &[&str], source: Object) -> Object {
        let content: Vec<Value> = texts.iter().map(|text| text_block(text)).collect();
        Object::new()
            .with("content", content)
            .with("source", source)
            .with("role", "user")
            .with("id", self.events.uuid())
    }

    fn begin_step(&mut self) {
        self.step += 1;
        self.step_open = true;
        self.events.event("step/start", self.place());
    }

    fn end_step(&mut self) {
        if !self.step_open {
            return;
        }
        self.events.event("step/end", self.place());
        self.step_open = false;
        if let Some(title) = self.title.take() {
            self.write_title(title);
        }
    }

    /// Ends the turn, if one is open.
    fn end_turn(&mut self) -> Result<(), &'static str> {
        if !self.turn_open {
            return Ok(());
        }
        if !self.waiting.is_empty() {
            return Err("a call without a result");
        }
        self.end_step();
        let reason = Object::new().with("kind", "completed");
        let data = Object::new().with("turn", self.turn).with("reason", reason);
        self.events.event("turn/end", data);
        self.turn_open = false;
        self.ends.push(TurnEnd {
            lines: self.events.lines.len(),
            seq: self.events.seq,
            surface: self.events.surface.len(),
        });
        Ok(())
    }

    fn write_title(&mut self, title: &str) {
        let source = Object::new()
            .with("kind", "provider")
            .with("provider", "sample")
            .with("model", model(Object::new()));
        let data = Object::new()
            .with("title", title)
            .with("messageSeqs", numbers(self.first_prompt.as_slice()))
            .with("source", source);
        self.events.event("session/title", data);
    }

    /// Writes the answer that was collected, and its calls.
    fn flush(&mut self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        if !self.step_open {
            self.begin_step();
        }
        let mut content = Vec::new();
        let mut sources = Vec::new();
        let kinds = [
            ("reasoning", answer.reasoning.as_deref()),
            ("text", answer.text.as_deref()),
        ];
        for (index, (kind, text)) in (0_u64..).zip(kinds) {
            let Some(text) = text else { continue };
            let block = Object::new().with("type", kind).with("text", text);
            content.push(block.into());
            if answer.streamed {
                let place = self.place();
                sources.extend(self.events.chunks(kind, index, text, place));
            }
        }
        let ids: Vec<String> = (1..=answer.calls.len())
            .map(|at| format!("call_{}_{at}", self.events.seq))
            .collect();
        for (id, (name, arguments)) in ids.iter().zip(&answer.calls) {
            let block = Object::new()
                .with("type", "tool-call")
                .with("id", id.as_str())
                .with("name", name.as_str())
                .with("arguments", arguments.as_str());
            content.push(block.into());
        }
        let message = Object::new()
            .with("role", "assistant")
            .with("content", content)
            .with("source", model(Object::new().with("kind", "model")))
            .with("id", self.events.uuid());
        let data = self.place().with("message", message);
        self.events.append("assistant/message", data, sources);
        for (id, (name, arguments)) in ids.into_iter().zip(answer.calls) {
            let data = self
                .place()
                .with("callId", id.as_str())
                .with("name", name.as_str())
                .with("arguments", arguments.as_str());
            self.events.event("tool/call", data);
            self.waiting.push_back((id, name));
        }
        if self.waiting.is_empty() {
            self.end_step();
        }
    }

    fn result(&mut self, text: &str) -> Result<(), &'static str> {
        let (id, _) = self.waiting.pop_front().ok_or("a result without a call")?;
        self.events.time += 900;
        let block = Object::new()
            .with("type", "tool-result")
            .with("toolCallId", id.as_str())
            .with("content", vec![text_block(text)])
            .with("isError", false);
        let source = Object::new()
            .with("kind", "tool")
            .with("callId", id.as_str());
        let message = Object::new()
            .with("source", source)
            .with("content", vec![block.into()])
            .with("role", "user")
            .with("id", self.events.uuid());
        let data = self.place().with("message", message);
        self.events.append("tool/result", data, Vec::new());
        if self.waiting.is_empty() {
            self.end_step();
        }
        Ok(())
    }

    /// Replaces the whole surface by a summary, as a manual compaction does.
    fn compact(&mut self, summary: &str) -> Result<(), &'static str> {
        let shadowed = std::mem::take(&mut self.events.surface);
        let (Some(start), Some(end)) = (shadowed.first(), shadowed.last()) else {
            return Err("nothing to compact");
        };
        let id = self.events.uuid();
        let base = || {
            Object::new()
                .with("compactionId", id.as_str())
                .with("turn", Value::Null)
        };
        let started = self.events.event("compaction/start", base());
        let range = Object::new().with("start", *start).with("end", *end);
        let mut data = Object::new()
            .with("compactionId", id.as_str())
            .with("summary", vec![text_block(summary)])
            .with("shadowedRange", range.clone())
            .with("shadowedSeqs", numbers(&shadowed))
            .with("shadowedTokenCount", 2100_u64);
        data = model(data);
        let summarised = self.events.event("compaction/summary", data);
        let source = Object::new()
            .with("kind", "plugin")
            .with("plugin", "compact")
            .with("compactionId", id.as_str());
        let texts = [
            "The conversation so far was summarised to save context.\n\n<compacted-summary>",
            summary,
            "</compacted-summary>",
        ];
        let mut operation = Object::new().with("op", "replace");
        for (key, value) in range.iter() {
            operation.set(key.clone(), value.clone());
        }
        let sources = [&[started, summarised], shadowed.as_slice()].concat();
        let data = self.user_data(&texts, source);
        let seq =
            self.events
                .surface_event("user/message", data, Some((sources, operation.into())));
        self.events.surface.push(seq);
        self.events.event("compaction/end", base());
        Ok(())
    }
}

/// The model of all samples.
fn model(object: Object) -> Object {
    object.with("provider", "sample").with("model", "sample-1")
}

fn text_block(text: &str) -> Value {
    Object::new().with("type", "text").with("text", text).into()
}

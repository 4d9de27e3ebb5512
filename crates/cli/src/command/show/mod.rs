mod draw;

use sref::projection::{Conversation, Identity, Retained, Text, project, retain};
use sref::query::SessionRecord;
use sref::session::json::{Object, Value};
use sref::session::{JsString, SurfaceSnapshot};
use sref_stores::Diagnostic;

use crate::console;
use crate::failure::{Failure, code};
use crate::options::{Carriage, Format, Spelling, Stores};
use crate::reader::Reader;
use crate::term::human::{ago, many};
use crate::term::progress::Progress;
use crate::term::visible;
use draw::{Message, Picture};

const EXAMPLES: &str = "\
Examples:
  sref show 3f9c                   how the budget is spent, message by message
  sref show 3f9c --text            the messages as they would be quoted
  sref show 3f9c --full            the whole conversation, without a budget
  sref show 3f9c --from 12         the conversation from the 12th message on, without a budget
  sref show 3f9c --budget 4096 --json

A full bar is text that is carried, a light one text that is not.

JSON: {sessionId, agent, title?, label, cwd?, createdAt, capturedThroughSeq?, conversation: [{role,
text, checkpoint?, omittedBytes?}], stats, diagnostics}; dropped messages are counted in stats.";

/// How wide the picture is where nobody says how wide the terminal is.
const COLUMNS: usize = 80;
/// Where the first words of a message are looked for, in bytes.
const LOOKED_AT: usize = 4096;

/// Show what a reference to a session would carry, and what it costs
///
/// The conversation is what the session shows its model now: what a person and the model said,
/// and the summary of a compaction in the place of what it replaced. Tools, reasoning and injected
/// context are never part of it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session's id, or a unique beginning of it
    id: String,
    /// Print the messages as they would be quoted
    #[arg(long)]
    text: bool,
    /// Print the whole conversation, without a budget
    #[arg(long, conflicts_with_all = ["budget", "window"])]
    full: bool,
    /// Print the conversation from this message on, counted from 1, without a budget
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["budget", "window"])]
    from: Option<u64>,
    #[command(flatten)]
    carriage: Carriage,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    pub(super) format: Format,
}

/// A session, and what a reference to it carries.
struct Shown<'a> {
    record: &'a SessionRecord,
    surface: &'a SurfaceSnapshot,
    title: Option<&'a JsString>,
    conversation: &'a Conversation<'a>,
    retained: &'a Retained,
    /// Absent when there is none.
    budget: Option<usize>,
    diagnostics: &'a [Diagnostic],
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let progress = Progress::start("Reading the session");
        let reader = Reader::open(&self.stores)?;
        let dialect = self.spelling.dialect();
        let record = reader.find(&self.id, &self.spelling)?;
        let seen = reader.observe(&record.header.id)?;
        let surface = seen.surface;
        let title = reader.title(&record.header.id)?;
        let mut diagnostics = reader.diagnostics(&record.header.id);
        let others = diagnostics.len();
        diagnostics.extend(seen.diagnostics);
        drop(progress);

        let conversation = project(&surface, dialect.checkpoints());
        let conversation = match self.from {
            Some(from) => from_message(&conversation, from)?,
            None => conversation,
        };
        let full = self.full || self.from.is_some();
        let label = title.as_ref().unwrap_or(surface.header.id.as_js_string());
        let identity = Identity::of_surface(&surface, label.as_js_str());
        let budget = (!full).then(|| self.carriage.budget());
        let retained = retain(
            &identity,
            &conversation,
            budget.unwrap_or(usize::MAX),
            self.carriage.retention.get(),
            self.carriage.profile.get(),
        )
        .map_err(|error| Failure::of(error.code(), &error))?;
        let shown = Shown {
            record: &record,
            surface: &surface,
            title: title.as_ref(),
            conversation: &conversation,
            retained: &retained,
            budget,
            diagnostics: &diagnostics,
        };
        if self.format.json {
            return console::print_json(&shape(&shown));
        }
        let columns = console::columns().unwrap_or(COLUMNS);
        let picture = picture(&shown);
        console::print(&if self.text || full {
            draw::text(&picture, columns)
        } else {
            draw::overview(&picture, columns)
        })?;
        if let Some(note) = super::doctor::missing_words(&diagnostics[others..]) {
            console::say(&format!("note: {note}"));
        }
        for own in &diagnostics[..others] {
            let path = own.path.to_string_lossy();
            let note = format!("note: {path}: {}", super::doctor::detail(own));
            console::say(&visible::line(note.as_str().into()));
        }
        Ok(())
    }
}

/// The conversation from a message on, counted from 1.
///
/// # Errors
///
/// When it has fewer: what it has is not nothing. The first one of none is where it would be.
fn from_message<'a>(
    conversation: &Conversation<'a>,
    from: u64,
) -> Result<Conversation<'a>, Failure> {
    let items = conversation.items();
    let passed = usize::try_from(from - 1).unwrap_or(usize::MAX);
    if passed > 0 && passed >= items.len() {
        let has = many(items.len() as u64, "message");
        return Err(Failure::new(
            code::NO_MESSAGE,
            format!("no message {from}: the session has {has} now"),
        ));
    }
    Ok(items.iter().skip(passed).copied().collect())
}

/// `{code, path, detail}`
fn diagnostic(own: &Diagnostic) -> Value {
    Object::new()
        .with("code", own.code())
        .with("path", super::path(&own.path))
        .with("detail", super::doctor::detail(own))
        .into()
}

/// What can be drawn of it.
fn picture(shown: &Shown<'_>) -> Picture {
    let header = &shown.surface.header;
    let mut facts: Vec<String> = shown.record.agent.iter().map(ToString::to_string).collect();
    let then = shown.record.updated_at.unwrap_or(header.created_at);
    facts.push(ago(then, super::now()));
    facts.extend(header.cwd.iter().map(|cwd| visible::line(cwd.as_js_str())));
    let mut messages: Vec<Message> = shown
        .conversation
        .items()
        .iter()
        .map(|item| Message {
            role: item.role,
            checkpoint: item.checkpoint,
            total: item.text.len(),
            shown: 0,
            text: None,
            words: words(&item.text),
        })
        .collect();
    for kept in &shown.retained.kept {
        let message = &mut messages[kept.index];
        let omitted = usize::try_from(kept.omitted_bytes).unwrap_or(usize::MAX);
        message.shown = message.total.saturating_sub(omitted);
        message.text = Some(visible::lines(kept.shown.as_js_str()));
    }
    Picture {
        title: super::title_line(shown.title),
        id: visible::line(header.id.as_js_str()),
        facts,
        rendered: shown.retained.rendered.len(),
        budget: shown.budget,
        messages,
    }
}

/// The first words of a text. A text can be long, and a line is short.
fn words(text: &Text<'_>) -> String {
    let text = text.to_js_string();
    let text = text.as_js_str();
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_boundary(end) {
        end -= 1;
    }
    visible::line(text.slice(0..end))
}

/// `{sessionId, agent, title?, label, cwd?, createdAt, capturedThroughSeq?, conversation, stats,
/// diagnostics}`
fn shape(shown: &Shown<'_>) -> Value {
    let header = &shown.surface.header;
    let id = header.id.as_js_string();
    let mut out = Object::new().with("sessionId", id.clone());
    if let Some(agent) = &shown.record.agent {
        out.set("agent", agent.as_ref());
    }
    if let Some(title) = shown.title {
        out.set("title", title.clone());
    }
    out.set("label", shown.title.unwrap_or(id).clone());
    if let Some(cwd) = &header.cwd {
        out.set("cwd", cwd.clone());
    }
    out.set("createdAt", header.created_at);
    if let Some(seq) = shown.surface.captured_through_seq {
        out.set("capturedThroughSeq", seq);
    }
    let conversation: Vec<Value> = shown
        .retained
        .kept
        .iter()
        .map(|kept| {
            let item = &shown.conversation.items()[kept.index];
            let mut out = Object::new()
                .with("role", item.role.as_str())
                .with("text", kept.shown.clone());
            if item.checkpoint {
                out.set("checkpoint", true);
            }
            if kept.omitted_bytes > 0 {
                out.set("omittedBytes", kept.omitted_bytes);
            }
            out.into()
        })
        .collect();
    let diagnostics: Vec<Value> = shown.diagnostics.iter().map(diagnostic).collect();
    let facts = &shown.retained.facts;
    let mut stats = Object::new()
        .with("compacted", facts.compacted)
        .with("originalMessages", facts.original_messages)
        .with("retainedMessages", facts.retained_messages)
        .with("omittedMessages", facts.omitted_messages)
        .with("omittedBytes", facts.omitted_bytes)
        .with("truncated", facts.truncated)
        .with("renderedBytes", shown.retained.rendered.len() as u64);
    if let Some(budget) = shown.budget {
        stats.set("budgetBytes", budget as u64);
    }
    out.with("conversation", conversation)
        .with("stats", stats)
        .with("diagnostics", diagnostics)
        .into()
}

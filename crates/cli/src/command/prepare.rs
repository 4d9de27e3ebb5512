use std::io::{self, IsTerminal as _, Read as _};
use std::sync::Arc;

use clap::CommandFactory as _;
use clap::error::ErrorKind;
use sref::service::{ContextMessage, Search, SourceRecord};
use sref::session::json::{Object, Value};
use sref::session::{Block, JsStr, JsString, Placement};
use sref::uri::{Extracted, LeftAsText, LeftReason, extract};
use sref_delivery::{Failure as Unresolved, canonical, missing_words, readable_mentions};

use super::Cli;
use crate::console;
use crate::failure::Failure;
use crate::options::{Carriage, Format, MentionsName, Own, Spelling, Stores};
use crate::reader::{self, Reader};
use crate::term::human::{count, many, tokens};
use crate::term::progress::Progress;
use crate::term::style::{FAINT, paint};
use crate::term::table::{Align, lines};
use crate::term::visible;

const EXAMPLES: &str = "\
Examples:
  sref prepare \"As in $(sref mention 3f9c), fix the cookie\"
  sref prepare 'As in @sref:3f9c, fix the cookie'
  sref prepare --json < prompt.txt | jq -r .additionalContext
  sref prepare --window 200000 --retention exact < prompt.txt

The message comes first, then the context for the model (dsh-0.0.1 has them the other way round). A
receipt on stderr says what was carried and what was left out. A text without mentions comes back as
it is, and no store is read. A mention that finds no session, or several, is an error.

JSON: {content, additionalContext, receipt: {references, contextBytes, leftAsText, losses}};
additionalContext is null when nothing is cited. losses: [{sessionId, code, reason, count?}], why
words of a session may be missing though it could be read.";

/// Turn a text with mentions into the message and its context
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The text; `-` or none: standard input
    text: Option<String>,
    /// The most bytes of all referenced sessions together, shared by need
    #[arg(
        long,
        value_name = "BYTES",
        help_heading = "References",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    total_budget: Option<u64>,
    /// How mentions are found
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value_t,
        help_heading = "References"
    )]
    mentions: MentionsName,
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    carriage: Carriage,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    pub(super) format: Format,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let text = self.canonical(input(self.text.as_deref())?)?;
        let schemes = self.spelling.schemes();
        let extracted = extract(text.as_js_str(), &schemes, &self.mentions.get())?;
        let context = if extracted.references.is_empty() {
            None
        } else {
            self.context(&extracted)?
        };
        if self.format.json {
            return console::print_json(&shape(&extracted, context.as_ref()));
        }
        let mut parts = vec![extracted.text.clone()];
        parts.extend(context.as_ref().map(context_text));
        if self.spelling.dialect().placement() == Placement::Before {
            parts.reverse();
        }
        let mut answer = JsString::new();
        for (at, part) in parts.iter().enumerate() {
            answer.push_str(if at > 0 { "\n\n" } else { "" });
            answer.push(part.as_js_str());
        }
        console::print_exact(answer.as_js_str())?;
        for left in &extracted.left_as_text {
            console::say(&remark(left, text.as_js_str()));
        }
        if let Some(context) = &context {
            console::say(receipt(context).trim_end());
        }
        Ok(())
    }

    /// The text with its readable mentions (`@sref:3f9c`) in their canonical form, called by their
    /// titles. One that names no session, or several, fails the command, as any other reference that
    /// cannot be read does: what a script passes on is whole.
    fn canonical(&self, text: JsString) -> Result<JsString, Failure> {
        if self.mentions == MentionsName::Seed {
            return Ok(text);
        }
        let readable = readable_mentions(text.as_js_str());
        if readable.is_empty() {
            return Ok(text);
        }
        let reader = Reader::open(&self.stores)?;
        let known = reader.known(&readable);
        reader.remark();
        let known = known?;
        let dialect = self.spelling.dialect();
        let text = text.as_js_str();
        let done = canonical(text, &readable, &known, Search::Folding, &dialect);
        match done.failures.first() {
            None => Ok(done.text),
            Some(first) => {
                let told: Vec<String> = done.failures.iter().map(Unresolved::receipt).collect();
                Err(Failure::new(first.code, told.join("; ")))
            }
        }
    }

    fn context(&self, extracted: &Extracted) -> Result<Option<ContextMessage>, Failure> {
        let _progress = Progress::start("Reading the sessions");
        let reader = Reader::open(&self.stores)?;
        // Only what was typed as the beginning of an id needs a listing.
        let records = match self.own.session {
            Some(_) => reader.list()?,
            None => Arc::default(),
        };
        let own = reader::own_id(self.own.session.as_deref(), &records)?;
        let resolver = self
            .carriage
            .resolver(reader.corpus())?
            .with_dialect(self.spelling.dialect())
            .with_shared_budget(
                self.total_budget
                    .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            );
        let content = vec![Block::Text(extracted.text.clone())];
        let prepared =
            reader.wait(|cancel| resolver.prepare(&own, content, &extracted.references, cancel));
        reader.remark();
        let context = prepared?.context;
        if let Some(context) = &context {
            for (own, losses) in context.references.iter().zip(&context.losses) {
                if let Some(note) = missing_words(losses) {
                    let id = visible::line(own.session_id.as_js_str());
                    let where_to = super::doctor::SAYS_WHERE;
                    console::say(&format!("note: {id}: {note}; {where_to}"));
                }
            }
        }
        Ok(context)
    }
}

/// The text that is worked on: the argument, else standard input.
///
/// Input that is no UTF-8 reads like in JavaScript, with U+FFFD in its place: a prompt with one
/// stray byte is still a prompt. It is said aloud.
fn input(given: Option<&str>) -> Result<JsString, Failure> {
    if let Some(given) = given.filter(|given| *given != "-") {
        return Ok(given.into());
    }
    let mut stdin = io::stdin().lock();
    if given.is_none() && stdin.is_terminal() {
        let message = "no TEXT: give it as an argument or on standard input";
        return Err(Failure::Usage(wrong_usage(message)));
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes)?;
    // The line end that a shell puts behind a text is no part of it.
    if bytes.ends_with(b"\n") {
        bytes.truncate(bytes.len() - if bytes.ends_with(b"\r\n") { 2 } else { 1 });
    }
    String::from_utf8(bytes).map_or_else(
        |error| {
            let at = error.utf8_error().valid_up_to();
            console::say(&format!(
                "note: the text is not UTF-8 from byte {} on; unreadable bytes became U+FFFD",
                count(at as u64)
            ));
            Ok(JsString::from_utf8_lossy(error.as_bytes()))
        },
        |text| Ok(text.into()),
    )
}

fn wrong_usage(message: &str) -> clap::Error {
    let mut cli = Cli::command();
    // Gives the command its whole name.
    cli.build();
    let kind = ErrorKind::MissingRequiredArgument;
    match cli.find_subcommand_mut("prepare") {
        Some(prepare) => prepare.error(kind, message),
        None => cli.error(kind, message),
    }
}

/// `{content, additionalContext, receipt}`; `additionalContext` is null when nothing is cited.
fn shape(extracted: &Extracted, context: Option<&ContextMessage>) -> Value {
    let text = context.map(context_text);
    let references: Vec<Value> = context
        .into_iter()
        .flat_map(|context| &context.references)
        .map(SourceRecord::to_json)
        .collect();
    let left: Vec<Value> = extracted.left_as_text.iter().map(left_shape).collect();
    let losses: Vec<Value> = context.map(loss_shapes).unwrap_or_default();
    let receipt = Object::new()
        .with("references", references)
        .with(
            "contextBytes",
            text.as_ref().map_or(0, JsString::len) as u64,
        )
        .with("leftAsText", left)
        .with("losses", losses);
    Object::new()
        .with("content", extracted.text.clone())
        .with("additionalContext", text.map_or(Value::Null, Value::from))
        .with("receipt", receipt)
        .into()
}

/// `{sessionId, code, reason, count?}`: why words may be missing.
fn loss_shapes(context: &ContextMessage) -> Vec<Value> {
    let sessions = context.references.iter().zip(&context.losses);
    let losses = sessions.flat_map(|(own, losses)| losses.iter().map(move |loss| (own, loss)));
    let shapes = losses.map(|(own, loss)| {
        let mut out = Object::new()
            .with("sessionId", own.session_id.as_js_string().clone())
            .with("code", loss.code())
            .with("reason", loss.reason());
        if let Some(count) = loss.count() {
            out.set("count", count);
        }
        out.into()
    });
    shapes.collect()
}

/// `{start, end, reason, message}`: bytes of the text that was given.
fn left_shape(left: &LeftAsText) -> Value {
    let (reason, message) = reason(left.reason);
    Object::new()
        .with("start", left.range.start as u64)
        .with("end", left.range.end as u64)
        .with("reason", reason)
        .with("message", message)
        .into()
}

fn reason(reason: LeftReason) -> (&'static str, String) {
    match reason {
        LeftReason::Code => ("code", "it stands in code".to_owned()),
        LeftReason::Invalid(error) => (error.reason(), error.kind().to_string()),
        _ => ("other", "it stays text".to_owned()),
    }
}

fn remark(left: &LeftAsText, text: JsStr<'_>) -> String {
    let (_, message) = reason(left.reason);
    let uri = text.slice(left.range.clone()).excerpt();
    format!("note: {uri} stays text: {message}")
}

/// The text of the context message.
fn context_text(context: &ContextMessage) -> JsString {
    let blocks = context.message.content();
    blocks
        .iter()
        .find_map(Block::text)
        .cloned()
        .unwrap_or_default()
}

/// A line for each session: what of it is carried.
fn receipt(context: &ContextMessage) -> String {
    let rows: Vec<[String; 4]> = context
        .references
        .iter()
        .map(|record| {
            let facts = &record.facts;
            let left = match facts.omitted_bytes {
                0 => String::new(),
                bytes => format!("{} left out", many(bytes, "byte")),
            };
            [
                format!("@{}", visible::label(record.label.as_js_str())),
                format!(
                    "{} of {}",
                    count(facts.retained_messages),
                    many(facts.original_messages, "message")
                ),
                if facts.compacted {
                    "compacted".to_owned()
                } else {
                    String::new()
                },
                left,
            ]
        })
        .collect();
    let table = lines(
        [Align::Flexible, Align::Right, Align::Left, Align::Left],
        &rows,
        Some(console::columns().unwrap_or(100)),
    );
    let bytes = context_text(context).len() as u64;
    let total = format!("context: {}, {}", many(bytes, "byte"), tokens(bytes));
    format!("{table}{}", paint(FAINT, total))
}

mod filter;

use std::cmp::Reverse;

use sref::query::SessionRecord;
use sref::service::{Agent, Candidate, Config, Limit};
use sref::session::JsString;
use sref::session::json::{Object, Value};
use sref_delivery::label_line;

use crate::failure::Failure;
use crate::ids::Ids;
use crate::options::{Format, MOST, Own, Spelling, Stores, here};
use crate::reader::{Listed, Reader};
use crate::term::human::{age, many, size};
use crate::term::progress::Progress;
use crate::term::style::{FAINT, STRONG, paint};
use crate::term::table::{Align, lines};
use crate::term::{visible, width};
use crate::{console, reader};
use filter::Filter;

const EXAMPLES: &str = "\
Examples:
  sref list                        the sessions nearest to this directory
  sref list password reset         those whose title, directory or id holds these words
  sref list --agent claude --since 2d
  sref list --project . --subagents
  sref list --all --json | jq -r '.[].mention'

A unique beginning of an id, as the first column has it, will do wherever an id is taken.

JSON: an array of {sessionId, agent, label, title?, cwd?, createdAt, updatedAt?, sizeBytes?, mention,
subagent?, archived?}; times are milliseconds since 1970, and what is absent is unknown. The
last two are there only when they are true.";

/// The most columns that a directory takes, and how wide a terminal shows directories at all.
const DIRECTORY: usize = 32;
const ROOMY: usize = 72;

/// List the sessions that can be cited, those of this directory first
///
/// Among them those first that were written to last.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only sessions whose title, directory or id holds these words, as they stand
    query: Vec<String>,
    /// The directory whose sessions come first [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The most sessions to list
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// List all, also those that another agent started or that were put away
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// List also those that another agent started
    #[arg(long)]
    subagents: bool,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    pub(super) format: Format,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let progress = Progress::start("Reading the sessions");
        let reader = Reader::open(&self.stores)?;
        let records = reader.list();
        reader.remark();
        let records = records?;
        let agent = Agent {
            id: reader::own_id(self.own.session.as_deref(), &records)?,
            cwd: here(self.cwd.as_deref()),
        };
        let limit = if self.all { MOST } else { self.limit };
        let passed = records.iter().filter(|own| self.filter.passes(own));
        let mut passed: Vec<SessionRecord> = passed.cloned().collect();
        // As the column of ages and `--since` have it: a session that goes on is a recent one,
        // whenever it began. Those of one moment stay as they are listed.
        passed.sort_by_key(|own| Reverse(own.last_activity()));
        let listed = Listed::new(reader.corpus(), &passed);
        let resolver = reader::resolver(listed, Config::default(), &self.spelling)
            .with_subagents(self.all || self.subagents)
            .with_archived(self.all);
        let query = self.query.join(" ");
        let limit = Limit::new(limit)?;
        let candidates = reader.wait(|cancel| {
            resolver.candidates(&agent, Some(query.as_str().into()), Some(limit), cancel)
        })?;
        drop(progress);
        if self.format.json {
            let shapes: Vec<Value> = (candidates.iter())
                .map(|candidate| shape(candidate, &self.spelling))
                .collect();
            return console::print_json(&shapes.into());
        }
        if let Some(given) = &self.own.session
            && !records.iter().any(|own| own.header.id == agent.id)
        {
            let given = visible::line(given.as_str().into());
            console::say(&format!(
                "note: no session is {given}; none is left out for it"
            ));
        }
        console::print(&table(&candidates, &Ids::new(&records), agent.cwd.as_ref()))?;
        if let Some(remark) = self.remark(&candidates, records.len(), passed.len()) {
            console::say(&remark);
        } else if query.is_empty() {
            // What does not fit a query is not missed.
            self.hidden(&passed)
                .iter()
                .for_each(|remark| console::say(remark));
        }
        Ok(())
    }

    /// Says what is there and not listed unless it is asked for.
    fn hidden(&self, passed: &[SessionRecord]) -> Option<String> {
        let hidden = passed
            .iter()
            .filter(|own| !self.all && (own.is_archived || own.is_subagent && !self.subagents));
        let hidden = hidden.count() as u64;
        (hidden > 0).then(|| {
            let hidden = many(hidden, "session");
            format!("{hidden} of sub-agents, or put away, not shown; --all shows every one.")
        })
    }

    /// What a person may wonder about.
    fn remark(&self, found: &[Candidate], all: usize, passed: usize) -> Option<String> {
        if all == 0 {
            return Some("No sessions; `sref stores` says where they were looked for.".to_owned());
        }
        if found.is_empty() {
            let all = many(all as u64, "session");
            if let Some(path) = self.filter.missing() {
                let path = path.to_string_lossy();
                let path = visible::line(path.as_ref().into());
                return Some(format!("None of {all} fits; there is no directory {path}."));
            }
            return Some(if self.filter.is_set() && self.all {
                format!("None of {all} fits.")
            } else {
                format!("None of {all} fits; `sref list --all` lists every one.")
            });
        }
        let shown = found.len() as u64;
        (!self.all && shown == self.limit && shown < passed as u64).then(|| {
            format!(
                "{shown} of {}; --limit N or --all shows more.",
                many(passed as u64, "session")
            )
        })
    }
}

/// `{sessionId, agent, label, title?, cwd?, createdAt, updatedAt?, sizeBytes?, mention,
/// subagent?, archived?}`
fn shape(candidate: &Candidate, spelling: &Spelling) -> Value {
    let record = &candidate.record;
    let mut out = Object::new().with("sessionId", record.header.id.as_js_string().clone());
    if let Some(agent) = &record.agent {
        out.set("agent", agent.as_ref());
    }
    out.set("label", candidate.label().to_js_string());
    if let Some(title) = &candidate.title {
        out.set("title", title.clone());
    }
    if let Some(cwd) = &record.header.cwd {
        out.set("cwd", cwd.clone());
    }
    out.set("createdAt", record.header.created_at);
    if let Some(updated_at) = record.updated_at {
        out.set("updatedAt", updated_at);
    }
    if let Some(size_bytes) = record.size_bytes {
        out.set("sizeBytes", size_bytes);
    }
    // Goes into a prompt, and is somebody else's words.
    let words = label_line(candidate.label(), usize::MAX);
    let label = Some(words.as_str().into()).filter(|_| !words.is_empty());
    let mention = spelling.mention(&record.header.id, label);
    out.set("mention", mention);
    for (key, holds) in [
        ("subagent", record.is_subagent),
        ("archived", record.is_archived),
    ] {
        if holds {
            out.set(key, true);
        }
    }
    out.into()
}

/// The title, with a mark before those that another agent started.
fn title(candidate: &Candidate) -> String {
    let title = super::title_line(candidate.title.as_ref());
    if candidate.record.is_subagent {
        format!("↳ {title}")
    } else {
        title
    }
}

fn table(candidates: &[Candidate], ids: &Ids<'_>, here: Option<&JsString>) -> String {
    let now = super::now();
    let columns = console::columns();
    let roomy = columns.is_none_or(|columns| columns >= ROOMY);
    let rows: Vec<[String; 6]> = candidates
        .iter()
        .map(|candidate| {
            let record = &candidate.record;
            let cwd = record.header.cwd.as_ref();
            let directory = match cwd {
                Some(cwd) if Some(cwd) == here => ".".to_owned(),
                Some(cwd) if roomy => width::fit_end(&visible::line(cwd.as_js_str()), DIRECTORY),
                _ => String::new(),
            };
            [
                paint(STRONG, ids.short(record)),
                record.agent.as_deref().unwrap_or_default().to_owned(),
                paint(FAINT, age(record.last_activity(), now)),
                record.size_bytes.map(size).unwrap_or_default(),
                title(candidate),
                paint(FAINT, directory),
            ]
        })
        .collect();
    let aligns = [
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Flexible,
        Align::Left,
    ];
    lines(aligns, &rows, columns)
}

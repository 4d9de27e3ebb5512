use std::path::{Path, PathBuf};

use sref::session::json::{Object, Value};
use sref_delivery::setup::{Change, Entry, SetupError};

use crate::console;
use crate::failure::Failure;
use crate::options::Format;
use crate::setup::file::ConfigFile;
use crate::setup::places::{Client, Mode, Part, Target, Wish, targets};
use crate::setup::program;
use crate::term::visible;

const EXAMPLES: &str = "\
Examples:
  sref setup claude                what to write, and where
  sref setup claude --write        write it
  sref setup claude --remove       take it out again
  sref setup codex --only hook --strict
  sref setup mcp-json --all --file .cursor/mcp.json --write

A file is changed in one place and keeps its formatting and everything else; the text before is
kept beside it in NAME.sref-backup-DIGEST. What is there already is left as it is, and so is a file
that is read-only, or that the agent could not read for its comments or trailing commas. --remove
takes away all that --write made, backups and directories included; a program that --program named
it finds when --program names it again.

JSON: an array of {part, path, state, backup?, snippet?}.";

/// Install sref in an agent: its prompt hook and its MCP server
///
/// Without --write or --remove it only says what belongs into which file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_enum, value_name = "HOST")]
    host: Client,
    /// Write the configuration
    #[arg(long, conflicts_with = "remove")]
    write: bool,
    /// Take the configuration out
    #[arg(long)]
    remove: bool,
    /// Only this part
    #[arg(long, value_enum, value_name = "PART")]
    only: Option<Part>,
    /// The hook stops a prompt whose mentions cannot all be resolved
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    server: Server,
    /// What the configuration calls the program [default: sref if it is on your path, else the
    /// path of the program that you run now]
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
    #[command(flatten)]
    pub(super) format: Format,
}

/// What the server shows, and where it is written.
#[derive(Debug, clap::Args)]
struct Server {
    /// The server shows the sessions of this directory [default: that in which the agent runs]
    #[arg(long, value_name = "DIR", conflicts_with = "all")]
    project: Option<String>,
    /// The server shows all sessions of this machine
    #[arg(long)]
    all: bool,
    /// The file of the server
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
}

impl Server {
    fn args(&self) -> Vec<&str> {
        if self.all {
            return vec!["mcp", "--all"];
        }
        vec!["mcp", "--project", self.project.as_deref().unwrap_or(".")]
    }
}

/// What became of a part.
struct Outcome {
    part: Part,
    path: String,
    state: &'static str,
    backup: Option<String>,
    snippet: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let program = program::find(self.program.as_deref())?;
        let server = self.server.args();
        let wish = Wish {
            program: &program.name,
            strict: self.strict,
            args: &server,
            file: self.server.file.as_deref(),
        };
        let mut plans = Vec::new();
        for target in targets(self.host, &wish)? {
            let wanted = |part| self.only.is_none_or(|only| only == part);
            if target.entries.iter().any(|(part, _)| wanted(*part)) {
                plans.push(Plan::new(target, wanted, self.remove)?);
            }
        }
        // All is known to be possible before the first file changes.
        let change = self.write || self.remove;
        if change {
            plans.iter().try_for_each(Plan::check)?;
        }
        let shown: Vec<String> = plans.iter().map(Plan::shown).collect();
        let mut outcomes = Vec::new();
        for plan in plans {
            outcomes.extend(plan.carry_out(change, self.remove)?);
        }
        if self.format.json {
            let shapes: Vec<Value> = outcomes.iter().map(Outcome::shape).collect();
            return console::print_json(&shapes.into());
        }
        if change {
            let text: String = outcomes.iter().map(Outcome::text).collect();
            console::print(&text)?;
        } else {
            console::print(&shown.join("\n"))?;
        }
        if let Some(note) = program.note.filter(|_| !self.remove) {
            console::say(&visible::line(note.as_str().into()));
        }
        let chosen = self.strict || self.server.all || self.server.project.is_some();
        if self.write && chosen && outcomes.iter().any(|own| own.state == "present") {
            console::say(
                "note: what was there keeps the options that it has; `--remove` it first to write others.",
            );
        }
        // What a variable stands for is for the agent to know.
        if let Some(project) = self.server.project.as_deref()
            && !self.remove
            && !project.contains('$')
            && matches!(Path::new(project).try_exists(), Ok(false))
        {
            let project = visible::line(project.into());
            console::say(&format!(
                "note: there is no directory {project} here; without it the server does not start"
            ));
        }
        if let Some(note) = self.host.note(&outcomes) {
            console::say(note);
        }
        Ok(())
    }
}

/// A file, and what its text is to become.
struct Plan {
    file: ConfigFile,
    mode: Mode,
    /// Each part, whether anything is to be done for it, and how it looks alone.
    parts: Vec<(Part, bool, String)>,
    /// What belongs into the file, as it would be without anything else.
    whole: String,
    change: Change,
    /// Whether nothing of sref is left in the file then.
    last: bool,
    /// A file that holds nothing.
    empty: &'static str,
}

impl Plan {
    fn new(target: Target, wanted: impl Fn(Part) -> bool, remove: bool) -> Result<Self, Failure> {
        let file = ConfigFile::read(target.path)?;
        let mut text = file.text.clone();
        let mut change = Change::Same;
        let mut parts = Vec::new();
        let mut whole = None;
        let (own, others): (Vec<_>, Vec<_>) = target
            .entries
            .into_iter()
            .partition(|(part, _)| wanted(*part));
        let empty = own.first().map_or("", |(_, entry)| entry.empty());
        for (part, entry) in own {
            if let Ok(Change::Text(more)) = entry.insert(whole.as_deref()) {
                whole = Some(more);
            }
            let done = match (&text, remove) {
                (Some(text), true) => entry.remove(text),
                (None, true) => Ok(Change::Same),
                (text, false) => entry.insert(text.as_deref()),
            };
            let done = done.map_err(|error| refused(&file, &error))?;
            parts.push((part, done != Change::Same, entry.snippet()));
            match done {
                Change::Text(new) => {
                    change = Change::Text(new.clone());
                    text = Some(new);
                }
                Change::Nothing => {
                    change = Change::Nothing;
                    text = None;
                }
                _ => {}
            }
        }
        let left = |(_, entry): &(Part, Entry)| {
            let found = text.as_deref().map(|text| entry.found(text));
            matches!(found, Some(Ok(Some(_))))
        };
        Ok(Self {
            last: !others.iter().any(left),
            file,
            mode: target.mode,
            parts,
            whole: whole.unwrap_or_default(),
            change,
            empty,
        })
    }

    /// Whether the file may be changed, if it is to be.
    fn check(&self) -> Result<(), Failure> {
        if self.change == Change::Same {
            return Ok(());
        }
        self.file.check_writable()
    }

    /// What belongs into the file, for a person.
    fn shown(&self) -> String {
        let there = |there: bool| if there { " (it is there)" } else { "" };
        let names = |(part, absent, _): &(Part, bool, String)| {
            format!("the {}{}", part.name(), there(!absent))
        };
        let names: Vec<String> = self.parts.iter().map(names).collect();
        let mut names = names.join(" and ");
        names.replace_range(..1, "T");
        let path = self.file.shown().display().to_string();
        let path = visible::line(path.as_str().into());
        format!("{names}, in {path}:\n\n{}", self.whole)
    }

    fn carry_out(self, change: bool, remove: bool) -> Result<Vec<Outcome>, Failure> {
        let path = self.file.shown().display().to_string();
        let mut backup = None;
        match &self.change {
            _ if !change => {}
            Change::Text(new) if remove => self.file.restore(new, self.mode, self.last)?,
            Change::Text(new) => backup = self.file.replace(new, self.mode)?,
            Change::Nothing => self.file.delete(self.empty, self.mode)?,
            _ => {}
        }
        let outcome = |(part, touched, snippet)| Outcome {
            part,
            path: path.clone(),
            state: match (change, remove, touched) {
                (true, true, true) => "removed",
                (true, false, true) => "written",
                (false, false, true) | (_, true, false) => "absent",
                (_, false, false) | (false, true, true) => "present",
            },
            backup: backup.as_ref().map(|path| path.display().to_string()),
            snippet: (!change).then_some(snippet),
        };
        Ok(self.parts.into_iter().map(outcome).collect())
    }
}

impl Outcome {
    /// Whether a hook is gone from a file that others may stand in.
    fn may_have_shifted(&self) -> bool {
        self.part == Part::Hook && self.state == "removed" && Path::new(&self.path).exists()
    }

    /// `{part, path, state, backup?, snippet?}`
    fn shape(&self) -> Value {
        let mut out = Object::new()
            .with("part", self.part.name())
            .with("path", self.path.as_str())
            .with("state", self.state);
        if let Some(backup) = &self.backup {
            out.set("backup", backup.as_str());
        }
        if let Some(snippet) = &self.snippet {
            out.set("snippet", snippet.as_str());
        }
        out.into()
    }

    fn text(&self) -> String {
        let path = visible::line(self.path.as_str().into());
        let part = self.part.name();
        let done = match self.state {
            "written" => "written to",
            "removed" => "taken out of",
            "present" => "there already, left as it is:",
            _ => "not in",
        };
        let backup = match &self.backup {
            Some(backup) => {
                format!(
                    "; the text before: {}",
                    visible::line(backup.as_str().into())
                )
            }
            None => String::new(),
        };
        format!("{part}: {done} {path}{backup}\n")
    }
}

impl Client {
    /// What is left for a person to do.
    fn note(self, outcomes: &[Outcome]) -> Option<&'static str> {
        let written = |part| {
            outcomes
                .iter()
                .any(|own| own.part == part && own.state == "written")
        };
        match self {
            Self::Codex if written(Part::Hook) => Some(TRUST),
            Self::Codex if outcomes.iter().any(Outcome::may_have_shifted) => Some(SHIFTED),
            Self::Cline if written(Part::Server) => Some(CLINE),
            Self::Claude | Self::Gemini if written(Part::Hook) || written(Part::Server) => {
                Some("A session that is open takes it up when it is started anew.")
            }
            _ => None,
        }
    }
}

const TRUST: &str = "\
Codex runs a hook only when you have trusted it, and says nothing when it does not: start `codex`
and trust it when it asks (`Hooks need review`), or in `/hooks`. `sref doctor` tells whether it is.";

const SHIFTED: &str = "\
Codex knows a hook by its place: those that stood behind this one it asks about again.";

const CLINE: &str = "\
Cline in an editor may start the server elsewhere than in your project. If the model finds no
session, take the server out and write it with `--project DIR` or `--all`.";

fn refused(file: &ConfigFile, error: &SetupError) -> Failure {
    let message = format!(
        "{}: {error}; the file is left as it is",
        file.shown_at(error.offset())
    );
    Failure::new(error.code(), message)
}

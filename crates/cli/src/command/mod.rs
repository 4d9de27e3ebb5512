//! The commands: one module each, with its options, its help and what it prints.

mod completions;
mod doctor;
mod hook;
mod list;
mod man;
mod mcp;
mod mention;
mod prepare;
mod setup;
mod show;
mod stores;
mod uri;

use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Parser, Subcommand};
use sref::session::JsString;

use crate::failure::Failure;
use crate::term::visible;

const EXAMPLES: &str = "\
Examples:
  sref list login                  sessions about the login, those of this directory first
  sref mention 3f9c                the text that cites one of them
  sref show 3f9c                   what a reference to it would carry, and what it costs
  sref prepare 'As in @[login](dsh-session:…), fix the cookie'
                                   the message, and the context for the model

A unique beginning of an id will do wherever an id is taken.

Exit status: 0 done, 1 a reference or a store is at fault, 2 wrong usage.";

/// Point a coding agent at another session
///
/// `sref` turns a mention of a session, from any agent, into a bounded, read-only snapshot of its
/// conversation, framed as untrusted data. It never writes to an agent's store and calls no model.
#[derive(Debug, Parser)]
#[command(name = "sref", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Stores(stores::Args),
    List(list::Args),
    Mention(mention::Args),
    Show(show::Args),
    Prepare(prepare::Args),
    Uri(uri::Args),
    Doctor(doctor::Args),
    Hook(hook::Args),
    Mcp(mcp::Args),
    Setup(setup::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether the answer, and with it a failure, is JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Stores(args) => args.format.json,
            Self::List(args) => args.format.json,
            Self::Mention(args) => args.format.json,
            Self::Show(args) => args.format.json,
            Self::Prepare(args) => args.format.json,
            Self::Uri(args) => args.json(),
            Self::Doctor(args) => args.format.json,
            Self::Setup(args) => args.format.json,
            Self::Hook(_) | Self::Mcp(_) | Self::Completions(_) | Self::Man(_) => false,
        }
    }

    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Stores(args) => args.run(),
            Self::List(args) => args.run(),
            Self::Mention(args) => args.run(),
            Self::Show(args) => args.run(),
            Self::Prepare(args) => args.run(),
            Self::Uri(args) => args.run(),
            Self::Doctor(args) => args.run(),
            Self::Hook(args) => args.run(),
            Self::Mcp(args) => args.run(),
            Self::Setup(args) => args.run(),
            Self::Completions(args) => args.run(),
            Self::Man(args) => args.run(),
        }
    }
}

/// A path for a program.
pub(crate) use doctor::text as path;

/// A title for a person. A session without one goes by its id, which stands beside it.
fn title_line(title: Option<&JsString>) -> String {
    match title {
        Some(title) if !title.is_empty() => visible::label(title.as_js_str()),
        _ => "(no title)".to_owned(),
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_that_a_person_types_has_examples() {
        let cli = Cli::command();
        for command in cli.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|help| help.contains("sref ")),
                "{}",
                command.get_name()
            );
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }
}

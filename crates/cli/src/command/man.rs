use clap::CommandFactory as _;
use clap_mangen::Man;

use super::Cli;
use crate::console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  sref man | man -l -
  sref man prepare > ~/.local/share/man/man1/sref-prepare.1";

/// Print a manual page
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The page of one command
    #[arg(value_parser = command_name)]
    command: Option<String>,
}

/// Accepts the name of a command.
fn command_name(name: &str) -> Result<String, String> {
    match Cli::command().find_subcommand(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err("no such command".to_owned()),
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut cli = Cli::command();
        // Gives the pages of commands their whole names.
        cli.build();
        let page = match &self.command {
            Some(name) => cli.find_subcommand(name).cloned().unwrap_or(cli),
            None => cli,
        };
        let mut text = Vec::new();
        Man::new(page).render(&mut text)?;
        console::print_exact(String::from_utf8_lossy(&text).trim_end().into())
    }
}

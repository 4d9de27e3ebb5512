//! `sref`: point a coding agent at another session.
//!
//! The program finds the stores of agents on the machine, shows their sessions and turns a text
//! with mentions into what a model reads. What it does is done by the libraries; in here are the
//! command line, the streams and the drawing.
//!
//! Exit status: 0 done, 1 a reference or a store is at fault, 2 wrong usage.

mod command;
mod console;
mod event;
mod failure;
mod ids;
mod options;
mod reader;
mod setup;
mod term;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser as _;

use command::Cli;
use term::visible;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers (status 0), anything else is wrong usage (2).
            let status = u8::try_from(error.exit_code()).unwrap_or(2);
            return match tamed(error).print() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    console::fail(&error.into(), false).into()
                }
                // Nobody may be reading any more, which changes nothing.
                _ => status.into(),
            };
        }
    };
    let json = cli.command.json();
    match cli.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => console::fail(&failure, json).into(),
    }
}

/// The same error about arguments that cannot harm a terminal: it quotes them.
fn tamed(error: clap::Error) -> clap::Error {
    let arguments = std::env::args_os();
    let arguments = arguments.map(|own| visible::line(own.to_string_lossy().as_ref().into()));
    // What can be parsed then was no text that is quoted.
    Cli::try_parse_from(arguments).err().unwrap_or(error)
}

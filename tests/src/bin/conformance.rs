//! Runs conformance vectors and reference stores; see `--help`.
#![expect(clippy::print_stderr, reason = "a command-line tool")]

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use sref_tests::{Section, stores, vectors};

const HELP: &str = "\
Compares sref with what the reference implementation was recorded to do.

Usage: conformance FILE…
       conformance stores DIR [ROOT…]

FILE is an array of vectors; their names tell what each is about. DIR is a folder of session stores
with `expected/` or `expected.json`; ROOT restricts it to some of them.

Prints a line for each area or root, then the first failures. Exits with 1 unless everything that
was asked for ran and came out as recorded.
";

/// How many failures are shown in full.
const SHOWN: usize = 10;

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> =
        env::args_os().skip(1).map(OsString::into_string).collect();
    let outcome = match arguments.as_deref() {
        Err(argument) => Err(format!("{} is no text", argument.display())),
        Ok([only]) if only == "--help" => Ok((HELP.to_owned(), true)),
        Ok([]) => Err(HELP.to_owned()),
        Ok([command]) if command == "stores" => Err(HELP.to_owned()),
        Ok([command, folder, roots @ ..]) if command == "stores" => {
            match stores::run(Path::new(folder), roots) {
                Ok(sections) => Ok(report(&sections)),
                Err(error) => Err(chain(&error)),
            }
        }
        Ok(files) => Ok(run_files(files)),
    };
    match outcome {
        Ok((text, passed)) => {
            let written = io::stdout().write_all(text.as_bytes());
            if passed && written.is_ok() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all files, whatever is wrong with one of them.
fn run_files(files: &[String]) -> (String, bool) {
    let mut sections = Vec::new();
    let mut complete = true;
    for file in files {
        match vectors::run_file(Path::new(file)) {
            Ok(run) => sections.extend(run),
            Err(error) => {
                complete = false;
                eprintln!("error: {file} {}", chain(&error));
            }
        }
    }
    let (text, passed) = report(&sections);
    (text, passed && complete)
}

/// The report, and whether there is nothing in it to mend.
fn report(sections: &[Section]) -> (String, bool) {
    let mut text = String::new();
    for section in sections {
        let _ = writeln!(text, "{section}");
    }
    let failures = sections.iter().flat_map(Section::failures);
    let failed = failures.clone().count();
    for failure in failures.take(SHOWN) {
        let _ = write!(text, "\n{failure}");
    }
    if failed > SHOWN {
        let _ = writeln!(text, "\n… and {} more failures", failed - SHOWN);
    }
    (text, failed == 0)
}

/// An error with its causes.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

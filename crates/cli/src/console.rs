//! The two streams: stdout holds the answer and nothing else, stderr everything that is said
//! about it.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::AutoStream;
use sref::session::JsStr;
use sref::session::json::Value;

use crate::failure::{self, Failure};
use crate::term::visible;

/// Prints the answer: text with styles, which the stream takes out where colour is not wanted
/// (`NO_COLOR`, no terminal).
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = AutoStream::auto(io::stdout().lock());
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Prints text that is the answer itself, to be passed on: as it is to a file or a program, made
/// harmless on a terminal.
pub(crate) fn print_exact(text: JsStr<'_>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let text = exact(text, stdout.is_terminal());
    stdout.write_all(text.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()?;
    Ok(())
}

fn exact(text: JsStr<'_>, terminal: bool) -> Cow<'_, str> {
    if terminal {
        visible::lines(text).into()
    } else {
        text.to_string_lossy()
    }
}

/// Prints the answer for a program: one line of JSON. Nothing in it can harm a terminal either.
pub(crate) fn print_json(value: &Value) -> Result<(), Failure> {
    let mut line = visible::json(value.to_json());
    line.push('\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Says something about the answer. A closed stderr loses nothing that matters.
pub(crate) fn say(text: &str) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    let _ = writeln!(stderr, "{text}");
}

/// Reports a failure and gives the exit status.
pub(crate) fn fail(failure: &Failure, json: bool) -> u8 {
    match failure {
        Failure::Closed => 0,
        Failure::Status(status) => *status,
        Failure::Usage(error) => {
            let _ = error.print();
            2
        }
        Failure::Error { code, message } => {
            if !json {
                say(&failure::to_line(code, message));
            } else if let Err(Failure::Error { code, message }) =
                print_json(&failure::to_json(code, message))
            {
                // A full disk, say: the other stream may still be read.
                say(&failure::to_line(code, &message));
            }
            1
        }
    }
}

/// How many columns the answer has: those of the terminal, else what `COLUMNS` says; unknown where
/// nobody looks at lines.
pub(crate) fn columns() -> Option<usize> {
    if let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size_of(io::stdout()) {
        return Some(width.into());
    }
    env::var("COLUMNS").ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on is what it is; what a terminal shows is harmless, whatever was asked for.
    #[test]
    fn an_answer_is_exact_in_a_pipe_and_visible_on_a_terminal() {
        let text = JsStr::from("a\u{202e}b\u{9b}2J\u{1b}[m\n\tc");
        assert_eq!(exact(text, false), "a\u{202e}b\u{9b}2J\u{1b}[m\n\tc");
        assert_eq!(exact(text, true), "a\\u{202e}b\\u{9b}2J\\u{1b}[m\n\tc");
    }
}

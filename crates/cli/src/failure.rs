//! How a command fails: one line for a person, one object for a program.

use std::error::Error;
use std::io;

use sref::query::QueryError;
use sref::service::{ReferenceError, with_causes};
use sref::session::JsStr;
use sref::session::json::{Object, Value};
use sref::uri::UriError;
use sref_stores::StoreError;

use crate::term::visible;

/// The codes of the program's own failures. Errors of the libraries keep theirs.
pub(crate) mod code {
    /// Standard input, standard output or the current directory failed.
    pub(crate) const IO: &str = "cli.io";
    /// What was given as an id is the beginning of several.
    pub(crate) const AMBIGUOUS_ID: &str = "cli.ambiguous-id";
    /// What was given as an id is no session's and begins no session's.
    pub(crate) const NOT_FOUND: &str = "SESSION_QUERY_SESSION_NOT_FOUND";
    /// A conversation has no message of this number.
    pub(crate) const NO_MESSAGE: &str = "cli.no-message";
    /// An id that should be written as a JSON string is not.
    pub(crate) const JSON_STRING: &str = "cli.json-string";
    /// A store that was named is not there or cannot be looked at.
    pub(crate) const NO_STORE: &str = "cli.no-store";
    /// The directory of a project is not there or cannot be looked at.
    pub(crate) const NO_PROJECT: &str = "cli.no-project";
    /// A configuration file, or its home, cannot be read or written.
    pub(crate) const CONFIG_FILE: &str = "setup.file";
    /// A configuration file is a symbolic link that leads nowhere.
    pub(crate) const CONFIG_LINK: &str = "setup.link";
    /// A configuration file, or the directory of one, is read-only.
    pub(crate) const CONFIG_READ_ONLY: &str = "setup.read-only";
    /// A configuration file is not UTF-8.
    pub(crate) const CONFIG_UTF8: &str = "setup.utf8";
    /// A configuration file was changed by somebody else while it was edited.
    pub(crate) const CONFIG_CHANGED: &str = "setup.changed";
}

/// Why a command did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A reference or a store is at fault: exit status 1.
    Error { code: &'static str, message: String },
    /// The command line cannot be meant: exit status 2.
    Usage(clap::Error),
    /// The answer has been given, and a host asks for this exit status with it.
    Status(u8),
    /// Nobody reads the answer any more, which is no fault at all (`sref list | head -1`).
    Closed,
}

impl Failure {
    /// A failure of the program's own.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self::Error {
            code,
            message: message.into(),
        }
    }

    /// An error of a library, with its causes.
    pub(crate) fn of(code: &'static str, error: &dyn Error) -> Self {
        Self::new(code, with_causes(error))
    }
}

/// `{"error":{"code","message"}}`
pub(crate) fn to_json(code: &str, message: &str) -> Value {
    let error = Object::new().with("code", code).with("message", message);
    Object::new().with("error", error).into()
}

/// `error[CODE]: …`, on one line whatever a cause says.
pub(crate) fn to_line(code: &str, message: &str) -> String {
    format!("error[{code}]: {}", visible::line(JsStr::from(message)))
}

impl From<ReferenceError> for Failure {
    fn from(error: ReferenceError) -> Self {
        Self::of(error.code(), &error)
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self::of(error.code(), &error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::of(error.code(), &error)
    }
}

impl From<UriError> for Failure {
    fn from(error: UriError) -> Self {
        Self::of(error.code(), &error)
    }
}

/// Of the streams: files and directories have errors of their stores.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::of(code::IO, &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_harmless() {
        assert_eq!(
            to_line("cli.io", "no\nsuch \x1b[2Jfile"),
            r"error[cli.io]: no such \u{1b}[2Jfile"
        );
        assert_eq!(
            to_json("cli.io", "a\"b").to_json(),
            r#"{"error":{"code":"cli.io","message":"a\"b"}}"#
        );
    }

    #[test]
    fn causes_follow_their_error() {
        let error = QueryError::PersistenceFailed {
            source: io::Error::other("disk gone").into(),
        };
        let Failure::Error { code, message } = Failure::from(error) else {
            panic!("no error");
        };
        assert_eq!(code, "SESSION_QUERY_PERSISTENCE_FAILED");
        assert_eq!(message, "the session store could not be read: disk gone");
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(closed), Failure::Closed));
    }
}

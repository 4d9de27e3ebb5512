use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sref_service::{ReferenceError, with_causes};
use sref_session::JsStr;
use sref_uri::UriError;

use super::attached::argument;
use super::plain::{label_line, one_line};
use crate::readable::{Known, Resolution};

/// A session that a prompt cites and that is not in the context.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Failure {
    /// What the person wrote, or the id, as one plain line; absent when it is about all of them.
    pub cited: Option<String>,
    /// The stable name of the reason.
    pub code: &'static str,
    /// The reason, as one plain line. Nothing in it comes from another session.
    pub reason: String,
    /// The sessions that may be meant, each as a title and an id. For the person alone: a title is
    /// another session's text, and what a hook says carries the authority of the system.
    pub closest: Vec<String>,
}

/// A readable mention that several sessions match: nothing is guessed.
const AMBIGUOUS: &str = "mention.ambiguous";
/// A readable mention that no session matches.
const UNKNOWN: &str = "mention.unknown";

/// What was cited is shown up to here.
const MAX_CITED: usize = 80;
/// So are reasons, which are our own words and the causes of stores.
const MAX_REASON: usize = 300;

impl Failure {
    /// A readable mention, as it was written, that names no session or several; `None` when it
    /// names one.
    #[must_use]
    pub fn unresolved(written: JsStr<'_>, resolution: &Resolution<'_>) -> Option<Self> {
        let (code, reason, closest) = match resolution {
            Resolution::Found(_) => return None,
            Resolution::Ambiguous(several) => (AMBIGUOUS, "several sessions match", several),
            Resolution::Unknown(near) => (UNKNOWN, "no session matches", near),
        };
        Some(Self {
            cited: Some(one_line(written, MAX_CITED)),
            code,
            reason: reason.into(),
            closest: closest.iter().map(|own| offer(own)).collect(),
        })
    }

    /// A mention that cannot be read, so that none in its text was.
    #[must_use]
    pub fn malformed(error: &UriError) -> Self {
        Self {
            cited: None,
            code: error.code(),
            reason: format!("malformed mention: {}", error.kind()),
            closest: Vec::new(),
        }
    }

    /// For the person: `@sref:"login": several sessions match: "Login page" claude:5f0c22, …`.
    #[must_use]
    pub fn receipt(&self) -> String {
        let mut out = self.fact();
        let Some(first) = self.closest.first() else {
            return out;
        };
        out.push_str(if self.code == UNKNOWN {
            "; closest: "
        } else {
            ": "
        });
        out.push_str(first);
        for other in &self.closest[1..] {
            out.push_str(", ");
            out.push_str(other);
        }
        out
    }

    /// For the model: `@sref:"login": several sessions match`.
    pub(super) fn fact(&self) -> String {
        match &self.cited {
            Some(cited) => format!("{cited}: {}", self.reason),
            None => self.reason.clone(),
        }
    }
}

/// `"Login page" claude:5f0c22`
fn offer(own: &Known) -> String {
    let id = argument(&own.id);
    match &own.title {
        Some(title) if !title.is_empty() => {
            format!("\"{}\" {id}", label_line(title.as_js_str(), 40))
        }
        _ => id,
    }
}

/// What the service says, with its causes.
impl From<&ReferenceError> for Failure {
    fn from(error: &ReferenceError) -> Self {
        Self {
            cited: None,
            code: error.code(),
            reason: one_line(with_causes(error).as_str().into(), MAX_REASON),
            closest: Vec::new(),
        }
    }
}

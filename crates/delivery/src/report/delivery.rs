use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sref_envelope::Frame;
use sref_service::{ContextMessage, Observed};
use sref_session::Block;

use super::attached::continuation;
use super::losses::fact;
use super::{Attached, Failure};
use crate::host::Answer;
use crate::well_formed::well_formed;

/// What becomes of a prompt when a session that it cites cannot be attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// It goes out with what could be attached, and says what could not.
    #[default]
    Pass,
    /// It does not go out.
    Strict,
}

/// What a hook delivers with a prompt: the text for the model and the receipt for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    text: String,
    attached: Vec<Attached>,
    failures: Vec<Failure>,
}

impl Delivery {
    /// Puts the text together: the snapshots as `context` has them, how to read on where something
    /// was left out, what may be missing of the sessions because their logs are damaged, and what
    /// could not be attached.
    ///
    /// The JSON in it has no escape of a lone surrogate: see [`well_formed`](crate::well_formed()).
    #[must_use]
    pub fn new(context: Option<&ContextMessage>, failures: Vec<Failure>) -> Self {
        let attached = context.map(Attached::of).unwrap_or_default();
        let prompt = context.map(prompt).map(well_formed);
        let facts = (1..).zip(&attached).flat_map(|(place, own)| {
            let facts = [own.continuation(place), own.losses(place)];
            facts.into_iter().flatten()
        });
        let facts = facts.chain(not_attached(&failures));
        let mut text = String::new();
        for paragraph in prompt.into_iter().chain(facts) {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(paragraph.trim_end());
        }
        Self {
            text,
            attached,
            failures,
        }
    }

    /// At least as many bytes as such a text has beside its rendered objects, whatever the budget
    /// under which they are rendered: the `overhead` of a [`Fitting`](crate::Fitting). `frame` is the
    /// one that the context is made with.
    #[must_use]
    pub fn overhead(frame: &Frame, observed: &Observed, failures: &[Failure]) -> usize {
        let sessions = observed.sessions().len();
        let facts = observed.sessions().flat_map(|(id, losses)| {
            let read_on = continuation(id, sessions, MESSAGES, MESSAGES);
            [Some(read_on), fact(sessions, losses)]
        });
        let lines = facts.flatten().chain(not_attached(failures));
        let lines: usize = lines.map(|line| line.len() + "\n\n".len()).sum();
        // Between objects stands a comma.
        frame.render::<&str>(&[]).len() + sessions + lines
    }

    /// Whether every session is there in full, as far as it could be read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.attached.iter().all(|own| own.read_on.is_none())
    }

    /// The text for the model; empty when there is nothing to say.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The sessions in the text.
    #[must_use]
    pub fn attached(&self) -> &[Attached] {
        &self.attached
    }

    /// The sessions that are not.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// One line for the person: which sessions, how much of each, what was left out and how to get
    /// it, what may be missing, and what could not be attached. `None` when there is nothing to say.
    #[must_use]
    pub fn receipt(&self) -> Option<String> {
        let attached: Vec<String> = self.attached.iter().map(Attached::receipt).collect();
        let attached = format!("attached {}", attached.join(", "));
        let failed = format!("not attached: {}", self.failed());
        match (self.attached.is_empty(), self.failures.is_empty()) {
            (true, true) => None,
            (false, true) => Some(format!("sref: {attached}")),
            (true, false) => Some(format!("sref: {failed}")),
            (false, false) => Some(format!("sref: {attached}; {failed}")),
        }
    }

    /// The hook's answer.
    #[must_use]
    pub fn answer(&self, policy: Policy) -> Answer {
        if policy == Policy::Strict && !self.failures.is_empty() {
            return Answer::Block {
                reason: format!("sref: prompt not sent: {}", self.failed()),
            };
        }
        Answer::Pass {
            context: Some(self.text.clone()).filter(|text| !text.is_empty()),
            note: self.receipt(),
        }
    }

    /// The failures, for the person.
    fn failed(&self) -> String {
        let shown = self
            .failures
            .iter()
            .take(MAX_FAILURES)
            .map(Failure::receipt);
        let failed: Vec<String> = shown.chain(more(&self.failures)).collect();
        failed.join("; ")
    }
}

/// More messages than sessions have.
const MESSAGES: u64 = 99_999_999;

/// Of more failures only the number is told: a prompt may be full of them.
const MAX_FAILURES: usize = 5;

fn more(failures: &[Failure]) -> Option<String> {
    let more = failures.len().saturating_sub(MAX_FAILURES);
    (more > 0).then(|| format!("{more} more"))
}

/// The text for the model.
impl AsRef<str> for Delivery {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// The one text block of a context.
fn prompt(context: &ContextMessage) -> String {
    let text = context.message.content().iter().find_map(Block::text);
    text.map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The failures, for the model. An id may spell a tag, so no `<` stands here either.
fn not_attached(failures: &[Failure]) -> Option<String> {
    let shown = failures.iter().take(MAX_FAILURES).map(Failure::fact);
    let facts: Vec<String> = shown.chain(more(failures)).collect();
    let facts = facts.join("; ").replace('<', "\\u003c");
    (!facts.is_empty()).then(|| format!("Not attached to this prompt: {facts}."))
}

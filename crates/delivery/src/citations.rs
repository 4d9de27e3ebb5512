use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use sref_service::{ReferenceError, Search};
use sref_session::{Dialect, JsStr, JsString, SessionId};
use sref_uri::{MentionOptions, Reference, Schemes, extract};

use crate::prompt::Typed;
use crate::readable::{Known, Readable, Request, Resolution, resolve, rewrite};
use crate::report::{Failure, label_line, one_line};

/// A text whose readable mentions were answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Canonical {
    /// The text, with a canonical mention in the place of each that names one session.
    pub text: JsString,
    /// Those that name none or several, in order. They stay text.
    pub failures: Vec<Failure>,
}

/// Answers the readable mentions of a text.
///
/// `readable` are those of [`readable_mentions`](crate::readable_mentions) of this text; `known` is
/// what [`resolve`] looks through, and may lack what no request [needs](Request::needs_ids).
///
/// ```
/// use sref_delivery::{Known, canonical, readable_mentions};
/// use sref_service::Search;
/// use sref_session::Dialect;
///
/// let text = r#"as in @sref:"fix login" and @sref:zz"#.into();
/// let known = [Known { id: "a".into(), title: Some("Fix login".into()) }];
/// let done = canonical(text, &readable_mentions(text), &known, Search::Lowercase, &Dialect::DSH);
/// assert_eq!(done.text, "as in @[Fix login](dsh-session:ImEi) and @sref:zz");
/// assert_eq!(done.failures[0].code, "mention.unknown");
/// ```
#[must_use]
pub fn canonical(
    text: JsStr<'_>,
    readable: &[Readable],
    known: &[Known],
    search: Search,
    dialect: &Dialect,
) -> Canonical {
    let mut named = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
    let mut told = BTreeSet::new();
    // A text can name the same session thousands of times.
    let mut resolved = BTreeMap::new();
    for own in readable {
        let resolution = resolved
            .entry(&own.request)
            .or_insert_with(|| resolve(&own.request, known, search));
        let range = own.range.clone();
        match (&*resolution, &own.request) {
            (Resolution::Found(found), _) => {
                let label = own.label.as_ref().or(found.title.as_ref());
                named.push((range, found.id.clone(), label.and_then(quoted)));
            }
            // Whether it exists shows when it is read.
            (_, Request::Session(id)) => {
                let label = own.label.as_ref().and_then(quoted);
                named.push((range, id.clone(), label));
            }
            _ => {
                let failure = Failure::unresolved(text.slice(range), resolution);
                failures.extend(failure.filter(|failure| told.insert(failure.clone())));
            }
        }
    }
    Canonical {
        text: rewrite(text, &named, dialect),
        failures,
    }
}

/// A title, which is of somebody else, as the label of a mention.
fn quoted(title: &JsString) -> Option<JsString> {
    let title = label_line(title.as_js_str(), MAX_LABEL);
    (!title.is_empty()).then(|| title.into())
}

/// The sessions that a prompt cites.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citations {
    /// Those to attach, in order, repetitions included.
    pub references: Vec<Reference>,
    /// Mentions that name none.
    pub failures: Vec<Failure>,
}

impl Citations {
    /// Takes out what a failed attempt to attach the sessions was about, and keeps the failure.
    ///
    /// A context is all or nothing, but one session that is gone need not cost a prompt the others:
    /// what is left can be tried again, until nothing fails or nothing is left. Of too many sessions
    /// the first are left.
    pub fn refuse(&mut self, error: &ReferenceError) {
        match error {
            ReferenceError::SelfReference { session_id }
            | ReferenceError::ReadFailed { session_id, .. }
            | ReferenceError::BudgetExceeded { session_id, .. } => {
                self.references.retain(|own| own.session_id != *session_id);
            }
            ReferenceError::TooMany { max, .. } => self.keep_first(*max),
            _ => self.references.clear(),
        }
        self.failures.push(error.into());
    }

    /// Keeps what cites the first so many sessions.
    fn keep_first(&mut self, count: usize) {
        let mut first = BTreeSet::new();
        self.references.retain(|own| {
            first.contains(&own.session_id)
                || (first.len() < count && first.insert(own.session_id.clone()))
        });
    }

    /// The sessions that the words call by nothing but their id. A title says more, to a person and
    /// to a model; [`name`](Self::name) takes it.
    #[must_use]
    pub fn nameless(&self) -> Vec<SessionId> {
        let mut ids: Vec<SessionId> = Vec::new();
        for own in &self.references {
            if is_id(own) && !ids.contains(&own.session_id) {
                ids.push(own.session_id.clone());
            }
        }
        ids
    }

    /// Calls a session by its title, where the words call it by its id.
    ///
    /// ```
    /// use sref_delivery::{Host, Typed, citations, typed};
    /// use sref_service::Search;
    /// use sref_session::Dialect;
    ///
    /// let event = Host::Claude.read(br#"{"prompt":"as in dsh-session:ImEi"}"#)?;
    /// let typed = typed(Host::Claude, &event, [&Dialect::DSH], |_| false).unwrap();
    /// let mut cited = citations(&typed, &[], &[], Search::Folding, &[&Dialect::DSH]);
    /// assert_eq!(cited.nameless(), ["a".into()]);
    /// cited.name(&"a".into(), "Fix\nlogin".into());
    /// assert_eq!(cited.references[0].label, "Fix login");
    /// assert_eq!(cited.nameless(), []);
    /// # Ok::<(), sref_delivery::EventError>(())
    /// ```
    pub fn name(&mut self, id: &SessionId, title: JsStr<'_>) {
        let title = one_line(title, MAX_LABEL);
        if title.is_empty() {
            return;
        }
        let nameless = self.references.iter_mut().filter(|own| is_id(own));
        for own in nameless.filter(|own| own.session_id == *id) {
            own.label = title.as_str().into();
        }
    }
}

/// Whether a label is the id, with or without the name of the agent before it.
fn is_id(own: &Reference) -> bool {
    let (id, label) = (own.session_id.as_js_string(), &own.label);
    let (id, label) = (id.as_wtf8(), label.as_wtf8());
    let before = id.strip_suffix(label);
    before.is_some_and(|before| before.is_empty() || before.ends_with(b":"))
}

/// A label is what a person calls a session, and titles can be whole prompts: in the few thousand
/// bytes of a hook it would take the room of the conversation.
fn with_short_label(mut reference: Reference) -> Reference {
    reference.label = one_line(reference.label.as_js_str(), MAX_LABEL).into();
    reference
}

const MAX_LABEL: usize = 120;

/// Finds the sessions that a person's words cite: canonical mentions and URIs, readable mentions as
/// far as `known` answers them, and the threads of a Codex block.
///
/// `dialects` are those whose schemes mentions may have; ids get the names of their agents. Labels are made one plain line of at most
/// 120 characters; the snapshot they stand in escapes the rest. A malformed mention is a failure, and then
/// no mention in the words counts.
///
/// ```
/// use sref_delivery::{Host, citations, readable_mentions, typed};
/// use sref_service::Search;
/// use sref_session::Dialect;
///
/// let event = br#"{"prompt":"as in @[the plan](dsh-session:ImEi) and thread://019edb56-0000-7000-8000-0123456789ab"}"#;
/// let event = Host::Codex.read(event)?;
/// let typed = typed(Host::Codex, &event, [&Dialect::DSH], |_| false).unwrap();
/// let readable = readable_mentions(typed.words.as_js_str());
/// // Neither needs a listing.
/// assert!(!readable.iter().any(|own| own.request.needs_ids()));
/// let cited = citations(&typed, &readable, &[], Search::Lowercase, &[&Dialect::DSH]);
/// assert_eq!(cited.references[0].label, "the plan");
/// assert_eq!(cited.references[1].session_id.to_string(), "codex:019edb56-0000-7000-8000-0123456789ab");
/// # Ok::<(), sref_delivery::EventError>(())
/// ```
#[must_use]
pub fn citations(
    typed: &Typed,
    readable: &[Readable],
    known: &[Known],
    search: Search,
    dialects: &[&Dialect],
) -> Citations {
    let words = typed.words.as_js_str();
    let default = Dialect::DSH;
    let dialect = dialects.first().copied().unwrap_or(&default);
    let schemes = Schemes::qualified(dialects.iter().copied());
    let mut failures = Vec::new();
    let mut references = Vec::new();
    let answered = canonical(words, readable, known, search, dialect);
    match extract(
        answered.text.as_js_str(),
        &schemes,
        &MentionOptions::friendly(),
    ) {
        Ok(found) => {
            references.extend(found.references.into_iter().map(with_short_label));
            failures.extend(answered.failures);
        }
        Err(error) => failures.push(Failure::malformed(&error)),
    }
    for thread in &typed.threads {
        if !references.iter().any(|own| own.session_id == *thread) {
            references.push(Reference::new(
                thread.clone(),
                thread.as_js_string().clone(),
            ));
        }
    }
    Citations {
        references,
        failures,
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn of_too_many_sessions_the_first_are_left() {
        let ids = ["a", "b", "a", "c", "d", "b", "e"];
        let mut cited = Citations {
            references: ids.map(|id| Reference::new(id, id)).into(),
            failures: Vec::new(),
        };
        cited.refuse(&ReferenceError::TooMany { found: 5, max: 3 });
        let left: Vec<String> = cited
            .references
            .iter()
            .map(|own| own.session_id.to_string())
            .collect();
        assert_eq!(left, ["a", "b", "a", "c", "b"]);
        assert_eq!(cited.failures[0].code, "SESSION_REFERENCE_TOO_MANY");
    }
}

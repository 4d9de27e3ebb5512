use alloc::format;

use sref_session::json::{JsonError, Kind, Scanner};
use sref_session::{JsStr, JsString, SessionId};
use thiserror::Error;

/// What a host says when a prompt is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The prompt.
    pub prompt: JsString,
    /// The session that the prompt goes to, in the id space of a corpus (`claude:…`). It must not
    /// cite itself. Absent when the host does not say.
    pub session: Option<SessionId>,
    /// The session's folder.
    pub cwd: Option<JsString>,
    /// The session's log. It need not exist yet.
    pub transcript: Option<JsString>,
    /// Whether the prompt goes to a sub-agent, so that a model wrote it.
    pub sub_agent: bool,
}

/// Where a host puts the members of an [`Event`].
#[derive(Debug)]
pub(crate) struct Fields {
    /// The kind of the host's sessions in a corpus.
    pub(crate) kind: &'static str,
    /// The member that names the event, and the names that stand for a prompt.
    pub(crate) event: (&'static str, &'static [&'static str]),
    /// The member that holds the prompt, and the object it stands in, if in one.
    pub(crate) prompt: (Option<&'static str>, &'static str),
    pub(crate) session: &'static str,
    pub(crate) cwd: Option<&'static str>,
    pub(crate) transcript: Option<&'static str>,
    /// The member that only a sub-agent's event has.
    pub(crate) sub_agent: Option<&'static str>,
}

/// Why a hook event is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct EventError(#[from] EventErrorKind);

/// The reasons behind an [`EventError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventErrorKind {
    /// The event is no JSON object.
    #[error("the hook event is not a JSON object: {0}")]
    Json(JsonError),
    /// The event is another one: the hook is installed in the wrong place.
    #[error("the hook event is not `{expected}`")]
    OtherEvent {
        /// The event to install the hook for.
        expected: &'static str,
    },
    /// There is no prompt, or it is no string.
    #[error("the hook event has no `{member}` that is a string")]
    NoPrompt {
        /// The member that should hold it.
        member: &'static str,
    },
}

impl EventError {
    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> EventErrorKind {
        self.0
    }

    /// The stable name of the reason.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.0 {
            EventErrorKind::Json(_) => "hook.json",
            EventErrorKind::OtherEvent { .. } => "hook.event",
            EventErrorKind::NoPrompt { .. } => "hook.prompt",
        }
    }
}

/// Reads an event. Unknown members are passed over whatever they hold; a member that is not needed
/// and has another type than expected is as good as absent.
pub(crate) fn read(bytes: &[u8], fields: &Fields) -> Result<Event, EventError> {
    let mut prompt = None;
    let mut session = None;
    let mut cwd = None;
    let mut transcript = None;
    let mut sub_agent = false;
    let mut name = Ok(());
    let (name_member, names) = fields.event;
    let (prompt_object, prompt_member) = fields.prompt;
    let other = EventErrorKind::OtherEvent { expected: names[0] };

    let mut read = || -> Result<(), JsonError> {
        let mut scanner = Scanner::new(bytes);
        scanner.enter_object()?;
        while let Some(key) = scanner.next_key()? {
            let is = |member: Option<&str>| member.is_some_and(|member| key.is(member));
            if is(Some(name_member)) {
                let said = text(&mut scanner)?;
                name = if said.is_some_and(|said| names.iter().any(|name| said == *name)) {
                    Ok(())
                } else {
                    Err(other)
                };
            } else if is(prompt_object) && scanner.peek()? == Kind::Object {
                prompt = member(&mut scanner, prompt_member)?;
            } else if prompt_object.is_none() && key.is(prompt_member) {
                prompt = text(&mut scanner)?;
            } else if key.is(fields.session) {
                session = text(&mut scanner)?;
            } else if is(fields.cwd) {
                cwd = text(&mut scanner)?;
            } else if is(fields.transcript) {
                transcript = text(&mut scanner)?;
            } else if is(fields.sub_agent) {
                // An agent that says of nobody that it is one says nothing.
                let kind = scanner.peek()?;
                let said = text(&mut scanner)?;
                sub_agent = kind != Kind::Null && said.is_none_or(|said| !said.is_empty());
            } else {
                scanner.skip_value()?;
            }
        }
        scanner.finish()
    };
    read().map_err(EventErrorKind::Json)?;
    name?;
    Ok(Event {
        prompt: prompt.ok_or(EventErrorKind::NoPrompt {
            member: prompt_member,
        })?,
        session: session.map(|id| corpus_id(fields.kind, id.as_js_str())),
        cwd,
        transcript,
        sub_agent,
    })
}

/// A string, or nothing when the value is none.
fn text(scanner: &mut Scanner<'_>) -> Result<Option<JsString>, JsonError> {
    if scanner.peek()? == Kind::String {
        return Ok(Some(scanner.string()?.decode()));
    }
    scanner.skip_value()?;
    Ok(None)
}

/// A string member of the object that comes next.
fn member(scanner: &mut Scanner<'_>, name: &str) -> Result<Option<JsString>, JsonError> {
    let mut found = None;
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        if key.is(name) {
            found = text(scanner)?;
        } else {
            scanner.skip_value()?;
        }
    }
    Ok(found)
}

/// The id that a corpus gives to a session of an agent.
pub(crate) fn corpus_id(kind: &str, native: JsStr<'_>) -> SessionId {
    let mut id = JsString::from(format!("{kind}:"));
    id.push(native);
    SessionId::new(id)
}

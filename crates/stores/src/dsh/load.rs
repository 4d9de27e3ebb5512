//! What a log means: the rules of `spec/dsh-store.md` 1.4, 1.8 and 2 over its events, in one pass
//! and whatever the encoding they came from.

use std::path::Path;

use sref_session::json::parse;
use sref_session::{
    JsString, SessionHeader, SurfaceEvent, SurfaceSnapshot, TitleError, TitleFold, TitleSnapshot,
};

use super::event::{Event, body};
use super::format::{EventType, Format};
use super::header::LogHeader;
use super::legacy;
use super::request;
use super::shape::Checked;
use super::surface::{Change, Surface};
use super::turn::{Closers, OpenTurn};
use crate::held::Held;
use crate::raw::Raw;
use crate::{Diagnostic, DiagnosticKind, Mode, Observation, Position, StoreError, StoreErrorKind};

/// What a reader wants of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Surface,
    Title,
}

/// A log that has been read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) captured_through_seq: Option<u64>,
    pub(super) events: Vec<SurfaceEvent>,
    pub(super) title: Result<Option<TitleSnapshot>, TitleError>,
    /// The first bad line: nothing from it on was read.
    pub(super) cut_off: Option<(Position, &'static str)>,
    /// Whether the last line has no end.
    pub(super) torn: bool,
}

impl Loaded {
    /// What the log at `path` shows under its header, and what of it was not read.
    pub(super) fn observation(self, header: SessionHeader, path: &Path, mode: Mode) -> Observation {
        let diagnostics = self.damage(path);
        let version = header.version;
        let mut surface = SurfaceSnapshot::new(header, self.captured_through_seq, self.events);
        // The release that is the reference does not record it.
        surface.captured_format_version = version.filter(|_| mode != Mode::Strict);
        Observation::new(surface, diagnostics)
    }

    /// What of the log at `path` was not read.
    pub(super) fn damage(&self, path: &Path) -> Vec<Diagnostic> {
        let cut_off = self.cut_off.map(|(position, detail)| {
            let detail = format!("{detail}, {position}");
            Diagnostic::new(DiagnosticKind::CutOff, path, detail)
        });
        let torn = self
            .torn
            .then(|| Diagnostic::new(DiagnosticKind::TornTail, path, ""));
        cut_off.into_iter().chain(torn).collect()
    }
}

/// Takes the events of a log one by one.
///
/// The reference checks the whole log in passes, and the first pass that fails names the error.
/// Here all passes run at once: of each failure the pass is noted, and an earlier pass wins.
#[derive(Debug)]
pub(super) struct Loader<'a> {
    format: &'a Format,
    session: &'a JsString,
    want: Want,
    next: u64,
    failure: Option<Failure>,
    turn: OpenTurn,
    surface: Surface,
    title: Option<LastTitle>,
    /// What the header says of a seed, and whether a marker of its end has been met.
    is_seeded: Option<bool>,
    inherited: bool,
}

#[derive(Debug)]
struct LastTitle {
    seq: u64,
    time: i64,
    data: Vec<u8>,
}

#[derive(Debug)]
struct Failure {
    pass: Pass,
    kind: StoreErrorKind,
    detail: String,
    position: Option<Position>,
}

/// The passes of 1.4 in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pass {
    Retired,
    Messages,
    Unknown,
    Turns,
    Header,
    Envelope,
}

impl<'a> Loader<'a> {
    pub(super) fn new(header: &'a LogHeader, format: &'a Format, want: Want) -> Self {
        let mut loader = Self {
            format,
            session: header.logical.id.as_js_string(),
            want,
            next: 0,
            failure: None,
            turn: OpenTurn::default(),
            surface: Surface::new(want == Want::Surface, format),
            title: None,
            is_seeded: header.logical.is_seeded,
            inherited: false,
        };
        if let Some(fault) = header.fault {
            loader.fail(Pass::Header, None, format!("a header with {fault}"));
        }
        loader
    }

    /// The texts that are kept so far.
    pub(super) const fn held(&self) -> Held {
        self.surface.held()
    }

    /// The number that the next event must have.
    pub(super) const fn expected(&self) -> u64 {
        self.next
    }

    /// Takes a run of chunks, which has been checked.
    pub(super) const fn chunks(&mut self, count: u64) {
        self.next += count;
    }

    /// Takes an event that has the expected number.
    pub(super) fn event(&mut self, event: &Event<'_>, position: Position) {
        let seq = self.next;
        self.next += 1;
        let at = Some(position);
        if self.passes(Pass::Retired)
            && let Err((pass, detail)) = check_retired(event, self.format)
        {
            self.fail(pass, at, detail);
        }
        if !self.passes(Pass::Messages) {
            return;
        }
        if !self.format.legacy {
            return self.upgraded(event, false, position);
        }
        match legacy::upgrade(event, self.session, seq) {
            Ok(None) => self.upgraded(event, false, position),
            Ok(Some(new)) => {
                // The text is put together from checked values: it is JSON.
                let data = Raw::checked(&new.data);
                let read = body(&mut data.scanner(), new.event_type);
                let Ok(body) = read else { return };
                let event = Event {
                    kind: new.event_type,
                    data: Some(data),
                    body,
                    ..event.clone()
                };
                self.upgraded(&event, new.inherits_id, position);
            }
            Err(detail) => self.fail(Pass::Messages, at, detail),
        }
    }

    /// Takes an event in today's shape.
    fn upgraded(&mut self, event: &Event<'_>, inherits_id: bool, position: Position) {
        let at = Some(position);
        let message = match event.body.check(self.format) {
            // An event without data has no body to check.
            Ok(Checked::NoMessage)
                if event.kind.is_eligible() || event.kind == EventType::Steering =>
            {
                return self.fail(Pass::Messages, at, "a message event without data");
            }
            Ok(message) => message,
            Err(detail) => return self.fail(Pass::Messages, at, detail),
        };
        if event.kind == EventType::Unknown
            && self.passes(Pass::Unknown)
            && !event.ignorable.is_some_and(Raw::is_true)
        {
            self.fail(Pass::Unknown, at, unknown_type(event.name));
        }
        if self.passes(Pass::Turns)
            && let Err(detail) = self.turn.event(event.kind, event.data, message)
        {
            self.fail(Pass::Turns, at, detail);
        }
        if self.passes(Pass::Envelope)
            && let Err(detail) = self.envelope(event, message, inherits_id)
        {
            self.fail(Pass::Envelope, at, detail);
        }
    }

    /// Pass 6: the envelope (1.2), and what the event does.
    fn envelope(
        &mut self,
        event: &Event<'_>,
        message: Checked<'_, '_>,
        inherits_id: bool,
    ) -> Result<(), String> {
        let seq = self.next - 1;
        let named = event.name.and_then(Raw::string).is_some();
        let time = event.time.and_then(Raw::safe_integer);
        let (Some(time), Some(data), true) = (time, event.data, named) else {
            return Err("an event without a type, time or data".into());
        };
        if event.others || event.ignorable.is_some_and(|flag| !flag.is_true()) {
            return Err("an event with members that no event has".into());
        }
        match event.kind {
            EventType::RequestHeader => request::check(data, self.format)?,
            EventType::Version | EventType::VersionSelected => {
                self.surface.version(seq, event.kind, data)?;
            }
            EventType::EndSeed => {
                self.inherited |= data.member("inherited").is_some_and(Raw::is_true);
            }
            EventType::Title => {
                self.title = Some(LastTitle {
                    seq,
                    time,
                    data: data.bytes().to_vec(),
                });
            }
            _ => {}
        }
        if event.kind.is_eligible() {
            if self.format.system.is_some()
                && event.kind == EventType::AssistantMessage
                && event.sources.is_some()
            {
                return Err("an assistant message with sources, which embeds its stream".into());
            }
            return self.surface.apply(
                Change {
                    seq,
                    event_type: event.kind,
                    operation: event.surface_op,
                    sources: event.sources,
                    data,
                    message,
                    inherits_id,
                },
                self.format,
            );
        }
        // `spec/dsh-newer.md` 3: on what a reader does not know they have no effect.
        let ignored = self.format.system.is_some() && event.kind == EventType::Unknown;
        if !ignored && (event.surface_op.is_some() || event.sources.is_some()) {
            return Err("a surface operation on an event that has no place there".into());
        }
        Ok(())
    }

    /// Whether this pass is still of interest.
    fn passes(&self, pass: Pass) -> bool {
        self.failure
            .as_ref()
            .is_none_or(|failure| pass < failure.pass)
    }

    fn fail(&mut self, pass: Pass, position: Option<Position>, detail: impl Into<String>) {
        if !self.passes(pass) {
            return;
        }
        self.failure = Some(Failure {
            pass,
            kind: match pass {
                Pass::Unknown => StoreErrorKind::Unsupported,
                _ => StoreErrorKind::Corrupt,
            },
            detail: detail.into(),
            position,
        });
        // No surface will come of it.
        self.surface = Surface::new(false, self.format);
    }

    /// Closes the log.
    pub(super) fn finish(mut self) -> Result<Loaded, StoreError> {
        let closers = self.turn.close().unwrap_or_else(|detail| {
            self.fail(Pass::Turns, None, detail);
            Closers::default()
        });
        if self.format.seeded && self.is_seeded != Some(self.inherited) {
            self.fail(
                Pass::Header,
                None,
                "a seed without the marker of its end, or the other way",
            );
        }
        if self.failure.is_none()
            && let Err(detail) = self.surface.settle(self.format)
        {
            self.fail(Pass::Envelope, None, detail);
        }
        if self.failure.is_none() {
            for _ in 0..closers.tool_results {
                let seq = self.next;
                self.next += 1;
                if let Err(detail) = self.surface.append_synthetic_result(seq) {
                    self.fail(Pass::Turns, None, detail);
                }
            }
            self.next += closers.others;
        }
        if let Some(failure) = self.failure {
            let error = StoreError::new(failure.kind, failure.detail);
            return Err(match failure.position {
                Some(position) => error.at(position),
                None => error,
            });
        }
        Ok(Loaded {
            captured_through_seq: self.next.checked_sub(1),
            events: match self.want {
                Want::Surface => self.surface.into_events(),
                Want::Title => Vec::new(),
            },
            title: title(self.title),
            cut_off: None,
            torn: false,
        })
    }
}

/// 1.4 no. 1, and the system prompt that format 3 took out of the request
/// (`spec/dsh-newer.md` 7, 8).
fn check_retired(event: &Event<'_>, format: &Format) -> Result<(), (Pass, &'static str)> {
    let retired = |detail| Err((Pass::Retired, detail));
    match event.kind {
        EventType::Retired => retired("a retired event type"),
        EventType::RequestHeader if format.legacy => {
            let Some(data) = event.data.filter(|data| !data.is_null()) else {
                return retired("a request/header without data");
            };
            let reason = data.member("reason");
            if reason.is_some_and(|reason| reason.is_string("fallback")) {
                return retired("a retired kind of request/header");
            }
            Ok(())
        }
        EventType::RequestHeader
            if format.system.is_some() && request::has_retired_system(event.data) =>
        {
            let detail = "a request/header with the retired member system";
            Err((
                if format.own_kinds {
                    Pass::Retired
                } else {
                    Pass::Unknown
                },
                detail,
            ))
        }
        _ => Ok(()),
    }
}

fn unknown_type(name: Option<Raw<'_>>) -> String {
    match name.and_then(Raw::decode) {
        Some(name) => format!("the event type {}", name.as_js_str().excerpt()),
        None => "an event without a type".into(),
    }
}

/// 7: only the last title is looked at.
fn title(last: Option<LastTitle>) -> Result<Option<TitleSnapshot>, TitleError> {
    let mut fold = TitleFold::default();
    if let Some(last) = last {
        // Too deep for a tree is as malformed as a title can be.
        let data = parse(&last.data).unwrap_or(sref_session::json::Value::Null);
        fold.push(last.seq, last.time, data);
    }
    fold.finish()
}

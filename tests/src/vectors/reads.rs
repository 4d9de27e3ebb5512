//! A source of surfaces that plays what a vector says of each read.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use sref::query::{BoxError, CancellationToken, SessionQuery, SessionRecord, TitleResult};
use sref::session::json::{Object, Value};
use sref::session::{SessionId, SurfaceSnapshot};

use super::surface;
use crate::drive::yield_once;
use crate::fields::{self, Malformed};

/// The `sessions` and `cancel` of a `prepare` or `pre-step` vector.
pub(super) struct Reads {
    /// A repeated id means its last entry, as in a JavaScript `Map`.
    surfaces: HashMap<SessionId, Option<SurfaceSnapshot>>,
    cancel: Option<CancelAt>,
    token: CancellationToken,
    started: Mutex<Vec<SessionId>>,
}

/// At which read the token fires (1 is the first), and what that read does then.
#[derive(Debug, Clone, Copy)]
struct CancelAt {
    read: u64,
    then: Then,
}

#[derive(Debug, Clone, Copy)]
enum Then {
    Resolve,
    Reject,
    Hang,
}

impl Reads {
    pub(super) fn from_json(input: &Value) -> Result<Self, Malformed> {
        let mut surfaces = HashMap::new();
        for session in fields::optional_items(input, "sessions")? {
            let surface = match fields::optional(session, "surface") {
                Some(surface) => Some(surface::read(surface)?),
                None => None,
            };
            surfaces.insert(fields::id(session, "id")?, surface);
        }
        let token = CancellationToken::new();
        let mut cancel = None;
        if let Some(plan) = fields::optional(input, "cancel") {
            match fields::text(plan, "when")?.as_str() {
                Some("before") => token.cancel(),
                Some("never") => {}
                Some("read") => cancel = Some(CancelAt::from_json(plan)?),
                _ => return Err(Malformed("`when` is unknown".into())),
            }
        }
        Ok(Self {
            surfaces,
            cancel,
            token,
            started: Mutex::default(),
        })
    }

    pub(super) const fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// The ids read so far, in the order in which the reads started.
    pub(super) fn started(&self) -> Value {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let ids: Vec<Value> = started
            .iter()
            .map(|id| id.as_js_string().clone().into())
            .collect();
        ids.into()
    }

    /// The outcome of a run with the reads that it made.
    pub(super) fn outcome(&self, result: Object) -> Value {
        result.with("reads", self.started()).into()
    }

    fn start(&self, id: &SessionId) -> u64 {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.push(id.clone());
        started.len() as u64
    }
}

impl CancelAt {
    fn from_json(plan: &Value) -> Result<Self, Malformed> {
        let read = fields::optional_count(plan, "n")?.unwrap_or(1);
        let then = match fields::text(plan, "then")?.as_str() {
            Some("resolve") => Then::Resolve,
            Some("reject") => Then::Reject,
            Some("hang") => Then::Hang,
            _ => return Err(Malformed("`then` is unknown".into())),
        };
        Ok(Self { read, then })
    }
}

impl SessionQuery for Reads {
    type Error = BoxError;

    async fn list(&self, _: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        Err("references are read without a listing".into())
    }

    async fn titles(
        &self,
        _: &[SessionId],
        _: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        Err("references are read without titles".into())
    }

    async fn surface(
        &self,
        id: &SessionId,
        _: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        let number = self.start(id);
        let then = self.cancel.filter(|cancel| cancel.read == number);
        if then.is_some() {
            self.token.cancel();
        }
        // No read ends in the step in which it starts: all that run at once have started by then.
        yield_once().await;
        match then.map(|cancel| cancel.then) {
            Some(Then::Hang) => pending().await,
            Some(Then::Reject) => Err("rejected by the script".into()),
            Some(Then::Resolve) | None => match self.surfaces.get(id) {
                Some(Some(surface)) => Ok(Some(surface.clone())),
                Some(None) => Err("unreadable".into()),
                None => Ok(None),
            },
        }
    }
}

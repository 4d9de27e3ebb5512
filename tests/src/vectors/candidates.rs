//! `candidates` and `candidate-mentions`.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use sref::query::{BoxError, CancellationToken, SessionQuery, SessionRecord, TitleResult};
use sref::service::{Agent, Candidate, Limit};
use sref::session::json::{Object, Value};
use sref::session::{JsString, SessionHeader, SessionId, SurfaceSnapshot};

use crate::drive::{STALLED, drive};
use crate::fields::{self, Malformed};
use crate::seed;

pub(super) fn plain(input: &Value) -> Result<Value, Malformed> {
    run(input, without_mention)
}

pub(super) fn with_mentions(input: &Value) -> Result<Value, Malformed> {
    run(input, Candidate::to_json)
}

/// A candidate as the files that record no mentions have it.
pub(crate) fn without_mention(candidate: &Candidate) -> Value {
    let mut json = candidate.to_json();
    if let Value::Object(members) = &mut json {
        members.remove("mention");
    }
    json
}

fn run(input: &Value, describe: fn(&Candidate) -> Value) -> Result<Value, Malformed> {
    let agent = fields::any(input, "agent")?;
    let agent = Agent {
        id: fields::id(agent, "id")?,
        cwd: fields::optional_text(agent, "cwd")?.cloned(),
    };
    let query = fields::optional_text(input, "query")?.map(JsString::as_js_str);
    let mut config = Object::new();
    if let Some(limit) = fields::optional(input, "candidateLimit") {
        config.set("candidateLimit", limit.clone());
    }
    let listing = Listing::from_json(input)?;
    let token = listing.token.clone();
    let call = async {
        let limit = input.get("limit").map(Limit::from_json).transpose()?;
        let resolver = seed::resolver(&listing, &config.into())?;
        resolver.candidates(&agent, query, limit, &token).await
    };
    Ok(listing.outcome(match drive(call) {
        None => Object::new().with("error", STALLED),
        Some(Err(error)) => Object::new().with("error", error.code()),
        Some(Ok(candidates)) => {
            let candidates: Vec<Value> = candidates.iter().map(describe).collect();
            Object::new().with("candidates", candidates)
        }
    }))
}

/// A source of sessions that plays what a vector says of its listing.
struct Listing {
    records: Vec<SessionRecord>,
    /// `Err` where the title cannot be read. A repeated id means its last entry, as in a
    /// JavaScript `Map`.
    titles: HashMap<SessionId, Result<Option<JsString>, ()>>,
    cancel: Option<Phase>,
    token: CancellationToken,
    title_reads: Mutex<Vec<Vec<SessionId>>>,
}

/// The call during which the token fires. That call then hangs: a caller must not wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    List,
    Titles,
}

impl Listing {
    fn from_json(input: &Value) -> Result<Self, Malformed> {
        let mut records = Vec::new();
        let mut titles = HashMap::new();
        for session in fields::optional_items(input, "sessions")? {
            let id = fields::id(session, "id")?;
            let created_at = fields::any(session, "createdAt")?
                .as_safe_integer()
                .ok_or_else(|| Malformed("`createdAt` is no safe integer".into()))?;
            let mut header = SessionHeader::new(id.clone(), created_at);
            header.cwd = fields::optional_text(session, "cwd")?.cloned();
            records.push(SessionRecord::new(header));
            let fails = fields::optional(session, "titleError").and_then(Value::as_bool);
            let title = fields::optional_text(session, "title")?.cloned();
            titles.insert(
                id,
                if fails == Some(true) {
                    Err(())
                } else {
                    Ok(title)
                },
            );
        }
        let token = CancellationToken::new();
        let phase = fields::optional_text(input, "cancel")?;
        let cancel = match phase.map(JsString::as_str) {
            None => None,
            Some(Some("before")) => {
                token.cancel();
                None
            }
            Some(Some("list")) => Some(Phase::List),
            Some(Some("titles")) => Some(Phase::Titles),
            Some(_) => return Err(Malformed("`cancel` is unknown".into())),
        };
        Ok(Self {
            records,
            titles,
            cancel,
            token,
            title_reads: Mutex::default(),
        })
    }

    async fn cancel_in(&self, phase: Phase) {
        if self.cancel == Some(phase) {
            self.token.cancel();
            pending::<()>().await;
        }
    }

    fn outcome(&self, result: Object) -> Value {
        let batches = self
            .title_reads
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let batches: Vec<Value> = batches
            .iter()
            .map(|batch| {
                let ids: Vec<Value> = batch
                    .iter()
                    .map(|id| id.as_js_string().clone().into())
                    .collect();
                ids.into()
            })
            .collect();
        result.with("titleReads", batches).into()
    }
}

impl SessionQuery for Listing {
    type Error = BoxError;

    async fn list(&self, _: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        self.cancel_in(Phase::List).await;
        Ok(self.records.as_slice().into())
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        _: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        self.title_reads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ids.to_vec());
        self.cancel_in(Phase::Titles).await;
        let title = |id| match self.titles.get(id) {
            Some(Ok(title)) => Ok(title.clone()),
            Some(Err(())) => Err("unreadable title".into()),
            None => Err("no such session".into()),
        };
        Ok(ids.iter().map(title).collect())
    }

    async fn surface(
        &self,
        _: &SessionId,
        _: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        Err("candidates are listed without reading a surface".into())
    }
}

//! References to the sessions of a store, through the resolver.

use sref::query::CancellationToken;
use sref::service::{Agent, Limit};
use sref::session::JsString;
use sref::session::json::{self, Object, Value};
use sref::uri::Reference;

use super::open::{Opened, failed};
use crate::vectors::without_mention;
use crate::{context, digest, seed};

/// The agent that makes the recorded references; it lies in `/work/alpha`.
const TARGET: &str = "__target__";

/// The agent that asks for the recorded candidates.
const ASKING: &str = "plain-chat";

/// What a reference to a session carries under a budget; the label is the id.
pub(super) fn projection(store: &Opened, id: &JsString, budget: u64) -> Value {
    let config = Object::new().with("maxReferenceBytes", budget).into();
    let references = [Reference::new(id.clone(), id.clone())];
    let call = async {
        seed::resolver(store.query(), &config)?
            .prepare(
                &TARGET.into(),
                Vec::new(),
                &references,
                &CancellationToken::new(),
            )
            .await
    };
    let prepared = match store.wait(call) {
        Ok(prepared) => prepared,
        Err(error) => return failed(error.code()),
    };
    let Some(context) = prepared.context else {
        return failed("no context");
    };
    let described = context::describe(&context.message);
    facts(&described).unwrap_or(described)
}

/// The recorded facts of a context with one reference; `None` for any other.
fn facts(described: &Value) -> Option<Value> {
    let data = described.get("json")?.as_string()?.as_str()?;
    let data = data.strip_prefix('[')?.strip_suffix(']')?;
    let [stats] = described.get("references")?.as_array()? else {
        return None;
    };
    // Recorded before the reference wrote this member.
    let mut stats = stats.as_object()?.clone();
    stats.remove("capturedFormatVersion");
    let object = json::parse(data.as_bytes()).ok()?;
    let mut roles = String::new();
    let mut hashes = Vec::new();
    let mut sizes = Vec::new();
    for entry in object.get("conversation")?.as_array()? {
        roles.push_str(&entry.get("role")?.as_string()?.as_str()?[..1]);
        let text = entry.get("text")?.as_string()?;
        let bytes = text.to_string_lossy();
        hashes.push(Value::from(&*digest::sha256(bytes.as_bytes())));
        sizes.push(Value::from(bytes.len() as u64));
    }
    let facts = Object::new()
        .with("stats", stats)
        .with("dataBytes", data.len() as u64)
        .with("dataSha256", &*digest::sha256(data.as_bytes()))
        .with("dataJson", data)
        .with("conversationRoles", &*roles)
        .with("textSha256", hashes)
        .with("textBytes", sizes);
    Some(facts.into())
}

/// The candidates that an agent is offered.
pub(super) fn candidates(store: &Opened, request: &Request) -> Value {
    let agent = Agent {
        id: ASKING.into(),
        cwd: request.cwd.as_deref().map(JsString::from),
    };
    let query = JsString::from(request.query.as_str());
    let call = async {
        let limit = request.limit.map(Limit::new).transpose()?;
        seed::resolver(store.query(), &Object::new().into())?
            .candidates(
                &agent,
                Some(query.as_js_str()),
                limit,
                &CancellationToken::new(),
            )
            .await
    };
    match store.wait(call) {
        Err(error) => failed(error.code()),
        Ok(candidates) => candidates
            .iter()
            .map(without_mention)
            .collect::<Vec<_>>()
            .into(),
    }
}

/// Who asked for candidates, and for which.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    cwd: Option<String>,
    query: String,
    limit: Option<u64>,
}

impl Request {
    /// Decodes the name of a recorded list: `<cwd>-<query>`.
    ///
    /// `no-cwd` is none, any other word `w` is `/work/w`. The query `empty` is the empty one, and
    /// so is `limit-N`, with a limit; `work` was asked for with a limit that its name leaves out.
    pub(super) fn from_name(name: &str) -> Self {
        let (cwd, rest) = if let Some(rest) = name.strip_prefix("no-cwd-") {
            (None, rest)
        } else {
            let (word, rest) = name.split_once('-').unwrap_or((name, "empty"));
            (Some(format!("/work/{word}")), rest)
        };
        let limit = rest
            .strip_prefix("limit-")
            .and_then(|limit| limit.parse().ok());
        let (query, limit) = match rest {
            "empty" => ("", None),
            "work" => ("work", Some(5)),
            _ if limit.is_some() => ("", limit),
            query => (query, None),
        };
        Self {
            cwd,
            query: query.to_owned(),
            limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_candidate_lists_decode() {
        for (name, cwd, query, limit) in [
            ("alpha-empty", Some("/work/alpha"), "", None),
            ("alpha-limit-3", Some("/work/alpha"), "", Some(3)),
            ("no-cwd-empty", None, "", None),
            ("no-cwd-limit-7", None, "", Some(7)),
            ("alpha-TITLE", Some("/work/alpha"), "TITLE", None),
            ("beta-work", Some("/work/beta"), "work", Some(5)),
            ("no-cwd-two-words", None, "two-words", None),
        ] {
            let expected = Request {
                cwd: cwd.map(Into::into),
                query: query.into(),
                limit,
            };
            assert_eq!(Request::from_name(name), expected, "{name}");
        }
    }
}

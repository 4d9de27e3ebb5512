use std::collections::HashSet;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId,
};
use sref_delivery::well_formed;
use sref_session::json::{self, Value};

use super::request_id;
use crate::fault::{self, code};

/// What may come in: decides, before the SDK sees a message, whether it is one.
///
/// The SDK is silent where it cannot read something, ends when a notification comes before the
/// beginning, and mixes up two requests of one id. A client that waits would wait for ever.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Whether the client has begun: with `initialize`, or with a request that says its version.
    begun: bool,
    /// Requests that were let in and are not answered.
    open: HashSet<RequestId>,
}

/// The method with which a client begins.
const INITIALIZE: &str = "initialize";

/// What becomes of a message.
#[derive(Debug)]
pub(crate) enum Verdict {
    Pass(Box<ClientJsonRpcMessage>),
    /// It wants no answer, and there is nothing to do.
    Ignore,
    Refuse(Option<RequestId>, ErrorData),
}

impl Gate {
    /// Judges a line.
    pub(crate) fn judge(&mut self, line: &[u8]) -> Verdict {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return Verdict::Ignore;
        }
        match json::parse(line) {
            Ok(message) => self.judge_value(&message),
            Err(error) => {
                let said = format!("not JSON: {error}");
                let error = fault::protocol(ErrorCode::PARSE_ERROR, code::PARSE, said);
                Verdict::Refuse(request_id::of_ends(line, line), error)
            }
        }
    }

    /// A line of which only the ends are known.
    pub(crate) fn too_long(head: &[u8], tail: &[u8]) -> Verdict {
        let said = format!("a message is at most {} bytes long", super::lines::LONGEST);
        refuse(request_id::of_ends(head, tail), code::TOO_LONG, said)
    }

    /// Whatever was asked under this id is answered.
    pub(crate) fn answered(&mut self, id: &RequestId) {
        self.open.remove(id);
    }

    fn judge_value(&mut self, message: &Value) -> Verdict {
        let id = message.get("id");
        let known = id.and_then(|id| request_id::read(id.to_json().as_bytes()));
        let Some(method) = message.get("method").and_then(Value::as_string) else {
            // An answer: nothing was asked, so nobody waits for it, and an answer to it would be one
            // to an answer.
            if message.get("result").is_some() || message.get("error").is_some() {
                return Verdict::Ignore;
            }
            return refuse(known, code::INVALID, "not a JSON-RPC request: no `method`");
        };
        if id.is_some() && known.is_none() {
            return refuse(None, code::INVALID, "an `id` is a string or a whole number");
        }
        // What may be a lone surrogate in it becomes U+FFFD: the SDK reads strict JSON.
        let text = well_formed(message.to_json());
        let read = match serde_json::from_str::<ClientJsonRpcMessage>(&text) {
            Ok(read) => read,
            Err(_) if known.is_none() => return Verdict::Ignore,
            Err(error) => {
                let said = format!("{}: {error}", method.as_js_str().excerpt());
                return refuse(known, code::INVALID, said);
            }
        };
        self.judge_message(read)
    }

    fn judge_message(&mut self, message: ClientJsonRpcMessage) -> Verdict {
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = &request.id;
                if !self.begun
                    && let ClientRequest::CustomRequest(custom) = &request.request
                    && custom.method == INITIALIZE
                {
                    // What the SDK takes for a request of its own by its parameters, this is none.
                    let error = fault::wrong_parameters(INITIALIZE);
                    return Verdict::Refuse(Some(id.clone()), error);
                }
                if !self.begun && !begins(&request.request) {
                    let said = "not initialized: the first request is `initialize`";
                    return refuse(Some(id.clone()), code::NOT_INITIALIZED, said);
                }
                if !self.open.insert(id.clone()) {
                    // Under its id the first one is answered, and a client that has one answer
                    // waits for no second one.
                    return refuse(Some(id.clone()), code::INVALID, "this `id` is in use");
                }
                self.begun |= !is_before(&request.request);
                Verdict::Pass(Box::new(message))
            }
            JsonRpcMessage::Notification(_) if !self.begun => Verdict::Ignore,
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
                Verdict::Pass(Box::new(message))
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Verdict::Ignore,
        }
    }
}

fn refuse(id: Option<RequestId>, name: &'static str, said: impl Into<String>) -> Verdict {
    Verdict::Refuse(id, fault::protocol(ErrorCode::INVALID_REQUEST, name, said))
}

/// Whether a request may come before the beginning, and is none.
const fn is_before(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
    )
}

/// Whether a request may be the first: since 2026-07-28 each says its version itself.
fn begins(request: &ClientRequest) -> bool {
    use rmcp::model::GetMeta as _;
    is_before(request)
        || matches!(request, ClientRequest::InitializeRequest(_))
        || request.get_meta().protocol_version().is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn begun() -> Gate {
        Gate {
            begun: true,
            ..Gate::default()
        }
    }

    proptest! {
        /// Whatever has an id that can be read is answered or passed on under it.
        #[test]
        fn each_request_gets_an_answer(
            id in 0_i64..9,
            rest in "[\\]\\[{}\":,a-z0-9.\\\\ué]{0,24}",
            method in prop::sample::select(vec!["ping", "tools/call", "resources/read", "x", "notifications/x"]),
        ) {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{rest}}}"#);
            match begun().judge(line.as_bytes()) {
                Verdict::Pass(message) => match *message {
                    JsonRpcMessage::Request(request) => prop_assert_eq!(request.id, RequestId::Number(id)),
                    other => prop_assert!(false, "{:?}", other),
                },
                Verdict::Refuse(refused, _) => prop_assert_eq!(refused, Some(RequestId::Number(id))),
                Verdict::Ignore => prop_assert!(false, "ignored: {}", line),
            }
        }

        #[test]
        fn any_bytes_are_judged(line in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = begun().judge(&line);
            let _ = Gate::too_long(&line, &line);
        }
    }
}

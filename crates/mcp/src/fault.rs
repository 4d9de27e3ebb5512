use std::error::Error;

use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData};
use serde_json::json;
use sref_delivery::{Failure, well_formed};
use sref_envelope::Profile;
use sref_query::QueryError;
use sref_service::ReferenceError;
use sref_session::JsStr;

/// The codes of the server's own faults. Errors of the libraries keep theirs.
pub(crate) mod code {
    /// A message is not JSON.
    pub(crate) const PARSE: &str = "mcp.parse";
    /// A message is no JSON-RPC request, or its parameters are not those of its method.
    pub(crate) const INVALID: &str = "mcp.invalid-request";
    /// A message is larger than the server reads.
    pub(crate) const TOO_LONG: &str = "mcp.too-long";
    /// A request came before `initialize`.
    pub(crate) const NOT_INITIALIZED: &str = "mcp.not-initialized";
    /// There is no method, tool, prompt or argument of this name.
    pub(crate) const UNKNOWN_NAME: &str = "mcp.unknown-name";
    /// An argument is missing or cannot be meant.
    pub(crate) const ARGUMENT: &str = "mcp.argument";
    /// A cursor leads nowhere in the session as it is now, or elsewhere than when a page gave it.
    pub(crate) const CURSOR: &str = "mcp.cursor";
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) kind: Kind,
}

/// Whose fault it is, for channels that tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What was asked cannot be meant.
    Asked,
    /// What was asked for is not there.
    Absent,
    /// A store could not answer.
    Store,
}

impl Fault {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self {
            code: code::ARGUMENT,
            message: message.into(),
            kind: Kind::Asked,
        }
    }

    /// There is nothing of this name.
    pub(crate) fn unknown_name(what: &str, name: &str) -> Self {
        Self {
            code: code::UNKNOWN_NAME,
            message: format!("no {what} {}", JsStr::from(name).excerpt()),
            kind: Kind::Asked,
        }
    }

    pub(crate) fn of_failure(failure: &Failure) -> Self {
        let mut message = match &failure.cited {
            Some(cited) => format!("{cited}: {}", failure.reason),
            None => failure.reason.clone(),
        };
        if !failure.closest.is_empty() {
            message += "; closest: ";
            message += &failure.closest.join(", ");
        }
        Self {
            code: failure.code,
            message,
            kind: if failure.code.starts_with("mention.") {
                Kind::Absent
            } else {
                Kind::Asked
            },
        }
    }

    /// As the answer of a tool, which the model reads.
    pub(crate) fn into_tool_result(self) -> CallToolResult {
        let mut text = String::from("{\"error\":{\"code\":");
        let member = |text: &mut String, value: &str| {
            Profile::Hardened.write_string(text, value.into());
        };
        member(&mut text, self.code);
        text.push_str(",\"message\":");
        member(&mut text, &self.message);
        text.push_str("}}");
        CallToolResult::error(vec![ContentBlock::text(well_formed(text))])
    }

    /// As the answer of any other method.
    pub(crate) fn into_error(self) -> ErrorData {
        let number = match self.kind {
            Kind::Asked => ErrorCode::INVALID_PARAMS,
            // The SDK says -32602 in its place to clients for which that is the number.
            Kind::Absent => ErrorCode::RESOURCE_NOT_FOUND,
            Kind::Store => ErrorCode::INTERNAL_ERROR,
        };
        protocol(number, self.code, self.message)
    }
}

impl From<ReferenceError> for Fault {
    fn from(error: ReferenceError) -> Self {
        let kind = match &error {
            ReferenceError::ReadFailed { source, .. } if is_absence(&**source) => Kind::Absent,
            ReferenceError::ListFailed { .. } | ReferenceError::ReadFailed { .. } => Kind::Store,
            _ => Kind::Asked,
        };
        Self {
            kind,
            ..Self::of_failure(&Failure::from(&error))
        }
    }
}

fn is_absence(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<QueryError>();
    error.is_some_and(|error| matches!(error, QueryError::SessionNotFound { .. }))
}

/// That a method was asked with other parameters than it has.
pub(crate) fn wrong_parameters(method: &str) -> ErrorData {
    let method = JsStr::from(method).excerpt();
    let said = format!("the parameters of {method} are not those of this method");
    protocol(ErrorCode::INVALID_PARAMS, code::INVALID, said)
}

/// An error of the protocol, with our name for it beside its number.
pub(crate) fn protocol(
    number: ErrorCode,
    name: &'static str,
    said: impl Into<String>,
) -> ErrorData {
    ErrorData::new(number, said.into(), Some(json!({ "code": name })))
}

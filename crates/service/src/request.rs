use std::collections::HashSet;

use sref_session::json::Value;
use sref_session::{Block, SessionId};
use sref_uri::Reference;

use crate::ReferenceError;

/// A call of [`prepare`](crate::SessionReferenceResolver::prepare) as an untyped host makes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PrepareRequest {
    /// The session that cites.
    pub agent_id: SessionId,
    /// The message's blocks.
    pub content: Vec<Block>,
    /// The sessions that it cites.
    pub references: Vec<Reference>,
}

impl PrepareRequest {
    /// Reads `{agentId, content, references: [{sessionId, label?}]}`. Other members are not looked
    /// at.
    ///
    /// References are checked one after the other, each for its type and then for citing the agent
    /// itself, so that the error is that of the first bad one, whichever it is.
    ///
    /// # Errors
    ///
    /// - [`ReferenceError::InvalidRequest`] for a member that is missing or of another type.
    /// - [`ReferenceError::InvalidReference`] for a reference of another type; `label: null` is one.
    /// - [`ReferenceError::SelfReference`] for one that names the agent.
    ///
    /// # Examples
    ///
    /// ```
    /// use sref_service::PrepareRequest;
    /// use sref_session::json;
    ///
    /// let read = |text: &str| PrepareRequest::from_json(json::parse(text.as_bytes()).unwrap());
    /// let request = read(r#"{"agentId":"me","content":[],"references":[{"sessionId":"s"}]}"#)?;
    /// assert_eq!(request.references[0].label, "s");
    ///
    /// let error = read(r#"{"agentId":"me","content":[],"references":[null]}"#).unwrap_err();
    /// assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_REFERENCE");
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub fn from_json(request: Value) -> Result<Self, ReferenceError> {
        let wrong = |member| ReferenceError::InvalidRequest { member };
        let Value::Object(mut request) = request else {
            return Err(wrong("agentId"));
        };
        let Some(Value::String(agent_id)) = request.remove("agentId") else {
            return Err(wrong("agentId"));
        };
        let Some(Value::Array(content)) = request.remove("content") else {
            return Err(wrong("content"));
        };
        let Some(Value::Array(references)) = request.remove("references") else {
            return Err(wrong("references"));
        };
        let agent_id = SessionId::from(agent_id);
        let reference = |(index, value)| {
            let reference =
                read_reference(value).ok_or(ReferenceError::InvalidReference { index })?;
            check_self(&agent_id, &reference)?;
            Ok(reference)
        };
        Ok(Self {
            content: content.into_iter().map(Block::from_json).collect(),
            references: (references.iter().enumerate().map(reference))
                .collect::<Result<_, ReferenceError>>()?,
            agent_id,
        })
    }
}

/// An object with a string `sessionId` and, if any, a string `label`. Without a label the id is one.
fn read_reference(reference: &Value) -> Option<Reference> {
    let session_id = reference.get("sessionId")?.as_string()?;
    let label = match reference.get("label") {
        Some(label) => label.as_string()?,
        None => session_id,
    };
    Some(Reference::new(session_id.clone(), label.clone()))
}

/// The id asked for decides; an alias of the agent's session is another session
/// (`contract.md` §8).
fn check_self(agent_id: &SessionId, reference: &Reference) -> Result<(), ReferenceError> {
    if reference.session_id == *agent_id {
        return Err(ReferenceError::SelfReference {
            session_id: agent_id.clone(),
        });
    }
    Ok(())
}

/// The references without repetitions, the first label winning.
///
/// # Errors
///
/// [`ReferenceError::SelfReference`] before [`ReferenceError::TooMany`], which counts different
/// sessions.
pub(crate) fn distinct(
    agent_id: &SessionId,
    references: &[Reference],
    max: usize,
) -> Result<Vec<Reference>, ReferenceError> {
    let mut seen = HashSet::new();
    let mut distinct = Vec::new();
    for reference in references {
        check_self(agent_id, reference)?;
        if seen.insert(&reference.session_id) {
            distinct.push(reference);
        }
    }
    if distinct.len() > max {
        return Err(ReferenceError::TooMany {
            found: distinct.len(),
            max,
        });
    }
    Ok(distinct.into_iter().cloned().collect())
}

use sref_delivery::{Delivery, Failure};
use sref_envelope::Frame;
use sref_query::SessionQuery;
use sref_service::ReferenceError;
use sref_session::{JsString, SessionId};
use sref_uri::Reference;

use crate::fault::Fault;
use crate::label;
use crate::lookup::look_up;
use crate::view::View;

/// How much a context may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// So many bytes, all told.
    Within(usize),
    /// What the server allows each session.
    Whole,
}

/// The context of the sessions that some strings name.
///
/// What one of them has against it costs the others nothing: the context says so.
///
/// # Errors
///
/// When none is left, with the first reason; when the call was taken back.
pub(crate) async fn context<Q: SessionQuery>(
    view: &View<'_, Q>,
    mentions: &[String],
    size: Size,
) -> Result<Delivery, Fault> {
    let mut references = Vec::new();
    let mut failures = Vec::new();
    for mention in mentions {
        match look_up(view, mention).await? {
            Ok(named) => references.extend(named),
            Err(failure) => failures.push(failure),
        }
    }
    refuse_own(view, &mut references, &mut failures);
    label_all(view, &mut references).await?;
    while !references.is_empty() {
        match attempt(view, &references, &failures, size).await {
            Ok(delivery) => return Ok(delivery),
            Err(ReferenceError::Cancelled) => return Err(ReferenceError::Cancelled.into()),
            Err(error) => {
                if view.call.cancel.is_cancelled() {
                    return Err(ReferenceError::Cancelled.into());
                }
                match failed(&error) {
                    Some(id) => references.retain(|own| own.session_id != *id),
                    None => references.clear(),
                }
                if references.is_empty() && failures.is_empty() {
                    return Err(error.into());
                }
                failures.push(Failure::from(&error));
            }
        }
    }
    Err(failures
        .first()
        .map_or_else(|| Fault::argument("no session is named"), Fault::of_failure))
}

/// The session that an error is about.
const fn failed(error: &ReferenceError) -> Option<&SessionId> {
    match error {
        ReferenceError::SelfReference { session_id }
        | ReferenceError::ReadFailed { session_id, .. }
        | ReferenceError::BudgetExceeded { session_id, .. } => Some(session_id),
        _ => None,
    }
}

fn refuse_own<Q: SessionQuery>(
    view: &View<'_, Q>,
    references: &mut Vec<Reference>,
    failures: &mut Vec<Failure>,
) {
    references.retain(|reference| {
        let session_id = reference.session_id.clone();
        let own = view.is_own(&session_id);
        if own {
            failures.push(Failure::from(&ReferenceError::SelfReference { session_id }));
        }
        !own
    });
}

/// Labels are what the mention calls a session, else its title.
async fn label_all<Q: SessionQuery>(
    view: &View<'_, Q>,
    references: &mut [Reference],
) -> Result<(), Fault> {
    let ids: Vec<SessionId> = references
        .iter()
        .map(|own| own.session_id.clone())
        .collect();
    let titles = view.titles_of(&ids).await?;
    for (reference, title) in references.iter_mut().zip(titles) {
        let unnamed = reference.label == *reference.session_id.as_js_string();
        let title = if unnamed {
            title
        } else {
            Some(reference.label.clone())
        };
        reference.label = JsString::from(label::of(title.as_ref(), &reference.session_id));
    }
    Ok(())
}

async fn attempt<Q: SessionQuery>(
    view: &View<'_, Q>,
    references: &[Reference],
    failures: &[Failure],
    size: Size,
) -> Result<Delivery, ReferenceError> {
    let mut resolver = view.resolver();
    let nobody = SessionId::from("sref:nobody");
    let observed = resolver
        .observe(&nobody, references, &view.call.cancel)
        .await?;
    if let Size::Within(bytes) = size {
        let overhead = Delivery::overhead(&Frame::default(), &observed, failures);
        resolver = resolver.with_shared_budget(Some(bytes.saturating_sub(overhead)));
    }
    let context = resolver.render(&observed)?;
    Ok(Delivery::new(context.as_ref(), failures.to_vec()))
}

use sref_delivery::{missing_words, well_formed};
use sref_envelope::ReferencedSession;
use sref_projection::project;
use sref_query::SessionQuery;
use sref_service::ReferenceError;
use sref_session::Dialect;
use sref_uri::{Reference, encode};

use crate::cursor::Cursor;
use crate::fault::{Fault, code};
use crate::label;
use crate::lookup::look_up;
use crate::page::{Source, page};
use crate::view::View;

/// A page of the session that a string names.
pub(crate) async fn read<Q: SessionQuery>(
    view: &View<'_, Q>,
    uri: &str,
    cursor: Cursor,
    bytes: usize,
) -> Result<String, Fault> {
    let reference = one(view, uri).await?;
    let surface = view.read(&reference.session_id).await?;
    let id = &surface.header.id;
    let title = view.titles_of(std::slice::from_ref(id)).await?;
    let label = label::of(title[0].as_ref(), id);
    let mut session = ReferencedSession::new(id.as_js_str(), label.as_str().into(), &[]);
    session.cwd = surface.header.cwd.as_ref().map(|cwd| cwd.as_js_str());
    session.captured_through_seq = surface.captured_through_seq;
    let conversation = project(&surface, Dialect::DSH.checkpoints());
    let uri = encode(id, &Dialect::DSH);
    let missing = missing_words(&surface.losses);
    let source = Source {
        session,
        conversation: &conversation,
        uri: &uri,
        missing: missing.as_deref(),
    };
    let page = page(&source, cursor, bytes, view.server.resolver.profile())?;
    view.call.step("page made").await;
    Ok(well_formed(page))
}

/// The one session that a string names, which is not the one that asks.
async fn one<Q: SessionQuery>(view: &View<'_, Q>, given: &str) -> Result<Reference, Fault> {
    let named = look_up(view, given).await?;
    let mut named = named.map_err(|failure| Fault::of_failure(&failure))?;
    named.dedup_by(|a, b| a.session_id == b.session_id);
    match <[Reference; 1]>::try_from(named) {
        Ok([reference]) if view.is_own(&reference.session_id) => {
            let session_id = reference.session_id;
            Err(ReferenceError::SelfReference { session_id }.into())
        }
        Ok([reference]) => Ok(reference),
        Err(several) => Err(Fault {
            code: code::ARGUMENT,
            ..Fault::argument(format!("{} sessions are named, one is read", several.len()))
        }),
    }
}

use rmcp::model::CompletionInfo;
use sref_query::{SessionQuery, SessionRecord};
use sref_service::{Matcher, Search};
use sref_session::{Dialect, JsString, SessionId};
use sref_uri::encode;

use crate::fault::Fault;
use crate::keys::Keys;
use crate::view::View;

/// What is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The variable of the template: what follows the scheme in a URI.
    Payload,
    /// The argument of the prompt: a key.
    Key,
}

/// The sessions whose title, id, key or payload has what was typed, in any case and script.
pub(crate) async fn complete<Q: SessionQuery>(
    view: &View<'_, Q>,
    form: Form,
    typed: &str,
) -> Result<CompletionInfo, Fault> {
    let mut records: Vec<&SessionRecord> = view.candidates().collect();
    let all = records.len();
    let most = CompletionInfo::MAX_VALUES;
    if typed.is_empty() {
        // Titles are read only of what is offered.
        records.truncate(most);
    }
    let ids: Vec<SessionId> = records
        .iter()
        .map(|record| record.header.id.clone())
        .collect();
    let titles = view.titles_of(&ids).await?;
    let keys = Keys::new(&view.records);
    let mut matcher = Matcher::new(Search::Folding, typed.into());
    let found = ids
        .iter()
        .zip(&titles)
        .filter_map(|(id, title)| offer(id, title.as_ref(), &keys, form, typed, &mut matcher));
    let mut values: Vec<String> = found.collect();
    let total = if typed.is_empty() { all } else { values.len() };
    values.truncate(most);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = Some(u32::try_from(total).unwrap_or(u32::MAX));
    info.values = values;
    Ok(info)
}

/// What stands for a session, if it has what was typed.
fn offer(
    id: &SessionId,
    title: Option<&JsString>,
    keys: &Keys<'_>,
    form: Form,
    typed: &str,
    matcher: &mut Matcher,
) -> Option<String> {
    let uri = encode(id, &Dialect::DSH);
    let payload = uri.strip_prefix(Dialect::DSH.scheme()).unwrap_or(&uri);
    let key = keys.of(id, title);
    let hit = typed.is_empty()
        || matcher.matches(id.as_js_str())
        || title.is_some_and(|title| matcher.matches(title.as_js_str()))
        || match form {
            Form::Payload => payload.starts_with(typed),
            Form::Key => matcher.matches(key.as_str().into()) || uri.starts_with(typed),
        };
    hit.then(|| match form {
        Form::Payload => payload.to_owned(),
        Form::Key => key,
    })
}

use sref_delivery::{Failure, Known, Request, Resolution, readable_mentions, resolve};
use sref_query::SessionQuery;
use sref_service::Search;
use sref_session::{JsStr, SessionId};
use sref_uri::{MentionOptions, Reference, Schemes, extract};

use crate::fault::Fault;
use crate::keys;
use crate::view::View;

/// A string that is longer names nothing: each mention in it is looked up among all sessions.
const LONGEST: usize = 16 << 10;

/// What one string of a request names: sessions, or why it names none.
pub(crate) type Named = Result<Vec<Reference>, Failure>;

/// Finds the sessions that a string names: whatever a person or a model may have at hand. A mention
/// or a URI, an id or a unique beginning of one, a title key, words of a title.
///
/// Labels are not looked up: a session without one is labelled with its id.
///
/// # Errors
///
/// When the call was taken back. That nothing is named is no error of the search.
pub(crate) async fn look_up<Q: SessionQuery>(
    view: &View<'_, Q>,
    given: &str,
) -> Result<Named, Fault> {
    let text = given.trim();
    if text.len() > LONGEST {
        let none = Resolution::Unknown(Vec::new());
        return Ok(Failure::unresolved(text.into(), &none).map_or(Ok(Vec::new()), Err));
    }
    match extract(text.into(), &Schemes::known(), &MentionOptions::friendly()) {
        Ok(found) if !found.references.is_empty() => return Ok(Ok(found.references)),
        Ok(_) => {}
        Err(error) => return Ok(Err(Failure::malformed(&error))),
    }
    if view.record(&text.into()).is_some() {
        return Ok(Ok(vec![by_id(text.into())]));
    }
    let mut names: Vec<Request> = readable_mentions(text.into())
        .into_iter()
        .map(|readable| readable.request)
        .collect();
    if names.is_empty() {
        // As it stands in a prompt, without the sign that makes it a mention there.
        let text = text.strip_prefix("sref:").unwrap_or(text);
        return name(view, given.into(), text).await;
    }
    let mut found = Vec::new();
    let titles = names.iter().any(Request::needs_titles);
    let known = known(view, titles).await?;
    for request in names.drain(..) {
        match answer(&request, &known, given.into()) {
            Ok(id) => found.push(by_id(id)),
            Err(failure) => return Ok(Err(failure)),
        }
    }
    Ok(Ok(found))
}

/// A name of its own: the beginning of an id, a key, or words.
async fn name<Q: SessionQuery>(
    view: &View<'_, Q>,
    given: JsStr<'_>,
    text: &str,
) -> Result<Named, Fault> {
    let ids = known(view, false).await?;
    let id = keys::id_of(text).unwrap_or(text);
    let by_beginning = Request::Id {
        prefix: id.into(),
        complete: true,
    };
    if !id.is_empty() {
        match resolve(&by_beginning, &ids, Search::Folding) {
            Resolution::Found(own) => return Ok(Ok(vec![by_id(own.id.clone())])),
            several @ Resolution::Ambiguous(_) => {
                return Ok(Failure::unresolved(given, &several).map_or(Ok(Vec::new()), Err));
            }
            Resolution::Unknown(_) => {}
        }
    }
    let titled = known(view, true).await?;
    let words = text.trim_matches(['"', '“', '”', '「', '」']);
    // A title as one word, as a prompt's argument has to be.
    let apart = words.replace(['-', '_'], " ");
    let attempts = [words, &apart].map(|words| Request::Title(words.into()));
    let [first, second] = attempts.map(|request| answer(&request, &titled, given));
    Ok(first
        .or_else(|failure| second.map_err(|_| failure))
        .map(|id| vec![by_id(id)]))
}

/// The session that a request means.
fn answer(request: &Request, known: &[Known], given: JsStr<'_>) -> Result<SessionId, Failure> {
    match (resolve(request, known, Search::Folding), request) {
        (Resolution::Found(own), _) => Ok(own.id.clone()),
        // Whether it is there shows when it is read.
        (_, Request::Session(id)) => Ok(id.clone()),
        (unresolved, _) => Failure::unresolved(given, &unresolved)
            .map_or_else(|| Ok(given.to_js_string().into()), Err),
    }
}

async fn known<Q: SessionQuery>(view: &View<'_, Q>, titles: bool) -> Result<Vec<Known>, Fault> {
    let ids: Vec<SessionId> = view
        .records
        .iter()
        .map(|record| record.header.id.clone())
        .collect();
    let titles = if titles {
        view.titles_of(&ids).await?
    } else {
        vec![None; ids.len()]
    };
    let known = ids.into_iter().zip(titles);
    Ok(known.map(|(id, title)| Known { id, title }).collect())
}

fn by_id(id: SessionId) -> Reference {
    let label = id.as_js_string().clone();
    Reference::new(id, label)
}

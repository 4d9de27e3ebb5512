use rmcp::model::{
    Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult, Prompt,
    PromptArgument, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use sref_query::{SessionQuery, SessionRecord};
use sref_session::{Dialect, JsString, SessionId};
use sref_uri::encode;

use crate::call::Client;
use crate::fault::Fault;
use crate::label;
use crate::reference::{Size, context};
use crate::tools::PAGE;
use crate::view::View;

/// The template of all sessions. Its variable is what follows the scheme in a session's URI.
pub(crate) const TEMPLATE: &str = "dsh-session:{id}";
/// The variable.
pub(crate) const VARIABLE: &str = "id";
/// The prompt, and its argument.
pub(crate) const PROMPT: &str = "reference";
pub(crate) const ARGUMENT: &str = "session";

/// How many sessions are listed: those that Claude Code finds in its `@` menu by name.
const LISTED: usize = 50;
/// What Claude Code takes from a resource that its model asks for, and a person's mention all the
/// more.
const RESOURCE: usize = 48_000;
const MIME: &str = "text/markdown";

/// The most recent sessions: those in which something happened last.
pub(crate) async fn list<Q: SessionQuery>(
    view: &View<'_, Q>,
) -> Result<ListResourcesResult, Fault> {
    let recent: Vec<&SessionRecord> = view.candidates().take(LISTED).collect();
    let ids: Vec<SessionId> = recent
        .iter()
        .map(|record| record.header.id.clone())
        .collect();
    let titles = view.titles_of(&ids).await?;
    let listed = recent.iter().zip(&titles);
    let listed = listed.map(|(record, title)| resource(record, title.as_ref()));
    Ok(ListResourcesResult::with_all_items(listed.collect()).with_cache_scope(CacheScope::Private))
}

fn resource(record: &SessionRecord, title: Option<&JsString>) -> Resource {
    let id = &record.header.id;
    let label = label::of(title, id);
    let time = crate::time::rfc3339(record.last_activity());
    let mut facts: Vec<String> = record.agent.iter().map(ToString::to_string).collect();
    facts.extend(
        record
            .header
            .cwd
            .iter()
            .map(|cwd| sref_delivery::label_line(cwd.as_js_str(), 200)),
    );
    facts.extend(
        time.iter()
            .map(|time| time.chars().take("2026-05-28".len()).collect()),
    );
    facts.push(label::of(None, id));
    let mut annotations = Annotations::default().with_audience(vec![Role::Assistant]);
    annotations.last_modified = time;
    Resource::new(encode(id, &Dialect::DSH), label.clone())
        .with_title(label)
        .with_description(facts.join(" · "))
        .with_mime_type(MIME)
        .with_annotations(annotations)
}

/// How to spell the URI of any other session.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "session")
        .with_title("A session of a coding agent")
        .with_description("A snapshot of the conversation, as untrusted background")
        .with_mime_type(MIME);
    ListResourceTemplatesResult::with_all_items(vec![template])
        .with_cache_scope(CacheScope::Private)
}

/// The rendered snapshot of a session.
pub(crate) async fn read<Q: SessionQuery>(
    view: &View<'_, Q>,
    uri: &str,
) -> Result<ReadResourceResult, Fault> {
    let size = match view.call.client {
        Client::Codex => PAGE,
        Client::Claude | Client::Other => RESOURCE,
    };
    let delivery = context(view, &[uri.to_owned()], Size::Within(size)).await?;
    let contents = ResourceContents::text(delivery.text(), uri).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![contents]).with_cache_scope(CacheScope::Private))
}

/// The prompt. Claude Code splits arguments at white space and drops what is too much, so there is
/// one, and it is one word (`spec/delivery.md` 0.1, 9).
pub(crate) fn prompt() -> Prompt {
    let argument = PromptArgument::new(ARGUMENT)
        .with_title("Session")
        .with_description("An id, the unique beginning of one, or a key from completion; one word")
        .with_required(true);
    let description = "Put a snapshot of another session into this message";
    Prompt::new(PROMPT, Some(description), Some(vec![argument])).with_title("Refer to a session")
}

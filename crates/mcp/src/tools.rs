use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::call::Client;
use crate::fault::Fault;

/// The most that an answer holds where nothing is known of the client: no client cuts so little
/// (`spec/delivery.md` 0.1, 10).
pub(crate) const PAGE: usize = 11_000;
/// The most that a client may ask for that lets a tool say how much it gives.
pub(crate) const LARGE_PAGE: usize = 200_000;
/// The least that makes a page of anything.
const SMALL_PAGE: usize = 2_000;

pub(crate) const CANDIDATES: &str = "session_candidates";
pub(crate) const REFERENCE: &str = "session_reference";
pub(crate) const READ: &str = "session_read";

/// How many sessions `session_candidates` gives at once, and how many it may be asked for.
pub(crate) const USUAL_LIMIT: usize = 20;
pub(crate) const MOST_LIMIT: usize = 100;
/// How many strings may name the sessions of one context, of which there are at most three.
pub(crate) const MOST_MENTIONS: usize = 16;

/// The size that an answer may have: what was asked for, as far as the client can take it.
pub(crate) fn size(asked: Option<usize>, client: Client) -> usize {
    let most = match client {
        Client::Claude => LARGE_PAGE,
        Client::Codex | Client::Other => PAGE,
    };
    asked.unwrap_or(PAGE).min(most)
}

/// The sizes that may be asked for.
pub(crate) const fn sizes() -> std::ops::RangeInclusive<usize> {
    SMALL_PAGE..=LARGE_PAGE
}

/// The tools, always in this order.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        tool(
            CANDIDATES,
            "Find sessions",
            "List earlier sessions of coding agents (Claude Code, Codex, dsh and others) on this \
             machine, nearest to a directory first. Most recent activity first. Each has \
             a `uri`, which session_reference and session_read take.",
            &json!({
                "query": text("Words of a title, part of an id or of a directory"),
                "cwd": text("List sessions of this directory first"),
                "agent": text("Only sessions of this agent, as in `claude` or `codex`"),
                "limit": number("How many sessions", 1, MOST_LIMIT, USUAL_LIMIT),
                "cursor": text("`nextCursor` of the page before"),
                "max_bytes": bytes(),
            }),
            &[],
        ),
        tool(
            REFERENCE,
            "Quote sessions",
            "Get the context of up to three sessions: a bounded snapshot of each conversation, as \
             untrusted background, with what was left out counted. Use it when the user mentions a \
             session and its content is not in the prompt.",
            &json!({
                "mentions": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "maxItems": MOST_MENTIONS,
                    "description": "The sessions: mentions (@[label](dsh-session:…), @sref:…), \
                                    URIs, ids, unique beginnings of ids, or words of a title",
                },
                "max_bytes": bytes(),
            }),
            &["mentions"],
        ),
        tool(
            READ,
            "Read a session",
            "Read the conversation of one session page by page, without anything left out. The \
             first page begins at the first message; each page says how to get the next one.",
            &json!({
                "uri": text("The session: a URI, an id, a unique beginning of one, or a mention"),
                "cursor": text("The number of the message to begin at, or what a page gave"),
                "max_bytes": bytes(),
            }),
            &["uri"],
        ),
    ]
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn number(description: &str, least: usize, most: usize, usual: usize) -> Value {
    json!({
        "type": "integer", "minimum": least, "maximum": most, "default": usual,
        "description": description,
    })
}

fn bytes() -> Value {
    let description = "The most bytes of the answer. More than the default is given only to \
                       clients that take it";
    number(description, SMALL_PAGE, LARGE_PAGE, PAGE)
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
) -> Tool {
    let mut schema = serde_json::Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.clone());
    schema.insert("required".into(), json!(required));
    schema.insert("additionalProperties".into(), false.into());
    let mut meta = MetaObject::new();
    // Without it Claude Code puts what is longer than 50,000 characters into a file.
    meta.0
        .insert("anthropic/maxResultSizeChars".into(), LARGE_PAGE.into());
    let mut tool = Tool::default();
    tool.name = name.into();
    tool.title = Some(title.into());
    tool.description = Some(description.into());
    tool.input_schema = Arc::new(schema);
    tool.annotations = Some(ToolAnnotations::from_raw(
        Some(title.into()),
        Some(true),
        Some(false),
        Some(true),
        Some(false),
    ));
    tool.meta = Some(meta);
    tool
}

/// There is no such tool.
pub(crate) fn unknown(name: &str) -> Fault {
    Fault::unknown_name("tool", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_take_more_get_more() {
        assert_eq!(size(None, Client::Claude), PAGE);
        assert_eq!(size(Some(50_000), Client::Claude), 50_000);
        assert_eq!(size(Some(50_000), Client::Codex), PAGE);
        assert_eq!(size(Some(50_000), Client::Other), PAGE);
        assert_eq!(size(Some(5_000), Client::Other), 5_000);
    }

    #[test]
    fn tools_say_that_they_change_nothing() {
        for tool in all() {
            let annotations = serde_json::to_value(&tool.annotations).unwrap();
            assert_eq!(annotations["readOnlyHint"], true, "{}", tool.name);
            assert_eq!(annotations["destructiveHint"], false, "{}", tool.name);
            assert_eq!(annotations["idempotentHint"], true, "{}", tool.name);
            assert_eq!(annotations["openWorldHint"], false, "{}", tool.name);
            assert!(
                tool.output_schema.is_none(),
                "an output schema asks for structuredContent"
            );
        }
    }
}

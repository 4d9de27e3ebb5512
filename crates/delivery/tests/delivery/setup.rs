//! What `setup` writes is of the form that each agent reads.

use serde_json::Value;
use sref_delivery::Host;
use sref_delivery::setup::{Change, Entry, Grammar};

use super::schema::validate;

const CLAUDE: &str = include_str!("../schemas/claude-settings.json");
const CODEX: &str = include_str!("../schemas/codex-hooks.json");
const GEMINI: &str = include_str!("../schemas/gemini-settings.json");
const SERVERS: &str = include_str!("../schemas/mcp-servers.json");

fn holds(schema: &str, text: &str) -> Result<(), String> {
    let schema = serde_json::from_str(schema).unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    validate(&schema, &value)
}

#[test]
fn entries_are_of_their_schemas() {
    for (schema, entry) in [
        (CLAUDE, Entry::hook(Host::Claude, "sref", false)),
        (CODEX, Entry::hook(Host::Codex, "/my tools/sref", true)),
        (GEMINI, Entry::hook(Host::Gemini, "sref", true)),
        (
            SERVERS,
            Entry::server(Grammar::Plain, "/my tools/sref", &["mcp", "--all"]),
        ),
    ] {
        assert_eq!(holds(schema, &entry.snippet()), Ok(()));
        // Also among others, in their style.
        for before in [
            "{}",
            "{\"a\":1}",
            "{\n\t\"hooks\": {},\n\t\"mcpServers\": {}\n}",
        ] {
            let Change::Text(text) = entry.insert(Some(before)).unwrap() else {
                panic!("{before}");
            };
            assert_eq!(holds(schema, &text), Ok(()), "{text}");
        }
    }
}

/// A schema that takes everything would say nothing.
#[test]
fn schemas_refuse_what_is_misplaced() {
    let hook = Entry::hook(Host::Claude, "sref", false).snippet();
    for (schema, text) in [
        (GEMINI, hook.clone()),
        (CLAUDE, hook.replace("\"type\": \"command\",", "")),
        (
            CODEX,
            hook.replace("\"command\": \"sref hook claude\"", "\"command\": []"),
        ),
        (SERVERS, hook),
        (
            SERVERS,
            r#"{"mcpServers":{"sref":{"command":"sref","args":"mcp"}}}"#.to_owned(),
        ),
    ] {
        assert!(holds(schema, &text).is_err(), "{text}");
    }
}

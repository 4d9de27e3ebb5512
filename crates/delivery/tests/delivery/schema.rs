//! A checker of the part of JSON Schema that the schemas beside it use.
//!
//! It knows few keywords and panics at any other, so no rule of a schema is passed over.

use serde_json::{Map, Value};
use sref_delivery::Host;

/// Panics unless a value is what a host takes.
pub(crate) fn check(host: Host, value: &Value) {
    let schema = match host {
        Host::Claude => include_str!("../schemas/claude.json"),
        Host::Codex => include_str!("../schemas/codex.json"),
        Host::Gemini => include_str!("../schemas/gemini.json"),
        Host::Cline => include_str!("../schemas/cline.json"),
        _ => panic!("{} has no schema", host.name()),
    };
    let schema = serde_json::from_str(schema).unwrap();
    if let Err(fault) = validate(&schema, value) {
        panic!("{}: {fault}: {value}", host.name());
    }
}

pub(crate) fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    let rules = schema.as_object().unwrap();
    for (keyword, rule) in rules {
        let holds = match keyword.as_str() {
            // The branches are read where their `if` is.
            "$schema" | "title" | "then" | "else" => true,
            "type" => is_type(rule, value),
            "enum" => rule.as_array().unwrap().contains(value),
            "pattern" => {
                assert_eq!(rule, r"\S", "the one pattern that this checker knows");
                value.as_str().is_none_or(|text| !text.trim().is_empty())
            }
            "maxLength" => {
                // Code points, as the standard counts; caps in other units have tests of their own.
                let most = rule.as_u64().unwrap();
                value
                    .as_str()
                    .is_none_or(|text| text.chars().count() as u64 <= most)
            }
            "required" => value.as_object().is_none_or(|members| {
                rule.as_array()
                    .unwrap()
                    .iter()
                    .all(|name| members.contains_key(name.as_str().unwrap()))
            }),
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(member) = value.get(name) {
                        validate(rule, member)?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(rule, false, "the one value that this checker knows");
                let known = |name| rules["properties"].get(name).is_some();
                value
                    .as_object()
                    .is_none_or(|members| members.keys().all(known))
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    validate(rule, item)?;
                }
                true
            }
            "not" => validate(rule, value).is_err(),
            "if" => {
                let branch = if validate(rule, value).is_ok() {
                    "then"
                } else {
                    "else"
                };
                if let Some(rule) = rules.get(branch) {
                    validate(rule, value)?;
                }
                true
            }
            _ => panic!("this checker does not know `{keyword}`"),
        };
        if !holds {
            return Err(format!("`{keyword}` of {rule} does not hold"));
        }
    }
    Ok(())
}

fn is_type(rule: &Value, value: &Value) -> bool {
    match rule.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        other => panic!("this checker does not know the type {other}"),
    }
}

/// What the hosts are known to refuse must fail here, or a schema says nothing.
#[test]
fn schemas_refuse_what_hosts_refuse() {
    let refused = [
        (Host::Codex, r#"{"extra":1}"#),
        (Host::Codex, r#"{"systemMessage":5}"#),
        (Host::Codex, r#"{"additionalContext":"x"}"#),
        (Host::Codex, r#"{"decision":"block"}"#),
        (Host::Codex, r#"{"decision":"block","reason":" "}"#),
        (
            Host::Codex,
            r#"{"decision":"block","reason":"x","hookSpecificOutput":{"hookEventName":"UserPromptSubmit"}}"#,
        ),
        (
            Host::Codex,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}"#,
        ),
        (Host::Claude, r#"{"additionalContext":"x"}"#),
        (
            Host::Claude,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent"}}"#,
        ),
        (
            Host::Claude,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":["x"]}}"#,
        ),
        (Host::Gemini, r#"{"decision":"deny"}"#),
        (Host::Cline, r#"{"contextModification":"x"}"#),
        (Host::Cline, r#"{"cancel":"no"}"#),
        (Host::Cline, r#"{"cancel":true}"#),
    ];
    for (host, json) in refused {
        let value: Value = serde_json::from_str(json).unwrap();
        assert!(
            std::panic::catch_unwind(|| check(host, &value)).is_err(),
            "{} {json}",
            host.name()
        );
    }
    let empty = Value::Object(Map::new());
    check(Host::Claude, &empty);
}

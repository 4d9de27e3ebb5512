//! The part of JSON Schema that the schemas beside it use. A word that it does not know is a
//! fault, so that no rule is passed over.

use sref_session::json::{Object, Value};

/// The first rule that a value breaks.
pub(super) fn check(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let rules = schema.as_object().ok_or("a schema is an object")?;
    for (word, rule) in rules.iter() {
        let broken = |what: &str| Err(format!("{at}: {what}"));
        match word.as_str().unwrap_or_default() {
            "type" if !is_type(rule, value) => return broken("another type"),
            "enum" if !rule.as_array().unwrap_or_default().contains(value) => {
                return broken("another value");
            }
            "minLength" => {
                let length = value.as_string().map_or(0, |text| text.as_js_str().len());
                if i64::try_from(length).ok() < rule.as_safe_integer() {
                    return broken("too short");
                }
            }
            "required" => {
                for name in rule.as_array().unwrap_or_default() {
                    let name = name.as_string().and_then(|name| name.as_str());
                    if value.get(name.unwrap_or_default()).is_none() {
                        return broken(&format!("no `{}`", name.unwrap_or_default()));
                    }
                }
            }
            "properties" => members(rule, value, at)?,
            "additionalProperties" if *rule == Value::Bool(false) => {
                let known = rules.get("properties").and_then(Value::as_object);
                if let Some(name) = unknown(known, value) {
                    return broken(&format!("unknown `{name}`"));
                }
            }
            "items" => {
                for (place, item) in value.as_array().unwrap_or_default().iter().enumerate() {
                    check(rule, item, &format!("{at}[{place}]"))?;
                }
            }
            "title" | "type" | "enum" => {}
            other => return Err(format!("the schema says `{other}`, which nobody checks")),
        }
    }
    Ok(())
}

fn members(rules: &Value, value: &Value, at: &str) -> Result<(), String> {
    let rules = rules.as_object().ok_or("`properties` is an object")?;
    for (name, rule) in rules.iter() {
        let name = name.as_str().unwrap_or_default();
        if let Some(member) = value.get(name) {
            check(rule, member, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}

fn unknown<'v>(known: Option<&Object>, value: &'v Value) -> Option<&'v str> {
    let members = value.as_object()?;
    let mut names = members.iter().filter_map(|(name, _)| name.as_str());
    names.find(|name| known.is_none_or(|known| known.get(name).is_none()))
}

fn is_type(rule: &Value, value: &Value) -> bool {
    match rule.as_string().and_then(|rule| rule.as_str()) {
        Some("object") => value.as_object().is_some(),
        Some("array") => value.as_array().is_some(),
        Some("string") => value.as_string().is_some(),
        _ => false,
    }
}

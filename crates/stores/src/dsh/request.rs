//! The check of `request/header` (`spec/dsh-store.md` 1.4).

use sref_session::json::Kind;

use super::format::Format;
use crate::raw::Raw;

const ERROR: &str = "a malformed request/header";

/// A member that moved to the surface in format 3 (`spec/dsh-newer.md` 7, 8).
pub(super) fn has_retired_system(data: Option<Raw<'_>>) -> bool {
    let header = data.and_then(|data| data.member("header"));
    header.is_some_and(|header| header.member("system").is_some())
}

/// `data.header` names a provider and a model, and marks as defaults only what it has.
pub(super) fn check(data: Raw<'_>, format: &Format) -> Result<(), &'static str> {
    let header = data
        .member("header")
        .and_then(|header| header.members(["config", "adapterDefaults", "tools"]));
    let [Some(config), defaults, tools] = header.ok_or(ERROR)?.found else {
        return Err(ERROR);
    };
    // What is empty is left out, from format 3 on.
    let is_empty = |value: Option<Raw<'_>>| {
        value.is_some_and(|value| {
            let mut scanner = value.scanner();
            match value.kind() {
                Kind::Array => {
                    scanner.enter_array().and_then(|()| scanner.next_element()) == Ok(false)
                }
                Kind::Object => {
                    scanner.enter_object().is_ok() && matches!(scanner.next_key(), Ok(None))
                }
                _ => false,
            }
        })
    };
    if format.system.is_some() && (is_empty(tools) || is_empty(defaults)) {
        return Err("a request/header with an empty member");
    }
    let members = config.members(["provider", "model", "reasoningEffort", "maxTokens"]);
    let [provider, model, effort, max_tokens] = members.ok_or(ERROR)?.found;
    let named = provider.is_some_and(Raw::is_filled) && model.is_some_and(Raw::is_filled);
    if !named || effort.is_some_and(|effort| !effort.is_filled()) {
        return Err(ERROR);
    }
    let Some(defaults) = defaults else {
        return Ok(());
    };
    if defaults.kind() != Kind::Object {
        return Err(ERROR);
    }
    let marks = defaults
        .members(["reasoningEffort", "maxTokens"])
        .ok_or(ERROR)?;
    let marked = |mark: Option<Raw<'_>>, member: Option<Raw<'_>>| match mark {
        Some(mark) => mark.is_true() && member.is_some(),
        None => true,
    };
    let [effort_mark, tokens_mark] = marks.found;
    if marks.others || !marked(effort_mark, effort) || !marked(tokens_mark, max_tokens) {
        return Err(ERROR);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sref_session::json::Scanner;

    use super::*;

    fn ok(header: &str) -> bool {
        let data = format!(r#"{{"header":{header},"reason":"initial"}}"#);
        let data = Raw::read(&mut Scanner::new(data.as_bytes()))
            .unwrap()
            .bytes()
            .to_vec();
        check(Raw::checked(&data), &crate::dsh::format::FORMAT_0).is_ok()
    }

    /// [v19–v21]
    #[test]
    fn a_request_names_its_model() {
        assert!(ok(
            r#"{"config":{"provider":"p","model":"m","x":1},"system":"s"}"#
        ));
        assert!(!ok("null") && !ok("{}") && !ok(r#"{"config":[]}"#));
        assert!(!ok(r#"{"config":{"provider":"p"}}"#));
        assert!(!ok(r#"{"config":{"provider":"","model":"m"}}"#));
        assert!(!ok(r#"{"config":{"provider":"p","model":7}}"#));
        let effort = |effort: &str| {
            ok(&format!(
                r#"{{"config":{{"provider":"p","model":"m","reasoningEffort":{effort}}}}}"#
            ))
        };
        assert!(effort("\"high\"") && !effort("\"\"") && !effort("null"));
    }

    #[test]
    fn only_what_the_config_has_is_a_default() {
        let defaults = |defaults: &str| {
            ok(&format!(
                r#"{{"config":{{"provider":"p","model":"m","maxTokens":5}},"adapterDefaults":{defaults}}}"#
            ))
        };
        assert!(defaults("{}") && defaults(r#"{"maxTokens":true}"#));
        assert!(!defaults("null") && !defaults("[]"));
        assert!(!defaults(r#"{"maxTokens":1}"#));
        assert!(!defaults(r#"{"reasoningEffort":true}"#));
        assert!(!defaults(r#"{"other":true}"#));
    }
}

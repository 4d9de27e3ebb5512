//! Whether Codex will run its hook.
//!
//! Codex keeps for each hook that somebody trusted a hash of its definition, under the path of the
//! file and the place in it (`spec/delivery.md` 0.1, 5). A hook that has none, or whose definition
//! or place changed, is not run, and nothing says so.

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use sref_session::json::{self, Object, Value};
use toml_edit::Item;

use super::error::SetupError;
use super::{Entry, toml};
use crate::Host;

/// What Codex does with the hook of sref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookTrust {
    /// It runs it.
    Trusted,
    /// It was never asked about it.
    Untrusted,
    /// It was trusted in another form or place. Also when a version of Codex counts differently
    /// from those that are known; its own word is in `/hooks`.
    Changed,
    /// It was turned off in `/hooks`.
    Disabled,
}

/// Looks whether Codex trusts the hook of sref: the text of `hooks.json`, its path as Codex names
/// it, and the text of `config.toml` in the same home. `None` if there is no such hook.
///
/// # Errors
///
/// [`SetupError`] if a text cannot be read.
///
/// ```
/// use sref_delivery::Host;
/// use sref_delivery::setup::{Entry, HookTrust, hook_trust};
///
/// let hooks = Entry::hook(Host::Codex, "sref", false).snippet();
/// let path = "/home/mei/.codex/hooks.json";
/// assert_eq!(hook_trust(&hooks, path, "")?, Some(HookTrust::Untrusted));
/// let config = r#"
/// [hooks.state."/home/mei/.codex/hooks.json:user_prompt_submit:0:0"]
/// trusted_hash = "sha256:cabf62ab620bb80ec44c2f4da283330a302beddc52dc2364ccfeaeb676b11bb6"
/// "#;
/// assert_eq!(hook_trust(&hooks, path, config)?, Some(HookTrust::Trusted));
/// # Ok::<(), sref_delivery::setup::SetupError>(())
/// ```
pub fn hook_trust(hooks: &str, path: &str, config: &str) -> Result<Option<HookTrust>, SetupError> {
    let Some(place) = Entry::hook(Host::Codex, "sref", false).place(hooks)? else {
        return Ok(None);
    };
    let config = toml::read(config)?;
    let states = config.get("hooks").and_then(|hooks| hooks.get("state"));
    let key = format!("{path}:user_prompt_submit:{}:{}", place.group, place.hook);
    let state = states.and_then(|states| states.get(&key));
    let member = |name| state.and_then(|state: &Item| state.get(name));
    if member("enabled").and_then(Item::as_bool) == Some(false) {
        return Ok(Some(HookTrust::Disabled));
    }
    let trusted = member("trusted_hash").and_then(Item::as_str);
    Ok(Some(match trusted {
        None => HookTrust::Untrusted,
        Some(trusted) if trusted == hash(&place.definition) => HookTrust::Trusted,
        Some(_) => HookTrust::Changed,
    }))
}

/// The hash of a hook as `codex-rs/hooks` takes it: its definition with the defaults filled in, as
/// JSON without white space and with sorted keys.
fn hash(definition: &[u8]) -> String {
    let given = json::parse(definition).unwrap_or(Value::Null);
    let number = |name| given.get(name).and_then(Value::as_safe_integer);
    let background = given.get("async").and_then(Value::as_bool);
    let text = |name| given.get(name).and_then(Value::as_string).cloned();
    let mut hook = Object::new()
        .with("async", background.unwrap_or_default())
        .with("command", text("command").unwrap_or_default());
    if let Some(message) = text("statusMessage") {
        hook.set("statusMessage", message);
    }
    hook.set("timeout", number("timeout").unwrap_or(600).max(1));
    hook.set("type", "command");
    let identity = Object::new()
        .with("event_name", "user_prompt_submit")
        .with("hooks", alloc::vec![Value::from(hook)]);
    let mut out = String::from("sha256:");
    for byte in Sha256::digest(Value::from(identity).to_json()) {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::panic;
    use std::prelude::v1::*;

    use super::*;
    use crate::setup::Change;

    const PATH: &str = "/h/.codex/hooks.json";

    fn state(place: &str, more: &str) -> String {
        format!("[hooks.state.\"{PATH}:user_prompt_submit:{place}\"]\n{more}\n")
    }

    /// The identity as other programs that pair with Codex write it down, hashed by hand:
    /// `{"event_name":"user_prompt_submit","hooks":[{"async":false,"command":"sref hook codex","timeout":600,"type":"command"}]}`
    const HASH: &str = "sha256:cabf62ab620bb80ec44c2f4da283330a302beddc52dc2364ccfeaeb676b11bb6";

    #[test]
    fn a_hook_is_trusted_in_one_form_and_one_place() {
        let entry = Entry::hook(Host::Codex, "sref", false);
        let alone = entry.snippet();
        let trusted = format!("trusted_hash = \"{HASH}\"");
        let look = |hooks: &str, config: &str| hook_trust(hooks, PATH, config).unwrap();
        assert_eq!(look("{}", ""), None);
        assert_eq!(look(&alone, "model = \"x\""), Some(HookTrust::Untrusted));
        assert_eq!(
            look(&alone, &state("0:0", &trusted)),
            Some(HookTrust::Trusted)
        );
        let off = format!("{trusted}\nenabled = false");
        assert_eq!(look(&alone, &state("0:0", &off)), Some(HookTrust::Disabled));
        let other = alone.replace("hook codex", "hook codex --strict");
        assert_eq!(
            look(&other, &state("0:0", &trusted)),
            Some(HookTrust::Changed)
        );
        let before = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"log"}]}]}}"#;
        let Change::Text(second) = entry.insert(Some(before)).unwrap() else {
            panic!("no change");
        };
        assert_eq!(
            look(&second, &state("0:0", &trusted)),
            Some(HookTrust::Untrusted)
        );
        assert_eq!(
            look(&second, &state("1:0", &trusted)),
            Some(HookTrust::Trusted)
        );
        assert!(hook_trust(&alone, PATH, "= 1").is_err());
    }

    #[test]
    fn what_codex_fills_in_changes_no_hash() {
        let plain = hash(br#"{"type":"command","command":"sref hook codex"}"#);
        assert_eq!(plain, HASH);
        let full = br#"{"timeout":600,"async":false,"command":"sref hook codex","type":"command"}"#;
        assert_eq!(hash(full), HASH);
        for other in [
            &br#"{"command":"sref hook codex "}"#[..],
            br#"{"command":"sref hook codex","timeout":10}"#,
            br#"{"command":"sref hook codex","statusMessage":"x"}"#,
        ] {
            assert_ne!(hash(other), HASH);
        }
    }
}

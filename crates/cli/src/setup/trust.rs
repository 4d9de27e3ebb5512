//! Whether Codex runs the hook that was written for it.

use std::fs;
use std::path::PathBuf;

use sref::session::json::{Object, Value};
use sref_delivery::setup::{HookTrust, hook_trust};

use super::places::codex_home;
use crate::console;
use crate::term::style::{DROPPED, FAINT, paint};
use crate::term::visible;

/// Codex has a hook of sref that nobody trusted, so that it never runs it.
const UNTRUSTED: &str = "setup.untrusted";
/// Codex trusts another form or another place of the hook of sref, so that it never runs it.
const CHANGED: &str = "setup.trust-changed";
/// The hook of sref is turned off in Codex.
const DISABLED: &str = "setup.disabled";

/// What Codex does with the hook.
pub(crate) struct Trust {
    home: PathBuf,
    hooks: PathBuf,
    /// What keeps it from being run.
    problem: Option<(&'static str, &'static str)>,
}

impl Trust {
    /// `{kind, root, code, path, detail}`, if something keeps the hook from being run.
    pub(crate) fn shape(&self) -> Option<Value> {
        let (code, detail) = self.problem?;
        let out = Object::new()
            .with("kind", "codex")
            .with("root", self.home.to_string_lossy().as_ref())
            .with("code", code)
            .with("path", self.hooks.to_string_lossy().as_ref())
            .with("detail", detail);
        Some(out.into())
    }

    /// The same for a person.
    pub(crate) fn text(&self) -> Option<String> {
        let (code, detail) = self.problem?;
        let path = visible::line(self.hooks.to_string_lossy().as_ref().into());
        let (code, path) = (paint(DROPPED, code), paint(FAINT, &path));
        Some(format!("{code}  {detail}\n  {path}\n"))
    }

    /// Says that all is well.
    pub(crate) fn remark(&self) {
        if self.problem.is_none() {
            console::say("Codex trusts the hook of sref.");
        }
    }
}

/// Looks at Codex's files. `None` if there is no hook of sref, or they cannot be read.
pub(crate) fn codex() -> Option<Trust> {
    let home = codex_home().ok()?;
    let hooks = home.join("hooks.json");
    let text = fs::read_to_string(&hooks).ok()?;
    let config = fs::read_to_string(home.join("config.toml")).unwrap_or_default();
    // Codex takes the links out of a home that a variable names, and leaves them in the usual one.
    let spellings = [Some(hooks.clone()), hooks.canonicalize().ok()];
    let spellings = spellings.into_iter().flatten();
    let found = spellings
        .filter_map(|path| hook_trust(&text, &path.to_string_lossy(), &config).ok()?)
        .min_by_key(|trust| rank(*trust))?;
    Some(Trust {
        home,
        hooks,
        problem: problem(found),
    })
}

/// A state that says more of this hook goes before one that says less.
const fn rank(trust: HookTrust) -> u8 {
    match trust {
        HookTrust::Trusted => 0,
        HookTrust::Disabled => 1,
        HookTrust::Changed => 2,
        _ => 3,
    }
}

const fn problem(trust: HookTrust) -> Option<(&'static str, &'static str)> {
    match trust {
        HookTrust::Trusted => None,
        HookTrust::Disabled => Some((
            DISABLED,
            "the hook is turned off; `/hooks` in Codex turns it on",
        )),
        HookTrust::Changed => Some((
            CHANGED,
            "the hook or its place changed since it was trusted, and Codex runs it no more; trust it in `/hooks`",
        )),
        _ => Some((
            UNTRUSTED,
            "Codex does not run the hook before it is trusted: when it asks at its start, or in `/hooks`",
        )),
    }
}

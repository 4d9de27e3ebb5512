//! What installs sref in an agent: the entries of its configuration, put into the text of a file
//! and taken out again.
//!
//! Text in, text out: files, homes and backups are the caller's. An entry that goes in and comes
//! out again leaves every byte as it was, comments and odd formatting included; what is there
//! already is left alone.
//!
//! | agent | hook | server |
//! | --- | --- | --- |
//! | Claude Code | `settings.json`, `hooks.UserPromptSubmit` | `.claude.json`, `mcpServers` |
//! | Codex | `hooks.json`, `hooks.UserPromptSubmit` | `config.toml`, `[mcp_servers.sref]` |
//! | Gemini CLI | `settings.json`, `hooks.BeforeAgent` | the same file, `mcpServers` |
//! | Cline | an executable file `UserPromptSubmit` | `cline_mcp_settings.json`, `mcpServers` |
//! | any other | | `mcpServers` of `.mcp.json` |

mod command;
mod error;
mod json;
mod jsonc;
mod print;
mod script;
mod splice;
#[cfg(test)]
mod tests;
mod toml;
#[cfg(test)]
mod toml_tests;
mod trust;

use alloc::string::String;

pub use command::quote_program;
pub use error::{SetupError, SetupErrorKind};
pub use trust::{HookTrust, hook_trust};

use crate::Host;
use json::{Event, JsonEntry, Place};
use script::Script;
use toml::TomlServer;

/// The name of the server in every file.
const SERVER: &str = "sref";

/// What an entry does to the text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nothing is to be done.
    Same,
    /// The new text.
    Text(String),
    /// Nothing is left: the file held the entry and no more, and goes with it.
    Nothing,
}

/// What an agent takes in a JSON file. It reads nothing of a file that has more.
///
/// ```
/// use sref_delivery::setup::{Entry, Grammar};
///
/// let file = "{} // mine";
/// let server = |grammar| Entry::server(grammar, "sref", &["mcp"]);
/// assert!(server(Grammar::Comments).insert(Some(file)).is_ok());
/// let error = server(Grammar::Plain).insert(Some(file)).unwrap_err();
/// assert_eq!((error.code(), error.offset()), ("setup.plain-json", Some(3)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Grammar {
    /// JSON.
    Plain,
    /// JSON, with a byte order mark before it or without.
    PlainWithMark,
    /// JSON with comments.
    Comments,
    /// JSON with comments, with commas behind the last item, and with or without a byte order mark.
    TrailingCommas,
}

/// A piece of configuration.
///
/// ```
/// use sref_delivery::Host;
/// use sref_delivery::setup::{Change, Entry};
///
/// let hook = Entry::hook(Host::Gemini, "sref", false);
/// let before = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
/// let Change::Text(with) = hook.insert(Some(before))? else { panic!() };
/// assert!(with.contains(r#""command": "sref hook gemini""#));
/// assert_eq!(hook.insert(Some(&with))?, Change::Same);
/// assert_eq!(hook.remove(&with)?, Change::Text(before.to_owned()));
///
/// let Change::Text(alone) = hook.insert(None)? else { panic!() };
/// assert_eq!(alone, hook.snippet());
/// assert_eq!(hook.remove(&alone)?, Change::Nothing);
/// # Ok::<(), sref_delivery::setup::SetupError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Entry(Form);

#[derive(Debug, Clone)]
enum Form {
    Json(JsonEntry),
    Toml(TomlServer),
    Script(Script),
}

impl Entry {
    /// The prompt hook of a host. `program` is a path, or a name that a shell finds.
    #[must_use]
    pub fn hook(host: Host, program: &str, strict: bool) -> Self {
        let command = command::hook(host, program, strict);
        let event = match host {
            Host::Gemini => GEMINI,
            Host::Codex => CODEX,
            Host::Claude => CLAUDE,
            Host::Cline => {
                let program = program.into();
                return Self(Form::Script(Script {
                    host,
                    program,
                    command,
                }));
            }
        };
        Self(Form::Json(JsonEntry::hook(
            host,
            event,
            program.into(),
            command,
        )))
    }

    /// The server, in a file that has `mcpServers`.
    #[must_use]
    pub fn server(grammar: Grammar, program: &str, args: &[&str]) -> Self {
        let args = args.iter().map(|arg| (*arg).into()).collect();
        Self(Form::Json(JsonEntry::server(grammar, program.into(), args)))
    }

    /// The server, in Codex's `config.toml`.
    #[must_use]
    pub fn codex_server(program: &str, args: &[&str]) -> Self {
        let args = args.iter().map(|arg| (*arg).into()).collect();
        Self(Form::Toml(TomlServer {
            program: program.into(),
            args,
        }))
    }

    /// Whether the entry is a file of its own that must be executable.
    #[must_use]
    pub const fn is_program(&self) -> bool {
        matches!(self.0, Form::Script(_))
    }

    /// A file of this kind that holds nothing, where one must be.
    #[must_use]
    pub const fn empty(&self) -> &'static str {
        match self.0 {
            Form::Json(_) => "{}\n",
            Form::Toml(_) | Form::Script(_) => "",
        }
    }

    /// A file with the entry and nothing else.
    #[must_use]
    pub fn snippet(&self) -> String {
        match &self.0 {
            Form::Json(entry) => entry.snippet(),
            Form::Toml(entry) => entry.snippet(),
            Form::Script(entry) => entry.snippet(),
        }
    }

    /// Puts the entry into the text of a file, or makes one.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the text cannot be read, by sref or by the agent, or something else stands in
    /// the place.
    pub fn insert(&self, text: Option<&str>) -> Result<Change, SetupError> {
        let Some(text) = text else {
            return Ok(Change::Text(self.snippet()));
        };
        match &self.0 {
            Form::Json(entry) => entry.insert(text),
            Form::Toml(entry) => entry.insert(text),
            Form::Script(entry) => entry.insert(text),
        }
    }

    /// Takes the entry out, whatever options it was made with: a program `sref`, or the one that this
    /// entry names. Where it stands more than once it goes more than once.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the text cannot be read, or the place is taken by something that is not
    /// of sref.
    pub fn remove(&self, text: &str) -> Result<Change, SetupError> {
        match &self.0 {
            Form::Json(entry) => entry.remove(text),
            Form::Toml(entry) => entry.remove(text),
            Form::Script(entry) => entry.remove(text),
        }
    }

    /// The command that stands in a text already.
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert).
    pub fn found(&self, text: &str) -> Result<Option<String>, SetupError> {
        match &self.0 {
            Form::Json(entry) => entry.command(text),
            Form::Toml(entry) => entry.command(text),
            Form::Script(entry) => entry.command(text),
        }
    }

    /// Where the hook stands.
    fn place(&self, text: &str) -> Result<Option<Place>, SetupError> {
        match &self.0 {
            Form::Json(entry) => entry.place(text),
            Form::Toml(_) | Form::Script(_) => Ok(None),
        }
    }
}

/// `spec/delivery.md` 1.2. Claude Code 2.1.197 was tried with each liberty, as were Gemini CLI 0.61.0
/// and Cline 3.0.65.
const CLAUDE: Event = Event {
    path: &["hooks", "UserPromptSubmit"],
    shown: "hooks.UserPromptSubmit",
    grammar: Grammar::PlainWithMark,
};

/// `codex-rs/hooks` reads the file with a strict parser.
const CODEX: Event = Event {
    path: &["hooks", "UserPromptSubmit"],
    shown: "hooks.UserPromptSubmit",
    grammar: Grammar::Plain,
};

/// `spec/agent-logs-seen.md` 2.
const GEMINI: Event = Event {
    path: &["hooks", "BeforeAgent"],
    shown: "hooks.BeforeAgent",
    grammar: Grammar::Comments,
};

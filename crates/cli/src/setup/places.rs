//! Where agents keep their configuration.

use std::env;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sref_delivery::Host;
use sref_delivery::setup::{Entry, Grammar};

use crate::failure::{Failure, code};

/// What is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Cline
    Cline,
    /// Any agent that reads a file with `mcpServers`: .mcp.json here, or --file
    McpJson,
}

/// What can be installed in an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Mentions in a prompt become snapshots
    Hook,
    /// The model can look for sessions and read them
    Server,
}

impl Part {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
        }
    }
}

/// What is written into the files.
pub(crate) struct Wish<'a> {
    pub(crate) program: &'a str,
    pub(crate) strict: bool,
    pub(crate) args: &'a [&'a str],
    /// The file of the server, where it is not the usual one.
    pub(crate) file: Option<&'a Path>,
}

/// A file and the entries that belong into it.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) entries: Vec<(Part, Entry)>,
    pub(crate) mode: Mode,
}

/// Who may do what with a file that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What the user's mask leaves.
    Usual,
    /// The agent will keep secrets in it.
    Private,
    /// It is run.
    Program,
}

/// The files of an agent, each once.
pub(crate) fn targets(client: Client, wish: &Wish<'_>) -> Result<Vec<Target>, Failure> {
    let hook = |host| (Part::Hook, Entry::hook(host, wish.program, wish.strict));
    let server = |grammar| {
        let entry = Entry::server(grammar, wish.program, wish.args);
        (Part::Server, entry)
    };
    let usual = |path, entry| Target {
        path,
        entries: vec![entry],
        mode: Mode::Usual,
    };
    let file = |usual: PathBuf| wish.file.map_or(usual, Path::to_owned);
    Ok(match client {
        Client::Claude => {
            let moved = variable("CLAUDE_CONFIG_DIR");
            let settings = moved.clone().map_or_else(|| home(".claude"), Ok)?;
            let state = moved.map_or_else(|| home(""), Ok)?;
            vec![
                usual(settings.join("settings.json"), hook(Host::Claude)),
                Target {
                    mode: Mode::Private,
                    ..usual(
                        file(state.join(".claude.json")),
                        server(Grammar::PlainWithMark),
                    )
                },
            ]
        }
        Client::Codex => {
            let codex = codex_home()?;
            let server = (Part::Server, Entry::codex_server(wish.program, wish.args));
            vec![
                usual(codex.join("hooks.json"), hook(Host::Codex)),
                Target {
                    mode: Mode::Private,
                    ..usual(file(codex.join("config.toml")), server)
                },
            ]
        }
        Client::Gemini => {
            let home = variable("GEMINI_CLI_HOME").map_or_else(|| home(""), Ok)?;
            let settings = home.join(".gemini/settings.json");
            match wish.file {
                None => vec![Target {
                    entries: vec![hook(Host::Gemini), server(Grammar::Comments)],
                    ..usual(settings, hook(Host::Gemini))
                }],
                Some(file) => vec![
                    usual(settings, hook(Host::Gemini)),
                    usual(file.to_owned(), server(Grammar::Comments)),
                ],
            }
        }
        Client::Cline => {
            let settings = match variable("CLINE_MCP_SETTINGS_PATH") {
                Some(path) => path,
                None => cline_data()?.join("settings/cline_mcp_settings.json"),
            };
            vec![
                Target {
                    mode: Mode::Program,
                    ..usual(home(CLINE_HOOK)?, hook(Host::Cline))
                },
                usual(file(settings), server(Grammar::Plain)),
            ]
        }
        Client::McpJson => vec![usual(
            file(PathBuf::from(".mcp.json")),
            server(Grammar::Plain),
        )],
    })
}

/// Where every generation of Cline looks for hooks. The later ones have `~/.cline/hooks` besides.
const CLINE_HOOK: &str = "Documents/Cline/Hooks/UserPromptSubmit";

/// Where Codex keeps its configuration.
pub(crate) fn codex_home() -> Result<PathBuf, Failure> {
    variable("CODEX_HOME").map_or_else(|| home(".codex"), Ok)
}

fn cline_data() -> Result<PathBuf, Failure> {
    if let Some(data) = variable("CLINE_DATA_DIR") {
        return Ok(data);
    }
    let cline = variable("CLINE_DIR").map_or_else(|| home(".cline"), Ok)?;
    Ok(cline.join("data"))
}

fn variable(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name).filter(|value| !value.is_empty())?;
    Some(value.into())
}

fn home(below: &str) -> Result<PathBuf, Failure> {
    let home = env::home_dir().filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| {
        Failure::new(
            code::CONFIG_FILE,
            "there is no home directory: HOME is not set",
        )
    })?;
    Ok(home.join(below))
}

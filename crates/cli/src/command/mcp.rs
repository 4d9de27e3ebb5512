use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use sref::session::JsString;
use sref_mcp::Server;
use sref_stores::KINDS;
use tokio::runtime::Builder;

use crate::console;
use crate::failure::{Failure, code};
use crate::options::{Carriage, Stores, here};
use crate::reader::Reader;

const EXAMPLES: &str = "\
Examples:
  claude mcp add sref -- sref mcp --project .
  codex mcp add sref -- sref mcp --all

The agent starts the server itself and speaks the Model Context Protocol with it on standard input
and output: tools session_candidates, session_reference and session_read, resources, completion, and
the prompt `reference`. It ends when the agent closes its standard input.";

/// Serve sessions to an agent over MCP
///
/// The server is read-only. It knows the sessions of one project (by default of the current
/// directory): those whose working directory it is, or lies in it. All others do not exist for it.
/// Such a session is shown whole, also what it took over from one of another directory as its fork.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory whose sessions are served [default: the current one]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Serve the sessions of all projects
    #[arg(long, conflicts_with = "project")]
    all: bool,
    #[command(flatten)]
    carriage: Carriage,
    #[command(flatten)]
    stores: Stores,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let reader = Reader::open(&self.stores)?;
        reader.remark();
        let mut server = Server::over(self.carriage.resolver(reader.corpus().clone())?)
            .with_agents(KINDS.iter().copied());
        if self.all {
            // Agents start their servers where they work.
            if let Some(here) = here(None) {
                server = server.with_directory(here);
            }
        } else {
            let project = self.project.unwrap_or_else(|| ".".into());
            let spellings = spellings(&project)?;
            server = server
                .with_directory(spellings[0].clone())
                .with_project(spellings);
        }
        // Claude Code tells each server whose it is.
        if let Ok(session) = env::var("CLAUDE_CODE_SESSION_ID") {
            server = server.with_caller(format!("claude:{session}").as_str());
        }
        if io::stdin().is_terminal() {
            console::say(
                "note: this speaks the Model Context Protocol; `sref setup` tells agents of it",
            );
        }
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let served = runtime.block_on(server.serve(tokio::io::stdin(), tokio::io::stdout()));
        // A thread may still wait for input that nobody writes.
        runtime.shutdown_background();
        served.map_err(|error| Failure::of(code::IO, &error))
    }
}

/// The ways to write a directory: as it was given, and without links. Agents log either.
fn spellings(project: &Path) -> Result<Vec<JsString>, Failure> {
    let given = std::path::absolute(project)?;
    let mut spellings = vec![given.clone()];
    let real = given.canonicalize().map_err(|error| {
        let path = given.to_string_lossy();
        let path = JsString::from(path.as_ref());
        let path = path.as_js_str().excerpt();
        Failure::new(code::NO_PROJECT, format!("no directory {path}: {error}"))
    })?;
    spellings.push(real);
    // A shell that went through a link knows the directory by the link's name.
    let here = env::var_os("PWD").map(PathBuf::from);
    spellings.extend(here.filter(|here| project == Path::new(".") && is_same(here, &given)));
    spellings.dedup();
    let spelled = spellings
        .iter()
        .map(|path| path.to_string_lossy().as_ref().into());
    Ok(spelled.collect())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agents log the directory by the name under which they found it.
    #[cfg(unix)]
    #[test]
    fn a_directory_goes_by_the_name_of_its_link_too() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap().join("real");
        let link = root.path().join("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let text = |path: &Path| JsString::from(path.to_str().unwrap());
        assert_eq!(spellings(&link).unwrap(), [text(&link), text(&real)]);
        assert_eq!(spellings(&real).unwrap(), [text(&real)]);
    }
}

use clap::Subcommand;
use sref::session::json::{self, Object, Value};
use sref::session::{JsStr, SessionId};
use sref::uri::SessionUri;

use crate::console;
use crate::failure::{Failure, code};
use crate::options::{Format, Spelling};

const EXAMPLES: &str = "\
Examples:
  sref uri encode session-3f9c1e52
  sref uri decode dsh-session:InMtMSI
  sref uri encode --json-string '\"half of an emoji: \\ud83d\"'";

/// Turn session ids into URIs and back
///
/// No store is read: any text is an id. JSON: {sessionId, uri}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    direction: Direction,
}

#[derive(Debug, Subcommand)]
enum Direction {
    /// Print the URI of a session id
    Encode {
        /// The whole id
        id: String,
        /// Read ID as a JSON string, which can spell every id
        #[arg(long)]
        json_string: bool,
        #[command(flatten)]
        spelling: Spelling,
        #[command(flatten)]
        format: Format,
    },
    /// Print the session id of a URI
    Decode {
        /// The URI, in its one canonical spelling
        uri: String,
        #[command(flatten)]
        spelling: Spelling,
        #[command(flatten)]
        format: Format,
    },
}

impl Args {
    pub(super) fn json(&self) -> bool {
        match &self.direction {
            Direction::Encode { format, .. } | Direction::Decode { format, .. } => format.json,
        }
    }

    pub(super) fn run(self) -> Result<(), Failure> {
        let json = self.json();
        match self.direction {
            Direction::Encode {
                id,
                json_string,
                spelling,
                ..
            } => {
                let id = if json_string {
                    from_json(&id)?
                } else {
                    SessionId::from(id.as_str())
                };
                let uri = SessionUri::new(id, &spelling.dialect());
                if json {
                    console::print_json(&shape(&uri))
                } else {
                    console::print_exact(uri.as_str().into())
                }
            }
            Direction::Decode { uri, spelling, .. } => {
                let uri = SessionUri::parse(JsStr::from(uri.as_str()), &spelling.schemes())?;
                if json {
                    console::print_json(&shape(&uri))
                } else {
                    console::print_exact(uri.id().as_js_str())?;
                    if uri.id().as_js_str().as_str().is_none() {
                        console::say(
                            "note: the id has half of a character in it, which stands here as \
                             U+FFFD; --json has it as it is",
                        );
                    }
                    Ok(())
                }
            }
        }
    }
}

fn shape(uri: &SessionUri) -> Value {
    Object::new()
        .with("sessionId", uri.id().as_js_string().clone())
        .with("uri", uri.as_str())
        .into()
}

fn from_json(text: &str) -> Result<SessionId, Failure> {
    match json::parse(text.as_bytes()) {
        Ok(Value::String(id)) => Ok(id.into()),
        _ => Err(Failure::new(code::JSON_STRING, "ID is no JSON string")),
    }
}

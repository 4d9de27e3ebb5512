use sref::session::json::Object;
use sref::session::{JsStr, JsString};

use sref_delivery::label_line;

use crate::console;
use crate::failure::Failure;
use crate::options::{Format, Spelling, Stores};
use crate::reader::Reader;

const EXAMPLES: &str = "\
Examples:
  sref mention 3f9c
  sref mention 3f9c --label 'the login bug'
  sref prepare \"As in $(sref mention 3f9c), but for Firefox\"

JSON: {sessionId, label, mention}.";

/// Print the text that cites a session
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session's id, or a unique beginning of it
    id: String,
    /// Call the session this instead of by its title
    #[arg(long)]
    label: Option<String>,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    pub(super) format: Format,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let reader = Reader::open(&self.stores)?;
        let record = reader.find(&self.id, &self.spelling)?;
        let title: Option<JsString> = match self.label {
            Some(label) => Some(label.into()),
            // Somebody else's words, and the mention goes through shells and terminals.
            None => (reader.title(&record.header.id)?)
                .map(|title| label_line(title.as_js_str(), usize::MAX).into()),
        };
        let id = &record.header.id;
        let label = title.as_ref().map_or(id.as_js_str(), JsStr::from);
        let mention = self.spelling.mention(id, Some(label));
        if self.format.json {
            let shape = Object::new()
                .with("sessionId", id.as_js_string().clone())
                .with("label", label.to_js_string())
                .with("mention", mention);
            return console::print_json(&shape.into());
        }
        console::print_exact(mention.as_js_str())
    }
}

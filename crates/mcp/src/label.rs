use sref_delivery::label_line;
use sref_session::{JsString, SessionId};

/// What a session is called: its title, or its id when there is none, as one line. A title can be
/// somebody's whole first prompt.
pub(crate) fn of(title: Option<&JsString>, id: &SessionId) -> String {
    let text = title.unwrap_or(id.as_js_string());
    label_line(text.as_js_str(), LONGEST)
}

/// As in hooks.
const LONGEST: usize = 120;

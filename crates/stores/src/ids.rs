//! One space of ids for the sessions of several agents.

use sref_session::{JsString, SessionHeader, SessionId};

use crate::KINDS;
use crate::dsh::Product;

/// The agent whose ids stand as they are, so that mentions made by its hosts resolve.
const PLAIN: &str = "dsh";

/// What a fork of dsh calls the session of this id, if it is one of a fork.
pub(crate) fn native_of_fork(id: &SessionId) -> Option<JsString> {
    let forks = KINDS.iter().filter(|kind| **kind != PLAIN);
    let mut forks = forks.filter(|kind| Product::of(kind).is_some());
    forks.find_map(|kind| native_id(kind, id))
}

/// What a store of this kind calls the session of this id.
pub(crate) fn native_id(kind: &str, id: &SessionId) -> Option<JsString> {
    if kind == PLAIN {
        return Some(id.as_js_string().clone());
    }
    let id = id.as_js_str();
    let prefix = kind.len() + 1;
    let is_own = id.as_wtf8().strip_prefix(kind.as_bytes())?.first() == Some(&b':');
    is_own.then(|| id.slice(prefix..id.len()).to_js_string())
}

/// Gives a header the ids that its sessions have outside of their store.
pub(crate) fn qualify(kind: &str, header: &mut SessionHeader) {
    if kind == PLAIN {
        return;
    }
    header.id = qualified(kind, &header.id);
    let parent = header.parent_session.as_ref();
    header.parent_session = parent.map(|parent| qualified(kind, parent));
}

/// The id that a session of a store of this kind has in a [`Corpus`](crate::Corpus).
///
/// ```
/// assert_eq!(sref_stores::listed_id("claude", &"5f0c".into()).to_string(), "claude:5f0c");
/// assert_eq!(sref_stores::listed_id("dsh", &"5f0c".into()).to_string(), "5f0c");
/// ```
#[must_use]
pub fn listed_id(kind: &str, native: &JsString) -> SessionId {
    let native = SessionId::new(native.clone());
    if kind == PLAIN {
        native
    } else {
        qualified(kind, &native)
    }
}

fn qualified(kind: &str, native: &SessionId) -> SessionId {
    let mut id = JsString::from(format!("{kind}:"));
    id.push(native.as_js_str());
    SessionId::new(id)
}

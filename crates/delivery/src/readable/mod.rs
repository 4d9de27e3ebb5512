//! Mentions that a person can type: `@sref:5f0c`, `@sref:"fix login"`, `@sref:dsh-session:ImEi`,
//! and Codex's `[@title](thread://…)`.

mod live;
mod resolve;
mod scan;

use core::ops::Range;

use sref_session::{JsString, SessionId};

pub use live::{readable_mentions, rewrite};
pub use resolve::{Known, Resolution, resolve};
pub(crate) use scan::{READABLE, THREAD};

/// A readable mention in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readable {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// What it names.
    pub request: Request,
    /// What the person sees in its place, where the form has a label.
    pub label: Option<JsString>,
}

/// How a readable mention names a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Request {
    /// By its id: nothing to look up.
    Session(SessionId),
    /// By the beginning of its id, or of its id without the agent's name.
    Id {
        /// The beginning.
        prefix: JsString,
        /// Whether it may be the whole id. Not so when characters behind it were taken for
        /// punctuation: then a longer id that has them is as good as one that ends here.
        complete: bool,
    },
    /// By words of its title. No words are those of a quotation mark that is not closed in its line,
    /// or has nothing in it: somebody began a mention, which names no session.
    Title(JsString),
}

impl Request {
    /// Whether all ids must be known to answer it.
    #[must_use]
    pub fn needs_ids(&self) -> bool {
        matches!(self, Self::Id { .. }) || self.needs_titles()
    }

    /// Whether all titles must be known to answer it, which costs far more than ids.
    #[must_use]
    pub fn needs_titles(&self) -> bool {
        matches!(self, Self::Title(words) if !words.is_empty())
    }
}

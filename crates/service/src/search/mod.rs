//! Finding a typed text in ids, directories and labels.

#[cfg(feature = "folding")]
mod folding;
mod lowercase;

use memchr::memmem;
use sref_session::{JsStr, JsString};

/// How a query is compared with ids, directories and labels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// Both sides in lower case by the root locale, then substring: what the seeds do on a host
    /// without a locale.
    ///
    /// # Deviation
    ///
    /// The seeds lower-case by the host's locale, so the same query finds other sessions on a
    /// Turkish machine. This does the same everywhere.
    #[default]
    Lowercase,
    /// Both sides in compatibility decomposition and full case folding, without the marks above and
    /// below letters: `παρισ` finds `Παρίσι`, `masse` finds `Maße`, full width finds half width.
    ///
    /// When candidates are ranked, trailing separators of directories do not count.
    #[cfg(feature = "folding")]
    Folding,
}

impl Search {
    /// Appends a piece of text in the form in which this search compares.
    fn normalise(self, out: &mut Units, text: &str) {
        match self {
            Self::Lowercase => lowercase::normalise(out, text),
            #[cfg(feature = "folding")]
            Self::Folding => folding::normalise(out, text),
        }
    }

    /// Whether two directories are the same for ranking.
    pub(crate) fn same_directory(self, a: &JsString, b: &JsString) -> bool {
        match self {
            Self::Lowercase => a == b,
            #[cfg(feature = "folding")]
            Self::Folding => {
                without_trailing_separators(a.as_wtf8()) == without_trailing_separators(b.as_wtf8())
            }
        }
    }
}

/// A root keeps its separator.
#[cfg(feature = "folding")]
fn without_trailing_separators(path: &[u8]) -> &[u8] {
    let kept = path
        .iter()
        .rposition(|byte| !matches!(byte, b'/' | b'\\'))
        .map_or(1, |last| last + 1);
    &path[..kept.min(path.len())]
}

/// Normalised text as a sequence of UTF-16 code units, each in a form of its own that no part of
/// another one equals: generalised UTF-8, with a pair as its two surrogates.
///
/// JavaScript compares units, so half an emoji finds the whole one. In this form a search for bytes
/// is a search for units.
#[derive(Debug, Default)]
struct Units(Vec<u8>);

impl Units {
    /// Takes texts in the place of what was there before, each in the form in which a search
    /// compares, with `end` behind it.
    fn fill<'a>(&mut self, search: Search, texts: impl IntoIterator<Item = JsStr<'a>>, end: &[u8]) {
        self.0.clear();
        for text in texts {
            match text.as_str() {
                // Most ids and directories are ASCII, where all searches agree.
                Some(text) if text.is_ascii() => self.0.extend_from_slice(text.as_bytes()),
                _ => self.push_normalised(search, text),
            }
            self.0.extend_from_slice(end);
        }
        // Once for all of them; the others have no capitals left.
        self.0.make_ascii_lowercase();
    }

    fn push_normalised(&mut self, search: Search, text: JsStr<'_>) {
        for (run, surrogate) in text.chunks() {
            search.normalise(self, run);
            if let Some(unit) = surrogate {
                self.push_surrogate(unit);
            }
        }
    }

    fn push(&mut self, c: char) {
        if c.len_utf8() < 4 {
            self.0
                .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                self.push_surrogate(*unit);
            }
        }
    }

    fn push_surrogate(&mut self, unit: u16) {
        let [high, low] = unit.to_be_bytes();
        self.0.extend_from_slice(&[
            0xED,
            0x80 | ((high & 0x0F) << 2) | (low >> 6),
            0x80 | (low & 0x3F),
        ]);
    }
}

/// A query, made ready to be looked for in many texts.
///
/// ```
/// use sref_service::{Matcher, Search};
///
/// let mut login = Matcher::new(Search::Lowercase, "LOGIN".into());
/// assert!(login.matches("Fix login".into()));
/// assert!(!login.matches("Fix logout".into()));
/// ```
#[derive(Debug)]
pub struct Matcher {
    search: Search,
    needle: memmem::Finder<'static>,
    /// The text under the search; kept so that thousands of texts cost no allocation.
    scratch: Units,
}

impl Matcher {
    /// Prepares a query. The empty one is found in every text.
    #[must_use]
    pub fn new(search: Search, query: JsStr<'_>) -> Self {
        let mut needle = Units::default();
        needle.fill(search, [query], &[]);
        Self {
            search,
            needle: memmem::Finder::new(&needle.0).into_owned(),
            scratch: Units::default(),
        }
    }

    /// Whether the query is found in a text. Takes time linear in both, whatever they are.
    pub fn matches(&mut self, text: JsStr<'_>) -> bool {
        self.matches_any([text])
    }

    /// Whether the query is found in one of several texts.
    pub fn matches_any<'a>(&mut self, texts: impl IntoIterator<Item = JsStr<'a>>) -> bool {
        // One search is cheaper than three. The byte between the texts is in no unit's form, so no
        // match reaches over it.
        self.scratch.fill(self.search, texts, &[0xFF]);
        self.needle.find(&self.scratch.0).is_some()
    }
}

#[cfg(test)]
mod tests;

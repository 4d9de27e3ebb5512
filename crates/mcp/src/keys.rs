//! Names of one word for sessions: `Fix-login#5f0c11aa`.
//!
//! The argument of a prompt is one word in Claude Code, and what completion offers is all that a
//! person sees of a session (`spec/delivery.md` 0.1, 9 and 1.5). So a key has the title for the eye
//! and the beginning of the id for us.

use sref_delivery::{label_line, one_line};
use sref_query::SessionRecord;
use sref_session::{Dialect, JsString, SessionId};
use sref_uri::encode;

/// How much of an id a key has at least.
const SHOWN: usize = 8;
/// How much of a title a key has at most, in characters.
const TITLE: usize = 60;

/// All ways to begin the id of a session.
#[derive(Debug)]
pub(crate) struct Keys<'a> {
    /// Sorted, with the place of the session.
    names: Vec<(&'a [u8], usize)>,
}

impl<'a> Keys<'a> {
    pub(crate) fn new(records: &'a [SessionRecord]) -> Self {
        let named = records.iter().enumerate();
        let mut names: Vec<_> = named
            .flat_map(|(at, record)| names(&record.header.id).map(move |name| (name, at)))
            .collect();
        names.sort_unstable();
        names.dedup();
        Self { names }
    }

    /// The key of a session of the listing.
    pub(crate) fn of(&self, id: &SessionId, title: Option<&JsString>) -> String {
        let Some(short) = self.short(id) else {
            return encode(id, &Dialect::DSH);
        };
        let title = title.map(|title| one_line(title.as_js_str(), TITLE).replace(' ', "-"));
        // As one word, since a space is what makes some words harmless.
        let title = title.map(|title| label_line(title.as_str().into(), TITLE + 1));
        match title.filter(|title| !title.is_empty()) {
            Some(title) => format!("{title}#{short}"),
            None => short.to_owned(),
        }
    }

    /// The shortest beginning of an id that is the only one, without its head. Absent for an id that
    /// cannot be typed as a word.
    fn short(&self, id: &SessionId) -> Option<&'a str> {
        let id = id.as_js_string().as_wtf8();
        let own = self
            .names
            .binary_search_by_key(&id, |(name, _)| name)
            .ok()?;
        let (id, at) = self.names[own];
        let id = std::str::from_utf8(id).ok()?;
        let tail = tail(id);
        let is_plain = |c: char| c.is_alphanumeric() || "-_.:+@".contains(c);
        if tail.is_empty() || !tail.chars().all(is_plain) {
            return None;
        }
        let ends = tail.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut ends = ends.skip(SHOWN - 1);
        let start = ends.find(|end| self.begins_only(&tail[..*end], at));
        // A short id, or one that begins another, is found by all of it.
        Some(start.map_or(id, |end| &tail[..end]))
    }

    fn begins_only(&self, start: &str, own: usize) -> bool {
        let start = start.as_bytes();
        let from = self.names.partition_point(|(name, _)| *name < start);
        let beginning = self.names[from..].iter();
        let mut beginning = beginning.take_while(|(name, _)| name.starts_with(start));
        beginning.all(|(_, at)| *at == own)
    }
}

/// The beginning of an id in a key.
pub(crate) fn id_of(key: &str) -> Option<&str> {
    key.rsplit_once('#').map(|(_, id)| id)
}

/// An id, and what follows the agent's name and dsh's word in it.
fn names(id: &SessionId) -> impl Iterator<Item = &[u8]> {
    let id = id.as_js_string().as_wtf8();
    let colon = id.iter().position(|byte| *byte == b':');
    let native = colon.map(|colon| &id[colon + 1..]);
    let short = native.unwrap_or(id).strip_prefix(b"session-");
    std::iter::once(id).chain(native).chain(short)
}

fn tail(id: &str) -> &str {
    let native = id.split_once(':').map_or(id, |(_, native)| native);
    native.strip_prefix("session-").unwrap_or(native)
}

#[cfg(test)]
mod tests {
    use sref_session::SessionHeader;

    use super::*;

    #[test]
    fn a_key_is_one_word_that_a_person_can_read() {
        let ids = [
            "claude:5f0c11aa-0001-4000",
            "codex:5f0c11aa-0002-4000",
            "session-7d0b4c12-99",
            "ab",
            "codex:with space",
            "codex:a#b",
        ];
        let records = ids.map(|id| SessionRecord::new(SessionHeader::new(id, 0)));
        let keys = Keys::new(&records);
        let key = |at: usize, title: &str| keys.of(&records[at].header.id, Some(&title.into()));
        assert_eq!(key(0, "Fix  the\nlogin"), "Fix-the-login#5f0c11aa-0001");
        assert_eq!(key(1, "登录 页面"), "登录-页面#5f0c11aa-0002");
        assert_eq!(key(2, "a#b"), "a#b#7d0b4c12");
        assert_eq!(id_of(&key(2, "a#b")), Some("7d0b4c12"));
        assert_eq!(key(3, "x"), "x#ab");
        // What is offered is typed into a prompt: it cites the session and nothing else.
        let tricky = key(2, "<b> dsh-session:ImEi, @sref: 3f9c");
        assert_eq!(tricky, "‹b›-dsh-session∶ImEi,-@sref∶-3f9c#7d0b4c12");
        assert_eq!(keys.of(&records[3].header.id, None), "ab");
        for at in [4, 5] {
            assert_eq!(key(at, "x"), encode(&records[at].header.id, &Dialect::DSH));
        }
        let long = key(0, &"word ".repeat(100));
        assert!(long.chars().count() < 90, "{long}");
    }
}

use std::fmt;
use std::hash::{DefaultHasher, Hasher as _};

use sref_projection::Conversation;

use crate::fault::{Fault, Kind, code};

/// Where a page begins: a message, counted from 1, and a byte of its text.
///
/// Written `12` by a person or a hook. A page gives `12-9f2c41d0`, or `12.4096-9f2c41d0` in the middle
/// of a message: the mark stands for all that came before. Where a compaction has put something else
/// there, the number would lead to a message that nobody meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) message: usize,
    pub(crate) byte: usize,
    mark: Option<u32>,
}

impl Cursor {
    pub(crate) const START: Self = Self {
        message: 1,
        byte: 0,
        mark: None,
    };

    /// A place in a conversation, so that it is found again there and nowhere else.
    pub(crate) fn at(message: usize, byte: usize, conversation: &Conversation<'_>) -> Self {
        Self {
            message,
            byte,
            mark: Some(mark(message, byte, conversation)),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let no_cursor = || wrong("a cursor is the number of a message, or what a page gave");
        let (place, mark) = match text.split_once('-') {
            None => (text, None),
            Some((place, mark)) => {
                let digits = mark.len() == 8 && mark.bytes().all(|byte| byte.is_ascii_hexdigit());
                let mark = digits.then(|| u32::from_str_radix(mark, 16).ok()).flatten();
                (place, Some(mark.ok_or_else(no_cursor)?))
            }
        };
        let (message, byte) = place.split_once('.').unwrap_or((place, "0"));
        match (message.parse(), byte.parse()) {
            (Ok(message), Ok(byte)) if message > 0 => Ok(Self {
                message,
                byte,
                mark,
            }),
            _ => Err(no_cursor()),
        }
    }

    /// Looks whether the cursor leads to where it led when it was given.
    ///
    /// # Errors
    ///
    /// When what came before is not what it was.
    pub(crate) fn check(self, conversation: &Conversation<'_>) -> Result<(), Fault> {
        let same = |given| given == mark(self.message, self.byte, conversation);
        if self.mark.is_none_or(same) {
            return Ok(());
        }
        Err(wrong(
            "what the pages before showed of this session is not in it any more: it was compacted or \
             taken back since, and its messages are numbered anew; read it again without a cursor",
        ))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if self.byte > 0 {
            write!(f, ".{}", self.byte)?;
        }
        match self.mark {
            Some(mark) => write!(f, "-{mark:08x}"),
            None => Ok(()),
        }
    }
}

pub(crate) fn wrong(message: &str) -> Fault {
    Fault {
        code: code::CURSOR,
        message: message.into(),
        kind: Kind::Asked,
    }
}

/// What tells the words before a place from other words. A cursor lives for minutes and meets no
/// enemy, so that half of a hash is enough.
fn mark(message: usize, byte: usize, conversation: &Conversation<'_>) -> u32 {
    let mut hasher = DefaultHasher::new();
    for (number, item) in (1..=message).zip(conversation.items()) {
        let text = item.text.to_js_string();
        let mut words = text.as_js_str().as_wtf8();
        if number == message {
            words = &words[..byte.min(words.len())];
            if words.is_empty() {
                break;
            }
        }
        hasher.write(item.role.as_str().as_bytes());
        hasher.write_usize(words.len());
        hasher.write(words);
    }
    // Of conversations that end before the place no two are the same place.
    hasher.write_usize(conversation.items().len().min(message - 1));
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sref_projection::Item;
    use sref_session::Role;

    use super::*;

    fn conversation<'a>(texts: &[&'a str]) -> Conversation<'a> {
        let items = texts
            .iter()
            .map(|text| Item::new(Role::User, (*text).into()));
        items.collect()
    }

    #[test]
    fn a_mark_is_of_what_came_before() {
        let then = conversation(&["one", "two", "three"]);
        let cursor = Cursor::at(3, 0, &then);
        let leads = |now: &[&str], cursor: Cursor| cursor.check(&conversation(now)).is_ok();
        assert!(leads(&["one", "two", "three"], cursor));
        // What comes behind may change: the session goes on.
        assert!(leads(&["one", "two", "3", "four"], cursor));
        assert!(leads(&["one", "two"], cursor), "there is no such message");
        for now in [
            &["summary", "three"][..],
            &["one", "too", "three"],
            &["onet", "wo", "three"],
            &["one"],
            &[],
        ] {
            assert!(!leads(now, cursor), "{now:?}");
        }
        let inside = Cursor::at(3, 2, &then);
        assert!(leads(&["one", "two", "throng"], inside));
        assert!(!leads(&["one", "two", "tree"], inside));
        // Who gives a number means the number.
        assert!(leads(&["summary"], Cursor::parse("3").unwrap()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(message in 1_usize..99, byte in 0_usize..99) {
            let cursor = Cursor::at(message, byte, &conversation(&["a", "b"]));
            prop_assert_eq!(Cursor::parse(&cursor.to_string()).unwrap(), cursor);
        }

        #[test]
        fn any_text_is_answered(text in "[0-9a-f.-]{0,14}") {
            if let Ok(cursor) = Cursor::parse(&text) {
                let _ = cursor.check(&conversation(&["a"]));
            }
        }
    }
}

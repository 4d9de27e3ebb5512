//! Which tool results may replace which (`spec/dsh-store.md` 2.4): their data must be deeply equal
//! once the content of the result is set aside.
//!
//! Data is compared by a digest, so that a surface of many results costs a few bytes each, and read
//! with a stack on the heap, so that nesting costs no recursion.

use std::borrow::Cow;

use sref_session::json::{JsonError, Kind, RawString, Scanner};

use crate::digest::{digest, pair};
use crate::raw::Raw;

/// The data of one tool result without its content. Most results are never rewritten, so short data
/// is kept as it stands and only read when one is.
#[derive(Debug, Clone)]
pub(super) enum Kept {
    Unread(Box<[u8]>),
    Read(Fingerprint),
}

/// The longest data that is kept unread.
const MAX_UNREAD: usize = 512;

impl Kept {
    /// Keeps a result's data, in which `content` may change. What is kept unread is taken off
    /// `spare`, the bytes that are left for that.
    pub(super) fn of(data: Raw<'_>, content: Raw<'_>, spare: &mut usize) -> Self {
        // Most of the data is content, which need not be read again.
        let rest = data.without(content);
        match spare.checked_sub(rest.len()) {
            Some(left) if rest.len() <= MAX_UNREAD => {
                *spare = left;
                Self::Unread(rest.into())
            }
            _ => Self::Read(Fingerprint::of(&rest)),
        }
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Unread(data) => Fingerprint::of(data),
            Self::Read(fingerprint) => *fingerprint,
        }
    }
}

/// What tells the data of one tool result from that of another, as far as a rewrite must keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Everything but the content and the message's id; `None` when the data is too large
    /// to tell.
    rest: Option<u128>,
    id: u128,
}

/// Deeper or larger data is not told apart: a reader that cannot afford to compare a result must
/// not refuse a session over it.
const MAX_LEVELS: usize = 4096;
const MAX_MEMBERS: usize = 1 << 16;

impl Fingerprint {
    /// The fingerprint of a result's data that has no content any more.
    fn of(rest: &[u8]) -> Self {
        let mut walk = Walk {
            scanner: Scanner::new(rest),
            levels: Vec::new(),
            members: Vec::new(),
            id: 0,
        };
        // The data is checked JSON, so an error is the limit.
        let rest = walk.value().ok().flatten();
        Self { rest, id: walk.id }
    }

    /// The fingerprint under the id of the message that it replaces, as old logs imply it.
    pub(super) const fn with_id_of(self, old: Self) -> Self {
        Self {
            rest: self.rest,
            id: old.id,
        }
    }

    /// Whether a result of this data may take the place of `old`.
    pub(super) fn may_replace(self, old: Self) -> bool {
        let rest = match (self.rest, old.rest) {
            (Some(own), Some(old)) => own == old,
            _ => true,
        };
        rest && self.id == old.id
    }
}

struct Walk<'a> {
    scanner: Scanner<'a>,
    levels: Vec<Level>,
    /// Members of all open objects: the digests of key and value.
    members: Vec<(u128, u128)>,
    id: u128,
}

/// An open container.
struct Level {
    place: Place,
    /// Where the members of this object begin; `None` for an array.
    members: Option<usize>,
    /// What an array holds so far.
    items: u128,
    key: u128,
}

/// Where a value stands: `data`, `data.message`, `data.message.id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Data,
    Message,
    Id,
    Elsewhere,
}

impl Place {
    fn member(self, key: &[u8]) -> Self {
        match (self, key) {
            (Self::Data, b"message") => Self::Message,
            (Self::Message, b"id") => Self::Id,
            _ => Self::Elsewhere,
        }
    }
}

impl Walk<'_> {
    /// The digest of the value, or `None` beyond the limits.
    fn value(&mut self) -> Result<Option<u128>, JsonError> {
        let mut place = Place::Data;
        loop {
            if self.levels.len() > MAX_LEVELS || self.members.len() > MAX_MEMBERS {
                return Ok(None);
            }
            let mut value = match self.scanner.peek()? {
                kind @ (Kind::Object | Kind::Array) => {
                    self.open(kind == Kind::Object, place)?;
                    match self.next()? {
                        Next::Value(next) => {
                            place = next;
                            continue;
                        }
                        Next::End(value) => value,
                    }
                }
                kind => self.scalar(kind)?,
            };
            if place == Place::Id {
                self.id = value;
                value = 0;
            }
            // A value has ended: put it into its container, and close containers that end here.
            loop {
                let Some(level) = self.levels.last_mut() else {
                    return Ok(Some(value));
                };
                match level.members {
                    Some(_) => self.members.push((level.key, value)),
                    None => level.items = pair(level.items, value),
                }
                match self.next()? {
                    Next::Value(next) => {
                        place = next;
                        break;
                    }
                    Next::End(closed) => value = closed,
                }
            }
        }
    }

    fn open(&mut self, object: bool, place: Place) -> Result<(), JsonError> {
        if object {
            self.scanner.enter_object()?;
        } else {
            self.scanner.enter_array()?;
        }
        self.levels.push(Level {
            place,
            members: object.then_some(self.members.len()),
            items: 0,
            key: 0,
        });
        Ok(())
    }

    /// Goes to the next value of the innermost container, or closes it.
    fn next(&mut self) -> Result<Next, JsonError> {
        let Some(level) = self.levels.last_mut() else {
            return Ok(Next::End(0));
        };
        if level.members.is_some() {
            if let Some(key) = self.scanner.next_key()? {
                level.key = text_digest(key);
                return Ok(Next::Value(level.place.member(&key.text())));
            }
        } else if self.scanner.next_element()? {
            return Ok(Next::Value(Place::Elsewhere));
        }
        let digest = match level.members {
            Some(start) => object(&mut self.members, start),
            None => pair(tag(b'['), level.items),
        };
        self.levels.pop();
        Ok(Next::End(digest))
    }

    fn scalar(&mut self, kind: Kind) -> Result<u128, JsonError> {
        Ok(match kind {
            Kind::String => pair(tag(b'"'), text_digest(self.scanner.string()?)),
            Kind::Number => {
                let number = Raw::read(&mut self.scanner)?.double();
                // −0 equals 0.
                let bits = if number == 0.0 { 0 } else { number.to_bits() };
                pair(tag(b'0'), bits.into())
            }
            _ => digest(Raw::read(&mut self.scanner)?.bytes()),
        })
    }
}

enum Next {
    Value(Place),
    End(u128),
}

/// The digest of what a string says.
fn text_digest(string: RawString<'_>) -> u128 {
    match string.text() {
        Cow::Borrowed(bytes) if std::str::from_utf8(bytes).is_ok() => digest(bytes),
        _ => digest(string.decode().as_wtf8()),
    }
}

fn tag(byte: u8) -> u128 {
    u128::from(byte)
}

/// The digest of an object, whatever the order of its members; the last of equal keys counts.
fn object(members: &mut Vec<(u128, u128)>, start: usize) -> u128 {
    let own = &mut members[start..];
    own.sort_by_key(|(key, _)| *key);
    let mut out = tag(b'{');
    for (at, (key, value)) in own.iter().enumerate() {
        if own.get(at + 1).is_none_or(|(next, _)| next != key) {
            out = pair(out, pair(*key, *value));
        }
    }
    members.truncate(start);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sref_session::json::{Value, parse};

    use super::*;
    use crate::dsh::Product;
    use crate::dsh::format::{FORMAT_0, format};
    use crate::dsh::shape::{Body, Checked, Tool};

    /// The fingerprint of the data of a result, by the shape of formats 0 to 3.
    fn of(data: &str) -> Fingerprint {
        let data = Raw::read(&mut Scanner::new(data.as_bytes())).unwrap();
        let body = Body::Tool(Tool::read(&mut data.scanner()).unwrap());
        match body.check(&FORMAT_0) {
            Ok(Checked::Tool(result)) => Fingerprint::of(&data.without(result.content)),
            other => panic!("{other:?}"),
        }
    }

    /// The fingerprint of any value, in which nothing may change.
    fn of_all(json: &str) -> Fingerprint {
        let json = Raw::read(&mut Scanner::new(json.as_bytes())).unwrap();
        Fingerprint::of(json.bytes())
    }

    fn equal(one: &str, other: &str) -> bool {
        of_all(one).may_replace(of_all(other))
    }

    const RESULT: &str = r#"{"turn":1,"meta":[1,{"a":0}],"message":{"id":"m","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[{"text":"old"}],"isError":false,"content_":[]}],"role":"user"}}"#;

    /// 2.4 [k29–k31, v41]
    #[test]
    fn only_the_content_of_the_block_may_differ() {
        let equal = |one: &str, other: &str| of(one).may_replace(of(other));
        for (from, to) in [
            ("\"old\"", "\"new\""),
            ("[{\"text\":\"old\"}]", "[]"),
            ("\"isError\"", "\"content\":[7],\"isError\""),
            ("\"message\"", "\"message\":7,\"message\""),
            ("\"turn\":1", "\"turn\":1.0"),
            ("\"turn\":1", "\"turn\":7,\"tur\\u006e\":1"),
            ("{\"a\":0}", "{\"a\":-0.0}"),
            ("{\"a\":0}", "{ \"a\" : 0 }"),
        ] {
            assert!(equal(RESULT, &RESULT.replacen(from, to, 1)), "{to}");
        }
        for (from, to) in [
            ("\"turn\":1", "\"turn\":2"),
            ("\"turn\":1,", ""),
            ("[1,", "[1,1,"),
            ("\"m\"", "\"n\""),
            ("false", "true"),
            ("\"content_\":[]", "\"content_\":[1]"),
            ("{\"turn\"", "{\"content\":[],\"turn\""),
        ] {
            assert!(!equal(RESULT, &RESULT.replacen(from, to, 1)), "{to}");
        }
    }

    /// `spec/dsh-newer.md` 8: the content is the message's own.
    #[test]
    fn in_format_4_the_content_of_the_message_may_differ() {
        let of = |text: &str, role: &str| {
            let data = format!(
                r#"{{"message":{{"id":"t","role":"{role}","toolCallId":"c","source":{{"kind":"tool","callId":"c"}},"content":{text}}}}}"#
            );
            let data = Raw::checked(data.as_bytes());
            let body = Body::Tool(Tool::read(&mut data.scanner()).unwrap());
            match body.check(format(4, 4, Product::default()).unwrap()) {
                Ok(Checked::Tool(result)) => Fingerprint::of(&data.without(result.content)),
                other => panic!("{other:?}"),
            }
        };
        let old = of(r#"[{"type":"text","text":"old"}]"#, "tool");
        assert!(of("[]", "tool").may_replace(old));
        assert!(of(r#"[{"type":"text","text":"a"},1]"#, "tool").may_replace(old));
    }

    /// [l01]
    #[test]
    fn an_old_result_takes_the_id_of_the_one_it_replaces() {
        let old = of(RESULT);
        let new = of(&RESULT.replace("\"m\"", "\"n\""));
        assert!(!new.may_replace(old));
        assert!(new.with_id_of(old).may_replace(old));
    }

    /// Data is kept unread while it is short and there is room; either way it says the same.
    #[test]
    fn what_is_kept_unread_is_bounded() {
        let data = Raw::checked(RESULT.as_bytes());
        let content = data.member("message").unwrap().member("content").unwrap();
        let length = data.without(content).len();
        let mut spare = length * 2 + 1;
        let keep = |_| Kept::of(data, content, &mut spare);
        let kept: Vec<_> = (0..3).map(keep).collect();
        let unread = |kept: &Kept| matches!(kept, Kept::Unread(_));
        assert_eq!(
            kept.iter().map(unread).collect::<Vec<_>>(),
            [true, true, false]
        );
        assert!(
            kept.iter()
                .all(|one| one.fingerprint() == kept[2].fingerprint())
        );
        assert_eq!(spare, 1);

        let long = format!("[[],\"{}\"]", "x".repeat(MAX_UNREAD));
        let long = Raw::checked(long.as_bytes());
        let mut spare = usize::MAX;
        assert!(!unread(&Kept::of(
            long,
            Raw::checked(&long.bytes()[1..3]),
            &mut spare
        )));
    }

    #[test]
    fn hostile_sizes_are_cheap_and_not_refused() {
        let deep = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert!(equal(&deep, "{}"));
        let wide = format!("{{{}\"z\":1}}", "\"a\":1,".repeat(100_000));
        assert!(equal(&wide, "{}"));
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "1.0",
            "true",
            "null",
            "\"a\"",
            "\"\\u0061\"",
            "[]",
            "{}",
        ])
        .prop_map(str::to_owned);
        leaf.prop_recursive(3, 12, 3, |inner| {
            let member = (
                prop::sample::select(vec!["a", "b", "\\u0061"]),
                inner.clone(),
            )
                .prop_map(|(key, value)| format!("\"{key}\":{value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..3)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(member, 0..3)
                    .prop_map(|members| format!("{{{}}}", members.join(","))),
            ]
        })
    }

    proptest! {
        /// The oracle is equality of trees.
        #[test]
        fn digests_are_equal_when_values_are(one in json(), other in json()) {
            let tree = |json: &str| parse(json.as_bytes()).unwrap();
            let trees: [Value; 2] = [tree(&one), tree(&other)];
            prop_assert_eq!(equal(&one, &other), trees[0] == trees[1], "{} {}", one, other);
        }
    }
}

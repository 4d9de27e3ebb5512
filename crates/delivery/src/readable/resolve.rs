use alloc::string::String;
use alloc::vec::Vec;

use sref_service::{Matcher, Search};
use sref_session::{JsStr, JsString, SessionId};

use super::Request;

/// A session that a readable mention may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "what a person can name a session by"
)]
pub struct Known {
    /// Its id.
    pub id: SessionId,
    /// Its title, if known and looked up.
    pub title: Option<JsString>,
}

/// What a readable mention means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one, several, none")]
pub enum Resolution<'a> {
    /// This session.
    Found(&'a Known),
    /// Several, of which the first three stand here, in the order given.
    Ambiguous(Vec<&'a Known>),
    /// None. These three at most are closest.
    Unknown(Vec<&'a Known>),
}

/// How many sessions are offered to a person who has to choose.
const OFFER: usize = 3;

/// Finds the session that a readable mention names.
///
/// By id: the session whose id it is; else the only one whose id, or whose id without the agent's
/// name, begins with it, in whatever case if none does in this. By title: of the sessions whose titles have all the words, in any order and
/// compared as `search` compares, the one whose title is nothing but these words; else the only one
/// with them side by side; else the only one. [`Request::Session`] is answered without looking.
///
/// `known` stands in the order in which sessions should be offered, nearest first.
///
/// ```
/// use sref_delivery::{Known, Request, Resolution, resolve};
/// use sref_service::Search;
///
/// let known = [("claude:5f0c-1", "Fix the login"), ("codex:77aa", "Login page"), ("s-1", "Deploy")];
/// let known = known.map(|(id, title)| Known { id: id.into(), title: Some(title.into()) });
/// let find = |request| resolve(&request, &known, Search::Lowercase);
///
/// let by_id = Request::Id { prefix: "5f0c".into(), complete: true };
/// assert_eq!(find(by_id), Resolution::Found(&known[0]));
/// assert_eq!(find(Request::Title("PAGE login".into())), Resolution::Found(&known[1]));
/// assert_eq!(find(Request::Title("login".into())), Resolution::Ambiguous(vec![&known[0], &known[1]]));
/// assert_eq!(find(Request::Title("deplyo".into())), Resolution::Unknown(vec![&known[2]]));
/// ```
#[must_use]
pub fn resolve<'a>(request: &Request, known: &'a [Known], search: Search) -> Resolution<'a> {
    match request {
        Request::Session(id) => known
            .iter()
            .find(|own| own.id == *id)
            .map_or_else(|| Resolution::Unknown(Vec::new()), Resolution::Found),
        Request::Id { prefix, complete } => by_id(prefix.as_js_str(), *complete, known),
        Request::Title(words) => by_title(words.as_js_str(), known, search),
    }
}

fn by_id<'a>(prefix: JsStr<'_>, complete: bool, known: &'a [Known]) -> Resolution<'a> {
    let prefix = prefix.as_wtf8();
    if complete {
        let whole = known
            .iter()
            .find(|own| own.id.as_js_string().as_wtf8() == prefix);
        let mut native = known.iter().filter(|own| native_name(own) == Some(prefix));
        match (whole, native.next(), native.next()) {
            (Some(own), ..) | (None, Some(own), None) => return Resolution::Found(own),
            _ => {}
        }
    }
    let begins = |own: &&Known| names(own).any(|name| name.starts_with(prefix));
    let found = settle(known.iter().filter(begins).collect());
    // Some ids differ in case alone; but nobody who writes one in capitals means another.
    let found = found.or_else(|| {
        let begins = |name: &[u8]| {
            let start = name.get(..prefix.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        let begins = |own: &&Known| names(own).any(begins);
        settle(known.iter().filter(begins).collect())
    });
    found.unwrap_or_else(|| {
        let shared = |name: &[u8]| name.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        // One character in common is chance.
        closest(known, |own| {
            names(own).map(shared).max().filter(|shared| *shared > 1)
        })
    })
}

/// An id, what follows the agent's name in it, and what follows the word that most ids of dsh begin
/// with.
fn names(own: &Known) -> impl Iterator<Item = &[u8]> {
    let id = own.id.as_js_string().as_wtf8();
    let native = native_name(own);
    let short = native.unwrap_or(id).strip_prefix(b"session-");
    core::iter::once(id).chain(native).chain(short)
}

fn native_name(own: &Known) -> Option<&[u8]> {
    let id = own.id.as_js_string().as_wtf8();
    memchr::memchr(b':', id).map(|colon| &id[colon + 1..])
}

fn by_title<'a>(words: JsStr<'_>, known: &'a [Known], search: Search) -> Resolution<'a> {
    let words = words.to_string_lossy();
    let words = words.trim();
    let mut matchers: Vec<Matcher> = words
        .split_whitespace()
        .take(MAX_WORDS)
        .map(|word| Matcher::new(search, word.into()))
        .collect();
    let mut hits = |title: &JsString| {
        let hit = |matcher: &mut Matcher| matcher.matches(title.as_js_str());
        matchers
            .iter_mut()
            .map(|matcher| usize::from(hit(matcher)))
            .sum()
    };
    let hits: Vec<usize> = known
        .iter()
        .map(|own| own.title.as_ref().map_or(0, &mut hits))
        .collect();
    let all: Vec<&Known> = known
        .iter()
        .zip(&hits)
        .filter(|(_, hits)| **hits > 0 && **hits == matchers.len())
        .map(|(own, _)| own)
        .collect();
    let mut phrase = Matcher::new(search, words.into());
    let keep = |from: &[&'a Known], test: &mut dyn FnMut(JsStr<'_>) -> bool| -> Vec<&'a Known> {
        let test = |own: &&&Known| {
            own.title
                .as_ref()
                .is_some_and(|title| test(title.as_js_str()))
        };
        from.iter().filter(test).copied().collect()
    };
    let together = keep(&all, &mut |title| phrase.matches(title));
    // A title that has the words side by side, and that they have, is these words.
    let same = keep(&together, &mut |title| {
        Matcher::new(search, title).matches(words.into())
    });
    for narrowed in [same, together] {
        if let [only] = narrowed[..] {
            return Resolution::Found(only);
        }
    }
    settle(all).unwrap_or_else(|| {
        let wanted = pairs(words);
        let count = words.split_whitespace().count().max(1);
        let mut hits = hits.into_iter();
        closest(known, |own| {
            let hits = hits.next().unwrap_or(0);
            let title = own.title.as_ref()?.to_string_lossy();
            let likeness = likeness_to_part(&wanted, count, &title);
            (hits > 0 || likeness >= LIKE).then_some((hits, likeness))
        })
    })
}

/// Words beyond these are not looked for.
const MAX_WORDS: usize = 16;
/// From here on two texts are alike enough to be a slip of the pen, in thousandths.
const LIKE: usize = 400;

/// The pairs of neighbouring letters of a text's beginning, sorted.
fn pairs(text: &str) -> Vec<(char, char)> {
    let letters: Vec<char> = text
        .chars()
        .take(200)
        .flat_map(char::to_lowercase)
        .collect();
    let mut pairs: Vec<(char, char)> = letters.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// The share of pairs that two texts have in common, in thousandths (the Sørensen–Dice index).
fn likeness(a: &[(char, char)], b: &[(char, char)]) -> usize {
    let mut common = 0;
    let mut rest = b.iter().peekable();
    for pair in a {
        while rest.next_if(|other| *other < pair).is_some() {}
        common += usize::from(rest.next_if_eq(&pair).is_some());
    }
    2_000 * common / (a.len() + b.len()).max(1)
}

/// How alike a text is to a title, or to as many words side by side in it as the text has.
fn likeness_to_part(wanted: &[(char, char)], count: usize, title: &str) -> usize {
    let title: String = title.chars().take(200).collect();
    let words: Vec<&str> = title.split_whitespace().collect();
    let parts = words.windows(count).map(|part| part.join(" "));
    let parts = parts.map(|part| likeness(wanted, &pairs(&part)));
    parts.fold(likeness(wanted, &pairs(&title)), usize::max)
}

/// One is found, several are ambiguous.
fn settle(found: Vec<&Known>) -> Option<Resolution<'_>> {
    match found[..] {
        [] => None,
        [only] => Some(Resolution::Found(only)),
        _ => Some(Resolution::Ambiguous(
            found.into_iter().take(OFFER).collect(),
        )),
    }
}

/// Those that rank highest; of equals the first.
fn closest<R: Ord>(known: &[Known], mut rank: impl FnMut(&Known) -> Option<R>) -> Resolution<'_> {
    let mut ranked: Vec<(R, &Known)> = known
        .iter()
        .filter_map(|own| Some((rank(own)?, own)))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| b.cmp(a));
    Resolution::Unknown(ranked.into_iter().take(OFFER).map(|(_, own)| own).collect())
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    const CORPUS: [(&str, &str); 9] = [
        ("claude:5f0c11", "Fix the login"),
        ("claude:5f0c22", "Login page"),
        ("codex:5f0c11", "Fix the login flow"),
        ("s-1", "登录 页面"),
        ("s-10", "Résumé parser"),
        ("gemini:s-1", ""),
        ("codex:thread_", "Deploy"),
        ("codex:thread", "Deploy"),
        ("session-7d0b4c", "Review"),
    ];

    fn known() -> Vec<Known> {
        let known = |(id, title): (&str, &str)| Known {
            id: id.into(),
            title: Some(title.into()),
        };
        CORPUS.map(known).into()
    }

    fn check(request: &Request, expected: &str) {
        let known = known();
        let ids = |found: Vec<&Known>| {
            let ids: Vec<String> = found.iter().map(|own| own.id.to_string()).collect();
            ids.join(" ")
        };
        let said = match resolve(request, &known, Search::Folding) {
            Resolution::Found(own) => own.id.to_string(),
            Resolution::Ambiguous(several) => format!("several: {}", ids(several)),
            Resolution::Unknown(near) => format!("none: {}", ids(near)),
        };
        assert_eq!(said, expected, "{request:?}");
    }

    #[test]
    fn by_the_beginning_of_an_id() {
        let check = |prefix: &str, expected| {
            let (prefix, complete) = (prefix.trim_end_matches('…'), !prefix.ends_with('…'));
            let prefix = prefix.into();
            check(&Request::Id { prefix, complete }, expected);
        };
        check("claude:5f0c1", "claude:5f0c11");
        check("5f0c2", "claude:5f0c22");
        check("5f0c", "several: claude:5f0c11 claude:5f0c22 codex:5f0c11");
        check("5f0c11", "several: claude:5f0c11 codex:5f0c11");
        // The whole id wins over longer ones, and over the same name under an agent.
        check("s-1", "s-1");
        // Most ids of dsh begin with the same word, which nobody types.
        check("7d0b", "session-7d0b4c");
        check("s-1…", "several: s-1 s-10 gemini:s-1");
        check("codex:thread", "codex:thread");
        // `@sref:thread_` loses its `_` to punctuation, which must not pick the wrong session.
        check("thread…", "several: codex:thread_ codex:thread");
        check("5F0C2", "claude:5f0c22");
        check("Claude:5F0C1", "claude:5f0c11");
        check("5F0C", "several: claude:5f0c11 claude:5f0c22 codex:5f0c11");
        check("5f0d", "none: claude:5f0c11 claude:5f0c22 codex:5f0c11");
        check("zzz", "none: ");
    }

    #[test]
    fn by_words_of_a_title() {
        let check = |words: &str, expected| check(&Request::Title(words.into()), expected);
        check("fix LOGIN the", "several: claude:5f0c11 codex:5f0c11");
        check("Fix the Login", "claude:5f0c11");
        check("the login flow", "codex:5f0c11");
        check("page login", "claude:5f0c22");
        check("login", "several: claude:5f0c11 claude:5f0c22 codex:5f0c11");
        check("页面 登录", "s-1");
        check("resume", "s-10");
        check("deploy", "several: codex:thread_ codex:thread");
        check("deplyo", "none: codex:thread_ codex:thread");
        check(
            "login screen",
            "none: claude:5f0c22 codex:5f0c11 claude:5f0c11",
        );
        // A slip in one word of several.
        check("pgae", "none: ");
        check("logn", "none: claude:5f0c11 claude:5f0c22 codex:5f0c11");
        check("quantum", "none: ");
        check("", "none: ");
    }

    #[test]
    fn an_id_is_itself() {
        check(&Request::Session("s-10".into()), "s-10");
        check(&Request::Session("s-11".into()), "none: ");
    }
}

use alloc::string::String;
use alloc::vec::Vec;

use sref_session::JsStr;

use crate::escape::{self, Fit, UNIT};

/// The size of a lone surrogate as text.
const SURROGATE: usize = 3;

/// How the strings of a rendered object are escaped (`contract.md` §5).
///
/// Both are JSON: a reader gets back the same strings, whatever was escaped.
///
/// # Hardened
///
/// Escapes more, so that text which nobody sees cannot hide in a prompt. Besides what
/// [`Plain`](Self::Plain) escapes, these become `\uXXXX` (two of them beyond U+FFFF):
///
/// - `>` and `&`;
/// - U+007F–009F; U+2028 and U+2029;
/// - bidi controls: U+061C, U+200E, U+200F, U+202A–202E, U+2066–2069;
/// - zero-width and invisible characters: everything that Unicode calls default-ignorable (soft
///   hyphen, U+200B–200D, U+2060–206F, U+FEFF, the fillers, and so on), U+FFF9–FFFB, and tag
///   characters with the rest of U+E0000–E0FFF;
/// - noncharacters.
///
/// Two kinds of them stay where they are a part of what is seen:
///
/// - a variation selector directly after a character that is written as itself and is no space and
///   no selector: one for each base;
/// - U+200D between two pictographs, of which the first can carry a skin tone or U+FE0F: an emoji
///   sequence.
///
/// ```
/// use sref_envelope::Profile;
///
/// let write = |profile: Profile, text: &str| {
///     let mut out = String::new();
///     profile.write_string(&mut out, text.into());
///     out
/// };
/// assert_eq!(write(Profile::Plain, "<b>\u{202e}"), "\"\\u003cb>\u{202e}\"");
/// assert_eq!(write(Profile::Hardened, "<b>\u{202e}"), r#""\u003cb\u003e\u202e""#);
/// assert_eq!(write(Profile::Hardened, "👩\u{200d}🚀\u{200d}"), "\"👩\u{200d}🚀\\u200d\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// As `JSON.stringify` writes them, and every `<` as `\u003c`: the reference's form.
    #[default]
    Plain,
    /// Nothing invisible stays as it is.
    Hardened,
}

impl Profile {
    /// Appends a text as a JSON string.
    pub fn write_string(self, out: &mut String, text: JsStr<'_>) {
        out.push('"');
        for (run, surrogate) in text.chunks() {
            match self {
                Self::Plain => escape::write_run::<false>(out, run),
                Self::Hardened => escape::write_run::<true>(out, run),
            }
            if let Some(unit) = surrogate {
                escape::write_unit(out, unit);
            }
        }
        out.push('"');
    }

    /// The size of what [`write_string`](Self::write_string) appends, quotes included.
    ///
    /// ```
    /// use sref_envelope::Profile;
    ///
    /// assert_eq!(Profile::Plain.string_len("a\n<".into()), r#""a\n\u003c""#.len());
    /// ```
    #[must_use]
    pub fn string_len(self, text: JsStr<'_>) -> usize {
        self.escaped_len(text) + 2
    }

    /// [`string_len`](Self::string_len) without the quotes.
    #[must_use]
    pub fn escaped_len(self, text: JsStr<'_>) -> usize {
        self.fit(text, usize::MAX).cost
    }

    /// [`escaped_len`](Self::escaped_len), unless it is more than `limit`.
    ///
    /// Looks at no more than about `limit` bytes; of a text longer than that, at none.
    ///
    /// ```
    /// use sref_envelope::Profile;
    ///
    /// assert_eq!(Profile::Plain.escaped_len_within("a<".into(), 7), Some(7));
    /// assert_eq!(Profile::Plain.escaped_len_within("a<".into(), 6), None);
    /// ```
    #[must_use]
    pub fn escaped_len_within(self, text: JsStr<'_>, limit: usize) -> Option<usize> {
        // No character becomes shorter.
        if text.len() > limit {
            return None;
        }
        let Fit { end, cost } = self.fit(text, limit);
        (end == text.len()).then_some(cost)
    }

    /// The longest prefix that takes at most `limit` bytes when it is escaped alone, given as its
    /// end. It ends between two characters.
    ///
    /// ```
    /// use sref_envelope::Profile;
    ///
    /// assert_eq!(Profile::Plain.prefix_within("é<é".into(), 7), 2);
    /// assert_eq!(Profile::Plain.prefix_within("é<é".into(), 8), 3);
    /// ```
    #[must_use]
    pub fn prefix_within(self, text: JsStr<'_>, limit: usize) -> usize {
        let text = text.slice(0..text.floor_boundary(limit));
        walk(text, limit, |run, limit| match self {
            Self::Plain => escape::prefix::<false>(run, limit),
            Self::Hardened => escape::prefix::<true>(run, limit),
        })
        .end
    }

    /// The longest suffix that takes at most `limit` bytes when it is escaped alone, given as its
    /// start.
    ///
    /// ```
    /// use sref_envelope::Profile;
    ///
    /// assert_eq!(Profile::Plain.suffix_within("é<é".into(), 7), 3);
    /// assert_eq!(Profile::Plain.suffix_within("é<é".into(), 8), 2);
    /// ```
    #[must_use]
    pub fn suffix_within(self, text: JsStr<'_>, limit: usize) -> usize {
        let start = text.ceil_boundary(text.len().saturating_sub(limit));
        let text = text.slice(start..text.len());
        let runs: Vec<(&str, Option<u16>)> = text.chunks().collect();
        let (mut at, mut rest) = (start + text.len(), limit);
        for (run, surrogate) in runs.into_iter().rev() {
            if surrogate.is_some() {
                if rest < UNIT {
                    return at;
                }
                rest -= UNIT;
                at -= SURROGATE;
            }
            let (start, cost) = match self {
                Self::Plain => escape::suffix::<false>(run, rest),
                Self::Hardened => escape::suffix::<true>(run, rest),
            };
            rest -= cost;
            at -= run.len() - start;
            if start > 0 {
                return at;
            }
        }
        at
    }

    fn fit(self, text: JsStr<'_>, limit: usize) -> Fit {
        walk(text, limit, |run, limit| match self {
            Self::Plain => escape::fit::<false>(run, limit),
            Self::Hardened => escape::fit::<true>(run, limit),
        })
    }
}

/// Adds up what fits, run by run, a lone surrogate after each but the last.
fn walk(text: JsStr<'_>, limit: usize, fit: impl Fn(&str, usize) -> Fit) -> Fit {
    let mut sum = Fit { end: 0, cost: 0 };
    for (run, surrogate) in text.chunks() {
        let part = fit(run, limit - sum.cost);
        sum.end += part.end;
        sum.cost += part.cost;
        if part.end < run.len() || (surrogate.is_some() && limit - sum.cost < UNIT) {
            break;
        }
        if surrogate.is_some() {
            sum.end += SURROGATE;
            sum.cost += UNIT;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use proptest::prelude::*;
    use sref_session::{JsString, json};

    use super::*;

    /// Text in which every rule of escaping has something to do, lone surrogates among it.
    fn text() -> impl Strategy<Value = JsString> {
        let part = prop_oneof![
            prop::sample::select(vec![
                "a",
                " ",
                "\n",
                "<",
                ">",
                "&",
                "\"",
                "\\",
                "\u{1}",
                "\u{7f}",
                "é",
                "日",
                "©",
                "👩",
                "\u{200D}",
                "\u{FE0F}",
                "\u{1F3FD}",
                "\u{E0100}",
                "\u{E0041}",
                "\u{202E}",
                "\u{FFFE}",
                "plain text of some length, ",
            ])
            .prop_map(|text| text.encode_utf16().collect()),
            prop::sample::select(vec![vec![0xD83D], vec![0xDE00]]),
            any::<char>().prop_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()),
        ];
        prop::collection::vec(part, 0..24)
            .prop_map(|parts: Vec<Vec<u16>>| JsString::from_utf16(parts.concat()))
    }

    fn profile() -> impl Strategy<Value = Profile> {
        prop::sample::select(vec![Profile::Plain, Profile::Hardened])
    }

    fn write(profile: Profile, text: JsStr<'_>) -> String {
        let mut out = String::new();
        profile.write_string(&mut out, text);
        out
    }

    fn boundaries(text: JsStr<'_>) -> impl DoubleEndedIterator<Item = usize> {
        (0..=text.len()).filter(move |at| text.is_boundary(*at))
    }

    proptest! {
        /// A JSON reader gets back the same string.
        #[test]
        fn nothing_is_lost(text in text(), profile in profile()) {
            let text = text.as_js_str();
            let read = json::parse(write(profile, text).as_bytes()).unwrap();
            prop_assert_eq!(read.as_string().unwrap().as_js_str(), text);
        }

        #[test]
        fn plain_is_json_without_tags(text in text()) {
            let expected = text.to_json().replace('<', "\\u003c");
            prop_assert_eq!(write(Profile::Plain, text.as_js_str()), expected);
        }

        #[test]
        fn sizes_are_those_of_the_writing(text in text(), profile in profile(), limit in 0_usize..300) {
            let text = text.as_js_str();
            let len = write(profile, text).len();
            prop_assert_eq!(profile.string_len(text), len);
            prop_assert_eq!(profile.escaped_len_within(text, limit), (len - 2 <= limit).then_some(len - 2));
        }

        #[test]
        fn the_longest_part_that_fits(text in text(), profile in profile(), limit in 0_usize..120) {
            let text = text.as_js_str();
            let fits = |part| profile.escaped_len(part) <= limit;
            let prefix = boundaries(text).rfind(|at| fits(text.slice(0..*at)));
            prop_assert_eq!(Some(profile.prefix_within(text, limit)), prefix);
            let suffix = boundaries(text).find(|at| fits(text.slice(*at..text.len())));
            prop_assert_eq!(Some(profile.suffix_within(text, limit)), suffix);
        }

        /// Long texts are measured in blocks; where those end makes no difference.
        #[test]
        fn blocks_do_not_show(text in text(), profile in profile(), before in 0_usize..1100, cut in 0_usize..4000) {
            let mut long = JsString::from("x".repeat(before));
            long.push(text.as_js_str());
            let filled = long.clone();
            long.push(filled.as_js_str());
            let long = long.as_js_str();
            let total = profile.escaped_len(long);
            prop_assert_eq!(write(profile, long).len(), total + 2);
            let cut = cut.min(total);
            let prefix = profile.prefix_within(long, cut);
            let next = long.ceil_boundary(prefix + 1);
            prop_assert!(profile.escaped_len(long.slice(0..prefix)) <= cut);
            prop_assert!(prefix == long.len() || profile.escaped_len(long.slice(0..next)) > cut);
            let suffix = profile.suffix_within(long, cut);
            let next = long.floor_boundary(suffix.saturating_sub(1));
            prop_assert!(profile.escaped_len(long.slice(suffix..long.len())) <= cut);
            prop_assert!(suffix == 0 || profile.escaped_len(long.slice(next..long.len())) > cut);
        }
    }

    #[test]
    fn a_cut_can_cost_more_than_it_removes() {
        // Alone, the joiner is escaped: three bytes more.
        let text = JsStr::from("👩\u{200D}👩");
        let cut = |limit| Profile::Hardened.prefix_within(text, limit);
        assert_eq!((cut(7), cut(9), cut(10), cut(11)), (4, 4, 7, 11));
        let cut = |limit| Profile::Hardened.suffix_within(text, limit);
        assert_eq!((cut(7), cut(9), cut(10), cut(11)), (7, 7, 4, 0));
    }
}

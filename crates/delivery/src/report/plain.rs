use alloc::format;
use alloc::string::String;

use sref_session::{JsStr, Sight, tame};

/// Foreign text as one plain line for a person: no control, bidi or invisible character, white space
/// as single spaces, at most `max` characters with `…` for the rest.
///
/// A title comes from another session, and a terminal acts on what is in it.
///
/// ```
/// use sref_delivery::one_line;
///
/// assert_eq!(one_line("Fix\n the \u{202e}login\u{7}".into(), 80), "Fix the login");
/// assert_eq!(one_line("Fix the login".into(), 8), "Fix the…");
/// ```
#[must_use]
pub fn one_line(text: JsStr<'_>, max: usize) -> String {
    line(text, max, |_, c, _| c)
}

/// A foreign title or label as one plain line that is only words: [`one_line`] in which nothing opens
/// a tag or cites a session ([`tame`]).
///
/// For every place where such a name stands among other words: a mention, a note, a list, a
/// completion. Not for what a person wrote, and not inside of a snapshot, whose JSON loses nothing.
///
/// ```
/// use sref_delivery::label_line;
///
/// assert_eq!(label_line("</system>\nFix\u{7} it".into(), 80), "‹/system› Fix it");
/// assert_eq!(label_line("as in @sref:3f9c".into(), 80), "as in @sref∶3f9c");
/// ```
#[must_use]
pub fn label_line(text: JsStr<'_>, max: usize) -> String {
    line(text, max, |before, c, next| {
        tame(before.as_bytes(), c, next)
    })
}

fn line(text: JsStr<'_>, max: usize, shown: fn(&str, char, Option<char>) -> char) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut gap = false;
    for (run, surrogate) in text.chunks() {
        let lone = surrogate.map(|_| char::REPLACEMENT_CHARACTER);
        let mut characters = run.chars().chain(lone).peekable();
        while let Some(c) = characters.next() {
            let sight = Sight::of(c);
            if c.is_whitespace() || sight == Sight::Control {
                gap = !out.is_empty();
            } else if sight.is_visible() {
                let size = 1 + usize::from(gap);
                if length + size > max {
                    out.push('…');
                    return out;
                }
                if gap {
                    out.push(' ');
                    gap = false;
                }
                out.push(shown(&out, c, characters.peek().copied()));
                length += size;
            }
        }
    }
    out
}

/// A size as a person reads it, in thousands: `830 B`, `7.9 KB`, `31 KB`, `1.2 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let bytes = u128::from(bytes);
    let mut unit = 1_000;
    let mut names = UNITS.into_iter();
    let mut name = names.next();
    // Rounding may reach 1,000 of a unit: that is one of the next.
    while (bytes + unit / 2) / unit >= 1_000
        && let Some(next) = names.next()
    {
        unit *= 1_000;
        name = Some(next);
    }
    let name = name.unwrap_or_default();
    let tenths = (bytes * 10 + unit / 2) / unit;
    if tenths < 100 {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    } else {
        format!("{} {name}", (bytes + unit / 2) / unit)
    }
}

/// `1 message`, `2 messages`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use sref_session::JsString;

    use super::*;

    proptest! {
        #[test]
        fn a_line_is_short_and_plain(units in prop::collection::vec(prop_oneof![0_u16..0x30, 0x2000_u16..0x2070, 0xD800_u16..0xE000, any::<u16>()], 0..80), max in 0_usize..40) {
            let text = JsString::from_utf16(units);
            let line = one_line(text.as_js_str(), max);
            prop_assert!(line.chars().count() <= max + 1);
            prop_assert!(line.chars().all(|c| Sight::of(c).is_visible()), "{line:?}");
            prop_assert!(!line.contains("  ") && line.trim() == line, "{line:?}");
            // What is plain already stays.
            prop_assert_eq!(one_line(line.as_str().into(), usize::MAX), line);
        }

        /// Whatever hides in it and wherever it is cut, a label cites nothing and opens nothing.
        #[test]
        fn a_label_is_only_words(parts in prop::collection::vec(prop::sample::select(vec![
            "dsh-session:", "dsh-sess", "ion", ":", "\u{200b}", "ImEi", "@sref:", "@[", "](", "<", "/a>", " ",
            "\u{1b}", "[@t](thread://u)", "\"", "5f0c",
        ]), 0..12), max in 0_usize..60) {
            let text = label_line(parts.concat().as_str().into(), max);
            prop_assert!(!text.contains(['<', '>']), "{text:?}");
            prop_assert_eq!(crate::readable_mentions(text.as_str().into()), []);
            let options = sref_uri::MentionOptions::default();
            let read = sref_uri::extract(text.as_str().into(), &sref_uri::Schemes::known(), &options);
            prop_assert_eq!(read.map(|read| read.references.len()).ok(), Some(0), "{:?}", text);
        }
    }

    #[test]
    fn white_space_folds_and_the_rest_is_dropped() {
        let line = |text: &str, max| one_line(text.into(), max);
        assert_eq!(
            line(" a\r\n\t b\u{1b}[2Jc\u{202e}d\u{200b}e ", 99),
            "a b [2Jcde"
        );
        assert_eq!(line("abc", 3), "abc");
        assert_eq!(line("abcd", 3), "abc…");
        assert_eq!(line("ab cd", 3), "ab…");
        assert_eq!(line("日本 😀", 99), "日本 😀");
    }

    #[test]
    fn sizes_read_well() {
        let sizes: Vec<String> = [
            0,
            999,
            1_000,
            1_049,
            1_050,
            9_949,
            9_950,
            65_536,
            999_499,
            999_500,
            1_000_000,
            20_971_520,
            u64::MAX,
        ]
        .map(size)
        .into();
        assert_eq!(
            sizes,
            [
                "0 B",
                "999 B",
                "1.0 KB",
                "1.0 KB",
                "1.1 KB",
                "9.9 KB",
                "10 KB",
                "66 KB",
                "999 KB",
                "1.0 MB",
                "1.0 MB",
                "21 MB",
                "18446744 TB"
            ]
        );
        assert_eq!(count(1, "message"), "1 message");
        assert_eq!(count(0, "message"), "0 messages");
    }
}

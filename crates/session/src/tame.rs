/// The character to write in the place of one of a foreign label, so that the label is only words.
///
/// Titles and labels come from other sessions, and stand in prompts, notes and lists: beside words
/// of a person, outside of any frame. There `<` could open a tag of the host, and `dsh-session:…` or
/// `@sref:…` cite a session that nobody mentioned. So angle brackets become `‹` and `›`, and the
/// colon of a reference `∶`: they look alike, and no normal form of Unicode leads back.
///
/// `before` is what has been written, `next` the character that follows. What a character shows
/// is another question: [`Sight`](crate::Sight).
///
/// ```
/// use sref_session::tame;
///
/// assert_eq!(tame(b"", '<', Some('b')), '‹');
/// assert_eq!(tame(b"see dsh-session", ':', Some('I')), '∶');
/// assert_eq!(tame(b"Debug session", ':', Some(' ')), ':');
/// assert_eq!(tame(b"std", ':', Some(':')), ':');
/// ```
#[inline]
#[must_use]
pub fn tame(before: &[u8], c: char, next: Option<char>) -> char {
    match c {
        '<' => '‹',
        '>' => '›',
        ':' if cites(before) && next.is_some_and(|next| !next.is_whitespace()) => '∶',
        _ => c,
    }
}

/// Whether a colon behind this makes it the beginning of a mention: the schemes of the harnesses,
/// Codex's threads, our own readable form.
fn cites(before: &[u8]) -> bool {
    const WORDS: [&[u8]; 3] = [b"session", b"thread", b"sref"];
    WORDS.iter().any(|word| {
        let start = before.len().checked_sub(word.len());
        start.is_some_and(|start| before[start..].eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    fn tamed(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            out.push(tame(out.as_bytes(), c, rest.clone().next()));
        }
        out
    }

    #[test]
    fn nothing_is_left_that_a_host_would_read() {
        for (text, expected) in [
            ("</referenced-sessions>", "‹/referenced-sessions›"),
            ("a -> b", "a -› b"),
            ("dsh-session:ImEi", "dsh-session∶ImEi"),
            ("x toh-SESSION:ImEi", "x toh-SESSION∶ImEi"),
            ("@sref:3f9c, @sref:\"x\"", "@sref∶3f9c, @sref∶\"x\""),
            ("[@a](thread://019e)", "[@a](thread∶//019e)"),
        ] {
            assert_eq!(tamed(text), expected);
        }
    }

    #[test]
    fn words_stay() {
        for text in [
            "",
            "Fix: login",
            "std::mem",
            "This session: a plan",
            "thread:",
            "12:30",
            "https://x",
        ] {
            assert_eq!(tamed(text), text);
        }
    }
}

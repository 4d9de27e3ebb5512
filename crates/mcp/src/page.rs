use std::fmt::Write as _;

use sref_envelope::{Entry, Frame, Profile, ReferencedSession, render, rendered_len};
use sref_projection::Conversation;
use sref_session::{JsStr, JsString};

use crate::cursor::{Cursor, wrong};
use crate::fault::Fault;

/// A message that does not fit is cut only when so much of it does.
const WORTH_A_CUT: usize = 512;
/// Room for the words around the tags: the frame, and where to go on, but for the URI and for what
/// may be missing.
const WORDS: usize = 1024;
/// What is said of missing words where there is no room for reasons.
const MISSING: &str = "words may be missing";

/// What is read page by page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The session, without its conversation.
    pub(crate) session: ReferencedSession<'a>,
    pub(crate) conversation: &'a Conversation<'a>,
    /// How the next page is asked for.
    pub(crate) uri: &'a str,
    /// That words may be missing, and why.
    pub(crate) missing: Option<&'a str>,
}

/// The page of at most `size` bytes that begins at a cursor.
///
/// Messages are whole as long as they fit; one that is larger than a page is cut at a line's end
/// where there is one near, and goes on on the next page.
///
/// # Errors
///
/// When the cursor is beyond the end, splits a character, or was given when other messages came
/// before it, and when not even an empty page fits.
pub(crate) fn page(
    source: &Source<'_>,
    cursor: Cursor,
    size: usize,
    profile: Profile,
) -> Result<String, Fault> {
    cursor.check(source.conversation)?;
    let items = source.conversation.items();
    let rest = items.get(cursor.message - 1..).unwrap_or_default();
    if rest.is_empty() && cursor != Cursor::START {
        return Err(wrong(
            "the session has no such message; it may have been compacted",
        ));
    }
    let mut session = source.session;
    let mut missing = source.missing;
    let least = |session: &ReferencedSession<'_>, missing: Option<&str>| {
        let words = WORDS + source.uri.len() + missing.map_or(0, str::len);
        words + rendered_len(session, profile) + WORTH_A_CUT
    };
    if least(&session, missing) > size {
        // A directory is worth less than the words, and so are reasons.
        session.cwd = None;
        if least(&session, missing) > size {
            missing = missing.map(|_| MISSING);
        }
    }
    let mut room = size
        .checked_sub(least(&session, missing))
        .ok_or_else(|| wrong_size(size))?
        + WORTH_A_CUT;
    let mut texts: Vec<JsString> = Vec::new();
    let mut next = None;
    for (number, item) in (cursor.message..).zip(rest) {
        let whole = item.text.to_js_string();
        let from = if number == cursor.message {
            cursor.byte
        } else {
            0
        };
        if from > 0 && (from >= whole.len() || !whole.as_js_str().is_boundary(from)) {
            return Err(wrong(
                "the message has no such part; it may have been compacted",
            ));
        }
        let text = whole.as_js_str().slice(from..whole.len());
        let around = Entry::new(item.role, "".into()).rendered_len(profile) + ",".len();
        let space = room.saturating_sub(around);
        if let Some(cost) = profile.escaped_len_within(text, space) {
            room -= around + cost;
            texts.push(text.to_js_string());
            continue;
        }
        let cut = if space >= WORTH_A_CUT || texts.is_empty() {
            cut(text, profile.prefix_within(text, space))
        } else {
            0
        };
        if cut > 0 {
            texts.push(text.slice(0..cut).to_js_string());
        }
        next = Some(Cursor::at(number, from + cut, source.conversation));
        break;
    }
    let shown = rest.iter().zip(&texts);
    let shown: Vec<Entry<'_>> = shown
        .map(|(item, text)| Entry::new(item.role, text.as_js_str()))
        .collect();
    session.conversation = &shown;
    let mut text = Frame::default().render(&[render(&session, profile)]);
    text.push_str("\n\n");
    text.push_str(&what_it_is(cursor, shown.len(), items.len(), next));
    if let Some(missing) = missing {
        let _ = write!(text, " Note that {missing}.");
    }
    match next {
        None if source.missing.is_some() => {
            text.push_str(" This is the end of what could be read of the session as it is now.");
        }
        None => text.push_str(" This is the end of the session as it is now."),
        Some(next) => {
            let uri = source.uri;
            text.push_str(" `session_read` returns what follows for ");
            let _ = write!(text, "{{\"uri\":\"{uri}\",\"cursor\":\"{next}\"}}.");
        }
    }
    Ok(text)
}

fn wrong_size(size: usize) -> Fault {
    Fault::argument(format!(
        "a page of {size} bytes is too small for this session"
    ))
}

/// Where a text that has to be cut is cut: behind the last line that is whole, unless that costs too
/// much.
fn cut(text: JsStr<'_>, most: usize) -> usize {
    let bytes = &text.as_wtf8()[..most];
    let line = bytes.iter().rposition(|byte| *byte == b'\n');
    line.map(|at| at + 1)
        .filter(|end| *end > most / 2)
        .unwrap_or(most)
}

/// What the page is: facts, outside of what is quoted.
fn what_it_is(from: Cursor, shown: usize, all: usize, next: Option<Cursor>) -> String {
    let mut out = match shown {
        0 => return format!("No message of {all} is above."),
        1 => format!("Message {} of {all} is above", from.message),
        _ => format!(
            "Messages {} to {} of {all} are above",
            from.message,
            from.message + shown - 1
        ),
    };
    let starts = (from.byte > 0).then(|| format!("the first from its byte {} on", from.byte));
    let ends = next
        .filter(|next| next.byte > 0)
        .map(|next| format!("the last up to its byte {}", next.byte));
    for part in [starts, ends].into_iter().flatten() {
        out.push_str(", ");
        out.push_str(&part);
    }
    out.push('.');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sref_projection::Item;
    use sref_session::Role;

    use super::*;

    /// Texts in which much has to be escaped, lone surrogates among it.
    fn text() -> impl Strategy<Value = JsString> {
        let part = prop::sample::select(vec![
            vec![0x61; 40],
            vec![0x61, 0x0A],
            vec![0x3C, 0x22],
            vec![0x65E5; 30],
            vec![0xD83D, 0xDC69, 0x200D, 0xD83D, 0xDC69],
            vec![0xD83D],
            vec![0xDC69],
            vec![0x202E, 0x00],
        ]);
        prop::collection::vec((part, 1_usize..60), 1..6).prop_map(|parts| {
            let parts = parts.into_iter().map(|(part, times)| part.repeat(times));
            JsString::from_utf16(parts.flatten())
        })
    }

    /// The cursor in the words of a page.
    fn next(page: &str) -> Option<Cursor> {
        let (_, after) = page.rsplit_once("\"cursor\":\"")?;
        Some(Cursor::parse(after.split_once('"').unwrap().0).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// No page is larger than asked, each goes on where the last one ended, and together they
        /// are everything.
        #[test]
        fn pages_are_small_and_lose_nothing(
            texts in prop::collection::vec(text(), 0..8),
            size in 5_600_usize..8_000,
            id in 1_usize..1_600,
            cwd in 0_usize..8_000,
            missing in prop::option::of(1_usize..900),
        ) {
            let items = texts.iter().zip([Role::User, Role::Assistant].into_iter().cycle());
            let items = items.map(|(text, role)| Item::new(role, text.as_js_str().into()));
            let conversation: Conversation<'_> = items.collect();
            let (id, cwd) = ("i".repeat(id), "d".repeat(cwd));
            let mut session = ReferencedSession::new(id.as_str().into(), "L".into(), &[]);
            session.cwd = Some(cwd.as_str().into());
            let uri = format!("dsh-session:{}", "u".repeat(id.len() * 4 / 3));
            let missing = missing.map(|length| "m".repeat(length));
            let missing = missing.as_deref();
            let source = Source { session, conversation: &conversation, uri: &uri, missing };
            let mut read = vec![JsString::new(); texts.len()];
            let mut cursor = Cursor::START;
            loop {
                let page = page(&source, cursor, size, Profile::Hardened).unwrap();
                prop_assert!(page.len() <= size, "{} of {size}", page.len());
                let reasons = missing.is_some_and(|own| page.contains(own));
                prop_assert!(missing.is_none() || reasons || page.contains(MISSING));
                let ends = page.contains("This is the end of");
                prop_assert_eq!(ends, next(&page).is_none());
                let whole = page.contains("This is the end of the session");
                prop_assert_eq!(whole, ends && missing.is_none());
                let (_, json) = page.split_once("<referenced-sessions>").unwrap();
                let (json, _) = json.split_once("</referenced-sessions>").unwrap();
                let json = sref_session::json::parse(json.as_bytes()).unwrap();
                let shown = json.as_array().unwrap()[0].get("conversation").unwrap();
                for (at, own) in shown.as_array().unwrap().iter().enumerate() {
                    let text = own.get("text").unwrap().as_string().unwrap();
                    read[cursor.message - 1 + at].push(text.as_js_str());
                }
                match next(&page) {
                    Some(next) => {
                        let goes_on = (next.message, next.byte) > (cursor.message, cursor.byte);
                        prop_assert!(goes_on, "{cursor} {next}");
                        cursor = next;
                    }
                    None => break,
                }
            }
            prop_assert_eq!(read, texts);
        }

        #[test]
        fn any_cursor_is_answered(text in "[0-9.]{0,12}", size in 0_usize..4_000) {
            let Ok(cursor) = Cursor::parse(&text) else { return Ok(()) };
            let items = [Item::new(Role::User, "ein Text".into())];
            let session = ReferencedSession::new("s".into(), "L".into(), &[]);
            let conversation = items.into_iter().collect();
            let source = Source { session, conversation: &conversation, uri: "dsh-session:x", missing: None };
            let made = page(&source, cursor, size, Profile::Plain);
            prop_assert!(made.is_err() || size > WORTH_A_CUT);
        }
    }
}

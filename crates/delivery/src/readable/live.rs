use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use sref_session::{Dialect, JsStr, JsString, SessionId};
use sref_uri::{MentionOptions, Schemes, SessionUri, extract, format_mention};

use super::Readable;
use super::scan::scan;

/// Finds the readable mentions of a text, in order.
///
/// What stands in Markdown code or in the label of a mention is quoted and none, by the rules of
/// [`sref_uri::extract`]. Linear in the text.
///
/// ```
/// use sref_delivery::{Request, readable_mentions};
///
/// let found = readable_mentions(r#"as in @sref:5f0c, not `@sref:abcd`; see @sref:"fix login""#.into());
/// assert_eq!(found.len(), 2);
/// assert_eq!(found[1].request, Request::Title("fix login".into()));
/// ```
#[must_use]
pub fn readable_mentions(text: JsStr<'_>) -> Vec<Readable> {
    let mut found = scan(text);
    if found.is_empty() {
        return found;
    }
    // Each is replaced by a URI that says its number, and those that come back as references are
    // not quoted: what is code and what is a label is decided in one place.
    let stand_in = |number: usize| SessionId::new(alloc::format!("readable mention {number}"));
    let mut probe = JsString::new();
    let mut done = 0;
    for (number, readable) in found.iter().enumerate() {
        probe.push(text.slice(done..readable.range.start));
        probe.push_str(SessionUri::new(stand_in(number), &Dialect::DSH).as_str());
        // Whatever follows is no part of the URI.
        probe.push_str(" ");
        done = readable.range.end;
    }
    probe.push(text.slice(done..text.len()));
    // A malformed mention spoils the text, and reading the text itself says where.
    let live = extract(
        probe.as_js_str(),
        &Schemes::default(),
        &MentionOptions::friendly(),
    )
    .unwrap_or_default();
    let live: BTreeSet<SessionId> = live
        .references
        .into_iter()
        .map(|own| own.session_id)
        .collect();
    let mut numbers = 0..;
    found.retain(|_| {
        numbers
            .next()
            .is_some_and(|number| live.contains(&stand_in(number)))
    });
    found
}

/// The text with canonical mentions in the places of readable ones: the form that every harness
/// reads, and the only one that is written.
///
/// Ranges are those of [`readable_mentions`] of this text, in order; what is not listed stays.
///
/// ```
/// use sref_delivery::{readable_mentions, rewrite};
/// use sref_session::{Dialect, SessionId};
///
/// let text = "as in @sref:5f0c, please".into();
/// let found = readable_mentions(text);
/// let named = [(found[0].range.clone(), SessionId::from("claude:5f0c"), Some("Login".into()))];
/// assert_eq!(
///     rewrite(text, &named, &Dialect::DSH),
///     "as in @[Login](dsh-session:ImNsYXVkZTo1ZjBjIg), please",
/// );
/// ```
#[must_use]
pub fn rewrite(
    text: JsStr<'_>,
    named: &[(Range<usize>, SessionId, Option<JsString>)],
    dialect: &Dialect,
) -> JsString {
    let mut out = JsString::new();
    let mut done = 0;
    for (range, id, label) in named {
        out.push(text.slice(done..range.start));
        let label = label.as_ref().map(JsString::as_js_str);
        out.push(format_mention(id, label, dialect).as_js_str());
        done = range.end;
    }
    out.push(text.slice(done..text.len()));
    out
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    fn live(text: &str) -> Vec<&str> {
        let found = readable_mentions(text.into());
        found
            .into_iter()
            .map(|readable| &text[readable.range])
            .collect()
    }

    #[test]
    fn code_and_labels_are_quoted() {
        assert_eq!(live("`@sref:a` @sref:b"), ["@sref:b"]);
        assert_eq!(live("```\n@sref:a\n```\n@sref:\"b c\"!"), ["@sref:\"b c\""]);
        assert_eq!(
            live("@[as in @sref:a](dsh-session:ImEi) @sref:b"),
            ["@sref:b"],
            "titles often are somebody's first prompt"
        );
        assert_eq!(
            live("[@`x`](thread://t) `[@x](thread://t)`"),
            ["[@`x`](thread://t)"]
        );
        assert_eq!(live("_@sref:a_ @sref:\"b\"c"), ["@sref:a", "@sref:\"b\""]);
        assert_eq!(
            live("@sref:dsh-session:ImEi dsh-session:ImIi"),
            ["@sref:dsh-session:ImEi"]
        );
    }

    #[test]
    fn a_malformed_mention_spoils_the_text() {
        assert_eq!(live("@sref:a @[x](dsh-session:y)"), [""; 0]);
    }

    #[test]
    fn rewritten_text_refers_to_what_was_named() {
        let text = "a @sref:x b [@t](thread://u) c @sref:\"gone\" d";
        let found = readable_mentions(text.into());
        let named = vec![
            (found[0].range.clone(), SessionId::from("one"), None),
            (
                found[1].range.clone(),
                SessionId::from("two"),
                Some("t]".into()),
            ),
        ];
        let text = rewrite(text.into(), &named, &Dialect::DSH);
        let read = extract(
            text.as_js_str(),
            &Schemes::default(),
            &MentionOptions::friendly(),
        );
        let read = read.unwrap();
        assert_eq!(read.text, "a @one b @t] c @sref:\"gone\" d");
        let ids: Vec<String> = read
            .references
            .iter()
            .map(|own| own.session_id.to_string())
            .collect();
        assert_eq!(ids, ["one", "two"]);
    }
}

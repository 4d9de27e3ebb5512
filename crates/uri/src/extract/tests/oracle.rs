//! The scanner against the pattern of `contract.md` §3.

use proptest::prelude::*;
use regex::Regex;
use sref_session::{Dialect, Placement};
use std::sync::LazyLock;

use super::*;
use crate::{SessionUri, format_mention};

/// What JavaScript means by `\s` and by the line terminators that `.` leaves out; Rust's patterns
/// mean something else by both.
const WHITE: &str =
    r"\t\n\x0B\f\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";
const LINE_END: &str = r"\n\r\u{2028}\u{2029}";

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let scheme = "(?:toh-session:|dsh-session:|sh-session:)";
    let mention =
        format!(r"@\[(?P<label>(?:\\[^{LINE_END}]|[^\]\\])*)\]\((?P<uri>{scheme}[^{WHITE})]*)\)");
    Regex::new(&format!("{mention}|{scheme}[A-Za-z0-9_-]+")).unwrap()
});

static ESCAPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"\\([^{LINE_END}])")).unwrap());

/// `sh-session:` stands inside `dsh-session:`.
static SCHEMES: LazyLock<Schemes> = LazyLock::new(|| {
    let inner = Dialect::new("sh-session:", Placement::After).unwrap();
    Schemes::new([&inner, &Dialect::TOH, &Dialect::DSH])
});

/// The rules by way of the pattern; quadratic.
fn by_pattern(text: &str) -> Option<(String, Vec<(String, String)>)> {
    let mut out = String::new();
    let mut references = Vec::new();
    let mut done = 0;
    for found in PATTERN.captures_iter(text) {
        let whole = found.get(0).unwrap();
        let uri = found.name("uri").unwrap_or(whole).as_str();
        let id = SessionUri::parse(uri.into(), &SCHEMES)
            .ok()?
            .id()
            .to_string();
        let label = match found.name("label") {
            Some(label) => ESCAPE.replace_all(label.as_str(), "$1").into_owned(),
            None => id.clone(),
        };
        out += &text[done..whole.start()];
        out += "@";
        out += &label;
        done = whole.end();
        references.push((id, label));
    }
    Some((out + &text[done..], references))
}

/// Text that looks like mentions often enough to reach every branch of the scanner.
fn near_mentions() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        6 => prop::sample::select(vec![
            "@[", "](", "]", ")", "\\", "dsh-session:", "toh-session:", "sh-session:", "ImEi", "@", "[", "(",
        ])
        .prop_map(String::from),
        3 => prop::sample::select(vec![
            "@[A](dsh-session:ImEi)", "dsh-session:IiI", "](toh-session:ImIi)", "@[x\\]", "@[\\\\](dsh-session:",
            "\\\n", "dsh-session:ImEi-", "_",
        ])
        .prop_map(String::from),
        2 => prop::sample::select(vec![
            ' ', '\t', '\n', '\r', '\u{B}', '\u{C}', '\u{1C}', '\u{85}', '\u{A0}', '\u{1680}', '\u{180E}',
            '\u{2000}', '\u{200A}', '\u{200B}', '\u{2028}', '\u{2029}', '\u{202F}', '\u{205F}', '\u{2060}',
            '\u{3000}', '\u{3001}', '\u{FEFF}', 'é', '日', '😀', '\u{E000}',
        ])
        .prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
        1 => "[A-Za-z0-9_-]{1,4}",
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn the_scanner_finds_what_the_pattern_finds(text in near_mentions()) {
        let found = extract(text.as_str().into(), &SCHEMES, &MentionOptions::default());
        let expected = by_pattern(&text);
        match (found, expected) {
            (Ok(found), Some((expected, references))) => {
                prop_assert_eq!(found.text.to_string(), expected);
                let own = found.references.iter();
                let own: Vec<_> = own.map(|own| (own.session_id.to_string(), own.label.to_string())).collect();
                prop_assert_eq!(own, references);
                prop_assert_eq!(found.left_as_text, vec![]);
            }
            (Err(error), None) => prop_assert!(text.is_char_boundary(error.offset())),
            (found, expected) => prop_assert!(false, "{:?} is not {:?}", found, expected),
        }
    }

    /// A lone surrogate is a character like others: with one in the place of U+E000, which has as
    /// many bytes, the same is found.
    #[test]
    fn a_lone_surrogate_is_like_another_character(text in near_mentions()) {
        let surrogates = |text: &JsString| -> JsString {
            let halve = |unit| if unit == 0xE000 { 0xDC00 } else { unit };
            JsString::from_utf16(text.utf16_units().map(halve))
        };
        let halved = surrogates(&text.as_str().into());
        prop_assert_eq!(halved.len(), text.len());
        let plain = extract(text.as_str().into(), &SCHEMES, &MentionOptions::default());
        let found = extract(halved.as_js_str(), &SCHEMES, &MentionOptions::default());
        prop_assert_eq!(found.is_ok(), plain.is_ok());
        if let (Ok(found), Ok(plain)) = (found, plain) {
            prop_assert_eq!(found.text, surrogates(&plain.text));
            prop_assert_eq!(found.references.len(), plain.references.len());
        }
    }

    /// Mentions of any ids by any labels are found between any other text.
    #[test]
    fn written_mentions_are_read(
        sessions in prop::collection::vec((crate::testing::units(), prop::option::of(crate::testing::units())), 0..4),
        // No `@`: it opens no label of its own.
        between in "[a-z \\[\\]()]{0,6}",
    ) {
        let mut text = JsString::from(between.as_str());
        let mut expected = text.clone();
        let mut references = Vec::new();
        for (id, label) in sessions {
            let id = SessionId::new(js(&id));
            let label = label.map(|label| js(&label));
            let written = format_mention(&id, label.as_ref().map(JsString::as_js_str), &Dialect::DSH);
            text.push_str(" ");
            text.push(written.as_js_str());
            text.push_str(&between);
            let label = label.unwrap_or_else(|| id.as_js_string().clone());
            expected.push_str(" @");
            expected.push(label.as_js_str());
            expected.push_str(&between);
            references.push(Reference::new(id, label));
        }
        let found = extract(text.as_js_str(), &Schemes::default(), &MentionOptions::default()).unwrap();
        prop_assert_eq!(found.text, expected);
        prop_assert_eq!(found.references, references);
    }
}

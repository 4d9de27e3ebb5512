use proptest::prelude::*;
use sref_session::JsString;

use super::*;

fn finds(search: Search, query: &str, text: &str) -> bool {
    let (query, text) = (JsString::from(query), JsString::from(text));
    Matcher::new(search, query.as_js_str()).matches(text.as_js_str())
}

fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => prop::sample::select("aBkKiIİßΣσςΑά'. 😀😁𐐀𐐨\u{301}\u{212A}".encode_utf16().collect::<Vec<_>>()),
        1 => 0xD83C_u16..0xD840,
        1 => 0xDC00_u16..0xDC04,
        1 => any::<u16>(),
    ];
    prop::collection::vec(unit, 0..12)
}

/// JavaScript's `toLowerCase`, unit by unit, written down without the machinery above.
fn lower(units: &[u16]) -> Vec<u16> {
    char::decode_utf16(units.iter().copied())
        .collect::<Vec<_>>()
        .chunk_by(|a, b| a.is_ok() && b.is_ok())
        .flat_map(|run| match run {
            [Err(lone)] => vec![lone.unpaired_surrogate()],
            run => {
                let text: String = run.iter().flatten().collect();
                text.to_lowercase().encode_utf16().collect()
            }
        })
        .collect()
}

proptest! {
    /// `text.toLowerCase().includes(query.toLowerCase())` on UTF-16 units.
    #[test]
    fn lowercase_search_is_javascripts(query in units(), text in units(), cut in any::<prop::sample::Index>(), within in any::<bool>()) {
        // Half of the queries are cut from the text, or next to nothing would be found.
        let query = if within { text[cut.index(text.len() + 1)..].iter().copied().take(4).collect() } else { query };
        let expected = {
            let (query, text) = (lower(&query), lower(&text));
            query.is_empty() || text.windows(query.len()).any(|window| window == query)
        };
        let (query, text) = (JsString::from_utf16(query), JsString::from_utf16(text));
        let found = Matcher::new(Search::Lowercase, query.as_js_str()).matches(text.as_js_str());
        prop_assert_eq!(found, expected, "{:?} in {:?}", query, text);
    }

    /// What a matcher saw before has no influence.
    #[test]
    fn a_matcher_forgets(query in units(), texts in prop::collection::vec(units(), 0..4)) {
        let query = JsString::from_utf16(query);
        let mut used = Matcher::new(Search::Lowercase, query.as_js_str());
        for text in texts {
            let text = JsString::from_utf16(text);
            let fresh = Matcher::new(Search::Lowercase, query.as_js_str()).matches(text.as_js_str());
            prop_assert_eq!(used.matches(text.as_js_str()), fresh);
        }
    }
}

#[test]
fn lowercase_keeps_what_the_reference_keeps_apart() {
    for (query, text, expected) in [
        ("index", "日本 INDEX", true),
        ("παρις", "ΠΑΡΙΣ", true),
        // Final sigma: a prefix of a Greek word is not found in the whole word.
        ("ΠΑΡΙΣ", "ΠΑΡΙΣΙ", false),
        ("istanbul", "İstanbul", false),
        ("masse", "Maße", false),
        ("k2", "\u{212A}2", true),
        ("", "anything", true),
    ] {
        assert_eq!(
            finds(Search::Lowercase, query, text),
            expected,
            "{query} in {text}"
        );
    }
}

#[test]
fn a_match_is_within_one_text() {
    let found = |texts: &[&str]| {
        let query = JsString::from("bc");
        let texts: Vec<_> = texts.iter().map(|text| JsString::from(*text)).collect();
        let texts = texts.iter().map(JsString::as_js_str);
        Matcher::new(Search::Lowercase, query.as_js_str()).matches_any(texts)
    };
    assert!(found(&["x", "abcd"]) && found(&["bc", "x"]));
    assert!(!found(&["ab", "cd"]) && !found(&["b", "", "c"]) && !found(&[]));
}

#[test]
fn half_a_pair_is_found_in_the_whole() {
    for half in [0xD83D, 0xDE00] {
        let query = JsString::from_utf16([half]);
        let text = JsString::from("x😀y");
        assert!(Matcher::new(Search::Lowercase, query.as_js_str()).matches(text.as_js_str()));
    }
}

#[cfg(feature = "folding")]
mod folding {
    use super::*;

    #[test]
    fn folding_finds_what_a_person_expects() {
        for (query, text) in [
            ("ΠΑΡΙΣ", "Παρίσι"),
            ("ΠΑΡΙΣ", "ΠΑΡΙΣΙ"),
            ("istanbul", "İSTANBUL"),
            ("MASSE", "Maße"),
            ("ﬁnal", "FINAL"),
            ("cafe", "café"),
            ("café", "cafe\u{301}"),
            ("ＡＢＣ", "abc"),
            ("tel", "℡"),
            ("𝐀𝐁", "ab"),
            ("ｶﾞｰﾄﾞ", "ガード"),
            ("하", "한국"),
            // One or two characters inside a run, and beside Latin ones.
            ("付", "支付回调重复扣款"),
            ("重复", "支付回调重复扣款"),
            ("api回", "支付API回调"),
            ("ẞ", "straße"),
            ("ß", "STRASSE"),
        ] {
            assert!(finds(Search::Folding, query, text), "{query} in {text}");
        }
        // Voicing is another syllable, not an accent.
        assert!(!finds(Search::Folding, "が", "か"));
        assert!(!finds(Search::Folding, "ｶﾞ", "カ"));
    }

    #[test]
    fn trailing_separators_do_not_count_but_a_root_does() {
        for (a, b, same) in [
            ("/proj", "/proj//", true),
            ("C:\\proj\\", "C:\\proj", true),
            ("/", "//", true),
            ("/", "", false),
            ("", "", true),
            ("/proj", "/proj2", false),
        ] {
            let (a, b) = (JsString::from(a), JsString::from(b));
            assert_eq!(Search::Folding.same_directory(&a, &b), same, "{a} {b}");
            assert_eq!(Search::Lowercase.same_directory(&a, &b), a == b);
        }
    }

    proptest! {
        /// Whatever the lower-case search finds as plain letters, folding finds too.
        #[test]
        fn folding_ignores_case(text in "\\PC{0,12}") {
            prop_assert!(finds(Search::Folding, &text.to_lowercase(), &text));
            prop_assert!(finds(Search::Folding, &text, &text.to_lowercase()));
        }
    }
}

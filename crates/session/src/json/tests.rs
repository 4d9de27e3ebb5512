//! Tests of the scanner and of the tree that is built on it.

use proptest::prelude::*;
use std::fmt::Write as _;
use std::prelude::v1::*;

use super::{JsonErrorKind, Scanner};
use crate::JsString;
use crate::json::{Value, parse};

fn near_json() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\"a\"",
        "\"\\u00e9\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\ude00\"",
        "0",
        "-1.5e3",
        "1e400",
        "01",
        "true",
        "null",
        "fals",
        "\"",
        "\\",
        "\t",
        "{\"k\":1}",
        "[[[]]]",
        "\"日本\"",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// A model of the grammar that shares nothing with the scanner: `serde_json`'s, which differs
/// only where JavaScript is laxer.
fn oracle(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

proptest! {
    #[test]
    fn accepts_what_json_accepts(text in near_json()) {
        let skipped = {
            let mut scanner = Scanner::new(text.as_bytes());
            scanner.skip_value().and_then(|_| scanner.finish())
        };
        prop_assert_eq!(skipped.is_ok(), oracle(&text), "{}", text);
        // The tree is built from the same steps, and prints back to an equal tree.
        let tree = parse(text.as_bytes());
        prop_assert_eq!(tree.is_ok(), skipped.is_ok());
        if let Ok(tree) = tree {
            prop_assert_eq!(parse(tree.to_json().as_bytes()).unwrap(), tree);
        }
    }

    /// Whatever the blocks and words of the inner loops, the first special byte ends a run.
    #[test]
    fn long_strings_end_where_they_end(
        before in 0_usize..200,
        special in prop::sample::select(vec!["\"", "\\n", "\\u00e9", "\\q", "\\u12", "\u{1f}", "\\", "é", ""]),
        after in 0_usize..80,
    ) {
        let text = format!("[\"{}{special}{}\",1]", "x".repeat(before), "y".repeat(after));
        let mut scanner = Scanner::new(text.as_bytes());
        let skipped = scanner.skip_value().and_then(|_| scanner.finish());
        prop_assert_eq!(skipped.is_ok(), oracle(&text), "{}", text);
    }

    /// Escapes and quotes wherever they stand in a block, and across its ends.
    #[test]
    fn escapes_are_told_from_ends(
        before in 0_usize..70,
        pieces in prop::collection::vec(prop_oneof![
            9 => prop::sample::select(vec![
                "x", "plain text", "\\n", "\\\"", "\\\\", "\\u00e9", ",", "日本", "\u{7f}",
            ]),
            1 => prop::sample::select(vec!["\"", "\\", "\\q", "\\u12", "\\u12\"4", "\\\n", "\u{1f}"]),
        ], 0..40),
    ) {
        let text = format!("[\"{}{}\",1]", "x".repeat(before), pieces.concat());
        let mut scanner = Scanner::new(text.as_bytes());
        let skipped = scanner.skip_value().and_then(|_| scanner.finish());
        prop_assert_eq!(skipped.is_ok(), oracle(&text), "{}", text);
        if skipped.is_ok() {
            let own = parse(text.as_bytes()).unwrap();
            let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
            let own = own.as_array().unwrap()[0].as_string().unwrap().to_string_lossy();
            prop_assert_eq!(Some(&*own), theirs[0].as_str());
        }
    }

    /// Runs of short strings are counted whatever they say, and whatever stands between them.
    #[test]
    fn short_strings_are_counted(items in prop::collection::vec(prop_oneof![
        40 => prop::sample::select(vec![
            "\"a\"", "\"\"", "\" the\"", "\",\"", "\"\\\",\"", "\"\\\",\\\"\"", "\"\\\\\"", "\"\\u0022\"",
            "\"more than eight bytes\"", "\"seven b\"", "\"eight by\"", "\"日本\"",
        ]),
        1 => prop::sample::select(vec!["1", " \"b\"", "\"c\" ", "\"\\\"", "\"\u{1f}\"", "\"a\"\"b\"", "\"a\" \"b\""]),
    ], 0..40)) {
        let text = format!("[{}]", items.join(","));
        let mut scanner = Scanner::new(text.as_bytes());
        let count = scanner.strings().and_then(|count| scanner.finish().map(|()| count));
        prop_assert_eq!(count.is_ok(), oracle(&text), "{}", text);
        if let Ok(count) = count {
            let all: Result<Vec<String>, _> = serde_json::from_str(&text);
            prop_assert_eq!(count, all.ok().map(|all| all.len() as u64), "{}", text);
        }
    }

    /// The loops over arrays of scalars see what the tree has.
    #[test]
    fn arrays_of_scalars_are_what_the_tree_says(
        items in prop::collection::vec(prop::sample::select(vec![
            "1", "0", "-7", "01", "123456789012345", "1234567890123456", "1.0", "1.5", "1e400", " 2 ",
            "\"a\"", "\"\\n\"", " \"b\"", "\"c\" ", "null", "[]", "{\"a\":[1]}", "",
        ]), 0..6),
        whole in prop::bool::weighted(0.9),
    ) {
        let text = format!("[{}{}", items.join(","), if whole { "]" } else { "" });
        let tree = parse(text.as_bytes());
        let items = tree.as_ref().map(|tree| tree.as_array().unwrap().to_vec()).unwrap_or_default();

        let mut scanner = Scanner::new(text.as_bytes());
        let strings = scanner.strings().and_then(|count| scanner.finish().map(|()| count));
        let all = items.iter().all(|item| item.as_string().is_some());
        let expected = all.then_some(items.len() as u64);
        prop_assert_eq!(strings.ok(), tree.is_ok().then_some(expected), "{}", text);

        let mut seen = Vec::new();
        let mut scanner = Scanner::new(text.as_bytes());
        let integers = scanner
            .integers(|integer| seen.push(integer))
            .and_then(|all| scanner.finish().map(|()| all));
        let expected: Vec<_> = items.iter().filter_map(Value::as_safe_integer).collect();
        let all = expected.len() == items.len();
        prop_assert_eq!(integers.ok(), tree.is_ok().then_some(all), "{}", text);
        if tree.is_ok() {
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn strings_round_trip(units in prop::collection::vec(prop_oneof![0xD7F0_u16..0xE010, 0_u16..0x80, any::<u16>()], 0..40)) {
        let text = JsString::from_utf16(units);
        let read = parse(text.to_json().as_bytes()).unwrap();
        prop_assert_eq!(read.as_string(), Some(&text));
        // Escaped unit by unit it reads the same.
        let mut escaped = String::new();
        for unit in text.utf16_units() {
            write!(escaped, "\\u{unit:04X}").unwrap();
        }
        let read = parse(format!("\"{escaped}\"").as_bytes()).unwrap();
        prop_assert_eq!(read.as_string(), Some(&text));
    }
}

#[test]
fn nesting_is_unlimited_for_a_scanner_and_bounded_for_a_tree() {
    let mut deep = "[".repeat(1_000_000);
    deep.push_str(&"]".repeat(1_000_000));
    let mut scanner = Scanner::new(deep.as_bytes());
    assert_eq!(scanner.skip_value(), Ok(0..2_000_000));
    assert_eq!(
        parse(deep.as_bytes()).unwrap_err().kind(),
        JsonErrorKind::TooDeep
    );
    let mixed = format!("{}1{}", "[{\"a\":".repeat(200), "}]".repeat(200));
    assert_eq!(
        Scanner::new(mixed.as_bytes()).skip_value(),
        Ok(0..mixed.len())
    );
}

#[test]
fn ill_formed_utf8_is_text_in_a_string_and_an_error_outside() {
    let read = parse(b"\"a\xF0\x9Fb\xED\xA0\x80\"").unwrap();
    assert_eq!(
        read.as_string().unwrap(),
        "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}"
    );
    assert!(parse(b"\xEF\xBB\xBF1").is_err());
}

#[test]
fn last_of_equal_keys_wins_at_the_place_of_the_first() {
    let value = parse(br#"{"b":1,"a":2,"b":3,"b":4}"#).unwrap();
    assert_eq!(value.to_json(), r#"{"b":4,"a":2}"#);
    assert_eq!(value, parse(br#"{"a":2.0,"b":4e0}"#).unwrap());
}

#[test]
fn safe_integers_are_those_of_javascript() {
    let read = |text: &str| parse(text.as_bytes()).unwrap().as_safe_integer();
    for (text, expected) in [
        ("1.0", Some(1)),
        ("10e-1", Some(1)),
        ("-0", Some(0)),
        ("1.5", None),
        ("1e400", None),
        ("9007199254740991", Some((1 << 53) - 1)),
        ("9007199254740992", None),
        ("-9007199254740992", None),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    assert_eq!(parse(b"true").unwrap(), Value::Bool(true));
}

/// Quadratic, this would take minutes: every escape after a lone surrogate used to check the whole
/// text again.
#[test]
fn a_lone_surrogate_keeps_decoding_and_appending_linear() {
    let long = format!("{}\\ud83d{}", "x".repeat(4_000_000), "a\\n".repeat(200_000));
    let read = parse(format!("\"{long}\"").as_bytes()).unwrap();
    let mut text = read.as_string().unwrap().clone();
    assert_eq!(text.len(), 4_000_003 + 400_000);
    for _ in 0..200_000 {
        text.push("b".into());
    }
    assert_eq!(text.len(), 4_000_003 + 600_000);
    assert_eq!(text.as_str(), None);
}

/// What breaks the grammar first is what is told, however the bytes are passed.
#[test]
fn the_first_fault_of_a_string_counts() {
    let long = "x".repeat(200);
    for (json, kind, offset) in [
        (
            format!("\"\\n{long}\u{1}{long}\\q\""),
            JsonErrorKind::Control,
            203,
        ),
        (
            format!("\"\\n{long}\\q{long}\u{1}\""),
            JsonErrorKind::Escape,
            203,
        ),
        (
            format!("\"\\n{long}\u{1}{long}"),
            JsonErrorKind::Control,
            203,
        ),
        (format!("\"\\n{long}"), JsonErrorKind::End, 203),
        (format!("\"{long}\n\""), JsonErrorKind::Control, 201),
    ] {
        let error = Scanner::new(json.as_bytes()).skip_value().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{json:?}");
    }
}

/// Ill-formed bytes beside escapes are mended as in a text without any.
#[test]
fn ill_formed_bytes_beside_escapes_are_mended() {
    for (json, text) in [
        (&b"\"\xF0\x9F\\n\xFF\""[..], "\u{FFFD}\n\u{FFFD}"),
        (b"\"\xC3\\u00e9\xA9\"", "\u{FFFD}\u{E9}\u{FFFD}"),
    ] {
        assert_eq!(Scanner::new(json).string().unwrap().decode(), *text);
    }
}

#[test]
fn simple_escapes_are_strings_and_short_numbers_integers() {
    let count = |json: &'static str| Scanner::new(json.as_bytes()).strings();
    assert_eq!(count(r#"["\\n","a\"b","\\","\u0041","c"]"#), Ok(Some(5)));
    assert!(count(r#"["\x"]"#).is_err() && count(r#"["a\"]"#).is_err());
    let integers = |json: &'static str| {
        let mut all = Vec::new();
        let whole = Scanner::new(json.as_bytes()).integers(|integer| all.push(integer));
        whole.map(|whole| whole.then_some(all))
    };
    assert_eq!(
        integers("[0,7,42,999,1000,-1,10 ,0]"),
        Ok(Some(vec![0, 7, 42, 999, 1000, -1, 10, 0]))
    );
    assert!(integers("[01]").is_err() && integers("[1,]").is_err() && integers("[12").is_err());
}

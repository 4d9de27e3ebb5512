//! The rules that all harnesses share (`contract.md` §3).

use super::*;
use crate::UriErrorKind;

const SEED: MentionOptions = MentionOptions {
    readable_labels: false,
    lenient_bare: false,
    quoted_code: false,
};

#[track_caller]
fn refused(text: &str, kind: UriErrorKind, offset: usize) {
    let error = read(text, SEED).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
}

#[test]
fn the_default_is_the_seeds_rules() {
    assert_eq!(MentionOptions::default(), SEED);
}

#[test]
fn references_are_replaced_in_order_duplicates_included() {
    let text = "dsh-session:ImIi, @[x](dsh-session:ImEi)@[](dsh-session:ImEi) dsh-session:ImIi)";
    let expected = "@b, @x@ @b)";
    check(SEED, text, expected, &["b=b", "a=x", "a=", "b=b"]);
}

#[test]
fn a_word_without_payload_is_text() {
    for text in [
        "dsh-session:",
        "dsh-session: x",
        "dsh-session:=",
        "DSH-SESSION:ImEi",
        "dsh-sessio",
    ] {
        check(SEED, text, text, &[]);
    }
    refused("@[A](dsh-session:)", UriErrorKind::Payload, 17);
}

#[test]
fn the_first_alternative_comes_first_and_what_matched_is_passed() {
    check(
        SEED,
        "@[dsh-session:ImIi](dsh-session:ImEi)",
        "@dsh-session:ImIi",
        &["a=dsh-session:ImIi"],
    );
    check(
        SEED,
        "@[x @[A](dsh-session:ImEi)](dsh-session:ImIi)",
        "@x @[A](@b)",
        &["a=x @[A", "b=b"],
    );
    check(SEED, "@[x] @[A](dsh-session:ImEi)", "@[x] @A", &["a=A"]);
    check(
        SEED,
        "@[x dsh-session:ImIi @[A](dsh-session:ImEi)",
        "@x dsh-session:ImIi @[A",
        &["a=x dsh-session:ImIi @[A"],
    );
    // The label never closes, so the bare alternative has its turn inside it.
    check(SEED, "@[x dsh-session:ImIi", "@[x @b", &["b=b"]);
    check(SEED, "@[x dsh-session:ImIi] y", "@[x @b] y", &["b=b"]);
}

#[test]
fn a_target_has_no_white_space_and_closes() {
    check(
        SEED,
        "@[A](dsh-session:ImEi \"t\")",
        "@[A](@a \"t\")",
        &["a=a"],
    );
    check(SEED, "@[A](dsh-session:ImEi", "@[A](@a", &["a=a"]);
    check(SEED, "@[A] (dsh-session:ImEi)", "@[A] (@a)", &["a=a"]);
    check(SEED, "[A](dsh-session:ImEi)", "[A](@a)", &["a=a"]);
    // U+0085 and U+200B are not white space in JavaScript.
    refused("@[A](dsh-session:ImEi\u{85})", UriErrorKind::Payload, 21);
    refused("@[A](dsh-session:ImEi\u{200B}x)", UriErrorKind::Payload, 21);
    check(
        SEED,
        "@[A](dsh-session:ImEi\u{FEFF})",
        "@[A](@a\u{FEFF})",
        &["a=a"],
    );
}

#[test]
fn labels_are_unescaped_and_may_have_any_characters() {
    check(
        SEED,
        r"@[a\]\\\n](dsh-session:ImEi)",
        r"@a]\n",
        &[r"a=a]\n"],
    );
    check(
        SEED,
        "@[two\nlines](dsh-session:ImEi)",
        "@two\nlines",
        &["a=two\nlines"],
    );
    check(
        SEED,
        "@[a\\\nb](dsh-session:ImEi)",
        "@[a\\\nb](@a)",
        &["a=a"],
    );
    check(SEED, r"@[a\](dsh-session:ImEi)", r"@[a\](@a)", &["a=a"]);
    check(SEED, r"\@[a](dsh-session:ImEi)", r"\@a", &["a=a"]);
    // What spoils one label ends it: another may open behind it.
    check(SEED, "@[a\\\n@[b](dsh-session:ImEi)", "@[a\\\n@b", &["a=b"]);
}

#[test]
fn the_first_bad_match_fails_the_text() {
    refused(
        "ä dsh-session:ImEi dsh-session:abc dsh-session:?",
        UriErrorKind::Utf8,
        33,
    );
    refused(
        "@[A](dsh-session:ImEi) @[A](dsh-session:ImEi%)",
        UriErrorKind::Payload,
        44,
    );
    refused("_dsh-session:ImEi_", UriErrorKind::Base64, 18);
    refused("dsh-session:dsh-session:ImEi", UriErrorKind::Base64, 22);
}

#[test]
fn several_schemes_at_once() {
    let text = "@[x](toh-session:ImEi) hydra-session:ImIi dsh-session:ImMi";
    let all = extract(text.into(), &Schemes::known(), &SEED).unwrap();
    assert_eq!(all.text, "@x @b @c");
    let own = read(text, SEED).unwrap();
    assert_eq!(own.text, "@[x](toh-session:ImEi) hydra-session:ImIi @c");
    let none = extract(text.into(), &Schemes::new([]), &SEED).unwrap();
    assert_eq!(none.text, *text);
}

#[test]
fn a_scheme_inside_another_does_not_count() {
    let short = sref_session::Dialect::new("session:", sref_session::Placement::After).unwrap();
    let schemes = Schemes::new([&short, &sref_session::Dialect::DSH]);
    let found = extract("dsh-session:ImEi session:ImIi".into(), &schemes, &SEED).unwrap();
    assert_eq!(found.text, "@a @b");
}

#[test]
fn lone_surrogates_go_through_and_halves_that_meet_join() {
    let mut text = js(&[0xDC00]);
    text.push_str("@[");
    text.push(js(&[0x78, 0xD83D]).as_js_str());
    text.push_str("](dsh-session:ImEi)");
    text.push(js(&[0xDE00, 0xD800]).as_js_str());
    let found = extract(text.as_js_str(), &Schemes::default(), &SEED).unwrap();
    assert_eq!(
        found.text,
        js(&[0xDC00, 0x40, 0x78, 0xD83D, 0xDE00, 0xD800])
    );
    assert_eq!(found.references[0].label, js(&[0x78, 0xD83D]));
}

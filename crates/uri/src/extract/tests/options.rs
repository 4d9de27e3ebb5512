//! What each option changes, and that it changes nothing else.

use super::*;
use crate::UriErrorKind;

const OFF: MentionOptions = MentionOptions {
    readable_labels: false,
    lenient_bare: false,
    quoted_code: false,
};
const READABLE: MentionOptions = OFF.with_readable_labels(true);
const LENIENT: MentionOptions = OFF.with_lenient_bare(true);
const QUOTED: MentionOptions = OFF.with_quoted_code(true);

#[test]
fn friendly_is_everything() {
    let all = OFF
        .with_readable_labels(true)
        .with_lenient_bare(true)
        .with_quoted_code(true);
    assert_eq!(MentionOptions::friendly(), all);
}

#[test]
fn readable_labels_are_whole_in_the_record() {
    let label = format!("two\nlines\u{202E}{}", "x".repeat(200));
    let text = format!("see @[{label}](dsh-session:ImEi).");
    let shown = format!("see @two lines {}….", "x".repeat(110));
    check(READABLE, &text, &shown, &[&format!("a={label}")]);
    check(
        OFF,
        &text,
        &format!("see @{label}."),
        &[&format!("a={label}")],
    );
    // An id is a label like others: this one is `a`, LF, `b`.
    check(READABLE, "dsh-session:ImFcbmIi", "@a b", &["a\nb=a\nb"]);
    // Text that is no label stays as it is.
    check(
        READABLE,
        "\u{202E}\n@[x](dsh-session:ImEi)",
        "\u{202E}\n@x",
        &["a=x"],
    );
}

#[test]
fn a_bare_uri_gives_marks_back() {
    check(
        LENIENT,
        "_dsh-session:ImEi_ --dsh-session:ImEi--",
        "_@a_ --@a--",
        &["a=a", "a=a"],
    );
    check(LENIENT, "dsh-session:ImEi_-_-.", "@a_-_-.", &["a=a"]);
    // Only marks go back, and only those at the end.
    let found = check(
        LENIENT,
        "dsh-session:ImEi-based",
        "dsh-session:ImEi-based",
        &[],
    );
    assert_eq!(found.left_as_text.len(), 1);
    assert!(read("_dsh-session:ImEi_", OFF).is_err());
}

#[test]
fn a_bare_uri_that_cannot_be_read_is_text() {
    let text = "what does dsh-session:abc mean? https://h/dsh-session:abc_, dsh-session:ImEi";
    let expected = "what does dsh-session:abc mean? https://h/dsh-session:abc_, @a";
    let found = check(LENIENT, text, expected, &["a=a"]);
    assert_eq!(left(text, &found), ["dsh-session:abc", "dsh-session:abc_"]);
    let LeftReason::Invalid(error) = found.left_as_text[0].reason else {
        unreachable!("{:?}", found.left_as_text);
    };
    assert_eq!((error.kind(), error.offset()), (UriErrorKind::Utf8, 23));
}

#[test]
fn what_was_taken_for_a_payload_may_hold_a_uri() {
    let text = "dsh-session:dsh-session:ImEi";
    let found = check(LENIENT, text, "dsh-session:@a", &["a=a"]);
    assert_eq!(left(text, &found), ["dsh-session:dsh-session"]);
}

#[test]
fn a_mention_is_never_lenient() {
    for text in [
        "@[A](dsh-session:abc)",
        "@[A](dsh-session:)",
        "@[A](dsh-session:ImEi_)",
    ] {
        assert!(read(text, MentionOptions::friendly()).is_err(), "{text}");
    }
}

#[test]
fn code_spans_and_fences_are_quoted() {
    let text = "`@[A](dsh-session:ImEi)` @[B](dsh-session:ImIi) ``x ` dsh-session:ImEi``";
    let found = check(
        QUOTED,
        text,
        "`@[A](dsh-session:ImEi)` @B ``x ` dsh-session:ImEi``",
        &["b=B"],
    );
    assert_eq!(left(text, &found), ["dsh-session:ImEi", "dsh-session:ImEi"]);
    assert!(
        found
            .left_as_text
            .iter()
            .all(|own| own.reason == LeftReason::Code)
    );

    let text = "```\n@[A](dsh-session:abc)\n```\n@[B](dsh-session:ImIi)";
    let found = check(
        QUOTED,
        text,
        "```\n@[A](dsh-session:abc)\n```\n@B",
        &["b=B"],
    );
    assert_eq!(left(text, &found), ["dsh-session:abc"]);
    assert!(read(text, OFF).is_err());
}

#[test]
fn what_is_not_code_is_not_quoted() {
    for (text, expected) in [
        ("` @[A](dsh-session:ImEi)", "` @A"),
        (r"\`@[A](dsh-session:ImEi)`", r"\`@A`"),
        ("` x\n\ny @[A](dsh-session:ImEi) `", "` x\n\ny @A `"),
        ("`x`@[A](dsh-session:ImEi)`y`", "`x`@A`y`"),
        ("    @[A](dsh-session:ImEi)", "    @A"),
    ] {
        let found = check(QUOTED, text, expected, &["a=A"]);
        assert_eq!(found.left_as_text, []);
    }
}

#[test]
fn a_label_with_backticks_is_a_label() {
    check(
        QUOTED,
        "@[a `b` c](dsh-session:ImEi)",
        "@a `b` c",
        &["a=a `b` c"],
    );
    // By the span that would open in its label the mention would be gone, picked from a list and all.
    let text = "@[it`s](dsh-session:ImEi) and `dsh-session:ImIi` and dsh-session:ImIi";
    let expected = "@it`s and `dsh-session:ImIi` and @b";
    check(QUOTED, text, expected, &["a=it`s", "b=b"]);
    check(
        QUOTED,
        "@[`](dsh-session:ImEi) @[`](dsh-session:ImIi)",
        "@` @`",
        &["a=`", "b=`"],
    );
    // Nor by a fence.
    let text = "@[fix\n```\nit](dsh-session:ImEi) and dsh-session:ImIi";
    check(
        QUOTED,
        text,
        "@fix\n```\nit and @b",
        &["a=fix\n```\nit", "b=b"],
    );
}

#[test]
fn a_mention_in_code_is_quoted_whatever_opens_before_it() {
    for text in [
        "@[todo `@[A](dsh-session:ImEi)`",
        "@[todo\n```\n@[A](dsh-session:ImEi)\n```",
        "`@[` and `](dsh-session:ImEi)`",
    ] {
        let found = check(QUOTED, text, text, &[]);
        assert_eq!(left(text, &found), ["dsh-session:ImEi"], "{text}");
    }
    // What opens in code opens nothing outside.
    check(
        QUOTED,
        "`@[` is how. See @[A](dsh-session:ImEi)",
        "`@[` is how. See @A",
        &["a=A"],
    );
    // A bare URI before the mention that code rejects has its own turn.
    let text = "@[x dsh-session:ImIi `@[A](dsh-session:ImEi)` @[C](dsh-session:ImMi)";
    let expected = "@[x @b `@[A](dsh-session:ImEi)` @C";
    check(QUOTED, text, expected, &["b=b", "c=C"]);
}

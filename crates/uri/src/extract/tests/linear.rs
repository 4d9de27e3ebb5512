//! The linear promise, by counting the bytes that searches look at.

use proptest::prelude::*;

use super::*;
use crate::work;

/// No text makes the searches look at a byte more often than this, on the average: once for each
/// scheme, for `@[`, for labels, targets and payloads; with code also for lines, indentation,
/// backticks, and a label that is looked through for code.
const AT_MOST: usize = 7 + SCHEMES;
/// A search for each known scheme.
const SCHEMES: usize = 5;

fn work(text: &str, options: MentionOptions) -> usize {
    work::of(|| extract(text.into(), &Schemes::known(), &options))
}

/// Texts that are dear to a naive reader, of about `n` pieces.
fn hostile(n: usize) -> Vec<(&'static str, String)> {
    let runs = |count: usize| (1..count).map(|len| "`".repeat(len) + " ");
    // `n` backticks in runs of different lengths.
    let lengths = n.isqrt();
    let item_lines = "- ".repeat(n) + "x\n" + &"\n".repeat(n);
    vec![
        ("opens", "@[".repeat(n)),
        ("opens with a target each", "@[x](dsh-session:".repeat(n)),
        ("open labels with an escape", r"@[\]".repeat(n)),
        ("one open label", "@[".to_owned() + &"x".repeat(n)),
        ("closed labels", "@[x]".repeat(n)),
        ("spoilt labels", "@[\\\n".repeat(n)),
        ("backslashes", "\\".repeat(n)),
        ("a label of backslashes", "@[".to_owned() + &"\\".repeat(n)),
        ("a target", "@[x](dsh-session:".to_owned() + &"x".repeat(n)),
        (
            "targets in one label",
            "@[".to_owned() + &"](dsh-session:".repeat(n),
        ),
        ("schemes", "dsh-session:".repeat(n)),
        ("payloads of marks", "dsh-session:_-_-_- ".repeat(n)),
        (
            "one payload of marks",
            "dsh-session:".to_owned() + &"_".repeat(n),
        ),
        ("bad bare URIs in open labels", "@[dsh-session:x".repeat(n)),
        ("backtick runs", runs(lengths).collect()),
        (
            "backtick runs twice",
            runs(lengths).chain(runs(lengths)).collect(),
        ),
        ("single backticks", "` ".repeat(n)),
        ("escaped backticks", "\\`".repeat(n)),
        (
            "mentions with a backtick",
            "@[`](dsh-session:ImEi)".repeat(n),
        ),
        (
            "mentions in a code span",
            "`@[x](dsh-session:ImEi)".repeat(n),
        ),
        ("opens in code spans", "`@[`".repeat(n)),
        (
            "mentions with a run each",
            (1..lengths)
                .map(|len| format!("@[{}](dsh-session:ImEi)", "`".repeat(len)))
                .chain(runs(lengths))
                .collect(),
        ),
        ("fences", "```\n".repeat(n)),
        ("quotes", ">".repeat(n) + "x\n" + &">\n".repeat(n)),
        ("list items", item_lines.clone()),
        (
            "list items, then indentation",
            item_lines.clone() + &" ".repeat(2 * n) + "x",
        ),
        (
            "list items in a quote, then blank lines",
            "> ".to_owned() + &"- ".repeat(n) + "> x\n" + &"> \n".repeat(n),
        ),
        ("a line of tabs", "- ".repeat(n) + "x\n" + &"\t".repeat(n)),
        ("empty list items", "-\n".repeat(n)),
        ("numbers", "1. ".repeat(n)),
        ("marks of a break", "- * _ ".repeat(n)),
        ("number signs", "# ".repeat(n)),
        ("tildes", "~".repeat(n) + "\n" + &"~".repeat(n)),
    ]
}

/// Each as it is, and with a mention at the end, without which nothing is searched but schemes.
fn all_hostile(n: usize) -> impl Iterator<Item = (&'static str, String)> {
    hostile(n).into_iter().flat_map(|(name, text)| {
        let ended = text.clone() + "`\n\n@[x](dsh-session:ImEi)";
        [(name, text), (name, ended)]
    })
}

#[test]
fn work_grows_with_the_text_and_no_faster() {
    for options in [MentionOptions::default(), MentionOptions::friendly()] {
        for ((name, small), (_, large)) in all_hostile(500).zip(all_hostile(8_000)) {
            // In hundredths of a look at each byte.
            let each = |text: &str| work(text, options) / (text.len() / 100);
            assert!(each(&large) <= each(&small) + 20, "{name}");
            assert!(work(&large, options) <= AT_MOST * large.len(), "{name}");
        }
    }
}

#[test]
fn text_without_a_scheme_is_searched_for_schemes_alone() {
    for (name, text) in hostile(1_000) {
        if !text.contains("-session:") {
            let work = work(&text, MentionOptions::friendly());
            assert!(work <= SCHEMES * (text.len() + 16), "{name}");
        }
    }
}

/// 20,000 openings cost the harnesses' pattern a second, and 8 MB of label an error.
#[test]
fn long_hostile_texts_are_read() {
    for options in [MentionOptions::default(), MentionOptions::friendly()] {
        for (name, text) in all_hostile(20_000) {
            let found = read(&text, options);
            // A bare URI of the text's own may be a bad one.
            assert!(found.is_ok() || !options.lenient_bare, "{name}: {found:?}");
        }
        let long = "x".repeat(9_000_000);
        let found = read(&format!("@[{long}](dsh-session:ImEi)"), options).unwrap();
        assert_eq!(found.references[0].label.len(), long.len());
        let found = read(&format!("dsh-session:ImEi @[{long}"), options).unwrap();
        assert_eq!(found.text.len(), long.len() + "@a @[".len());
    }
}

proptest! {
    /// No text at all is dear; what is near to Markdown and mentions the least.
    #[test]
    fn any_text_costs_a_bounded_number_of_looks(
        parts in prop::collection::vec(prop::sample::select(vec![
            "@[", "](", "]", ")", "\\", "dsh-session:", "ImEi", "`", "``", "```", "\n", "> ", "- ", "1. ", " ", "\t", "x", "@[x](dsh-session:ImEi)",
        ]), 0..300),
    ) {
        let text = parts.concat();
        for options in [MentionOptions::default(), MentionOptions::friendly()] {
            // The end of the text is looked at by every search.
            prop_assert!(work(&text, options) <= AT_MOST * (text.len() + 6));
        }
    }
}

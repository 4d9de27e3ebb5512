//! The rules of `CommonMark` by example, and against another reader of it.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::prelude::v1::*;

use super::*;

/// Marks each `x` of a text: `#` when it stands in code.
fn marked(text: &str) -> String {
    let mut code = Code::of(text.as_bytes());
    let mark = |(at, c)| match c {
        'x' if code.around(at).is_some() => '#',
        other => other,
    };
    text.char_indices().map(mark).collect()
}

#[track_caller]
fn check(marked_text: &str) {
    let text = marked_text.replace('#', "x");
    assert_eq!(marked(&text), marked_text);
    // pulldown-cmark knows neither tabs behind a closing fence nor a lone CR.
    let differs = text.contains("`\t") || text.contains("\r`");
    if let Some(expected) = by_pulldown(&text).filter(|_| !differs) {
        assert_eq!(marked_text, expected, "by pulldown-cmark");
    }
}

#[test]
fn a_span_ends_with_a_run_of_its_own_length() {
    check("x `#` x ``# ` #`` x");
    check("x `x `` x");
    check("x ``x` x");
    check("x `` ` x");
    check("`# #\n#` x");
    check("`#``#` x");
}

#[test]
fn a_backslash_escapes_outside_spans_alone() {
    check(r"\`x` x");
    check(r"\\`#` x");
    check(r"`#\` x` x");
    // The run behind an escaped backtick is shorter by one.
    check(r"\``#` x");
    check(r"\```#`` x");
    check(r"``#\`` x");
}

#[test]
fn a_span_stays_within_its_paragraph() {
    check("x `x\n\nx` x");
    check("x `x\n\n- x` x");
    check("x `x\n- x` x");
    check("x `x\n> x` x");
    check("x `x\n***\nx` x");
    check("x `x\n===\nx` x");
    check("x `x\n---\nx` x");
    check("- `x\n- x`");
    check(">     `x\n     x` x");
    assert_eq!(marked("`x\n###### x` x"), "`x\n###### x` x");
    assert_eq!(marked("`x\n####### x` x"), "`#\n####### #` x");
    assert_eq!(marked("`x\n##x` x"), "`#\n###` x");
    // These are text that goes on.
    check("x `#\n    #` x");
    check("x `#\n2. #` x");
    check("x `#\n+\n#` x");
    check("> x `#\n#` x");
    check("- `#\n  #` x");
}

#[test]
fn a_fence_ends_with_a_fence_that_is_no_shorter() {
    check("x\n```\n#\n``\n#\n````\nx");
    check("~~~ #\n#\n```\n#\n~~~ #\n#\n~~~  \nx");
    check("   ```\n#\n   ```\nx");
    check("````\n#\n```\n#\n````\nx");
    check("```\n#\n    ```\n#");
    check("```\n#\r```\rx\r\n```\r\n#");
    check("```\n\n\n#");
}

#[test]
fn what_is_no_fence() {
    check("    ```\nx");
    check("``\nx");
    check("``` x ` x\nx");
    check("x ```\nx");
    check("x\n    ~~~\nx");
    check("-     ```\n      x");
}

#[test]
fn a_fence_ends_with_what_holds_it() {
    check("> ```\n> #\nx");
    check("- ```\n  #\n\n  #\nx");
    check("- a\n\n  ```\n  #\n  ```\n  x");
    check("1. ~~~\n   #\n2. x");
    check("> - ```\n>   #\n>\n>   #\n\nx");
    check("-\n  ```\n  #\nx");
    check("-\n\n  ```\n  #\n  ```");
    // A blank line ends the quote in an item, and not the item.
    check("- > ```\n\n  > x");
    check("- > x\n\n    ~~~\n    #\n    ~~~\n  x");
    // It ends an item that is empty so far.
    check("-\n\n    ~~~\n    x");
}

#[test]
fn a_tab_reaches_to_the_next_fourth_column() {
    check("\t```\nx");
    check("  \t```\nx");
    check("-\t```\n\t#\n\t```\n\tx");
    check("- \t```\n\t#\n  x");
    check(">\t```\n>\t#\nx");
    check(">\t\t```\n> x");
    check("```\n#\n```\t\nx");
    check("```\n#\n\t```\n#");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The same as pulldown-cmark, where that reads neither indented code, which is not code here,
    /// nor HTML or links, which the fragments cannot make.
    #[test]
    fn another_reader_finds_the_same_code(parts in prop::collection::vec(prop::sample::select(vec![
        "x", "x", "x", "x ", " ", " ", "  ", "   ", "    ", "\n", "\n", "\n", "\n\n", "\r\n", "> ", ">", "- ", "* ", "+ ", "-",
        "1. ", "2) ", "10. ", "1.", "`", "`", "``", "```", "````", "```\n", "\n```\n", "~~~", "~~~\n", "\n~~~~\n",
        "\\", "#", "# ", "=", "===\n", "---\n", "***\n", "* * *", "_ _ _",
    ]), 0..40)) {
        let text = parts.concat();
        if let Some(expected) = by_pulldown(&text) {
            prop_assert_eq!(marked(&text), expected);
        }
    }
}

/// [`marked`] by pulldown-cmark; `None` when an `x` or a backtick stands in an indented block.
fn by_pulldown(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    let mut mark = |range: Range<usize>| {
        let code = text[range.clone()].replace('x', "#");
        out.replace_range(range, &code);
    };
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => mark(range),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))
                if text[range.clone()].contains(['x', '`']) =>
            {
                return None;
            }
            _ => {}
        }
    }
    Some(out)
}

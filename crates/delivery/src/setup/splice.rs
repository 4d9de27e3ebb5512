//! One item put into a text, or taken out again, and no other byte touched.
//!
//! What goes in leaves a mark in how it is laid out, so that taking it out needs no memory of the
//! text before:
//!
//! | the item stands | so that |
//! | --- | --- |
//! | behind the last item, in its style | it goes with the comma before it |
//! | behind a trailing comma, with one of its own | it goes with that |
//! | in a container that was empty: at once after the bracket, with one space behind | the container stays |
//! | alone in a container in any other way | the container came with it, and goes with it |

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use sref_session::json::Value;

use super::jsonc::{Container, Item, Jsonc};
use super::print::Layout;

/// Bytes to be replaced, in the order of their places.
pub(super) type Splices = Vec<(Range<usize>, String)>;

/// The text with its bytes replaced.
pub(super) fn apply(text: &str, splices: &Splices) -> String {
    let mut out = String::with_capacity(text.len() + 512);
    let mut at = 0;
    for (range, new) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Puts an item behind all others.
pub(super) fn append(
    text: &Jsonc<'_>,
    container: &Container,
    name: Option<&str>,
    value: &Value,
) -> Splices {
    let mut new = String::new();
    let Some(last) = container.items.last() else {
        Layout::Line { spaced: true }.item(&mut new, name, value);
        new.push(' ');
        let at = container.open + 1;
        return [(at..at, new)].into();
    };
    let end = last.span.end;
    let trailing = comma(text, end..container.close);
    let layout = layout(text, container);
    if let Layout::Lines { line, .. } = &layout {
        new.push_str(line);
        layout.item(&mut new, name, value);
        let at = line_end(text, trailing.unwrap_or(end)..container.close);
        if trailing.is_some() {
            new.push(',');
            return [(at..at, new)].into();
        }
        if at == end {
            new.insert(0, ',');
            return [(at..at, new)].into();
        }
        return [(end..end, ",".into()), (at..at, new)].into();
    }
    let spaced = layout == Layout::Line { spaced: true };
    let at = trailing.unwrap_or(end);
    new.push_str(match (trailing, spaced) {
        (None, true) => ", ",
        (None, false) => ",",
        (Some(_), true) => " ",
        (Some(_), false) => "",
    });
    layout.item(&mut new, name, value);
    if trailing.is_some() {
        new.push(',');
    }
    [(at..at, new)].into()
}

/// Takes an item out.
pub(super) fn remove(text: &Jsonc<'_>, container: &Container, at: usize) -> Splices {
    let span = container.items[at].span.clone();
    if was_empty(text, container) {
        return [(span.start..span.end + 1, String::new())].into();
    }
    if at == 0
        && let Some(next) = container.items.get(1)
        && is_comma(&text.text[span.end..next.span.start])
    {
        return [(span.start..next.span.start, String::new())].into();
    }
    let after = comma(text, span.end..container.close);
    let end = after.unwrap_or(span.end);
    let start = if glues_to_comment(text, span.start, end) {
        span.start
    } else {
        white_before(text, span.start)
    };
    let mut splices = Splices::new();
    if after.is_none()
        && let Some(before) = at.checked_sub(1)
        && let Some(behind) = comma(text, container.items[before].span.end..span.start)
    {
        splices.push((behind - 1..behind, String::new()));
    }
    match splices.last_mut() {
        // The comma stands at once before the white space.
        Some((range, _)) if range.end == start => range.end = span.end,
        _ => {
            splices.push((start..span.end, String::new()));
            if let Some(after) = after {
                splices.push((after - 1..after, String::new()));
            }
        }
    }
    splices
}

/// Whether the one item of a container came into it when it was there already, and empty.
fn was_empty(text: &Jsonc<'_>, container: &Container) -> bool {
    let [item] = container.items.as_slice() else {
        return false;
    };
    item.span.start == container.open + 1 && text.text[item.span.end..].starts_with(' ')
}

/// Whether a container came into the text with the one item in it: nobody wrote anything else
/// there, and it was not there before.
pub(super) fn came_with_item(text: &Jsonc<'_>, container: &Container) -> bool {
    let [Item { span, .. }] = container.items.as_slice() else {
        return false;
    };
    let blank = |range: Range<usize>| text.text[range].trim_ascii().is_empty();
    !was_empty(text, container)
        && blank(container.open + 1..span.start)
        && blank(span.end..container.close)
}

/// Whether a text is a comma and white space.
fn is_comma(text: &str) -> bool {
    text.trim_ascii() == ","
}

/// The place behind a comma in a range that holds one at most.
fn comma(text: &Jsonc<'_>, range: Range<usize>) -> Option<usize> {
    let found = text.plain[range.clone()]
        .iter()
        .position(|byte| *byte == b',');
    found.map(|at| range.start + at + 1)
}

/// The place behind what else stands on the line: comments. The same place when it is not only
/// comments.
fn line_end(text: &Jsonc<'_>, range: Range<usize>) -> usize {
    let rest = &text.plain[range.clone()];
    match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(length) if rest[..length].trim_ascii().is_empty() => {
            let line = &text.text[range.start..range.start + length];
            range.start + line.trim_ascii_end().len()
        }
        _ => range.start,
    }
}

/// Where the white space before a place begins.
fn white_before(text: &Jsonc<'_>, place: usize) -> usize {
    text.text[..place].trim_ascii_end().len()
}

/// Whether what follows a range would come to stand in a comment of one line before it.
fn glues_to_comment(text: &Jsonc<'_>, start: usize, end: usize) -> bool {
    let before = white_before(text, start);
    let comment = before > 0 && text.plain[before - 1] == b' ';
    let rest = text.text[end..]
        .bytes()
        .find(|byte| !matches!(byte, b' ' | b'\t'));
    comment && !matches!(rest, Some(b'\n' | b'\r'))
}

/// The layout of an item behind the last one.
fn layout<'a>(text: &Jsonc<'a>, container: &Container) -> Layout<'a> {
    let white = |item: &Item| {
        let start = white_before(text, item.span.start);
        &text.text[start..item.span.start]
    };
    let lines = container.items.iter().rev().map(white);
    let Some(line) = lines.into_iter().find(|white| white.contains('\n')) else {
        let before_value = text.text.as_bytes().windows(2);
        let minified = before_value.into_iter().all(|pair| pair != b": ");
        return Layout::Line { spaced: !minified };
    };
    // Blank lines before an item are not a part of its style.
    let from = line.rfind('\n').unwrap_or_default();
    let from = if line[..from].ends_with('\r') {
        from - 1
    } else {
        from
    };
    let own = line[from..].trim_start_matches(['\r', '\n']);
    let outer = indentation(&text.text[..container.open]);
    let unit = own.strip_prefix(outer).filter(|unit| !unit.is_empty());
    Layout::Lines {
        line: line[from..].into(),
        unit: unit.unwrap_or("  "),
    }
}

/// The white space at the beginning of the last line.
fn indentation(text: &str) -> &str {
    let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_ascii_start().len()]
}

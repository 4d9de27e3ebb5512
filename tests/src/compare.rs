//! Expected against got.

use std::fmt::Write as _;

use sref::session::json::Value;

use crate::show;

/// A result that is not the recorded one.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Which of several results of one vector, as `budget 137`; empty when there is one.
    pub(crate) at: String,
    pub(crate) expected: Value,
    pub(crate) got: Value,
}

impl Mismatch {
    /// Compares; `None` when `got` has every member of `expected`, each equal.
    ///
    /// At the top level `got` may have more: an expectation that leaves a member out says nothing
    /// about it. Further down equal means equal.
    pub(crate) fn of(at: impl Into<String>, expected: &Value, got: Value) -> Option<Self> {
        (!covers(expected, &got)).then(|| Self {
            at: at.into(),
            expected: expected.clone(),
            got,
        })
    }
}

fn covers(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => expected
            .iter()
            .all(|(key, value)| key.as_str().and_then(|key| got.get(key)) == Some(value)),
        _ => expected == got,
    }
}

/// Says where two values differ first, for values too long to compare by eye.
pub(crate) fn first_difference(expected: &Value, got: &Value) -> Option<String> {
    let mut path = String::new();
    let (mut expected, mut got) = (expected, got);
    // The top level may have more on the right side: see `Mismatch::of`.
    let mut top = true;
    loop {
        match (expected, got) {
            (Value::Object(left), Value::Object(right)) => {
                let (key, inner) = left
                    .iter()
                    .map(|(key, value)| {
                        (
                            key,
                            (Some(value), key.as_str().and_then(|key| right.get(key))),
                        )
                    })
                    .chain(right.iter().filter(|_| !top).map(|(key, value)| {
                        (
                            key,
                            (key.as_str().and_then(|key| left.get(key)), Some(value)),
                        )
                    }))
                    .find(|(_, (left, right))| left != right)?;
                let _ = write!(path, ".{}", show::text(key));
                let (Some(left), Some(right)) = inner else {
                    return Some(describe(&path, inner.0, inner.1));
                };
                (expected, got) = (left, right);
            }
            (Value::Array(left), Value::Array(right)) => {
                let at =
                    (0..left.len().max(right.len())).find(|at| left.get(*at) != right.get(*at))?;
                let _ = write!(path, "[{at}]");
                let (Some(left), Some(right)) = (left.get(at), right.get(at)) else {
                    return Some(describe(&path, left.get(at), right.get(at)));
                };
                (expected, got) = (left, right);
            }
            _ if expected == got => return None,
            _ => return Some(describe(&path, Some(expected), Some(got))),
        }
        top = false;
    }
}

fn describe(path: &str, expected: Option<&Value>, got: Option<&Value>) -> String {
    let path = if path.is_empty() { "." } else { path };
    if let (Some(Value::String(left)), Some(Value::String(right))) = (expected, got) {
        let (left, right) = (left.as_js_str(), right.as_js_str());
        let common = left
            .as_wtf8()
            .iter()
            .zip(right.as_wtf8())
            .take_while(|(left, right)| left == right)
            .count();
        let at = left
            .floor_boundary(common)
            .min(right.floor_boundary(common));
        return format!(
            "{path}, byte {at}: expected {}, got {}",
            show::around(left, at),
            show::around(right, at)
        );
    }
    let side = |side: Option<&Value>| side.map_or_else(|| "nothing".to_owned(), show::value);
    format!("{path}: expected {}, got {}", side(expected), side(got))
}

#[cfg(test)]
mod tests {
    use sref::session::json::parse;

    use super::*;

    fn check(expected: &str, got: &str) -> Option<String> {
        let (expected, got) = (
            parse(expected.as_bytes()).unwrap(),
            parse(got.as_bytes()).unwrap(),
        );
        let difference = first_difference(&expected, &got);
        assert_eq!(
            Mismatch::of("", &expected, got).is_some(),
            difference.is_some()
        );
        difference
    }

    #[test]
    fn only_the_top_level_may_have_more() {
        assert_eq!(check(r#"{"a":1}"#, r#"{"b":2,"a":1.0}"#), None);
        assert_eq!(
            check(r#"{"a":{"b":1,"c":[]}}"#, r#"{"a":{"c":[],"b":1}}"#),
            None
        );
        assert_eq!(
            check(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":2}}"#).unwrap(),
            ".a.c: expected nothing, got 2"
        );
        assert_eq!(
            check(r#"{"a":{"b":1}}"#, r#"{"a":{}}"#).unwrap(),
            ".a.b: expected 1, got nothing"
        );
        assert_eq!(
            check(r#"{"error":"X"}"#, r#"{"text":"y"}"#).unwrap(),
            ".error: expected \"X\", got nothing"
        );
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(
            check(r#"{"a":[1,{"b":2}]}"#, r#"{"a":[1,{"b":3}]}"#).unwrap(),
            ".a[1].b: expected 2, got 3"
        );
        assert_eq!(
            check("[1]", "[1,2]").unwrap(),
            "[1]: expected nothing, got 2"
        );
        assert_eq!(check("1", "null").unwrap(), ".: expected 1, got null");
        assert_eq!(
            check(r#""a\ud83d\ude00""#, r#""a\ud83d\ude01""#).unwrap(),
            "., byte 1: expected \"a😀\", got \"a😁\""
        );
        // Two lone surrogates differ in their last byte.
        assert_eq!(
            check(r#""\ud800""#, r#""\ud801""#).unwrap(),
            r#"., byte 0: expected "\ud800", got "\ud801""#
        );
    }
}

mod linear;
mod options;
mod oracle;
mod seed;

use std::prelude::v1::*;

use sref_session::JsString;

use super::*;

fn read(text: &str, options: MentionOptions) -> Result<Extracted, UriError> {
    extract(text.into(), &Schemes::default(), &options)
}

/// The text that is made and the references as `id=label`.
#[track_caller]
fn check(options: MentionOptions, text: &str, expected: &str, references: &[&str]) -> Extracted {
    let found = read(text, options).unwrap();
    assert_eq!(found.text, *expected, "{text}");
    let listed: Vec<String> = found
        .references
        .iter()
        .map(|own| format!("{}={}", own.session_id, own.label))
        .collect();
    assert_eq!(listed, references, "{text}");
    found
}

/// The URIs that were left, as they stand in the text.
fn left<'a>(text: &'a str, found: &Extracted) -> Vec<&'a str> {
    let left = found.left_as_text.iter();
    left.map(|own| &text[own.range.clone()]).collect()
}

fn js(units: &[u16]) -> JsString {
    JsString::from_utf16(units.iter().copied())
}

//! The message that carries the snapshots, taken apart again.

use sref::session::json::{JsonError, Object, Scanner, Value};
use sref::session::{Block, JsString, Message};

/// What recordings say of a context message: `{json, bytes, references}`.
///
/// Everything is taken from the message that a model and a transcript would see, not from what the
/// library says of it. A message of another shape gives `{invalid}`, which equals no expectation.
pub(crate) fn describe(message: &Message) -> Value {
    match parts(message) {
        Ok((json, sizes, references)) => Object::new()
            .with("json", json)
            .with("bytes", sizes)
            .with("references", references)
            .into(),
        Err(reason) => Object::new().with("invalid", reason).into(),
    }
}

fn parts(message: &Message) -> Result<(&str, Vec<Value>, Value), &'static str> {
    if message.id().is_none_or(JsString::is_empty) {
        return Err("no id");
    }
    if message.role().is_none_or(|role| *role != *"user") {
        return Err("another role than `user`");
    }
    let mut source = message
        .source_json()
        .as_object()
        .cloned()
        .ok_or("no source")?;
    let references = source.remove("references").ok_or("no references")?;
    let fixed = Object::new()
        .with("kind", "session-reference")
        .with("form", "recall")
        .with("version", 1_u64);
    if source != fixed {
        return Err("another source");
    }
    let [Block::Text(prompt)] = message.content() else {
        return Err("not one text block");
    };
    let json = rendered(prompt.as_str().ok_or("a lone surrogate in the prompt")?)
        .ok_or("a prompt without the two tags on lines of their own")?;
    let sizes = object_sizes(json).map_err(|_| "no JSON between the tags")?;
    Ok((json, sizes, references))
}

/// The text between the tags. They cannot occur in it: a `<` inside is always escaped.
pub(crate) fn rendered(prompt: &str) -> Option<&str> {
    let (_, rest) = prompt.split_once("\n<referenced-sessions>\n")?;
    let json = rest.strip_suffix("\n</referenced-sessions>")?;
    (!json.contains('<')).then_some(json)
}

/// The UTF-8 sizes of the elements of an array.
fn object_sizes(array: &str) -> Result<Vec<Value>, JsonError> {
    let mut scanner = Scanner::new(array.as_bytes());
    let mut sizes = Vec::new();
    scanner.enter_array()?;
    while scanner.next_element()? {
        sizes.push(Value::from(scanner.skip_value()?.len() as u64));
    }
    scanner.finish()?;
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use sref::session::json;

    use super::*;

    fn described(message: &str) -> String {
        let message = Message::from_json(json::parse(message.as_bytes()).unwrap()).unwrap();
        describe(&message).to_json()
    }

    #[test]
    fn only_a_whole_context_message_is_described() {
        let good = r#"{"id":"x","role":"user","source":{"kind":"session-reference","form":"recall","version":1,"references":[7]},"content":[{"type":"text","text":"H\n<referenced-sessions>\n[{\"a\":\"é\"},{}]\n</referenced-sessions>"}]}"#;
        assert_eq!(
            described(good),
            r#"{"json":"[{\"a\":\"é\"},{}]","bytes":[10,2],"references":[7]}"#
        );
        for (from, to) in [
            (r#""id":"x""#, r#""id":"""#),
            (r#""role":"user""#, r#""role":"system""#),
            (r#""version":1"#, r#""version":2"#),
            (r#""form":"recall","#, ""),
            (r#""version":1,"#, r#""version":1,"more":1,"#),
            (r#""type":"text","#, r#""type":"text","cache":1,"#),
            (r"\n</referenced-sessions>", r"</referenced-sessions>"),
            (r#"{\"a\""#, r#"{\"<a\""#),
            (r"[{\", r"{\"),
        ] {
            assert!(good.contains(from), "{from}");
            let text = described(&good.replace(from, to));
            assert!(text.starts_with(r#"{"invalid":"#), "{from}: {text}");
        }
    }
}

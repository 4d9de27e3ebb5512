//! Which of several recorded answers about a session is ours.
//!
//! The releases do not always agree, and each migrates formats older than its own while reading,
//! which renumbers events. `spec/dsh-newer.md` §9 says which answer is ours; here as rules:
//!
//! 1. A release says nothing of a log in a format newer than its own. What none of them knows is
//!    answered by the newest.
//! 2. The release that reads a format natively is right about it, event numbers included. Where
//!    none was recorded, the one that has migrated least is, event numbers aside.
//! 3. A refusal over what a title cites is not ours: a conversation can be projected without it.
//! 4. Both checkpoint markers count in every format. Where the native release leaves out a message
//!    with the later marker, a later release is right about the conversation.

use sref::session::JsString;
use sref::session::json::{Object, Value};

use super::open;
use crate::fields::{self, Malformed};

/// Ours among the answers of releases, each with the format that it reads natively, the oldest
/// first; `format` is that of the log, where its name gives one.
pub(super) fn ours(
    mut answers: Vec<(u64, &Value)>,
    format: Option<u64>,
) -> Result<Value, Malformed> {
    let newest = answers.last().copied();
    answers.retain(|(own, _)| format.is_some_and(|format| *own >= format));
    if answers.is_empty() {
        answers.extend(newest);
    }
    answers.retain(|(_, answer)| !is_title_refusal(answer));
    let Some((own, answer)) = answers.first() else {
        return Ok(Object::new().with("error", Value::Null).into());
    };
    if let Some(error) = fields::optional(answer, "error") {
        return Ok(open::failed(error.clone()));
    }
    let mut later = answers.iter().filter(|_| leaves_checkpoint_out(answer));
    let projected = later.find(|(_, later)| is_compacted(later));
    let projected = projected.map_or(*answer, |(_, later)| later);
    let mut expected = Object::new().with("error", Value::Null);
    for (from, key) in [
        (*answer, "title"),
        (projected, "compacted"),
        (projected, "conversation"),
    ] {
        expected.set(key, fields::any(from, key)?.clone());
    }
    if Some(*own) == format {
        let captured = fields::any(answer, "capturedThroughSeq")?;
        let surface = fields::items(answer, "surface")?;
        expected.set("capturedThroughSeq", captured.clone());
        expected.set(
            "surface",
            surface.iter().map(known_part).collect::<Vec<_>>(),
        );
    }
    Ok(expected.into())
}

fn is_title_refusal(answer: &Value) -> bool {
    answer
        .get("message")
        .and_then(Value::as_string)
        .is_some_and(|message| {
            message
                .to_string_lossy()
                .contains("session/title messageSeqs")
        })
}

fn is_compacted(answer: &Value) -> bool {
    answer.get("compacted").and_then(Value::as_bool) == Some(true)
}

/// Whether a message of the later checkpoint kind stands on the surface without counting as one.
fn leaves_checkpoint_out(answer: &Value) -> bool {
    let surface = answer.get("surface").and_then(Value::as_array);
    let marked = surface.into_iter().flatten().any(|node| {
        node.as_string().is_some_and(|node| {
            node.to_string_lossy()
                .ends_with(":user/message:compact-checkpoint")
        })
    });
    marked && !is_compacted(answer)
}

/// `seq:type:source kind` without the kind where a surface does not keep it: of anything but user
/// messages.
fn known_part(node: &Value) -> Value {
    let node = node
        .as_string()
        .map(JsString::to_string_lossy)
        .unwrap_or_default();
    let mut parts = node.splitn(3, ':');
    let (seq, kind) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    match parts.next() {
        Some(source) if kind == "user/message" => Value::from(&*format!("{seq}:{kind}:{source}")),
        _ => Value::from(&*format!("{seq}:{kind}")),
    }
}

#[cfg(test)]
mod tests {
    use sref::session::json::parse;

    use super::*;

    fn read(seq: u64, kind: &str, text: &str, compacted: bool) -> Value {
        let json = format!(
            r#"{{"capturedThroughSeq":{seq},"title":null,"surface":["1:system/message:x","2:user/message:{kind}"],"compacted":{compacted},"conversation":["{text}"]}}"#
        );
        parse(json.as_bytes()).unwrap()
    }

    fn refused(code: &str, message: &str) -> Value {
        let refused = Object::new().with("error", code).with("message", message);
        refused.into()
    }

    /// Ours, where one release reads format 3 natively and another format 4.
    fn check(old: &Value, new: &Value, format: Option<u64>, expected: &str) {
        let ours = ours(vec![(3, old), (4, new)], format).unwrap();
        assert_eq!(ours.to_json(), expected);
    }

    #[test]
    fn the_native_release_is_right() {
        let old = read(7, "user", "old", false);
        let new = read(8, "plugin:x", "new", true);
        check(
            &old,
            &new,
            Some(3),
            r#"{"error":null,"title":null,"compacted":false,"conversation":["old"],"capturedThroughSeq":7,"surface":["1:system/message","2:user/message:user"]}"#,
        );
        check(
            &old,
            &new,
            Some(4),
            r#"{"error":null,"title":null,"compacted":true,"conversation":["new"],"capturedThroughSeq":8,"surface":["1:system/message","2:user/message:plugin:x"]}"#,
        );
        check(&refused("C", "m"), &new, Some(3), r#"{"error":"C"}"#);
        check(&old, &refused("C", "m"), Some(4), r#"{"error":"C"}"#);
    }

    #[test]
    fn a_migrated_log_has_other_numbers() {
        check(
            &read(7, "user", "old", false),
            &read(8, "user", "new", true),
            Some(2),
            r#"{"error":null,"title":null,"compacted":false,"conversation":["old"]}"#,
        );
    }

    #[test]
    fn the_newest_answers_for_what_none_knows() {
        let old = read(7, "user", "old", false);
        check(&old, &refused("N", "m"), Some(5), r#"{"error":"N"}"#);
        check(&old, &refused("N", "m"), None, r#"{"error":"N"}"#);
    }

    #[test]
    fn a_title_is_no_reason_to_refuse_a_session() {
        let old = read(7, "user", "old", false);
        let title = refused("C", "x: session/title messageSeqs must cite");
        check(&old, &title, Some(4), r#"{"error":null}"#);
    }

    #[test]
    fn the_later_checkpoint_marker_counts_in_the_earlier_format() {
        check(
            &read(7, "compact-checkpoint", "old", false),
            &read(8, "compact-checkpoint", "new", true),
            Some(3),
            r#"{"error":null,"title":null,"compacted":true,"conversation":["new"],"capturedThroughSeq":7,"surface":["1:system/message","2:user/message:compact-checkpoint"]}"#,
        );
    }
}

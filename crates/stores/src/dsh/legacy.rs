//! Records of earlier builds, brought to today's shape while loading (`spec/dsh-store.md` 1.7).
//!
//! An upgrade writes the new data as JSON text, so that everything behind it knows one shape only.

use sref_session::JsString;
use sref_session::json::{Kind, quote};

use super::event::Event;
use super::format::EventType;
use super::shape::Body;
use crate::raw::Raw;

/// What an old record becomes.
#[derive(Debug, PartialEq)]
pub(super) struct Upgraded {
    pub(super) event_type: EventType,
    pub(super) data: Vec<u8>,
    /// Whether the message takes the id of the one that it replaces.
    pub(super) inherits_id: bool,
}

/// The upgrade of an event, if it is an old one that needs one here.
///
/// # Errors
///
/// A record in an old shape that breaks its rules.
pub(super) fn upgrade(
    event: &Event<'_>,
    session: &JsString,
    seq: u64,
) -> Result<Option<Upgraded>, &'static str> {
    let Some(data) = event.data else {
        return Ok(None);
    };
    match (event.kind, &event.body) {
        (EventType::TurnStart, _) => turn_start(data).map(|()| None),
        (EventType::TurnEnd, _) => turn_end(data).map(|()| None),
        (EventType::Steering, _) => steering(data, session, seq).map(Some),
        (_, Body::User(user)) => {
            let message = &user.message;
            let old = message.content.is_some()
                && message.source.is_some()
                && message.id.is_none()
                && message.role.is_none()
                && !user.wrapped;
            Ok(old.then(|| {
                let own = object_without_end(data);
                let id = synthesized_id(session, seq);
                message_upgrade(&[own, b",\"role\":\"user\",\"id\":", id.as_bytes(), b"}"])
            }))
        }
        (_, Body::Assistant(assistant)) if assistant.message.is_none() => {
            match (assistant.content, assistant.provenance) {
                (Some(content), Some(provenance)) => {
                    assistant_message(content, provenance, session, seq).map(Some)
                }
                _ => Err("an assistant message without message and provenance"),
            }
        }
        (_, Body::Tool(tool)) if tool.message.is_none() => {
            match (tool.call_id, tool.content, tool.is_error) {
                (Some(call_id), Some(content), Some(is_error)) => {
                    let mut upgraded =
                        tool_result(data, [call_id, content, is_error], session, seq);
                    upgraded.inherits_id =
                        event.surface_op.is_some_and(|op| op.kind() == Kind::Object);
                    Ok(Some(upgraded))
                }
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn message_upgrade(parts: &[&[u8]]) -> Upgraded {
    Upgraded {
        event_type: EventType::UserMessage,
        data: parts.concat(),
        inherits_id: false,
    }
}

/// `legacy-message:<session>:<seq>` as a JSON string.
fn synthesized_id(session: &JsString, seq: u64) -> String {
    let mut id = JsString::from("legacy-message:");
    id.push(session.as_js_str());
    id.push_str(&format!(":{seq}"));
    quote(id.as_js_str())
}

/// The text of a non-empty object up to its closing brace.
fn object_without_end(object: Raw<'_>) -> &[u8] {
    let bytes = object.bytes();
    &bytes[..bytes.len() - 1]
}

/// `{turn, message}` or `{turn, content, source}` [l02, l07].
fn steering(data: Raw<'_>, session: &JsString, seq: u64) -> Result<Upgraded, &'static str> {
    const ERROR: &str = "a malformed steering/message";
    let members = data
        .members(["turn", "message", "content", "source"])
        .ok_or(ERROR)?;
    let [turn, message, content, source] = members.found;
    if members.others || turn.and_then(Raw::safe_integer).is_none() {
        return Err(ERROR);
    }
    match (message, content, source) {
        (Some(message), None, None) => Ok(message_upgrade(&[message.bytes()])),
        (None, Some(content), Some(source)) => Ok(message_upgrade(&[
            b"{\"content\":",
            content.bytes(),
            b",\"source\":",
            source.bytes(),
            b",\"role\":\"user\",\"id\":",
            synthesized_id(session, seq).as_bytes(),
            b"}",
        ])),
        _ => Err(ERROR),
    }
}

fn assistant_message(
    content: Raw<'_>,
    provenance: Raw<'_>,
    session: &JsString,
    seq: u64,
) -> Result<Upgraded, &'static str> {
    if provenance.kind() != Kind::Object {
        return Err("a provenance that is no object");
    }
    let is_empty = provenance
        .members([])
        .is_some_and(|members| !members.others);
    let id = synthesized_id(session, seq);
    let parts: [&[u8]; 8] = [
        b"{\"message\":{\"id\":",
        id.as_bytes(),
        b",\"role\":\"assistant\",\"content\":",
        content.bytes(),
        b",\"source\":",
        object_without_end(provenance),
        if is_empty { b"" } else { b"," },
        b"\"kind\":\"model\"}}}",
    ];
    Ok(Upgraded {
        event_type: EventType::AssistantMessage,
        data: parts.concat(),
        inherits_id: false,
    })
}

/// Everything else in the data stays, since a rewrite compares it.
fn tool_result(
    data: Raw<'_>,
    [call_id, content, is_error]: [Raw<'_>; 3],
    session: &JsString,
    seq: u64,
) -> Upgraded {
    let mut out = b"{".to_vec();
    let mut scanner = data.scanner();
    // The data is a checked object: these steps cannot fail.
    let mut copy = || {
        scanner.enter_object()?;
        while let Some(key) = scanner.next_key()? {
            let value = Raw::read(&mut scanner)?;
            if !["callId", "content", "isError"]
                .iter()
                .any(|moved| key.is(moved))
            {
                for part in [b"\"", key.raw(), b"\":", value.bytes(), b","] {
                    out.extend_from_slice(part);
                }
            }
        }
        Ok::<_, sref_session::json::JsonError>(())
    };
    let copied = copy();
    debug_assert!(copied.is_ok());
    let id = synthesized_id(session, seq);
    for part in [
        b"\"message\":{\"id\":",
        id.as_bytes(),
        b",\"role\":\"user\",\"content\":[{\"type\":\"tool-result\",\"toolCallId\":",
        call_id.bytes(),
        b",\"content\":",
        content.bytes(),
        b",\"isError\":",
        is_error.bytes(),
        b"}],\"source\":{\"kind\":\"tool\",\"callId\":",
        call_id.bytes(),
        b"}}}",
    ] {
        out.extend_from_slice(part);
    }
    Upgraded {
        event_type: EventType::ToolResult,
        data: out,
        inherits_id: false,
    }
}

/// Without a trigger nothing is checked [k21, l05].
fn turn_start(data: Raw<'_>) -> Result<(), &'static str> {
    let Some(members) = data.members(["turn", "trigger"]) else {
        return Ok(());
    };
    let [turn, Some(trigger)] = members.found else {
        return Ok(());
    };
    if !members.others && is_turn(turn) && trigger.member("kind").is_some_and(Raw::is_filled) {
        Ok(())
    } else {
        Err("a malformed turn/start")
    }
}

/// Every `turn/end` whose data is an object [k17–k20, l03, l06, r18].
fn turn_end(data: Raw<'_>) -> Result<(), &'static str> {
    let Some(members) = data.members(["turn", "reason"]) else {
        return Ok(());
    };
    let [turn, reason] = members.found;
    if !members.others && is_turn(turn) && reason.is_some_and(is_reason) {
        Ok(())
    } else {
        Err("a malformed turn/end")
    }
}

fn is_turn(turn: Option<Raw<'_>>) -> bool {
    turn.and_then(Raw::safe_integer)
        .is_some_and(|turn| turn >= 1)
}

fn is_reason(reason: Raw<'_>) -> bool {
    let Some(kind) = reason.member("kind").and_then(Raw::string) else {
        return false;
    };
    let bare = || {
        reason
            .members(["kind"])
            .is_some_and(|members| !members.others)
    };
    match &*kind.text() {
        b"completed" | b"blocked" | b"max-tokens" | b"interrupted" | b"disposed" => bare(),
        b"aborted" => reason.member("reason").is_some() || bare(),
        b"error" => reason.member("error").is_some() || is_old_error(reason),
        _ => true,
    }
}

/// `{kind, step, failure}` or `{kind, step, message, code?}`.
fn is_old_error(reason: Raw<'_>) -> bool {
    let Some(members) = reason.members(["kind", "step", "failure", "message", "code"]) else {
        return false;
    };
    let [_, step, failure, message, code] = members.found;
    if members.others || step.and_then(Raw::index).is_none() {
        return false;
    }
    match failure {
        Some(failure) => message.is_none() && code.is_none() && is_failure(failure),
        None => message.is_some_and(is_string) && code.is_none_or(is_string),
    }
}

fn is_failure(failure: Raw<'_>) -> bool {
    let names = [
        "message",
        "code",
        "status",
        "providerRetryAfterMs",
        "requestId",
    ];
    failure.members(names).is_some_and(|members| {
        let [message, code, status, retry, request] = members.found;
        !members.others
            && message.is_some_and(is_string)
            && code.is_some_and(is_string)
            && status.is_none_or(is_number)
            && retry.is_none_or(is_number)
            && request.is_none_or(is_string)
    })
}

fn is_string(raw: Raw<'_>) -> bool {
    raw.kind() == Kind::String
}

fn is_number(raw: Raw<'_>) -> bool {
    raw.kind() == Kind::Number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsh::event::Line;
    use crate::dsh::format::FORMAT_0;

    fn run(event_type: &str, data: &str, op: &str) -> Result<Option<(String, bool)>, &'static str> {
        let line = format!(r#"{{"type":"{event_type}","seq":3,"time":1,"data":{data}{op}}}"#);
        let Ok(Line::Event(event)) = Line::parse(line.as_bytes(), &FORMAT_0) else {
            panic!("{line}")
        };
        let upgraded = upgrade(&event, &"s\"".into(), 3)?;
        Ok(upgraded.map(|new| (String::from_utf8(new.data).unwrap(), new.inherits_id)))
    }

    fn data(event_type: &str, old: &str) -> Option<String> {
        run(event_type, old, "").unwrap().map(|(data, _)| data)
    }

    const ID: &str = r#""legacy-message:s\":3""#;

    /// [l01, l04, v01, v10]
    #[test]
    fn messages_get_an_identity() {
        assert_eq!(
            data(
                "user/message",
                r#"{"content":[],"source":{"kind":"user"},"envelope":{}}"#
            ),
            Some(format!(
                r#"{{"content":[],"source":{{"kind":"user"}},"envelope":{{}},"role":"user","id":{ID}}}"#
            ))
        );
        for modern in ["\"id\":1", "\"role\":\"user\"", "\"message\":1"] {
            let modern = format!(r#"{{"content":[],"source":{{}},{modern}}}"#);
            assert_eq!(data("user/message", &modern), None, "{modern}");
        }
        assert_eq!(
            data(
                "assistant/message",
                r#"{"turn":1,"content":[1],"provenance":{"model":"m"}}"#
            ),
            Some(format!(
                r#"{{"message":{{"id":{ID},"role":"assistant","content":[1],"source":{{"model":"m","kind":"model"}}}}}}"#
            ))
        );
        assert!(run("assistant/message", r#"{"content":[]}"#, "").is_err());
        assert!(
            run(
                "assistant/message",
                r#"{"content":[],"provenance":"p"}"#,
                ""
            )
            .is_err()
        );
        let old = r#"{"turn":1,"callId":"c","content":[2],"isError":false,"meta":{"a":1}}"#;
        let new = format!(
            r#"{{"turn":1,"meta":{{"a":1}},"message":{{"id":{ID},"role":"user","content":[{{"type":"tool-result","toolCallId":"c","content":[2],"isError":false}}],"source":{{"kind":"tool","callId":"c"}}}}}}"#
        );
        assert_eq!(run("tool/result", old, ""), Ok(Some((new.clone(), false))));
        let replace = r#","surfaceOp":{"op":"replace","start":1,"end":1}"#;
        assert_eq!(run("tool/result", old, replace), Ok(Some((new, true))));
        assert_eq!(data("tool/result", r#"{"callId":"c","content":[]}"#), None);
    }

    /// [l02, l07]
    #[test]
    fn steering_becomes_a_user_message() {
        assert_eq!(
            data("steering/message", r#"{"turn":1,"message":{"id":"m"}}"#).unwrap(),
            r#"{"id":"m"}"#
        );
        assert_eq!(
            data(
                "steering/message",
                r#"{"turn":-1,"content":[],"source":{}}"#
            ),
            Some(format!(
                r#"{{"content":[],"source":{{}},"role":"user","id":{ID}}}"#
            ))
        );
        for bad in [
            "null",
            r#"{"message":{}}"#,
            r#"{"turn":1.5,"message":{}}"#,
            r#"{"turn":1,"message":{},"x":1}"#,
            r#"{"turn":1,"content":[]}"#,
            r#"{"turn":1,"message":{},"content":[],"source":{}}"#,
        ] {
            assert!(run("steering/message", bad, "").is_err(), "{bad}");
        }
    }

    /// [k21, l05]
    #[test]
    fn a_trigger_is_checked_and_its_absence_is_not() {
        let ok = |data| run("turn/start", data, "").is_ok();
        assert!(ok("null") && ok("7") && ok(r#"{"turn":"x","other":1}"#));
        assert!(ok(r#"{"turn":1,"trigger":{"kind":"message","source":{}}}"#));
        assert!(!ok(r#"{"turn":0,"trigger":{"kind":"message"}}"#));
        assert!(!ok(r#"{"turn":1,"trigger":{"kind":""}}"#));
        assert!(!ok(r#"{"turn":1,"trigger":"message"}"#));
        assert!(!ok(r#"{"turn":1,"trigger":{"kind":"message"},"x":1}"#));
    }

    /// [k07, k17–k20, l03, l06, r18]
    #[test]
    fn the_end_of_a_turn_has_a_reason() {
        let ok = |data: &str| run("turn/end", data, "").is_ok();
        let reason = |reason: &str| ok(&format!(r#"{{"turn":1,"reason":{reason}}}"#));
        assert!(ok("null") && ok("7"));
        assert!(!ok(r#"{"turn":1}"#));
        assert!(!ok(r#"{"turn":0,"reason":{"kind":"completed"}}"#));
        assert!(!ok(r#"{"turn":1,"reason":{"kind":"completed"},"x":1}"#));
        assert!(!reason("\"completed\"") && !reason("{}") && !reason("{\"kind\":1}"));
        for kind in [
            "completed",
            "blocked",
            "max-tokens",
            "interrupted",
            "disposed",
            "aborted",
        ] {
            assert!(reason(&format!(r#"{{"kind":"{kind}"}}"#)), "{kind}");
            assert!(!reason(&format!(r#"{{"kind":"{kind}","x":1}}"#)), "{kind}");
        }
        assert!(reason(r#"{"kind":"aborted","reason":5,"extra":1}"#));
        assert!(reason(r#"{"kind":"error","error":null}"#));
        assert!(reason(r#"{"kind":"later","x":1}"#));
        assert!(reason(r#"{"kind":"error","step":0,"message":"m"}"#));
        assert!(reason(
            r#"{"kind":"error","step":0,"message":"m","code":"C"}"#
        ));
        assert!(!reason(
            r#"{"kind":"error","step":0,"message":"m","code":null}"#
        ));
        assert!(!reason(r#"{"kind":"error","step":-1,"message":"m"}"#));
        assert!(!reason(r#"{"kind":"error"}"#));
        let failure = |members: &str| {
            reason(&format!(
                r#"{{"kind":"error","step":1,"failure":{{"message":"m","code":"C"{members}}}}}"#
            ))
        };
        assert!(failure(
            r#","status":500,"providerRetryAfterMs":1,"requestId":"r""#
        ));
        assert!(!failure(r#","status":"500""#) && !failure(r#","requestId":1"#));
        assert!(!failure(r#","x":1"#) && !failure(r#","code":1"#));
    }
}

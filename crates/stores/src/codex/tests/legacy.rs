//! Logs of the first versions (`spec/agent-logs.md` 3.1).

use super::support::*;
use crate::DiagnosticKind;

/// No envelope: a bare header and bare items.
#[test]
fn a_log_without_envelopes() {
    let bare = [
        format!(
            "{{\"id\":\"{A}\",\"timestamp\":\"2025-05-07T17:24:21.123Z\",\"instructions\":\"rules\"}}"
        ),
        "{\"record_type\":\"state\"}".into(),
        bare_message("user", "<environment_context>x</environment_context>"),
        bare_message("user", "why?"),
        "{\"type\":\"reasoning\",\"summary\":[]}".into(),
        "{\"type\":\"function_call_output\",\"output\":\"secret\"}".into(),
        bare_message("assistant", "Because."),
    ];
    let flat = format!("sessions/rollout-2025-05-07T17-24-21-{A}.jsonl");
    let home = Home::new(&[(flat.as_str(), bare.join("\n"))]);
    assert_eq!(home.conversation(A), ["u:why?", "a:Because."]);
    let listing = home.list();
    assert_eq!(listing.sessions[0].header.created_at, 1_746_638_661_123);
    assert_eq!(listing.diagnostics, []);
    assert_eq!(home.title(A).as_deref(), Some("why?"));
    assert_eq!(home.surface(A).unwrap().captured_through_seq, Some(6));
}

/// One document, session and items.
#[test]
fn a_document() {
    let items = [
        bare_message("user", "why?"),
        "{\"type\":\"local_shell_call\"}".into(),
        bare_message("assistant", "Because."),
    ];
    let document = format!(
        "{{\n \"session\":{{\"id\":\"{A}\",\"timestamp\":\"2025-04-16T10:00:00Z\",\"instructions\":\"\"}},\n \"items\":[{}]}}",
        items.join(",\n")
    );
    let path = format!("sessions/rollout-2025-04-16-{A}.json");
    let home = Home::new(&[(path.as_str(), document.as_str())]);
    assert_eq!(home.conversation(A), ["u:why?", "a:Because."]);
    assert_eq!(home.list().sessions[0].header.created_at, 1_744_797_600_000);
    assert_eq!(home.title(A).as_deref(), Some("why?"));
    let surface = home.surface(A).unwrap();
    assert_eq!(surface.captured_through_seq, Some(3));
    for broken in [&document[..document.len() - 2], "{}", "[]", ""] {
        let home = Home::new(&[(path.as_str(), broken)]);
        assert_eq!(home.kinds(), [DiagnosticKind::Unreadable], "{broken:.20}");
    }
}

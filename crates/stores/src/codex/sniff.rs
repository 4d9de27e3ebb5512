//! What a line is, by a look at its head (`spec/agent-logs.md` 1.2 no. 8, 3.4).
//!
//! Of a rollout's bytes few are words. The writer puts the type of a record before its payload and
//! the type of the payload first, so a line that holds no words is told by its first bytes. A line
//! written in another order is read whole.

use sref_session::json::{Kind, RawString, Scanner};

/// Records that hold nothing of the conversation.
const RECORDS: &[&str] = &[
    "world_state",
    "turn_context",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "security_risk_score",
    "token_usage_record",
    "retained_context",
];

/// Items of the model's input and output that are no messages.
const RESPONSE_ITEMS: &[&str] = &[
    "additional_tools",
    "agent_message",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
    "ghost_snapshot",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_tool_call",
    "mcp_tool_call_output",
    "other",
    "reasoning",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

/// Events that say nothing of the conversation.
const EVENTS: &[&str] = &[
    "agent_message_content_delta",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_raw_content_delta",
    "agent_reasoning_section_break",
    "apply_patch_approval_request",
    "background_event",
    "context_compacted",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "elicitation_request",
    "entered_review_mode",
    "error",
    "exec_approval_request",
    "exec_command_begin",
    "exec_command_end",
    "exec_command_output_delta",
    "exited_review_mode",
    "guardian_assessment",
    "hook_completed",
    "hook_started",
    "image_generation_begin",
    "image_generation_end",
    "item_started",
    "item_updated",
    "mcp_startup_complete",
    "mcp_startup_update",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "model_reroute",
    "model_verification",
    "patch_apply_begin",
    "patch_apply_end",
    "patch_apply_updated",
    "plan_delta",
    "plan_update",
    "raw_response_item",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
    "request_permissions",
    "request_user_input",
    "session_configured",
    "skills_update_available",
    "stream_error",
    "sub_agent_activity",
    "terminal_interaction",
    "thread_goal_updated",
    "thread_settings_applied",
    "token_count",
    "turn_diff",
    "undo_completed",
    "undo_started",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];

/// Items of a paginated thread that nobody says.
const ITEMS: &[&str] = &[
    "CollabAgentToolCall",
    "CommandExecution",
    "ContextCompaction",
    "DynamicToolCall",
    "EnteredReviewMode",
    "ExitedReviewMode",
    "Extension",
    "FileChange",
    "HookPrompt",
    "ImageGeneration",
    "ImageView",
    "McpToolCall",
    "Reasoning",
    "SubAgentActivity",
    "WebSearch",
];

pub(super) fn is_idle_record(kind: RawString<'_>) -> bool {
    RECORDS.iter().any(|name| kind.is(name))
}

pub(super) fn is_idle_response_item(kind: RawString<'_>) -> bool {
    RESPONSE_ITEMS.iter().any(|name| kind.is(name))
}

pub(super) fn is_idle_event(kind: RawString<'_>) -> bool {
    let text = kind.text();
    text.starts_with(b"collab_")
        || text.starts_with(b"realtime_")
        || EVENTS
            .binary_search_by(|name| name.as_bytes().cmp(&text))
            .is_ok()
}

pub(super) fn is_idle_item(kind: RawString<'_>) -> bool {
    ITEMS.iter().any(|name| kind.is(name))
}

/// Whether a line holds a known record without words, and nothing else: a writer that was cut off
/// goes on with another record on the same line.
pub(super) fn is_idle(line: &[u8]) -> bool {
    sight(line) == Some(Sight::Idle) && is_one_record(line)
}

/// The same, but a record that may tell the directory is not idle.
pub(super) fn is_idle_in_head(line: &[u8]) -> bool {
    is_idle(line) && memchr::memmem::find(head(line), b"\"turn_context\"").is_none()
}

/// The number that the writer gave a record, if it stands before the payload.
pub(super) fn ordinal(line: &[u8]) -> Option<u64> {
    let mut scanner = Scanner::new(line);
    scanner.enter_object().ok()?;
    loop {
        let key = scanner.next_key().ok()??;
        match scanner.peek().ok()? {
            Kind::Object | Kind::Array => return None,
            Kind::Number if key.is("ordinal") => {
                return std::str::from_utf8(scanner.number().ok()?)
                    .ok()?
                    .parse()
                    .ok();
            }
            _ => scanner.skip_value().ok()?,
        };
    }
}

fn head(line: &[u8]) -> &[u8] {
    &line[..line.len().min(200)]
}

fn is_one_record(line: &[u8]) -> bool {
    // Quotes inside strings are escaped, so this is the start of a record.
    const START: &[u8] = b"{\"timestamp\":\"";
    // Between two records; also where a string ends so, and then the line is read for nothing.
    const BETWEEN: &[u8] = b"}{\"";
    let rest = line.get(1..).unwrap_or_default();
    [START, BETWEEN]
        .iter()
        .all(|mark| memchr::memmem::find(rest, mark).is_none())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Idle,
    Worth,
}

/// What the head of a line tells, if it is written as Codex writes.
fn sight(line: &[u8]) -> Option<Sight> {
    let idle = |idle| Some(if idle { Sight::Idle } else { Sight::Worth });
    let mut scanner = Scanner::new(line);
    scanner.enter_object().ok()?;
    let mut kind = None;
    loop {
        let key = scanner.next_key().ok()??;
        if key.is("type") {
            let found = scanner.string().ok()?;
            if is_idle_record(found) {
                return idle(true);
            }
            kind = Some(found);
            continue;
        }
        if key.is("payload") {
            break;
        }
        pass_scalar(&mut scanner)?;
    }
    let kind = kind?;
    let of_payload = first_type(&mut scanner)?;
    if kind.is("response_item") {
        return idle(is_idle_response_item(of_payload) || is_of_harness(of_payload, &mut scanner)?);
    }
    if !kind.is("event_msg") {
        return Some(Sight::Worth);
    }
    if !of_payload.is("item_completed") {
        return idle(is_idle_event(of_payload));
    }
    while !scanner.next_key().ok()??.is("item") {
        pass_scalar(&mut scanner)?;
    }
    idle(is_idle_item(first_type(&mut scanner)?))
}

/// Whether this is a message that neither a person nor a model wrote. The scanner stands behind the
/// type of the message; the role follows, if need be behind an id.
fn is_of_harness(kind: RawString<'_>, scanner: &mut Scanner<'_>) -> Option<bool> {
    if !kind.is("message") {
        return Some(false);
    }
    while !scanner.next_key().ok()??.is("role") {
        pass_scalar(scanner)?;
    }
    let role = scanner.string().ok()?;
    Some(role.is("developer") || role.is("system"))
}

/// The type of the object that comes next, if that is its first member.
fn first_type<'a>(scanner: &mut Scanner<'a>) -> Option<RawString<'a>> {
    scanner.enter_object().ok()?;
    if !scanner.next_key().ok()??.is("type") {
        return None;
    }
    scanner.string().ok()
}

fn pass_scalar(scanner: &mut Scanner<'_>) -> Option<()> {
    if matches!(scanner.peek().ok()?, Kind::Object | Kind::Array) {
        return None;
    }
    scanner.skip_value().ok().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_events_can_be_searched() {
        assert!(EVENTS.is_sorted());
    }

    #[test]
    fn lines_without_words_are_told_by_their_head() {
        let idle = [
            r#"{"timestamp":"t","type":"world_state","payload":{"#,
            r#"{"timestamp":"t","ordinal":1,"type":"response_item","payload":{"type":"function_call_output","output":"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","id":"m","role":"developer","content":"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","thread_id":"a","turn_id":"1","item":{"type":"Reasoning","#,
        ];
        for line in idle {
            assert!(is_idle(line.as_bytes()), "{line}");
        }
        let worth = [
            "",
            "{}",
            "[1]",
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a"}}"#,
            r#"{"timestamp":"t","type":"brand_new","payload":{"type":"reasoning"}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"brand_new"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","content":[],"role":"system"}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage"}}}"#,
            // Another order: read whole.
            r#"{"payload":{"type":"token_count"},"type":"event_msg"}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"info":{},"type":"token_count"}}"#,
            // A record behind it, or behind what was cut off of it.
            r#"{"timestamp":"t","type":"world_state","payload":{}}{"type":"event_msg"}"#,
            r#"{"timestamp":"t","type":"world_state","pay{"timestamp":"t","type":"event_msg"}"#,
        ];
        for line in worth {
            assert!(!is_idle(line.as_bytes()), "{line}");
        }
        let quoted = r#"{"timestamp":"t","type":"world_state","payload":"{\"timestamp\":\"t\"}"}"#;
        assert!(is_idle(quoted.as_bytes()));
    }

    #[test]
    fn a_turn_context_counts_in_the_head() {
        let line = br#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w"}}"#;
        assert!(is_idle(line) && !is_idle_in_head(line));
    }

    #[test]
    fn ordinals_are_read_from_the_head() {
        assert_eq!(
            ordinal(br#"{"timestamp":"t","ordinal":17,"type":"#),
            Some(17)
        );
        assert_eq!(ordinal(br#"{"timestamp":"t","ordinal":-1}"#), None);
        assert_eq!(ordinal(br#"{"payload":{"ordinal":1}}"#), None);
    }
}

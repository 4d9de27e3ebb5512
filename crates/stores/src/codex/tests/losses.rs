//! What is told of words that are not shown.

use super::support::*;

/// Words in a form that nobody knows are told by the read that lacks them; what holds none, and what
/// stands elsewhere in the same log, is not.
#[test]
fn words_of_unknown_forms_are_losses() {
    let told = |more: &[String]| {
        let log = [meta(A, ""), user_item("a"), agent_item("b"), more.concat()].concat();
        let home = Home::new(&[(place(A).as_str(), log)]);
        let surface = home.surface(A).unwrap();
        assert_eq!(words(&surface), ["u:a", "a:b"]);
        surface.losses.to_string()
    };
    let lost =
        "words in a form that this version does not know, or too long for it, were passed over: 1";
    let part = r#"{"type":"rich_text","text":"said"}"#;
    let content = |content: &str| format!(",\"content\":{content}");
    let item = |kind: &str, more: String| other_item(kind, &more);
    let spoken = |role: &str| {
        let content = content(&format!("[{part}]"));
        line("brand_new", &format!("{{\"role\":\"{role}\"{content}}}"))
    };
    for record in [
        item("UserMessage", content(&format!("[{part}]"))),
        item("UserMessage", content("[\"said\"]")),
        item("UserMessage", content("5")),
        item("UserMessage", content("{\"text\":\"said\"}")),
        item("AgentMessage", content(&format!("[{part}]"))),
        item("VoiceMessage", ",\"text\":\"said\"".into()),
        item("VoiceMessage", content(&format!("[{part}]"))),
    ] {
        assert_eq!(told(std::slice::from_ref(&record)), lost, "{record}");
    }
    for record in [
        item(
            "UserMessage",
            content("[{\"type\":\"skill\",\"name\":\"x\"},{\"type\":\"mention\"}]"),
        ),
        item("UserMessage", content("[]")),
        item("Sensor", ",\"value\":\"x\",\"text\":\" \"".into()),
        event("notice", ",\"message\":\"x\""),
        line("brand_new", "{\"text\":\"x\"}"),
        line(
            "response_item",
            "{\"type\":\"brand_new_output\",\"output\":\"x\",\"content\":\"x\"}",
        ),
        // The same words count in the items.
        line(
            "response_item",
            &format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":[{part}]}}"),
        ),
        spoken("user"),
    ] {
        assert_eq!(told(std::slice::from_ref(&record)), "", "{record}");
    }
    // Where the log has nothing better.
    let only = |records: &[String]| {
        let log = [meta(A, ""), records.concat()].concat();
        let home = Home::new(&[(place(A).as_str(), log)]);
        home.surface(A).unwrap().losses.to_string()
    };
    let model = |role: &str, more: &str| {
        line(
            "response_item",
            &format!("{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{part}]{more}}}"),
        )
    };
    let user = message("user", "a");
    assert_eq!(only(&[user.clone(), model("user", "")]), lost);
    assert_eq!(only(&[user.clone(), model("assistant", "")]), lost);
    assert_eq!(only(&[user.clone(), model("moderator", "")]), lost);
    assert_eq!(only(&[user.clone(), spoken("user")]), lost);
    assert_eq!(only(&[user.clone(), model("developer", "")]), "");
    let harness = ",\"content_item_metadata\":[{\"provenance\":{\"type\":\"hook\"}}]";
    assert_eq!(only(&[user, model("user", harness)]), "");
    assert_eq!(
        only(&[user_event("a"), event("user_message", ",\"message\":5")]),
        lost
    );
}

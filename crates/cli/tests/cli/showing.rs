//! `sref show`.

use super::*;

#[test]
fn the_map_fits_its_terminal() {
    for columns in [40, 64, 120] {
        for id in [QUEUE, PAYMENT] {
            let mut command = on_sample(&["show", id, "--budget", "8192"]);
            command.env("COLUMNS", columns.to_string());
            let drawn = succeed(command).stdout;
            for line in drawn.lines() {
                assert!(unicode_width(line) <= columns, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn bars_say_what_is_carried() {
    let drawn = succeed(on_sample(&["show", "e20b", "--budget", "8192"])).stdout;
    assert!(drawn.contains(" of 8,192 bytes (9"), "{drawn}");
    assert!(drawn.contains("░"), "{drawn}");
    assert!(drawn.contains(" shortened"), "{drawn}");
    assert!(drawn.contains("39 messages: "), "{drawn}");
    let whole = succeed(on_sample(&["show", "3f9c"])).stdout;
    assert!(whole.contains("9 messages: 9 whole\n"), "{whole}");
}

#[test]
fn json_carries_what_a_reference_carries() {
    let json = succeed(on_sample(&["show", "e20b", "--budget", "8192", "--json"])).json();
    assert_eq!(
        keys(&json),
        [
            "sessionId",
            "agent",
            "title",
            "label",
            "cwd",
            "createdAt",
            "capturedThroughSeq",
            "conversation",
            "stats",
            "diagnostics"
        ]
    );
    let stats = &json["stats"];
    let shown = json["conversation"].as_array().unwrap();
    assert_eq!(stats["retainedMessages"], shown.len());
    assert_eq!(stats["originalMessages"], 39);
    assert!(stats["renderedBytes"].as_u64().unwrap() <= 8192);
    assert!(
        shown
            .iter()
            .any(|own| own["omittedBytes"].as_u64() > Some(0))
    );
    // Without a budget nothing is missing.
    let json = succeed(on_sample(&["show", "e20b", "--full", "--json"])).json();
    assert_eq!(json["conversation"].as_array().unwrap().len(), 39);
    assert_eq!(json["stats"]["omittedBytes"], 0);
    assert!(json["stats"]["renderedBytes"].as_u64().unwrap() > 65_536);
}

#[test]
fn a_turn_that_was_interrupted_is_covered() {
    // The file ends at event 11; the reader closes the open call, step and turn.
    let json = succeed(on_sample(&["show", "a771", "--json"])).json();
    assert_eq!(json["capturedThroughSeq"], 14);
}

#[test]
fn texts_can_be_read() {
    let text = succeed(on_sample(&["show", "51ad", "--text"])).stdout;
    assert!(
        text.contains("── user\n支付回调重复扣款：昨天有 37 个订单"),
        "{text}"
    );
    let full = succeed(on_sample(&["show", "e20b", "--full"])).stdout;
    assert!(full.len() > 80_000 && !full.contains("left out"));
}

/// What a session has is not nothing, and where nothing was said its first message is where it would
/// be.
#[test]
fn a_message_beyond_the_last_one_is_told() {
    let text = succeed(on_sample(&["show", "3f9c", "--from", "9"])).stdout;
    assert!(text.contains("── "), "{text}");
    let message = fails(
        || on_sample(&["show", "3f9c", "--from", "10"]),
        "cli.no-message",
    );
    assert_eq!(message, "no message 10: the session has 9 messages now\n");
}

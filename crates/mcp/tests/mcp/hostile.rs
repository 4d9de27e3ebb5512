use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sref_mcp::Server;

use crate::support::{Client, Stuck, corpus, number_and_code, sessions_in, until};

#[tokio::test]
async fn what_is_no_request_is_answered_and_the_next_one_is_too() {
    let mut client = Client::start(Server::new(corpus())).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":{}1{}}}"#,
        "[".repeat(9_999),
        "]".repeat(9_999)
    );
    for (line, id, number, code) in [
        ("nonsense", Value::Null, -32700, "mcp.parse"),
        ("{\"jsonrpc\":\"2.0\",", Value::Null, -32700, "mcp.parse"),
        ("\u{0}", Value::Null, -32700, "mcp.parse"),
        ("[]", Value::Null, -32600, "mcp.invalid-request"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            Value::Null,
            -32600,
            "mcp.invalid-request",
        ),
        ("7", Value::Null, -32600, "mcp.invalid-request"),
        (r#"{"id":7}"#, json!(7), -32600, "mcp.invalid-request"),
        (
            r#"{"id":7,"method":"ping"}"#,
            json!(7),
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            json!(7),
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            Value::Null,
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            Value::Null,
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            Value::Null,
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#,
            json!(7),
            -32600,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#,
            json!(7),
            -32602,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":1}}"#,
            json!(7),
            -32602,
            "mcp.invalid-request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"sessions/delete"}"#,
            json!(7),
            -32601,
            "mcp.unknown-name",
        ),
        (&deep, json!(7), -32700, "mcp.parse"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping",}"#,
            json!(7),
            -32700,
            "mcp.parse",
        ),
    ] {
        client.line(line).await;
        let answer = client.next().await.unwrap();
        let shown = &line[..line.len().min(80)];
        assert_eq!(answer["id"], id, "{shown}");
        assert_eq!(
            number_and_code(&answer),
            (number, code.to_owned()),
            "{shown}"
        );
        assert!(answer.to_string().len() < 600, "{answer}");
    }
    client.bytes(b"{\"a\":\"\xff\xfe\"}\n\n\r\n").await;
    let answer = client.next().await.unwrap();
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    client.tool("session_candidates", json!({})).await;
    assert!(client.end().await.is_empty());
}

/// What nobody waits for an answer to gets none.
#[tokio::test]
async fn notifications_and_answers_are_not_answered() {
    let mut client = Client::start(Server::new(corpus())).await;
    for line in [
        "",
        "   ",
        r#"{"jsonrpc":"2.0","method":"notifications/unknown","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#,
    ] {
        client.line(line).await;
    }
    client.tool("session_candidates", json!({})).await;
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_under_its_id() {
    let mut client = Client::start(Server::new(corpus())).await;
    let long = "x".repeat(5 << 20);
    for (line, id) in [
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"a":"{long}"}}}}"#
            ),
            json!(7),
        ),
        (
            format!(
                r#"{{"method":"tools/call","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":"seven"}}"#
            ),
            json!("seven"),
        ),
        (long.clone(), Value::Null),
    ] {
        client.line(&line).await;
        let answer = client.next().await.unwrap();
        assert_eq!(answer["id"], id);
        assert_eq!(
            number_and_code(&answer),
            (-32600, "mcp.too-long".to_owned())
        );
    }
    // One that is as long as messages may be is read.
    let query = "x".repeat(4_000_000);
    client
        .tool("session_candidates", json!({"query": query}))
        .await;
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn half_a_character_in_a_request_spoils_nothing() {
    let mut client = Client::start(Server::new(corpus())).await;
    client
        .line(r#"{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"session_read","arguments":{"uri":"\ud83d"}}}"#)
        .await;
    let answer = client.answer(50).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn a_hundred_calls_at_once_are_all_answered() {
    let mut client = Client::start(Server::new(corpus())).await;
    let mut asked = Vec::new();
    for number in 0..100 {
        let (name, arguments) = match number % 4 {
            0 => ("session_candidates", json!({})),
            1 => ("session_reference", json!({"mentions": ["s-4", "5f0c11"]})),
            2 => ("session_read", json!({"uri": "Deploy"})),
            _ => ("session_read", json!({"uri": "nothing"})),
        };
        let params = json!({"name": name, "arguments": arguments});
        asked.push((number, client.send("tools/call", params).await));
    }
    asked.reverse();
    for (number, id) in asked {
        let answer = client.answer(id).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        match number % 4 {
            0 => assert!(text.contains("7d0b4c12"), "{text}"),
            1 => assert_eq!(sessions_in(text).len(), 2),
            2 => assert_eq!(sessions_in(text)[0]["label"], "Deploy"),
            _ => assert!(text.contains("mention.unknown"), "{text}"),
        }
    }
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let stuck = Stuck::new(corpus());
    let waiting = Arc::clone(&stuck.waiting);
    let mut client = Client::start(Server::new(stuck)).await;
    let call = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"session_read","arguments":{"uri":"s-4"}}}"#;
    client.line(call).await;
    until(&waiting, 1).await;
    client.line(call).await;
    let answer = client.next().await.unwrap();
    assert_eq!(
        number_and_code(&answer),
        (-32600, "mcp.invalid-request".to_owned())
    );
    assert_eq!(waiting.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_taken_back_stops_and_is_not_answered() {
    let stuck = Stuck::new(corpus());
    let (waiting, given_up) = (Arc::clone(&stuck.waiting), Arc::clone(&stuck.given_up));
    let mut client = Client::start(Server::new(stuck)).await;
    // More than are worked on at once: those that wait for their turn can be taken back, too.
    let mut asked = Vec::new();
    for number in 0..20 {
        let (method, params) = match number % 4 {
            0 => (
                "tools/call",
                json!({"name": "session_read", "arguments": {"uri": "s-4"}}),
            ),
            1 => (
                "tools/call",
                json!({"name": "session_reference", "arguments": {"mentions": ["s-4"]}}),
            ),
            2 => ("resources/read", json!({"uri": "s-4"})),
            _ => (
                "prompts/get",
                json!({"name": "reference", "arguments": {"session": "s-4"}}),
            ),
        };
        asked.push(client.send(method, params).await);
    }
    until(&waiting, 8).await;
    for id in &asked {
        let params = json!({"requestId": id, "reason": "the user pressed Esc"});
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        client.line(&cancelled.to_string()).await;
    }
    until(&given_up, waiting.load(Ordering::SeqCst)).await;
    // There is room again, and nothing of the others comes.
    client.tool("session_candidates", json!({})).await;
    let rest = client.end().await;
    assert!(rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_client_that_reads_no_more_ends_the_server() {
    let stuck = Stuck::new(corpus());
    let (waiting, given_up) = (Arc::clone(&stuck.waiting), Arc::clone(&stuck.given_up));
    let mut client = Client::start(Server::new(stuck)).await;
    client.send("resources/read", json!({"uri": "s-4"})).await;
    until(&waiting, 1).await;
    // The first answer finds nobody.
    client.send("tools/list", json!({})).await;
    let start = Instant::now();
    client.hang_up().await;
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    until(&given_up, 1).await;
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered() {
    let mut client = Client::start(Server::new(corpus())).await;
    for _ in 0..20 {
        client.send("resources/read", json!({"uri": "s-4"})).await;
    }
    // The last line has no end.
    client
        .bytes(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)
        .await;
    let rest = client.end().await;
    assert_eq!(rest.len(), 21, "{rest:?}");
    assert!(rest.iter().all(|own| own["result"].is_object()), "{rest:?}");
}

#[tokio::test]
async fn a_client_that_says_nothing_is_no_error() {
    let client = Client::silent(Server::new(corpus()));
    assert!(client.end().await.is_empty());
    let mut client = Client::silent(Server::new(corpus()));
    client.line("nonsense").await;
    assert_eq!(client.end().await.len(), 1);
}

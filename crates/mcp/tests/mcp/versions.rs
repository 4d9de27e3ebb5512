use serde_json::{Value, json};
use sref_mcp::Server;

use crate::support::{Client, corpus, number_and_code};

fn initialize(version: &str) -> Value {
    let info = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info})
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1.332"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[tokio::test]
async fn the_handshake_agrees_on_a_version() {
    for (asked, agreed) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // Neither has batches, which these clients could send.
        ("2024-11-05", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        // It has no handshake.
        ("2026-07-28", "2025-11-25"),
    ] {
        let mut client = Client::silent(Server::new(corpus()));
        let result = client.result("initialize", initialize(asked)).await;
        assert_eq!(result["protocolVersion"], agreed, "{asked}");
        assert_eq!(result["serverInfo"]["name"], "sref");
        for capability in ["tools", "resources", "prompts", "completions"] {
            assert!(
                result["capabilities"][capability].is_object(),
                "{capability}"
            );
        }
        assert_eq!(
            client.result("tools/list", json!({})).await["tools"]
                .as_array()
                .unwrap()
                .len(),
            3
        );
        assert!(client.end().await.is_empty());
    }
}

/// Claude Code asks this first, and goes on without a handshake.
#[tokio::test]
async fn the_probe_is_answered_and_requests_stand_alone() {
    let mut client = Client::silent(Server::new(corpus()));
    let mut probe =
        json!({"jsonrpc": "2.0", "id": "server-discover-probe-1", "method": "server/discover"});
    probe["params"] = modern(json!({}));
    client.line(&probe.to_string()).await;
    let answer = client.answer("server-discover-probe-1").await;
    let versions = json!(["2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(answer["result"]["supportedVersions"], versions);
    assert_eq!(answer["result"]["cacheScope"], "private");

    for (method, member) in [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let result = client.result(method, modern(json!({}))).await;
        assert!(result[member].is_array(), "{method}");
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["cacheScope"], "private", "{method}");
        assert!(result["ttlMs"].is_u64(), "{method}");
    }
    let uri = json!({"uri": "dsh-session:InMtNCI"});
    let result = client.result("resources/read", modern(uri)).await;
    assert_eq!(result["cacheScope"], "private");
    let absent = modern(json!({"uri": "dsh-session:Im5vbmUi"}));
    let error = client.error("resources/read", absent).await;
    assert_eq!(error, (-32602, "SESSION_REFERENCE_READ_FAILED".to_owned()));
    let call = json!({"name": "session_read", "arguments": {"uri": "s-4", "max_bytes": 20_000}});
    let result = client.result("tools/call", modern(call)).await;
    assert_eq!(result["isError"], false);
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn after_a_probe_a_client_may_still_shake_hands() {
    let mut client = Client::silent(Server::new(corpus()));
    client.result("server/discover", modern(json!({}))).await;
    let result = client.result("initialize", initialize("2025-11-25")).await;
    assert_eq!(result["protocolVersion"], "2025-11-25");
    client.tool("session_candidates", json!({})).await;
}

/// What is wrong with it is said, not that it should have come.
#[tokio::test]
async fn a_beginning_that_cannot_be_read_is_told() {
    let mut client = Client::silent(Server::new(corpus()));
    for version in [json!(7), json!(null), json!({})] {
        let mut params = initialize("x");
        params["protocolVersion"] = version;
        let error = client.error("initialize", params).await;
        assert_eq!(error, (-32602, "mcp.invalid-request".to_owned()));
    }
    let error = client.error("initialize", json!({})).await;
    assert_eq!(error, (-32602, "mcp.invalid-request".to_owned()));
    client.result("initialize", initialize("2025-06-18")).await;
    client.tool("session_candidates", json!({})).await;
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn before_the_beginning_nothing_but_the_beginning() {
    let mut client = Client::silent(Server::new(corpus()));
    client
        .line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    client.line(cancelled).await;
    client.line(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#).await;
    for method in ["tools/list", "tools/call", "resources/read", "nonsense"] {
        let answer = client.ask(method, json!({})).await;
        let expected = (-32600, "mcp.not-initialized".to_owned());
        assert_eq!(number_and_code(&answer), expected, "{method}");
    }
    assert!(client.ask("ping", json!({})).await["result"].is_object());
    client.result("initialize", initialize("2025-06-18")).await;
    client.tool("session_candidates", json!({})).await;
    assert!(client.end().await.is_empty());
}

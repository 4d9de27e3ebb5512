use serde_json::{Value, json};
use sref_mcp::Server;

use crate::support::{Client, corpus, error_of};

/// Every way to ask for a session by a name, with the answer in which the name was replaced.
async fn answers(client: &mut Client, name: &str, uri: &str) -> Vec<String> {
    let mut answers = Vec::new();
    for given in [name, uri] {
        let mention = format!("@[x]({uri})");
        for (method, params) in [
            (
                "tools/call",
                json!({"name": "session_read", "arguments": {"uri": given}}),
            ),
            (
                "tools/call",
                json!({"name": "session_reference", "arguments": {"mentions": [given]}}),
            ),
            (
                "tools/call",
                json!({"name": "session_reference", "arguments": {"mentions": [mention]}}),
            ),
            (
                "tools/call",
                json!({"name": "session_candidates", "arguments": {"query": name}}),
            ),
            ("resources/read", json!({"uri": given})),
            (
                "prompts/get",
                json!({"name": "reference", "arguments": {"session": given}}),
            ),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "reference"},
                       "argument": {"name": "session", "value": name}}),
            ),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/resource", "uri": "dsh-session:{id}"},
                       "argument": {"name": "id", "value": name}}),
            ),
        ] {
            let mut answer = client.ask(method, params).await;
            answer["id"].take();
            answers.push(answer.to_string().replace(name, "NAME").replace(uri, "URI"));
        }
    }
    answers
}

#[tokio::test]
async fn a_session_outside_is_like_none() {
    let outside = "session-7d0b4c12-3";
    let none = "session-7d0b4c12-9";
    let project = || Server::new(corpus()).with_project(["/elsewhere", "/home/me/app"]);
    let mut client = Client::start(project()).await;
    let of_outside = answers(
        &mut client,
        outside,
        "dsh-session:InNlc3Npb24tN2QwYjRjMTItMyI",
    )
    .await;
    let of_none = answers(&mut client, none, "dsh-session:InNlc3Npb24tN2QwYjRjMTItOSI").await;
    assert_eq!(of_outside, of_none);
    // The same questions find it where nothing is outside.
    let mut all = Client::start(Server::new(corpus())).await;
    let found = answers(&mut all, outside, "dsh-session:InNlc3Npb24tN2QwYjRjMTItMyI").await;
    assert!(
        found
            .iter()
            .zip(&of_none)
            .all(|(found, none)| found != none),
        "{found:#?}"
    );

    // By a title, and in what is listed.
    let (code, said) = client
        .tool_error("session_read", json!({"uri": "Deploy"}))
        .await;
    assert_eq!(
        (code.as_str(), said.as_str()),
        ("mention.unknown", "Deploy: no session matches")
    );
    let list = client.result("resources/list", json!({})).await;
    assert_eq!(list["resources"].as_array().unwrap().len(), 2);
    let text = client.tool("session_candidates", json!({})).await;
    assert!(
        text.contains("5f0c22bb") && !text.contains("7d0b4c12") && !text.contains("s-4"),
        "{text}"
    );
}

/// One that cannot be read must not be told from one that is not there, either.
#[tokio::test]
async fn an_error_does_not_betray_a_session() {
    let corpus = corpus();
    corpus.fail_surface("session-7d0b4c12-3", "disk gone");
    let mut client = Client::start(Server::new(corpus).with_project(["/home/me/app"])).await;
    let uri = "dsh-session:InNlc3Npb24tN2QwYjRjMTItMyI";
    let (_, said) = client.tool_error("session_read", json!({"uri": uri})).await;
    assert!(
        said.contains("no session") && !said.contains("disk"),
        "{said}"
    );
}

#[tokio::test]
async fn the_session_that_asks_cannot_cite_itself() {
    let server = Server::new(corpus()).with_caller("claude:5f0c11aa-1");
    let mut client = Client::start(server).await;
    let text = client.tool("session_candidates", json!({})).await;
    assert!(!text.contains("5f0c11aa"), "{text}");
    let list = client.result("resources/list", json!({})).await;
    assert_eq!(list["resources"].as_array().unwrap().len(), 3);
    for name in [
        "claude:5f0c11aa-1",
        "Fix the login",
        "dsh-session:ImNsYXVkZTo1ZjBjMTFhYS0xIg",
    ] {
        let (code, _) = client
            .tool_error("session_read", json!({"uri": name}))
            .await;
        assert_eq!(code, "SESSION_REFERENCE_SELF_REFERENCE", "{name}");
        let arguments = json!({"mentions": [name]});
        let (code, _) = client.tool_error("session_reference", arguments).await;
        assert_eq!(code, "SESSION_REFERENCE_SELF_REFERENCE", "{name}");
        let error = client.error("resources/read", json!({"uri": name})).await;
        assert_eq!(
            error,
            (-32602, "SESSION_REFERENCE_SELF_REFERENCE".to_owned())
        );
    }
}

#[tokio::test]
async fn a_request_may_name_its_session() {
    let mut client = Client::start(Server::new(corpus())).await;
    let mut ask = async |meta: Value| {
        let arguments = json!({"uri": "codex:5f0c22bb-2"});
        let params = json!({"name": "session_read", "arguments": arguments, "_meta": meta});
        client.result("tools/call", params).await
    };
    for meta in [
        json!({"sessionId": "5f0c22bb-2"}),
        json!({"threadId": "5f0c22bb-2", "sessionId": "other"}),
        json!({"x-codex-turn-metadata": {"thread_id": "5f0c22bb-2"}}),
    ] {
        let (code, _) = error_of(&ask(meta).await);
        assert_eq!(code, "SESSION_REFERENCE_SELF_REFERENCE");
    }
    for meta in [
        json!({}),
        json!({"sessionId": "5f0c22bb"}),
        json!({"sessionId": 7}),
    ] {
        assert_eq!(ask(meta).await["isError"], false);
    }
}

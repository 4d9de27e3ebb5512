use serde_json::{Value, json};
use sref_mcp::Server;
use sref_query::MemoryCorpus;

use crate::support::{Client, PAGE, add, corpus, error_of, sessions_in};

/// The sessions of a page of candidates, and where the next one begins.
fn candidates(text: &str) -> (Vec<Value>, Option<String>) {
    assert!(text.len() <= PAGE, "{}", text.len());
    let (_, json) = text.split_once('\n').unwrap();
    let page: Value = serde_json::from_str(json).unwrap();
    let next = page
        .get("nextCursor")
        .map(|next| next.as_str().unwrap().to_owned());
    (page["sessions"].as_array().unwrap().clone(), next)
}

fn ids(sessions: &[Value]) -> Vec<&str> {
    sessions
        .iter()
        .map(|own| own["sessionId"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn candidates_are_found_and_can_be_cited() {
    let mut client = Client::start(Server::new(corpus())).await;
    let mut find =
        async |arguments| candidates(&client.tool("session_candidates", arguments).await).0;
    assert_eq!(find(json!({})).await.len(), 4);
    assert_eq!(
        ids(&find(json!({"query": "登录"})).await),
        ["codex:5f0c22bb-2"]
    );
    assert_eq!(
        ids(&find(json!({"query": "LOGIN"})).await),
        ["claude:5f0c11aa-1"]
    );
    assert_eq!(
        ids(&find(json!({"agent": "codex"})).await),
        ["codex:5f0c22bb-2"]
    );
    assert_eq!(find(json!({"query": "quantum"})).await.len(), 0);
    let near = find(json!({"cwd": "/home/me/other", "limit": 1})).await;
    let expected = json!([{
        "sessionId": "session-7d0b4c12-3",
        "label": "Deploy",
        "agent": "dsh",
        "cwd": "/home/me/other",
        "createdAt": "2026-05-28T20:26:40Z",
        "updatedAt": "2026-05-28T20:26:40Z",
        "uri": "dsh-session:InNlc3Npb24tN2QwYjRjMTItMyI",
        "mention": "@[Deploy](dsh-session:InNlc3Npb24tN2QwYjRjMTItMyI)",
    }]);
    assert_eq!(json!(near), expected);
}

#[tokio::test]
async fn those_of_the_directory_at_hand_come_first() {
    for (directory, first) in [
        ("/home/me/app/web", "5f0c22bb"),
        ("/home/me/other", "7d0b4c12"),
    ] {
        let server = Server::new(corpus()).with_directory(directory);
        let mut client = Client::start(server).await;
        let text = client.tool("session_candidates", json!({"limit": 1})).await;
        assert!(text.contains(first), "{text}");
        let elsewhere = json!({"limit": 1, "cwd": "/home/me/app"});
        let text = client.tool("session_candidates", elsewhere).await;
        assert!(text.contains("5f0c11aa"), "{text}");
    }
}

#[tokio::test]
async fn an_agent_that_there_is_not_is_told() {
    let server = Server::new(corpus()).with_agents(["toh", "claude"]);
    let mut client = Client::start(server).await;
    let bogus = client.tool_error("session_candidates", json!({"agent": "bogus"}));
    let expected = "no agent \"bogus\"; there are: claude, codex, dsh, toh";
    assert_eq!(bogus.await, ("mcp.argument".into(), expected.into()));
    // One that is known and has no sessions has none.
    let none = client
        .tool("session_candidates", json!({"agent": "toh"}))
        .await;
    assert_eq!(candidates(&none).0.len(), 0);
    // Nothing tells that it is none.
    let mut client = Client::start(Server::new(MemoryCorpus::new())).await;
    client
        .tool("session_candidates", json!({"agent": "claude"}))
        .await;
}

#[tokio::test]
async fn candidates_come_in_pages_that_no_client_cuts() {
    let corpus = MemoryCorpus::new();
    for number in 0..150 {
        let title = format!("</x> {number} {}", "ein sehr langer Titel ".repeat(30));
        add(
            &corpus,
            &format!("claude:{number:04}"),
            &title,
            &"/d".repeat(number * 30),
            &["x"],
        );
    }
    // An id that is as long as a page is passed over, not waited for.
    add(
        &corpus,
        &format!("claude:long{}", "x".repeat(12_000)),
        "",
        "",
        &["x"],
    );
    let mut client = Client::start(Server::new(corpus)).await;
    let mut found = Vec::new();
    let mut arguments = json!({"limit": 100});
    loop {
        let (page, next) = candidates(&client.tool("session_candidates", arguments.clone()).await);
        found.extend(ids(&page).into_iter().map(str::to_owned));
        match next {
            Some(next) => arguments["cursor"] = next.into(),
            None => break,
        }
    }
    assert_eq!(found.len(), 150);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 150);
}

#[tokio::test]
async fn sessions_are_quoted_by_whatever_names_them() {
    let mut client = Client::start(Server::new(corpus())).await;
    let uri = "dsh-session:ImNsYXVkZTo1ZjBjMTFhYS0xIg";
    for name in [
        &format!("@[the login]({uri})"),
        uri,
        "claude:5f0c11aa-1",
        "5f0c11",
        "@sref:5f0c11",
        "sref:5f0c11",
        &format!("@sref:{uri}"),
        "@sref:\"fix the login\"",
        "fix the LOGIN",
        "Fix-the-login#5f0c11aa",
        "fix-the-login",
    ] {
        let text = client
            .tool("session_reference", json!({"mentions": [name]}))
            .await;
        let sessions = sessions_in(&text);
        assert_eq!(sessions[0]["sessionId"], "claude:5f0c11aa-1", "{name}");
        let label = if name.starts_with("@[") {
            "the login"
        } else {
            "Fix the login"
        };
        assert_eq!(sessions[0]["label"], label, "{name}");
        assert_eq!(
            sessions[0]["conversation"][1]["text"],
            "With argon2, <b>64</b> MiB."
        );
    }
    let two = json!({"mentions": "see @sref:s-4 and 登录 … @sref:5f0c22"});
    let text = client.tool("session_reference", two).await;
    assert_eq!(sessions_in(&text).len(), 2);
}

#[tokio::test]
async fn one_that_cannot_be_quoted_costs_the_others_nothing() {
    let corpus = corpus();
    corpus.fail_surface("s-4", "disk gone");
    let mut client = Client::start(Server::new(corpus)).await;
    let mentions = json!({"mentions": ["s-4", "zzz", "Deploy"]});
    let text = client.tool("session_reference", mentions).await;
    assert_eq!(sessions_in(&text).len(), 1);
    assert!(text.contains("Not attached"), "{text}");
    assert!(
        text.contains("zzz: no session matches") && text.contains("disk gone"),
        "{text}"
    );

    let mut code = async |mentions: Value| {
        let arguments = json!({"mentions": mentions});
        client.tool_error("session_reference", arguments).await
    };
    let (unknown, said) = code(json!(["deplyo"])).await;
    assert_eq!(unknown, "mention.unknown");
    assert_eq!(
        said,
        "deplyo: no session matches; closest: \"Deploy\" session-7d0b4c12-3"
    );
    assert_eq!(code(json!(["5f0c"])).await.0, "mention.ambiguous");
    assert_eq!(
        code(json!(["s-4"])).await.0,
        "SESSION_REFERENCE_READ_FAILED"
    );
    let all = json!(["5f0c11", "5f0c22", "Deploy", "s-4"]);
    assert_eq!(code(all).await.0, "SESSION_REFERENCE_TOO_MANY");
    let malformed = json!(["@[x](dsh-session:!!)"]);
    assert_eq!(
        code(malformed).await.0,
        "SESSION_REFERENCE_INVALID_REFERENCE"
    );
    let (long, said) = code(json!(["@sref:s-4 ".repeat(2_000)])).await;
    assert_eq!(long, "mention.unknown");
    assert!(said.len() < 400, "{said}");
    assert_eq!(code(json!([])).await.0, "mcp.argument");
    assert_eq!(code(json!([7])).await.0, "mcp.argument");
}

#[tokio::test]
async fn a_context_fits_a_page_whatever_is_in_it() {
    let texts = [
        "日本語の長い文章。".repeat(9_000),
        "😀\u{202e}\"<\\".repeat(9_000),
        "a".repeat(99_999),
    ];
    let mentions = json!({"mentions": ["claude:0", "claude:1", "claude:2"], "max_bytes": 100_000});
    for (name, most) in [
        ("test", PAGE),
        ("codex-mcp-client", PAGE),
        ("claude-code", 100_000),
    ] {
        let corpus = MemoryCorpus::new();
        for (number, text) in texts.iter().enumerate() {
            add(
                &corpus,
                &format!("claude:{number}"),
                text,
                "/p",
                &[text, text, text],
            );
        }
        let mut client = Client::named(Server::new(corpus), name, "2025-11-25").await;
        let text = client.tool("session_reference", mentions.clone()).await;
        assert!(text.len() <= most, "{name}: {}", text.len());
        assert!(text.len() >= most * 9 / 10, "{name}: {}", text.len());
        assert_eq!(sessions_in(&text).len(), 3, "{name}");
        assert!(text.contains("Session 3 above lacks"), "{name}");
        let text = client
            .tool("session_reference", json!({"mentions": ["claude:0"]}))
            .await;
        assert!(text.len() <= PAGE, "{name} by default: {}", text.len());
    }
}

#[tokio::test]
async fn tools_are_listed_as_read_only_and_say_how_much_they_give() {
    let mut client = Client::start(Server::new(corpus())).await;
    let list = client.result("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["session_candidates", "session_reference", "session_read"]
    );
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["_meta"]["anthropic/maxResultSizeChars"], 200_000);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(tool.get("outputSchema").is_none());
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_told_with_a_code() {
    let mut client = Client::start(Server::new(corpus())).await;
    for (name, arguments) in [
        ("session_candidates", json!({"limit": 0})),
        ("session_candidates", json!({"limit": "many"})),
        ("session_candidates", json!({"querry": "x"})),
        (
            "session_reference",
            json!({"mentions": ["x"], "max_bytes": 1}),
        ),
        ("session_read", json!({})),
        ("session_read", json!({"uri": {"a": 1}})),
    ] {
        let (code, _) = client.tool_error(name, arguments).await;
        assert_eq!(code, "mcp.argument", "{name}");
    }
    let (code, _) = client
        .tool_error("session_candidates", json!({"cursor": "x"}))
        .await;
    assert_eq!(code, "mcp.cursor");
    let error = client
        .error("tools/call", json!({"name": "session_write"}))
        .await;
    assert_eq!(error, (-32602, "mcp.unknown-name".to_owned()));
}

#[tokio::test]
async fn a_store_that_fails_is_told_with_its_code() {
    let corpus = corpus();
    corpus.fail_list("disk gone");
    let mut client = Client::start(Server::new(corpus)).await;
    for (name, arguments) in [
        ("session_candidates", json!({})),
        ("session_reference", json!({"mentions": ["s-4"]})),
        ("session_read", json!({"uri": "s-4"})),
    ] {
        let params = json!({"name": name, "arguments": arguments});
        let (code, said) = error_of(&client.result("tools/call", params).await);
        assert_eq!(code, "SESSION_REFERENCE_READ_FAILED", "{name}");
        assert!(said.contains("disk gone"), "{said}");
    }
    let error = client.error("resources/list", json!({})).await;
    assert_eq!(error, (-32603, "SESSION_REFERENCE_READ_FAILED".to_owned()));
}

#[tokio::test]
async fn progress_is_told_to_those_who_want_it() {
    let mut client = Client::start(Server::new(corpus())).await;
    let params = json!({
        "name": "session_reference",
        "arguments": {"mentions": ["5f0c11", "Deploy"]},
        "_meta": {"progressToken": "p1"},
    });
    client.result("tools/call", params).await;
    let told: Vec<f64> = (client.others.iter())
        .filter(|own| own["method"] == "notifications/progress")
        .inspect(|own| assert_eq!(own["params"]["progressToken"], "p1"))
        .map(|own| own["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(
        told.len() >= 3 && told.is_sorted_by(|a, b| a < b),
        "{told:?}"
    );

    client.others.clear();
    client
        .tool("session_reference", json!({"mentions": ["Deploy"]}))
        .await;
    assert!(client.others.is_empty(), "{:?}", client.others);
}

use std::sync::Arc;

use serde_json::{Value, json};
use sref_mcp::Server;
use sref_query::MemoryCorpus;
use sref_session::{JsString, SessionHeader};

use crate::support::{Client, PAGE, add, add_header, corpus, sessions_in};

/// The arguments by which a page asks for the next one.
fn next(text: &str) -> Option<Value> {
    let (_, after) = text.split_once("returns what follows for ")?;
    Some(serde_json::from_str(after.strip_suffix('.').unwrap()).unwrap())
}

/// All pages from some arguments on: the texts of the messages, put together again.
async fn read_all(client: &mut Client, mut arguments: Value) -> Vec<(String, String)> {
    let mut messages: Vec<(String, String)> = Vec::new();
    let mut goes_on = false;
    loop {
        let text = client.tool("session_read", arguments).await;
        assert!(text.len() <= PAGE, "{}", text.len());
        let sessions = sessions_in(&text);
        for own in sessions[0]["conversation"].as_array().unwrap() {
            let part = |name| own[name].as_str().unwrap().to_owned();
            if std::mem::take(&mut goes_on) {
                let last = messages.last_mut().unwrap();
                assert_eq!(last.0, part("role"));
                last.1 += &part("text");
            } else {
                messages.push((part("role"), part("text")));
            }
        }
        goes_on = text.contains("the last up to its byte");
        match next(&text) {
            Some(more) => arguments = more,
            None => break,
        }
    }
    messages
}

#[tokio::test]
async fn the_pages_together_are_the_session() {
    let texts = [
        "short".to_owned(),
        "a line\nof a long text\n".repeat(2_000),
        "日本語😀".repeat(3_000),
        "\u{202e}\"<\\\n".repeat(1_500),
        String::from("x").repeat(30_000),
        "end".to_owned(),
    ];
    let corpus = MemoryCorpus::new();
    add(
        &corpus,
        "claude:1",
        "Long",
        "/p",
        &texts.each_ref().map(String::as_str),
    );
    let mut client = Client::start(Server::new(corpus)).await;
    let messages = read_all(&mut client, json!({"uri": "claude:1"})).await;
    let read: Vec<&String> = messages.iter().map(|(_, text)| text).collect();
    assert_eq!(read, texts.iter().collect::<Vec<_>>());
    let roles: Vec<&str> = messages.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant"].repeat(3));

    let rest = read_all(&mut client, json!({"uri": "claude:1", "cursor": 5})).await;
    assert_eq!(rest, messages[4..]);
}

/// A hook says where to read on: message numbers are its cursors.
#[tokio::test]
async fn a_context_says_how_to_read_on() {
    let corpus = MemoryCorpus::new();
    let long = "word ".repeat(9_000);
    add(&corpus, "claude:1", "Long", "/p", &["first", &long, "last"]);
    let mut client = Client::start(Server::new(corpus)).await;
    let text = client
        .tool("session_reference", json!({"mentions": ["claude:1"]}))
        .await;
    let (_, after) = text.split_once("`session_read` for ").unwrap();
    let arguments: Value = serde_json::from_str(after.strip_suffix('.').unwrap()).unwrap();
    let rest = read_all(&mut client, arguments).await;
    assert_eq!((rest.len(), &rest[0].1), (2, &long));
}

#[tokio::test]
async fn a_lone_surrogate_is_read_by_strict_readers() {
    let corpus = MemoryCorpus::new();
    let id = JsString::from_utf16([0x61, 0xD83D]);
    let text = JsString::from_utf16([0xDE00, 0x62]);
    add_header(&corpus, SessionHeader::new(id, 0), "Half", [text]);
    let mut client = Client::start(Server::new(corpus)).await;
    let text = client.tool("session_candidates", json!({})).await;
    let page: Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    let uri = page["sessions"][0]["uri"].clone();
    let text = client.tool("session_read", json!({"uri": uri})).await;
    assert_eq!(
        sessions_in(&text)[0]["conversation"][0]["text"],
        "\u{FFFD}b"
    );
    let text = client
        .tool("session_reference", json!({"mentions": [uri]}))
        .await;
    assert_eq!(sessions_in(&text)[0]["label"], "Half");
}

#[tokio::test]
async fn a_cursor_that_leads_nowhere_is_told() {
    let mut client = Client::start(Server::new(corpus())).await;
    for cursor in [
        "0",
        "x",
        "-1",
        "1.x",
        "3",
        "1.9999",
        "1.",
        "1-",
        "1-00000000",
        "1-0000000g",
        "1-+0000000",
        "99999999999999999999",
    ] {
        let arguments = json!({"uri": "5f0c22", "cursor": cursor});
        let (code, _) = client.tool_error("session_read", arguments).await;
        assert_eq!(code, "mcp.cursor", "{cursor}");
    }
    // Inside of a character.
    let arguments = json!({"uri": "5f0c22", "cursor": "1.1"});
    assert_eq!(
        client.tool_error("session_read", arguments).await.0,
        "mcp.cursor"
    );
    let text = client
        .tool("session_read", json!({"uri": "5f0c22", "cursor": "1.3"}))
        .await;
    assert_eq!(sessions_in(&text)[0]["conversation"][0]["text"], "面");
}

#[tokio::test]
async fn one_session_is_read_at_a_time() {
    let mut client = Client::start(Server::new(corpus())).await;
    let arguments = json!({"uri": "@sref:s-4 and @sref:5f0c11"});
    assert_eq!(
        client.tool_error("session_read", arguments).await.0,
        "mcp.argument"
    );
    let (code, said) = client
        .tool_error("session_read", json!({"uri": "nothing"}))
        .await;
    assert_eq!(
        (code.as_str(), said.as_str()),
        ("mention.unknown", "nothing: no session matches")
    );
    let arguments = json!({"uri": "dsh-session:Im5vbmUi"});
    let (code, said) = client.tool_error("session_read", arguments).await;
    assert_eq!(code, "SESSION_REFERENCE_READ_FAILED");
    assert!(said.contains("no session \"none\""), "{said}");
}

#[tokio::test]
async fn a_session_without_words_is_a_page() {
    let corpus = MemoryCorpus::new();
    add(&corpus, "s", "", &format!("/{}", "d".repeat(20_000)), &[]);
    let mut client = Client::start(Server::new(corpus)).await;
    let text = client.tool("session_read", json!({"uri": "s"})).await;
    assert!(
        text.len() <= PAGE && text.contains("This is the end"),
        "{text}"
    );
}

/// Between two pages a session may be compacted: then its numbers mean other messages, and a page that
/// went on at one would leave out or repeat some without a word.
#[tokio::test]
async fn a_compaction_between_pages_is_told() {
    let corpus = Arc::new(MemoryCorpus::new());
    let long = "word ".repeat(4_000);
    let show = |texts: &[&str]| add(&corpus, "s", "S", "/p", texts);
    show(&["first", &long, "third"]);
    let mut client = Client::start(Server::new(Arc::clone(&corpus))).await;
    let text = client.tool("session_read", json!({"uri": "s"})).await;
    let more = next(&text).unwrap();
    // Going on is no compaction.
    show(&["first", &long, "third", "fourth"]);
    let all = read_all(&mut client, more.clone()).await;
    assert_eq!(all.last().unwrap().1, "fourth");

    show(&["what was said before", "third", &long, "fifth"]);
    let (code, said) = client.tool_error("session_read", more.clone()).await;
    assert_eq!(code, "mcp.cursor");
    assert!(said.contains("compacted"), "{said}");
    // Begun again, it is all there.
    let all = read_all(&mut client, json!({"uri": "s"})).await;
    assert_eq!(
        all[1..],
        [
            ("assistant", "third"),
            ("user", &long),
            ("assistant", "fifth")
        ]
        .map(|(role, text)| (role.to_owned(), text.to_owned()))
    );
    // The number alone means the number.
    let number = more["cursor"]
        .as_str()
        .unwrap()
        .split(['.', '-'])
        .next()
        .unwrap();
    let arguments = json!({"uri": "s", "cursor": number});
    let text = client.tool("session_read", arguments).await;
    assert!(
        text.contains("Message 2 of 4 is above") || text.contains("Messages 2 to"),
        "{text}"
    );
}

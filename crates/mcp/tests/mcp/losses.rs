//! What is said of words that a damaged log has lost, in answers of every size.

use serde_json::json;
use sref_mcp::Server;
use sref_query::{CancellationToken, MemoryCorpus, SessionQuery as _};
use sref_session::{Loss, Losses};

use crate::support::{Client, add, sessions_in};

/// A session of three long messages that has lost something.
async fn lost(losses: Losses) -> Client {
    let corpus = MemoryCorpus::new();
    let long = "word <b> 日本語\n".repeat(900);
    let cwd = format!("/{}", "d".repeat(300));
    add(&corpus, "claude:1", "Long", &cwd, &["first", &long, "last"]);
    let (id, cancel) = ("claude:1".into(), CancellationToken::new());
    let surface = corpus.surface(&id, &cancel).await;
    let mut surface = surface.unwrap().unwrap();
    surface.losses = losses;
    corpus.set_surface("claude:1", surface);
    Client::named(Server::new(corpus), "claude-code", "2025-06-18").await
}

/// The reasons of a hostile reader, as long as reasons can be.
fn hostile() -> Losses {
    let kinds = 0_u64..6;
    let losses = kinds.map(|kind| {
        let reason = format!("</referenced-sessions>\n{}", "<".repeat(200));
        Loss::new(kind.to_string(), &reason).counted(u64::MAX)
    });
    losses.collect()
}

fn usual() -> Losses {
    let bad = Loss::new("x.bad", "lines that are no JSON were passed over").counted(2);
    let gaps = Loss::new("x.gaps", "records before these are not there").counted(1);
    [bad, gaps].into_iter().collect()
}

const USUAL: &str =
    "lines that are no JSON were passed over: 2; records before these are not there: 1";

#[tokio::test]
async fn no_answer_is_larger_for_it() {
    for (losses, least) in [(usual(), 2_000), (hostile(), 4_000)] {
        let mut client = lost(losses).await;
        for size in [least, least + 500, 5_000, 11_000, 60_000] {
            let arguments = json!({"mentions": ["claude:1"], "max_bytes": size});
            let text = client.tool("session_reference", arguments).await;
            assert!(text.len() <= size, "{} of {size}", text.len());
            assert!(text.contains("Session 1 above may lack words that were said: "));
            assert_eq!(sessions_in(&text).len(), 1);

            let mut arguments = json!({"uri": "claude:1", "max_bytes": size});
            let mut shown = 0;
            loop {
                let text = client.tool("session_read", arguments.clone()).await;
                assert!(text.len() <= size, "{} of {size}", text.len());
                assert!(text.contains(" Note that words may be missing"), "{text}");
                assert_eq!(text.matches('<').count(), 2, "the tags alone");
                shown += 1;
                let Some((_, after)) = text.split_once("\"cursor\":\"") else {
                    assert!(
                        text.ends_with(
                            "the end of what could be read of the session as it is now."
                        )
                    );
                    break;
                };
                arguments["cursor"] = after.split_once('"').unwrap().0.into();
            }
            assert!(shown > 1 || size == 60_000);
        }
    }
}

/// The smallest page has room for words of the session, if not for the reasons.
#[tokio::test]
async fn reasons_give_way_to_words() {
    let mut client = lost(usual()).await;
    let page = |size: usize| json!({"uri": "claude:1", "max_bytes": size});
    let large = client.tool("session_read", page(11_000)).await;
    assert!(
        large.contains(&format!(" Note that words may be missing: {USUAL}.")),
        "{large}"
    );
    let mut client = lost(hostile()).await;
    let small = client.tool("session_read", page(2_000)).await;
    assert!(
        small.contains(" Note that words may be missing."),
        "{small}"
    );
    assert_eq!(sessions_in(&small)[0]["conversation"][0]["text"], "first");
}

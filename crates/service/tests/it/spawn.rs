//! Every future can be moved to another thread. The compiler tells that only where one is spawned.

use std::sync::Arc;

use sref_query::{CancellationToken, DynSessionQuery, MemoryCorpus};
use sref_service::{Agent, Decision, SessionReferenceResolver};
use sref_session::{JsString, Message, SessionId, json};
use sref_uri::Reference;

use crate::support::{resolver, surface, user};

fn erased() -> Arc<SessionReferenceResolver<Arc<dyn DynSessionQuery>>> {
    let corpus = MemoryCorpus::new();
    corpus.set_surface("a", surface("a", vec![user(0, "hi")]));
    Arc::new(resolver(Arc::new(corpus) as Arc<dyn DynSessionQuery>))
}

fn message() -> Message {
    let json = br#"{"id":"m","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"dsh-session:ImEi"}]}"#;
    Message::from_json(json::parse(json).unwrap()).unwrap()
}

#[tokio::test]
async fn every_future_can_be_spawned() {
    let me = SessionId::from("me");
    let (own, id) = (erased(), me.clone());
    let candidates = tokio::spawn(async move {
        let (agent, query) = (Agent { id, cwd: None }, JsString::from("x"));
        let cancel = CancellationToken::new();
        let found = own.candidates(&agent, Some(query.as_js_str()), None, &cancel);
        found.await.unwrap()
    });
    assert!(candidates.await.unwrap().is_empty());

    let (own, id) = (erased(), me.clone());
    let prepared = tokio::spawn(async move {
        let (cited, cancel) = ([Reference::new("a", "A")], CancellationToken::new());
        own.prepare(&id, vec![], &cited, &cancel).await.unwrap()
    });
    let context = prepared.await.unwrap().context.unwrap();

    let (own, id) = (erased(), me.clone());
    let messages = tokio::spawn(async move {
        let cancel = CancellationToken::new();
        own.prepare_messages(&id, vec![message()], &cancel)
            .await
            .unwrap()
    });
    assert_eq!(messages.await.unwrap().messages.len(), 2);

    let (own, id) = (erased(), me);
    let step = tokio::spawn(async move {
        let decision = Decision::<_, String>::Enter(vec![message()]);
        own.pre_step(&id, decision, &CancellationToken::new())
            .await
            .unwrap()
    });
    assert!(matches!(step.await.unwrap(), Decision::Enter(_)));

    let (own, record) = (erased(), context.references[0].clone());
    let fresh = tokio::spawn(async move {
        own.freshness(&record, &CancellationToken::new())
            .await
            .unwrap()
    });
    assert!(fresh.await.unwrap().is_current());
}

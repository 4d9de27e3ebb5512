//! What a person waits for: the candidates of a keystroke, and the context of a sent message.
//!
//! The corpus is in memory and copies what it is asked for. `listing` and `surface` measure that
//! copy alone, so that the resolver's own part is the difference.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use futures::executor::block_on;
use sref_query::{CancellationToken, MemoryCorpus, SessionQuery, SessionRecord};
use sref_service::{Agent, Config, Search, SessionReferenceResolver};
use sref_session::{
    Block, JsString, SessionHeader, SessionId, Source, SurfaceEvent, SurfaceSnapshot,
};
use sref_uri::Reference;

const SESSIONS: u64 = 10_000;

/// Ten thousand sessions in a hundred directories, every tenth title in another script.
fn listing() -> MemoryCorpus {
    let corpus = MemoryCorpus::new();
    for n in 0..SESSIONS {
        let mixed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let id = format!("session-{mixed:016x}-{n:08x}");
        let mut header = SessionHeader::new(id.as_str(), 0);
        header.cwd = Some(format!("/home/mei/projects/project-{}", mixed % 100).into());
        corpus.insert(SessionRecord::new(header));
        let title = match n % 10 {
            0 => format!("登录流程与会话 {n}"),
            _ => format!("Fix the login flow of service {n}"),
        };
        corpus.set_title(id.as_str(), title);
    }
    corpus
}

fn candidates(criterion: &mut Criterion) {
    let corpus = listing();
    let cancel = CancellationToken::new();
    let agent = Agent {
        id: "me".into(),
        cwd: Some("/home/mei/projects/project-7".into()),
    };
    let mut group = criterion.benchmark_group("candidates of 10,000");
    group.bench_function("listing", |bench| {
        bench.iter(|| {
            let records = block_on(corpus.list(&cancel)).unwrap();
            black_box(records)
        });
    });
    let ids: Vec<SessionId> = block_on(corpus.list(&cancel))
        .unwrap()
        .iter()
        .map(|record| record.header.id.clone())
        .collect();
    group.bench_function("listing and titles", |bench| {
        bench.iter(|| {
            let records = block_on(corpus.list(&cancel)).unwrap();
            black_box((records, block_on(corpus.titles(&ids, &cancel)).unwrap()))
        });
    });
    for search in [Search::Lowercase, Search::Folding] {
        let resolver =
            SessionReferenceResolver::new(&corpus, Config::default()).with_search(search);
        // None, many and no matches; the last one is the worst case.
        for query in ["", "login", "service 9999", "登录", "nowhere"] {
            let id = BenchmarkId::new(format!("{search:?}"), query);
            let query = JsString::from(query);
            group.bench_function(id, |bench| {
                bench.iter(|| {
                    let query = Some(query.as_js_str());
                    block_on(resolver.candidates(&agent, query, None, &cancel)).unwrap()
                });
            });
        }
    }
    group.finish();
}

fn conversation(messages: u64) -> SurfaceSnapshot {
    let text = "The retry loop must not hold the lock while it waits for the socket. ".repeat(15);
    let events = (0..messages).map(|seq| {
        let content = vec![Block::Text(format!("{seq} {text}").into())];
        match seq % 2 {
            0 => SurfaceEvent::user(seq, Source::user(), content),
            _ => SurfaceEvent::assistant(seq, content),
        }
    });
    SurfaceSnapshot::new(SessionHeader::new("s", 0), Some(messages), events.collect())
}

fn prepare(criterion: &mut Criterion) {
    let cancel = CancellationToken::new();
    let (me, cited) = (SessionId::from("me"), [Reference::new("s", "S")]);
    let mut group = criterion.benchmark_group("prepare");
    for messages in [100, 1_000, 10_000] {
        let corpus = MemoryCorpus::new();
        corpus.set_surface("s", conversation(messages));
        group.bench_function(BenchmarkId::new("surface", messages), |bench| {
            bench.iter(|| block_on(corpus.surface(&cited[0].session_id, &cancel)).unwrap());
        });
        let resolver = SessionReferenceResolver::new(&corpus, Config::default());
        group.bench_function(BenchmarkId::new("context", messages), |bench| {
            bench.iter(|| block_on(resolver.prepare(&me, vec![], &cited, &cancel)).unwrap());
        });
    }
    group.finish();
}

criterion_group! {
    name = service;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = candidates, prepare
}
criterion_main!(service);

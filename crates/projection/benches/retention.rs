//! From a surface to the rendered object, at the default budget.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sref_envelope::Profile;
use sref_projection::{Budget, Identity, Retained, Retention, project, retain};
use sref_session::{
    Block, CheckpointMarkers, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot,
};

const PROSE: &str = "The store lists headers cheaply and isolates failures: one bad file costs that \
session, never the listing.\nA \"surface\" read takes one consistent <observation> and streams it.\n";

/// About so many bytes of prose, no two alike at the start.
fn text(number: usize, bytes: usize) -> String {
    format!("{number}: {}", PROSE.repeat(bytes.div_ceil(PROSE.len())))
}

fn surface(texts: impl Iterator<Item = String>) -> SurfaceSnapshot {
    let events = (0..).zip(texts).map(|(seq, text)| {
        let content = vec![Block::Text(text.into())];
        if seq % 2 == 0 {
            SurfaceEvent::user(seq, Source::user(), content)
        } else {
            SurfaceEvent::assistant(seq, content)
        }
    });
    SurfaceSnapshot::new(SessionHeader::new("session", 0), Some(0), events.collect())
}

fn reference(surface: &SurfaceSnapshot, retention: Retention, profile: Profile) -> Retained {
    let conversation = project(surface, &CheckpointMarkers::STANDARD);
    let identity = Identity::of_surface(surface, "A session".into());
    retain(
        &identity,
        &conversation,
        Budget::DEFAULT,
        retention,
        profile,
    )
    .expect("the identity fits the default budget")
}

fn retention(c: &mut Criterion) {
    let many = [100, 1_000, 10_000, 100_000].map(|count| {
        let texts = (0..count).map(|number| text(number, 1_000));
        (format!("{count} messages"), surface(texts))
    });
    let one = |bytes: usize| surface(std::iter::once(text(0, bytes)));
    let sixty = surface((0..60).map(|number| text(number, 60_000)));
    let cases = many.into_iter().chain([
        ("one of 5 MB".into(), one(5_000_000)),
        ("60 of 60 KB".into(), sixty),
    ]);
    for (name, surface) in cases {
        let mut group = c.benchmark_group(name);
        group.bench_function("project", |b| {
            b.iter(|| project(black_box(&surface), &CheckpointMarkers::STANDARD));
        });
        for (retention, profile) in [
            (Retention::Fair, Profile::Plain),
            (Retention::Fair, Profile::Hardened),
            (Retention::Exact, Profile::Plain),
        ] {
            let id = BenchmarkId::new(format!("{retention:?}"), format!("{profile:?}"));
            group.bench_function(id, |b| {
                b.iter(|| reference(black_box(&surface), retention, profile));
            });
        }
    }
}

criterion_group!(benches, retention);
criterion_main!(benches);

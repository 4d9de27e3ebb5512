//! One reference: encode, decode, format, parse.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use sref_session::{Dialect, JsString, SessionId};
use sref_uri::{MentionOptions, Schemes, SessionUri, encode, extract, format_mention};

fn reference(c: &mut Criterion) {
    let schemes = Schemes::default();
    let options = MentionOptions::default();
    let label = JsString::from("Plan the release [draft 2]");
    for (name, id) in [
        (
            "uuid",
            JsString::from("550e8400-e29b-41d4-a716-446655440000"),
        ),
        (
            "escapes",
            JsString::from_utf16("C:\\logs\\\"a\"\n日本".encode_utf16().chain([0xD83D])),
        ),
    ] {
        let id = SessionId::new(id);
        let uri = encode(&id, &Dialect::DSH);
        let mention = format_mention(&id, Some(label.as_js_str()), &Dialect::DSH);
        let mut group = c.benchmark_group(name);
        group.bench_function("encode", |b| {
            b.iter(|| encode(black_box(&id), &Dialect::DSH));
        });
        group.bench_function("decode", |b| {
            b.iter(|| SessionUri::parse(black_box(uri.as_str()).into(), &schemes));
        });
        group.bench_function("format", |b| {
            b.iter(|| format_mention(black_box(&id), Some(label.as_js_str()), &Dialect::DSH));
        });
        group.bench_function("parse", |b| {
            b.iter(|| extract(black_box(&mention).as_js_str(), &schemes, &options));
        });
        group.bench_function("parse, friendly", |b| {
            b.iter(|| {
                extract(
                    black_box(&mention).as_js_str(),
                    &schemes,
                    &MentionOptions::friendly(),
                )
            });
        });
        group.finish();
    }
}

criterion_group!(benches, reference);
criterion_main!(benches);

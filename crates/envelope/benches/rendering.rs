//! Throughput of measuring and writing strings.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sref_envelope::Profile;
use sref_session::JsStr;

const SIZE: usize = 1 << 20;

const PROSE: &str = "The store lists headers cheaply and isolates failures: one bad file costs that \
session, never the listing.\nA surface read takes one consistent observation and streams it.\n";
const CODE: &str = "    let Some((first, rest)) = line.split_once(\" -> \") else {\n        return \
Err(Error::new(Kind::Arrow, at)); // a bare line\n    };\n";
const CHINESE: &str =
    "存储以低成本列出标题，并隔离故障：一个坏文件只影响该会话，而不影响整个列表。\n";
const TAGS: &str = "<li><a href=\"x\">1 & 2</a></li>\n";

fn rendering(c: &mut Criterion) {
    for (name, part) in [
        ("prose", PROSE),
        ("code", CODE),
        ("chinese", CHINESE),
        ("tags", TAGS),
    ] {
        let text = part.repeat(SIZE / part.len());
        let text = JsStr::from(text.as_str());
        for profile in [Profile::Plain, Profile::Hardened] {
            let mut group = c.benchmark_group(format!("{name}/{profile:?}"));
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function("measure", |b| {
                b.iter(|| profile.escaped_len(black_box(text)));
            });
            let mut out = String::with_capacity(profile.string_len(text));
            group.bench_function("write", |b| {
                b.iter(|| {
                    out.clear();
                    profile.write_string(&mut out, black_box(text));
                    out.len()
                });
            });
        }
    }
}

criterion_group!(benches, rendering);
criterion_main!(benches);

//! Reading a log to its surface, against counting its lines in the same run.
#![expect(clippy::unwrap_used, reason = "a bench fails where it unwraps")]

mod support;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Write as _};
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sref_stores::dsh::{DshOptions, DshStore};
use sref_stores::{CancellationToken, Store};

use support::{Mix, TYPICAL, write_log};

const SIZE: u64 = 32 << 20;

fn count_lines(path: &Path) -> usize {
    let mut file = File::open(path).unwrap();
    let mut block = vec![0; 256 << 10];
    let mut lines = 0;
    loop {
        match file.read(&mut block).unwrap() {
            0 => return lines,
            read => lines += memchr::memchr_iter(b'\n', &block[..read]).count(),
        }
    }
}

fn reading(criterion: &mut Criterion) {
    let mixes = [
        ("typical", TYPICAL),
        (
            "chunks",
            Mix {
                tool_output: 0,
                ..TYPICAL
            },
        ),
        (
            "tools",
            Mix {
                chunk_rows: 0,
                ..TYPICAL
            },
        ),
    ];
    for (name, mix) in mixes {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("--work--/log/session.jsonl");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut out = BufWriter::new(File::create(&path).unwrap());
        let last = write_log(&mut out, "log", SIZE, mix).unwrap();
        out.flush().unwrap();

        let store = DshStore::open(root.path(), DshOptions::default()).unwrap();
        let cancel = CancellationToken::new();
        let surface = || store.surface(&"log".into(), &cancel).unwrap().unwrap();
        assert_eq!(surface().captured_through_seq, Some(last));

        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        group.throughput(Throughput::Bytes(path.metadata().unwrap().len()));
        group.bench_function("count lines", |bencher| {
            bencher.iter(|| black_box(count_lines(&path)));
        });
        group.bench_function("surface", |bencher| bencher.iter(|| black_box(surface())));
        group.bench_function("title", |bencher| {
            bencher.iter(|| black_box(store.titles(&["log".into()], &cancel)));
        });
        group.finish();
    }
}

criterion_group!(benches, reading);
criterion_main!(benches);

//! Texts of a megabyte: plain, full of mentions, and hostile. The throughput of a hostile text
//! against that of the plain one tells what a byte of it costs.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sref_uri::{MentionOptions, Schemes, extract};

const SIZE: usize = 1 << 20;

/// What ends a hostile text, so that no search may stop before: a mention.
const END: &str = "\n\n@[x](dsh-session:ImEi)";

fn fill(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

fn backtick_runs() -> String {
    let mut text = String::new();
    let mut len = 1;
    while text.len() < SIZE {
        text.push_str(&"`".repeat(len));
        text.push(' ');
        len += 1;
    }
    text
}

/// Prose, some code and a list, without a scheme.
fn plain() -> String {
    fill(
        "Please look at the failing test in crates/store/src/lib.rs (see [the log](./log.txt)).\n\
         - first: `cargo test -p store`, then e-mail me@example.org\n\
         - 次に、結果を確認してください。\n\n\
         ```rust\nlet rows: Vec<[u8; 4]> = read(&path)?;\n```\n\n",
    )
}

fn with_mentions() -> String {
    let plain = plain();
    let mut lines = plain.lines();
    let mut text = String::new();
    for n in 0..1_000 {
        while text.len() < n * SIZE / 1_000 {
            text.extend(lines.next().into_iter().chain(["\n"]));
        }
        text.push_str("\n@[Plan ");
        text.push_str(&n.to_string());
        text.push_str("](dsh-session:IjU1MGU4NDAwLWUyOWItNDFkNC1hNzE2LTQ0NjY1NTQ0MDAwMCI)\n\n");
    }
    text
}

fn texts(c: &mut Criterion) {
    let texts = [
        ("plain", plain()),
        ("plain, one mention", plain() + END),
        ("1,000 mentions", with_mentions()),
        ("opens", fill("@[") + END),
        ("opens with a target", fill("@[x](dsh-session:")),
        ("opens with an escape", fill(r"@[\]") + END),
        ("closed labels", fill("@[x]") + END),
        ("an open label", "@[".to_owned() + &fill("x")),
        (
            "an open label of backslashes",
            "@[".to_owned() + &fill("\\") + END,
        ),
        ("backslashes", fill("\\") + END),
        (
            "a target",
            "@[x](dsh-session:".to_owned() + &fill("%") + END,
        ),
        ("backticks", fill("`") + END),
        ("backtick runs", backtick_runs() + END),
        ("single backticks", fill("` ") + END),
        ("list items", fill("- ") + END),
        ("line feeds", fill("\n") + END),
    ];
    let schemes = Schemes::default();
    for (name, options) in [
        ("seed", MentionOptions::default()),
        ("friendly", MentionOptions::friendly()),
    ] {
        let mut group = c.benchmark_group(name);
        for (name, text) in &texts {
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(
                BenchmarkId::from_parameter(name),
                text.as_str(),
                |b, text| {
                    b.iter(|| extract(black_box(text).into(), &schemes, &options));
                },
            );
        }
        group.finish();
    }
}

criterion_group!(benches, texts);
criterion_main!(benches);

//! What a start of the program costs, beside that of a program that does nothing.
#![expect(clippy::unwrap_used, reason = "a bench fails where it unwraps")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};

const ID: &str = "0198a3c0-0000-7000-8000-000000000001";

/// Starts a program with a home of its own, and gives what it prints.
fn run(home: &Path, program: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A program may end without having read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn event(prompt: &str) -> String {
    format!(
        r#"{{"session_id":"0198a3c0-0000-7000-8000-00000000000f","transcript_path":"/none","cwd":"/work","hook_event_name":"UserPromptSubmit","prompt":"{prompt}"}}"#
    )
}

/// A log of Claude Code of 21 MB, mostly tool results of 10 KB.
fn write_log(home: &Path) {
    let directory = home.join(".claude/projects/-work");
    fs::create_dir_all(&directory).unwrap();
    let file = File::create(directory.join(format!("{ID}.jsonl"))).unwrap();
    let mut out = BufWriter::new(file);
    let result = r"    let value = parse(input, &options).unwrap_or_default();\n".repeat(170);
    let mut written = 0;
    let mut parent = String::from("null");
    for number in 0_u32.. {
        let content = match number % 4 {
            0 => format!(
                r#""user","message":{{"role":"user","content":"Please look into number {number}."}}"#
            ),
            1 => format!(
                r#""assistant","message":{{"role":"assistant","id":"m{number}","content":[{{"type":"text","text":"The retry loop holds lock {number}."}}]}}"#
            ),
            2 => format!(
                r#""assistant","message":{{"role":"assistant","id":"m{number}","content":[{{"type":"tool_use","id":"t{number}","name":"Read","input":{{}}}}]}}"#
            ),
            _ => format!(
                r#""user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{number} {result}"}}]}}"#
            ),
        };
        let uuid = format!(r#""{number:08x}-0000-4000-8000-000000000000""#);
        let line = format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"cwd":"/work","sessionId":"{ID}","type":{content},"uuid":{uuid},"timestamp":"2026-08-01T07:00:00.000Z"}}"#
        );
        writeln!(out, "{line}").unwrap();
        parent = uuid;
        written += line.len();
        if written > 21 << 20 {
            break;
        }
    }
    out.flush().unwrap();
}

fn processes(criterion: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_log(home);
    let sref = env!("CARGO_BIN_EXE_sref");
    let mention = event("go on as in @sref:0198a3c0 please");
    assert!(run(home, sref, &["hook", "claude"], &mention).contains("retry loop"));
    let plain = event("go on");
    assert_eq!(run(home, sref, &["hook", "claude"], &plain), "");

    let mut group = criterion.benchmark_group("processes");
    group.bench_function("nothing", |b| b.iter(|| run(home, "/bin/true", &[], "")));
    for (name, arguments, input) in [
        ("--version", ["--version"].as_slice(), ""),
        ("prepare, no mention", &["prepare", "go on"], ""),
        ("hook, no mention", &["hook", "claude"], &plain),
        ("hook, a log of 21 MB", &["hook", "claude"], &mention),
    ] {
        group.bench_function(name, |b| b.iter(|| run(home, sref, arguments, input)));
    }
    group.finish();
}

criterion_group!(benches, processes);
criterion_main!(benches);

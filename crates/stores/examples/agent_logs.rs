//! What the logs of Claude Code and Codex cost, against counting their lines.
//!
//! `cargo run --release -p sref-stores --example agent_logs -- claude|codex|codex-zst [MB]`: one log
//! of so many MB (200 unless told) to its surface. `claude-line|codex-line`: a log with a line of
//! 100 MB. `claude-list|codex-list [SESSIONS]`: the listing of so many sessions (10,000 unless
//! told) of 200 KB each. Each prints the best of several rounds, and the most memory that the
//! process has had.
#![expect(clippy::print_stdout, reason = "a program for a person to read")]

#[path = "../benches/support/content.rs"]
mod content;
mod measure;

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sref_stores::{CancellationToken, open};

use content::Content;
use measure::{Outcome, forget_peak, peak, print, ratio};

const ROUNDS: usize = 5;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let number = arguments.next().map(|number| number.parse()).transpose()?;
    let root = tempfile::tempdir()?;
    let agent = if what.starts_with("claude") {
        Agent::Claude
    } else {
        Agent::Codex
    };
    write(root.path(), agent, &what, number)?;
    if what.ends_with("-list") {
        listing(root.path(), agent)
    } else {
        reading(root.path(), agent)
    }
}

/// Writes what is read then; nothing of it stays in memory.
fn write(root: &Path, agent: Agent, what: &str, number: Option<u64>) -> Outcome<()> {
    let results = &mut Results::new();
    let path = agent.path(root, 0);
    match what {
        "claude" | "codex" | "codex-zst" => {
            write_log(&path, agent, 0, number.unwrap_or(200) << 20, results)?;
            if what == "codex-zst" {
                pack(&path)?;
            }
        }
        "claude-line" | "codex-line" => {
            write_log(&path, agent, 0, 100 << 10, results)?;
            append_long_line(&path, agent)?;
        }
        "claude-list" | "codex-list" => {
            for at in 0..number.unwrap_or(10_000) {
                write_log(&agent.path(root, at), agent, at, 200 << 10, results)?;
            }
        }
        _ => return Err("claude, codex, codex-zst, …-line or …-list".into()),
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Agent {
    Claude,
    Codex,
}

impl Agent {
    const fn kind(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    fn path(self, root: &Path, at: u64) -> PathBuf {
        let id = id(at);
        match self {
            Self::Claude => root.join(format!("projects/-work-{}/{id}.jsonl", at % 100)),
            Self::Codex => root.join(format!(
                "sessions/2026/08/{:02}/rollout-2026-08-01T09-00-00-{id}.jsonl",
                at % 28 + 1
            )),
        }
    }
}

fn id(at: u64) -> String {
    format!("0198a3c0-0000-7000-8000-{at:012x}")
}

/// How large the results of tools are, in bytes: mostly some KB, seldom MB.
fn result_size(turn: u64) -> usize {
    match turn {
        _ if turn % 400 == 399 => 10 << 20,
        _ if turn % 60 == 59 => 1 << 20,
        _ if turn % 10 == 9 => 200 << 10,
        _ => 10 << 10,
    }
}

/// Writes a log in which about a thirtieth is what somebody said.
fn write_log(path: &Path, agent: Agent, at: u64, size: u64, results: &mut Results) -> Outcome<()> {
    fs::create_dir_all(path.parent().ok_or("no parent")?)?;
    let mut out = Counting {
        out: BufWriter::new(File::create(path)?),
        written: 0,
    };
    let id = id(at);
    if let Agent::Codex = agent {
        codex(
            &mut out,
            "session_meta",
            &format!(
                r#"{{"id":"{id}","timestamp":"2026-08-01T07:00:00Z","cwd":"/work","source":"cli"}}"#
            ),
        )?;
    }
    let mut turn = 0;
    let mut last = String::from("null");
    while out.written < size {
        let said = format!("Please look into number {turn} of session {at}. ").repeat(6);
        let answer = format!("I have read file {turn}; the retry loop holds the lock. ").repeat(12);
        let is_picture = turn % 10 == 9 && matches!(agent, Agent::Claude);
        let result = results.next(result_size(turn), is_picture);
        let words = Step {
            turn,
            said,
            answer,
            result,
            is_picture,
        };
        match agent {
            Agent::Claude => claude_turn(&mut out, at, &words, &mut last)?,
            Agent::Codex => codex_turn(&mut out, &words)?,
        }
        turn += 1;
    }
    Ok(out.out.flush()?)
}

/// What tools give back.
struct Results {
    source: Content,
    /// In base64.
    picture: String,
}

impl Results {
    fn new() -> Self {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut source = Content::new();
        let picture = (0..10 << 20)
            .map(|_| char::from(DIGITS[source.number(DIGITS.len())]))
            .collect();
        Self { source, picture }
    }

    fn next(&mut self, size: usize, is_picture: bool) -> &str {
        if is_picture {
            &self.picture[..size / 4 * 4]
        } else {
            self.source.source(size)
        }
    }
}

/// What is said and done in a turn.
struct Step<'a> {
    turn: u64,
    said: String,
    answer: String,
    result: &'a str,
    is_picture: bool,
}

fn claude_turn(
    out: &mut Counting<impl Write>,
    at: u64,
    words: &Step<'_>,
    last: &mut String,
) -> Outcome<()> {
    let Step {
        turn,
        said,
        answer,
        result,
        is_picture,
    } = words;
    let id = id(at);
    let mut record = |kind: &str, message: &str, more: &str| {
        let uuid = format!(r#""{:08x}-0000-4000-8000-{:012x}""#, at, out.written);
        let line = format!(
            r#"{{"parentUuid":{last},"isSidechain":false,"userType":"external","cwd":"/work","sessionId":"{id}","version":"2.1.332","gitBranch":"main","type":"{kind}","message":{message},"uuid":{uuid},"timestamp":"2026-08-01T07:00:00.000Z"{more}}}"#
        );
        *last = uuid;
        writeln!(out, "{line}")
    };
    record(
        "user",
        &format!(r#"{{"role":"user","content":"{said}"}}"#),
        "",
    )?;
    let answered = |block: &str| {
        format!(
            r#"{{"model":"m","id":"msg_{turn}","type":"message","role":"assistant","content":[{block}],"stop_reason":null,"usage":{{"input_tokens":10,"output_tokens":5}}}}"#
        )
    };
    record(
        "assistant",
        &answered(&format!(r#"{{"type":"text","text":"{answer}"}}"#)),
        &format!(r#","requestId":"req_{turn}""#),
    )?;
    record(
        "assistant",
        &answered(&format!(
            r#"{{"type":"tool_use","id":"toolu_{turn}","name":"Read","input":{{"file_path":"/work/a.rs"}}}}"#
        )),
        &format!(r#","requestId":"req_{turn}""#),
    )?;
    let block = if *is_picture {
        format!(
            r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{result}"}}}}]"#
        )
    } else {
        format!("\"{result}\"")
    };
    record(
        "user",
        &format!(
            r#"{{"role":"user","content":[{{"tool_use_id":"toolu_{turn}","type":"tool_result","content":{block}}}]}}"#
        ),
        &format!(
            r#","toolUseResult":{{"type":"text","file":{{"filePath":"/work/a.rs","content":{block}}}}}"#
        ),
    )?;
    Ok(())
}

fn codex_turn(out: &mut impl Write, words: &Step<'_>) -> Outcome<()> {
    let Step {
        turn,
        said,
        answer,
        result,
        ..
    } = words;
    let turn_id = format!("turn-{turn}");
    codex(
        out,
        "event_msg",
        &format!(r#"{{"type":"task_started","turn_id":"{turn_id}"}}"#),
    )?;
    codex(
        out,
        "turn_context",
        r#"{"cwd":"/work","approval_policy":"on-request","model":"m"}"#,
    )?;
    codex(
        out,
        "response_item",
        &format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{said}"}}]}}"#
        ),
    )?;
    codex(
        out,
        "event_msg",
        &format!(r#"{{"type":"user_message","message":"{said}","images":[]}}"#),
    )?;
    codex(
        out,
        "response_item",
        &format!(
            r#"{{"type":"function_call","name":"shell","arguments":"{{}}","call_id":"c{turn}"}}"#
        ),
    )?;
    codex(
        out,
        "response_item",
        &format!(r#"{{"type":"function_call_output","call_id":"c{turn}","output":"{result}"}}"#),
    )?;
    codex(
        out,
        "event_msg",
        &format!(r#"{{"type":"exec_command_end","call_id":"c{turn}","stdout":"{result}"}}"#),
    )?;
    codex(
        out,
        "event_msg",
        &format!(r#"{{"type":"agent_message","message":"{answer}"}}"#),
    )?;
    codex(
        out,
        "response_item",
        &format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{answer}"}}]}}"#
        ),
    )?;
    codex(
        out,
        "event_msg",
        r#"{"type":"token_count","info":{"total_token_usage":{"input_tokens":10}}}"#,
    )?;
    codex(
        out,
        "event_msg",
        &format!(r#"{{"type":"task_complete","turn_id":"{turn_id}"}}"#),
    )?;
    Ok(())
}

/// Appends the result of a tool that is a line of 100 MB.
fn append_long_line(path: &Path, agent: Agent) -> Outcome<()> {
    let mut out = BufWriter::new(fs::OpenOptions::new().append(true).open(path)?);
    let (head, tail) = match agent {
        Agent::Claude => (
            r#"{"type":"user","isSidechain":false,"uuid":"x","parentUuid":"y","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":""#,
            r#""}]}}"#,
        ),
        Agent::Codex => (
            r#"{"timestamp":"2026-08-01T07:00:00Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":""#,
            r#""}}"#,
        ),
    };
    out.write_all(head.as_bytes())?;
    for _ in 0..100 << 10 {
        out.write_all(&[b'x'; 1024])?;
    }
    writeln!(out, "{tail}")?;
    Ok(out.flush()?)
}

fn codex(out: &mut impl Write, kind: &str, payload: &str) -> std::io::Result<()> {
    writeln!(
        out,
        r#"{{"timestamp":"2026-08-01T07:00:00.100Z","type":"{kind}","payload":{payload}}}"#
    )
}

/// Puts a packed copy in the place of a log.
fn pack(path: &Path) -> Outcome<()> {
    let packed = PathBuf::from(format!("{}.zst", path.display()));
    let mut encoder = zstd::stream::write::Encoder::new(File::create(&packed)?, 3)?;
    std::io::copy(&mut File::open(path)?, &mut encoder)?;
    encoder.finish()?;
    Ok(fs::remove_file(path)?)
}

fn reading(root: &Path, agent: Agent) -> Outcome<()> {
    let path = only_file(root)?;
    forget_peak()?;
    let store = open(agent.kind(), root).ok_or("no such kind")??;
    let cancel = CancellationToken::new();
    let (mut counted, mut read) = (Duration::MAX, Duration::MAX);
    let (mut size, mut events) = (0, 0);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        size = count_lines(&path)?;
        counted = counted.min(begun.elapsed());
        let begun = Instant::now();
        let surface = store.surface(&id(0).as_str().into(), &cancel)?;
        read = read.min(begun.elapsed());
        events = surface.ok_or("no such session")?.events.len();
    }
    print("lines", size, counted);
    print("surface", size, read);
    println!("ratio     {:.2}, {events} events", ratio(read, counted));
    peak()
}

fn listing(root: &Path, agent: Agent) -> Outcome<()> {
    forget_peak()?;
    let store = open(agent.kind(), root).ok_or("no such kind")??;
    let cancel = CancellationToken::new();
    let (mut listed, mut titled) = (Duration::MAX, Duration::MAX);
    let mut found = 0;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let listing = store.list(&cancel)?;
        listed = listed.min(begun.elapsed());
        let ids: Vec<_> = listing
            .sessions
            .iter()
            .map(|listed| listed.header.id.as_js_string().clone())
            .collect();
        let begun = Instant::now();
        found = store.titles(&ids, &cancel)?.len();
        titled = titled.min(begun.elapsed());
    }
    println!("listing   {found} sessions in {listed:?}, their titles in {titled:?}");
    peak()
}

/// Counts lines as `wc -l` does, or unpacks a packed log and forgets it; gives the size.
fn count_lines(path: &Path) -> Outcome<usize> {
    let file = File::open(path)?;
    let mut source: Box<dyn Read> = if path.extension().is_some_and(|end| end == "zst") {
        Box::new(zstd::stream::read::Decoder::new(file)?)
    } else {
        Box::new(file)
    };
    let mut block = vec![0; 256 << 10];
    let (mut size, mut lines) = (0, 0);
    loop {
        match source.read(&mut block)? {
            0 => break,
            read => {
                size += read;
                lines += memchr::memchr_iter(b'\n', &block[..read]).count();
            }
        }
    }
    assert!(lines > 0, "a log has lines");
    Ok(size)
}

fn only_file(directory: &Path) -> Outcome<PathBuf> {
    let entry = fs::read_dir(directory)?.next().ok_or("no file")??;
    if entry.file_type()?.is_dir() {
        only_file(&entry.path())
    } else {
        Ok(entry.path())
    }
}

struct Counting<W> {
    out: W,
    written: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

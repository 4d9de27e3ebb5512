//! What packed logs, databases, listings and folds cost, each beside what it is measured by.
//!
//! `cargo run --release -p sref-stores --example figures -- packed [MB [FRAMES]]`: a log in so many
//! frames, against unpacking the same frames alone. `rows [MB]`: a database, by the text of its
//! rows. `listing [SESSIONS]`: the headers of packed logs. `fold [EVENTS [REPLACES]]`: a log with
//! compactions, against the same log without. Each prints the best of several rounds, and the most
//! memory that the process has had.
#![expect(clippy::print_stdout, reason = "a program for a person to read")]

mod measure;
#[path = "../benches/support/mod.rs"]
mod support;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use sref_session::json::{self, Value};
use sref_stores::dsh::{DshDatabase, DshOptions, DshStore};
use sref_stores::{CancellationToken, Store};

use measure::{Outcome, forget_peak, peak, print, ratio};
use support::{TYPICAL, write_log};

const ROUNDS: usize = 5;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let numbers: Vec<u64> = arguments
        .map(|number| number.parse())
        .collect::<Result<_, _>>()?;
    let number = |at: usize, usual: u64| numbers.get(at).copied().unwrap_or(usual);
    let root = tempfile::tempdir()?;
    match &*what {
        "packed" => packed(root.path(), number(0, 100), number(1, 10_000)),
        "rows" => rows(root.path(), number(0, 100)),
        "listing" => listing(root.path(), number(0, 10_000)),
        "fold" => fold(root.path(), number(0, 100_000), number(1, 10_000)),
        _ => Err("packed, rows, listing or fold".into()),
    }
}

/// Writes a log of 100 MB in frames of whole lines, and reads it.
fn packed(root: &Path, megabytes: u64, frames: u64) -> Outcome<()> {
    let path = log_path(root, "log.zstd")?;
    let size = {
        let mut log = Vec::new();
        write_log(&mut log, "log", megabytes << 20, TYPICAL)?;
        let mut out = BufWriter::new(File::create(&path)?);
        let header = end_of_line(&log, 0);
        out.write_all(&frame(&log[..header])?)?;
        let each = (log.len() - header) / usize::try_from(frames)?;
        let (mut start, mut count) = (header, 0);
        while start < log.len() {
            let end = end_of_line(&log, (start + each).min(log.len()) - 1);
            out.write_all(&frame(&log[start..end])?)?;
            start = end;
            count += 1;
        }
        out.flush()?;
        println!("log       {} bytes in {count} frames", log.len());
        log.len()
    };
    forget_peak()?;
    let store = DshStore::open(root, DshOptions::default())?;
    let (mut alone, mut read) = (Duration::MAX, Duration::MAX);
    let mut surface = 0;
    for _ in 0..ROUNDS {
        alone = alone.min(timed(|| unpack(&path))?.0);
        let (took, events) = timed(|| surface_events(&store))?;
        read = read.min(took);
        surface = events;
    }
    print("unpacking", size, alone);
    print("reading", size, read);
    println!("ratio     {:.2}", ratio(read, alone));
    println!("surface   {surface} events");
    peak()
}

/// The frames of a file, unpacked and forgotten.
fn unpack(path: &Path) -> Outcome<()> {
    let mut decoder = zstd::stream::read::Decoder::new(File::open(path)?)?;
    let mut block = vec![0; 256 << 10];
    while decoder.read(&mut block)? > 0 {}
    Ok(())
}

fn frame(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3)?;
    encoder.include_checksum(true)?;
    encoder.write_all(text)?;
    encoder.finish()
}

/// Where the line ends that has this byte.
fn end_of_line(log: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &log[at..]).map_or(log.len(), |end| at + end + 1)
}

/// Writes the same log as rows of a database, and reads it.
fn rows(root: &Path, megabytes: u64) -> Outcome<()> {
    let path = root.join(DshDatabase::FILE);
    let mut log = Vec::new();
    write_log(&mut log, "log", megabytes << 20, TYPICAL)?;
    let size = write_rows(&path, &log)?;
    drop(log);
    println!("rows      {size} bytes of text");
    forget_peak()?;
    let store = DshDatabase::open(&path, DshOptions::default());
    let mut read = Duration::MAX;
    for _ in 0..ROUNDS {
        read = read.min(timed(|| surface_events(&store))?.0);
    }
    print("reading", size, read);
    peak()
}

/// Gives the size of the rows' text.
fn write_rows(path: &Path, log: &[u8]) -> Outcome<usize> {
    const UUID: &str = "11111111-1111-4111-8111-111111111111";
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA application_id = 0x44534850; PRAGMA user_version = 17; PRAGMA synchronous = OFF;
         CREATE TABLE persistence_state (singleton INTEGER PRIMARY KEY, store_id TEXT NOT NULL) STRICT;
         CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, cwd TEXT, parent_session TEXT, seed_length INTEGER, origin TEXT, delegation_depth INTEGER, agent_preset TEXT, incarnation TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
         CREATE TABLE events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL, data ANY NOT NULL, source_event_seqs ANY, surface_op TEXT, ignorable INTEGER, PRIMARY KEY (session_id, seq)) STRICT;
         BEGIN",
    )?;
    connection.execute("INSERT INTO persistence_state VALUES (1, ?1)", [UUID])?;
    let session =
        "INSERT INTO sessions VALUES ('log', 0, 1, '/work', NULL, NULL, NULL, 0, NULL, ?1, 1)";
    connection.execute(session, [UUID])?;
    let mut insert =
        connection.prepare("INSERT INTO events VALUES ('log', ?1, ?2, ?3, ?4, NULL, ?5, ?6)")?;
    let mut size = 0;
    for line in log
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter(|line| !line.is_empty())
    {
        let record = json::parse(line)?;
        let text = |key: &str| record.get(key).map(Value::to_json);
        let number = |key: &str| text(key).map(|text| text.parse::<i64>()).transpose();
        let is_packed = record.get("seq0").is_some();
        let (seq, time) = if is_packed {
            (number("seq0")?, number("time0")?)
        } else {
            (number("seq")?, number("time")?)
        };
        let kind = record.get("type").and_then(Value::as_string);
        let kind = kind.ok_or("no type")?.to_string_lossy();
        let data = text("data").ok_or("no data")?;
        size += data.len();
        // What its writer compresses.
        let value = if data.len() >= 4096 {
            rusqlite::types::Value::Blob(frame(data.as_bytes())?)
        } else {
            rusqlite::types::Value::Text(data)
        };
        let flag = is_packed.then_some(0);
        insert.execute(params![seq, &*kind, time, value, text("surfaceOp"), flag])?;
    }
    drop(insert);
    connection.execute_batch("COMMIT")?;
    Ok(size)
}

/// Writes packed logs with a few frames each, and lists them.
fn listing(root: &Path, sessions: u64) -> Outcome<()> {
    let mut log = Vec::new();
    write_log(&mut log, "log", 20 << 10, TYPICAL)?;
    let body = frame(&log[end_of_line(&log, 0)..])?;
    for at in 0..sessions {
        let directory = root.join(format!("--work--/session-{at}"));
        fs::create_dir_all(&directory)?;
        let header = format!(
            "{{\"type\":\"session\",\"version\":0,\"id\":\"session-{at}\",\"createdAt\":{at},\"cwd\":\"/work\",\"delegationDepth\":0}}\n"
        );
        let log = [frame(header.as_bytes())?, body.clone()].concat();
        fs::write(directory.join("session.jsonl.zstd"), log)?;
    }
    let store = DshStore::open(root, DshOptions::default())?;
    forget_peak()?;
    let (mut best, mut found) = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let (took, listing) = timed(|| Ok(store.list(&CancellationToken::new())?))?;
        best = best.min(took);
        found = listing.sessions.len();
    }
    println!("listing   {found} sessions in {best:?}");
    peak()
}

/// Writes a log of messages, with and without compactions, and reads both.
fn fold(root: &Path, events: u64, replaces: u64) -> Outcome<()> {
    let (without, with) = (root.join("without"), root.join("with"));
    write_messages(&log_path(&without, "log")?, events, 0)?;
    write_messages(&log_path(&with, "log")?, events, replaces)?;
    let without = DshStore::open(without, DshOptions::default())?;
    let with = DshStore::open(with, DshOptions::default())?;
    let (mut plain, mut folded) = (Duration::MAX, Duration::MAX);
    let (mut all, mut left) = (0, 0);
    for _ in 0..ROUNDS {
        let (took, events) = timed(|| surface_events(&without))?;
        (plain, all) = (plain.min(took), events);
        let (took, events) = timed(|| surface_events(&with))?;
        (folded, left) = (folded.min(took), events);
    }
    println!("without   {plain:?}, {all} events on the surface");
    println!("with      {folded:?}, {left} events on the surface, {replaces} replaces");
    println!("ratio     {:.2}", ratio(folded, plain));
    peak()
}

/// Every so often a message stands for the nine before it, and for the one that did so last.
fn write_messages(path: &Path, events: u64, replaces: u64) -> Outcome<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(
        out,
        r#"{{"type":"session","version":0,"id":"log","createdAt":1,"cwd":"/work","delegationDepth":0}}"#
    )?;
    let every = events.checked_div(replaces).unwrap_or(u64::MAX);
    let mut current: Vec<u64> = Vec::new();
    for seq in 0..events {
        let operation = if seq % every == every - 1 {
            let sources: Vec<_> = current.iter().map(u64::to_string).collect();
            let span = (current[0], current[current.len() - 1]);
            current.clear();
            format!(
                r#"{{"op":"replace","start":{},"end":{}}},"sourceEventSeqs":[{}]"#,
                span.0,
                span.1,
                sources.join(",")
            )
        } else {
            r#""append""#.to_owned()
        };
        current.push(seq);
        writeln!(
            out,
            r#"{{"type":"user/message","seq":{seq},"time":{seq},"data":{{"id":"m-{seq}","role":"user","source":{{"kind":"user"}},"content":[{{"type":"text","text":"This is message number {seq} of a conversation."}}]}},"surfaceOp":{operation}}}"#
        )?;
    }
    Ok(out.flush()?)
}

fn log_path(root: &Path, name: &str) -> Outcome<PathBuf> {
    let directory = root.join("--work--/log");
    fs::create_dir_all(&directory)?;
    let suffix = name.strip_prefix("log").unwrap_or_default();
    Ok(directory.join(format!("session.jsonl{suffix}")))
}

fn surface_events(store: &dyn Store) -> Outcome<usize> {
    let surface = store.surface(&"log".into(), &CancellationToken::new())?;
    Ok(surface.ok_or("no such session")?.events.len())
}

fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(Duration, T)> {
    let begun = Instant::now();
    let out = work()?;
    Ok((begun.elapsed(), out))
}

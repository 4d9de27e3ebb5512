//! How much memory reading a large log takes beyond the surface that comes out of it.
//!
//! `cargo run --release -p sref-stores --example peak_memory [MB | line | text]`: a typical log of
//! so many MB (100 unless told), a log with one tool result of 100 MB, or one with a message of
//! 100 MB.
#![expect(clippy::print_stdout, reason = "a program for a person to read")]

#[path = "../benches/support/mod.rs"]
mod support;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::time::Instant;

use sref_session::{Block, SurfaceEvent, SurfacePayload};
use sref_stores::dsh::{DshOptions, DshStore};
use sref_stores::{CancellationToken, Store};

use support::{TYPICAL, write_log};

fn main() -> Result<(), Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let path = root.path().join("--work--/log/session.jsonl");
    fs::create_dir_all(path.parent().ok_or("no parent")?)?;
    let mut out = BufWriter::new(File::create(&path)?);
    match std::env::args().nth(1).as_deref() {
        Some("line") => one_line(&mut out, true)?,
        Some("text") => one_line(&mut out, false)?,
        megabytes => {
            let megabytes: u64 = megabytes.unwrap_or("100").parse()?;
            write_log(&mut out, "log", megabytes << 20, TYPICAL)?;
        }
    }
    out.flush()?;
    drop(out);

    // What was taken for writing the log does not count.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = peak()?;
    let store = DshStore::open(root.path(), DshOptions::default())?;
    let begun = Instant::now();
    let surface = store.surface(&"log".into(), &CancellationToken::new())?;
    let took = begun.elapsed();
    let surface = surface.ok_or("no such session")?;
    let text: usize = surface.events.iter().map(text_size).sum();

    let size = path.metadata()?.len();
    println!(
        "log      {size} bytes, {} surface events",
        surface.events.len()
    );
    println!("texts    {text} bytes");
    #[expect(clippy::cast_precision_loss, reason = "for reading")]
    let rate = size as f64 / took.as_secs_f64() / 1e6;
    println!("time     {took:?}, {rate:.0} MB/s");
    println!("VmHWM    {before} kB before, {} kB after", peak()?);
    Ok(())
}

fn one_line(out: &mut impl Write, tool: bool) -> std::io::Result<()> {
    writeln!(
        out,
        r#"{{"type":"session","version":0,"id":"log","createdAt":0,"cwd":"/work","delegationDepth":0}}"#
    )?;
    if tool {
        write!(
            out,
            r#"{{"type":"tool/result","seq":0,"time":0,"data":{{"message":{{"id":"t","role":"user","source":{{"kind":"tool","callId":"c"}},"content":[{{"type":"tool-result","toolCallId":"c","content":[{{"type":"text","text":""#
        )?;
    } else {
        write!(
            out,
            r#"{{"type":"user/message","seq":0,"time":0,"data":{{"id":"m","role":"user","source":{{"kind":"user"}},"content":[{{"type":"text","text":""#
        )?;
    }
    for _ in 0..100 << 10 {
        out.write_all(&[b'x'; 1024])?;
    }
    let end = if tool { r#""}]}]}},"# } else { r#""}]},"# };
    writeln!(out, r#"{end}"surfaceOp":"append"}}"#)
}

fn text_size(event: &SurfaceEvent) -> usize {
    let blocks: &[Block] = match &event.payload {
        SurfacePayload::UserMessage { content, .. }
        | SurfacePayload::AssistantMessage { content } => content,
        _ => &[],
    };
    let texts = blocks.iter().filter_map(Block::text);
    texts.map(sref_session::JsString::len).sum()
}

/// The most memory that this process has had, in kB.
fn peak() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmHWM")?.parse()?)
}

//! Logs for measuring: the same bytes in every run.

pub(crate) mod content;

use std::io::{self, Write};

use content::Content;

/// What a generated log is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mix {
    /// Packed rows of 32 chunks for each step.
    pub(crate) chunk_rows: usize,
    /// Bytes of tool output for each step.
    pub(crate) tool_output: usize,
}

/// Chunk rows and tool results in equal parts: what most of a real log is.
pub(crate) const TYPICAL: Mix = Mix {
    chunk_rows: 12,
    tool_output: 8 << 10,
};

/// Writes a log of about `size` bytes and gives the number of its last event.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn write_log(out: &mut impl Write, id: &str, size: u64, mix: Mix) -> io::Result<u64> {
    let mut out = Counting { out, written: 0 };
    writeln!(
        out,
        r#"{{"type":"session","version":0,"id":"{id}","createdAt":1780000000000,"cwd":"/work","delegationDepth":0}}"#
    )?;
    let content = &mut Content::new();
    let mut seq = 0;
    let mut turn = 0;
    while out.written < size {
        turn += 1;
        let call = format!("call_{turn:024}");
        let mut event = |out: &mut Counting<_>, kind: &str, data: &str, rest: &str| {
            let time = 1_780_000_000_000_u64 + seq;
            let line = writeln!(
                out,
                r#"{{"type":"{kind}","seq":{seq},"time":{time},"data":{data}{rest}}}"#
            );
            seq += 1;
            line
        };
        let append = r#","surfaceOp":"append""#;
        let at = format!(r#""turn":{turn},"step":1"#);
        event(&mut out, "turn/start", &format!(r#"{{"turn":{turn}}}"#), "")?;
        event(&mut out, "step/start", &format!("{{{at}}}"), "")?;
        let user = format!(
            r#"{{"content":[{{"type":"text","text":"Please look into number {turn}."}}],"source":{{"kind":"user"}},"role":"user","id":"u-{turn}"}}"#
        );
        event(&mut out, "user/message", &user, append)?;
        for row in 0..mix.chunk_rows {
            let data = chunk_row(&at, row, content);
            let time0 = 1_780_000_000_000_u64 + seq;
            writeln!(
                out,
                r#"{{"type":"text-chunks","seq0":{seq},"time0":{time0},"data":{data}}}"#
            )?;
            seq += 32;
        }
        let mut event = |out: &mut Counting<_>, kind: &str, data: &str, rest: &str| {
            let time = 1_780_000_000_000_u64 + seq;
            let line = writeln!(
                out,
                r#"{{"type":"{kind}","seq":{seq},"time":{time},"data":{data}{rest}}}"#
            );
            seq += 1;
            line
        };
        let assistant = format!(
            r#"{{{at},"message":{{"role":"assistant","content":[{{"type":"text","text":"I will read the file."}},{{"type":"tool-call","id":"{call}","name":"bash","arguments":"{{\"command\":\"cat src/main.rs\"}}"}}],"source":{{"kind":"model","provider":"mock","model":"mock-1"}},"id":"a-{turn}"}},"usage":{{"inputTokens":1000,"outputTokens":50}}}}"#
        );
        event(&mut out, "assistant/message", &assistant, append)?;
        let run = format!(r#"{{{at},"callId":"{call}","name":"bash","arguments":"{{}}"}}"#);
        event(&mut out, "tool/call", &run, "")?;
        let output = content.source(mix.tool_output);
        let result = format!(
            r#"{{{at},"message":{{"source":{{"kind":"tool","callId":"{call}"}},"content":[{{"type":"tool-result","toolCallId":"{call}","content":[{{"type":"text","text":"{output}"}}],"isError":false}}],"role":"user","id":"t-{turn}"}}}}"#
        );
        event(&mut out, "tool/result", &result, append)?;
        event(&mut out, "step/end", &format!("{{{at}}}"), "")?;
        let end = format!(r#"{{"turn":{turn},"reason":{{"kind":"completed"}}}}"#);
        event(&mut out, "turn/end", &end, "")?;
    }
    Ok(seq - 1)
}

/// The data of a row of 32 chunks, of the sizes that tokens have.
fn chunk_row(at: &str, row: usize, content: &mut Content) -> String {
    let dt: Vec<_> = (1..32).map(|_| content.number(40).to_string()).collect();
    let texts: Vec<_> = (0..32).map(|_| format!("\"{}\"", token(content))).collect();
    format!(
        r#"{{{at},"index":{},"dt":[{}],"texts":[{}]}}"#,
        row % 3,
        dt.join(","),
        texts.join(",")
    )
}

/// A word of prose as a model puts it out, with the white space before it.
fn token(content: &mut Content) -> &'static str {
    const TOKENS: [&str; 32] = [
        " the",
        " of",
        ".",
        ",",
        " function",
        " reads",
        " a",
        " file",
        "(path)",
        " but",
        "\\n",
        " retry",
        " loop",
        " holds",
        " lock",
        " which",
        " 's",
        "ing",
        " test",
        " fails",
        " when",
        " two",
        " `run`",
        " wait",
        ":",
        " first",
        " upload",
        " part",
        " checksum",
        " is",
        " late",
        " queue",
    ];
    // The least of two is small more often.
    TOKENS[content.number(32).min(content.number(32))]
}

struct Counting<W> {
    out: W,
    written: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

//! A look at a log that does not read it whole (`spec/agent-logs.md` 1.4, 2.8).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use sref_session::JsString;

use super::injected;
use super::log::{Titles, line_options, prompt_text};
use super::record::{Content, Fact, Record};
use crate::lines::{LineReader, RecordReader, Repairs};
use crate::words::tidy;

/// How much of either end is read first.
const WINDOW: u64 = 64 << 10;

/// What a listing tells of a log.
#[derive(Debug, Default)]
pub(super) struct Peek {
    pub(super) first_time: Option<JsString>,
    /// Where it was started, or where the project has moved.
    pub(super) cwd: Option<JsString>,
    /// Whether anybody said anything.
    pub(super) has_words: bool,
    /// Whether the first record is a sub-agent's.
    pub(super) sidechain: bool,
    /// The session that the first records name.
    pub(super) first_uuid: Option<u128>,
    pub(super) first_prompt: Option<JsString>,
    pub(super) command: Option<JsString>,
}

impl Peek {
    /// Reads from the start until all is known, and what the end says of a move.
    pub(super) fn read(mut file: File, size: u64, agent: bool) -> io::Result<Self> {
        let mut peek = Self::default();
        // Mostly the window is enough; a long system prompt or pasted files can push the first
        // words out of it, and then there is no other way than on.
        peek.head((&file).take(size.min(WINDOW)), agent)?;
        if size > WINDOW && !peek.is_complete() {
            file.rewind()?;
            peek = Self::default();
            peek.head((&file).take(size), agent)?;
        }
        let tail = size.saturating_sub(WINDOW);
        file.seek(SeekFrom::Start(tail))?;
        let mut lines = LineReader::new((&file).take(size - tail), line_options());
        let mut partial = tail > 0;
        while lines.advance()? {
            let line = lines.line().bytes;
            // The window begins inside a line.
            if !std::mem::take(&mut partial)
                && memchr::memmem::find(line, b"\"relocated\"").is_some()
                && let Ok(Record {
                    fact: Fact::Relocated(cwd),
                    ..
                }) = Record::parse(line)
            {
                peek.cwd = Some(cwd);
            }
        }
        Ok(peek)
    }

    fn is_complete(&self) -> bool {
        self.has_words && self.cwd.is_some() && self.first_time.is_some()
    }

    fn head(&mut self, source: impl Read, agent: bool) -> io::Result<()> {
        let mut records = RecordReader::new(source, line_options(), Repairs::ALL);
        let mut first = true;
        while !self.is_complete() && records.advance()? {
            let record = records.record();
            if record.cut {
                continue;
            }
            let Ok(record) = Record::parse(record.bytes) else {
                continue;
            };
            if std::mem::take(&mut first) {
                self.sidechain = record.sidechain;
            }
            self.first_time = self.first_time.take().or(record.timestamp);
            self.cwd = self.cwd.take().or(record.cwd.filter(|cwd| !cwd.is_empty()));
            self.first_uuid = self.first_uuid.or(record.uuid);
            if record.sidechain && !agent {
                continue;
            }
            match record.content {
                Content::Prompt(said) => match prompt_text(&said, false) {
                    Some(text) => {
                        self.has_words = true;
                        self.first_prompt = self.first_prompt.take().or(Some(text));
                    }
                    None => self.command = self.command.take().or(prompt_text(&said, true)),
                },
                Content::Answer(_) | Content::Summary(_) => self.has_words = true,
                Content::Nothing => {}
            }
        }
        Ok(())
    }
}

/// The title of a log: what was given, else the first prompt, else the last one known.
///
/// Given titles are looked for in the whole log, since one turn writes more than any window holds;
/// lines are told by a few bytes and not read otherwise.
pub(super) fn title(mut file: File, size: u64, agent: bool) -> io::Result<Option<JsString>> {
    let mut titles = Titles::default();
    let mut lines = LineReader::new((&file).take(size), line_options());
    while lines.advance()? {
        let line = lines.line().bytes;
        if !may_be_title(line) {
            continue;
        }
        let mut take = |record: Record| match record.fact {
            Fact::LastPrompt(prompt, _) => {
                titles.last_prompt = prompt.or(titles.last_prompt.take());
            }
            fact => titles.take(fact),
        };
        if let Ok(record) = Record::parse(line) {
            take(record);
            continue;
        }
        // Several records on one line, or one behind what was cut off.
        let mut records = RecordReader::new(line, line_options(), Repairs::ALL);
        while records.advance()? {
            if let Ok(record) = Record::parse(records.record().bytes) {
                take(record);
            }
        }
    }
    drop(lines);
    // Whether a summary is this session's is told by its leaf, which is looked for as text.
    let mut has_leaf = false;
    if titles.custom.is_none() && titles.ai.is_none() && !titles.summaries.is_empty() {
        file.rewind()?;
        has_leaf = true;
        let log = super::log::Log::read(
            (&file).take(size),
            agent,
            &tokio_util::sync::CancellationToken::new(),
        )?;
        if let Some(title) = log.and_then(|log| log.title()) {
            return Ok(Some(title));
        }
    }
    if !has_leaf && let Some(title) = titles.given(|_| false) {
        return Ok(Some(title));
    }
    file.rewind()?;
    let mut peek = Peek::default();
    peek.prompt((&file).take(size), agent)?;
    let last = titles.last_prompt.as_ref().and_then(injected::title);
    let title = peek.first_prompt.or(last).or(peek.command);
    Ok(title
        .filter(|title| !title.is_empty())
        .map(|title| tidy(&title)))
}

impl Peek {
    /// Reads up to the first prompt.
    fn prompt(&mut self, source: impl Read, agent: bool) -> io::Result<()> {
        let mut records = RecordReader::new(source, line_options(), Repairs::ALL);
        while self.first_prompt.is_none() && records.advance()? {
            let record = records.record();
            if record.cut || memchr::memmem::find(record.bytes, b"user").is_none() {
                continue;
            }
            let Ok(record) = Record::parse(record.bytes) else {
                continue;
            };
            if record.sidechain && !agent {
                continue;
            }
            if let Content::Prompt(said) = record.content {
                self.first_prompt = prompt_text(&said, false);
                self.command = self.command.take().or_else(|| prompt_text(&said, true));
            }
        }
        Ok(())
    }
}

/// Whether a line may hold one of the facts that name a title. Conversation that quotes these
/// words is read for nothing, and that is all.
fn may_be_title(line: &[u8]) -> bool {
    const LONGEST: usize = 1 << 20;
    line.len() <= LONGEST
        && [
            &b"\"custom-title\""[..],
            b"\"ai-title\"",
            b"\"summary\"",
            b"\"last-prompt\"",
        ]
        .iter()
        .any(|mark| memchr::memmem::find(line, mark).is_some())
}

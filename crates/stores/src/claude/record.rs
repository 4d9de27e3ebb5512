//! One record of a Claude Code log: what it is and what of it matters (`spec/agent-logs.md` 2.4,
//! 2.5, 2.13).

use sref_session::JsString;
use sref_session::json::{JsonError, Kind, Scanner};

use super::blocks::{content_of, text_blocks};
use super::chain::Key;
use super::injected::{self, Said};
use super::origin;
use crate::digest::Digest;
use crate::raw::{Raw, elements, members};
use crate::words::{join, wrapper};

/// A record of the conversation's tree, or one of the facts beside it.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) uuid: Option<Key>,
    pub(super) parent: Option<Key>,
    pub(super) sidechain: bool,
    /// What makes parts of one answer: message and request.
    pub(super) answer: Option<u64>,
    /// The message an answer belongs to.
    pub(super) message: Option<u64>,
    pub(super) prompt: Option<u64>,
    pub(super) meta: bool,
    pub(super) content: Content,
    pub(super) fact: Fact,
    pub(super) timestamp: Option<JsString>,
    pub(super) cwd: Option<JsString>,
    /// What of it this reader does not know: its type, empty when there is none, or what it says of
    /// who wrote it.
    pub(super) unknown: Vec<JsString>,
    /// How many parts of it, the record itself among them, hold words in a form that this reader does
    /// not know.
    pub(super) unread: u64,
}

/// What a record adds to the conversation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing; it may still be a link of the chain.
    #[default]
    Nothing,
    /// A person's words, block by block.
    Prompt(Vec<Said>),
    /// A model's words, block by block.
    Answer(Vec<JsString>),
    /// What a compaction left of the conversation before it.
    Summary(JsString),
}

impl Content {
    /// Whether every text of `other` begins one of this.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let begins = |text: &JsString| {
            let mut own = self.texts();
            own.any(|own| own.as_wtf8().starts_with(text.as_wtf8()))
        };
        other.texts().all(begins)
    }

    /// All of its words.
    pub(super) fn texts(&self) -> impl Iterator<Item = &JsString> {
        let (said, answer, summary) = match self {
            Self::Nothing => (Default::default(), Default::default(), None),
            Self::Prompt(said) => (said.as_slice(), Default::default(), None),
            Self::Answer(texts) => (Default::default(), texts.as_slice(), None),
            Self::Summary(summary) => (Default::default(), Default::default(), Some(summary)),
        };
        let said = said.iter().filter_map(Said::text);
        said.chain(answer).chain(summary)
    }
}

/// What a record says beside the tree.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    #[default]
    None,
    /// A title that a person gave.
    CustomTitle(JsString),
    /// A title that was generated.
    AiTitle(JsString),
    /// A title of old versions, for the session that holds this record.
    Summary(JsString, Option<Key>),
    /// The newest prompt and the newest record.
    LastPrompt(Option<JsString>, Option<Key>),
    /// The project has moved.
    Relocated(JsString),
    /// A boundary, and the messages that were kept across it.
    Boundary(Option<Kept>),
    /// Records that were taken back.
    Retracted(Vec<Key>),
}

/// The messages a compaction kept.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) anchor: Option<Key>,
    pub(super) uuids: Vec<Key>,
    /// The older form: first and last, to be found by walking up.
    pub(super) segment: Option<(Key, Key)>,
}

/// What the members of a record are, before their meaning is known.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that the log has"
)]
pub(super) struct Members<'a> {
    kind: Option<Raw<'a>>,
    subtype: Option<Raw<'a>>,
    message: Option<Raw<'a>>,
    content: Option<Raw<'a>>,
    text: Option<Raw<'a>>,
    pub(super) attachment: Option<Raw<'a>>,
    pub(super) origin: Option<Raw<'a>>,
    pub(super) prompt_source: Option<Raw<'a>>,
    pub(super) turn_origin: Option<Raw<'a>>,
    pub(super) user_type: Option<Raw<'a>>,
    feedback: Option<Raw<'a>>,
    compaction: Option<Raw<'a>>,
    title: Option<Raw<'a>>,
    ai_title: Option<Raw<'a>>,
    summary: Option<Raw<'a>>,
    last_prompt: Option<Raw<'a>>,
    leaf: Option<Raw<'a>>,
    relocated: Option<Raw<'a>>,
    retracted: Option<Raw<'a>>,
    refused: Option<Raw<'a>>,
    superseded: Option<Raw<'a>>,
    request: Option<Raw<'a>>,
    team: bool,
    compact_summary: bool,
    transcript_only: bool,
    api_error: bool,
    skill: bool,
    human_turn: bool,
    hook_text: bool,
}

impl Record {
    /// Reads one line, which must be JSON. What is no object is an empty record.
    pub(super) fn parse(line: &[u8]) -> Result<Self, JsonError> {
        let mut record = Self::default();
        let mut own = Members::default();
        let mut scanner = Scanner::new(line);
        members(&mut scanner, |scanner, key| {
            let value = Raw::read(scanner)?;
            record.member(&mut own, key, value);
            Ok(())
        })?;
        scanner.finish()?;
        record.interpret(&own);
        Ok(record)
    }

    fn member<'a>(&mut self, own: &mut Members<'a>, key: &[u8], value: Raw<'a>) {
        let some = Some(value).filter(|value| !value.is_null());
        match key {
            b"type" => own.kind = some,
            b"subtype" => own.subtype = some,
            b"uuid" => self.uuid = some.and_then(key_of),
            b"parentUuid" => self.parent = some.and_then(key_of),
            b"isSidechain" => self.sidechain = value.is_true(),
            b"isMeta" => self.meta = value.is_true(),
            b"timestamp" => self.timestamp = value.decode(),
            b"cwd" => self.cwd = value.decode(),
            b"message" => own.message = some,
            b"content" => own.content = some,
            b"text" => own.text = some,
            b"attachment" => own.attachment = some,
            b"origin" => own.origin = some,
            b"promptSource" => own.prompt_source = some,
            b"promptId" => self.prompt = some.map(hash),
            b"turnOrigin" => own.turn_origin = some,
            b"userType" => own.user_type = some,
            b"userFeedback" => own.feedback = some,
            b"compactMetadata" => own.compaction = some,
            b"customTitle" => own.title = some,
            b"aiTitle" => own.ai_title = some,
            b"summary" => own.summary = some,
            b"lastPrompt" => own.last_prompt = some,
            b"leafUuid" => own.leaf = some,
            b"relocatedCwd" => own.relocated = some,
            b"retractedMessageUuids" => own.retracted = some,
            b"refusedUserMessageUuid" => own.refused = some,
            b"supersedesUuids" => own.superseded = some,
            b"requestId" => own.request = some,
            b"teamName" => own.team = some.is_some(),
            b"isCompactSummary" => own.compact_summary = value.is_true(),
            b"isVisibleInTranscriptOnly" => own.transcript_only = value.is_true(),
            b"isApiErrorMessage" => own.api_error = value.is_true(),
            b"sourceToolUseID" => own.skill = some.is_some(),
            b"humanTurn" => own.human_turn = value.is_true(),
            b"hookText" => own.hook_text = value.is_true(),
            _ => {}
        }
    }

    fn interpret(&mut self, own: &Members<'_>) {
        let Some(kind) = own.kind.and_then(Raw::string) else {
            self.unknown.push(JsString::new());
            return;
        };
        let kind = kind.text();
        match &*kind {
            b"user" if !own.team => self.content = self.user(own),
            b"assistant" if !own.team => self.assistant(own),
            b"attachment" => self.content = attachment(own, self.meta),
            b"system" => self.fact = system(own),
            b"custom-title" => self.fact = titled(own.title, Fact::CustomTitle),
            b"ai-title" => self.fact = titled(own.ai_title, Fact::AiTitle),
            b"summary" => {
                let leaf = own.leaf.and_then(key_of);
                self.fact = titled(own.summary, |title| Fact::Summary(title, leaf));
            }
            b"last-prompt" => {
                let prompt = own.last_prompt.and_then(Raw::decode);
                self.fact = Fact::LastPrompt(prompt, own.leaf.and_then(key_of));
            }
            b"relocated" => self.fact = titled(own.relocated, Fact::Relocated),
            other if KNOWN_TYPES.contains(&other) => {}
            _ => {
                self.unknown.extend(own.kind.and_then(Raw::decode));
                self.unread = u64::from(self.is_unread(own));
            }
        }
        if matches!(&*kind, b"user" | b"attachment") {
            self.unknown.extend(origin::strange(own));
        }
        if let Content::Prompt(said) = &self.content {
            let words = said.iter().filter_map(|said| match said {
                Said::Words(text) => wrapper(text.as_js_str()),
                _ => None,
            });
            self.unknown.extend(words);
        }
        let taken_back: Vec<Key> = [own.retracted, own.refused, own.superseded]
            .into_iter()
            .flatten()
            .flat_map(keys_of)
            .collect();
        if !taken_back.is_empty() && self.fact == Fact::None {
            self.fact = Fact::Retracted(taken_back);
        }
    }

    /// Whether a record of an unknown type holds words, as far as its shape tells: it has a place in the
    /// conversation's tree, and a message with words, or words of its own. Records beside the tree are
    /// machinery, and so is what says that it is.
    fn is_unread(&self, own: &Members<'_>) -> bool {
        let says = |value: Option<Raw<'_>>| {
            value.is_some_and(|value| {
                matches!(value.kind(), Kind::String | Kind::Array) && text_blocks(value).has_words()
            })
        };
        let message = own.message;
        self.uuid.is_some()
            && !self.is_of_harness(own)
            && !own.team
            && (says(message)
                || says(message.and_then(|message| message.member("content")))
                || says(own.content)
                || says(own.text))
    }

    /// Whether a record is the harness's, whatever it says.
    fn is_of_harness(&self, own: &Members<'_>) -> bool {
        self.meta || own.transcript_only || own.skill || own.hook_text || origin::is_machine(own)
    }

    /// A user record: a prompt, a summary, or something that wears the role.
    fn user(&mut self, own: &Members<'_>) -> Content {
        let content = own.message.and_then(content_of);
        let blocks = content.map(text_blocks).unwrap_or_default();
        if own.compact_summary {
            let mut text = JsString::new();
            join(&mut text, blocks.texts.iter());
            return Content::Summary(injected::summary(text.as_js_str()));
        }
        // Words that came with a refused tool stand beside the result (2.13).
        if let Some(feedback) = own
            .feedback
            .and_then(Raw::decode)
            .filter(|text| !text.is_empty())
        {
            return Content::Prompt(vec![Said::Words(feedback)]);
        }
        if self.is_of_harness(own) {
            return Content::Nothing;
        }
        self.unread = blocks.unread;
        let mut said = Vec::new();
        for block in &blocks.texts {
            match injected::read(block.as_js_str()) {
                Said::Nothing => {}
                // A summary without its flag, as old versions wrote it.
                Said::Summary(summary) => return Content::Summary(summary),
                words => said.push(words),
            }
        }
        if said.is_empty() && blocks.images > 0 && !blocks.tool_result {
            said.push(Said::Words("[image]".into()));
        }
        if said.is_empty() {
            Content::Nothing
        } else {
            Content::Prompt(said)
        }
    }

    fn assistant(&mut self, own: &Members<'_>) {
        let found = own
            .message
            .and_then(|message| message.members(["id", "model"]));
        let [id, model] = found.map(|found| found.found).unwrap_or_default();
        self.message = id.filter(|id| id.is_filled()).map(hash);
        // By the message alone abandoned branches would come back: ids repeat.
        self.answer = match (self.message, own.request.map(hash)) {
            (Some(message), Some(request)) => Some(message.rotate_left(1) ^ request),
            _ => None,
        };
        // Notices of the client itself.
        if own.api_error || model.is_some_and(|model| model.is_string("<synthetic>")) || self.meta {
            return;
        }
        let content = own.message.and_then(content_of);
        let blocks = content.map(text_blocks).unwrap_or_default();
        self.unread = blocks.unread;
        let texts: Vec<JsString> = blocks
            .texts
            .into_iter()
            .filter(|text| !text.is_empty() && *text != *"No response requested.")
            .collect();
        if !texts.is_empty() {
            self.content = Content::Answer(texts);
        }
    }
}

/// Types that are known to hold nothing of the conversation.
#[rustfmt::skip]
const KNOWN_TYPES: &[&[u8]] = &[
    b"user", b"assistant", b"progress", b"tag", b"agent-name", b"agent-color", b"agent-setting", b"task-summary",
    b"mode", b"permission-mode", b"queue-operation", b"file-history-snapshot", b"file-history-delta",
    b"attribution-snapshot", b"content-replacement", b"pr-link", b"frame-link", b"bridge-session", b"atis-latch",
    b"worktree-state", b"fork-context-ref", b"speculation-accept", b"marble-origami-commit",
    b"marble-origami-snapshot", b"artifact-link", b"started", b"result", b"api-request", b"api-request-shape",
    b"api-request-blob", b"cost-state", b"tools-used",
];

fn titled(title: Option<Raw<'_>>, fact: impl FnOnce(JsString) -> Fact) -> Fact {
    title.and_then(Raw::decode).map_or(Fact::None, fact)
}

fn system(own: &Members<'_>) -> Fact {
    if !own
        .subtype
        .is_some_and(|subtype| subtype.is_string("compact_boundary"))
    {
        return Fact::None;
    }
    let kept = own.compaction.and_then(|data| {
        let [messages, segment] = data
            .members(["preservedMessages", "preservedSegment"])?
            .found;
        if let Some(messages) = messages.and_then(|list| list.members(["anchorUuid", "uuids"])) {
            let [anchor, uuids] = messages.found;
            return Some(Kept {
                anchor: anchor.and_then(key_of),
                uuids: uuids.map(keys_of).unwrap_or_default(),
                segment: None,
            });
        }
        let [head, anchor, tail] = segment?
            .members(["headUuid", "anchorUuid", "tailUuid"])?
            .found;
        Some(Kept {
            anchor: anchor.and_then(key_of),
            uuids: Vec::new(),
            segment: Some((key_of(head?)?, key_of(tail?)?)),
        })
    });
    Fact::Boundary(kept)
}

/// A prompt that was typed while the model worked; every other attachment is the harness's.
fn attachment(own: &Members<'_>, meta: bool) -> Content {
    let found = own.attachment.and_then(|attachment| {
        attachment.members(["type", "commandMode", "origin", "prompt", "isMeta"])
    });
    let Some([kind, mode, origin, prompt, inner_meta]) = found.map(|found| found.found) else {
        return Content::Nothing;
    };
    let is = |value: Option<Raw<'_>>, text| value.is_some_and(|value| value.is_string(text));
    let origin = own
        .origin
        .or(origin)
        .and_then(|origin| origin.member("kind"));
    let human = own.human_turn || !origin::is_of_machine(origin);
    if !is(kind, "queued_command")
        || !is(mode, "prompt")
        || !human
        || meta
        || inner_meta.is_some_and(Raw::is_true)
    {
        return Content::Nothing;
    }
    let said: Vec<Said> = prompt
        .map(text_blocks)
        .unwrap_or_default()
        .texts
        .iter()
        .map(|text| injected::read(text.as_js_str()))
        .filter(|said| *said != Said::Nothing)
        .collect();
    if said.is_empty() {
        Content::Nothing
    } else {
        Content::Prompt(said)
    }
}

/// A uuid as a number; any other text as a digest.
fn key_of(value: Raw<'_>) -> Option<Key> {
    let text = value.string()?.text().into_owned();
    if text.is_empty() {
        return None;
    }
    Some(key(&text))
}

pub(super) fn key(text: &[u8]) -> Key {
    let mut number: Key = 0;
    let mut digits = 0;
    for byte in text {
        match (*byte as char).to_digit(16) {
            Some(digit) if !byte.is_ascii_uppercase() => {
                number = number << 4 | Key::from(digit);
                digits += 1;
            }
            _ if *byte == b'-' => {}
            _ => digits = 99,
        }
    }
    if digits == 32 && text.len() == 36 {
        return number;
    }
    let mut digest = Digest::default();
    digest.write(text);
    digest.finish()
}

fn keys_of(value: Raw<'_>) -> Vec<Key> {
    if value.kind() == Kind::String {
        return key_of(value).into_iter().collect();
    }
    let mut keys = Vec::new();
    let walked = elements(&mut value.scanner(), |scanner| {
        keys.extend(key_of(Raw::read(scanner)?));
        Ok(())
    });
    debug_assert!(walked.is_ok(), "a checked value");
    keys
}

fn hash(value: Raw<'_>) -> u64 {
    let mut digest = Digest::default();
    digest.write(value.bytes());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "half of a digest is a digest"
    )]
    let half = digest.finish() as u64;
    half
}

//! The content of a message: a string, or blocks (`spec/agent-logs.md` 2.5).

use sref_session::JsString;
use sref_session::json::Kind;

use crate::raw::{Raw, elements};

/// Blocks of a message that are known to hold nothing of the conversation, whatever members they have.
#[rustfmt::skip]
const KNOWN_BLOCKS: &[&[u8]] = &[
    b"thinking", b"redacted_thinking", b"tool_use", b"server_tool_use", b"mcp_tool_use",
    b"mcp_tool_result", b"web_search_tool_result", b"web_fetch_tool_result", b"code_execution_tool_result",
    b"bash_code_execution_tool_result", b"text_editor_code_execution_tool_result",
    b"tool_search_tool_result", b"advisor_tool_result", b"tool_reference", b"search_result",
    b"container_upload", b"compaction", b"fallback",
];

/// The text of a message's content, a string or blocks.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) texts: Vec<JsString>,
    pub(super) images: usize,
    pub(super) tool_result: bool,
    /// Those of unknown types with a text, and what is neither a string nor blocks.
    pub(super) unread: u64,
}

impl Blocks {
    pub(super) fn has_words(&self) -> bool {
        self.unread > 0 || self.texts.iter().any(is_said)
    }
}

/// The content of a message; of what should be one and is no object, itself.
pub(super) fn content_of(message: Raw<'_>) -> Option<Raw<'_>> {
    match message.kind() {
        Kind::Object => message
            .member("content")
            .filter(|content| !content.is_null()),
        _ => Some(message),
    }
}

fn is_said(text: &JsString) -> bool {
    !text.as_wtf8().trim_ascii().is_empty()
}

pub(super) fn text_blocks(content: Raw<'_>) -> Blocks {
    let mut blocks = Blocks::default();
    if content.kind() == Kind::String {
        blocks.texts.extend(content.decode());
        return blocks;
    }
    if content.kind() != Kind::Array {
        blocks.unread += 1;
        return blocks;
    }
    let walked = elements(&mut content.scanner(), |scanner| {
        let block = Raw::read(scanner)?;
        let says = |text: Option<Raw<'_>>| {
            text.and_then(Raw::decode)
                .is_some_and(|text| is_said(&text))
        };
        if let Some([kind, text]) = block.members(["type", "text"]).map(|found| found.found) {
            match kind
                .and_then(Raw::string)
                .map(|kind| kind.text().into_owned())
                .as_deref()
            {
                Some(b"text") => {
                    blocks.unread += u64::from(text.is_some_and(|text| text.string().is_none()));
                    blocks.texts.extend(text.and_then(Raw::decode));
                }
                Some(b"image" | b"document") => blocks.images += 1,
                Some(b"tool_result") => blocks.tool_result = true,
                Some(kind) if KNOWN_BLOCKS.contains(&kind) => {}
                _ => blocks.unread += u64::from(says(text)),
            }
        } else {
            blocks.unread += u64::from(says(Some(block)));
        }
        Ok(())
    });
    debug_assert!(walked.is_ok(), "a checked value");
    blocks
}

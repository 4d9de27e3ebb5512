//! What Codex put into the words of a person, as data (`spec/agent-logs.md` 1.7, 3.5, 3.11).
//!
//! Only known tags with both ends and known first words count, at the start of a text. A person who
//! quotes one inside a sentence keeps it, and tags that nobody knows are a person's.

use sref_session::{JsStr, JsString};

use crate::words::{is_pair, pair, text};

/// Tags whose content is machinery.
#[rustfmt::skip]
const TAGS: &[&[u8]] = &[
    b"user_instructions", b"INSTRUCTIONS", b"environment_context", b"permissions instructions",
    b"collaboration_mode", b"skill", b"skills_instructions", b"user_shell_command", b"turn_aborted",
    b"codex_internal_context", b"goal_context", b"recommended_plugins", b"hook_prompt", b"user_action",
];

/// Warnings that older versions put into the user's mouth: how they begin and how they end.
const WARNINGS: &[(&[u8], &[u8])] = &[
    (
        b"Warning: apply_patch was requested via ",
        b"Use the apply_patch tool instead of exec_command.",
    ),
    (
        b"Warning: The maximum number of unified exec processes you can keep open is",
        b"",
    ),
    (
        b"Warning: Your account was flagged for potentially high-risk cyber activity",
        b"",
    ),
];

const AGENTS_MD: &[u8] = b"# AGENTS.md instructions for ";
const NOTIFICATION: &[u8] = b"subagent_notification";

/// What a client writes before the words of a person, up to [`REQUEST`].
const LEADS: &[&[u8]] = &[
    b"# Context from my IDE setup:",
    b"## Referenced chats with Codex:",
];
const REQUEST: &[u8] = b"## My request for Codex:";

/// The words of a person in a text, if there are any: machinery is taken off, wrappers are opened.
pub(super) fn read(block: JsStr<'_>) -> Option<JsString> {
    let mut rest = block.as_wtf8();
    loop {
        let start = rest.trim_ascii_start();
        match after_machinery(start) {
            Some(after) => rest = after,
            None if start.trim_ascii_end().is_empty() => return None,
            None => break,
        }
    }
    if WARNINGS.iter().any(|(start, end)| {
        let rest = rest.trim_ascii();
        rest.starts_with(start) && rest.ends_with(end)
    }) {
        return None;
    }
    let untouched = rest.len() == block.as_wtf8().len();
    let rest = if untouched { rest } else { rest.trim_ascii() };
    open(text(rest.to_vec()).as_js_str())
}

/// The words of a text that a client wrote for a person: only wrappers are opened.
pub(super) fn open(block: JsStr<'_>) -> Option<JsString> {
    let mut rest = block.as_wtf8();
    while LEADS
        .iter()
        .any(|lead| rest.trim_ascii_start().starts_with(lead))
        && let Some(at) = memchr::memmem::find(rest, REQUEST)
    {
        rest = rest[at + REQUEST.len()..].trim_ascii();
    }
    let bare = rest.trim_ascii();
    if bare.is_empty() || is_image_label(bare) {
        return None;
    }
    Some(text(rest.to_vec()))
}

/// Whether a name is the beginning of machinery: a client calls a thread by the first words of what
/// it sent, wrapper included, until a model finds a name (3.8, 3.11).
pub(super) fn is_name_of_nobody(name: &JsString) -> bool {
    let bytes = name.as_wtf8().trim_ascii_start();
    let is_tag = |name: &&[u8]| {
        let rest = bytes
            .strip_prefix(b"<")
            .and_then(|rest| rest.strip_prefix(*name));
        rest.is_some_and(|rest| rest.first().is_none_or(|next| b"> ".contains(next)))
    };
    let mut leads = LEADS.iter().chain([&AGENTS_MD]);
    leads.any(|lead| bytes.starts_with(lead)) || TAGS.iter().any(is_tag)
}

/// What follows one piece of machinery at the start of `bytes`.
fn after_machinery(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(AGENTS_MD) {
        const END: &[u8] = b"</INSTRUCTIONS>";
        let end = memchr::memmem::find(bytes, END)?;
        return Some(&bytes[end + END.len()..]);
    }
    if let Some((_, after)) = TAGS.iter().find_map(|name| pair(bytes, name)) {
        return Some(after);
    }
    let name = bytes.get(1..=NOTIFICATION.len())?;
    if name.eq_ignore_ascii_case(NOTIFICATION) && is_pair(&bytes.to_ascii_lowercase(), NOTIFICATION)
    {
        return Some(b"");
    }
    None
}

/// The label before or behind a picture, which is a text of its own.
fn is_image_label(bytes: &[u8]) -> bool {
    bytes == b"</image>"
        || (bytes.starts_with(b"<image name=")
            && bytes.ends_with(b">")
            && memchr::memchr(b'>', bytes) == Some(bytes.len() - 1)
            && !bytes.contains(&b'\n'))
}

/// A summary without the sentences that introduce it to the next model.
pub(super) fn summary(block: JsStr<'_>) -> JsString {
    const LEAD: &[u8] = b"Another language model started to solve this problem";
    let bytes = block.as_wtf8().trim_ascii();
    let body = match memchr::memchr(b'\n', bytes) {
        Some(end) if bytes.starts_with(LEAD) => bytes[end..].trim_ascii(),
        _ => bytes,
    };
    text(body.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        Some(read(text.into())?.to_string_lossy().into_owned())
    }

    fn stays(text: &str) {
        assert_eq!(said(text).as_deref(), Some(text));
    }

    /// 3.5: every row alone, before a real prompt, quoted inside one, and as a word.
    #[test]
    fn known_tags_go_alone_and_before_words_and_stay_inside_them() {
        for name in TAGS {
            let name = std::str::from_utf8(name).unwrap();
            let block = format!("<{name}>\nmachine\n</{name}>");
            assert_eq!(said(&block), None, "{block}");
            assert_eq!(said(&format!("\n{block}\n ")), None, "{block}");
            assert_eq!(said(&format!("{block}\n\nfix it")).unwrap(), "fix it");
            stays(&format!("why does {block} appear?"));
            stays(&format!("<{name}> in React"));
        }
        assert_eq!(
            said("<codex_internal_context source=\"goal\">x</codex_internal_context>"),
            None
        );
        assert_eq!(
            said("<SubAgent_Notification>{}</subagent_notification>"),
            None
        );
        stays("<subagent_notification> is what I saw");
        stays("<project_context>mine</project_context>");
    }

    /// 3.5: instructions of a project.
    #[test]
    fn project_instructions_go() {
        let block =
            "# AGENTS.md instructions for /w/app\n\n<INSTRUCTIONS>\nbe terse\n</INSTRUCTIONS>";
        assert_eq!(said(block), None);
        let with_more = format!("{block}\n<environment_context>x</environment_context>\nfix it");
        assert_eq!(said(&with_more).unwrap(), "fix it");
        stays("# AGENTS.md instructions for beginners: how do I write them?");
    }

    /// 3.5: warnings of old versions.
    #[test]
    fn warnings_go() {
        for (start, end) in WARNINGS {
            let [start, end] = [start, end].map(|part| std::str::from_utf8(part).unwrap());
            assert_eq!(said(&format!("{start} x. {end}")), None);
            stays(&format!("it says {start}"));
        }
        stays("Warning: this is my own");
        stays("Warning: apply_patch was requested via what?");
    }

    /// 3.5, 3.11: what a client puts before the words.
    #[test]
    fn requests_are_taken_out_of_their_wrappers() {
        let ide = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix it\n";
        assert_eq!(said(ide).unwrap(), "fix it");
        let chats = format!(
            "## Referenced chats with Codex:\n[{{\"threadId\":\"a\"}}]\n\n## My request for Codex:\n{ide}"
        );
        assert_eq!(said(&chats).unwrap(), "fix it");
        stays("# Context from my IDE setup:\nwhat is this?");
        stays("my notes\n## My request for Codex:\nis a heading");
        assert_eq!(
            said("# Context from my IDE setup:\n## My request for Codex:\n"),
            None
        );
    }

    /// 3.11: the labels of pictures count as a person's text in the log.
    #[test]
    fn labels_of_pictures_go() {
        assert_eq!(said("<image name=[Image #1]>"), None);
        assert_eq!(said("</image>"), None);
        stays("<image name=a> is broken");
    }

    #[test]
    fn summaries_lose_the_sentence_before_them() {
        let block = "Another language model started to solve this problem and produced a summary:\nThey fixed it.\n";
        assert_eq!(summary(block.into()), "They fixed it.");
        assert_eq!(summary("They fixed it.".into()), "They fixed it.");
    }

    #[test]
    fn lone_surrogates_and_white_space_survive() {
        let lone = JsString::from_utf16("  a".encode_utf16().chain([0xD83D]));
        assert_eq!(read(lone.as_js_str()), Some(lone));
        assert_eq!(said(" \n"), None);
    }

    #[test]
    fn floods_of_openings_are_cheap() {
        let flood = "<skill>".repeat(100_000);
        assert_eq!(said(&flood).unwrap().len(), flood.len());
        let pairs = "<skill></skill>".repeat(100_000);
        assert_eq!(said(&pairs), None);
    }
}

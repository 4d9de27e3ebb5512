use alloc::vec::Vec;

use sref_session::{CheckpointMarkers, Role, SurfacePayload, SurfaceSnapshot};

use crate::Text;

/// One message of a conversation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Item<'a> {
    /// Who speaks.
    pub role: Role,
    /// The words.
    pub text: Text<'a>,
    /// Whether it stands for older messages that were compacted into it.
    pub checkpoint: bool,
}

impl<'a> Item<'a> {
    /// An ordinary message.
    #[must_use]
    pub const fn new(role: Role, text: Text<'a>) -> Self {
        Self {
            role,
            text,
            checkpoint: false,
        }
    }

    /// A checkpoint; its role is `user`.
    #[must_use]
    pub const fn checkpoint(text: Text<'a>) -> Self {
        Self {
            role: Role::User,
            text,
            checkpoint: true,
        }
    }
}

/// Who said what in a session, oldest first; no message is empty.
///
/// Collecting [`Item`]s drops those without text, and sums up what retention needs to know of all
/// of them, so that it need not visit them again.
#[derive(Debug, Clone, Default)]
pub struct Conversation<'a> {
    items: Vec<Item<'a>>,
    /// Where the checkpoints stand among the items, in order.
    checkpoints: Vec<usize>,
    bytes: u64,
}

impl<'a> Conversation<'a> {
    /// The messages.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        &self.items
    }

    /// The size of all texts in UTF-8 bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether older messages were compacted into one of these.
    #[must_use]
    pub const fn is_compacted(&self) -> bool {
        !self.checkpoints.is_empty()
    }

    /// The messages that go first, newest first: the last one, then the checkpoints.
    pub(crate) fn protected(&self) -> impl Iterator<Item = usize> {
        let newest = self.items.len().checked_sub(1);
        let checkpoints = self.checkpoints.iter().rev().copied();
        newest
            .into_iter()
            .chain(checkpoints.filter(move |at| Some(*at) != newest))
    }

    /// The messages that go last, newest first.
    pub(crate) fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.items.len().saturating_sub(1))
            .rev()
            .filter(|at| !self.items[*at].checkpoint)
    }

    /// How many [`others`](Self::others) there are.
    pub(crate) fn count_others(&self) -> usize {
        let last_is_ordinary = self.items.last().is_some_and(|last| !last.checkpoint);
        self.items.len() - self.checkpoints.len() - usize::from(last_is_ordinary)
    }
}

impl<'a> FromIterator<Item<'a>> for Conversation<'a> {
    fn from_iter<I: IntoIterator<Item = Item<'a>>>(items: I) -> Self {
        let items = items.into_iter();
        let mut conversation = Self::default();
        // Most events are messages, and a vector that grows is copied. The hint may be a lie.
        let expected = items.size_hint().1.unwrap_or(0).min(1 << 20);
        conversation.items.reserve(expected);
        for item in items.filter(|item| !item.text.is_empty()) {
            if item.checkpoint {
                conversation.checkpoints.push(conversation.items.len());
            }
            conversation.bytes += item.text.len() as u64;
            conversation.items.push(item);
        }
        conversation
    }
}

/// The conversation that a surface shows (`contract.md` §4, `spec/dsh-store.md` 8.3).
///
/// A user message counts when a person wrote it or when it is a checkpoint, an assistant message
/// always, nothing else ever: no tools, no reasoning, no injected context, no earlier reference.
/// The text of a message is its text blocks, joined by LF. Messages without text are dropped; white
/// space is text.
///
/// Looks at the lengths of texts alone.
///
/// # Deviation
///
/// A message whose record says what of it was displayed, of the days when snapshots were baked into
/// prompts (`spec/dsh-store.md` 10.3), counts with that. The reference shows all of it, the earlier
/// snapshot included, against its own documentation.
///
/// ```
/// use sref_projection::project;
/// use sref_session::{
///     Block, CheckpointMarkers, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot,
/// };
///
/// let text = |text: &str| vec![Block::Text(text.into())];
/// let events = vec![
///     SurfaceEvent::user(1, Source::plugin("compact"), text("what happened before")),
///     SurfaceEvent::user(2, Source::plugin("notes"), text("injected")),
///     SurfaceEvent::user(3, Source::user(), text("hello")),
///     SurfaceEvent::assistant(4, text("")),
/// ];
/// let surface = SurfaceSnapshot::new(SessionHeader::new("s", 0), Some(4), events);
///
/// let conversation = project(&surface, &CheckpointMarkers::STANDARD);
/// let [checkpoint, hello] = conversation.items() else {
///     panic!("two messages are projected")
/// };
/// assert!(checkpoint.checkpoint);
/// assert_eq!(hello.text.to_js_string(), "hello");
/// ```
#[must_use]
pub fn project<'a>(
    surface: &'a SurfaceSnapshot,
    checkpoints: &CheckpointMarkers,
) -> Conversation<'a> {
    let items = surface
        .events
        .iter()
        .filter_map(|event| match &event.payload {
            SurfacePayload::UserMessage {
                source,
                content,
                display_content,
            } => {
                let text = Text::of_blocks(display_content.as_ref().unwrap_or(content));
                if checkpoints.matches(source) {
                    Some(Item::checkpoint(text))
                } else {
                    source.is_user().then_some(Item::new(Role::User, text))
                }
            }
            SurfacePayload::AssistantMessage { content } => {
                Some(Item::new(Role::Assistant, Text::of_blocks(content)))
            }
            _ => None,
        });
    items.collect()
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use sref_session::json::{self, Value};
    use sref_session::{Block, SessionHeader, Source, SurfaceEvent};

    use super::*;

    fn text(text: &str) -> Vec<Block> {
        vec![Block::Text(text.into())]
    }

    fn shown(events: Vec<SurfaceEvent>) -> Vec<(Role, String, bool)> {
        let surface = SurfaceSnapshot::new(SessionHeader::new("s", 0), None, events);
        project(&surface, &CheckpointMarkers::STANDARD)
            .items()
            .iter()
            .map(|item| {
                let text = item.text.to_js_string().to_string_lossy().into_owned();
                (item.role, text, item.checkpoint)
            })
            .collect()
    }

    #[test]
    fn sources_decide_over_user_messages() {
        let cases = [
            (Source::user(), Some(false)),
            (Source::plugin("compact"), Some(true)),
            (Source::new("compact-checkpoint"), Some(true)),
            (Source::plugin("dsh-compact"), None),
            (Source::new("plugin"), None),
            (Source::new("session-reference"), None),
            (Source::new("tool"), None),
            (Source::new("User"), None),
            (Source::new(""), None),
        ];
        for (source, expected) in cases {
            let event = SurfaceEvent::user(0, source.clone(), text("x"));
            let expected: Vec<_> = expected
                .map(|checkpoint| (Role::User, "x".into(), checkpoint))
                .into_iter()
                .collect();
            assert_eq!(shown(vec![event]), expected, "{source:?}");
        }
    }

    #[test]
    fn other_events_show_nothing() {
        let other = [
            SurfacePayload::ToolResult,
            SurfacePayload::SystemMessage,
            SurfacePayload::DeveloperMessage,
        ];
        let events = other.map(|payload| SurfaceEvent::new(0, payload));
        assert_eq!(shown(events.to_vec()), []);
    }

    #[test]
    fn text_blocks_are_joined_and_empty_messages_dropped() {
        let block = |json: &str| Block::from_json(json::parse(json.as_bytes()).unwrap());
        let cases: [(&[&str], Option<&str>); 7] = [
            (
                &[
                    r#"{"type":"text","text":"a"}"#,
                    r#"{"type":"text","text":"b"}"#,
                ],
                Some("a\nb"),
            ),
            (
                &[
                    r#"{"type":"text","text":""}"#,
                    r#"{"type":"text","text":"","x":1}"#,
                ],
                Some("\n"),
            ),
            (&[r#"{"type":"text","text":" "}"#], Some(" ")),
            (&[r#"{"type":"text","text":""}"#], None),
            (
                &[
                    r#"{"type":"reasoning","text":"r"}"#,
                    r#"{"type":"text","text":"t"}"#,
                ],
                Some("t"),
            ),
            (
                &[
                    r#"{"type":"text","text":7}"#,
                    "null",
                    "3",
                    r#"{"type":"image"}"#,
                ],
                None,
            ),
            (&[], None),
        ];
        for (blocks, expected) in cases {
            let blocks: Vec<Block> = blocks.iter().map(|json| block(json)).collect();
            let expected: Vec<_> = expected
                .map(|text| (Role::Assistant, text.into(), false))
                .into_iter()
                .collect();
            assert_eq!(
                shown(vec![SurfaceEvent::assistant(0, blocks.clone())]),
                expected,
                "{blocks:?}"
            );
        }
    }

    #[test]
    fn a_baked_prefix_is_not_shown_again() {
        let event = |display_content| {
            SurfaceEvent::new(
                0,
                SurfacePayload::UserMessage {
                    source: Source::user(),
                    content: text("snapshot, then the prompt"),
                    display_content,
                },
            )
        };
        let only =
            |shown: Vec<(Role, String, bool)>| shown.into_iter().next().map(|(_, text, _)| text);
        assert_eq!(
            only(shown(vec![event(Some(text("the prompt")))])),
            Some("the prompt".into())
        );
        assert_eq!(
            only(shown(vec![event(None)])),
            Some("snapshot, then the prompt".into())
        );
        assert_eq!(
            only(shown(vec![event(Some(vec![Block::Other(Value::Null)]))])),
            None
        );
    }

    #[test]
    fn items_are_summed_up_and_ordered() {
        let item = |name: &'static str| match name.strip_prefix('k') {
            Some(text) => Item::checkpoint(text.into()),
            None => Item::new(Role::User, name.into()),
        };
        let check = |names: &[&'static str], protected: &[usize], others: &[usize]| {
            let conversation: Conversation<'_> = names.iter().copied().map(item).collect();
            assert_eq!(conversation.protected().collect::<Vec<_>>(), protected);
            assert_eq!(conversation.others().collect::<Vec<_>>(), others);
            assert_eq!(conversation.count_others(), others.len());
            conversation
        };
        check(&[], &[], &[]);
        check(&["a"], &[0], &[]);
        check(&["kk"], &[0], &[]);
        check(&["a", "kk", "b", "kk"], &[3, 1], &[2, 0]);
        let conversation = check(&["kk", "a", "", "bb", "kkk", "c"], &[4, 3, 0], &[2, 1]);
        assert_eq!(
            (conversation.items().len(), conversation.bytes()),
            (5, 1 + 1 + 2 + 2 + 1)
        );
        assert!(conversation.is_compacted());
    }
}

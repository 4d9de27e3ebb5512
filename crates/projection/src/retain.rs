use alloc::string::String;
use alloc::vec::Vec;

use sref_envelope::{Entry, Omitted, Profile, ReferencedSession, render, rendered_len};
use sref_session::{JsStr, JsString, SurfaceSnapshot};

use crate::{Budget, BudgetError, Conversation, Item, exact, fair};

/// How it is chosen what of a conversation is shown (`contract.md` §6).
///
/// Where everything fits, both give the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Retention {
    /// Fair shares, full use, cuts that are marked where they are.
    ///
    /// Messages are admitted in the order newest message, newest checkpoint, other checkpoints from
    /// new to old, other messages from new to old, each at the smaller of its rendered size and a
    /// floor: 1/32 of the budget, 256 bytes at least. The first that does not fit ends that, and
    /// what comes after it is dropped. What is left raises one cap for all: messages up to it are
    /// whole, larger ones are cut to it. The few bytes that whole characters and words leave over go
    /// to cut messages in the same order, so that one can be a little larger than another.
    ///
    /// A cut message shows its head and its tail, and between them, on a line of its own, how many
    /// bytes are missing. Cuts fall between grapheme clusters, at the nearest line or word end when
    /// one lies within the last 1/16 of the kept side (a line end is preferred to a nearer word end
    /// within the last 1/256). Three kinds of text would leave no room for that, and are cut
    /// otherwise:
    ///
    /// - where not one whole cluster fits, as in a text of a hundred thousand combining marks, the
    ///   cut falls between two characters;
    /// - where words are so sparse, or their lengths so unlucky, that more than 1 % of the budget
    ///   would stay unused, it falls inside a word;
    /// - in a run of more than 2,048 flags, a flag can be cut in half.
    #[default]
    Fair,
    /// What the reference does, byte for byte in the plain profile (`spec/dsh-store.md` 8.4), its
    /// faults included.
    ///
    /// Whole messages are dropped oldest first, but for checkpoints and the newest message; then the
    /// longest text is shortened by the overflow until it all fits.
    Exact,
}

/// The members of a rendered object that are never cut.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Identity<'a> {
    /// Which session.
    pub session_id: JsStr<'a>,
    /// What the citing text calls it.
    pub label: JsStr<'a>,
    /// Where it ran, if known.
    pub cwd: Option<JsStr<'a>>,
    /// The last event that the snapshot covers.
    pub captured_through_seq: Option<u64>,
}

impl<'a> Identity<'a> {
    /// An id and a label; the rest absent.
    #[must_use]
    pub const fn new(session_id: JsStr<'a>, label: JsStr<'a>) -> Self {
        Self {
            session_id,
            label,
            cwd: None,
            captured_through_seq: None,
        }
    }

    /// The identity of a surface, under a label.
    #[must_use]
    pub fn of_surface(surface: &'a SurfaceSnapshot, label: JsStr<'a>) -> Self {
        Self {
            session_id: surface.header.id.as_js_str(),
            label,
            cwd: surface.header.cwd.as_ref().map(JsString::as_js_str),
            captured_through_seq: surface.captured_through_seq,
        }
    }

    fn session<'s>(&'s self, conversation: &'s [Entry<'s>]) -> ReferencedSession<'s> {
        let mut session = ReferencedSession::new(self.session_id, self.label, conversation);
        session.cwd = self.cwd;
        session.captured_through_seq = self.captured_through_seq;
        session
    }
}

/// What was chosen, rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retained {
    /// One JSON object, within the budget.
    pub rendered: String,
    /// The counts that a source record keeps.
    pub facts: Facts,
    /// The messages shown, oldest first.
    pub kept: Vec<Kept>,
}

/// A message that is shown, whole or in part; under [`Retention::Exact`], perhaps blank.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Which one of [`Conversation::items`].
    pub index: usize,
    /// The text as shown, the notice included where it is cut.
    pub shown: JsString,
    /// How many bytes of its text are missing.
    pub omitted_bytes: u64,
}

/// What a source record says of a retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Facts {
    /// Whether a checkpoint is among the messages of the conversation.
    pub compacted: bool,
    /// How many messages the conversation has.
    pub original_messages: u64,
    /// How many of them are shown, whole or in part.
    pub retained_messages: u64,
    /// How many are not.
    pub omitted_messages: u64,
    /// How many bytes of text are missing, those of omitted messages included.
    pub omitted_bytes: u64,
    /// Whether anything is missing.
    pub truncated: bool,
}

/// Chooses what of a conversation is shown, and renders it.
///
/// # Errors
///
/// [`BudgetError`] when the budget does not hold the members that are never cut; under
/// [`Retention::Exact`] also where the reference gives up. There is never a partial object.
///
/// ```
/// use sref_envelope::Profile;
/// use sref_projection::{Conversation, Identity, Item, Retention, retain};
/// use sref_session::Role;
///
/// let conversation: Conversation<'_> =
///     [Item::new(Role::User, "hi".into())].into_iter().collect();
/// let identity = Identity::new("s".into(), "s".into());
/// let retain = |budget| retain(&identity, &conversation, budget, Retention::Fair, Profile::Plain);
///
/// assert_eq!(
///     retain(200)?.rendered,
///     r#"{"sessionId":"s","label":"s","cwd":null,"capturedThroughSeq":null,"conversation":[{"role":"user","text":"hi"}]}"#,
/// );
/// assert_eq!(retain(10).unwrap_err().code(), "SESSION_REFERENCE_BUDGET_EXCEEDED");
/// # Ok::<(), sref_projection::BudgetError>(())
/// ```
pub fn retain(
    identity: &Identity<'_>,
    conversation: &Conversation<'_>,
    budget: impl Into<Budget>,
    retention: Retention,
    profile: Profile,
) -> Result<Retained, BudgetError> {
    let space = Space {
        fixed: rendered_len(&identity.session(&[]), profile),
        budget: budget.into().bytes(),
        profile,
    };
    if space.fixed > space.budget {
        return Err(BudgetError::new(space.fixed, space.budget));
    }
    let mut kept = if space.holds(conversation) {
        (0..conversation.items().len())
            .map(|index| Kept::whole(conversation, index))
            .collect()
    } else {
        match retention {
            Retention::Fair => fair::choose(conversation, &space),
            Retention::Exact => exact::choose(conversation, &space)?,
        }
    };
    kept.sort_unstable_by_key(|kept| kept.index);
    let facts = Facts::new(conversation, &kept);
    let entries: Vec<Entry<'_>> = kept
        .iter()
        .map(|kept| {
            Entry::new(
                conversation.items()[kept.index].role,
                kept.shown.as_js_str(),
            )
        })
        .collect();
    let mut session = identity.session(&entries);
    let omitted = Omitted::new(facts.omitted_messages, facts.omitted_bytes);
    if facts.truncated && omitted.rendered_len(profile) > 0 {
        // Only where hardly more than the identity fits can it be too long.
        let len = rendered_len(&session, profile) + omitted.rendered_len(profile);
        session.omitted = (len <= space.budget).then_some(omitted);
    }
    Ok(Retained {
        rendered: render(&session, profile),
        facts,
        kept,
    })
}

/// The room that a conversation must fit into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    /// The size of the object without messages.
    pub(crate) fixed: usize,
    /// What the object may take.
    pub(crate) budget: usize,
    pub(crate) profile: Profile,
}

impl Space {
    /// The size of a message without its text.
    pub(crate) fn overhead(&self, item: &Item<'_>) -> usize {
        Entry::new(item.role, "".into()).rendered_len(self.profile)
    }

    /// The size of a whole message, unless it is more than `limit`.
    pub(crate) fn size_within(&self, item: &Item<'_>, limit: usize) -> Option<usize> {
        let overhead = self.overhead(item);
        let limit = limit.checked_sub(overhead)?;
        Some(overhead + item.text.escaped_len_within(self.profile, limit)?)
    }

    /// The size of what tells how much was left out; 0 in the plain profile.
    pub(crate) fn omitted_len(&self, messages: usize, bytes: u64) -> usize {
        if messages == 0 && bytes == 0 {
            return 0;
        }
        Omitted::new(messages as u64, bytes).rendered_len(self.profile)
    }

    /// Whether all of a conversation fits.
    fn holds(&self, conversation: &Conversation<'_>) -> bool {
        let mut left = self.budget - self.fixed;
        // No character becomes shorter: most conversations that do not fit end here.
        if conversation.bytes() > left as u64 {
            return false;
        }
        conversation
            .items()
            .iter()
            .rev()
            .enumerate()
            .all(|(at, item)| {
                let comma = usize::from(at > 0);
                match self.size_within(item, left.saturating_sub(comma)) {
                    Some(size) if size + comma <= left => {
                        left -= size + comma;
                        true
                    }
                    _ => false,
                }
            })
    }
}

impl Kept {
    pub(crate) fn whole(conversation: &Conversation<'_>, index: usize) -> Self {
        Self {
            index,
            shown: conversation.items()[index].text.to_js_string(),
            omitted_bytes: 0,
        }
    }
}

impl Facts {
    fn new(conversation: &Conversation<'_>, kept: &[Kept]) -> Self {
        let original_messages = conversation.items().len() as u64;
        let retained_messages = kept.len() as u64;
        let shown_bytes: u64 = kept
            .iter()
            .map(|kept| conversation.items()[kept.index].text.len() as u64 - kept.omitted_bytes)
            .sum();
        let omitted_messages = original_messages - retained_messages;
        let omitted_bytes = conversation.bytes() - shown_bytes;
        Self {
            compacted: conversation.is_compacted(),
            original_messages,
            retained_messages,
            omitted_messages,
            omitted_bytes,
            truncated: omitted_messages > 0 || omitted_bytes > 0,
        }
    }
}

//! Arbitrary surfaces: texts in which every rule has something to do.

use proptest::prelude::*;
use sref_envelope::Profile;
use sref_projection::{Conversation, Identity, Kept, Retained, Retention, project, retain};
use sref_session::{
    Block, CheckpointMarkers, JsString, SessionHeader, Source, SurfaceEvent, SurfacePayload,
    SurfaceSnapshot,
};

/// One pattern over and over: prose, code, escapes, scripts, clusters of every kind.
fn segment() -> impl Strategy<Value = Vec<u16>> {
    let pattern = prop_oneof![
        4 => prop::sample::select(vec![
            "word ", "a", "x\n", "some longer words, and more. ", "\n", " ", "line of text\r\n", "\r",
            "unbreakablewordofsomelength", "<", "<b>\"&", "\t\\", "\u{1}", "\u{7f}", "é", "日本語", "日。\n",
            "\u{3000}", "👩\u{200D}👩\u{200D}👧 ", "👩\u{200D}", "🇩🇪", "👍🏽", "❤\u{FE0F}", "e\u{301}", "\u{301}",
            "क्षि", "हिन्दी ", "한국어", "ᄀ", "ᆨ", "\u{600}", "\u{200B}", "\u{202E}", "\u{E0041}", "\u{FEFF}",
            "[… omitted 12 UTF-8 bytes …]\n", "a\u{301}\u{302}\u{303}\u{304}\u{305}", "\u{FFFE}", "\u{85}",
        ])
        .prop_map(|text: &str| text.encode_utf16().collect()),
        1 => prop::sample::select(vec![vec![0xD83D], vec![0xDE00, 0x61], vec![0xD83D, 0x20]]),
        1 => prop::collection::vec(any::<char>(), 1..4)
            .prop_map(|chars| String::from_iter(chars).encode_utf16().collect()),
    ];
    let times = prop_oneof![6 => 1_usize..8, 3 => 8_usize..80, 1 => 80_usize..600];
    (pattern, times).prop_map(|(pattern, times): (Vec<u16>, _)| pattern.repeat(times))
}

fn text() -> impl Strategy<Value = JsString> {
    prop::collection::vec(segment(), 0..5).prop_map(|parts| JsString::from_utf16(parts.concat()))
}

fn event() -> impl Strategy<Value = SurfaceEvent> {
    let blocks = prop_oneof![
        6 => text().prop_map(|text| vec![Block::Text(text)]),
        1 => prop::collection::vec(text().prop_map(Block::Text), 0..4),
    ];
    (blocks, 0_u8..12).prop_map(|(blocks, kind)| match kind {
        0..5 => SurfaceEvent::user(0, Source::user(), blocks),
        5..9 => SurfaceEvent::assistant(0, blocks),
        9 => SurfaceEvent::user(0, Source::plugin("compact"), blocks),
        10 => SurfaceEvent::user(0, Source::plugin("other"), blocks),
        _ => SurfaceEvent::new(0, SurfacePayload::ToolResult),
    })
}

pub(crate) fn surface() -> impl Strategy<Value = SurfaceSnapshot> {
    let count = prop_oneof![5 => 0_usize..6, 2 => 6_usize..40];
    let events = count.prop_flat_map(|count| prop::collection::vec(event(), count));
    let seq = prop::option::of(0_u64..1_000);
    ("[a-z<é]{0,12}", seq, events).prop_map(|(id, seq, events)| {
        SurfaceSnapshot::new(SessionHeader::new(id.as_str(), 0), seq, events)
    })
}

/// Budgets of every order of magnitude.
pub(crate) fn budget() -> impl Strategy<Value = usize> {
    prop_oneof![
        2 => 60_usize..600,
        3 => 600_usize..5_000,
        2 => 5_000_usize..70_000,
    ]
}

pub(crate) fn profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(vec![Profile::Plain, Profile::Hardened])
}

/// A surface, projected.
pub(crate) struct Case<'a> {
    pub(crate) identity: Identity<'a>,
    pub(crate) conversation: Conversation<'a>,
    /// The text of each message, whole.
    pub(crate) texts: Vec<JsString>,
    pub(crate) profile: Profile,
}

impl<'a> Case<'a> {
    pub(crate) fn new(surface: &'a SurfaceSnapshot, profile: Profile) -> Self {
        let conversation = project(surface, &CheckpointMarkers::STANDARD);
        let texts = conversation
            .items()
            .iter()
            .map(|item| item.text.to_js_string());
        Self {
            identity: Identity::of_surface(surface, "label".into()),
            texts: texts.collect(),
            conversation,
            profile,
        }
    }

    /// What is retained, `None` when the budget is too small.
    pub(crate) fn retain(&self, budget: usize, retention: Retention) -> Option<Retained> {
        retain(
            &self.identity,
            &self.conversation,
            budget,
            retention,
            self.profile,
        )
        .ok()
    }

    /// The size of the object without messages.
    pub(crate) fn fixed(&self) -> usize {
        let none = Conversation::default();
        let retained = retain(
            &self.identity,
            &none,
            usize::MAX,
            Retention::Fair,
            self.profile,
        );
        retained.unwrap().rendered.len()
    }

    /// The size of message `index` with this text.
    pub(crate) fn size(&self, index: usize, text: &JsString) -> usize {
        let role = self.conversation.items()[index].role;
        sref_envelope::Entry::new(role, text.as_js_str()).rendered_len(self.profile)
    }

    pub(crate) fn sizes(&self) -> Vec<usize> {
        let texts = self.texts.iter().enumerate();
        texts.map(|(index, text)| self.size(index, text)).collect()
    }

    /// Head and tail of a cut message, checked against its text: `None` when it is no such pair
    /// around an exact notice.
    pub(crate) fn parts(&self, kept: &Kept) -> Option<(usize, usize)> {
        let source = self.texts[kept.index].as_wtf8();
        let shown = kept.shown.as_wtf8();
        let notice = format!("\n[… omitted {} UTF-8 bytes …]\n", kept.omitted_bytes);
        (0..=shown.len().checked_sub(notice.len())?).find_map(|at| {
            let (head, rest) = shown.split_at(at);
            let tail = rest.strip_prefix(notice.as_bytes())?;
            let missing = source.len().checked_sub(head.len() + tail.len())?;
            let exact = source.starts_with(head)
                && source.ends_with(tail)
                && missing as u64 == kept.omitted_bytes;
            exact.then_some((head.len(), source.len() - tail.len()))
        })
    }
}

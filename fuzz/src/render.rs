use sref_envelope::{CLOSE_TAG, Frame, OPEN_TAG, Profile, ReferencedSession, rendered_len};
use sref_projection::{Conversation, Identity, Retained, Retention, project, retain};
use sref_session::json::{Value, parse};
use sref_session::{
    Block, CheckpointMarkers, JsString, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot,
};

use crate::input::text;

/// What a reference carries is within its budget, reads back, and says truly what is missing
/// (`contract.md` §5, §6).
///
/// Four bytes of options: profile, budget in two, and by how much a second budget is larger. Then
/// messages up to `FF`, each a byte for its kind and blocks up to `FE`: bytes that UTF-8 never has.
pub fn render(data: &[u8]) {
    let Some((&[flags, low, high, more], data)) = data.split_first_chunk() else {
        return;
    };
    let profile = if flags & 1 == 0 {
        Profile::Plain
    } else {
        Profile::Hardened
    };
    let budget = usize::from(u16::from_le_bytes([low, high]));
    let surface = surface(data);
    let conversation = project(&surface, &CheckpointMarkers::STANDARD);
    let identity = Identity::of_surface(&surface, "label".into());
    let fixed = {
        let mut session = ReferencedSession::new("s".into(), "label".into(), &[]);
        session.captured_through_seq = surface.captured_through_seq;
        rendered_len(&session, profile)
    };

    let fair = |budget| retain(&identity, &conversation, budget, Retention::Fair, profile);
    let exact = retain(&identity, &conversation, budget, Retention::Exact, profile);
    if let Ok(exact) = &exact {
        check(exact, &conversation, budget, profile);
    }
    let Ok(kept) = fair(budget) else {
        assert!(
            fixed > budget,
            "the fixed part fits, and so something can be said"
        );
        return;
    };
    assert!(fixed <= budget);
    check(&kept, &conversation, budget, profile);
    assert!(
        kept.kept.iter().all(|own| !own.shown.is_empty()),
        "no message is kept empty"
    );
    if budget >= fixed + 256 && !conversation.items().is_empty() {
        let newest = kept.kept.last().map(|own| own.index);
        assert_eq!(
            newest,
            Some(conversation.items().len() - 1),
            "the newest message shows text"
        );
    }
    if !kept.facts.truncated {
        assert_eq!(exact.as_ref(), Ok(&kept), "what fits is the same in both");
    }
    assert_eq!(fair(budget).as_ref(), Ok(&kept), "the same every time");

    let larger = fair(budget + usize::from(more));
    for own in &kept.kept {
        let still = larger
            .iter()
            .flat_map(|larger| &larger.kept)
            .any(|other| other.index == own.index);
        assert!(still, "a larger budget drops message {}", own.index);
    }
}

/// What holds for both ways of choosing.
fn check(retained: &Retained, conversation: &Conversation<'_>, budget: usize, profile: Profile) {
    let Retained {
        rendered,
        facts,
        kept,
        ..
    } = retained;
    assert!(rendered.len() <= budget);
    assert!(!rendered.contains('<'));
    if profile == Profile::Hardened {
        assert!(!rendered.contains(['>', '&', '\u{7F}', '\u{202E}', '\u{FEFF}']));
    }
    let prompt = Frame::default().render(std::slice::from_ref(rendered));
    assert_eq!(
        (
            prompt.matches(OPEN_TAG).count(),
            prompt.matches(CLOSE_TAG).count()
        ),
        (1, 1)
    );

    // It reads back as what is said to be shown.
    let object = parse(rendered.as_bytes()).expect("the object is JSON");
    let shown = object
        .get("conversation")
        .and_then(Value::as_array)
        .expect("a conversation");
    let texts: Vec<&JsString> = shown
        .iter()
        .filter_map(|entry| entry.get("text")?.as_string())
        .collect();
    assert_eq!(texts, kept.iter().map(|own| &own.shown).collect::<Vec<_>>());

    // The counts add up.
    let items = conversation.items();
    assert!(kept.is_sorted_by(|one, next| one.index < next.index));
    assert_eq!(facts.original_messages, items.len() as u64);
    assert_eq!(facts.retained_messages, kept.len() as u64);
    assert_eq!(
        facts.omitted_messages,
        facts.original_messages - facts.retained_messages
    );
    let shown: u64 = kept
        .iter()
        .map(|own| items[own.index].text.len() as u64 - own.omitted_bytes)
        .sum();
    assert_eq!(facts.omitted_bytes, conversation.bytes() - shown);
    assert_eq!(
        facts.truncated,
        facts.omitted_messages > 0 || facts.omitted_bytes > 0
    );
    for own in kept.iter().filter(|own| own.omitted_bytes == 0) {
        assert_eq!(own.shown, items[own.index].text.to_js_string());
    }
}

fn surface(data: &[u8]) -> SurfaceSnapshot {
    let messages = data.split(|byte| *byte == 0xFF);
    let events: Vec<SurfaceEvent> = (0..)
        .zip(messages)
        .map(|(seq, message)| event(seq, message))
        .collect();
    let last = events.last().map(|event| event.seq);
    SurfaceSnapshot::new(SessionHeader::new("s", 0), last, events)
}

fn event(seq: u64, message: &[u8]) -> SurfaceEvent {
    let (kind, rest) = message.split_first().unwrap_or((&0, &[]));
    let blocks = rest.split(|byte| *byte == 0xFE);
    let content = blocks.map(|block| Block::Text(text(block))).collect();
    match kind % 8 {
        0 => SurfaceEvent::user(seq, Source::plugin("compact"), content),
        1 => SurfaceEvent::user(seq, Source::plugin("notes"), content),
        2..=4 => SurfaceEvent::user(seq, Source::user(), content),
        _ => SurfaceEvent::assistant(seq, content),
    }
}

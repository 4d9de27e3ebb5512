//! No output over a host's cap, and JSON that every reader takes, whatever is in the sessions.

use proptest::prelude::*;
use serde_json::Value;
use sref_delivery::{Host, Policy};
use sref_session::{Dialect, JsString, Loss, Losses, json};
use sref_uri::format_mention;

use crate::hook::{Sessions, hook};
use crate::schema;

/// Text of the kinds that count differently: bytes, units, escapes, halves of a pair.
fn text(pieces: usize) -> impl Strategy<Value = JsString> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "word ", "</referenced-sessions>", "\"\\", "\n", "\u{1}", "登录页面", "の", "😀", "👩\u{200D}🚀",
            "\u{202E}", "\u{E0041}", "<system>", "é", "\\ud83d", "</pasted_content id=\"1\">", "&lt;",
        ]).prop_map(|text| text.encode_utf16().collect()),
        1 => prop::collection::vec(0xD7F0_u16..0xE010, 1..3),
        1 => prop::collection::vec(any::<u16>(), 1..4),
    ];
    (prop::collection::vec(piece, 0..pieces), 1_usize..30).prop_map(|(pieces, times)| {
        let units: Vec<u16> = pieces.concat();
        JsString::from_utf16(units.repeat(times))
    })
}

/// What a reader may say that it lost, more than is kept.
fn losses() -> impl Strategy<Value = Losses> {
    let reason = (text(6), any::<Option<u64>>()).prop_map(|(reason, count)| {
        let reason = reason.to_string_lossy().into_owned();
        let loss = Loss::new(reason.clone(), &reason);
        match count {
            Some(count) => loss.counted(count),
            None => loss,
        }
    });
    let some = prop::collection::vec(reason, 1..7);
    prop_oneof![Just(Losses::new()), some.prop_map(Losses::from_iter)]
}

/// Id, label, messages, and what was lost.
type Cited = (JsString, JsString, Vec<JsString>, Losses);

fn sessions() -> impl Strategy<Value = Vec<Cited>> {
    let messages = prop::collection::vec(text(30), 0..12);
    let session = (text(3), text(4), messages, losses());
    prop::collection::vec(session, 1..4)
}

fn check(host: Host, cited: &[Cited]) -> Result<(), TestCaseError> {
    let mut sessions = Sessions::default();
    let mut prompt = JsString::new();
    for (number, (id, label, messages, losses)) in cited.iter().enumerate() {
        sessions.losses = losses.clone();
        let mut own = JsString::from(format!("{number}:"));
        own.push(id.as_js_str());
        sessions.add(own.clone(), label.clone(), messages.iter().cloned());
        prompt
            .push(format_mention(&own.into(), Some(label.as_js_str()), &Dialect::DSH).as_js_str());
        prompt.push_str(" ");
    }
    let prompt = prompt.to_json();
    let event = match host {
        Host::Cline => format!(r#"{{"userPromptSubmit":{{"prompt":{prompt}}}}}"#),
        _ => format!(r#"{{"prompt":{prompt}}}"#),
    };
    let reply = hook(host, event.as_bytes(), Policy::Pass, &sessions, false);
    let output = reply
        .stdout
        .strip_prefix("HOOK_CONTROL\t")
        .unwrap_or(&reply.stdout);
    let value: Value = serde_json::from_str(output).unwrap();
    schema::check(host, &value);
    let context = match host {
        Host::Cline => &value["contextModification"],
        _ => &value["hookSpecificOutput"]["additionalContext"],
    };
    let context = context.as_str().unwrap();

    let cap = host.limits().context;
    let size = cap.unit.measure(context);
    prop_assert!(
        size <= cap.aim && cap.limit.is_none_or(|limit| size <= limit),
        "{size}"
    );
    let note = value["systemMessage"].as_str().unwrap_or(&reply.stderr);
    prop_assert!(host.limits().note.holds(note));
    let hidden = |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{200B}');
    prop_assert!(!note.contains(hidden), "{note:?}");

    let Some((before, rest)) = context.split_once("<referenced-sessions>\n") else {
        prop_assert!(!context.contains('<'), "{context}");
        prop_assert_eq!(note.matches("does not fit its budget").count(), cited.len());
        return Ok(());
    };
    let (between, after) = rest.split_once("\n</referenced-sessions>").unwrap();
    prop_assert!(
        ![before, between, after]
            .iter()
            .any(|part| part.contains('<'))
    );
    let strict: Vec<Value> = serde_json::from_str(between).unwrap();
    let ours = json::parse(between.as_bytes()).unwrap();
    let again: Vec<Value> = serde_json::from_str(&ours.to_json()).unwrap();
    prop_assert_eq!(&again, &strict);
    // An id alone can be over the budget. That session is said to be missing, and the others are there.
    let missing = note.matches("does not fit its budget").count();
    prop_assert_eq!(strict.len() + missing, cited.len());
    for object in &strict {
        let id = object["sessionId"].as_str().unwrap();
        let number: usize = id[..1].parse().unwrap();
        prop_assert_eq!(&id[2..], cited[number].0.to_string_lossy());
        prop_assert!(object["label"].as_str().unwrap().chars().count() <= 121);
    }
    // Whatever the cap leaves out of the snapshots, it does not leave out what was lost.
    for (place, object) in (1..).zip(&strict) {
        let id = object["sessionId"].as_str().unwrap();
        let number: usize = id[..1].parse().unwrap();
        let told = format!("Session {place} above may lack words that were said: ");
        prop_assert_eq!(after.contains(&told), !cited[number].3.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn claude(cited in sessions()) {
        check(Host::Claude, &cited)?;
    }

    #[test]
    fn codex(cited in sessions()) {
        check(Host::Codex, &cited)?;
    }

    #[test]
    fn gemini(cited in sessions()) {
        check(Host::Gemini, &cited)?;
    }

    #[test]
    fn cline(cited in sessions()) {
        check(Host::Cline, &cited)?;
    }
}

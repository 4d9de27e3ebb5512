//! Generated rollouts of Codex, plain and packed.

use std::fs;
use std::time::Instant;

use sref_session::JsString;
use sref_stores::codex::CodexStore;
use sref_stores::{CancellationToken, DiagnosticKind, Store as _};

use super::damage::{Case, Dice, PATIENCE, Script, cases, conversation, mutate};

const WHOLE: &str = "0198a3c0-0000-7000-8000-00000000000a";
const DAMAGED: &str = "0198a3c1-0000-7000-8000-00000000000b";

/// A rollout that is being written.
#[derive(Default)]
struct Log {
    script: Script,
}

impl Log {
    fn generate(dice: &mut Dice, id: &str) -> Script {
        let mut log = Self::default();
        let meta = format!(
            r#"{{"id":"{id}","timestamp":"2026-08-01T09:00:00Z","cwd":"/w","source":"cli"}}"#
        );
        log.push("session_meta", &meta, None);
        for turn in 0..=dice.below(6) {
            let marked = dice.below(3) > 0;
            if marked {
                let id = format!("{turn:08x}-0000-7000-8000-000000000000");
                let start = format!(r#"{{"type":"task_started","turn_id":"{id}"}}"#);
                log.push("event_msg", &start, None);
            }
            let words = dice.pick(&["why?", "支付 \u{2028} 回调", "a \"b\" \\ c", "🦀", "{}"]);
            let prompt = format!("{words} {turn}");
            log.say("user_message", "u", &prompt);
            log.push(
                "response_item",
                r#"{"type":"function_call_output","call_id":"c","output":"secret"}"#,
                None,
            );
            log.push("tomorrow", r#"{"x":[[[[]]],1e999]}"#, None);
            if dice.below(3) > 0 {
                log.say("agent_message", "a", &format!("answer {turn}"));
            }
            if marked {
                log.push("event_msg", r#"{"type":"task_complete"}"#, None);
            }
        }
        log.script
    }

    fn say(&mut self, kind: &str, mark: &str, words: &str) {
        let text = JsString::from(words).to_json();
        let payload = format!(r#"{{"type":"{kind}","message":{text}}}"#);
        self.push("event_msg", &payload, Some(format!("{mark}:{words}")));
    }

    fn push(&mut self, kind: &str, payload: &str, said: Option<String>) {
        let line = format!(
            r#"{{"timestamp":"2026-08-01T09:00:00.000Z","type":"{kind}","payload":{payload}}}"#
        );
        self.script.push(line, said);
    }
}

struct Home {
    home: tempfile::TempDir,
    store: CodexStore,
}

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("sessions/2026/08/01")).unwrap();
        let store = CodexStore::open(home.path());
        Self { home, store }
    }

    /// Writes a rollout, plain or packed; the other one goes.
    fn write(&self, id: &str, bytes: &[u8], packed: bool) {
        let place = format!("sessions/2026/08/01/rollout-2026-08-01T09-00-00-{id}.jsonl");
        let place = self.home.path().join(place);
        let zst = place.with_extension("jsonl.zst");
        let (there, gone) = if packed { (zst, place) } else { (place, zst) };
        fs::write(there, bytes).unwrap();
        let _ = fs::remove_file(gone);
    }

    fn conversation(&self, id: &str) -> Vec<String> {
        conversation(&self.store, id).unwrap().unwrap()
    }

    /// Everything that can be asked about a file that may hold anything.
    fn ask_all(&self, expected: &[String]) {
        let cancel = CancellationToken::new();
        let started = Instant::now();
        let listing = self.store.list(&cancel).unwrap();
        let mut ids = listing.sessions.iter().map(|own| &own.header.id);
        assert!(ids.any(|id| *id == WHOLE.into()));
        assert_eq!(self.conversation(WHOLE), expected);
        let titles = self.store.titles(&[DAMAGED.into(), WHOLE.into()], &cancel);
        assert!(titles.unwrap()[1].is_ok());
        // It may be another thread's now, or nobody's.
        drop(conversation(&self.store, DAMAGED));
        drop(self.store.examine(&[DAMAGED.into()], &cancel).unwrap());
        assert!(started.elapsed() < PATIENCE);
    }
}

fn packed(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).unwrap()
}

#[test]
fn damage_costs_what_it_hit() {
    let home = Home::new();
    let whole = Log::generate(&mut Dice::new(7), WHOLE);
    home.write(WHOLE, whole.text().as_bytes(), false);
    let expected = whole.conversation(None);
    assert_eq!(home.conversation(WHOLE), expected);
    for case in 0..cases() {
        let _case = Case(case);
        let mut dice = Dice::new(case + 1);
        let log = Log::generate(&mut dice, DAMAGED);
        let zst = dice.below(4) == 0;
        if case % 2 == 0 {
            // One line behind the header is lost: everything else is there, and the loss is told.
            let line = 1 + dice.below(log.lines.len() - 1);
            let mut lines = log.lines.clone();
            let garbage = dice.pick(&[
                "no JSON",
                "\u{FFFD}",
                "{\"type\":\"event_msg\",",
                "\"",
                "]]",
            ]);
            lines[line] = garbage.into();
            let text = lines.join("\n") + "\n";
            let bytes = if zst {
                packed(text.as_bytes())
            } else {
                text.into_bytes()
            };
            home.write(DAMAGED, &bytes, zst);
            assert_eq!(home.conversation(DAMAGED), log.conversation(Some(line)));
            let found = home
                .store
                .examine(&[DAMAGED.into()], &CancellationToken::new());
            let found = found.unwrap().remove(0).unwrap();
            assert!(found.iter().any(|own| own.kind == DiagnosticKind::BadLines));
        } else {
            let mut bytes = log.text().into_bytes();
            // Damage of the text, or of what it was packed into.
            let inside = dice.below(2) == 0;
            if zst && !inside {
                bytes = packed(&bytes);
            }
            for _ in 0..=dice.below(6) {
                mutate(&mut dice, &mut bytes);
            }
            if zst && inside {
                bytes = packed(&bytes);
            }
            home.write(DAMAGED, &bytes, zst);
            home.ask_all(&expected);
        }
    }
}

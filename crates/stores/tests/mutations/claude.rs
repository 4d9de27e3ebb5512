//! Generated logs of Claude Code.

use std::fs;
use std::path::Path;
use std::time::Instant;

use sref_session::JsString;
use sref_stores::claude::ClaudeStore;
use sref_stores::{CancellationToken, DiagnosticKind, Store as _};

use super::damage::{Case, Dice, PATIENCE, Script, cases, conversation, mutate};

const WHOLE: &str = "5f0c1d2e-0000-4000-8000-000000000001";
const DAMAGED: &str = "5f0c1d2e-0000-4000-8000-000000000002";

/// A log that is being written, and its last record.
#[derive(Default)]
struct Log {
    script: Script,
    parent: Option<String>,
}

impl Log {
    /// A straight conversation with everything around it that a client writes.
    fn generate(dice: &mut Dice, file: u64) -> Script {
        let mut log = Self::default();
        let turns = 1 + dice.below(6);
        for turn in 0..turns {
            log.beside(dice);
            let words = dice.pick(&[
                "why?",
                "支付 \u{2028} 回调",
                "a \"b\" \\ c",
                "<tag>x</tag>",
                "🦀",
                "{}",
            ]);
            let prompt = format!("{words} {turn}");
            log.chain(file, "user", &content(&prompt), Some(format!("u:{prompt}")));
            log.chain(
                file,
                "assistant",
                r#","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"t","input":{"a":[1,{"b":null}]}}]}"#,
                None,
            );
            log.chain(
                file,
                "user",
                r#","toolUseResult":{"x":1e999},"message":{"content":[{"type":"tool_result","content":"secret"}]}"#,
                None,
            );
            if dice.below(3) > 0 {
                let answer = format!("answer {turn}");
                let id = format!(
                    r#","requestId":"r{turn}","message":{{"id":"m{turn}","content":[{{"type":"text","text":"{answer}"}}]}}"#
                );
                log.chain(file, "assistant", &id, Some(format!("a:{answer}")));
            }
        }
        log.beside(dice);
        log.script
    }

    fn chain(&mut self, file: u64, kind: &str, more: &str, said: Option<String>) {
        let number = self.script.lines.len();
        let uuid = format!("{file:08x}-0000-4000-8000-{number:012x}");
        let parent = match &self.parent {
            Some(parent) => format!("\"{parent}\""),
            None => "null".into(),
        };
        let line = format!(
            r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"{uuid}","cwd":"/w","timestamp":"2026-08-01T09:00:00.000Z"{more}}}"#
        );
        self.script.push(line, said);
        self.parent = Some(uuid);
    }

    /// Now and then a record beside the tree.
    fn beside(&mut self, dice: &mut Dice) {
        let line = dice.pick(&[
            "",
            "",
            r#"{"type":"mode","mode":"default"}"#,
            r#"{"type":"ai-title","aiTitle":"Generated"}"#,
            r#"{"type":"custom-title","customTitle":"Mine"}"#,
            r#"{"type":"tomorrow","x":[[[[]]]]}"#,
            r#"{"type":"last-prompt","lastPrompt":"x","leafUuid":"00000000-0000-0000-0000-000000000000"}"#,
        ]);
        if !line.is_empty() {
            self.script.push(line, None);
        }
    }
}

fn content(text: &str) -> String {
    let text = JsString::from(text).to_json();
    format!(r#","message":{{"role":"user","content":{text}}}"#)
}

struct Home {
    home: tempfile::TempDir,
    store: ClaudeStore,
}

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("projects/-w")).unwrap();
        let store = ClaudeStore::open(home.path());
        Self { home, store }
    }

    fn write(&self, id: &str, bytes: &[u8]) {
        let path = format!("projects/-w/{id}.jsonl");
        fs::write(self.home.path().join(path), bytes).unwrap();
    }

    fn conversation(&self, id: &str) -> Vec<String> {
        conversation(&self.store, id).unwrap().unwrap()
    }

    fn kinds(&self, id: &str) -> Vec<DiagnosticKind> {
        let found = self.store.examine(&[id.into()], &CancellationToken::new());
        let found = found.unwrap().remove(0).unwrap();
        found.iter().map(|own| own.kind).collect()
    }

    /// Everything that can be asked about a file that may hold anything.
    fn ask_all(&self, expected: &[String]) {
        let cancel = CancellationToken::new();
        let started = Instant::now();
        let listing = self.store.list(&cancel).unwrap();
        let listed = |id: &str| {
            listing
                .sessions
                .iter()
                .any(|own| own.header.id == id.into())
        };
        let told = (listing.diagnostics.iter())
            .any(|own| own.path.file_stem() == Path::new(DAMAGED).file_name());
        assert!(listed(WHOLE));
        assert!(listed(DAMAGED) != told, "listed or explained");
        assert_eq!(self.conversation(WHOLE), expected);
        assert!(self.store.find(&DAMAGED.into(), &cancel).unwrap().is_some());
        let titles = self.store.titles(&[DAMAGED.into(), WHOLE.into()], &cancel);
        for title in titles.unwrap() {
            let title = title.unwrap();
            let length = title.and_then(|own| Some(own.text()?.to_string().chars().count()));
            assert!(length.unwrap_or_default() <= 201);
        }
        drop(self.conversation(DAMAGED));
        drop(self.kinds(DAMAGED));
        assert!(started.elapsed() < PATIENCE);
    }
}

#[test]
fn damage_costs_what_it_hit() {
    let home = Home::new();
    let whole = Log::generate(&mut Dice::new(7), 1);
    home.write(WHOLE, whole.text().as_bytes());
    let expected = whole.conversation(None);
    assert_eq!(home.conversation(WHOLE), expected);
    for case in 0..cases() {
        let _case = Case(case);
        let mut dice = Dice::new(case + 1);
        let log = Log::generate(&mut dice, 2);
        if case % 2 == 0 {
            // One line is lost: everything else is there, and the loss is told.
            let line = dice.below(log.lines.len());
            let mut lines = log.lines.clone();
            let garbage = dice.pick(&["no JSON", "\u{FFFD}", "{\"type\":\"user\",", "\"", "]]"]);
            lines[line] = garbage.into();
            home.write(DAMAGED, (lines.join("\n") + "\n").as_bytes());
            assert_eq!(home.conversation(DAMAGED), log.conversation(Some(line)));
            assert!(home.kinds(DAMAGED).contains(&DiagnosticKind::BadLines));
        } else {
            let mut bytes = log.text().into_bytes();
            for _ in 0..=dice.below(6) {
                mutate(&mut dice, &mut bytes);
            }
            home.write(DAMAGED, &bytes);
            home.ask_all(&expected);
        }
    }
}

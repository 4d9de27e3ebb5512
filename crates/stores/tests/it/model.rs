//! Any valid log reads back as the model that was kept while it was written.

use std::fmt::Write as _;

use proptest::prelude::*;
use sref_session::JsString;
use sref_stores::dsh::{DshOptions, Encoding};
use sref_stores::{CancellationToken, Store};

use crate::support::{Home, event, header, message, shown, user};

/// What happens to a session.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A whole turn: words, chunks packed or not, an answer, calls and their results.
    Turn {
        words: JsString,
        answer: JsString,
        chunks: u64,
        packed: bool,
        calls: u64,
    },
    /// Context that a plugin injects in the user role.
    Injected(JsString),
    /// A checkpoint in the place of a span of the surface.
    Compaction {
        from: usize,
        length: usize,
        summary: JsString,
    },
    /// A tool result with shorter content, if there is one.
    Prune(usize),
    Title(JsString),
    /// The end of what a fork has copied.
    EndOfSeed,
    /// An event of a later build.
    Ignorable,
}

/// How a log ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tail {
    Closed,
    /// Inside a turn, inside a step or not, with so many calls that wait.
    Open {
        step: bool,
        calls: u64,
    },
}

/// A log and what it must read back to.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) log: String,
    seq: u64,
    turn: u64,
    surface: Vec<Node>,
    title: Option<JsString>,
}

#[derive(Debug, Clone)]
struct Node {
    seq: u64,
    kind: &'static str,
    texts: Vec<JsString>,
    /// The call of a tool result.
    call: String,
}

impl Written {
    pub(crate) fn new(steps: &[Step], tail: Tail) -> Self {
        let mut log = Self {
            log: header("log", 5),
            ..Self::default()
        };
        for step in steps {
            log.step(step);
        }
        if let Tail::Open { step, calls } = tail {
            log.open_turn(step, calls);
        }
        log
    }

    fn event(&mut self, kind: &str, data: &str, rest: &str) -> u64 {
        self.log += &event(self.seq, kind, data, rest);
        self.seq += 1;
        self.seq - 1
    }

    /// An eligible event at the end of the surface.
    fn append(&mut self, kind: &'static str, data: &str, texts: Vec<JsString>, call: String) {
        let seq = self.event(kind, data, crate::support::APPEND);
        self.surface.push(Node {
            seq,
            kind,
            texts,
            call,
        });
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Turn {
                words,
                answer,
                chunks,
                packed,
                calls,
            } => {
                self.begin_turn(true);
                self.append(
                    "user/message",
                    &user(words),
                    vec![words.clone()],
                    String::new(),
                );
                let first = self.seq;
                self.chunks(*chunks, *packed);
                let sources: Vec<_> = (first..self.seq).rev().map(|seq| seq.to_string()).collect();
                self.answer(
                    answer,
                    *calls,
                    &format!(r#","sourceEventSeqs":[{}]"#, sources.join(",")),
                );
                for call in 0..*calls {
                    let call = self.call(call);
                    self.event("tool/call", &format!(r#"{{"callId":"{call}"}}"#), "");
                    let data = tool_result(&call, "out");
                    self.append("tool/result", &data, vec![], call);
                }
                self.event("step/end", r#"{"turn":1,"step":1}"#, "");
                let end = format!(
                    r#"{{"turn":{},"reason":{{"kind":"completed"}}}}"#,
                    self.turn
                );
                self.event("turn/end", &end, "");
            }
            Step::Injected(text) => {
                // Of this kind no projection shows anything, so no text is kept.
                let data = message("user", text, r#""source":{"kind":"skill-catalog"}"#);
                self.append("user/message", &data, vec![], String::new());
            }
            Step::Compaction {
                from,
                length,
                summary,
            } if !self.surface.is_empty() => {
                let from = from % self.surface.len();
                let to = (from + length).min(self.surface.len() - 1);
                let data = message(
                    "user",
                    summary,
                    r#""source":{"kind":"plugin","plugin":"compact"}"#,
                );
                self.event("compaction/start", "{}", "");
                self.replace(from, to, "user/message", &data, vec![summary.clone()]);
                self.event("compaction/end", "{}", "");
            }
            Step::Prune(which) => {
                let results: Vec<_> = (0..self.surface.len())
                    .filter(|at| self.surface[*at].kind == "tool/result")
                    .collect();
                if let Some(at) = results.get(which % results.len().max(1)) {
                    let data = tool_result(&self.surface[*at].call, "pruned");
                    self.replace(*at, *at, "tool/result", &data, vec![]);
                }
            }
            Step::Title(title) => {
                let data = format!(
                    r#"{{"title":{},"messageSeqs":[],"source":{{"kind":"user"}}}}"#,
                    title.to_json()
                );
                self.event("session/title", &data, "");
                self.title = Some(title.clone());
            }
            Step::EndOfSeed => {
                self.event("session/end-seed", "{}", "");
            }
            Step::Ignorable => {
                self.event("later/event", "[[1]]", r#","ignorable":true"#);
            }
            Step::Compaction { .. } => {}
        }
    }

    fn begin_turn(&mut self, step: bool) {
        self.turn += 1;
        self.event("turn/start", &format!(r#"{{"turn":{}}}"#, self.turn), "");
        if step {
            self.event("step/start", r#"{"turn":1,"step":1}"#, "");
        }
    }

    fn call(&self, at: u64) -> String {
        format!("call-{}-{at}", self.turn)
    }

    fn answer(&mut self, text: &JsString, calls: u64, rest: &str) {
        let mut blocks = format!(
            r#"{{"type":"reasoning","text":"hm"}},{{"type":"text","text":{}}}"#,
            text.to_json()
        );
        for call in 0..calls {
            let _ = write!(
                blocks,
                r#",{{"type":"tool-call","id":"{}"}}"#,
                self.call(call)
            );
        }
        let data = format!(
            r#"{{"step":1,"message":{{"id":"a","role":"assistant","content":[{blocks}],"source":{{"kind":"model","provider":"p","model":"m"}}}}}}"#
        );
        let rest = format!("{}{rest}", crate::support::APPEND);
        let seq = self.event("assistant/message", &data, &rest);
        self.surface.push(Node {
            seq,
            kind: "assistant/message",
            texts: vec![text.clone()],
            call: String::new(),
        });
    }

    fn chunks(&mut self, count: u64, packed: bool) {
        if packed && count > 0 {
            let dt = vec!["-1"; usize::try_from(count).unwrap() - 1].join(",");
            let texts = vec![r#""\ud83d""#; usize::try_from(count).unwrap()].join(",");
            writeln!(
                self.log,
                r#"{{"type":"text-chunks","seq0":{},"time0":7,"data":{{"turn":1,"step":1,"index":0,"dt":[{dt}],"texts":[{texts}]}}}}"#,
                self.seq
            )
            .unwrap();
            self.seq += count;
        } else {
            for _ in 0..count {
                self.event("assistant/chunk", r#"{"chunk":{}}"#, "");
            }
        }
    }

    fn replace(
        &mut self,
        from: usize,
        to: usize,
        kind: &'static str,
        data: &str,
        texts: Vec<JsString>,
    ) {
        let removed: Vec<_> = self.surface[from..=to]
            .iter()
            .map(|node| node.seq.to_string())
            .collect();
        let rest = format!(
            r#","surfaceOp":{{"op":"replace","start":{},"end":{}}},"sourceEventSeqs":[{}]"#,
            removed[0],
            removed[removed.len() - 1],
            removed.join(",")
        );
        let seq = self.event(kind, data, &rest);
        let call = self.surface[from].call.clone();
        self.surface.splice(
            from..=to,
            [Node {
                seq,
                kind,
                texts,
                call,
            }],
        );
    }

    /// A turn that its writer never closed; a reader closes it.
    fn open_turn(&mut self, step: bool, calls: u64) {
        self.begin_turn(step);
        if calls > 0 {
            self.answer(&"calling".into(), calls, "");
        }
        for _ in 0..calls {
            self.surface.push(Node {
                seq: self.seq,
                kind: "tool/result",
                texts: vec![],
                call: String::new(),
            });
            self.seq += 1;
        }
        self.seq += u64::from(step) + 1;
    }
}

fn tool_result(call: &str, text: &str) -> String {
    format!(
        r#"{{"turn":1,"meta":{{"b":[1],"a":{{}}}},"message":{{"id":"t-{call}","role":"user","source":{{"kind":"tool","callId":"{call}"}},"content":[{{"type":"tool-result","toolCallId":"{call}","content":[{{"type":"text","text":"{text}"}}]}}]}}}}"#
    )
}

pub(crate) fn text() -> impl Strategy<Value = JsString> {
    let unit = prop_oneof![
        3 => 0x20_u16..0x7F,
        1 => 0_u16..0x20,
        1 => 0xD7F0_u16..0xE010,
        1 => any::<u16>(),
    ];
    prop::collection::vec(unit, 0..12).prop_map(JsString::from_utf16)
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (text(), text(), 0_u64..5, any::<bool>(), 0_u64..3).prop_map(
            |(words, answer, chunks, packed, calls)| Step::Turn { words, answer, chunks, packed, calls }
        ),
        1 => text().prop_map(Step::Injected),
        2 => (any::<usize>(), 0_usize..6, text())
            .prop_map(|(from, length, summary)| Step::Compaction { from, length, summary }),
        2 => any::<usize>().prop_map(Step::Prune),
        1 => text().prop_map(Step::Title),
        1 => Just(Step::EndOfSeed),
        1 => Just(Step::Ignorable),
    ]
}

pub(crate) fn tail() -> impl Strategy<Value = Tail> {
    prop_oneof![
        Just(Tail::Closed),
        (any::<bool>(), 0_u64..3).prop_map(|(step, calls)| Tail::Open { step, calls }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// `spec/dsh-store.md` 1 to 3, 7 and 8 over arbitrary sequences, in both modes; and 4.3: what a
    /// crash leaves behind the last LF changes nothing.
    #[test]
    fn what_was_written_is_read(steps in prop::collection::vec(step(), 0..12), tail in tail(), torn in "[{}\"a:,]{0,9}") {
        let written = Written::new(&steps, tail);
        let home = Home::new();
        home.write("log", format!("{}{torn}", written.log).as_bytes());
        let cancel = CancellationToken::new();
        for options in [DshOptions::default(), DshOptions::strict(Encoding::Plain)] {
            let store = home.open(options);
            let surface = store.surface(&"log".into(), &cancel).unwrap().unwrap();
            let expected: Vec<_> = written
                .surface
                .iter()
                .map(|node| (node.seq, node.kind, node.texts.clone()))
                .collect();
            prop_assert_eq!(shown(&surface), expected);
            prop_assert_eq!(surface.captured_through_seq, written.seq.checked_sub(1));
            let titles = store.titles(&["log".into()], &cancel).unwrap();
            let title = titles[0].as_ref().unwrap().as_ref();
            prop_assert_eq!(title.and_then(|title| title.text()), written.title.as_ref());
        }
    }
}

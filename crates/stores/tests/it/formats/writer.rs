//! A writer of logs of formats 0 to 4 that keeps the surface beside the log.

use std::fmt::Write as _;

use sref_session::JsString;

use super::steps::{Step, Tail};
use crate::support::{APPEND, event, message};

/// A log and what it must read back to.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) version: u64,
    /// All lines but the header.
    pub(super) body: String,
    pub(super) title: Option<JsString>,
    pub(super) is_fork: bool,
    pub(super) is_seeded: bool,
    seed: u64,
    seq: u64,
    turn: u64,
    surface: Vec<Node>,
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
    pub(super) fn new(version: u64, steps: &[Step], tail: Tail) -> Self {
        let mut log = Self {
            version,
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

    pub(super) fn log(&self) -> String {
        self.header() + &self.body
    }

    /// The header line in the members of its format.
    pub(super) fn header(&self) -> String {
        let fork = if self.is_fork {
            r#","parentSession":"parent""#
        } else {
            ""
        };
        let seed = match self.seed_length() {
            Some(length) => format!(r#","seedLength":{length}"#),
            None if self.version >= 2 => format!(r#","isSeeded":{}"#, self.is_seeded),
            None => String::new(),
        };
        format!(
            r#"{{"type":"session","version":{},"id":"log","createdAt":5,"cwd":"/work"{fork}{seed},"delegationDepth":0}}"#,
            self.version
        ) + "\n"
    }

    pub(super) fn seed_length(&self) -> Option<u64> {
        (self.is_fork && self.version < 2).then_some(self.seed)
    }

    pub(super) fn captured_through(&self) -> Option<u64> {
        self.seq.checked_sub(1)
    }

    /// Number, type and texts of each event on the surface.
    pub(super) fn shown(&self) -> Vec<(u64, &'static str, Vec<JsString>)> {
        let nodes = self.surface.iter();
        nodes
            .map(|node| (node.seq, node.kind, node.texts.clone()))
            .collect()
    }

    fn event(&mut self, kind: &str, data: &str, rest: &str) -> u64 {
        self.body += &event(self.seq, kind, data, rest);
        self.seq += 1;
        self.seq - 1
    }

    /// An eligible event at the end of the surface.
    fn append(&mut self, kind: &'static str, data: &str, texts: Vec<JsString>, call: String) {
        let seq = self.event(kind, data, APPEND);
        self.surface.push(Node {
            seq,
            kind,
            texts,
            call,
        });
    }

    /// Whether a prompt stands at the head of the surface.
    fn has_head(&self) -> bool {
        self.surface
            .first()
            .is_some_and(|node| node.kind == "system/message")
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Turn {
                words,
                answer,
                chunks,
                calls,
                sources,
            } => {
                self.begin_turn(true);
                let data = message("user", words, r#""source":{"kind":"user"}"#);
                self.append("user/message", &data, vec![words.clone()], String::new());
                let header =
                    r#"{"header":{"config":{"provider":"p","model":"m"}},"reason":"initial"}"#;
                self.event("request/header", header, "");
                let stream = self.stream(*chunks);
                self.answer(answer, *calls, stream.filter(|_| *sources));
                for call in 0..*calls {
                    let call = self.call(call);
                    self.event("tool/call", &format!(r#"{{"callId":"{call}"}}"#), "");
                    let data = self.result(&call, "out");
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
                let data = message("user", text, r#""source":{"kind":"skill-catalog"}"#);
                self.append("user/message", &data, vec![], String::new());
            }
            Step::System { text, rewrite } => self.system(text, *rewrite),
            Step::Developer if self.version >= 4 => {
                let data = r#"{"turn":1,"step":1,"headerSeq":0,"message":{"id":"d","role":"developer","source":{"kind":"tool-registry"},"content":[{"type":"tool-addition","toolName":"grep"}]}}"#;
                self.append("developer/message", data, vec![], String::new());
            }
            Step::Compaction {
                from,
                length,
                summary,
                ranges,
                by_assistant,
            } => {
                // The prompt at the head gives way to nothing but a prompt.
                let first = usize::from(self.has_head());
                let Some(free) = self
                    .surface
                    .len()
                    .checked_sub(first)
                    .filter(|free| *free > 0)
                else {
                    return;
                };
                let from = first + from % free;
                let to = (from + length).min(self.surface.len() - 1);
                let noted = self.event("compaction/start", "{}", "");
                let (kind, data) = self.checkpoint(summary, *by_assistant && self.version < 3);
                let texts = vec![summary.clone()];
                self.replace(from, to, (kind, &data, texts), Some(noted), *ranges);
                self.event("compaction/end", "{}", "");
            }
            Step::Prune(which) => {
                let results: Vec<_> = (0..self.surface.len())
                    .filter(|at| self.surface[*at].kind == "tool/result")
                    .collect();
                if let Some(at) = results.get(which % results.len().max(1)) {
                    let data = self.result(&self.surface[*at].call, "pruned");
                    self.replace(*at, *at, ("tool/result", &data, vec![]), None, false);
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
            Step::EndOfSeed { inherited } => {
                self.is_fork |= inherited;
                self.is_seeded |= *inherited && self.version >= 2;
                self.seed = self.seq;
                let data = if *inherited && self.version >= 2 {
                    r#"{"inherited":true}"#
                } else {
                    "{}"
                };
                self.event("session/end-seed", data, "");
            }
            Step::Ignorable => {
                // From format 3 on surface members have no effect on what is not known.
                let rest = if self.version >= 3 && self.seq > 0 {
                    r#","surfaceOp":"append","sourceEventSeqs":[0],"ignorable":true"#
                } else {
                    r#","ignorable":true"#
                };
                self.event("later/event", "[[1]]", rest);
            }
            Step::Developer => {}
        }
    }

    fn system(&mut self, text: &JsString, rewrite: bool) {
        let source = match self.version {
            0..=2 => return,
            3 => r#"{"kind":"plugin","plugin":"prompts"}"#,
            _ => r#"{"kind":"system-prompt"}"#,
        };
        let message = message("system", text, &format!(r#""source":{source}"#));
        let data = format!(r#"{{"turn":1,"step":1,"message":{message}}}"#);
        if self.has_head() && rewrite {
            self.replace(0, 0, ("system/message", &data, vec![]), None, false);
        } else if self.version == 3 || self.surface.is_empty() || self.has_head() {
            self.append("system/message", &data, vec![], String::new());
        }
    }

    /// A message that stands for a span of the surface.
    fn checkpoint(&self, summary: &JsString, by_assistant: bool) -> (&'static str, String) {
        if by_assistant {
            let source = r#""source":{"kind":"model","provider":"p","model":"m"}"#;
            let message = message("assistant", summary, source);
            let data = format!(r#"{{"turn":1,"step":1,"message":{message}}}"#);
            return ("assistant/message", data);
        }
        let source = match self.version {
            0..=3 => r#""source":{"kind":"plugin","plugin":"compact"}"#,
            _ => r#""source":{"kind":"compact-checkpoint","compactionId":"c"}"#,
        };
        ("user/message", message("user", summary, source))
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

    /// What was streamed: chunks, packed from three on, or an attempt that failed. Gives the
    /// numbers of the chunks.
    fn stream(&mut self, count: u64) -> Option<(u64, u64)> {
        if self.version >= 2 {
            if count > 0 {
                let attempt = r#"{"turn":1,"step":1,"stream":[{"type":"text-chunks","time0":1,"index":0,"dt":[],"texts":["no"]}]}"#;
                self.event("assistant/attempt", attempt, "");
            }
            return None;
        }
        let first = self.seq;
        if count >= 3 {
            let length = usize::try_from(count).unwrap();
            let dt = vec!["-1"; length - 1].join(",");
            let texts = vec![r#""\ud83d""#; length].join(",");
            let _ = writeln!(
                self.body,
                r#"{{"type":"text-chunks","seq0":{first},"time0":7,"data":{{"turn":1,"step":1,"index":0,"dt":[{dt}],"texts":[{texts}]}}}}"#
            );
            self.seq += count;
        } else {
            for _ in 0..count {
                self.event("assistant/chunk", r#"{"chunk":{}}"#, "");
            }
        }
        Some((first, self.seq - 1))
    }

    fn answer(&mut self, text: &JsString, calls: u64, sources: Option<(u64, u64)>) {
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
        let stream = match self.version {
            0 | 1 => "",
            _ => r#","stream":[{"type":"chunk","time":1,"chunk":{}}]"#,
        };
        let data = format!(
            r#"{{"step":1,"message":{{"id":"a","role":"assistant","content":[{blocks}],"source":{{"kind":"model","provider":"p","model":"m"}}}}{stream}}}"#
        );
        let sources = match sources {
            // Nothing was streamed: an empty list is one, for an answer.
            Some((first, last)) if last < first => ",\"sourceEventSeqs\":[]".into(),
            Some((first, last)) if last - first >= 2 => {
                format!(r#","sourceEventSeqs":[[{first},{last}]]"#)
            }
            Some((first, last)) => {
                let numbers: Vec<_> = (first..=last).map(|seq| seq.to_string()).collect();
                format!(r#","sourceEventSeqs":[{}]"#, numbers.join(","))
            }
            None => String::new(),
        };
        let seq = self.event("assistant/message", &data, &format!("{APPEND}{sources}"));
        self.surface.push(Node {
            seq,
            kind: "assistant/message",
            texts: vec![text.clone()],
            call: String::new(),
        });
    }

    fn result(&self, call: &str, text: &str) -> String {
        let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        let rest = match self.version {
            0..=3 => format!(
                r#""role":"user","content":[{{"type":"tool-result","toolCallId":"{call}","content":{content}}}]"#
            ),
            _ => format!(r#""role":"tool","toolCallId":"{call}","content":{content}"#),
        };
        format!(
            r#"{{"turn":1,"meta":{{"b":[1],"a":{{}}}},"message":{{"id":"t-{call}","source":{{"kind":"tool","callId":"{call}"}},{rest}}}}}"#
        )
    }

    /// Puts an event in the place of a span, naming what it removes and perhaps one event more.
    fn replace(
        &mut self,
        from: usize,
        to: usize,
        (kind, data, texts): (&'static str, &str, Vec<JsString>),
        more: Option<u64>,
        ranges: bool,
    ) {
        let removed: Vec<u64> = self.surface[from..=to]
            .iter()
            .map(|node| node.seq)
            .collect();
        let (first, last) = (removed[0], removed[removed.len() - 1]);
        let mut sources: Vec<u64> = more.into_iter().chain(removed).collect();
        let spelled = if ranges {
            sources.sort_unstable();
            spelled_with_ranges(&sources)
        } else {
            let numbers: Vec<_> = sources.iter().map(u64::to_string).collect();
            numbers.join(",")
        };
        let [start, end] = match self.version {
            0..=2 => ["start", "end"],
            _ => ["startSeq", "endSeq"],
        };
        let rest = format!(
            r#","surfaceOp":{{"op":"replace","{start}":{first},"{end}":{last}}},"sourceEventSeqs":[{spelled}]"#
        );
        let seq = self.event(kind, data, &rest);
        let call = self.surface[from].call.clone();
        let node = Node {
            seq,
            kind,
            texts,
            call,
        };
        self.surface.splice(from..=to, [node]);
    }

    /// A turn that its writer never closed; a reader closes it.
    fn open_turn(&mut self, step: bool, calls: u64) {
        self.begin_turn(step);
        if calls > 0 {
            self.answer(&"calling".into(), calls, None);
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

/// Runs of two and more as ranges.
fn spelled_with_ranges(sources: &[u64]) -> String {
    let runs = sources.chunk_by(|one, next| one + 1 == *next);
    let runs = runs.map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("[{first},{last}]"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(",")
}

//! The conversation turn by turn, with what was taken back and what was summed up
//! (`spec/agent-logs.md` 3.4, 3.6).

use std::collections::HashSet;

use sref_session::{Block, JsString, Source, SurfaceEvent};

use super::compaction::{Compaction, Kept};
use super::record::{Encoding, Role, Said};

/// The turns so far, over all files of a thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    turns: Vec<Turn>,
}

/// From the start of one task to the next. A compaction that runs by itself is one too.
#[derive(Debug, Clone, Default)]
struct Turn {
    id: Option<u128>,
    /// Whether the log says where it begins. If not, each prompt begins one.
    marked: bool,
    ended: bool,
    entries: Vec<Entry>,
    /// The most trusted encoding of either side, once something was said in it.
    prompts: Option<Encoding>,
    answers: Option<Encoding>,
}

#[derive(Debug, Clone)]
struct Entry {
    seq: u64,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Said(Said),
    Compacted(Compaction),
}

impl Turns {
    /// A turn begins.
    pub(super) fn begin(&mut self, id: Option<u128>) {
        self.open(Turn {
            id,
            marked: true,
            ..Turn::default()
        });
    }

    /// The turn is over: what follows without a beginning belongs to another one.
    pub(super) fn end(&mut self) {
        if let Some(turn) = self.turns.last_mut() {
            turn.ended = true;
        }
    }

    /// Somebody says something.
    pub(super) fn say(&mut self, seq: u64, said: Said) {
        if self.turns.last().is_none_or(|turn| !turn.takes(&said)) {
            self.open(Turn::default());
        }
        if let Some(turn) = self.turns.last_mut() {
            let best = match said.role {
                Role::User => &mut turn.prompts,
                Role::Assistant => &mut turn.answers,
            };
            *best = (*best).max(Some(said.encoding));
            let content = Content::Said(said);
            turn.entries.push(Entry { seq, content });
        }
    }

    /// What was said is replaced by a summary of it.
    pub(super) fn compact(&mut self, seq: u64, compaction: Compaction) {
        if self.turns.last().is_none_or(|turn| turn.ended) {
            self.open(Turn::default());
        }
        if let Some(turn) = self.turns.last_mut() {
            let content = Content::Compacted(compaction);
            turn.entries.push(Entry { seq, content });
        }
    }

    /// The last turns are taken back. Only those with a prompt count; others fall with them.
    pub(super) fn roll_back(&mut self, turns: u64) {
        let mut left = turns;
        while left > 0
            && let Some(turn) = self.turns.pop()
        {
            left -= u64::from(turn.prompts.is_some());
        }
    }

    /// The ids of the turns that the log marks.
    pub(super) fn ids(&self) -> impl Iterator<Item = u128> + '_ {
        self.turns.iter().filter_map(|turn| turn.id)
    }

    /// Drops everything up to the last turn that is one of `inherited`; tells whether there is one.
    pub(super) fn disown(&mut self, inherited: &HashSet<u128>) -> bool {
        let is_inherited = |turn: &Turn| turn.id.is_some_and(|id| inherited.contains(&id));
        let last = self.turns.iter().rposition(is_inherited);
        if let Some(last) = last {
            self.turns.drain(..=last);
        }
        last.is_some()
    }

    fn open(&mut self, turn: Turn) {
        if let Some(before) = self.turns.last_mut() {
            before.settle();
        }
        self.turns.push(turn);
    }

    /// The conversation that is left.
    pub(super) fn surface(mut self) -> Vec<SurfaceEvent> {
        if let Some(last) = self.turns.last_mut() {
            last.settle();
        }
        let mut surface = Surface::default();
        for entry in self.turns.into_iter().flat_map(|turn| turn.entries) {
            surface.take(entry);
        }
        surface.finish()
    }
}

impl Turn {
    /// Whether words belong to this turn.
    fn takes(&self, said: &Said) -> bool {
        match said.role {
            Role::Assistant => true,
            Role::User if self.ended => false,
            Role::User if self.marked => true,
            // The same prompt in another encoding, unless the model has spoken since.
            Role::User => !self.entries.iter().any(|entry| match &entry.content {
                Content::Said(earlier) => {
                    earlier.role == Role::Assistant || earlier.encoding == said.encoding
                }
                Content::Compacted(_) => true,
            }),
        }
    }

    /// Keeps of either side the most trusted encoding alone, so that nothing is there twice.
    fn settle(&mut self) {
        let (prompts, answers) = (self.prompts, self.answers);
        self.entries.retain(|entry| match &entry.content {
            Content::Said(said) => {
                let best = match said.role {
                    Role::User => prompts,
                    Role::Assistant => answers,
                };
                Some(said.encoding) == best
            }
            Content::Compacted(_) => true,
        });
    }
}

/// The events of a conversation while they are put together.
#[derive(Default)]
struct Surface {
    events: Vec<SurfaceEvent>,
    /// Of the events before this place only a person's prompts are left.
    summed_up: usize,
}

impl Surface {
    fn take(&mut self, entry: Entry) {
        let seq = entry.seq;
        match entry.content {
            Content::Said(said) => self.events.push(match said.role {
                Role::User => prompt(seq, said.text),
                Role::Assistant => answer(seq, said.text),
            }),
            Content::Compacted(Compaction::Summarized(summary)) => {
                self.summed_up = self.events.len();
                self.events.push(checkpoint(seq, summary));
            }
            Content::Compacted(Compaction::Replaced(kept)) => {
                self.events.clear();
                self.summed_up = 0;
                self.events.extend(kept.into_iter().map(|kept| match kept {
                    Kept::Prompt(text) => prompt(seq, text),
                    Kept::Answer(text) => answer(seq, text),
                    Kept::Summary(text) => checkpoint(seq, text),
                }));
            }
        }
    }

    fn finish(mut self) -> Vec<SurfaceEvent> {
        let mut at = 0;
        self.events.retain(|event| {
            let old = at < self.summed_up;
            at += 1;
            !old || is_prompt(event)
        });
        self.events
    }
}

fn prompt(seq: u64, text: JsString) -> SurfaceEvent {
    SurfaceEvent::user(seq, Source::user(), vec![Block::Text(text)])
}

fn answer(seq: u64, text: JsString) -> SurfaceEvent {
    SurfaceEvent::assistant(seq, vec![Block::Text(text)])
}

fn checkpoint(seq: u64, text: JsString) -> SurfaceEvent {
    SurfaceEvent::user(
        seq,
        Source::new("compact-checkpoint"),
        vec![Block::Text(text)],
    )
}

fn is_prompt(event: &SurfaceEvent) -> bool {
    use sref_session::SurfacePayload::UserMessage;
    matches!(&event.payload, UserMessage { source, .. } if source.is_user())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log in words: `[` begins a turn, `]` ends one, `uE:x` and `aI:x` say `x` in an encoding
    /// (Model, Event, Item), `-2` rolls back, `=x` sums up, `!a,b` replaces by prompts and a summary.
    fn check(log: &str, expected: &str) {
        let mut turns = Turns::default();
        for (seq, word) in (0..).zip(log.split_whitespace()) {
            let (first, rest) = word.split_at(1);
            match first {
                "[" => turns.begin(None),
                "]" => turns.end(),
                "-" => turns.roll_back(rest.parse().unwrap()),
                "=" => turns.compact(seq, Compaction::Summarized(rest.into())),
                "!" => {
                    let mut kept: Vec<Kept> = rest
                        .split(',')
                        .map(|text| Kept::Prompt(text.into()))
                        .collect();
                    if let Some(Kept::Prompt(text)) = kept.pop() {
                        kept.push(Kept::Summary(text));
                    }
                    turns.compact(seq, Compaction::Replaced(kept));
                }
                _ => {
                    let (encoding, text) = rest.split_once(':').unwrap();
                    let encoding = match encoding {
                        "M" => Encoding::Model,
                        "E" => Encoding::Event,
                        _ => Encoding::Item,
                    };
                    let role = if first == "u" {
                        Role::User
                    } else {
                        Role::Assistant
                    };
                    let text = text.into();
                    turns.say(
                        seq,
                        Said {
                            encoding,
                            role,
                            text,
                        },
                    );
                }
            }
        }
        let words = turns
            .surface()
            .into_iter()
            .map(|event| match &event.payload {
                sref_session::SurfacePayload::UserMessage {
                    source, content, ..
                } => {
                    let mark = if source.is_user() { "u" } else { "c" };
                    format!("{mark}:{}", content[0].text().unwrap().to_string_lossy())
                }
                sref_session::SurfacePayload::AssistantMessage { content } => {
                    format!("a:{}", content[0].text().unwrap().to_string_lossy())
                }
                other => panic!("{other:?}"),
            });
        let words: Vec<String> = words.collect();
        assert_eq!(words.join(" "), expected, "{log}");
    }

    /// 3.4: each turn by itself, the most trusted encoding of either side.
    #[test]
    fn one_encoding_a_turn() {
        check("[ uM:x uM:a uI:a aI:b aM:b ]", "u:a a:b");
        check("[ uM:x uM:a uE:a aE:b aM:b ]", "u:a a:b");
        check("[ uM:a aM:b ]", "u:a a:b");
        check("[ uM:a uE:a uI:a aM:b aE:b aI:b ]", "u:a a:b");
        // A file changes its mode.
        check(
            "[ uM:a uE:a aE:b ] [ uM:c uI:c aI:d aM:d ]",
            "u:a a:b u:c a:d",
        );
        // Answers are in the model's items alone.
        check("[ uM:a uE:a aM:b ]", "u:a a:b");
        // A prompt while the model works.
        check("[ uI:a aI:b uI:c aI:d ]", "u:a a:b u:c a:d");
    }

    #[test]
    fn without_marks_a_prompt_begins_a_turn() {
        check("uM:a uE:a aE:b aM:b uM:c uE:c aE:d aM:d", "u:a a:b u:c a:d");
        check("uM:a uM:b aM:c", "u:a u:b a:c");
        check("uM:a uE:a uM:b uE:b -1", "u:a");
        check("[ uI:a ] uM:b aM:c", "u:a u:b a:c");
        check("aM:a uM:b", "a:a u:b");
    }

    /// 3.6: turns with a prompt are counted.
    #[test]
    fn turns_are_taken_back() {
        check("[ uE:a aE:b ] [ uE:c aE:d ] -1 [ uE:e", "u:a a:b u:e");
        check("[ uE:a ] [ uE:b ] -2", "");
        check("[ uE:a ] -9", "");
        check("[ uE:a ] -0", "u:a");
        // A turn nobody began falls, and is not counted.
        check("[ uE:a ] [ uE:b ] [ aE:c ] -1", "u:a");
    }

    /// 3.6: a compaction that is taken back gives back what it summed up.
    #[test]
    fn a_compaction_inside_what_is_taken_back() {
        check("[ uE:a aE:b ] [ !a,s ] [ uE:c ] -1", "u:a c:s");
        check("[ uE:a aE:b ] [ !a,s ] [ uE:c ] -2", "");
        check("[ uE:a aE:b ] [ uE:c ] [ !a,c,s ] -1", "u:a a:b");
        check("[ uE:a aE:b ] [ uE:c !a,c,s aE:d ] -1", "u:a a:b");
    }

    #[test]
    fn a_compaction_replaces_what_was_before() {
        check(
            "[ uI:a aI:b ] [ aM:s !a,s ] [ uI:c aI:d ]",
            "u:a c:s u:c a:d",
        );
        check(
            "[ uI:a aI:b !a,s aI:c ] [ uI:d !a,d,t aI:e ]",
            "u:a u:d c:t a:e",
        );
        check(
            "[ uE:a aE:b ] =s [ uE:c aE:d ] =t [ uE:e",
            "u:a u:c c:t u:e",
        );
        check("[ uE:a ] =s [ uE:c ] !c,t [ uE:e", "u:c c:t u:e");
        check("[ uE:a aE:b ] =s !c,t", "u:c c:t");
    }

    #[test]
    fn many_records_stay_linear() {
        let mut turns = Turns::default();
        for seq in 0..100_000 {
            let said = Said {
                encoding: Encoding::Event,
                role: Role::User,
                text: "a".into(),
            };
            turns.say(seq, said);
            turns.compact(seq, Compaction::Summarized("s".into()));
        }
        // Prompts in one turn that is never over, and turns that are taken back.
        turns.begin(None);
        for seq in 0..100_000 {
            let said = Said {
                encoding: Encoding::Model,
                role: Role::User,
                text: "a".into(),
            };
            turns.say(seq, said);
        }
        for _ in 0..100_000 {
            turns.begin(None);
            turns.roll_back(1);
        }
        // The first prompt, and what sums it up.
        assert_eq!(turns.surface().len(), 2);
    }
}

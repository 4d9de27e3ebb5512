//! What may happen to a session that the writer writes.

use proptest::prelude::*;
use sref_session::JsString;

use crate::model::text;

/// What happens to a session.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A whole turn: words, a stream, an answer, calls and their results.
    Turn {
        words: JsString,
        answer: JsString,
        chunks: u64,
        calls: u64,
        /// Whether the answer names what it was put together from, where it may.
        sources: bool,
    },
    /// Context that is injected in the user role.
    Injected(JsString),
    /// A prompt: in the place of the one at the head of the surface, or behind it.
    System {
        text: JsString,
        rewrite: bool,
    },
    /// A change of tools.
    Developer,
    /// A checkpoint in the place of a span of the surface.
    Compaction {
        from: usize,
        length: usize,
        summary: JsString,
        ranges: bool,
        by_assistant: bool,
    },
    /// A tool result with other content, if there is one.
    Prune(usize),
    Title(JsString),
    /// The end of what a fork has copied, or of an earlier life.
    EndOfSeed {
        inherited: bool,
    },
    /// An event of a later build.
    Ignorable,
}

/// How a log ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tail {
    Closed,
    /// Inside a turn, inside a step or not, with so many calls that wait.
    Open {
        step: bool,
        calls: u64,
    },
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let turn = (text(), text(), 0_u64..6, 0_u64..3, any::<bool>()).prop_map(
        |(words, answer, chunks, calls, sources)| Step::Turn {
            words,
            answer,
            chunks,
            calls,
            sources,
        },
    );
    let compaction = (
        any::<usize>(),
        0_usize..6,
        text(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(from, length, summary, ranges, by_assistant)| Step::Compaction {
                from,
                length,
                summary,
                ranges,
                by_assistant,
            },
        );
    prop_oneof![
        4 => turn,
        1 => text().prop_map(Step::Injected),
        2 => (text(), any::<bool>()).prop_map(|(text, rewrite)| Step::System { text, rewrite }),
        1 => Just(Step::Developer),
        2 => compaction,
        2 => any::<usize>().prop_map(Step::Prune),
        1 => text().prop_map(Step::Title),
        1 => any::<bool>().prop_map(|inherited| Step::EndOfSeed { inherited }),
        1 => Just(Step::Ignorable),
    ]
}

pub(super) fn tail() -> impl Strategy<Value = Tail> {
    prop_oneof![
        Just(Tail::Closed),
        (any::<bool>(), 0_u64..3).prop_map(|(step, calls)| Tail::Open { step, calls }),
    ]
}

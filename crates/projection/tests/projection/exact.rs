//! [`Retention::Exact`] against the specification's words.

use proptest::prelude::*;
use sref_envelope::Profile;
use sref_projection::Retention;
use sref_session::{Block, JsString, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot};

use crate::oracle;
use crate::surfaces::{Case, budget, profile, surface};

proptest! {
    #[test]
    fn exact_is_the_specification(surface in surface(), budget in budget(), profile in profile()) {
        let case = Case::new(&surface, profile);
        let expected = oracle::exact(&case, budget);
        let got = case.retain(budget, Retention::Exact);
        prop_assert_eq!(got.is_some(), expected.is_some());
        let (Some(got), Some((object, shown))) = (got, expected) else {
            return Ok(());
        };
        prop_assert_eq!(got.rendered, object);
        let kept: Vec<_> = got
            .kept
            .into_iter()
            .map(|kept| (kept.index, kept.shown, kept.omitted_bytes))
            .collect();
        prop_assert_eq!(&kept, &shown);
        let facts = got.facts;
        prop_assert_eq!(facts.original_messages, case.texts.len() as u64);
        prop_assert_eq!(facts.retained_messages, shown.len() as u64);
        prop_assert_eq!(facts.omitted_messages, facts.original_messages - facts.retained_messages);
        let all: usize = case.texts.iter().map(JsString::len).sum();
        let kept: u64 = shown.iter().map(|(index, _, omitted)| case.texts[*index].len() as u64 - omitted).sum();
        prop_assert_eq!(facts.omitted_bytes, all as u64 - kept);
        prop_assert_eq!(facts.truncated, facts.omitted_messages > 0 || facts.omitted_bytes > 0);
        prop_assert_eq!(facts.compacted, case.conversation.items().iter().any(|item| item.checkpoint));
    }
}

/// Around each size that matters, every budget: the search is not monotone, so none is like another.
#[test]
fn every_budget_of_small_surfaces() {
    let user = |text: &str| SurfaceEvent::user(0, Source::user(), vec![Block::Text(text.into())]);
    let checkpoint = |text: &str| {
        SurfaceEvent::user(0, Source::plugin("compact"), vec![Block::Text(text.into())])
    };
    let ties = || vec![checkpoint(&"a".repeat(100)), user(&"b".repeat(100))];
    let marks = || vec![user(&"\u{FEFF}é<\n".repeat(30))];
    let mixed = || {
        vec![
            user("old"),
            checkpoint(&"k<".repeat(50)),
            user("mid"),
            user(&"😀\n".repeat(20)),
        ]
    };
    for events in [ties(), marks(), mixed()] {
        let surface = SurfaceSnapshot::new(SessionHeader::new("s", 0), Some(0), events);
        for profile in [Profile::Plain, Profile::Hardened] {
            let case = Case::new(&surface, profile);
            let full = case
                .retain(usize::MAX, Retention::Exact)
                .unwrap()
                .rendered
                .len();
            for budget in 0..=full {
                let expected = oracle::exact(&case, budget).map(|(object, _)| object);
                let got = case
                    .retain(budget, Retention::Exact)
                    .map(|got| got.rendered);
                assert_eq!(got, expected, "{budget}");
            }
        }
    }
}

/// Head and tail without a gap, and the notice behind them.
#[test]
fn a_cut_text_reads_as_the_reference_cuts_it() {
    let text = format!("please do not {} delete the database", "x".repeat(60));
    let event = SurfaceEvent::user(0, Source::user(), vec![Block::Text(text.as_str().into())]);
    let surface = SurfaceSnapshot::new(SessionHeader::new("s", 0), Some(0), vec![event]);
    let case = Case::new(&surface, Profile::Plain);
    // The label of a case is four bytes longer than the one of the example in the notes.
    for (budget, expected) in [
        (159, "please database\n[… omitted 79 UTF-8 bytes …]"),
        (
            169,
            "please do notthe database\n[… omitted 69 UTF-8 bytes …]",
        ),
    ] {
        let got = case.retain(budget, Retention::Exact).unwrap();
        assert_eq!(got.kept[0].shown, expected);
    }
}

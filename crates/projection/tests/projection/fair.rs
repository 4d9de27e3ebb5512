//! [`Retention::Fair`]: its properties, by their numbers in `contract.md` §6. Number 8, the cost, is
//! counted inside the crate.

use proptest::prelude::*;
use sref_envelope::Profile;
use sref_projection::{Conversation, Item, Kept, Retained, Retention, retain};
use sref_session::{JsString, json};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::oracle;
use crate::surfaces::{Case, budget, profile, surface};

/// The text with a stand-in for each lone surrogate that is as long, and as separate, as one.
fn plain(text: &JsString) -> String {
    let chars = text
        .as_js_str()
        .chunks()
        .flat_map(|(run, surrogate)| run.chars().chain(surrogate.map(|_| '\u{200B}')));
    chars.collect()
}

/// The clusters next to both cuts, and the first and the last of all, as escaped sizes.
struct Clusters {
    boundaries: Vec<usize>,
    next_head: usize,
    next_tail: usize,
    first: usize,
    last: usize,
}

fn clusters(case: &Case<'_>, kept: &Kept, head: usize, tail: usize) -> Clusters {
    let text = &case.texts[kept.index];
    let plain = plain(text);
    let mut boundaries: Vec<usize> = plain.grapheme_indices(true).map(|(at, _)| at).collect();
    boundaries.push(plain.len());
    let cost =
        |start: usize, end: usize| case.profile.escaped_len(text.as_js_str().slice(start..end));
    let after = *boundaries.iter().find(|at| **at > head).unwrap();
    let before = *boundaries.iter().rfind(|at| **at < tail).unwrap();
    Clusters {
        next_head: cost(head, after.max(head)),
        next_tail: cost(before.min(tail), tail),
        first: cost(0, boundaries[1]),
        last: cost(boundaries[boundaries.len() - 2], plain.len()),
        boundaries,
    }
}

/// Whether a head that ends at `at` ends with a line or a word.
fn is_head_end(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    matches!(next, Some('\n' | '\r'))
        || (next.is_some_and(char::is_whitespace) && !previous.is_some_and(char::is_whitespace))
}

/// Whether a tail that starts at `at` starts with a line or a word.
fn is_tail_start(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    matches!(previous, Some('\n' | '\r'))
        || (previous.is_some_and(char::is_whitespace) && !next.is_some_and(char::is_whitespace))
}

pub(crate) fn check(case: &Case<'_>, budget: usize) -> Result<(), TestCaseError> {
    let fixed = case.fixed();
    let Some(got) = case.retain(budget, Retention::Fair) else {
        // 6. No failure where the fixed part fits.
        prop_assert!(budget < fixed);
        return Ok(());
    };
    // 1. Bound.
    prop_assert!(got.rendered.len() <= budget);
    check_counts(case, &got)?;
    let whole: usize = case.sizes().iter().map(|size| size + 1).sum();
    let fits = fixed + whole.saturating_sub(1) <= budget;
    prop_assert_eq!(!got.facts.truncated, fits);
    if fits {
        // 2. Identity.
        prop_assert_eq!(Some(got), case.retain(budget, Retention::Exact));
        return Ok(());
    }
    // 6. Never empty-handed.
    let newest = case.texts.len() - 1;
    if budget >= fixed + 256 {
        prop_assert_eq!(got.kept.last().map(|kept| kept.index), Some(newest));
    }
    check_shares(case, &got, budget)?;
    let left = budget - got.rendered.len();
    let mut lost = 0;
    for kept in got.kept.iter().filter(|kept| kept.omitted_bytes > 0) {
        lost += check_cut(case, kept, budget, left)?;
    }
    // 7. A word is cut only where ends of words would leave about 1 % of the budget.
    prop_assert!(
        lost == 0 || left + lost > budget.max(1_024) / 160,
        "a word is cut"
    );
    // 9. Deterministic.
    prop_assert_eq!(Some(got), case.retain(budget, Retention::Fair));
    Ok(())
}

/// Counts are true, what is shown is in order and not empty, and the object says the same.
fn check_counts(case: &Case<'_>, got: &Retained) -> Result<(), TestCaseError> {
    let facts = got.facts;
    prop_assert!(got.kept.is_sorted_by(|a, b| a.index < b.index));
    prop_assert_eq!(facts.original_messages, case.texts.len() as u64);
    prop_assert_eq!(facts.retained_messages, got.kept.len() as u64);
    prop_assert_eq!(
        facts.omitted_messages,
        facts.original_messages - facts.retained_messages
    );
    let all: u64 = case.texts.iter().map(|text| text.len() as u64).sum();
    let mut shown = 0;
    for kept in &got.kept {
        let text = &case.texts[kept.index];
        shown += text.len() as u64 - kept.omitted_bytes;
        prop_assert!(kept.omitted_bytes < text.len() as u64, "nothing is shown");
        if kept.omitted_bytes == 0 {
            prop_assert_eq!(&kept.shown, text);
        }
    }
    prop_assert_eq!(facts.omitted_bytes, all - shown);
    prop_assert_eq!(
        facts.truncated,
        facts.omitted_messages + facts.omitted_bytes > 0
    );
    prop_assert_eq!(facts.compacted, case.conversation.is_compacted());

    let object = json::parse(got.rendered.as_bytes()).unwrap();
    let conversation = object.get("conversation").unwrap().as_array().unwrap();
    let texts: Vec<_> = conversation
        .iter()
        .map(|entry| entry.get("text").unwrap().as_string())
        .collect();
    let expected: Vec<_> = got.kept.iter().map(|kept| Some(&kept.shown)).collect();
    prop_assert_eq!(texts, expected);
    if let Some(omitted) = object.get("omitted") {
        let number = |key| omitted.get(key).and_then(json::Value::as_safe_integer);
        prop_assert_eq!(
            number("messages"),
            i64::try_from(facts.omitted_messages).ok()
        );
        prop_assert_eq!(number("bytes"), i64::try_from(facts.omitted_bytes).ok());
    } else {
        let must = case.profile == Profile::Hardened && facts.truncated && !got.kept.is_empty();
        prop_assert!(!must);
    }
    Ok(())
}

/// 3. Fair shares.
fn check_shares(case: &Case<'_>, got: &Retained, budget: usize) -> Result<(), TestCaseError> {
    let Some((admitted, cap)) = oracle::shares(case, budget) else {
        return Err(TestCaseError::fail("all fit"));
    };
    let shown: Vec<usize> = got.kept.iter().map(|kept| kept.index).collect();
    if shown.is_empty() && admitted.len() == 1 {
        // Hardly room for a notice; property 6 says when that ends.
        return Ok(());
    }
    prop_assert_eq!(&shown, &admitted);
    // What can be above the cap: what does not divide, what cut messages leave below it, and digits
    // that the counts turned out not to have.
    let mut over = 0;
    let all = got.facts.original_messages;
    let bytes = case.conversation.bytes();
    let facts = got.facts;
    let mut under = admitted.len() - 1 + oracle::omitted_len(case, all, bytes)
        - oracle::omitted_len(case, facts.omitted_messages, facts.omitted_bytes);
    for kept in &got.kept {
        let size = case.size(kept.index, &case.texts[kept.index]);
        let shown = case.size(kept.index, &kept.shown);
        if size <= cap {
            prop_assert_eq!(shown, size);
        } else {
            over += shown.saturating_sub(cap);
            under += cap.saturating_sub(shown);
        }
    }
    prop_assert!(over <= under, "{} over the cap, {} under it", over, under);
    Ok(())
}

/// 4. Full use, and 7. Marked where it is cut. Gives what ends at words would take less.
fn check_cut(
    case: &Case<'_>,
    kept: &Kept,
    budget: usize,
    left: usize,
) -> Result<usize, TestCaseError> {
    let Some((head, tail)) = case.parts(kept) else {
        return Err(TestCaseError::fail("no notice where the text is cut"));
    };
    let text = &case.texts[kept.index];
    let plain = plain(text);
    let cost =
        |start: usize, end: usize| case.profile.escaped_len(text.as_js_str().slice(start..end));
    let near = clusters(case, kept, head, tail);
    let used_up = left * 100 <= budget || left < near.next_head.min(near.next_tail);
    prop_assert!(
        used_up || budget < 1_024,
        "{} of {} bytes left",
        left,
        budget
    );

    let shown = cost(0, head) + cost(tail, text.len());
    let at_clusters = near.boundaries.contains(&head) && near.boundaries.contains(&tail);
    if !at_clusters {
        let too_large = near.first > shown && near.last > shown;
        prop_assert!(too_large, "a cluster would have fit");
        return Ok(0);
    }
    let mut lost = 0;
    if !is_head_end(&plain, head) {
        let mut places = (head - head / 16..head)
            .rev()
            .filter(|at| near.boundaries.contains(at));
        let end = places.find(|at| is_head_end(&plain, *at));
        lost += end.map_or(0, |end| cost(end, head));
    }
    if !is_tail_start(&plain, tail) {
        let reach = (text.len() - tail) / 16;
        let mut places = (tail..=tail + reach).filter(|at| near.boundaries.contains(at));
        let start = places.find(|at| is_tail_start(&plain, *at));
        lost += start.map_or(0, |start| cost(tail, start));
    }
    Ok(lost)
}

proptest! {
    #[test]
    fn the_properties_hold(surface in surface(), budget in budget(), profile in profile()) {
        check(&Case::new(&surface, profile), budget)?;
    }

    /// Near the size of all, where the last byte decides.
    #[test]
    fn the_properties_hold_near_the_whole(surface in surface(), less in 0_usize..300, profile in profile()) {
        let case = Case::new(&surface, profile);
        let full = case.retain(usize::MAX, Retention::Fair).unwrap().rendered.len();
        check(&case, full.saturating_sub(less))?;
    }

    /// Near the size of the fixed part, where the first byte decides.
    #[test]
    fn the_properties_hold_near_nothing(surface in surface(), more in 0_usize..400, profile in profile()) {
        let case = Case::new(&surface, profile);
        check(&case, case.fixed() + more)?;
    }

    /// 5. Monotone.
    #[test]
    fn a_larger_budget_drops_no_message(
        surface in surface(),
        budget in budget(),
        more in prop_oneof![Just(1_usize), 1_usize..64, 64_usize..8_000],
        profile in profile(),
    ) {
        let case = Case::new(&surface, profile);
        let kept = |budget| -> Vec<usize> {
            let got = case.retain(budget, Retention::Fair);
            got.map(|got| got.kept.iter().map(|kept| kept.index).collect()).unwrap_or_default()
        };
        let (less, more) = (kept(budget), kept(budget + more));
        prop_assert!(less.iter().all(|index| more.contains(index)), "{:?} {:?}", less, more);
    }

    /// How a text is stored makes no difference.
    #[test]
    fn blocks_do_not_show(surface in surface(), budget in budget(), profile in profile()) {
        let case = Case::new(&surface, profile);
        let items = case.conversation.items().iter().zip(&case.texts);
        let single: Conversation<'_> = items
            .map(|(item, text)| {
                if item.checkpoint {
                    Item::checkpoint(text.into())
                } else {
                    Item::new(item.role, text.into())
                }
            })
            .collect();
        for retention in [Retention::Fair, Retention::Exact] {
            let got = retain(&case.identity, &single, budget, retention, profile).ok();
            prop_assert_eq!(got, case.retain(budget, retention));
        }
    }
}

//! The two retentions once more, written to be obviously right and for nothing else: sizes are
//! measured by writing, and everything is measured anew at each step.

use sref_envelope::{Entry, Omitted, Profile, ReferencedSession, render};
use sref_projection::Retention;
use sref_session::JsString;

use crate::surfaces::Case;

/// What the specification says is shown: texts by message, with the bytes that are missing.
type Shown = Vec<(usize, JsString, u64)>;

fn object(case: &Case<'_>, shown: &Shown) -> String {
    let entries: Vec<Entry<'_>> = shown
        .iter()
        .map(|(index, text, _)| {
            Entry::new(case.conversation.items()[*index].role, text.as_js_str())
        })
        .collect();
    let identity = &case.identity;
    let mut session = ReferencedSession::new(identity.session_id, identity.label, &entries);
    session.cwd = identity.cwd;
    session.captured_through_seq = identity.captured_through_seq;
    let kept: u64 = shown
        .iter()
        .map(|(index, _, omitted)| case.texts[*index].len() as u64 - omitted)
        .sum();
    let bytes: u64 = case.texts.iter().map(|text| text.len() as u64).sum::<u64>() - kept;
    let messages = (case.texts.len() - shown.len()) as u64;
    session.omitted = (messages > 0 || bytes > 0).then_some(Omitted::new(messages, bytes));
    render(&session, case.profile)
}

/// `spec/dsh-store.md` 8.4, sentence by sentence.
pub(crate) fn exact(case: &Case<'_>, budget: usize) -> Option<(String, Shown)> {
    let mut shown: Shown = case
        .texts
        .iter()
        .enumerate()
        .map(|(index, text)| (index, text.clone(), 0))
        .collect();
    // 1. While too big: drop the oldest that is neither a checkpoint nor the newest.
    while object(case, &shown).len() > budget {
        let items = case.conversation.items();
        let oldest = shown
            .iter()
            .position(|(index, ..)| !items[*index].checkpoint && *index + 1 < items.len());
        match oldest {
            Some(at) => drop(shown.remove(at)),
            None => break,
        }
    }
    // 2. While still too big: cut the longest text, first of equals, by the overflow.
    loop {
        let size = object(case, &shown).len();
        if size <= budget {
            return Some((object(case, &shown), shown));
        }
        let longest = shown.iter().map(|(_, text, _)| text.len()).max()?;
        let at = shown
            .iter()
            .position(|(_, text, _)| text.len() == longest)?;
        if longest == 0 {
            return None;
        }
        let target = longest.saturating_sub(size - budget);
        let (text, omitted) = cut(&case.texts[shown[at].0], target);
        assert_ne!(text, shown[at].1, "the reference would give up here");
        (shown[at].1, shown[at].2) = (text, omitted);
    }
}

/// The best form of at most `target` bytes that the reference's search finds.
fn cut(text: &JsString, target: usize) -> (JsString, u64) {
    let source = text.to_string_lossy().into_owned().into_bytes();
    let mut best = (JsString::new(), source.len() as u64);
    let (mut low, mut high) = (0_i64, i64::try_from(target).unwrap());
    while low <= high {
        let middle = usize::try_from(low.midpoint(high)).unwrap();
        let mut head = middle.div_ceil(2);
        while std::str::from_utf8(&source[..head]).is_err() {
            head -= 1;
        }
        let mut tail = source.len() - middle / 2;
        while std::str::from_utf8(&source[tail..]).is_err() {
            tail += 1;
        }
        let decode = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned()
        };
        let omitted = tail - head;
        let (head, tail) = (decode(&source[..head]), decode(&source[tail..]));
        let form = format!("{head}{tail}\n[… omitted {omitted} UTF-8 bytes …]");
        if form.len() <= target {
            best = (form.into(), omitted as u64);
            low = i64::try_from(middle).unwrap() + 1;
        } else {
            high = i64::try_from(middle).unwrap() - 1;
        }
    }
    best
}

/// Property 3: which messages are admitted, and the cap. `None` when all fit.
pub(crate) fn shares(case: &Case<'_>, budget: usize) -> Option<(Vec<usize>, usize)> {
    if case
        .retain(budget, Retention::Fair)
        .is_some_and(|all| !all.facts.truncated)
    {
        return None;
    }
    let items = case.conversation.items();
    let all: u64 = case.texts.iter().map(|text| text.len() as u64).sum();
    let room = budget.saturating_sub(case.fixed() + omitted_len(case, items.len() as u64, all));
    let sizes = case.sizes();
    let newest = items.len() - 1;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| {
        let rank = [*index == newest, items[*index].checkpoint]
            .iter()
            .position(|first| *first);
        (rank.unwrap_or(2), items.len() - index)
    });
    // In 32nds of a byte, so that the floor is not rounded.
    let floor = (32 * 256).max(budget);
    let need = |count: usize| {
        let bytes = order[..count]
            .iter()
            .map(|index| (32 * sizes[*index]).min(floor));
        bytes.sum::<usize>() + 32 * count.saturating_sub(1)
    };
    let count = (1..=order.len())
        .take_while(|count| need(*count) <= 32 * room)
        .last();
    let count = count.unwrap_or(1);
    let room = room - (count - 1);
    let sum = |cap: usize| {
        order[..count]
            .iter()
            .map(|index| sizes[*index].min(cap))
            .sum::<usize>()
    };
    let cap = (0..=room).rev().find(|cap| sum(*cap) <= room).unwrap_or(0);
    order.truncate(count);
    order.sort_unstable();
    Some((order, cap))
}

/// The size of the member that tells what was left out.
pub(crate) fn omitted_len(case: &Case<'_>, messages: u64, bytes: u64) -> usize {
    match case.profile {
        Profile::Hardened => {
            format!(r#","omitted":{{"messages":{messages},"bytes":{bytes}}}"#).len()
        }
        _ => 0,
    }
}

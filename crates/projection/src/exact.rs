//! Retention as the reference does it (`spec/dsh-store.md` 8.4), without its cost: sizes are kept
//! running instead of being measured anew, and of what is dropped only lengths are looked at.

use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use sref_session::{JsStr, JsString};

use crate::notice::{digits, notice, notice_len};
use crate::retain::Space;
use crate::{BudgetError, Conversation, Kept};

/// Chooses what is shown of a conversation that does not fit whole.
pub(crate) fn choose(
    conversation: &Conversation<'_>,
    space: &Space,
) -> Result<Vec<Kept>, BudgetError> {
    let mut protected: Vec<Shown> = conversation
        .protected()
        .map(|index| Shown::whole(conversation, space, index))
        .collect();
    protected.sort_unstable_by_key(|shown| shown.index);
    let size: usize = protected
        .iter()
        .map(|shown| shown.overhead + shown.cost)
        .sum();
    match others_within(conversation, space, size) {
        Some(others) => {
            let indices = conversation.others().take(others);
            Ok(indices
                .chain(protected.iter().map(|shown| shown.index))
                .map(|index| Kept::whole(conversation, index))
                .collect())
        }
        None => shorten(conversation, space, protected, size),
    }
}

/// Step 1: how many of the newest other messages fit beside the protected ones, which have this
/// size; `None` when not even those fit.
///
/// Dropping the oldest until it fits leaves the most that fit, so this begins with none and stops at
/// the first message that is too much.
fn others_within(conversation: &Conversation<'_>, space: &Space, size: usize) -> Option<usize> {
    let all_others = conversation.count_others();
    let protected: u64 = conversation
        .protected()
        .map(|index| conversation.items()[index].text.len() as u64)
        .sum();
    let mut dropped_bytes = conversation.bytes() - protected;
    let commas = (conversation.items().len() - all_others).saturating_sub(1);
    let mut left = space.budget.checked_sub(space.fixed + size + commas)?;
    let fits = |left: usize, dropped, bytes| left >= space.omitted_len(dropped, bytes);
    let mut best = fits(left, all_others, dropped_bytes).then_some(0);
    for (kept, index) in (1..).zip(conversation.others()) {
        let item = &conversation.items()[index];
        let Some(rest) = left
            .checked_sub(1)
            .and_then(|left| Some(left - space.size_within(item, left)?))
        else {
            break;
        };
        left = rest;
        dropped_bytes -= item.text.len() as u64;
        if fits(left, all_others - kept, dropped_bytes) {
            best = Some(kept);
        }
    }
    best
}

/// A message in step 2.
struct Shown {
    index: usize,
    /// The size of the message without its text.
    overhead: usize,
    /// The size of the text as shown, escaped.
    cost: usize,
    /// The text as shown, once it is cut.
    cut: Option<Cut>,
}

struct Cut {
    text: String,
    /// Bytes of the original that are missing.
    omitted: usize,
}

impl Shown {
    fn whole(conversation: &Conversation<'_>, space: &Space, index: usize) -> Self {
        let item = &conversation.items()[index];
        let overhead = space.overhead(item);
        let size = space.size_within(item, usize::MAX).unwrap_or(usize::MAX);
        Self {
            index,
            overhead,
            cost: size - overhead,
            cut: None,
        }
    }
}

/// Step 2: shortens the longest text by the overflow until it fits. All other messages are dropped.
///
/// Each step takes at least the overflow off, but for the line end of a first notice and, hardened,
/// the digits of a count. So a text is cut a few times, not once for each byte.
fn shorten(
    conversation: &Conversation<'_>,
    space: &Space,
    mut shown: Vec<Shown>,
    size: usize,
) -> Result<Vec<Kept>, BudgetError> {
    let text = |shown: &Shown| conversation.items()[shown.index].text;
    let dropped = conversation.count_others();
    let retained: u64 = shown.iter().map(|shown| text(shown).len() as u64).sum();
    let mut omitted = conversation.bytes() - retained;
    let mut sum = space.fixed + size + shown.len().saturating_sub(1);
    // Longest first, of equals the oldest.
    let mut longest: BinaryHeap<(usize, Reverse<usize>)> = shown
        .iter()
        .enumerate()
        .map(|(at, shown)| (text(shown).len(), Reverse(at)))
        .collect();
    loop {
        let total = sum + space.omitted_len(dropped, omitted);
        let Some(overflow) = total.checked_sub(space.budget).filter(|over| *over > 0) else {
            break;
        };
        let Some((len, Reverse(at))) = longest.pop().filter(|(len, _)| *len > 0) else {
            return Err(BudgetError::new(total, space.budget));
        };
        let target = len.saturating_sub(overflow);
        let original = text(&shown[at]);
        let cut = cut(original.head(original.len()).as_js_str(), target);
        let shown = &mut shown[at];
        omitted += cut.omitted as u64;
        omitted -= shown.cut.as_ref().map_or(0, |cut| cut.omitted as u64);
        sum -= shown.cost;
        shown.cost = space.profile.escaped_len(cut.text.as_str().into());
        sum += shown.cost;
        longest.push((cut.text.len(), Reverse(at)));
        shown.cut = Some(cut);
    }
    Ok(shown
        .into_iter()
        .map(|shown| match shown.cut {
            None => Kept::whole(conversation, shown.index),
            Some(cut) => Kept {
                index: shown.index,
                shown: JsString::from(cut.text),
                omitted_bytes: cut.omitted as u64,
            },
        })
        .collect())
}

/// The longest form of a text, head and tail and notice, that the reference's search finds within
/// `target` bytes; empty when it finds none.
///
/// The search is the reference's, step for step: whether a form fits is not monotone in its length,
/// so another search would find others. It needs only sizes; one form is built at the end.
fn cut(text: JsStr<'_>, target: usize) -> Cut {
    let (mut low, mut high) = (0, target);
    let mut best = None;
    while low <= high {
        let middle = low.midpoint(high);
        let halves = Halves::new(text, middle);
        if halves.len() <= target {
            best = Some(halves);
            low = middle + 1;
        } else if middle == 0 {
            break;
        } else {
            high = middle - 1;
        }
    }
    match best {
        None => Cut {
            text: String::new(),
            omitted: text.len(),
        },
        Some(halves) => Cut {
            text: halves.build(),
            omitted: halves.omitted(),
        },
    }
}

/// A byte order mark, which the reference's decoder strips from the start of each half.
const BOM: &str = "\u{FEFF}";

/// What is kept of a text: about half of the retained bytes at each end, whole characters.
struct Halves<'a> {
    text: JsStr<'a>,
    head_end: usize,
    tail_start: usize,
}

impl<'a> Halves<'a> {
    fn new(text: JsStr<'a>, retained: usize) -> Self {
        Self {
            text,
            head_end: text.floor_boundary(retained.div_ceil(2)),
            tail_start: text.ceil_boundary(text.len() - retained / 2),
        }
    }

    /// Stripped marks count as kept, as in the reference.
    const fn omitted(&self) -> usize {
        self.tail_start - self.head_end
    }

    /// The size of what [`build`](Self::build) gives.
    fn len(&self) -> usize {
        let bytes = self.text.as_wtf8();
        let halves = [&bytes[..self.head_end], &bytes[self.tail_start..]];
        let kept: usize = halves
            .into_iter()
            .map(|half| half.strip_prefix(BOM.as_bytes()).unwrap_or(half).len())
            .sum();
        kept + "\n".len() + notice_len(digits(self.omitted()))
    }

    /// Head and tail without a gap, and the notice behind them. Lone surrogates become U+FFFD, which
    /// has the same size.
    fn build(&self) -> String {
        let mut out = String::with_capacity(self.len());
        for half in [0..self.head_end, self.tail_start..self.text.len()] {
            let half = self.text.slice(half).to_string_lossy();
            out.push_str(half.strip_prefix(BOM).unwrap_or(&half));
        }
        out.push('\n');
        out.push_str(&notice(self.omitted()));
        out
    }
}

//! Fair retention: who is admitted, how large each may be, and the filling up
//! (`contract.md` §6, properties 1 to 9).

mod clusters;
mod cut;
mod ends;

use alloc::vec::Vec;

use self::cut::{Cut, Ends};
use crate::retain::Space;
use crate::share::level;
use crate::{Conversation, Item, Kept};

/// The smallest floor: what a message is admitted at if it is not smaller.
const LEAST_FLOOR: usize = 256;

/// How many floors there are in a budget.
const FLOORS: usize = 32;

/// How much of a budget may stay unused before cut messages are made longer: by words, and then by
/// clusters. The contract's 1 % is above both, so that a few bytes do not make it fail.
const GROWTHS: [(Ends, usize); 2] = [(Ends::Words, 256), (Ends::Clusters, 160)];

/// The smallest budget that is to be used up; below it, words are worth more than bytes.
const FULL_USE: usize = 1_024;

/// Chooses what is shown of a conversation that does not fit whole.
pub(crate) fn choose(conversation: &Conversation<'_>, space: &Space) -> Vec<Kept> {
    // Reserved at its longest: no part of a count has more digits than the whole.
    let reserved = space.omitted_len(conversation.items().len(), conversation.bytes());
    let Some(room) = space.budget.checked_sub(space.fixed + reserved) else {
        return Vec::new();
    };
    let admitted = admit(conversation, space, room);
    Filling {
        conversation,
        space,
        // One comma between two messages.
        spare: room - admitted.len().saturating_sub(1),
        reserved,
        admitted,
    }
    .finish()
}

/// A message that is shown.
struct Admitted<'c> {
    index: usize,
    item: &'c Item<'c>,
    /// The size of the message without its text.
    overhead: usize,
    /// The size of the whole message, once it is known; else it is larger than what was tried.
    size: Option<usize>,
    /// What is shown instead of the whole.
    cut: Option<Cut<'c>>,
}

/// The messages that are shown, the first ones first.
///
/// A message takes its size or the floor. The floor is not rounded (all is counted in 32nds of a
/// byte): it grows with the budget evenly, by less for all admitted messages together than the
/// budget does. So none is lost to a larger budget.
fn admit<'c>(conversation: &'c Conversation<'c>, space: &Space, room: usize) -> Vec<Admitted<'c>> {
    let parts = |bytes: usize| bytes as u64 * FLOORS as u64;
    let floor = parts(LEAST_FLOOR).max(space.budget as u64);
    let floor_bytes = LEAST_FLOOR.max(space.budget / FLOORS);
    let mut left = parts(room);
    let mut admitted = Vec::new();
    for index in conversation.protected().chain(conversation.others()) {
        let item = &conversation.items()[index];
        let size = space.size_within(item, floor_bytes);
        let need = size.map_or(floor, parts);
        let need = if admitted.is_empty() {
            // The newest message takes what there is.
            need.min(left)
        } else {
            need + parts(",".len())
        };
        if need > left {
            break;
        }
        left -= need;
        admitted.push(Admitted {
            index,
            item,
            overhead: space.overhead(item),
            size,
            cut: None,
        });
    }
    admitted
}

/// The dividing of the room among the messages.
struct Filling<'c> {
    conversation: &'c Conversation<'c>,
    space: &'c Space,
    admitted: Vec<Admitted<'c>>,
    /// What no message has used yet.
    spare: usize,
    /// What is held back for telling how much is left out.
    reserved: usize,
}

impl Filling<'_> {
    fn finish(mut self) -> Vec<Kept> {
        let cap = self.cap();
        let used: usize = self.admitted.iter().map(|one| one.size_up_to(cap)).sum();
        self.spare -= used;
        // What one cannot use, the next one gets.
        for one in self
            .admitted
            .iter_mut()
            .filter(|one| one.size_up_to(cap) == cap)
        {
            let limit = cap + self.spare;
            let Some(used) = one.fill(self.space, limit) else {
                // The newest message alone, and hardly room for a notice.
                return Vec::new();
            };
            self.spare = limit - used;
        }
        self.release();
        for (ends, share) in GROWTHS {
            for one in &mut self.admitted {
                if self.spare > self.space.budget.max(FULL_USE) / share {
                    self.spare -= one.grow(self.space, self.spare, ends);
                }
            }
        }
        self.admitted.into_iter().map(Admitted::into_kept).collect()
    }

    /// Gives back what the counts need less than was reserved. From here on they only fall, since
    /// messages only grow.
    fn release(&mut self) {
        let shown = self.admitted.iter().map(Admitted::shown_bytes).sum::<u64>();
        let dropped = self.conversation.items().len() - self.admitted.len();
        let needed = self
            .space
            .omitted_len(dropped, self.conversation.bytes() - shown);
        self.spare += self.reserved - needed;
        self.reserved = needed;
    }

    /// The highest cap at which all messages, cut to it, fit.
    ///
    /// Sizes are looked at no further than needed: up to twice the cap so far, which at least doubles
    /// each time.
    fn cap(&mut self) -> usize {
        let mut tried = 0;
        loop {
            let sizes = self.admitted.iter().map(|one| one.size_up_to(usize::MAX));
            let cap = level(self.spare, sizes.collect());
            let unknown = self.admitted.iter_mut().filter(|one| one.size.is_none());
            if cap <= tried {
                return cap;
            }
            tried = cap.saturating_mul(2);
            let mut found = false;
            for one in unknown {
                one.size = self.space.size_within(one.item, tried);
                found |= one.size.is_some();
            }
            if !found {
                return cap;
            }
        }
    }
}

impl Admitted<'_> {
    /// The size, or the limit where that is smaller.
    fn size_up_to(&self, limit: usize) -> usize {
        self.size.unwrap_or(usize::MAX).min(limit)
    }

    /// Shows as much as takes `limit` bytes, and gives what it takes; `None` when that is nothing.
    fn fill(&mut self, space: &Space, limit: usize) -> Option<usize> {
        if let Some(size) = self.whole_within(space, limit) {
            return Some(size);
        }
        let limit = limit.checked_sub(self.overhead)?;
        let cut = self
            .cut
            .insert(Cut::new(self.item.text, limit, space.profile)?);
        Some(self.overhead + cut.cost())
    }

    /// Shows more of a cut message, for at most `more` bytes; gives what it takes.
    fn grow(&mut self, space: &Space, more: usize, ends: Ends) -> usize {
        let Some(cut) = &self.cut else {
            return 0;
        };
        let cut = cut.clone();
        let before = self.overhead + cut.cost();
        let after = self.whole_within(space, before + more).unwrap_or_else(|| {
            let cut = self.cut.insert(cut.grown(more, ends));
            self.overhead + cut.cost()
        });
        // Characters that meet again can take less than they did apart.
        after.saturating_sub(before)
    }

    /// Shows all if that takes at most `limit` bytes, and gives what it takes.
    fn whole_within(&mut self, space: &Space, limit: usize) -> Option<usize> {
        if self.size.is_none() {
            self.size = space.size_within(self.item, limit);
        }
        let size = self.size.filter(|size| *size <= limit)?;
        self.cut = None;
        Some(size)
    }

    fn omitted(&self) -> usize {
        self.cut.as_ref().map_or(0, Cut::omitted)
    }

    fn shown_bytes(&self) -> u64 {
        (self.item.text.len() - self.omitted()) as u64
    }

    fn into_kept(self) -> Kept {
        let whole = || self.item.text.to_js_string();
        Kept {
            index: self.index,
            shown: self.cut.as_ref().map_or_else(whole, Cut::build),
            omitted_bytes: self.omitted() as u64,
        }
    }
}

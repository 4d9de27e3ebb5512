use crate::unit::Cap;

/// How much of its room a text must use before the search for a bigger one ends, in thousandths.
const ENOUGH: usize = 985;
/// What a probe that may go over aims at.
const ALMOST: usize = 995;
/// A probe renders everything anew, so there are few.
const MAX_PROBES: usize = 6;

/// Finds the largest byte budget whose text fits a host's cap, in few probes.
///
/// Budgets are bytes and a cap may be in other units: 9,500 UTF-16 units are 9,500 bytes of English
/// and 28,000 of Chinese. How much is known only from the text, so it is rendered and measured.
/// The search asks for probes and is told the outcome; it renders nothing itself, which suits
/// callers that render across an `await`. [`fit`] is the loop around it for those that need none.
///
/// A text that was accepted fits: nothing is ever cut. The first probe fits whenever `overhead` is
/// no less than what the text adds to the budget, since no unit is less than a byte.
///
/// ```
/// use sref_delivery::{Fitting, Host};
///
/// let mut fitting = Fitting::new(&Host::Claude.limits().context, 200);
/// while let Some(budget) = fitting.next_budget() {
///     // A stand-in for rendering: Chinese text, cut at the budget.
///     let text = "日".repeat(budget / 3);
///     fitting.offer(budget, text, false);
/// }
/// let text = fitting.finish().unwrap();
/// assert!((9_350..=9_500).contains(&text.chars().count()));
/// ```
#[derive(Debug, Clone)]
pub struct Fitting<T> {
    cap: Cap,
    /// The largest budget known to fit and the smallest known not to, with the sizes in units.
    fits: Option<(usize, usize)>,
    over: Option<(usize, usize)>,
    best: Option<T>,
    overs: usize,
    next: Option<usize>,
    probes: usize,
}

impl<T: AsRef<str>> Fitting<T> {
    /// A search under `cap`, for a text that is `overhead` bytes longer than its budget.
    #[must_use]
    pub fn new(cap: &Cap, overhead: usize) -> Self {
        Self {
            cap: *cap,
            fits: None,
            over: None,
            best: None,
            overs: 0,
            next: cap.aim.checked_sub(overhead).filter(|budget| *budget > 0),
            probes: 0,
        }
    }

    /// The budget to render under next, or `None` when the search is over.
    #[must_use]
    pub const fn next_budget(&self) -> Option<usize> {
        self.next
    }

    /// Tells what came out under a budget; `whole` when nothing was left out, so that a bigger
    /// budget would change nothing.
    pub fn offer(&mut self, budget: usize, text: T, whole: bool) {
        let size = self.cap.unit.measure(text.as_ref());
        let bytes = text.as_ref().len();
        self.probes += 1;
        let mut done = self.probes == MAX_PROBES;
        if size <= self.cap.aim {
            // A bigger budget that changes nothing: another limit holds, and no third one will help.
            let stuck = self.over.is_none() && self.fits.is_some_and(|(_, known)| known == size);
            done |= whole || stuck || size * 1_000 >= self.cap.aim * ENOUGH;
            if self.fits.is_none_or(|(known, _)| budget >= known) {
                self.fits = Some((budget, size));
                self.best = Some(text);
            }
        } else {
            // Beyond the size of the whole text a budget changes nothing.
            let low = self.fits.map_or(0, |(low, _)| low);
            let high = if bytes > low {
                budget.min(bytes)
            } else {
                budget
            };
            self.over = Some((high, size));
            self.overs += 1;
        }
        self.next = if done {
            None
        } else {
            self.guess(budget, size, bytes)
        };
    }

    /// Tells that nothing could be rendered under a budget: the fixed parts alone are over it.
    pub fn refuse(&mut self, budget: usize) {
        self.probes += 1;
        // A smaller budget is refused as well; a bigger one is worth trying only in other units,
        // where the first budget is far below the cap.
        let most = self.cap.aim * self.cap.unit.max_bytes();
        self.next = (self.best.is_none() && self.probes == 1 && budget < most).then_some(most);
    }

    /// The text of the largest budget that fitted; `None` when none did.
    #[must_use]
    pub fn finish(self) -> Option<T> {
        self.best
    }

    /// Where a straight line reaches the cap, or a little less: through what fits and what does
    /// not, or, while all fits, at the bytes per unit of this text.
    fn guess(&self, budget: usize, size: usize, bytes: usize) -> Option<usize> {
        let aim = self.cap.aim;
        let (low, low_size) = self.fits.unwrap_or((0, 0));
        let Some((high, high_size)) = self.over else {
            let most = aim * self.cap.unit.max_bytes();
            let more = (aim - size) * bytes / size.max(1);
            return Some((budget + more).min(most)).filter(|guess| *guess > budget);
        };
        let guess = if self.overs < 2 {
            let target = (aim * ALMOST / 1_000).saturating_sub(low_size);
            low + (high - low) * target / (high_size - low_size)
        } else {
            // Both fit: each unit too many is so many bytes at most, and no byte is more than a unit.
            let excess = (high_size - aim) * self.cap.unit.max_bytes();
            high.saturating_sub(excess).max(low + (aim - low_size))
        };
        (guess > low && guess < high).then_some(guess)
    }
}

/// Renders under growing budgets until the text fills a cap: [`Fitting`] with its loop.
///
/// `render` gives the text under a byte budget and whether it is whole, or `None` when not even the
/// fixed parts fit.
///
/// ```
/// use sref_delivery::{Host, fit};
///
/// let cap = &Host::Codex.limits().context;
/// let text = fit(cap, 100, |budget| Some(("x".repeat(budget), false))).unwrap();
/// assert_eq!(text.len(), 9_400);
/// assert_eq!(fit(cap, 100, |_| None::<(String, bool)>), None);
/// ```
pub fn fit<T: AsRef<str>>(
    cap: &Cap,
    overhead: usize,
    mut render: impl FnMut(usize) -> Option<(T, bool)>,
) -> Option<T> {
    let mut fitting = Fitting::new(cap, overhead);
    while let Some(budget) = fitting.next_budget() {
        match render(budget) {
            Some((text, whole)) => fitting.offer(budget, text, whole),
            None => fitting.refuse(budget),
        }
    }
    fitting.finish()
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use core::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::unit::Unit;

    fn cap(unit: Unit) -> Cap {
        Cap {
            unit,
            limit: None,
            aim: 9_500,
        }
    }

    /// Stands for rendering: a frame, and as much of the text as the budget holds.
    fn render(text: &str, budget: usize) -> (String, bool) {
        let mut end = budget.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (format!("<frame>{}", &text[..end]), end == text.len())
    }

    proptest! {
        /// Whatever comes back, the search ends, and gives what fits or nothing.
        #[test]
        fn any_renderer_will_do(sizes in prop::collection::vec((0_usize..12_000, prop::sample::select(vec!["a", "日", "😀"]), any::<bool>()), 8), overhead in 0_usize..10_000) {
            let cap = cap(Unit::Utf16);
            let mut sizes = sizes.into_iter();
            let made = fit(&cap, overhead, |_| {
                let (size, c, whole) = sizes.next().expect("few probes");
                (size > 600).then(|| (c.repeat(size), whole))
            });
            prop_assert!(made.is_none_or(|text| cap.holds(&text)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Never over, few probes, and nearly full unless everything is in.
        #[test]
        fn the_room_is_used(parts in prop::collection::vec((prop::sample::select(vec!["a", "é", "日", "😀"]), 0_usize..6_000), 1..8), utf8 in any::<bool>()) {
            let text: String = parts.iter().map(|(c, n)| c.repeat(*n)).collect();
            let cap = cap(if utf8 { Unit::Utf8 } else { Unit::Utf16 });
            let probes = Cell::new(0);
            let made = fit(&cap, 7, |budget| {
                probes.set(probes.get() + 1);
                Some(render(&text, budget))
            }).unwrap();
            let size = cap.unit.measure(&made);
            prop_assert!(size <= cap.aim);
            prop_assert!(probes.get() <= MAX_PROBES);
            let whole = made.len() == "<frame>".len() + text.len();
            prop_assert!(whole || size >= cap.aim * 95 / 100, "{size} after {} probes: {parts:?}", probes.get());
        }
    }

    #[test]
    fn bytes_need_one_probe_and_english_two() {
        let probes = |unit, text: &str| {
            let probes = Cell::new(0);
            let made = fit(&cap(unit), 7, |budget| {
                probes.set(probes.get() + 1);
                Some(render(text, budget))
            });
            (probes.get(), unit.measure(&made.unwrap()))
        };
        let chinese = "日".repeat(20_000);
        assert_eq!(probes(Unit::Utf8, &chinese), (1, 9_500 - 1));
        assert_eq!(probes(Unit::Utf16, &"a".repeat(20_000)), (1, 9_500));
        assert_eq!(probes(Unit::Utf16, "all of it"), (1, 16));
        let (number, size) = probes(Unit::Utf16, &chinese);
        assert!(number <= 3 && size >= 9_357, "{number} {size}");
    }

    #[test]
    fn another_limit_ends_the_search() {
        let probes = Cell::new(0);
        let made = fit(&cap(Unit::Utf16), 0, |budget| {
            probes.set(probes.get() + 1);
            Some(("a".repeat(budget.min(5_000)), false))
        });
        assert_eq!((probes.get(), made.unwrap().len()), (2, 5_000));
    }

    #[test]
    fn what_never_fits_is_not_delivered() {
        let cap = cap(Unit::Utf16);
        let huge = |_| Some(("x".repeat(20_000), false));
        assert_eq!(fit(&cap, 0, huge), None);
        assert_eq!(fit(&cap, 9_500, huge), None, "no room for a budget");
        // Fixed parts of Chinese text: over 9,500 bytes, far below 9,500 units.
        let fixed = "日".repeat(4_000);
        let made = fit(&cap, 0, |budget| {
            (budget >= fixed.len()).then(|| (fixed.clone(), true))
        });
        assert_eq!(made, Some(fixed));
    }
}

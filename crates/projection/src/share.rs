use alloc::vec::Vec;

/// Shares one budget over several needs: what one does not use, the others get (`contract.md` §6,
/// "shared budget").
///
/// Each gets at most its need and at most `each_max`. Where the total does not cover that, one level
/// is found that all small needs stay below, and the others get that level; the first of them get
/// the few bytes that do not divide. Nothing of the total is left while a need is unmet.
///
/// ```
/// use sref_projection::share_budget;
///
/// assert_eq!(share_budget(100, &[10, 20, 30], 65_536), [10, 20, 30]);
/// assert_eq!(share_budget(100, &[10, 90, 80], 65_536), [10, 45, 45]);
/// assert_eq!(share_budget(101, &[10, 90, 80], 65_536), [10, 46, 45]);
/// assert_eq!(share_budget(100, &[10, 90, 80], 40), [10, 40, 40]);
/// ```
#[must_use]
pub fn share_budget(total: usize, needs: &[usize], each_max: usize) -> Vec<usize> {
    let wants: Vec<usize> = needs.iter().map(|need| (*need).min(each_max)).collect();
    let level = level(total, wants.clone());
    let mut shares: Vec<usize> = wants.iter().map(|want| (*want).min(level)).collect();
    let mut left = total.saturating_sub(shares.iter().sum());
    for (share, want) in shares.iter_mut().zip(wants) {
        if left > 0 && *share < want {
            *share += 1;
            left -= 1;
        }
    }
    shares
}

/// The highest level such that the needs, each cut to it, stay within the total; `usize::MAX` when
/// they do so uncut.
pub(crate) fn level(total: usize, mut needs: Vec<usize>) -> usize {
    needs.sort_unstable();
    let mut rest = total;
    for (at, need) in needs.iter().enumerate() {
        let each = rest / (needs.len() - at);
        if *need > each {
            return each;
        }
        rest -= need;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_are_fair_and_complete(
            total in 0_usize..400,
            needs in prop::collection::vec(0_usize..200, 0..6),
            each_max in 0_usize..200,
        ) {
            let shares = share_budget(total, &needs, each_max);
            let wants: Vec<usize> = needs.iter().map(|need| (*need).min(each_max)).collect();
            prop_assert_eq!(shares.len(), needs.len());
            prop_assert_eq!(shares.iter().sum::<usize>(), total.min(wants.iter().sum()));
            let highest = shares.iter().max().copied().unwrap_or(0);
            for (share, want) in shares.iter().zip(wants) {
                prop_assert!(*share == want || (*share < want && *share + 1 >= highest));
            }
        }
    }
}

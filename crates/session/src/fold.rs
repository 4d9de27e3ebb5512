use alloc::vec::Vec;

use thiserror::Error;

/// Why an event does not fit the surface before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind} (event {seq})")]
pub struct FoldError {
    kind: FoldErrorKind,
    seq: u64,
}

impl FoldError {
    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> FoldErrorKind {
        self.kind
    }

    /// The event that does not fit.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
}

/// The reasons behind a [`FoldError`] (`spec/dsh-store.md` 2.2, 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FoldErrorKind {
    /// Event numbers must grow.
    #[error("an event number that does not follow the last one")]
    Order,
    /// A replace starts at an event that is not on the surface.
    #[error("the start of a replacement is not on the surface")]
    StartAbsent,
    /// A replace ends at an event that is not on the surface.
    #[error("the end of a replacement is not on the surface")]
    EndAbsent,
    /// A replace whose start stands behind its end.
    #[error("the start of a replacement stands after its end")]
    Reversed,
    /// A source is cited twice.
    #[error("a source is cited twice")]
    DuplicateSource,
    /// A source is not earlier than the event.
    #[error("a source is not earlier than the event")]
    LateSource,
    /// A replaced event is not among the sources.
    #[error("a replaced event is not cited")]
    MissingSource,
}

/// Folds an event log into its surface: the ordered list of the events that are current.
///
/// Linear in events and cited sources, whatever the order of replacements; memory follows the
/// events that were ever on the surface. Rules: `spec/dsh-store.md` 2.
///
/// ```
/// use sref_session::SurfaceFold;
///
/// let mut fold = SurfaceFold::new();
/// fold.append(0, &[])?;
/// fold.append(4, &[])?;
/// fold.append(6, &[])?;
/// // A checkpoint takes the place of 0 and 4; it cites them and a log-only event.
/// assert_eq!(fold.replace(9, 0, 4, &[0, 4, 8])?, [0, 4]);
/// assert_eq!(fold.current(), [9, 6]);
/// # Ok::<(), sref_session::FoldError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SurfaceFold {
    /// Every event that was ever on the surface, in log order, so that a search finds it.
    nodes: Vec<Node>,
    /// Ends of the current list: indices into `nodes`.
    ends: Option<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct Node {
    seq: u64,
    current: bool,
    previous: Option<usize>,
    next: Option<usize>,
}

impl SurfaceFold {
    /// An empty surface.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            ends: None,
        }
    }

    /// Puts an event at the end. `sources` are the events it cites.
    ///
    /// # Errors
    ///
    /// [`FoldErrorKind::Order`], [`FoldErrorKind::DuplicateSource`],
    /// [`FoldErrorKind::LateSource`].
    pub fn append(&mut self, seq: u64, sources: &[u64]) -> Result<(), FoldError> {
        self.check_order(seq)?;
        sorted_sources(seq, sources)?;
        self.insert(seq, self.ends.map(|(_, last)| last), None);
        Ok(())
    }

    /// Puts an event in the place of the span from `start` to `end`, both on the surface, and
    /// gives the events that it removed, in surface order.
    ///
    /// The span goes by position: `start` may be the higher number, since an earlier replacement
    /// keeps the place of what it replaced.
    ///
    /// # Errors
    ///
    /// Any [`FoldErrorKind`], in the order in which they are declared. A failed fold is not to be
    /// used further.
    pub fn replace(
        &mut self,
        seq: u64,
        start: u64,
        end: u64,
        sources: &[u64],
    ) -> Result<Vec<u64>, FoldError> {
        let error = |kind| FoldError { kind, seq };
        self.check_order(seq)?;
        let first = self.find(start).ok_or(error(FoldErrorKind::StartAbsent))?;
        let last = self.find(end).ok_or(error(FoldErrorKind::EndAbsent))?;
        let mut span = Vec::new();
        let mut at = first;
        loop {
            span.push(at);
            if at == last {
                break;
            }
            at = self.nodes[at].next.ok_or(error(FoldErrorKind::Reversed))?;
        }
        let sources = sorted_sources(seq, sources)?;
        let removed: Vec<u64> = span.iter().map(|at| self.nodes[*at].seq).collect();
        if removed
            .iter()
            .any(|node| sources.binary_search(node).is_err())
        {
            return Err(error(FoldErrorKind::MissingSource));
        }
        for at in &span {
            self.nodes[*at].current = false;
        }
        self.insert(seq, self.nodes[first].previous, self.nodes[last].next);
        Ok(removed)
    }

    /// The current events, in surface order.
    #[must_use]
    pub fn current(&self) -> Vec<u64> {
        let mut out = Vec::new();
        let mut at = self.ends.map(|(first, _)| first);
        while let Some(node) = at.map(|at| &self.nodes[at]) {
            out.push(node.seq);
            at = node.next;
        }
        out
    }

    /// The first event of the surface.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        self.ends.map(|(first, _)| self.nodes[first].seq)
    }

    /// Whether an event is on the surface now.
    #[must_use]
    pub fn contains(&self, seq: u64) -> bool {
        self.find(seq).is_some()
    }

    fn check_order(&self, seq: u64) -> Result<(), FoldError> {
        match self.nodes.last() {
            Some(last) if last.seq >= seq => Err(FoldError {
                kind: FoldErrorKind::Order,
                seq,
            }),
            _ => Ok(()),
        }
    }

    fn find(&self, seq: u64) -> Option<usize> {
        let at = self
            .nodes
            .binary_search_by_key(&seq, |node| node.seq)
            .ok()?;
        self.nodes[at].current.then_some(at)
    }

    fn insert(&mut self, seq: u64, previous: Option<usize>, next: Option<usize>) {
        let own = self.nodes.len();
        self.nodes.push(Node {
            seq,
            current: true,
            previous,
            next,
        });
        let (mut first, mut last) = self.ends.unwrap_or((own, own));
        match previous {
            Some(previous) => self.nodes[previous].next = Some(own),
            None => first = own,
        }
        match next {
            Some(next) => self.nodes[next].previous = Some(own),
            None => last = own,
        }
        self.ends = Some((first, last));
    }
}

fn sorted_sources(seq: u64, sources: &[u64]) -> Result<Vec<u64>, FoldError> {
    let mut sorted = sources.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(FoldError {
            kind: FoldErrorKind::DuplicateSource,
            seq,
        });
    }
    if sorted.last().is_some_and(|last| *last >= seq) {
        return Err(FoldError {
            kind: FoldErrorKind::LateSource,
            seq,
        });
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use super::*;

    /// The rule as the specification words it: a plain list, searched and spliced.
    fn reference(list: &mut Vec<u64>, seq: u64, span: Option<(u64, u64)>, sources: &[u64]) -> bool {
        let provenance = sources.iter().all(|source| *source < seq)
            && sources
                .iter()
                .enumerate()
                .all(|(at, source)| !sources[..at].contains(source));
        let Some((start, end)) = span else {
            list.push(seq);
            return provenance;
        };
        let place = |seq| list.iter().position(|own| *own == seq);
        let (Some(start), Some(end)) = (place(start), place(end)) else {
            return false;
        };
        if start > end || !list[start..=end].iter().all(|own| sources.contains(own)) {
            return false;
        }
        list.splice(start..=end, [seq]);
        provenance
    }

    proptest! {
        #[test]
        fn folds_like_a_plain_list(
            steps in prop::collection::vec(
                (any::<bool>(), 0_u64..20, 0_u64..20, prop::collection::vec(0_u64..25, 0..4), prop::bool::weighted(0.9)),
                0..30,
            ),
        ) {
            let mut fold = SurfaceFold::new();
            let mut list = Vec::new();
            for (seq, (append, start, end, mut sources, cover)) in (0_u64..).zip(steps) {
                let span = (!append).then_some((start, end));
                if cover {
                    sources = if append { Vec::new() } else { (0..seq).collect() };
                }
                let expected = reference(&mut list, seq, span, &sources);
                let got = match span {
                    None => fold.append(seq, &sources).is_ok(),
                    Some((start, end)) => fold.replace(seq, start, end, &sources).is_ok(),
                };
                prop_assert_eq!(got, expected);
                if !got {
                    break;
                }
                prop_assert_eq!(fold.current(), list.clone());
            }
        }
    }

    #[test]
    fn errors_come_in_their_order() {
        let kind = |start, end, sources: &[u64]| {
            let mut fold = SurfaceFold::new();
            for seq in 0..3 {
                fold.append(seq, &[]).unwrap();
            }
            fold.replace(5, start, end, sources)
                .map_err(|error| error.kind())
        };
        assert_eq!(kind(9, 9, &[7, 7]), Err(FoldErrorKind::StartAbsent));
        assert_eq!(kind(0, 9, &[7, 7]), Err(FoldErrorKind::EndAbsent));
        assert_eq!(kind(2, 0, &[7, 7]), Err(FoldErrorKind::Reversed));
        assert_eq!(kind(0, 1, &[7, 7]), Err(FoldErrorKind::DuplicateSource));
        assert_eq!(kind(0, 1, &[0, 7]), Err(FoldErrorKind::LateSource));
        assert_eq!(kind(0, 1, &[0]), Err(FoldErrorKind::MissingSource));
        assert_eq!(kind(0, 1, &[1, 0]), Ok(vec![0, 1]));
    }
}

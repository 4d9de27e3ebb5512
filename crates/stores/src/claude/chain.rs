//! Which records of a log are the live conversation (`spec/agent-logs.md` 2.6).
//!
//! A log is a tree: every record names its parent, an edited prompt starts a sibling, and the old
//! branch stays in the file. This module sees nothing but the tree.

use std::collections::{HashMap, HashSet};

use crate::damage::Breaks;

/// What tells one record from another: its `uuid`, as 128 bits.
pub(super) type Key = u128;

/// A record of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) key: Key,
    pub(super) parent: Option<Key>,
    /// Whether a person would see it: a prompt or an answer on the main line.
    pub(super) visible: bool,
    pub(super) sidechain: bool,
    /// Whether what was before it was summed up.
    pub(super) boundary: bool,
    /// What makes parts of one answer: message, request. Tool calls in parallel are siblings.
    pub(super) answer: Option<u64>,
}

/// Messages that a compaction kept: they follow the anchor, in this order.
#[derive(Debug, Clone)]
pub(super) struct Preserved {
    pub(super) anchor: Key,
    pub(super) kept: Vec<Key>,
}

/// The live conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// Places in the list of nodes, first to last.
    pub(super) nodes: Vec<usize>,
    /// How often the path could not go on at a parent and went on at the newest record before.
    pub(super) breaks: Breaks,
    /// The first records of other conversations, which no compaction explains.
    pub(super) others: Vec<usize>,
}

/// Finds the live conversation.
///
/// `tip` is the record that the writer last named as the newest.
pub(super) fn live_path(nodes: &[Node], preserved: &[Preserved], tip: Option<Key>) -> Path {
    let tree = Tree::build(nodes, preserved);
    if !tree.linked {
        let lost = tree.parents.iter().zip(nodes);
        let lost = lost.filter(|(own, node)| **own == Parent::Lost && !node.sidechain);
        return Path {
            // In the order of the file.
            nodes: (0..nodes.len())
                .filter(|at| !nodes[*at].sidechain)
                .collect(),
            breaks: Breaks {
                gaps: lost.count() as u64,
                ..Breaks::default()
            },
            others: Vec::new(),
        };
    }
    let Some(leaf) = tree.leaf(tip) else {
        return Path::default();
    };
    let mut path = tree.walk(leaf);
    path.others = tree.others(&path.nodes);
    path.nodes = tree.with_siblings(&path.nodes);
    path
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// A true root: no parent was named.
    Root,
    /// A parent that is in the file.
    At(usize),
    /// A parent that is not.
    Lost,
    /// The record itself.
    Itself,
}

struct Tree<'a> {
    nodes: &'a [Node],
    places: HashMap<Key, usize>,
    parents: Vec<Parent>,
    /// Whether any record names another one.
    linked: bool,
}

impl<'a> Tree<'a> {
    fn build(nodes: &'a [Node], preserved: &[Preserved]) -> Self {
        // The last of equal keys wins; the earlier ones are no part of the tree.
        let places: HashMap<Key, usize> = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.key, at))
            .collect();
        let mut parents: Vec<Parent> = nodes
            .iter()
            .enumerate()
            .map(
                |(at, node)| match node.parent.map(|parent| places.get(&parent)) {
                    None => Parent::Root,
                    Some(Some(parent)) if *parent == at => Parent::Itself,
                    Some(Some(parent)) => Parent::At(*parent),
                    Some(None) => Parent::Lost,
                },
            )
            .collect();
        relink(&places, &mut parents, preserved);
        let linked = parents.iter().any(|parent| matches!(parent, Parent::At(_)));
        Self {
            nodes,
            places,
            parents,
            linked,
        }
    }

    /// Whether this is the last record of its key.
    fn counts(&self, at: usize) -> bool {
        self.places.get(&self.nodes[at].key) == Some(&at)
    }

    /// The end of the live branch: of the records that nobody names as parent, the one whose
    /// newest visible ancestor is latest in the file.
    fn leaf(&self, tip: Option<Key>) -> Option<usize> {
        let nearest = self.nearest_visible();
        let mut named = vec![false; self.nodes.len()];
        for parent in (0..self.nodes.len())
            .filter(|at| self.counts(*at))
            .map(|at| self.parents[at])
        {
            if let Parent::At(parent) = parent {
                named[parent] = true;
            }
        }
        // A closed circle has no leaf: there any record may be the end.
        let parts = self.parts();
        let mut ends = vec![false; self.nodes.len()];
        for at in (0..self.nodes.len()).filter(|at| !named[*at]) {
            ends[parts[at]] = true;
        }
        let (visible, leaf) = (0..self.nodes.len())
            .filter(|at| self.counts(*at) && (!named[*at] || !ends[parts[*at]]))
            .filter_map(|leaf| Some((nearest[leaf]?, leaf)))
            .max()?;
        // A tip further down the same branch moves the end forward; another branch does not.
        let forward = tip.and_then(|tip| self.places.get(&tip).copied());
        let forward = forward.filter(|tip| *tip > leaf && nearest[*tip] == Some(visible));
        Some(forward.unwrap_or(leaf))
    }

    /// For each record the nearest visible one on its way up, itself included.
    fn nearest_visible(&self) -> Vec<Option<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; self.nodes.len()];
        let mut nearest = vec![None; self.nodes.len()];
        let mut way = Vec::new();
        for start in 0..self.nodes.len() {
            let mut at = start;
            let found = loop {
                match state[at] {
                    State::Done => break nearest[at],
                    State::Open => break None,
                    State::New if self.nodes[at].visible => break Some(at),
                    State::New => {}
                }
                state[at] = State::Open;
                way.push(at);
                match self.parents[at] {
                    Parent::At(parent) => at = parent,
                    Parent::Root | Parent::Lost | Parent::Itself => break None,
                }
            };
            if self.nodes[at].visible {
                nearest[at] = Some(at);
                state[at] = State::Done;
            }
            for at in way.drain(..) {
                nearest[at] = found;
                state[at] = State::Done;
            }
        }
        nearest
    }

    /// From the leaf up to a root, then turned round. Where the chain breaks it goes on at the
    /// newest earlier record of a part that was not walked yet.
    fn walk(&self, leaf: usize) -> Path {
        let parts = self.parts();
        let mut seen = vec![false; self.nodes.len()];
        let mut walked_parts = vec![false; self.nodes.len()];
        let mut path = Path::default();
        let mut before = leaf;
        let mut at = leaf;
        loop {
            seen[at] = true;
            walked_parts[parts[at]] = true;
            path.nodes.push(at);
            match self.parents[at] {
                Parent::Root => break,
                Parent::At(parent) if !seen[parent] => {
                    at = parent;
                    continue;
                }
                Parent::At(_) | Parent::Itself => path.breaks.circles += 1,
                Parent::Lost => path.breaks.gaps += 1,
            }
            before = before.min(at);
            let side = self.nodes[at].sidechain;
            let newest = (0..before).rev().find(|earlier| {
                self.counts(*earlier)
                    && self.nodes[*earlier].sidechain == side
                    && !walked_parts[parts[*earlier]]
            });
            let Some(newest) = newest else { break };
            before = newest;
            at = newest;
        }
        path.nodes.reverse();
        path
    }

    /// The roots of other parts in which somebody speaks. None, if the path begins at a summary.
    fn others(&self, path: &[usize]) -> Vec<usize> {
        if path.iter().any(|at| self.nodes[*at].boundary) {
            return Vec::new();
        }
        let parts = self.parts();
        let mut found: HashMap<usize, (Option<usize>, bool)> = HashMap::new();
        for at in (0..self.nodes.len()).filter(|at| self.counts(*at)) {
            let (root, is_said) = found.entry(parts[at]).or_default();
            if self.parents[at] == Parent::Root && !self.nodes[at].sidechain {
                *root = root.or(Some(at));
            }
            *is_said |= self.nodes[at].visible;
        }
        let touched: HashSet<usize> = path.iter().map(|at| parts[*at]).collect();
        let others = found
            .into_iter()
            .filter(|(part, _)| !touched.contains(part));
        others
            .filter_map(|(_, (root, is_said))| root.filter(|_| is_said))
            .collect()
    }

    /// The connected part that each record belongs to, named by one of its members.
    fn parts(&self) -> Vec<usize> {
        fn root(parts: &mut [usize], mut at: usize) -> usize {
            while parts[at] != at {
                parts[at] = parts[parts[at]];
                at = parts[at];
            }
            at
        }
        let mut parts: Vec<usize> = (0..self.nodes.len()).collect();
        for at in 0..self.nodes.len() {
            if let Parent::At(parent) = self.parents[at] {
                let (own, other) = (root(&mut parts, at), root(&mut parts, parent));
                parts[own.max(other)] = own.min(other);
            }
        }
        (0..self.nodes.len())
            .map(|at| root(&mut parts, at))
            .collect()
    }

    /// The path with the parts of an answer that hang beside it: same message, same request, same
    /// parent as one that is on it.
    fn with_siblings(&self, path: &[usize]) -> Vec<usize> {
        let mut families: HashMap<(u64, usize), Vec<usize>> = HashMap::new();
        for at in (0..self.nodes.len()).filter(|at| self.counts(*at)) {
            if let (Some(answer), Parent::At(parent)) = (self.nodes[at].answer, self.parents[at]) {
                families.entry((answer, parent)).or_default().push(at);
            }
        }
        let on_path: HashSet<usize> = path.iter().copied().collect();
        let mut out = Vec::with_capacity(path.len());
        for at in path {
            let family = match (self.nodes[*at].answer, self.parents[*at]) {
                (Some(answer), Parent::At(parent)) => families.remove(&(answer, parent)),
                _ => None,
            };
            match family {
                Some(family) => {
                    out.extend(
                        family
                            .into_iter()
                            .filter(|own| own == at || !on_path.contains(own)),
                    );
                }
                None => out.push(*at),
            }
        }
        out
    }
}

/// Puts the messages that a compaction kept behind its anchor: the first hangs on the anchor, each
/// on the one before, and what else hung on the anchor hangs on the last.
fn relink(places: &HashMap<Key, usize>, parents: &mut [Parent], preserved: &[Preserved]) {
    let mut last_kept: HashMap<usize, usize> = HashMap::new();
    let mut own: HashMap<usize, usize> = HashMap::new();
    for list in preserved {
        let Some(anchor) = places.get(&list.anchor).copied() else {
            continue;
        };
        let mut previous = anchor;
        for kept in list.kept.iter().filter_map(|key| places.get(key).copied()) {
            if kept == anchor || own.contains_key(&kept) {
                continue;
            }
            own.insert(kept, previous);
            previous = kept;
        }
        if previous != anchor {
            last_kept.insert(anchor, previous);
        }
    }
    for (at, parent) in parents.iter_mut().enumerate() {
        if let Some(previous) = own.get(&at) {
            *parent = Parent::At(*previous);
        } else if let Parent::At(anchor) = *parent
            && let Some(last) = last_kept.get(&anchor)
            && *last != at
        {
            *parent = Parent::At(*last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree in words: `key<parent`, a capital for what nobody sees, `?` for a parent that is not
    /// there, `~` in front for a sidechain.
    fn tree(words: &str) -> Vec<Node> {
        let name = |letter: char| Key::from(u32::from(letter.to_ascii_lowercase()));
        words
            .split_whitespace()
            .map(|word| {
                let (word, sidechain) = match word.strip_prefix('~') {
                    Some(word) => (word, true),
                    None => (word, false),
                };
                let mut letters = word.chars();
                let key = letters.next().unwrap();
                let parent = (letters.next() == Some('<')).then(|| letters.next().unwrap());
                let answer = letters.next().map(u64::from);
                Node {
                    key: name(key),
                    parent: parent.map(name),
                    visible: key.is_lowercase() && !sidechain,
                    sidechain,
                    boundary: false,
                    answer,
                }
            })
            .collect()
    }

    fn check(words: &str, preserved: &[(char, &str)], tip: Option<char>, expected: &str) {
        let path = path(words, preserved, tip);
        assert_eq!(path, (expected.to_owned(), 0, 0), "{words}");
    }

    /// The same with so many gaps and circles.
    fn broken(words: &str, expected: &str, gaps: u64, circles: u64) {
        let path = path(words, &[], None);
        assert_eq!(path, (expected.to_owned(), gaps, circles), "{words}");
    }

    /// The path, its gaps and its circles.
    fn path(words: &str, preserved: &[(char, &str)], tip: Option<char>) -> (String, u64, u64) {
        let nodes = tree(words);
        let name = |letter: char| Key::from(u32::from(letter));
        let preserved: Vec<Preserved> = preserved
            .iter()
            .map(|(anchor, kept)| Preserved {
                anchor: name(*anchor),
                kept: kept.chars().map(name).collect(),
            })
            .collect();
        let path = live_path(&nodes, &preserved, tip.map(name));
        let got: String = path
            .nodes
            .iter()
            .filter(|at| !nodes[**at].sidechain)
            .filter_map(|at| char::from_u32(u32::try_from(nodes[*at].key).unwrap()))
            .collect();
        let Breaks { gaps, circles, .. } = path.breaks;
        (got, gaps, circles)
    }

    #[test]
    fn a_straight_chain_and_bridges() {
        check("a b<a c<b", &[], None, "abc");
        check("a B<a C<b d<c E<d", &[], None, "abcde");
    }

    #[test]
    fn the_newest_branch_is_live() {
        check("a b<a c<b d<a e<d", &[], None, "ade");
        // A branch that ends in something nobody sees is not dead for that.
        check("a b<a c<b d<a E<d", &[], None, "ade");
        // Notes that are written late onto an old branch do not revive it.
        check("a b<a c<a D<b", &[], None, "ac");
        check("a b<a ~x<b ~y<x", &[], None, "ab");
    }

    #[test]
    fn a_tip_moves_the_end_forward_only_on_its_branch() {
        check("a b<a C<b D<b", &[], Some('d'), "abd");
        check("a b<a c<b d<a", &[], Some('c'), "ad");
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        check("a b<a c<b b<a d<b", &[], None, "abd");
    }

    #[test]
    fn a_boundary_ends_the_walk() {
        check("a b<a C d<c e<d", &[], None, "cde");
    }

    #[test]
    fn kept_messages_follow_their_anchor() {
        // The summary d is the anchor; b was kept.
        check("a b<a C d<c e<d", &[('d', "b")], None, "cdbe");
        // The next record hangs on the last kept one.
        check("a b<a C d<c e<b", &[('d', "b")], None, "cdbe");
        // The boundary itself is the anchor: kept ones come before the summary.
        check("a b<a C d<c e<d", &[('c', "ab")], None, "cabde");
        check("a b<a C d<c e<d", &[('d', "zb")], None, "cdbe");
        check("a b<a C d<c e<d", &[('z', "b")], None, "cde");
    }

    #[test]
    fn a_lost_parent_is_bridged_and_counted() {
        broken("a b<a d<? e<d", "abde", 1, 0);
        // Nothing is lost in a circle but the order.
        broken("b<b c<b", "bc", 0, 1);
        broken("a<b b<a", "ab", 0, 1);
        broken("a b<a c<d d<c", "abcd", 0, 1);
        broken("a b<a c<? d<c e<e", "abcde", 1, 1);
        // Branches of one part are not stitched to each other.
        broken("a b<a c<a d<?", "acd", 1, 0);
    }

    #[test]
    fn without_links_the_file_order_counts() {
        check("a b ~c d", &[], None, "abd");
        broken("a<? ~b<?", "a", 1, 0);
        broken("a b<?", "ab", 1, 0);
        check("", &[], None, "");
    }

    #[test]
    fn parallel_parts_of_an_answer_are_put_back() {
        // c hangs beside the path: same answer, same parent as b.
        check("a b<a1 c<a1 d<b", &[], None, "abcd");
        check("a b<a1 c<a2 d<b", &[], None, "abd");
        check("a b<a1 c<b1 d<c", &[], None, "abcd");
    }

    #[test]
    fn hostile_trees_stay_linear() {
        let many = 20_000_u32;
        let lost: Vec<Node> = (0..many)
            .map(|at| Node {
                key: Key::from(at) + 1_000,
                parent: Some(Key::from(at) + 1_000_000),
                visible: true,
                sidechain: false,
                boundary: false,
                answer: None,
            })
            .collect();
        let nodes: Vec<Node> = lost.iter().copied().chain(tree("A b<A")).collect();
        assert_eq!(live_path(&nodes, &[], None).nodes.len(), 2);
        let mut broken = nodes;
        let end = broken.len() - 2;
        broken[end].parent = Some(Key::MAX);
        let path = live_path(&broken, &[], None);
        assert_eq!(path.nodes.len(), broken.len());
        assert_eq!(path.breaks.gaps, u64::from(many) + 1);
    }
}

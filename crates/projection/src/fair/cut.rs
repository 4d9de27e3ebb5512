//! One message cut to a size: a head, the notice, a tail.
//!
//! All work is done near the cuts. Prefixes and suffixes of a size are found by measuring in bulk;
//! clusters and words are looked at where these end. Sizes add up over clusters, since how a
//! character is written depends on nothing outside its cluster.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use sref_envelope::Profile;
use sref_session::{JsStr, JsString};

use super::{clusters, ends};
use crate::Text;
use crate::notice::{digits, notice, notice_len};
use crate::text::Piece;

/// Where cuts fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// At line or word ends where one is near, else between clusters.
    Words,
    /// Between clusters.
    Clusters,
}

/// How far back a tail's text is looked at to tell where clusters begin. Only a run of flags, which
/// go in pairs from its start, can be longer and matter.
const LOOKBACK: usize = 16 << 10;

/// What follows a place and decides whether a cluster ends there: one character.
const LOOKAHEAD: usize = 4;

/// How many places for the end of the head are tried.
const TRIES: usize = 16;

/// The part of the room that may stay unused without a further try.
const SLACK: usize = 256;

/// A text cut to a size.
#[derive(Clone)]
pub(super) struct Cut<'a> {
    text: Text<'a>,
    profile: Profile,
    /// What is missing, by place.
    gap: Range<usize>,
    /// The size of head, notice and tail when they are escaped.
    cost: usize,
}

impl<'a> Cut<'a> {
    /// Cuts `text`, which is larger, such that it takes at most `limit` bytes; `None` if nothing of
    /// it could be shown.
    pub(super) fn new(text: Text<'a>, limit: usize, profile: Profile) -> Option<Self> {
        let cut = Self {
            text,
            profile,
            gap: 0..text.len(),
            cost: 0,
        };
        // Escaped text is as long as its source at least, so no fewer bytes are missing.
        let mut places = digits(text.len().saturating_sub(limit));
        let (head, tail) = cut.pieces(limit);
        let sides = Sides::new(&head, &tail, Ends::Words, profile);
        loop {
            let room = limit.checked_sub(frame_len(profile, places))?;
            let cut = cut.with(&sides, sides.split(room)?);
            if digits(cut.omitted()) <= places {
                return Some(cut);
            }
            places = digits(cut.omitted());
        }
    }

    /// The same with a longer head or a longer tail, or both, that takes at most `more` bytes more.
    pub(super) fn grown(&self, more: usize, ends: Ends) -> Self {
        let (head, tail) = self.pieces(more);
        let sides = Sides::new(&head, &tail, ends, self.profile);
        let split = Split {
            head: self.gap.start,
            tail: self.gap.end - sides.tail_offset(self.text),
        };
        self.with(&sides, sides.grown(split, more))
    }

    /// Head and tail, either with room for so many bytes more, and what tells where clusters end.
    fn pieces(&self, more: usize) -> (Piece<'a>, Piece<'a>) {
        let tail = self.text.len() - self.gap.end;
        (
            self.text.head(self.gap.start + more + LOOKAHEAD),
            self.text.tail(tail + more + LOOKBACK),
        )
    }

    /// The same text, cut elsewhere.
    fn with(&self, sides: &Sides<'_>, split: Split) -> Self {
        let head = sides.head.text.slice(0..split.head);
        let tail = sides.tail.text.slice(split.tail..sides.tail.text.len());
        let kept = self.profile.escaped_len(head) + self.profile.escaped_len(tail);
        let gap = split.head..split.tail + sides.tail_offset(self.text);
        Self {
            text: self.text,
            profile: self.profile,
            cost: kept + frame_len(self.profile, digits(gap.len())),
            gap,
        }
    }

    /// The size of the text as shown, escaped.
    pub(super) const fn cost(&self) -> usize {
        self.cost
    }

    /// Bytes of the original that are missing.
    pub(super) const fn omitted(&self) -> usize {
        self.gap.end - self.gap.start
    }

    /// The text as shown.
    pub(super) fn build(&self) -> JsString {
        let mut shown = self.text.head(self.gap.start).as_js_str().to_js_string();
        shown.push_str("\n");
        shown.push_str(&notice(self.omitted()));
        shown.push_str("\n");
        let tail = self.text.tail(self.text.len() - self.gap.end);
        shown.push(tail.as_js_str());
        shown
    }
}

/// The size of the notice with the line ends around it, escaped.
fn frame_len(profile: Profile, digits: usize) -> usize {
    2 * profile.escaped_len("\n".into()) + notice_len(digits)
}

/// One end of the text, long enough to be cut in.
struct Side<'t> {
    text: JsStr<'t>,
    /// The same as plain text, for finding clusters and words.
    plain: Cow<'t, str>,
}

impl<'t> Side<'t> {
    fn new(piece: &'t Piece<'_>) -> Self {
        let text = piece.as_js_str();
        let plain = text
            .as_str()
            .map_or_else(|| stand_ins(text).into(), Cow::from);
        Self { text, plain }
    }
}

/// The text with each lone surrogate replaced by a character that is to clusters and words what a
/// surrogate is, and as long: ZERO WIDTH SPACE.
fn stand_ins(text: JsStr<'_>) -> String {
    let mut plain = String::with_capacity(text.len());
    for (run, surrogate) in text.chunks() {
        plain.push_str(run);
        plain.extend(surrogate.map(|_| '\u{200B}'));
    }
    plain
}

/// A place in a side, and what is kept there, in escaped bytes from where the work began.
#[derive(Debug, Clone, Copy)]
struct Edge {
    at: usize,
    cost: usize,
}

impl Edge {
    /// A place where work begins.
    const fn at(at: usize) -> Self {
        Self { at, cost: 0 }
    }
}

/// Where the head ends and the tail starts, each in its side.
#[derive(Debug, Clone, Copy)]
struct Split {
    head: usize,
    tail: usize,
}

struct Sides<'t> {
    head: Side<'t>,
    tail: Side<'t>,
    profile: Profile,
    ends: Ends,
}

impl<'t> Sides<'t> {
    fn new(head: &'t Piece<'_>, tail: &'t Piece<'_>, ends: Ends, profile: Profile) -> Self {
        Self {
            head: Side::new(head),
            tail: Side::new(tail),
            profile,
            ends,
        }
    }

    /// Where the tail's side starts in the text.
    const fn tail_offset(&self, text: Text<'_>) -> usize {
        text.len() - self.tail.text.len()
    }

    /// Two sides that take at most `room` bytes together, and nearly that.
    ///
    /// The head gets half and ends at a word; the tail gets the rest and starts at one. The tail's
    /// word can leave bytes over. Then the head is tried some words shorter, which lets the tail
    /// reach further by another measure, and the best pair wins.
    fn split(&self, room: usize) -> Option<Split> {
        let slack = room / SLACK;
        let (start, end) = (Edge::at(0), Edge::at(self.tail.text.len()));
        let mut head = self.settle_head(start, self.longer_head(start, room.div_ceil(2)));
        let mut reach = self.longer_tail(end, room - head.cost);
        let mut best: Option<(usize, Split)> = None;
        for _ in 0..TRIES {
            let tail = self.settle_tail(end, reach);
            // Where the tail's next cluster is too large for it, the head gets the rest.
            let longer = self.longer_head(head, room - head.cost - tail.cost);
            let longer = self.settle_head(head, longer);
            let left = room - longer.cost - tail.cost;
            if best.is_none_or(|(least, _)| left < least) {
                let split = Split {
                    head: longer.at,
                    tail: tail.at,
                };
                best = Some((left, split));
            }
            // More than words and characters leave: one cluster is too large, and others do not help.
            if left <= slack || left > room / 8 || head.at == 0 {
                break;
            }
            head = self.settle_head(start, self.shorter_head(head));
            reach = self.longer_tail(reach, room - head.cost - reach.cost);
        }
        best.map(|(_, split)| split)
            .filter(|split| split.head > start.at || split.tail < end.at)
            .or_else(|| self.split_characters(room))
    }

    /// The same sides, longer where that takes at most `more` bytes more.
    fn grown(&self, split: Split, more: usize) -> Split {
        let (head, tail) = (Edge::at(split.head), Edge::at(split.tail));
        let longer = self.settle_head(head, self.longer_head(head, more));
        let reach = self.longer_tail(tail, more - longer.cost);
        Split {
            head: longer.at,
            tail: self.settle_tail(tail, reach).at,
        }
    }

    /// The same where no whole cluster fits: between characters.
    fn split_characters(&self, room: usize) -> Option<Split> {
        // Half of the room can be too little for one character.
        [room.div_ceil(2), room].into_iter().find_map(|limit| {
            let head = self.profile.prefix_within(self.head.text, limit);
            let cost = self.profile.escaped_len(self.head.text.slice(0..head));
            let tail = self.profile.suffix_within(self.tail.text, room - cost);
            (head > 0 || tail < self.tail.text.len()).then_some(Split { head, tail })
        })
    }

    /// The head made longer by whole clusters that cost at most `more`.
    fn longer_head(&self, head: Edge, more: usize) -> Edge {
        let Side { text, plain } = &self.head;
        let end = text.ceil_boundary(head.at.saturating_add(more));
        let at = head.at + self.profile.prefix_within(text.slice(head.at..end), more);
        // A head that ends inside a cluster stays there.
        let at = clusters::floor(plain, at).max(head.at);
        let cost = head.cost + self.profile.escaped_len(text.slice(head.at..at));
        Edge { at, cost }
    }

    /// The head without its last cluster.
    fn shorter_head(&self, head: Edge) -> Edge {
        let before = self.head.text.floor_boundary(head.at - 1);
        self.head_up_to(head, clusters::floor(&self.head.plain, before))
    }

    /// The head up to the end where it is cut, but not shorter than `least`.
    fn settle_head(&self, least: Edge, head: Edge) -> Edge {
        match self.ends {
            Ends::Clusters => head,
            Ends::Words => match ends::before(&self.head.plain, head.at) {
                at if at > least.at => self.head_up_to(head, at),
                _ => least,
            },
        }
    }

    fn head_up_to(&self, head: Edge, at: usize) -> Edge {
        let cost = head.cost - self.profile.escaped_len(self.head.text.slice(at..head.at));
        Edge { at, cost }
    }

    /// The tail made longer by whole clusters that cost at most `more`.
    fn longer_tail(&self, tail: Edge, more: usize) -> Edge {
        let Side { text, plain } = &self.tail;
        let start = text.floor_boundary(tail.at.saturating_sub(more));
        let part = text.slice(start..tail.at);
        let at = start + self.profile.suffix_within(part, more);
        let at = clusters::ceil(plain, at).min(tail.at);
        let cost = tail.cost + self.profile.escaped_len(text.slice(at..tail.at));
        Edge { at, cost }
    }

    /// The tail from the start where it is cut, but not shorter than `least`.
    fn settle_tail(&self, least: Edge, tail: Edge) -> Edge {
        match self.ends {
            Ends::Clusters => tail,
            Ends::Words => match ends::after(&self.tail.plain, tail.at) {
                at if at < least.at => {
                    let lost = self.profile.escaped_len(self.tail.text.slice(tail.at..at));
                    let cost = tail.cost - lost;
                    Edge { at, cost }
                }
                _ => least,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "word ",
            "a ",
            "\n",
            "line of text\n",
            "x",
            "unbroken",
            "日本",
            "<",
            "👩\u{200D}👩",
            "\u{301}",
        ]);
        prop::collection::vec((part, 1_usize..80), 1..24).prop_map(|parts| {
            let parts = parts.into_iter().map(|(part, times)| part.repeat(times));
            parts.collect::<Vec<_>>().concat()
        })
    }

    proptest! {
        /// Growing keeps what was shown, and takes no more than was given.
        #[test]
        fn a_cut_only_grows(text in text(), limit in 40_usize..4_000, more in 0_usize..60) {
            for profile in [Profile::Plain, Profile::Hardened] {
                let whole = profile.escaped_len(text.as_str().into());
                if whole <= limit + more {
                    continue;
                }
                let Some(cut) = Cut::new(text.as_str().into(), limit, profile) else {
                    continue;
                };
                prop_assert!(cut.cost <= limit);
                prop_assert_eq!(profile.escaped_len(cut.build().as_js_str()), cut.cost);
                for ends in [Ends::Words, Ends::Clusters] {
                    let grown = cut.grown(more, ends);
                    prop_assert!(grown.gap.start >= cut.gap.start && grown.gap.end <= cut.gap.end);
                    prop_assert!(grown.cost <= cut.cost + more);
                    prop_assert_eq!(profile.escaped_len(grown.build().as_js_str()), grown.cost);
                }
            }
        }
    }

    /// A line end that is too far from one cut can be near enough to a shorter one.
    #[test]
    fn a_preferred_line_end_does_not_take_a_word_back() {
        let text = format!("{}\nab {}", "x".repeat(2_000), "y".repeat(9_000));
        let cut = |head| Cut {
            text: text.as_str().into(),
            profile: Profile::Plain,
            gap: head..text.len(),
            cost: 0,
        };
        let word = 2_000 + "\nab".len();
        assert_eq!(cut(word).grown(1, Ends::Words).gap.start, word);
    }

    /// Where half of the room is too little for a character, it gets all.
    #[test]
    fn a_single_character_is_shown_if_it_fits() {
        let text = format!("👩{}\u{E0041}", "\u{301}".repeat(500));
        let frame = frame_len(Profile::Hardened, digits(text.len()));
        let shown = |limit| {
            let cut = Cut::new(text.as_str().into(), limit, Profile::Hardened)?;
            Some((cut.gap.start, text.len() - cut.gap.end))
        };
        assert_eq!(shown(frame + 3), None);
        assert_eq!(shown(frame + 4), Some((4, 0)));
        assert_eq!(shown(frame), None);
        assert_eq!(shown(0), None);
    }
}

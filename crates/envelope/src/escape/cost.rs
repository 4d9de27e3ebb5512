//! How long text becomes, without writing it.

use core::ops::Range;

use super::{UNIT, ascii, hidden, marks};

/// The text that is measured at once. Its end is where a measurement can stop early.
const BLOCK: usize = 1024;

/// Bytes that are added up side by side.
const LANES: usize = 32;

// A lane adds at most 5 for each of its bytes of a block, and must hold the sum in a byte.
const _: () = assert!(5 * BLOCK.div_ceil(LANES) <= u8::MAX as usize);

/// A prefix of a text, and the size of its escaped form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Where the prefix ends.
    pub(crate) end: usize,
    /// What it takes, escaped as it stands in the text.
    pub(crate) cost: usize,
}

/// The longest prefix whose characters take at most `limit` bytes, each escaped as it stands in the
/// text. Looks at no more than about `limit` bytes.
pub(crate) fn fit<const HARDENED: bool>(text: &str, limit: usize) -> Fit {
    let mut fit = Fit { end: 0, cost: 0 };
    while fit.end < text.len() {
        // No character becomes shorter, so what is left of the limit bounds the block, too.
        let longest = BLOCK.min(limit - fit.cost);
        let end = floor_boundary(text, fit.end.saturating_add(longest));
        let cost = block_cost::<HARDENED>(text, fit.end..end);
        if end == fit.end || cost > limit - fit.cost {
            return fit_characters::<HARDENED>(text, fit, limit);
        }
        fit.end = end;
        fit.cost += cost;
    }
    fit
}

fn fit_characters<const HARDENED: bool>(text: &str, mut fit: Fit, limit: usize) -> Fit {
    for c in text[fit.end..].chars() {
        let cost = char_cost::<HARDENED>(text, fit.end, c);
        if cost > limit - fit.cost {
            break;
        }
        fit.end += c.len_utf8();
        fit.cost += cost;
    }
    fit
}

/// The longest prefix that takes at most `limit` bytes when it is escaped alone.
pub(crate) fn prefix<const HARDENED: bool>(text: &str, limit: usize) -> Fit {
    let mut fit = fit::<HARDENED>(text, limit);
    // Only a joiner at the end misses what stood after it. What stood before it misses nothing.
    let lost = lost_context::<HARDENED>(text, 0..fit.end);
    if lost <= limit - fit.cost {
        fit.cost += lost;
    } else if let Some(c) = text[..fit.end].chars().next_back() {
        fit.end -= c.len_utf8();
        fit.cost -= char_cost::<HARDENED>(text, fit.end, c);
    }
    fit
}

/// The start of the longest suffix that takes at most `limit` bytes when it is escaped alone, and
/// what it takes.
pub(crate) fn suffix<const HARDENED: bool>(text: &str, limit: usize) -> (usize, usize) {
    let total = fit::<HARDENED>(text, usize::MAX).cost;
    if total <= limit {
        return (0, total);
    }
    // The first cut that could be enough lies after the next character.
    let mut cut = fit::<HARDENED>(text, total - limit - 1);
    for c in text[cut.end..].chars() {
        cut.cost += char_cost::<HARDENED>(text, cut.end, c);
        cut.end += c.len_utf8();
        let rest = total - cut.cost + lost_context::<HARDENED>(text, cut.end..text.len());
        if rest <= limit {
            return (cut.end, rest);
        }
    }
    (text.len(), 0)
}

/// By how much `part` of `text` becomes longer when it is cut out, since characters at its ends
/// lose what they stood next to.
fn lost_context<const HARDENED: bool>(text: &str, part: Range<usize>) -> usize {
    if !HARDENED {
        return 0;
    }
    let alone = &text[part.clone()];
    // A character depends on two before it and one after it: the first two and the last can lose.
    let mut ends = alone.char_indices();
    [ends.next(), ends.next(), ends.next_back()]
        .into_iter()
        .flatten()
        .map(|(at, c)| {
            char_cost::<HARDENED>(alone, at, c) - char_cost::<HARDENED>(text, part.start + at, c)
        })
        .sum()
}

fn char_cost<const HARDENED: bool>(text: &str, at: usize, c: char) -> usize {
    if let Ok(byte) = u8::try_from(c)
        && byte < 0x80
    {
        1 + usize::from(ascii::growth::<HARDENED>(byte))
    } else if HARDENED && hidden::is_escaped(text, at, c) {
        UNIT * c.len_utf16()
    } else {
        c.len_utf8()
    }
}

fn block_cost<const HARDENED: bool>(text: &str, block: Range<usize>) -> usize {
    let bytes = &text.as_bytes()[block.clone()];
    let mut growth = [0_u8; LANES];
    let mut union = [0_u8; LANES];
    let (lines, rest) = bytes.as_chunks::<LANES>();
    for line in lines {
        for lane in 0..LANES {
            growth[lane] += ascii::growth::<HARDENED>(line[lane]);
            union[lane] |= line[lane];
        }
    }
    for (lane, byte) in rest.iter().enumerate() {
        growth[lane] += ascii::growth::<HARDENED>(*byte);
        union[lane] |= byte;
    }
    let mut cost = bytes.len() + growth.iter().copied().map(usize::from).sum::<usize>();
    if HARDENED && !union.is_ascii() {
        cost += hidden_growth(text, block);
    }
    cost
}

/// By how much the hidden characters of a block become longer.
fn hidden_growth(text: &str, block: Range<usize>) -> usize {
    marks::starts(&text.as_bytes()[block.clone()])
        .filter_map(|at| hidden::escaped_at(text, block.start + at))
        .map(|c| UNIT * c.len_utf16() - c.len_utf8())
        .sum()
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

//! The scanner's inner loops: runs of bytes inside strings and arrays.

/// JSON's white space.
pub(super) const fn is_white(byte: u8) -> bool {
    byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where a string ends, behind its closing quote, if one whose escapes have one character each
/// begins here.
#[inline]
pub(super) fn simple_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut end = plain_end(bytes, at + 1);
    loop {
        match (bytes.get(end)?, bytes.get(end + 1)) {
            (b'"', _) => return Some(end + 1),
            (b'\\', Some(mark)) if is_simple_escape(*mark) => end = plain_end(bytes, end + 2),
            _ => return None,
        }
    }
}

/// Whether a backslash and this byte are an escape of their own.
pub(super) const fn is_simple_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// A few digits that are all of an element, and where the comma or bracket behind them stands.
#[inline]
pub(super) fn short_integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    const fn digit(byte: u8) -> i64 {
        (byte - b'0') as i64
    }
    match bytes.get(start..)? {
        [a @ b'0'..=b'9', b',' | b']', ..] => Some((digit(*a), start + 1)),
        [a @ b'1'..=b'9', b @ b'0'..=b'9', b',' | b']', ..] => {
            Some((digit(*a) * 10 + digit(*b), start + 2))
        }
        [
            a @ b'1'..=b'9',
            b @ b'0'..=b'9',
            c @ b'0'..=b'9',
            b',' | b']',
            ..,
        ] => Some(((digit(*a) * 10 + digit(*b)) * 10 + digit(*c), start + 3)),
        _ => None,
    }
}

/// Where, from `at` on, the first quote or backslash stands, or the end. Controls in between are
/// the caller's to refuse.
#[inline]
pub(super) fn mark_after(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    // Escapes often stand close together.
    if let Some(word) = rest.first_chunk::<8>() {
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
    }
    at + memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len())
}

/// Where the first control stands.
pub(super) fn control_in(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 64;
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let clean = blocks
        .iter()
        .take_while(|block| {
            // Without a branch, so that a block becomes vectors.
            let least = block.iter().fold(0xFF, |least, byte| least.min(*byte));
            least >= 0x20
        })
        .count();
    let from = clean * BLOCK;
    let rest = if clean < blocks.len() {
        &bytes[from..]
    } else {
        rest
    };
    Some(from + rest.iter().position(|byte| *byte < 0x20)?)
}

/// Where, from `at` on, the first byte stands that is `"`, `\` or a control.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "a call costs as much as the few bytes of most strings"
)]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    // A few words first, since most runs are short.
    for _ in 0..4 {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else {
            return plain_end_bytewise(bytes, at);
        };
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    plain_end_of_long(bytes, at)
}

/// The same for a run that is not short: a few more words, then blocks, for which the compiler uses
/// vectors, and words again.
#[inline(never)]
fn plain_end_of_long(bytes: &[u8], mut at: usize) -> usize {
    const BLOCK: usize = 64;
    let mut words = 0;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
        words += 1;
        if words == BLOCK / 8 {
            at = plain_blocks_end::<BLOCK>(bytes, at);
        }
    }
    plain_end_bytewise(bytes, at)
}

/// Where the first block stands that has a special byte, or none is left.
fn plain_blocks_end<const BLOCK: usize>(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let special = block
            .iter()
            .fold(0, |special, byte| special | u8::from(is_special(*byte)));
        if special != 0 {
            break;
        }
        at += BLOCK;
    }
    at
}

#[inline(never)]
fn plain_end_bytewise(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let plain = rest.iter().take_while(|byte| !is_special(**byte)).count();
    at + plain
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch, so that a block of them becomes vectors"
)]
const fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// The top bit of each byte of a word that is special. The lowest set bit is exact; a borrow can
/// set bits above it only.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    // A byte beyond ASCII sets its bit in all three, and is none of them.
    (quote | backslash | control) & !word & TOPS
}

//! The scanner's inner loops: runs of bytes inside strings and arrays.

use super::error::JsonErrorKind;

/// JSON's white space.
pub(super) const fn is_white(byte: u8) -> bool {
    byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// How a string ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// With its quote.
    Plain,
    /// With its quote, behind an escape.
    Escaped,
    /// Not at all.
    Fault(JsonErrorKind),
}

/// Where the closing quote of a string stands whose text begins at `at`; or what is wrong with the
/// string, and where.
#[inline(never)]
pub(super) fn string_end(bytes: &[u8], at: usize) -> (usize, Close) {
    // Most strings of a log are short and plain.
    let end = plain_end(bytes, at);
    if bytes.get(end) == Some(&b'"') {
        (end, Close::Plain)
    } else {
        unusual_end(bytes, end)
    }
}

/// The same from a byte on that is neither plain nor the quote.
#[inline(never)]
fn unusual_end(bytes: &[u8], mut at: usize) -> (usize, Close) {
    while let Some(block) = chunk::<BLOCK>(bytes, at) {
        let start = at;
        let mut marks = special_bits(block);
        at += BLOCK;
        while marks != 0 {
            let mark = start + marks.trailing_zeros() as usize;
            match bytes[mark] {
                b'"' => return (mark, Close::Escaped),
                b'\\' => {
                    let end = match escape_end(bytes, mark) {
                        Ok(end) => end,
                        Err(kind) => return (mark, Close::Fault(kind)),
                    };
                    if end >= start + BLOCK {
                        at = end;
                        break;
                    }
                    marks &= u64::MAX << (end - start);
                }
                _ => return (mark, Close::Fault(JsonErrorKind::Control)),
            }
        }
    }
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return (at, Close::Escaped),
            Some(b'\\') => match escape_end(bytes, at) {
                Ok(end) => at = end,
                Err(kind) => return (at, Close::Fault(kind)),
            },
            Some(_) => return (at, Close::Fault(JsonErrorKind::Control)),
            None => return (at, Close::Fault(JsonErrorKind::End)),
        }
    }
}

/// Where an escape that begins here ends.
#[inline]
fn escape_end(bytes: &[u8], at: usize) -> Result<usize, JsonErrorKind> {
    match bytes.get(at + 1) {
        Some(mark) if is_simple_escape(*mark) => Ok(at + 2),
        Some(b'u') => unicode_escape_end(bytes, at),
        Some(_) => Err(JsonErrorKind::Escape),
        None => Err(JsonErrorKind::End),
    }
}

/// Whether a backslash and this byte are an escape of their own.
const fn is_simple_escape(byte: u8) -> bool {
    const SIMPLE: [bool; 256] = {
        let (marks, mut simple, mut at) = (b"\"\\/bfnrt", [false; 256], 0);
        while at < marks.len() {
            simple[marks[at] as usize] = true;
            at += 1;
        }
        simple
    };
    SIMPLE[byte as usize]
}

#[inline(never)]
fn unicode_escape_end(bytes: &[u8], at: usize) -> Result<usize, JsonErrorKind> {
    let digits = &bytes[at + 2..bytes.len().min(at + 6)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(JsonErrorKind::Escape);
    }
    if digits.len() < 4 {
        return Err(JsonErrorKind::End);
    }
    Ok(at + 6)
}

/// Passes short strings that stand as writers put them, a comma behind each and then another:
/// tells how many, and where that other one begins.
///
/// A string must begin at `at`.
#[inline]
pub(super) fn strings_before_another(bytes: &[u8], at: usize) -> (u64, usize) {
    let (mut count, mut next) = (0, at);
    let mut at = at + 1;
    while let Some(window) = chunk::<16>(bytes, at) {
        let Some(word) = window.first_chunk::<8>() else {
            break;
        };
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks == 0 {
            at += 8;
            continue;
        }
        let mark = marks.trailing_zeros() as usize / 8;
        at += mark;
        if window[mark..].starts_with(b"\",\"") {
            count += 1;
            next = at + 2;
            at += 3;
        } else if window[mark] == b'\\'
            && let Ok(end) = escape_end(bytes, at)
        {
            at = end;
        } else {
            break;
        }
    }
    (count, next)
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

/// Where, from `at` on, the first byte stands that is `"`, `\` or a control.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "a call costs as much as the few bytes of most strings"
)]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    // Two words first, since most runs are short.
    for _ in 0..2 {
        let Some(word) = chunk::<8>(bytes, at) else {
            return plain_end_of_last(bytes, at);
        };
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    plain_end_of_long(bytes, at)
}

/// The same for a run that is not short.
#[inline(never)]
fn plain_end_of_long(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = chunk::<BLOCK>(bytes, at) {
        let marks = special_bits(block);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    while let Some(word) = chunk::<8>(bytes, at) {
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    plain_end_of_last(bytes, at)
}

/// The same where only a few bytes are left.
#[inline(never)]
fn plain_end_of_last(bytes: &[u8], mut at: usize) -> usize {
    if let Some(word) = chunk::<8>(bytes, at) {
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| !is_special(**byte)).count()
}

#[inline]
fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk()
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch, so that a block of them becomes vectors"
)]
const fn is_special(byte: u8) -> bool {
    // With this bit the other way the quote comes right behind the controls.
    (byte ^ 0x02 <= 0x20) | (byte == b'\\')
}

/// How many bytes are looked at together: one bit of a word for each.
const BLOCK: usize = 64;

/// Which bytes of a block are special, the first one in the lowest bit.
#[inline]
fn special_bits(block: &[u8; BLOCK]) -> u64 {
    // In two loops, so that the first one becomes vectors.
    let marks: [u8; BLOCK] = core::array::from_fn(|at| u8::from(is_special(block[at])));
    let (words, _) = marks.as_chunks::<8>();
    let mut bits = 0;
    for (at, word) in words.iter().enumerate() {
        // The lowest bits of eight bytes meet in the top byte.
        let byte = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= byte << (8 * at);
    }
    bits
}

/// The top bit of each byte of a word that is special. The lowest set bit is exact; a borrow can
/// set bits above it only.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    // With this bit the other way the quote comes right behind the controls.
    let low = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    // A byte beyond ASCII can set its bit in both, and is none of them.
    (low | backslash) & !word & TOPS
}

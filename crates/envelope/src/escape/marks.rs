//! The places of a text that need a look, found many at once.

use super::{ascii, hidden};

/// Bytes that are judged side by side.
const LINE: usize = 32;
const WORD: usize = size_of::<u64>();

/// The places of all bytes that `judge` picks, in order. It sees each byte with the one after it.
///
/// `judge` must be arithmetic without branches, so that a line of bytes is judged by a few vector
/// instructions.
#[inline]
fn places(bytes: &[u8], judge: impl Fn(u8, u8) -> bool) -> impl Iterator<Item = usize> {
    (0..bytes.len()).step_by(LINE).flat_map(move |start| {
        let mut marks = [0_u8; LINE];
        let (line, next) = (&bytes[start..], &bytes[start + 1..]);
        if let (Some(line), Some(next)) = (line.first_chunk::<LINE>(), next.first_chunk::<LINE>()) {
            for lane in 0..LINE {
                marks[lane] = judge(line[lane], next[lane]).into();
            }
        } else {
            let next = next.iter().chain(&[0]);
            for (mark, (byte, next)) in marks.iter_mut().zip(line.iter().zip(next)) {
                *mark = judge(*byte, *next).into();
            }
        }
        let (words, _) = marks.as_chunks::<WORD>();
        let words: [u64; LINE / WORD] = core::array::from_fn(|at| u64::from_le_bytes(words[at]));
        (start..)
            .step_by(WORD)
            .zip(words)
            .flat_map(|(start, marks)| Bits(marks).map(move |bit| start + bit / 8))
    })
}

/// The numbers of the bits that are set.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}

/// Where an ASCII byte is escaped, or a character starts that may be.
pub(super) fn escapes<const HARDENED: bool>(bytes: &[u8]) -> impl Iterator<Item = usize> {
    places(bytes, |byte, next| {
        (ascii::growth::<HARDENED>(byte) != 0) | (HARDENED & hidden::may_start(byte, next))
    })
}

/// Where a character beyond ASCII starts that may be escaped in the hardened profile.
pub(super) fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    places(bytes, hidden::may_start)
}

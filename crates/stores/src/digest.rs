//! A 128-bit digest of JSON, for telling equal from different without keeping either.
//!
//! Not cryptographic: the worst that a crafted collision does is to let a tool result be rewritten
//! that the reference would refuse to rewrite.

/// A hash over a stream of bytes; how the stream is cut into writes does not matter.
#[derive(Debug, Clone)]
pub(crate) struct Digest {
    low: u64,
    high: u64,
    pending: [u8; 8],
    length: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            low: 0x9E37_79B9_7F4A_7C15,
            high: 0xC2B2_AE3D_27D4_EB4F,
            pending: [0; 8],
            length: 0,
        }
    }
}

impl Digest {
    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        while let Some(byte) = bytes.first() {
            let filled = (self.length % 8) as usize;
            if filled == 0
                && let Some((word, rest)) = bytes.split_first_chunk::<8>()
            {
                self.word(u64::from_le_bytes(*word));
                self.length += 8;
                bytes = rest;
                continue;
            }
            self.pending[filled] = *byte;
            self.length += 1;
            bytes = &bytes[1..];
            if filled == 7 {
                self.word(u64::from_le_bytes(self.pending));
            }
        }
    }

    pub(crate) fn finish(mut self) -> u128 {
        self.pending[(self.length % 8) as usize..].fill(0);
        self.word(u64::from_le_bytes(self.pending));
        self.end()
    }

    fn end(mut self) -> u128 {
        self.word(self.length);
        (u128::from(self.high) << 64) | u128::from(self.low)
    }

    fn word(&mut self, word: u64) {
        self.low = fold(self.low ^ word, 0xFF51_AFD7_ED55_8CCD);
        self.high = fold(self.high ^ word, 0xC4CE_B9FE_1A85_EC53);
    }
}

/// Both halves of the 128-bit product in one word.
const fn fold(a: u64, b: u64) -> u64 {
    let product = (a as u128) * (b as u128);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the halves are what is wanted"
    )]
    {
        (product as u64) ^ ((product >> 64) as u64)
    }
}

/// The digest of one string of bytes: that of a [`Digest`] which takes them.
pub(crate) fn digest(bytes: &[u8]) -> u128 {
    let mut digest = Digest::default();
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        digest.word(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    digest.word(u64::from_le_bytes(last));
    digest.length = bytes.len() as u64;
    digest.end()
}

/// The digest of a pair.
pub(crate) fn pair(first: u128, second: u128) -> u128 {
    let mut digest = Digest::default();
    for half in [first, first >> 64, second, second >> 64] {
        #[expect(clippy::cast_possible_truncation, reason = "half by half")]
        digest.word(half as u64);
    }
    digest.end()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cuts_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..40), cuts in prop::collection::vec(0_usize..40, 0..4)) {
            let mut streamed = Digest::default();
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                let to = cut.min(bytes.len()).max(from);
                streamed.write(&bytes[from..to]);
                from = to;
            }
            prop_assert_eq!(streamed.finish(), digest(&bytes));
        }
    }

    #[test]
    fn different_bytes_have_different_digests() {
        let mut seen = HashSet::new();
        for length in 0..64 {
            assert!(seen.insert(digest(&vec![0; length])));
        }
        for bit in 0..64 * 8 {
            let mut bytes = [0; 64];
            bytes[bit / 8] = 1 << (bit % 8);
            assert!(seen.insert(digest(&bytes)), "bit {bit}");
        }
    }
}

//! WTF-8: UTF-8 that may also hold the three-byte form of a surrogate that has no partner.

use alloc::vec::Vec;

use thiserror::Error;

/// Bytes that are not WTF-8.
///
/// Returned by [`JsString::from_wtf8`](crate::JsString::from_wtf8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not WTF-8 from byte {offset}")]
pub struct Wtf8Error {
    pub(crate) offset: usize,
}

impl Wtf8Error {
    /// The length of the longest prefix that is WTF-8.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

/// The surrogate whose three-byte form starts at `at`, if one does.
pub(crate) fn surrogate_at(bytes: &[u8], at: usize) -> Option<u16> {
    match bytes.get(at..at + 3)? {
        &[0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF] => {
            Some(0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

/// How many surrogates stand in WTF-8.
pub(crate) fn count_surrogates(bytes: &[u8]) -> usize {
    memchr::memchr_iter(0xED, bytes)
        .filter(|at| surrogate_at(bytes, *at).is_some())
        .count()
}

pub(crate) const fn is_high(unit: u16) -> bool {
    matches!(unit, 0xD800..=0xDBFF)
}

pub(crate) const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}

/// Joins a surrogate pair.
pub(crate) const fn join(high: u16, low: u16) -> u32 {
    0x1_0000 + (((high as u32) & 0x3FF) << 10) + ((low as u32) & 0x3FF)
}

/// Appends a code point, a surrogate included, in its generalised UTF-8 form.
pub(crate) fn push_code_point(out: &mut Vec<u8>, code_point: u32) {
    if let Some(c) = char::from_u32(code_point) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let [.., high, low] = code_point.to_be_bytes();
        out.extend_from_slice(&[
            0xE0 | (high >> 4),
            0x80 | ((high & 0x0F) << 2) | (low >> 6),
            0x80 | (low & 0x3F),
        ]);
    }
}

/// Checks that `bytes` are WTF-8 and tells whether they hold a surrogate.
///
/// Well-formed also means that no high surrogate is followed by a low one: the pair has a four-byte
/// form, and one text must have one spelling.
pub(crate) fn validate(bytes: &[u8]) -> Result<bool, Wtf8Error> {
    let mut start = 0;
    let mut after_high = None;
    let mut surrogates = false;
    while let Err(error) = core::str::from_utf8(&bytes[start..]) {
        let at = start + error.valid_up_to();
        let unit = surrogate_at(bytes, at).ok_or(Wtf8Error { offset: at })?;
        if is_low(unit) && after_high == Some(at) {
            return Err(Wtf8Error { offset: at });
        }
        surrogates = true;
        start = at + 3;
        after_high = is_high(unit).then_some(start);
    }
    Ok(surrogates)
}

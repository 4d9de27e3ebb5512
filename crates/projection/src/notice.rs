//! The notice of what a text misses.

use alloc::format;
use alloc::string::String;

/// The notice for so many bytes, the same in both retentions.
pub(crate) fn notice(omitted: usize) -> String {
    format!("[… omitted {omitted} UTF-8 bytes …]")
}

/// The size of a notice whose number has so many digits. It is the same when it is escaped.
pub(crate) const fn notice_len(digits: usize) -> usize {
    "[… omitted  UTF-8 bytes …]".len() + digits
}

/// How many decimal digits a number has.
pub(crate) fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use sref_envelope::Profile;

    use super::*;

    #[test]
    fn a_notice_has_the_size_that_is_foretold() {
        for omitted in [0, 1, 9, 10, 99, 100, 12_345, usize::MAX] {
            let notice = notice(omitted);
            assert_eq!(notice.len(), notice_len(digits(omitted)));
            for profile in [Profile::Plain, Profile::Hardened] {
                assert_eq!(profile.escaped_len(notice.as_str().into()), notice.len());
            }
        }
    }
}

use super::Units;

/// Lower case by the root locale, as JavaScript's `toLowerCase` writes it.
///
/// `str::to_lowercase` follows the same rules, final sigma and `İ` included. A lone surrogate is
/// neither a letter nor ignorable, so a text may be cut at one.
pub(super) fn normalise(out: &mut Units, text: &str) {
    for c in text.to_lowercase().chars() {
        out.push(c);
    }
}

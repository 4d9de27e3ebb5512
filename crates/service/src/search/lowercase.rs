use super::Units;

/// Lower case by the root locale, as JavaScript's `toLowerCase` writes it.
///
/// `str::to_lowercase` follows the same rules, final sigma and `İ` included. A lone surrogate is
/// neither a letter nor ignorable, so a text may be cut at one.
pub(super) fn normalise(out: &mut Units, text: &str) {
    // The capital sigma alone looks at its neighbours; without one nothing needs to be allocated.
    if text.contains('Σ') {
        text.to_lowercase().chars().for_each(|c| out.push(c));
    } else {
        let lower = text.chars().flat_map(char::to_lowercase);
        lower.for_each(|c| out.push(c));
    }
}

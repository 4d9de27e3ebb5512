use icu_casemap::CaseMapper;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCombiningClassMap;

use super::Units;

/// Compatibility decomposition around full case folding, then without the marks above and below.
///
/// Decomposed once more, since folding can compose: `ΐ` folds to three characters, `ẞ` to two.
pub(super) fn normalise(out: &mut Units, text: &str) {
    let decompose = DecomposingNormalizerBorrowed::new_nfkd();
    let classes = CanonicalCombiningClassMap::new();
    let folded = CaseMapper::new();
    let folded = folded.fold_string(&decompose.normalize(text)).into_owned();
    for c in decompose.normalize(&folded).chars() {
        if !is_mark_above_or_below(classes.get_u8(c)) {
            out.push(c);
        }
    }
}

/// Accents and their like. Marks with a place of their own in a letter (voicing of kana, nukta,
/// vowel points: classes below 200) change what is read and stay.
const fn is_mark_above_or_below(combining_class: u8) -> bool {
    combining_class >= 200
}

use icu_casemap::CaseMapper;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCombiningClassMap;

use super::Units;

/// Compatibility decomposition, then full case folding, without the marks above and below.
///
/// Unicode's compatibility caseless match decomposes once more, in case folding has composed
/// something; of decomposed text it never does.
pub(super) fn normalise(out: &mut Units, text: &str) {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let classes = CanonicalCombiningClassMap::new();
    for c in CaseMapper::new().fold_string(&decomposed).chars() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_composes_nothing() {
        let decompose = DecomposingNormalizerBorrowed::new_nfkd();
        // Between and behind these are scripts without case.
        let blocks = [0..0x3000, 0xA000..0xAC00, 0xF900..0x1_F000];
        for c in blocks.into_iter().flatten().filter_map(char::from_u32) {
            let decomposed = decompose.normalize(c.encode_utf8(&mut [0; 4])).into_owned();
            let folded = CaseMapper::new().fold_string(&decomposed).into_owned();
            assert_eq!(decompose.normalize(&folded), folded, "{c:?}");
        }
    }
}

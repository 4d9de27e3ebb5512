//! What the tests of several modules share.

use proptest::prelude::*;
use std::prelude::v1::*;

/// UTF-16 units, so any JavaScript string: often surrogates, often what JSON or a mention escapes.
pub(crate) fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        any::<u16>(),
        0_u16..0x80,
        0xD800_u16..0xE000,
        prop::sample::select(vec![
            0x22, 0x5B, 0x5C, 0x5D, 0x28, 0x29, 0x0A, 0x2028, 0x200D
        ]),
    ];
    prop::collection::vec(unit, 0..40)
}

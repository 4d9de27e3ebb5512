//! White space as `\s` of a JavaScript pattern has it (`contract.md` §3).

/// Where the target that begins at `at` ends: at the first `)` or white space, or with the text.
pub(super) fn target_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match CLASS[*byte as usize] {
            Class::End => return at,
            Class::Lead if starts_with_white_space(&bytes[at..]) => return at,
            Class::Lead | Class::Other => at += 1,
        }
    }
    bytes.len()
}

/// Whether white space beyond ASCII stands first: U+00A0, U+FEFF, U+2028, U+2029 and category Zs.
///
/// U+0085 is not among them, nor is U+200B.
fn starts_with_white_space(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        // U+00A0
        [0xC2, 0xA0, ..]
            // U+1680
            | [0xE1, 0x9A, 0x80, ..]
            // U+2000–200A, 2028, 2029, 202F
            | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
            // U+205F
            | [0xE2, 0x81, 0x9F, ..]
            // U+3000
            | [0xE3, 0x80, 0x80, ..]
            // U+FEFF
            | [0xEF, 0xBB, 0xBF, ..]
    )
}

#[derive(Clone, Copy)]
enum Class {
    Other,
    /// ASCII white space or `)`.
    End,
    /// May begin white space beyond ASCII.
    Lead,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let ends = b"\t\n\x0B\x0C\r )";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = Class::End;
        i += 1;
    }
    let leads = [0xC2, 0xE1, 0xE2, 0xE3, 0xEF];
    let mut i = 0;
    while i < leads.len() {
        table[leads[i]] = Class::Lead;
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    /// The set as the standard lists it: `WhiteSpace` and `LineTerminator` of ECMA-262.
    fn is_js_white_space(c: char) -> bool {
        matches!(
            c,
            '\t' | '\n' | '\u{B}' | '\u{C}' | '\r' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
                ..='\u{200A}'
                    | '\u{2028}'
                    | '\u{2029}'
                    | '\u{202F}'
                    | '\u{205F}'
                    | '\u{3000}'
                    | '\u{FEFF}'
        )
    }

    #[test]
    fn every_character_is_classified_as_in_javascript() {
        for c in (0..=0x0010_FFFF).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let ends = is_js_white_space(c) || c == ')';
            let expected = if ends { 1 } else { text.len() };
            assert_eq!(target_end(text.as_bytes(), 0), expected, "{c:?}");
        }
    }

    #[test]
    fn a_lone_surrogate_is_no_white_space() {
        assert_eq!(target_end(b"\xED\xA0\x80 ", 0), 3);
    }
}

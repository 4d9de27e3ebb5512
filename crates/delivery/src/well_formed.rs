use alloc::string::String;
use alloc::vec::Vec;

/// JSON text in which each escape of a lone surrogate is the escape of U+FFFD: the same length, and
/// a strict reader takes it.
///
/// Our JSON keeps a lone surrogate as `\ud83d`, which JavaScript reads and most other parsers
/// refuse. Inside a hook's output it stands in a string that is escaped once more, so the output
/// itself is fine either way; a model's tools that parse what is between the tags are not.
/// Pairs stay: the hardened profile spells a hidden character beyond U+FFFF that way.
///
/// ```
/// use sref_delivery::well_formed;
///
/// assert_eq!(well_formed(r#"["\ud83d","\udb40\udc41","\\ud83d"]"#.into()), r#"["\ufffd","\udb40\udc41","\\ud83d"]"#);
/// ```
#[must_use]
pub fn well_formed(json: String) -> String {
    let mut lone: Vec<usize> = Vec::new();
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match unit(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            // Any other escape has two characters that matter: the next backslash is not in it.
            _ => at += 2,
        }
        if at >= bytes.len() {
            break;
        }
    }
    if lone.is_empty() {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut done = 0;
    for at in lone {
        out.push_str(&json[done..at]);
        out.push_str("\\ufffd");
        done = at + 6;
    }
    out.push_str(&json[done..]);
    out
}

/// The code unit of a `\uXXXX` escape at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape: &[u8; 6] = bytes.get(at..)?.first_chunk()?;
    let [b'\\', b'u', digits @ ..] = escape else {
        return None;
    };
    digits.iter().try_fold(0, |value: u16, digit| {
        let digit = (*digit as char).to_digit(16)?;
        Some((value << 4) | u16::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use sref_session::JsString;

    use super::*;

    proptest! {
        /// A strict reader takes it and finds what a lossy one would.
        #[test]
        fn a_strict_reader_takes_it(units in prop::collection::vec(prop_oneof![
            Just(0x5C_u16), Just(0x75_u16), 0xD800_u16..0xE000, 0x30_u16..0x70, any::<u16>(),
        ], 0..40)) {
            let text = JsString::from_utf16(units);
            let json = text.to_json();
            let length = json.len();
            let made = well_formed(json);
            prop_assert_eq!(made.len(), length);
            let read: String = serde_json::from_str(&made).unwrap();
            prop_assert_eq!(read, text.to_string_lossy());
        }

        /// Pairs that are spelled as escapes stay, whatever stands around them.
        #[test]
        fn pairs_stay(units in prop::collection::vec(prop_oneof![0xD800_u16..0xDC00, 0xDC00_u16..0xE000, Just(0x61_u16)], 0..12)) {
            use core::fmt::Write as _;
            let mut json = String::from("\"");
            for unit in &units {
                let _ = write!(json, "\\u{unit:04X}");
            }
            json.push('"');
            let read: String = serde_json::from_str(&well_formed(json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }

        #[test]
        fn any_text_is_taken(text in "[\\\\ud8a-f0-9\u{E9}]{0,20}") {
            prop_assert_eq!(well_formed(text.clone()).len(), text.len());
        }
    }
}

//! ASCII: the escape of each byte.

use alloc::string::String;

/// Appends the escape of an ASCII byte that has one.
///
/// Each arm is a text of constant length: the common ones are a store, not a call.
#[inline]
pub(super) fn write_escape(out: &mut String, byte: u8) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        0x08 => out.push_str("\\b"),
        0x0C => out.push_str("\\f"),
        b'<' => out.push_str("\\u003c"),
        b'>' => out.push_str("\\u003e"),
        b'&' => out.push_str("\\u0026"),
        _ => super::write_unit(out, byte.into()),
    }
}

/// By how much a byte becomes longer when it is escaped; 0 for bytes that are not.
///
/// Arithmetic without branches: loops over it are vectorised.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep the loop from being vectorised"
)]
pub(super) const fn growth<const HARDENED: bool>(byte: u8) -> u8 {
    let control = byte < 0x20;
    let short = (byte >= 0x08) & (byte <= 0x0D) & (byte != 0x0B);
    let by_one = short | (byte == b'"') | (byte == b'\\');
    let mut by_five = (control & !short) | (byte == b'<');
    if HARDENED {
        by_five |= (byte == b'>') | (byte == b'&') | (byte == 0x7F);
    }
    by_one as u8 + 5 * by_five as u8
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    fn check<const HARDENED: bool>(escaped: impl Fn(u8) -> bool) {
        for byte in 0..=0xFF {
            let mut written = String::new();
            if escaped(byte) {
                write_escape(&mut written, byte);
                let read: String = serde_json::from_str(&format!("\"{written}\"")).unwrap();
                assert_eq!(read.as_bytes(), [byte]);
            } else {
                written.push('x');
            }
            let growth = usize::from(growth::<HARDENED>(byte));
            assert_eq!(written.len() - 1, growth, "{byte:#x}");
        }
    }

    #[test]
    fn a_byte_grows_by_its_escape() {
        let plain = |byte| matches!(byte, 0..0x20 | b'"' | b'\\' | b'<');
        check::<false>(plain);
        check::<true>(|byte| plain(byte) || matches!(byte, b'>' | b'&' | 0x7F));
    }
}

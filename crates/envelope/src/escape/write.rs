//! The writing of escaped text.

use alloc::string::String;

use super::{ascii, hidden, marks};

/// Appends the escaped form of a text.
pub(crate) fn write_run<const HARDENED: bool>(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    // What lies behind it and before the next escape stands as it is, and is copied in one piece.
    let mut copied = 0;
    for at in marks::escapes::<HARDENED>(bytes) {
        if bytes[at].is_ascii() {
            out.push_str(&text[copied..at]);
            ascii::write_escape(out, bytes[at]);
            copied = at + 1;
        } else if let Some(c) = hidden::escaped_at(text, at) {
            out.push_str(&text[copied..at]);
            for unit in c.encode_utf16(&mut [0; 2]) {
                write_unit(out, *unit);
            }
            copied = at + c.len_utf8();
        }
    }
    out.push_str(&text[copied..]);
}

/// Appends a UTF-16 unit as `\uXXXX`, in lower case.
pub(crate) fn write_unit(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.extend(char::from_digit(u32::from(unit >> shift & 0xF), 16));
    }
}

use alloc::string::String;
use core::fmt::Write as _;

use super::bytes::plain_end;
use crate::JsStr;

/// Writes a text as a JSON string, byte for byte as `JSON.stringify` does.
///
/// `"`, `\` and controls below U+0020 are escaped (short forms where JSON has them, else lower-case
/// `\u00xx`), a lone surrogate is `\udxxx`, everything else stands as it is.
///
/// ```
/// use sref_session::{JsString, json};
///
/// assert_eq!(json::quote(JsString::from("a\"\n\u{1}é").as_js_str()), r#""a\"\n\u0001é""#);
/// ```
#[must_use]
pub fn quote(text: JsStr<'_>) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text);
    out
}

/// [`quote`] into a buffer.
pub fn quote_into(out: &mut String, text: JsStr<'_>) {
    out.push('"');
    for (run, surrogate) in text.chunks() {
        quote_run(out, run);
        if let Some(unit) = surrogate {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.push('"');
}

fn quote_run(out: &mut String, run: &str) {
    let bytes = run.as_bytes();
    let mut done = 0;
    loop {
        let at = plain_end(bytes, done);
        out.push_str(&run[done..at]);
        let Some(byte) = bytes.get(at) else {
            return;
        };
        done = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
}

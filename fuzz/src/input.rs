use sref_session::JsString;

/// Bytes as a text: lone surrogates where they are WTF-8, else U+FFFD for what is ill-formed.
pub(crate) fn text(data: &[u8]) -> JsString {
    JsString::from_wtf8(data.to_vec()).unwrap_or_else(|_| JsString::from_utf8_lossy(data))
}

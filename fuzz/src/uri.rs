use sref_session::json::{self, Value};
use sref_session::{Dialect, JsStr, SessionId};
use sref_uri::{Schemes, SessionUri};

use crate::input::text;

/// Any id has one URI, which reads back; any other text is refused, at a place inside it.
pub fn uri(data: &[u8]) {
    let input = text(data);
    let id = SessionId::from(input.clone());
    let uri = SessionUri::new(id.clone(), &Dialect::DSH);
    let read = SessionUri::parse(uri.as_str().into(), &Schemes::default());
    assert_eq!(read.as_ref(), Ok(&uri));
    assert_eq!(uri.id(), &id);

    parse(input.as_js_str());
    parse(format!("dsh-session:{input}").as_str().into());

    // As the bytes behind the payload, so that a fuzzer gets past base64.
    let wrapped = format!("dsh-session:{}", base64url(data));
    let id = parse(wrapped.as_str().into());
    let canonical = match json::parse(data) {
        Ok(Value::String(id)) if id.to_json().as_bytes() == data => Some(id),
        _ => None,
    };
    assert_eq!(id.as_ref().map(SessionId::as_js_string), canonical.as_ref());
}

/// What is accepted prints back.
fn parse(text: JsStr<'_>) -> Option<SessionId> {
    match SessionUri::parse(text, &Schemes::known()) {
        Ok(uri) => {
            assert_eq!(text.as_str(), Some(uri.as_str()));
            Some(uri.into_id())
        }
        Err(error) => {
            assert!(text.is_boundary(error.offset()), "{error}");
            None
        }
    }
}

fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0_usize, |word, byte| word << 8 | usize::from(*byte));
        let word = word << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(ALPHABET[word >> (18 - 6 * place) & 63]));
        }
    }
    out
}

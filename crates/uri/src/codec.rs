//! The payload of a URI: base64url of the JSON string of an id (`contract.md` §2).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use base64::{DecodeError, Engine as _};
use sref_session::json::{self, Scanner};
use sref_session::{Dialect, SessionId};

use crate::{UriError, UriErrorKind};

/// The URI of a session, as text.
///
/// Total: every JavaScript string is an id. The value form is [`SessionUri`](crate::SessionUri).
///
/// ```
/// use sref_session::Dialect;
///
/// assert_eq!(sref_uri::encode(&"a".into(), &Dialect::DSH), "dsh-session:ImEi");
/// assert_eq!(sref_uri::encode(&"".into(), &Dialect::HYDRA), "hydra-session:IiI");
/// ```
#[must_use]
pub fn encode(id: &SessionId, dialect: &Dialect) -> String {
    let mut out = String::with_capacity(encoded_len_hint(id, dialect));
    encode_into(&mut out, id, dialect);
    out
}

/// Enough for an id without escapes.
pub(crate) fn encoded_len_hint(id: &SessionId, dialect: &Dialect) -> usize {
    dialect.scheme().len() + (id.as_js_str().len() + 2).div_ceil(3) * 4
}

pub(crate) fn encode_into(out: &mut String, id: &SessionId, dialect: &Dialect) {
    out.push_str(dialect.scheme());
    let json = json::quote(id.as_js_str());
    // A short id, as most are, needs no second allocation.
    let mut short = [0; 128];
    match BASE64URL
        .encode_slice(&json, &mut short)
        .map(|len| str::from_utf8(&short[..len]))
    {
        Ok(Ok(payload)) => out.push_str(payload),
        _ => BASE64URL.encode_string(json, out),
    }
}

/// Whether a byte can stand in a payload.
pub(crate) const fn is_payload(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')
}

/// Reads the one spelling of an id; offsets are those of the payload.
pub(crate) fn decode(payload: &[u8]) -> Result<SessionId, UriError> {
    let json = decode_base64(payload)?;
    let json = String::from_utf8(json).map_err(|error| {
        UriError::new(
            UriErrorKind::Utf8,
            character_of(error.utf8_error().valid_up_to()),
        )
    })?;
    decode_json(&json).map_err(|error| UriError::new(error.kind(), character_of(error.offset())))
}

fn decode_base64(payload: &[u8]) -> Result<Vec<u8>, UriError> {
    let fault = match BASE64URL.decode(payload) {
        Ok(bytes) if !bytes.is_empty() => return Ok(bytes),
        Ok(_) => UriError::new(UriErrorKind::Payload, 0),
        Err(DecodeError::InvalidLastSymbol { offset, .. }) => {
            UriError::new(UriErrorKind::Base64, offset)
        }
        Err(_) => UriError::new(UriErrorKind::Base64, payload.len()),
    };
    // base64 names the fault it meets first, several characters at a time; here a character that
    // cannot be there comes before what is wrong with the rest.
    let foreign = payload.iter().position(|byte| !is_payload(*byte));
    Err(foreign.map_or(fault, |at| UriError::new(UriErrorKind::Payload, at)))
}

/// Reads a JSON string that is spelled as `JSON.stringify` spells it; offsets are those of `json`.
fn decode_json(json: &str) -> Result<SessionId, UriError> {
    let mut scanner = Scanner::new(json.as_bytes());
    let raw = scanner
        .string()
        .map_err(|error| UriError::new(UriErrorKind::Json, error.offset()))?;
    let end = scanner.position();
    scanner
        .finish()
        .map_err(|error| UriError::new(UriErrorKind::Json, error.offset()))?;
    let spelling = |offset| UriError::new(UriErrorKind::Spelling, offset);
    if end != json.len() {
        return Err(spelling(end));
    }
    if json.len() != raw.raw().len() + 2 {
        return Err(spelling(0));
    }
    // Without an escape there is no second way to spell it.
    if let Cow::Borrowed(_) = raw.text() {
        return Ok(SessionId::from(&json[1..end - 1]));
    }
    let id = raw.decode();
    let canonical = id.to_json();
    if canonical != json {
        let same = core::iter::zip(canonical.bytes(), json.bytes());
        return Err(spelling(
            same.take_while(|(own, given)| own == given).count(),
        ));
    }
    Ok(SessionId::new(id))
}

/// The character of a payload that holds the first bit of a byte behind it.
const fn character_of(byte: usize) -> usize {
    byte / 3 * 4 + byte % 3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use sref_session::JsString;

    use super::*;

    proptest! {
        /// Every JavaScript string has a URI, and the URI leads back to it.
        #[test]
        fn any_id_round_trips(units in crate::testing::units()) {
            let id = SessionId::new(JsString::from_utf16(units));
            let uri = encode(&id, &Dialect::DSH);
            let payload = uri.strip_prefix("dsh-session:").unwrap();
            prop_assert!(payload.bytes().all(is_payload));
            prop_assert_eq!(decode(payload.as_bytes()), Ok(id));
        }

        /// What is accepted is exactly what encoding writes.
        #[test]
        fn no_other_spelling_is_accepted(json in "\"(a|é|\\\\u00|\\\\ud8|3d|\\\\n|\\\\/|\\\\\"|\n| ){0,4}\" ?", tail in "[A-Za-z0-9_=-]{0,2}") {
            let payload = BASE64URL.encode(&json) + &tail;
            match decode(payload.as_bytes()) {
                Ok(id) => prop_assert_eq!(encode(&id, &Dialect::DSH), format!("dsh-session:{payload}")),
                Err(error) => prop_assert!(error.offset() <= payload.len()),
            }
        }
    }

    #[track_caller]
    fn refused(payload: &str, kind: UriErrorKind, offset: usize) {
        assert_eq!(decode(payload.as_bytes()), Err(UriError::new(kind, offset)));
    }

    #[track_caller]
    fn refused_behind(bytes: &[u8], kind: UriErrorKind, offset: usize) {
        refused(&BASE64URL.encode(bytes), kind, offset);
    }

    #[test]
    fn the_payload_is_of_one_alphabet() {
        refused("", UriErrorKind::Payload, 0);
        refused("ImEi=", UriErrorKind::Payload, 4);
        refused("Im+i", UriErrorKind::Payload, 2);
        refused("I mEi", UriErrorKind::Payload, 1);
        // The foreign character counts, not the length that comes of it.
        refused("ImEiI%", UriErrorKind::Payload, 5);
    }

    #[test]
    fn bits_left_over_are_zero() {
        assert_eq!(decode(b"IiI"), Ok("".into()));
        refused("IiJ", UriErrorKind::Base64, 2);
        refused("ImEiI", UriErrorKind::Base64, 5);
    }

    #[test]
    fn the_bytes_are_utf8() {
        refused_behind(b"\"ab\xFF\"", UriErrorKind::Utf8, 4);
        refused_behind(b"\"\xED\xA0\x80\"", UriErrorKind::Utf8, 1);
    }

    #[test]
    fn the_text_is_one_json_string() {
        refused_behind(b"17", UriErrorKind::Json, 0);
        refused_behind(b"\"a", UriErrorKind::Json, 2);
        refused_behind(b"\"a\nb\"", UriErrorKind::Json, 2);
        refused_behind(b"\"a\"\"b\"", UriErrorKind::Json, 4);
        refused_behind(b"\xEF\xBB\xBF\"a\"", UriErrorKind::Json, 0);
    }

    #[test]
    fn the_json_string_is_spelled_canonically() {
        refused_behind(b" \"a\"", UriErrorKind::Spelling, 0);
        refused_behind(b"\"a\" ", UriErrorKind::Spelling, 4);
        refused_behind(br#""ab\/""#, UriErrorKind::Spelling, 4);
        refused_behind(br#""\u0061""#, UriErrorKind::Spelling, 1);
        refused_behind(br#""\u001F""#, UriErrorKind::Spelling, 8);
        refused_behind(br#""\uD83D""#, UriErrorKind::Spelling, 4);
        refused_behind(br#""\ud83d\ude00""#, UriErrorKind::Spelling, 1);
        assert_eq!(
            decode(BASE64URL.encode(r#""\u001f\ud83d\b""#).as_bytes()),
            Ok(JsString::from_utf16([0x1F, 0xD83D, 8]).into())
        );
    }
}

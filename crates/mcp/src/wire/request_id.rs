use rmcp::model::RequestId;
use sref_session::json::{Scanner, parse};

/// The id of a request of which only the two ends are known, so that the one who waits for an answer
/// gets one.
///
/// Clients write the id among the first members or as the last one. What is not surely the id of the
/// request itself is none.
pub(crate) fn of_ends(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    of_head(head).or_else(|| of_tail(tail))
}

/// Follows the members while they are whole.
fn of_head(head: &[u8]) -> Option<RequestId> {
    let mut scanner = Scanner::new(head);
    scanner.enter_object().ok()?;
    while let Some(key) = scanner.next_key().ok()? {
        let value = scanner.skip_value().ok()?;
        if key.is("id") {
            return read(scanner.slice(value));
        }
    }
    None
}

/// The brace at the end closes the request, so the member before it is one of the request.
fn of_tail(tail: &[u8]) -> Option<RequestId> {
    let body = tail.trim_ascii_end().strip_suffix(b"}")?;
    let key = br#","id":"#;
    let at = body.windows(key.len()).rposition(|own| own == key)?;
    read(&body[at + key.len()..])
}

/// An id is a string or a whole number, and nothing follows it.
pub(super) fn read(spelling: &[u8]) -> Option<RequestId> {
    let value = parse(spelling).ok()?;
    if let Some(text) = value.as_string() {
        return Some(RequestId::String(text.as_str()?.into()));
    }
    value.as_safe_integer().map(RequestId::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_either_end() {
        let check = |head: &str, tail: &str, expected: Option<RequestId>| {
            assert_eq!(
                of_ends(head.as_bytes(), tail.as_bytes()),
                expected,
                "{head} … {tail}"
            );
        };
        let number = |id| Some(RequestId::Number(id));
        check(
            r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"xx"#,
            "xx\"}}",
            number(7),
        );
        check(
            r#"{"method":"x","params":{"a":"xx"#,
            r#"xx"},"jsonrpc":"2.0","id":7}"#,
            number(7),
        );
        let text = Some(RequestId::String("a b".into()));
        check(r#"{"params":["xx"#, r#"xx"],"id":"a b"} "#, text);
        // Of something inside, or of nothing that can be told.
        check(r#"{"params":{"id":3,"a":"xx"#, r#"xx","id":7}}"#, None);
        check(r#"{"params":{"a":"xx"#, r#"xx,\"id\":7"}}"#, None);
        check("xx", "xx", None);
        check(r#"{"id":1.5,"a":"xx"#, "", None);
        check(r#"{"id":null,"a":"xx"#, "", None);
    }
}

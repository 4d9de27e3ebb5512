use alloc::vec::Vec;

use super::error::{JsonError, JsonErrorKind};
use super::scan::{Kind, Scanner};
use super::value::{Number, Object, Value};
use crate::JsString;

/// The deepest nesting that [`parse`] builds.
pub const MAX_DEPTH: usize = 1024;

/// A container that is being filled.
enum Open {
    Array(Vec<Value>),
    Object(Vec<(JsString, Value)>, JsString),
}

/// Reads one JSON value.
///
/// # Errors
///
/// [`JsonError`] for whatever `JSON.parse` refuses, and [`JsonErrorKind::TooDeep`] beyond
/// [`MAX_DEPTH`] levels.
///
/// ```
/// use sref_session::json::{self, JsonErrorKind};
///
/// let value = json::parse(br#"{"a":1,"b":[true,"\ud83d"],"a":2}"#)?;
/// assert_eq!(value.to_json(), r#"{"a":2,"b":[true,"\ud83d"]}"#);
/// assert_eq!(json::parse(b"[1").unwrap_err().kind(), JsonErrorKind::End);
/// # Ok::<(), json::JsonError>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let mut scanner = Scanner::new(bytes);
    let mut open: Vec<Open> = Vec::new();
    'value: loop {
        let at = scanner.position();
        let mut value = match scanner.peek()? {
            Kind::Array | Kind::Object if open.len() >= MAX_DEPTH => {
                return Err(JsonError::new(JsonErrorKind::TooDeep, at));
            }
            Kind::Array => {
                scanner.enter_array()?;
                if scanner.next_element()? {
                    open.push(Open::Array(Vec::new()));
                    continue;
                }
                Value::Array(Vec::new())
            }
            Kind::Object => {
                scanner.enter_object()?;
                if let Some(key) = scanner.next_key()? {
                    open.push(Open::Object(Vec::new(), key.decode()));
                    continue;
                }
                Value::Object(Object::new())
            }
            Kind::String => Value::String(scanner.string()?.decode()),
            Kind::Number => {
                let text = core::str::from_utf8(scanner.number()?);
                Value::Number(Number::from_checked(text.unwrap_or("0")))
            }
            Kind::Null | Kind::Bool => {
                let range = scanner.skip_value()?;
                match scanner.slice(range) {
                    b"null" => Value::Null,
                    word => Value::Bool(word == b"true"),
                }
            }
        };
        loop {
            match open.pop() {
                None => {
                    scanner.finish()?;
                    return Ok(value);
                }
                Some(Open::Array(mut items)) => {
                    items.push(value);
                    if scanner.next_element()? {
                        open.push(Open::Array(items));
                        continue 'value;
                    }
                    value = Value::Array(items);
                }
                Some(Open::Object(mut members, key)) => {
                    members.push((key, value));
                    if let Some(key) = scanner.next_key()? {
                        open.push(Open::Object(members, key.decode()));
                        continue 'value;
                    }
                    value = Value::Object(Object::from_members(members));
                }
            }
        }
    }
}

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::quote::quote_into;
use crate::JsString;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has these and will have no others"
)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, in its own spelling.
    Number(Number),
    /// A string.
    String(JsString),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// The member of an object, or `None`: no object, no such member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The object, if this is one.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[must_use]
    pub const fn as_string(&self) -> Option<&JsString> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub const fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The value as a safe integer: see [`Number::as_safe_integer`].
    #[must_use]
    pub fn as_safe_integer(&self) -> Option<i64> {
        self.as_number()?.as_safe_integer()
    }

    /// Whether this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The compact JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// [`to_json`](Self::to_json) into a buffer.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => out.push_str(number.as_str()),
            Self::String(text) => quote_into(out, text.as_js_str()),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(object) => object.write(out),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<JsString> for Value {
    fn from(text: JsString) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// The compact JSON text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// A JSON number in its own spelling, so that `1.0` and `1e400` come out as they went in.
///
/// Two numbers are equal when JavaScript reads them as the same double.
#[derive(Debug, Clone)]
pub struct Number(Box<str>);

impl Number {
    /// Takes a spelling that a scanner has checked.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// The spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The double that JavaScript reads; out of range is infinite.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// The value as an integer within ±(2^53 − 1), JavaScript's `Number.isSafeInteger`: `1.0` and
    /// `10e-1` are integers, `1.5` and `1e400` are not.
    #[must_use]
    pub fn as_safe_integer(&self) -> Option<i64> {
        safe_integer(self.0.as_bytes())
    }
}

/// [`Number::as_safe_integer`] of a spelling that a [`Scanner`](super::Scanner) gave, without
/// building a number.
///
/// ```
/// use sref_session::json::safe_integer;
///
/// assert_eq!(safe_integer(b"-0"), Some(0));
/// assert_eq!(safe_integer(b"1e3"), Some(1000));
/// assert_eq!(safe_integer(b"9007199254740992"), None);
/// ```
#[must_use]
pub fn safe_integer(spelling: &[u8]) -> Option<i64> {
    const MAX: f64 = 9_007_199_254_740_991.0;
    if let Some(value) = short_natural(spelling) {
        return Some(value);
    }
    let spelling = core::str::from_utf8(spelling).ok()?;
    if let Ok(value) = spelling.parse::<i64>()
        && value.unsigned_abs() < 1 << 53
    {
        return Some(value);
    }
    let value: f64 = spelling.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked before"
    )]
    let integer = if value.abs() <= MAX {
        value as i64
    } else {
        return None;
    };
    #[expect(
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "an integer below 2^53 is exact"
    )]
    (integer as f64 == value).then_some(integer)
}

/// The number that a few digits are, and nothing but digits.
fn short_natural(spelling: &[u8]) -> Option<i64> {
    if spelling.is_empty() || spelling.len() > 15 {
        return None;
    }
    let mut value = 0;
    for byte in spelling {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.as_f64() == other.as_f64()
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(alloc::format!("{value}").into())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(alloc::format!("{value}").into())
    }
}

/// The members of a JSON object, in order, each key once.
///
/// Equality ignores the order.
#[derive(Debug, Clone, Default)]
pub struct Object(Vec<(JsString, Value)>);

impl Object {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes members, the last of equal keys winning at the place of the first, as in JavaScript.
    pub(crate) fn from_members(mut members: Vec<(JsString, Value)>) -> Self {
        if members.len() < 2 {
            return Self(members);
        }
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|a, b| members[*a].0.cmp(&members[*b].0).then(a.cmp(b)));
        let mut dead = alloc::vec![false; members.len()];
        // Walks equal neighbours: `first` is where the key stood first.
        let mut first = order[0];
        for at in &order[1..] {
            if members[*at].0 == members[first].0 {
                members[first].1 = core::mem::replace(&mut members[*at].1, Value::Null);
                dead[*at] = true;
            } else {
                first = *at;
            }
        }
        let mut dead = dead.into_iter();
        members.retain(|_| !dead.next().unwrap_or(false));
        Self(members)
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(own, _)| *own == *key)
            .map(|(_, value)| value)
    }

    /// Sets a member: in place when the key is there, else at the end.
    pub fn set(&mut self, key: impl Into<JsString>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(own, _)| *own == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// [`set`](Self::set), by value: for building objects.
    #[must_use]
    pub fn with(mut self, key: impl Into<JsString>, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|(own, _)| *own == *key)?;
        Some(self.0.remove(at).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&JsString, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// How many members there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        for (at, (key, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            quote_into(out, key.as_js_str());
            out.push(':');
            value.write(out);
        }
        out.push('}');
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        if self.0.len() != other.0.len() {
            return false;
        }
        // The usual case first; else by sorted keys, so that hostile objects stay cheap.
        if self.0 == other.0 {
            return true;
        }
        let sorted = |object: &Self| {
            let mut order: Vec<usize> = (0..object.0.len()).collect();
            order.sort_by(|a, b| object.0[*a].0.cmp(&object.0[*b].0));
            order
        };
        sorted(self)
            .into_iter()
            .zip(sorted(other))
            .all(|(a, b)| self.0[a] == other.0[b])
    }
}

//! Recordings made wrong, to see that each part of them is compared.

use sref::session::json::{Object, Value};
use sref::session::{JsStr, JsString};

/// How many values a value holds that are not made of others. An empty array or object is one.
pub(crate) fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(leaves).sum(),
        Value::Object(members) if !members.is_empty() => {
            members.iter().map(|(_, value)| leaves(value)).sum()
        }
        _ => 1,
    }
}

/// The same value with one of its leaves changed: the `at`-th, from 0.
pub(crate) fn spoil(value: &Value, mut at: usize) -> Value {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            for item in &mut items {
                if at < leaves(item) {
                    *item = spoil(item, at);
                    break;
                }
                at -= leaves(item);
            }
            items.into()
        }
        Value::Object(members) if !members.is_empty() => {
            let mut out = Object::new();
            let mut place = Some(at);
            for (key, value) in members.iter() {
                let value = match place {
                    Some(at) if at < leaves(value) => {
                        place = None;
                        spoil(value, at)
                    }
                    _ => {
                        place = place.map(|at| at - leaves(value));
                        value.clone()
                    }
                };
                out.set(key.clone(), value);
            }
            out.into()
        }
        Value::Array(_) | Value::Object(_) => vec![Value::Null].into(),
        Value::Null => 0_u64.into(),
        Value::Bool(value) => (!value).into(),
        Value::Number(number) => number
            .as_safe_integer()
            .map_or(Value::Null, |number| (number ^ 1).into()),
        Value::String(text) => {
            let mut text: JsString = text.clone();
            text.push(JsStr::from("'"));
            text.into()
        }
    }
}

#[test]
fn every_leaf_is_reached_once() {
    let json = br#"{"a":[1,"x",{}],"b":{"c":null,"d":true},"e":[]}"#;
    let value = sref::session::json::parse(json).unwrap();
    let spoilt: Vec<String> = (0..leaves(&value))
        .map(|at| spoil(&value, at).to_json())
        .collect();
    assert_eq!(
        spoilt,
        [
            r#"{"a":[0,"x",{}],"b":{"c":null,"d":true},"e":[]}"#,
            r#"{"a":[1,"x'",{}],"b":{"c":null,"d":true},"e":[]}"#,
            r#"{"a":[1,"x",[null]],"b":{"c":null,"d":true},"e":[]}"#,
            r#"{"a":[1,"x",{}],"b":{"c":0,"d":true},"e":[]}"#,
            r#"{"a":[1,"x",{}],"b":{"c":null,"d":false},"e":[]}"#,
            r#"{"a":[1,"x",{}],"b":{"c":null,"d":true},"e":[null]}"#,
        ]
    );
}

use serde_json::Value;
use sref_session::JsStr;

use crate::fault::Fault;

/// The arguments of a tool. Models write them, so what is wrong with one is said in words.
#[derive(Debug)]
pub(crate) struct Args<'a>(Option<&'a serde_json::Map<String, Value>>);

impl<'a> Args<'a> {
    /// Takes the arguments of a tool that has these and no others: one that is not known was meant
    /// for something.
    pub(crate) fn new(
        given: Option<&'a serde_json::Map<String, Value>>,
        names: &[&str],
    ) -> Result<Self, Fault> {
        let given_names = given.into_iter().flat_map(|given| given.keys());
        for name in given_names {
            if !names.contains(&name.as_str()) {
                return Err(Fault::argument(format!(
                    "no argument {}; there are: {}",
                    JsStr::from(name.as_str()).excerpt(),
                    names.join(", ")
                )));
            }
        }
        Ok(Self(given))
    }

    /// `null` is an argument that is not given.
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0?.get(name).filter(|value| !value.is_null())
    }

    /// A text, which may be spelled as a number where it is made of digits.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) if number.is_u64() => Ok(Some(number.to_string())),
            Some(_) => Err(Fault::argument(format!("`{name}` is a string"))),
        }
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<String, Fault> {
        let text = self.text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| Fault::argument(format!("`{name}` is missing")))
    }

    /// Texts; one alone need not stand in a list.
    pub(crate) fn texts(&self, name: &str, most: usize) -> Result<Vec<String>, Fault> {
        let wrong = || Fault::argument(format!("`{name}` is a list of 1 to {most} strings"));
        let list = match self.get(name) {
            Some(Value::Array(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        if list.is_empty() || list.len() > most {
            return Err(wrong());
        }
        let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    /// A whole number within bounds.
    pub(crate) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<usize>, Fault> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(Fault::argument(format!(
                "`{name}` is a whole number from {} to {}",
                range.start(),
                range.end()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(given: &Value, test: impl Fn(&Args<'_>) -> Result<String, Fault>) -> String {
        let args = Args::new(given.as_object(), &["a", "b"]);
        args.and_then(|args| test(&args))
            .unwrap_or_else(|fault| fault.message)
    }

    #[test]
    fn what_is_wrong_is_said() {
        let text = |given: Value| check(&given, |args| args.required_text("a"));
        assert_eq!(text(json!({"a": "x", "b": null})), "x");
        assert_eq!(text(json!({"a": 12})), "12");
        assert_eq!(text(json!({"a": " "})), "`a` is missing");
        assert_eq!(text(json!({"a": []})), "`a` is a string");
        assert_eq!(
            text(json!({"a": "x", "c": 1})),
            "no argument \"c\"; there are: a, b"
        );
        let texts = |given: Value| check(&given, |args| Ok(args.texts("a", 2)?.join(" ")));
        assert_eq!(texts(json!({"a": "x"})), "x");
        assert_eq!(texts(json!({"a": ["x", "y"]})), "x y");
        for bad in [
            json!({}),
            json!({"a": []}),
            json!({"a": ["x", 1]}),
            json!({"a": ["", "", ""]}),
        ] {
            assert_eq!(texts(bad), "`a` is a list of 1 to 2 strings");
        }
        let number =
            |given: Value| check(&given, |args| Ok(format!("{:?}", args.number("a", 1..=9)?)));
        assert_eq!(number(json!({"a": 9})), "Some(9)");
        assert_eq!(number(json!({})), "None");
        for bad in [
            json!({"a": 0}),
            json!({"a": 10}),
            json!({"a": 1.5}),
            json!({"a": "1"}),
        ] {
            assert_eq!(number(bad), "`a` is a whole number from 1 to 9");
        }
    }
}

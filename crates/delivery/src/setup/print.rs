//! A new value in the style of the text around it.

use alloc::string::String;

use sref_session::json::{Value, quote_into};

/// How a value is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout<'a> {
    /// On one line, with a space after commas and colons or without.
    Line { spaced: bool },
    /// An item to a line.
    Lines {
        /// The end of a line and the indentation of the line that the value begins on.
        line: String,
        /// One level of indentation.
        unit: &'a str,
    },
}

impl Layout<'_> {
    /// Writes a member of an object, or an element if it has no name.
    pub(super) fn item(&self, out: &mut String, name: Option<&str>, value: &Value) {
        if let Some(name) = name {
            quote_into(out, name.into());
            out.push_str(match self {
                Self::Line { spaced: false } => ":",
                _ => ": ",
            });
        }
        self.value(out, value);
    }

    /// Recurses as deep as what sref writes, which is five levels.
    fn value(&self, out: &mut String, value: &Value) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                let items = items.iter().map(|item| (None, item));
                // A list of words is read on one line.
                if items.clone().all(|(_, item)| item.as_string().is_some()) {
                    let spaced = !matches!(self, Self::Line { spaced: false });
                    Layout::Line { spaced }.items(out, "[", items, "]");
                } else {
                    self.items(out, "[", items, "]");
                }
            }
            Value::Object(members) if !members.is_empty() => {
                let items = members.iter().map(|(name, item)| (name.as_str(), item));
                self.items(out, "{", items, "}");
            }
            other => other.write(out),
        }
    }

    fn items<'v>(
        &self,
        out: &mut String,
        open: &str,
        items: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
        close: &str,
    ) {
        out.push_str(open);
        let inner = match self {
            Self::Line { .. } => self.clone(),
            Self::Lines { line, unit } => Layout::Lines {
                line: line.clone() + unit,
                unit,
            },
        };
        for (at, (name, item)) in items.enumerate() {
            match &inner {
                Layout::Line { spaced } => {
                    let comma = if *spaced { ", " } else { "," };
                    out.push_str(if at == 0 { "" } else { comma });
                }
                Layout::Lines { line, .. } => {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(line);
                }
            }
            inner.item(out, name, item);
        }
        if let Self::Lines { line, .. } = self {
            out.push_str(line);
        }
        out.push_str(close);
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use sref_session::json;

    use super::*;

    #[test]
    fn layouts() {
        let value = json::parse(br#"{"a":[{"b":true}],"c":["d","e"],"f":{}}"#).unwrap();
        let shown = |layout: &Layout<'_>| {
            let mut out = String::new();
            layout.item(&mut out, Some("k\n"), &value);
            out
        };
        assert_eq!(
            shown(&Layout::Line { spaced: false }),
            r#""k\n":{"a":[{"b":true}],"c":["d","e"],"f":{}}"#
        );
        assert_eq!(
            shown(&Layout::Line { spaced: true }),
            r#""k\n": {"a": [{"b": true}], "c": ["d", "e"], "f": {}}"#
        );
        let lines = Layout::Lines {
            line: "\r\n\t".to_owned(),
            unit: "\t",
        };
        assert_eq!(
            shown(&lines),
            "\"k\\n\": {\r\n\t\t\"a\": [\r\n\t\t\t{\r\n\t\t\t\t\"b\": true\r\n\t\t\t}\r\n\t\t],\
             \r\n\t\t\"c\": [\"d\", \"e\"],\r\n\t\t\"f\": {}\r\n\t}"
        );
    }
}

//! A folder with `expected/*.json`: what one release read (`stores/README.md`).

use std::path::Path;

use sref::session::JsString;
use sref::session::json::{Object, Value};
use sref_stores::Order;

use super::check::Check;
use super::open::{self, Opened};
use super::reference::{self, Request};
use super::{Root, layout};
use crate::fields::{self, Malformed};
use crate::report::Section;
use crate::show;

/// What is recorded of one root.
struct Recorded {
    name: String,
    expected: Value,
}

/// Takes the objects of the files apart; a file may hold an array of them.
pub(super) fn read(files: &[Value]) -> Result<Vec<Box<dyn Root>>, Malformed> {
    let objects = files.iter().flat_map(|file| match file {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    let mut roots: Vec<Box<dyn Root>> = Vec::new();
    for expected in objects {
        let name = fields::text(expected, "store")?.as_str();
        roots.push(Box::new(Recorded {
            name: name
                .ok_or_else(|| Malformed("`store` is no path".into()))?
                .into(),
            expected: expected.clone(),
        }));
    }
    Ok(roots)
}

impl Root for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, folder: &Path) -> Section {
        let root = folder.join(&self.name);
        // `sort-raw.json` names none.
        let kind = self.expected.get("kind").and_then(Value::as_string);
        let kind = kind
            .and_then(JsString::as_str)
            .unwrap_or_else(|| layout::kind_of(&root));
        let mut check = Check::new(&self.name, Opened::at(&root, kind));
        if let Err(malformed) = self.compare(&mut check) {
            check.broken(malformed.to_string());
        }
        check.finish()
    }
}

impl Recorded {
    fn compare(&self, check: &mut Check) -> Result<(), Malformed> {
        self.listing(check)?;
        self.titles(check)?;
        for session in fields::optional_items(&self.expected, "sessions")? {
            compare_session(session, check)?;
        }
        if let Some(candidates) = fields::optional(&self.expected, "candidates") {
            for (name, expected) in candidates.as_object().into_iter().flat_map(Object::iter) {
                let request = Request::from_name(&name.to_string_lossy());
                check.answer(
                    &format!("candidates {}", show::text(name)),
                    expected,
                    |store| reference::candidates(store, &request),
                );
            }
        }
        Ok(())
    }

    fn listing(&self, check: &mut Check) -> Result<(), Malformed> {
        if let Some(error) = fields::optional(&self.expected, "listSessionsError") {
            check.answer("listing", &failure(error)?, Opened::headers);
        }
        if fields::optional(&self.expected, "listSessions").is_some() {
            let mut headers = Vec::new();
            for record in fields::items(&self.expected, "listSessions")? {
                headers.push(typed_header(fields::any(record, "header")?)?);
            }
            check.answer("listing", &headers.into(), Opened::headers);
        }
        if let Some(order) = fields::optional(&self.expected, "order") {
            check.answer("order", order, Opened::order);
            self.collation(check)?;
        }
        Ok(())
    }

    /// What else is recorded beside an order: ids that collate as equal, and how the ids of one
    /// creation time stand in other locales.
    fn collation(&self, check: &mut Check) -> Result<(), Malformed> {
        for pair in fields::optional_items(&self.expected, "localeCompareZeroPairs")? {
            let [one, other] = pair.as_array().unwrap_or_default() else {
                return Err(Malformed("a pair is not two ids".into()));
            };
            let (one, other) = (
                fields::as_text(one, "pair")?,
                fields::as_text(other, "pair")?,
            );
            let what = format!("collation of {} and {}", show::text(one), show::text(other));
            check.answer(&what, &true.into(), |_| {
                let equal = Order::root().compare_ids(one.as_js_str(), other.as_js_str());
                equal.is_eq().into()
            });
        }
        let locales = fields::optional(&self.expected, "otherLocales").and_then(Value::as_object);
        for (locale, expected) in locales.into_iter().flat_map(Object::iter) {
            check.answer(
                &format!("order in {}", show::text(locale)),
                expected,
                |store| store.ids_in(&locale.to_string_lossy()),
            );
        }
        Ok(())
    }

    fn titles(&self, check: &mut Check) -> Result<(), Malformed> {
        let mut ids = Vec::new();
        let mut expected = Vec::new();
        for title in fields::optional_items(&self.expected, "titles")? {
            ids.push(fields::text(title, "sessionId")?.clone());
            expected.push(match fields::optional(title, "error") {
                Some(error) => failure(error)?,
                None => Object::new()
                    .with("title", fields::any(title, "title")?.clone())
                    .into(),
            });
        }
        // One batch, as the recording made it.
        let mut answers = Vec::new();
        for (at, (id, expected)) in ids.iter().zip(&expected).enumerate() {
            check.answer(&format!("title of {}", show::text(id)), expected, |store| {
                if answers.is_empty() {
                    answers = store.titles(&ids);
                }
                match answers.get(at) {
                    None => Value::Null,
                    Some(Ok(title)) => Object::new()
                        .with("title", open::title(title.as_ref()))
                        .into(),
                    // The recorded failure is one of the reference's program, not of the store.
                    Some(Err(_)) if expected.get("error").is_some_and(Value::is_null) => {
                        expected.clone()
                    }
                    Some(Err(error)) => open::failed(error.code()),
                }
            });
        }
        Ok(())
    }
}

fn compare_session(session: &Value, check: &mut Check) -> Result<(), Malformed> {
    let id = fields::text(session, "id")?;
    let shown = show::text(id);
    let surface = if let Some(error) = fields::optional(session, "surfaceError") {
        failure(error)?
    } else {
        let mut surface = fields::any(session, "surface")?.clone();
        let header = typed_header(fields::any(&surface, "header")?)?;
        if let Value::Object(surface) = &mut surface {
            surface.set("header", header);
        }
        surface
    };
    check.answer(&format!("surface of {shown}"), &surface, |store| {
        store.surface_facts(id)
    });
    let projections = fields::optional(session, "projection").and_then(Value::as_object);
    for (budget, expected) in projections.into_iter().flat_map(Object::iter) {
        let bytes = budget.as_str().and_then(|text| text.parse::<u64>().ok());
        let bytes = bytes.ok_or_else(|| Malformed("a budget is no number".into()))?;
        let expected = match fields::optional(expected, "error") {
            None => expected.clone(),
            // The reference's program failed, which says nothing of the store.
            Some(error) if fields::optional(error, "code").is_none() => continue,
            Some(error) => failure(error)?,
        };
        check.answer(
            &format!("projection of {shown} in {bytes} bytes"),
            &expected,
            |store| reference::projection(store, id, bytes),
        );
    }
    Ok(())
}

/// `{name, code}` → `{error: code}`; the code is null where the reference's program failed.
fn failure(error: &Value) -> Result<Value, Malformed> {
    Ok(Object::new()
        .with("error", fields::any(error, "code")?.clone())
        .into())
}

/// A recorded header without the members that have another type than they should. The reference's
/// listing passes them on; ours leaves them out, and the session fails when it is read.
fn typed_header(header: &Value) -> Result<Value, Malformed> {
    let members = header
        .as_object()
        .ok_or_else(|| Malformed("`header` is no object".into()))?;
    let count = |value: &Value| value.as_safe_integer().is_some_and(|count| count >= 0);
    let text = |value: &Value| value.as_string().is_some();
    let mut out = members.clone();
    for (key, value) in members.iter() {
        let Some(key) = key.as_str() else { continue };
        let typed = match key {
            "version" | "seedLength" | "delegationDepth" => count(value),
            "cwd" | "parentSession" | "origin" | "agentPreset" => text(value),
            _ => true,
        };
        if !typed {
            out.remove(key);
        }
    }
    Ok(out.into())
}

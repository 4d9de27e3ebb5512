//! URIs and mentions: `uri-encode`, `uri-decode`, `mention-format`, `text-parse`.

use sref::session::json::{Object, Value};
use sref::session::{Dialect, JsStr, JsString};
use sref::uri::{MentionOptions, Schemes, SessionUri, UriError};

use crate::fields::{self, Malformed};

pub(super) fn encode(input: &Value) -> Result<Value, Malformed> {
    let id = fields::id(input, "sessionId")?;
    let uri = sref::uri::encode(&id, &Dialect::DSH);
    Ok(Object::new().with("uri", uri.as_str()).into())
}

pub(super) fn decode(input: &Value) -> Result<Value, Malformed> {
    let uri = fields::text(input, "uri")?.as_js_str();
    Ok(
        match SessionUri::parse(uri, &Schemes::from(&Dialect::DSH)) {
            Ok(uri) => Object::new()
                .with("sessionId", uri.into_id().into_js_string())
                .into(),
            Err(error) => failed(&error),
        },
    )
}

pub(super) fn format(input: &Value) -> Result<Value, Malformed> {
    let id = fields::id(input, "sessionId")?;
    let label = fields::optional_text(input, "label")?.map(JsString::as_js_str);
    let mention = sref::uri::format_mention(&id, label, &Dialect::DSH);
    let parsed = extract(mention.as_js_str());
    Ok(Object::new()
        .with("mention", mention)
        .with("parsed", parsed)
        .into())
}

pub(super) fn parse(input: &Value) -> Result<Value, Malformed> {
    Ok(extract(fields::text(input, "text")?.as_js_str()))
}

fn extract(text: JsStr<'_>) -> Value {
    let schemes = Schemes::from(&Dialect::DSH);
    match sref::uri::extract(text, &schemes, &MentionOptions::default()) {
        Ok(extracted) => {
            let references: Vec<Value> = extracted
                .references
                .into_iter()
                .map(|reference| {
                    Object::new()
                        .with("sessionId", reference.session_id.into_js_string())
                        .with("label", reference.label)
                        .into()
                })
                .collect();
            Object::new()
                .with("text", extracted.text)
                .with("references", references)
                .into()
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &UriError) -> Value {
    Object::new().with("error", error.code()).into()
}

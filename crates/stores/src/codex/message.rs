//! The words of one message, in any of the three encodings (`spec/agent-logs.md` 3.4, 3.5, 3.11).

use sref_session::JsString;
use sref_session::json::{Kind, RawString};

use super::injected;
use crate::raw::{Raw, elements};
use crate::words::{join, wrapper};

/// What stands for a prompt of pictures alone.
const IMAGE: &str = "[image]";

/// Who a part of a user's message is from, as the log says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Author {
    Person,
    Machine,
    /// The log does not say: the text decides.
    Unsaid,
}

/// Kinds of content by their first word, that no person writes (3.11).
const MACHINE_KINDS: &[&[u8]] = &[
    b"agents_md",
    b"environments",
    b"skills",
    b"multi_agent",
    b"hooks",
    b"shell",
    b"generic",
];
const MACHINE_AUTHORS: &[&str] = &["harness", "skills", "agents_md", "tool", "hook"];

/// Kinds of a `user_message` event that no person writes.
const MACHINE_EVENTS: &[&str] = &["user_instructions", "environment_context"];

/// The words of a person in a `message` of the role `user`.
pub(super) fn of_user(message: Raw<'_>) -> Option<JsString> {
    let content = message.member("content")?;
    let said = Said::of(message);
    parts_of_user(content, |at| {
        author(said.kinds.get(at).copied(), said.metadata.get(at).copied())
    })
}

/// What a log says of who wrote the parts of a message.
#[derive(Default)]
struct Said<'a> {
    kinds: Vec<Raw<'a>>,
    metadata: Vec<Raw<'a>>,
}

impl<'a> Said<'a> {
    fn of(message: Raw<'a>) -> Self {
        let names = [
            "content_item_metadata",
            "internal_chat_message_metadata_passthrough",
        ];
        let found = message.members(names).map(|found| found.found);
        let [own, passed] = found.unwrap_or_default();
        let passed = passed.and_then(|passed| {
            let found = passed.members(["content_item_kinds", "content_item_metadata"]);
            found.map(|found| found.found)
        });
        let [kinds, metadata] = passed.unwrap_or_default();
        Self {
            kinds: kinds.map(list).unwrap_or_default(),
            metadata: metadata.or(own).map(list).unwrap_or_default(),
        }
    }
}

/// What a user's message or event says of its writers that this reader does not know: values that
/// hide nothing, and that may be a new machine's (3.11).
pub(super) fn strange(payload: Raw<'_>) -> Vec<JsString> {
    let named = |name: &str, value: Raw<'_>| {
        let mut strange = JsString::from(format!("{name}="));
        strange.push(value.decode().unwrap_or_default().as_js_str());
        strange
    };
    let [kind, role, event] = match payload.members(["type", "role", "kind"]) {
        Some(found) => found.found,
        None => return Vec::new(),
    };
    let is = |value: Option<Raw<'_>>, name| value.is_some_and(|value| value.is_string(name));
    if is(kind, "user_message") {
        let event = event.filter(|kind| !kind.is_null() && !kind.is_string("plain"));
        let event = event.filter(|kind| !MACHINE_EVENTS.iter().any(|name| kind.is_string(name)));
        return event.map(|kind| named("kind", kind)).into_iter().collect();
    }
    if is(kind, "item_completed") {
        let item = payload.member("item").filter(|item| {
            let kind = item.member("type");
            is(kind, "UserMessage")
        });
        let content = item.and_then(|item| item.member("content"));
        return content.map(wrappers).unwrap_or_default();
    }
    if !is(kind, "message") || !is(role, "user") {
        return Vec::new();
    }
    let content = payload.member("content");
    // Where the log says whose it is, it is known.
    let wrapped = |said: &Said<'_>| match content {
        Some(content) if said.kinds.is_empty() && said.metadata.is_empty() => wrappers(content),
        _ => Vec::new(),
    };
    let said = Said::of(payload);
    let wrapped = wrapped(&said);
    let kinds = said.kinds.into_iter().filter(|kind| {
        // The word for what the writer itself does not know.
        author(Some(*kind), None) == Author::Unsaid && !kind.is_null() && !kind.is_string("unknown")
    });
    let types = said.metadata.into_iter().filter_map(provenance);
    let types = types.filter(|own| author_of(Some(*own)) == Author::Unsaid);
    kinds
        .map(|kind| named("content_item_kinds", kind))
        .chain(types.map(|own| named("provenance", own)))
        .chain(wrapped)
        .collect()
}

/// The wrappers in the words of a person that nobody knows (1.7).
fn wrappers(content: Raw<'_>) -> Vec<JsString> {
    let mut found = Vec::new();
    each_part(content, |_, part| {
        if let Part::Text(text) = part {
            let words = text.decode().unwrap_or_default();
            let words = injected::read(words.as_js_str());
            found.extend(words.and_then(|words| wrapper(words.as_js_str())));
        }
    });
    found
}

/// The words of a person in the content of a `UserMessage` item.
pub(super) fn of_item(content: Raw<'_>) -> Option<JsString> {
    parts_of_user(content, |_| Author::Unsaid)
}

/// The words of a person in a `user_message` event.
pub(super) fn of_event(event: Raw<'_>) -> Option<JsString> {
    let [message, kind, images, local] = event
        .members(["message", "kind", "images", "local_images"])?
        .found;
    let is_machine = |kind: Raw<'_>| MACHINE_EVENTS.iter().any(|name| kind.is_string(name));
    if kind.is_some_and(is_machine) {
        return None;
    }
    let message = message.and_then(Raw::decode);
    let words = message.and_then(|text| injected::read(text.as_js_str()));
    let pictures = || {
        [images, local]
            .into_iter()
            .flatten()
            .any(|list| !self::list(list).is_empty())
    };
    words.or_else(|| pictures().then(|| IMAGE.into()))
}

/// The words of a model: content in parts, whatever the parts call their text, or one string.
pub(super) fn of_assistant(content: Raw<'_>) -> Option<JsString> {
    let mut texts = Vec::new();
    each_part(content, |_, part| {
        if let Part::Text(text) = part {
            texts.extend(text.decode().filter(|text| !text.is_empty()));
        }
    });
    let mut out = JsString::new();
    join(&mut out, texts.iter());
    (!out.as_wtf8().trim_ascii().is_empty()).then_some(out)
}

fn parts_of_user(content: Raw<'_>, author: impl Fn(usize) -> Author) -> Option<JsString> {
    let mut texts: Vec<JsString> = Vec::new();
    let mut pictures = false;
    each_part(content, |at, part| match (author(at), part) {
        (Author::Machine, _) | (_, Part::Other | Part::Unread) => {}
        (_, Part::Picture) => pictures = true,
        (author, Part::Text(text)) => {
            let text = text.decode().unwrap_or_default();
            texts.extend(match author {
                Author::Person => injected::open(text.as_js_str()),
                _ => injected::read(text.as_js_str()),
            });
        }
    });
    if texts.is_empty() {
        return pictures.then(|| IMAGE.into());
    }
    let mut out = JsString::new();
    join(&mut out, texts.iter());
    Some(out)
}

fn author(kind: Option<Raw<'_>>, metadata: Option<Raw<'_>>) -> Author {
    let kind = kind.and_then(Raw::string).map(RawString::text);
    let group = kind
        .as_deref()
        .map(|kind| kind.split(|byte| *byte == b'.').next().unwrap_or(kind));
    match group {
        Some(b"user") => return Author::Person,
        Some(group) if MACHINE_KINDS.contains(&group) => return Author::Machine,
        _ => {}
    }
    author_of(metadata.and_then(provenance))
}

/// The provenance is an object with a type; a bare word would say the same.
fn provenance(metadata: Raw<'_>) -> Option<Raw<'_>> {
    let from = metadata.member("provenance")?;
    from.member("type")
        .or(Some(from))
        .filter(|named| !named.is_null())
}

fn author_of(provenance: Option<Raw<'_>>) -> Author {
    match provenance {
        Some(named) if named.is_string("user") => Author::Person,
        Some(named) if MACHINE_AUTHORS.iter().any(|name| named.is_string(name)) => Author::Machine,
        _ => Author::Unsaid,
    }
}

enum Part<'a> {
    Text(Raw<'a>),
    Picture,
    /// Words in a form that this reader does not know.
    Unread,
    Other,
}

/// Parts that are known to hold nothing of the conversation, though they have a text.
const IDLE_PARTS: &[&[u8]] = &[b"reasoning_text", b"summary_text", b"encrypted_content"];

/// Whether a content has words in a form that this reader does not know: a part of an unknown type with
/// a text, or what is neither a string nor parts.
pub(super) fn is_unread(content: Raw<'_>) -> bool {
    let mut unread = false;
    each_part(content, |_, part| unread |= matches!(part, Part::Unread));
    unread
}

/// The same of a `message` of the role `user`, in which a harness's parts stand too.
pub(super) fn is_user_unread(message: Raw<'_>) -> bool {
    let Some(content) = message.member("content") else {
        return false;
    };
    let said = Said::of(message);
    let mut unread = false;
    each_part(content, |at, part| {
        let author = author(said.kinds.get(at).copied(), said.metadata.get(at).copied());
        unread |= matches!(part, Part::Unread) && author != Author::Machine;
    });
    unread
}

/// Whether a content has words, in a form that is known or not.
pub(super) fn has_words(content: Raw<'_>) -> bool {
    matches!(content.kind(), Kind::String | Kind::Array)
        && (of_assistant(content).is_some() || is_unread(content))
}

/// Walks the parts of a content. A string is one part of text.
fn each_part<'a>(content: Raw<'a>, mut each: impl FnMut(usize, Part<'a>)) {
    if content.kind() == Kind::String {
        return each(0, Part::Text(content));
    }
    if !matches!(content.kind(), Kind::Array | Kind::Null) {
        return each(0, Part::Unread);
    }
    for (at, part) in list(content).into_iter().enumerate() {
        let found = part.members(["type", "text"]).map(|found| found.found);
        let [kind, text] = found.unwrap_or_default();
        let kind = kind
            .and_then(Raw::string)
            .map(|kind| kind.text().to_ascii_lowercase());
        let part = match (kind.as_deref(), text) {
            (Some(b"input_text" | b"output_text" | b"text"), Some(text)) => {
                if text.string().is_some() {
                    Part::Text(text)
                } else {
                    Part::Unread
                }
            }
            (Some(b"input_image" | b"image" | b"localimage" | b"local_image"), _) => Part::Picture,
            (Some(kind), _) if IDLE_PARTS.contains(&kind) => Part::Other,
            (_, Some(text)) if text.is_filled() => Part::Unread,
            // A bare string among parts.
            (None, None) if part.is_filled() => Part::Unread,
            _ => Part::Other,
        };
        each(at, part);
    }
}

/// The elements of an array; none of anything else.
pub(super) fn list(value: Raw<'_>) -> Vec<Raw<'_>> {
    let mut found = Vec::new();
    let walked = elements(&mut value.scanner(), |scanner| {
        found.push(Raw::read(scanner)?);
        Ok(())
    });
    debug_assert!(walked.is_ok(), "a checked value");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw<'_> {
        Raw::checked(json.as_bytes())
    }

    fn user(json: &str) -> Option<String> {
        of_user(raw(json)).map(|text| text.to_string_lossy().into_owned())
    }

    /// 3.11: what the log says of a part counts more than how the part reads.
    #[test]
    fn the_kind_of_a_part_decides_before_its_text() {
        let message = |kind: &str, text: &str| {
            user(&format!(
                r#"{{"content":[{{"type":"input_text","text":"{text}"}}],"internal_chat_message_metadata_passthrough":{{"content_item_kinds":["{kind}"]}}}}"#
            ))
        };
        let tagged = "<skill>x</skill>";
        assert_eq!(message("user.text", tagged).as_deref(), Some(tagged));
        for kind in [
            "agents_md.instructions",
            "environments.environment_context",
            "skills.selected_skill_instructions",
            "multi_agent.subagent_notification",
            "hooks.additional_context",
            "shell.user_command",
            "generic.turn_aborted",
        ] {
            assert_eq!(message(kind, "looks typed"), None, "{kind}");
        }
        // What nobody knows is judged by its text.
        assert_eq!(message("unknown", "typed").as_deref(), Some("typed"));
        assert_eq!(message("unknown", tagged), None);
        // The labels of pictures are `user.text` too.
        assert_eq!(message("user.text", "<image name=[Image #1]>"), None);
    }

    #[test]
    fn provenance_speaks_where_the_kind_does_not() {
        let message = |provenance: &str| {
            user(&format!(
                r#"{{"content":[{{"type":"input_text","text":"<skill>x</skill>"}}],"internal_chat_message_metadata_passthrough":{{"content_item_metadata":[{{"provenance":{{"type":"{provenance}"}}}}]}}}}"#
            ))
        };
        assert_eq!(message("user").as_deref(), Some("<skill>x</skill>"));
        for machine in MACHINE_AUTHORS {
            assert_eq!(message(machine), None);
        }
        let own = r#"{"content":"typed","content_item_metadata":[{"provenance":{"type":"hook"}}]}"#;
        assert_eq!(user(own), None);
    }

    /// 3.11: a new value is told, a known one is not.
    #[test]
    fn values_that_nobody_knows_are_told() {
        let told = |more: &str| -> Vec<String> {
            let log = format!(r#"{{"type":"message","role":"user","content":[]{more}}}"#);
            let found = strange(raw(&log)).into_iter();
            found
                .map(|own| own.to_string_lossy().into_owned())
                .collect()
        };
        let passed =
            |inner: &str| format!(r#","internal_chat_message_metadata_passthrough":{{{inner}}}"#);
        let kinds = passed(
            r#""content_item_kinds":["user.text","hooks.x","unknown",null,"brand.new","a"]"#,
        );
        assert_eq!(
            told(&kinds),
            ["content_item_kinds=brand.new", "content_item_kinds=a"]
        );
        let types = r#""content_item_metadata":[{"provenance":{"type":"user"}},{},{"provenance":{"type":"hook"}},{"provenance":{"type":"new"}},{"provenance":"newer"}]"#;
        let expected = ["provenance=new", "provenance=newer"];
        assert_eq!(told(&passed(types)), expected);
        assert_eq!(told(&format!(",{types}")), expected);
        let event =
            |kind: &str| strange(raw(&format!(r#"{{"type":"user_message","kind":{kind}}}"#)));
        assert_eq!(event("\"new\""), [JsString::from("kind=new")]);
        for known in ["null", "\"plain\"", "\"environment_context\""] {
            assert_eq!(event(known), [] as [JsString; 0]);
        }
        assert_eq!(strange(raw("[]")), [] as [JsString; 0]);
        // 1.7: a wrapper that nobody knows, where nothing says whose it is.
        let text = r#"[{"type":"text","text":"<brand-new>x</brand-new>"}]"#;
        let wrapped = [JsString::from("tag=brand-new")];
        let message = format!(r#"{{"type":"message","role":"user","content":{text}}}"#);
        assert_eq!(strange(raw(&message)), wrapped);
        let item = |kind: &str| {
            let log = format!(
                r#"{{"type":"item_completed","item":{{"type":"{kind}","content":{text}}}}}"#
            );
            strange(raw(&log))
        };
        assert_eq!(item("UserMessage"), wrapped);
        assert_eq!(item("AgentMessage"), [] as [JsString; 0]);
        let own = format!(
            r#"{{"type":"message","role":"user","content":{text}{}}}"#,
            passed(r#""content_item_kinds":["user.text"]"#)
        );
        assert_eq!(strange(raw(&own)), [] as [JsString; 0]);
    }

    #[test]
    fn parts_are_joined_and_pictures_alone_are_named() {
        let two = r#"{"content":[{"type":"input_text","text":"a"},{"type":"input_image"},{"type":"input_text","text":"b"}]}"#;
        assert_eq!(user(two).as_deref(), Some("a\nb"));
        let picture = r#"{"content":[{"type":"input_image","image_url":"data:"}]}"#;
        assert_eq!(user(picture).as_deref(), Some("[image]"));
        assert_eq!(user(r#"{"content":[7,null,{"type":"mystery"}]}"#), None);
        assert_eq!(user("[]"), None);
        let answer = r#"[{"type":"Text","text":"a"},{"type":"output_text","text":"b"},{"type":"Text","text":""}]"#;
        assert_eq!(of_assistant(raw(answer)).unwrap(), "a\nb");
        assert_eq!(of_assistant(raw(r#"[{"type":"Text","text":" "}]"#)), None);
    }

    #[test]
    fn events_tell_their_kind_and_their_pictures() {
        let event =
            |json: &str| of_event(raw(json)).map(|text| text.to_string_lossy().into_owned());
        assert_eq!(
            event(r#"{"message":"a","kind":"plain"}"#).as_deref(),
            Some("a")
        );
        assert_eq!(
            event(r#"{"message":"a","kind":null}"#).as_deref(),
            Some("a")
        );
        for machine in MACHINE_EVENTS {
            let log = format!(r#"{{"message":"a","kind":"{machine}"}}"#);
            assert_eq!(event(&log), None);
        }
        // What nobody knows hides nothing.
        assert_eq!(
            event(r#"{"message":"a","kind":"brand_new"}"#).as_deref(),
            Some("a")
        );
        assert_eq!(
            event(r#"{"message":"","images":["x"]}"#).as_deref(),
            Some("[image]")
        );
        assert_eq!(
            event(r#"{"message":"","local_images":["x"],"images":null}"#).as_deref(),
            Some("[image]")
        );
        assert_eq!(event(r#"{"message":"","images":[]}"#), None);
    }
}

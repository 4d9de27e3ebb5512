use alloc::string::{String, ToString as _};

use sref_session::{JsStr, Role};

use crate::Profile;

/// What a rendered object says of a session (`contract.md` §5).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ReferencedSession<'a> {
    /// Which session.
    pub session_id: JsStr<'a>,
    /// What the citing text calls it.
    pub label: JsStr<'a>,
    /// Where it ran, if known.
    pub cwd: Option<JsStr<'a>>,
    /// The last event that the snapshot covers.
    pub captured_through_seq: Option<u64>,
    /// The messages, in order.
    pub conversation: &'a [Entry<'a>],
    /// What was left out. Written in the hardened profile alone: the reference has no such member.
    pub omitted: Option<Omitted>,
}

impl<'a> ReferencedSession<'a> {
    /// A session with an id, a label and messages; everything else absent.
    #[must_use]
    pub const fn new(
        session_id: JsStr<'a>,
        label: JsStr<'a>,
        conversation: &'a [Entry<'a>],
    ) -> Self {
        Self {
            session_id,
            label,
            cwd: None,
            captured_through_seq: None,
            conversation,
            omitted: None,
        }
    }
}

/// One message of a rendered conversation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is shown of the words.
    pub text: JsStr<'a>,
}

impl<'a> Entry<'a> {
    /// A message.
    #[must_use]
    pub const fn new(role: Role, text: JsStr<'a>) -> Self {
        Self { role, text }
    }

    /// The size of the rendered message, without the comma that separates it from its neighbour.
    ///
    /// ```
    /// use sref_envelope::{Entry, Profile};
    /// use sref_session::Role;
    ///
    /// let entry = Entry::new(Role::User, "hi".into());
    /// assert_eq!(entry.rendered_len(Profile::Plain), r#"{"role":"user","text":"hi"}"#.len());
    /// ```
    #[must_use]
    pub fn rendered_len(&self, profile: Profile) -> usize {
        let mut counter = Counter::new(profile);
        self.write(&mut counter);
        counter.len
    }

    fn write(&self, out: &mut impl Sink) {
        out.raw(r#"{"role":""#);
        out.raw(self.role.as_str());
        out.raw(r#"","text":"#);
        out.string(self.text);
        out.raw("}");
    }
}

/// What of a conversation a rendered object leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Omitted {
    /// Whole messages.
    pub messages: u64,
    /// Bytes of text, those of whole messages included.
    pub bytes: u64,
}

impl Omitted {
    /// So many messages and bytes.
    #[must_use]
    pub const fn new(messages: u64, bytes: u64) -> Self {
        Self { messages, bytes }
    }

    /// By how many bytes a rendered object grows through it: none in the plain profile.
    #[must_use]
    pub fn rendered_len(&self, profile: Profile) -> usize {
        let mut counter = Counter::new(profile);
        self.write(&mut counter);
        counter.len
    }

    fn write(&self, out: &mut impl Sink) {
        if out.profile() == Profile::Hardened {
            out.raw(r#","omitted":{"messages":"#);
            out.raw(&self.messages.to_string());
            out.raw(r#","bytes":"#);
            out.raw(&self.bytes.to_string());
            out.raw("}");
        }
    }
}

/// The rendered object: compact JSON, keys in the reference's order, no `<` in it.
///
/// ```
/// use sref_envelope::{Omitted, Profile, ReferencedSession, render};
///
/// let mut session = ReferencedSession::new("s".into(), "L".into(), &[]);
/// session.omitted = Some(Omitted::new(3, 900));
/// let fixed = r#"{"sessionId":"s","label":"L","cwd":null,"capturedThroughSeq":null,"conversation":[]"#;
/// assert_eq!(render(&session, Profile::Plain), format!("{fixed}}}"));
/// assert_eq!(
///     render(&session, Profile::Hardened),
///     format!(r#"{fixed},"omitted":{{"messages":3,"bytes":900}}}}"#),
/// );
/// ```
#[must_use]
pub fn render(session: &ReferencedSession<'_>, profile: Profile) -> String {
    let mut writer = Writer {
        profile,
        out: String::with_capacity(rendered_len(session, profile)),
    };
    write(session, &mut writer);
    writer.out
}

/// The size of what [`render`] gives, without writing it.
#[must_use]
pub fn rendered_len(session: &ReferencedSession<'_>, profile: Profile) -> usize {
    let mut counter = Counter::new(profile);
    write(session, &mut counter);
    counter.len
}

fn write(session: &ReferencedSession<'_>, out: &mut impl Sink) {
    out.raw(r#"{"sessionId":"#);
    out.string(session.session_id);
    out.raw(r#","label":"#);
    out.string(session.label);
    out.raw(r#","cwd":"#);
    match session.cwd {
        Some(cwd) => out.string(cwd),
        None => out.raw("null"),
    }
    out.raw(r#","capturedThroughSeq":"#);
    match session.captured_through_seq {
        Some(seq) => out.raw(&seq.to_string()),
        None => out.raw("null"),
    }
    out.raw(r#","conversation":["#);
    for (at, entry) in session.conversation.iter().enumerate() {
        if at > 0 {
            out.raw(",");
        }
        entry.write(out);
    }
    out.raw("]");
    if let Some(omitted) = &session.omitted {
        omitted.write(out);
    }
    out.raw("}");
}

/// Where an object goes. Writing and counting share one description, so they cannot disagree.
trait Sink {
    fn profile(&self) -> Profile;
    fn raw(&mut self, text: &str);
    fn string(&mut self, text: JsStr<'_>);
}

struct Writer {
    profile: Profile,
    out: String,
}

impl Sink for Writer {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn string(&mut self, text: JsStr<'_>) {
        self.profile.write_string(&mut self.out, text);
    }
}

struct Counter {
    profile: Profile,
    len: usize,
}

impl Counter {
    const fn new(profile: Profile) -> Self {
        Self { profile, len: 0 }
    }
}

impl Sink for Counter {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn raw(&mut self, text: &str) {
        self.len += text.len();
    }

    fn string(&mut self, text: JsStr<'_>) {
        self.len += self.profile.string_len(text);
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn every_member_has_its_place_and_size() {
        let texts = ["", "a<b", "\u{202e}\n", "日本"];
        for profile in [Profile::Plain, Profile::Hardened] {
            for count in 0..=texts.len() {
                let conversation: Vec<Entry<'_>> = texts[..count]
                    .iter()
                    .zip([Role::User, Role::Assistant].into_iter().cycle())
                    .map(|(text, role)| Entry::new(role, (*text).into()))
                    .collect();
                let mut session = ReferencedSession::new("i<d".into(), "".into(), &conversation);
                session.cwd = (count % 2 == 0).then_some("/w".into());
                session.captured_through_seq = (count % 3 == 0).then_some(u64::MAX);
                session.omitted = (count > 2).then_some(Omitted::new(10, 0));
                let object = render(&session, profile);
                assert_eq!(object.len(), rendered_len(&session, profile));
                assert!(!object.contains('<'));

                let value: serde_json::Value = serde_json::from_str(&object).unwrap();
                assert_eq!(value["sessionId"], "i<d");
                assert_eq!(value["cwd"].as_str(), session.cwd.and_then(JsStr::as_str));
                assert_eq!(
                    value["capturedThroughSeq"].as_u64(),
                    session.captured_through_seq
                );
                let read: Vec<_> = value["conversation"].as_array().unwrap().iter().collect();
                assert_eq!(read.len(), count);
                for (read, entry) in read.into_iter().zip(&conversation) {
                    assert_eq!(read["text"].as_str(), entry.text.as_str());
                    assert_eq!(read["role"], entry.role.as_str());
                }

                let member = session
                    .omitted
                    .map_or(0, |omitted| omitted.rendered_len(profile));
                assert_eq!(value.get("omitted").is_some(), member > 0);
                assert_eq!(member > 0, count > 2 && profile == Profile::Hardened);
                let entries: usize = conversation
                    .iter()
                    .map(|entry| entry.rendered_len(profile))
                    .sum();
                let empty = ReferencedSession {
                    conversation: &[],
                    omitted: None,
                    ..session
                };
                assert_eq!(
                    rendered_len(&empty, profile) + entries + count.saturating_sub(1) + member,
                    object.len(),
                );
            }
        }
    }
}

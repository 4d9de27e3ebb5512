//! What a compaction leaves of the conversation before it (`spec/agent-logs.md` 3.6, 3.11).

use sref_session::JsString;
use sref_session::json::Kind;

use super::injected;
use super::message;
use super::record::{Fact, Role, Said, response_item};
use crate::raw::Raw;

/// A compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Compaction {
    /// Everything before it is replaced by this.
    Replaced(Vec<Kept>),
    /// A summary, in older logs; the prompts before it still count.
    Summarized(JsString),
}

/// A message that stands after a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kept {
    Prompt(JsString),
    Answer(JsString),
    Summary(JsString),
}

impl Compaction {
    /// Reads a payload; `None` when it says nothing.
    pub(super) fn parse(payload: Raw<'_>) -> Option<Self> {
        let [message, history] = payload.members(["message", "replacement_history"])?.found;
        let message = message.and_then(Raw::decode);
        let summary = message.map(|message| injected::summary(message.as_js_str()));
        let summary = summary.filter(|summary| !summary.is_empty());
        match history.filter(|history| history.kind() == Kind::Array) {
            Some(history) => Some(Self::Replaced(kept(&message::list(history), summary))),
            None => summary.map(Self::Summarized),
        }
    }

    /// The texts that stand after it.
    pub(super) fn texts(&self) -> impl Iterator<Item = &JsString> {
        let (kept, summary) = match self {
            Self::Replaced(kept) => (kept.as_slice(), None),
            Self::Summarized(summary) => (Default::default(), Some(summary)),
        };
        kept.iter().map(Kept::text).chain(summary)
    }

    /// Drops the messages whose text is not wanted.
    pub(super) fn retain(&mut self, wanted: impl Fn(&JsString) -> bool) {
        if let Self::Replaced(kept) = self {
            kept.retain(|kept| wanted(kept.text()));
        }
    }
}

impl Kept {
    const fn text(&self) -> &JsString {
        match self {
            Self::Prompt(text) | Self::Answer(text) | Self::Summary(text) => text,
        }
    }
}

/// The messages of a history, with the summary told apart: what `message` repeats, else the last
/// that a user says. A history with an encrypted summary has no other.
fn kept(history: &[Raw<'_>], summary: Option<JsString>) -> Vec<Kept> {
    let mut kept = Vec::new();
    let mut encrypted = false;
    for item in history {
        match response_item(*item) {
            Fact::Said(Said {
                role: Role::User,
                text,
                ..
            }) => kept.push(Kept::Prompt(text)),
            Fact::Said(Said { text, .. }) => kept.push(Kept::Answer(text)),
            _ => encrypted |= item.member("encrypted_content").is_some() && is_compaction(*item),
        }
    }
    if history.is_empty() {
        return kept;
    }
    let repeats = |kept: &Kept| match (kept, &summary) {
        (Kept::Prompt(text), Some(summary)) => injected::summary(text.as_js_str()) == *summary,
        (Kept::Prompt(_), None) => !encrypted,
        _ => false,
    };
    match (kept.iter().rposition(repeats), summary) {
        (Some(at), _) => {
            if let Kept::Prompt(text) = &kept[at] {
                kept[at] = Kept::Summary(injected::summary(text.as_js_str()));
            }
        }
        (None, Some(summary)) => kept.push(Kept::Summary(summary)),
        (None, None) => {}
    }
    kept
}

fn is_compaction(item: Raw<'_>) -> bool {
    ["compaction", "compaction_summary", "context_compaction"]
        .iter()
        .any(|name| item.member("type").is_some_and(|kind| kind.is_string(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compaction(json: &str) -> Option<String> {
        let compaction = Compaction::parse(Raw::checked(json.as_bytes()))?;
        let list = match compaction {
            Compaction::Summarized(text) => return Some(format!("= {text}")),
            Compaction::Replaced(list) => list,
        };
        let words = list.iter().map(|kept| match kept {
            Kept::Prompt(text) => format!("u:{text}"),
            Kept::Answer(text) => format!("a:{text}"),
            Kept::Summary(text) => format!("c:{text}"),
        });
        Some(words.collect::<Vec<_>>().join(" "))
    }

    fn user(text: &str) -> String {
        format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#
        )
    }

    fn replaced(message: &str, items: &[String]) -> String {
        let json = format!(
            r#"{{"message":"{message}","replacement_history":[{}]}}"#,
            items.join(",")
        );
        compaction(&json).unwrap()
    }

    #[test]
    fn the_last_thing_a_user_says_is_the_summary() {
        let items = [
            user("a"),
            user("<environment_context>x</environment_context>"),
            user("Sum"),
        ];
        assert_eq!(replaced("", &items), "u:a c:Sum");
        assert_eq!(replaced("", &[]), "");
        assert_eq!(replaced("Sum", &[]), "");
    }

    #[test]
    fn the_message_tells_which_one_it_is() {
        let lead = "Another language model started to solve this problem and left a summary:\\n";
        let items = [user("a"), user(&format!("{lead}Sum")), user("b")];
        assert_eq!(replaced(&format!("{lead}Sum"), &items), "u:a c:Sum u:b");
        assert_eq!(replaced("Sum", &[user("a")]), "u:a c:Sum");
    }

    #[test]
    fn an_encrypted_summary_leaves_the_prompts() {
        let sealed = r#"{"type":"compaction","encrypted_content":"gAAA"}"#.to_owned();
        assert_eq!(replaced("", &[user("a"), user("b"), sealed]), "u:a u:b");
    }

    #[test]
    fn pictures_in_a_history() {
        let picture = r#"{"type":"message","role":"user","content":[{"type":"input_image"}]}"#;
        assert_eq!(
            replaced("", &[picture.into(), user("Sum")]),
            "u:[image] c:Sum"
        );
    }

    #[test]
    fn older_logs_have_the_message_alone() {
        assert_eq!(compaction(r#"{"message":"Sum"}"#).unwrap(), "= Sum");
        assert_eq!(
            compaction(r#"{"message":"Sum","replacement_history":null}"#).unwrap(),
            "= Sum"
        );
        assert_eq!(compaction(r#"{"message":" "}"#), None);
        assert_eq!(compaction("7"), None);
    }
}

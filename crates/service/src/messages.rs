use sref_query::{CancellationToken, SessionQuery};
use sref_session::{Block, Message, Placement, SessionId};
use sref_uri::{LeftAsText, Reference, Schemes, extract};

use crate::request::distinct;
use crate::{ContextMessage, ReferenceError, SessionReferenceResolver};

/// The messages of a step after their mentions were resolved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PreparedMessages {
    /// The messages that were given, in their order, with the contexts in their places.
    pub messages: Vec<PreparedMessage>,
    /// What looks like a reference and stayed text; empty unless the mention options allow it.
    pub left_as_text: Vec<LeftInMessage>,
}

/// A message of a step after its mentions were resolved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PreparedMessage {
    /// A message that was given and cites nothing: the same value, not a copy.
    Same(Message),
    /// A message that was given, with `@label` in the place of each mention. Its id and all else
    /// stay; its text blocks keep nothing but their text.
    Rewritten(Message),
    /// The snapshots of the sessions that a message cites: new in the step.
    Context(ContextMessage),
}

impl PreparedMessage {
    /// The message.
    #[must_use]
    pub const fn message(&self) -> &Message {
        match self {
            Self::Same(message) | Self::Rewritten(message) => message,
            Self::Context(context) => &context.message,
        }
    }

    /// The message, by value.
    #[must_use]
    pub fn into_message(self) -> Message {
        match self {
            Self::Same(message) | Self::Rewritten(message) => message,
            Self::Context(context) => context.message,
        }
    }
}

/// A URI that stayed text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftInMessage {
    /// The place of the message among those given, from 0.
    pub message: usize,
    /// The place of the text block in its message, from 0.
    pub block: usize,
    /// The place in the block's text, and why it stayed.
    pub left: LeftAsText,
}

/// What the listeners before this one decided about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a step happens or it does not")]
pub enum Decision<M, R> {
    /// It happens, with these messages.
    Enter(M),
    /// It does not, for this reason.
    Reject(R),
}

/// What the mentions of a message come to.
struct Mentions {
    /// The blocks of the message, with labels in the place of mentions.
    blocks: Vec<Block>,
    /// The different sessions that it cites; at least one.
    references: Vec<Reference>,
}

impl<Q: SessionQuery> SessionReferenceResolver<Q> {
    /// Resolves the mentions in the messages of an agent's step.
    ///
    /// A message of role and source `user` is read, each of its text blocks for itself; every other
    /// message passes. One that cites sessions is rewritten and gets a context message of its own,
    /// before or behind it as the dialect has it. Each message may cite as many sessions as
    /// [`prepare`](Self::prepare) allows; a session that two of them cite is read for each.
    ///
    /// # Errors
    ///
    /// The whole step fails with the error of the first message that fails, in the order of the
    /// messages:
    ///
    /// - [`ReferenceError::InvalidMention`] if its text holds a malformed reference;
    /// - otherwise as [`prepare`](Self::prepare).
    ///
    /// # Deviation
    ///
    /// In the seeds it depends on timing which of several errors is reported.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures::executor::block_on;
    /// use sref_query::{CancellationToken, MemoryCorpus};
    /// use sref_service::{Config, PreparedMessage, SessionReferenceResolver};
    /// use sref_session::{Message, SessionHeader, SurfaceSnapshot, json};
    ///
    /// let corpus = MemoryCorpus::new();
    /// corpus.set_surface("a", SurfaceSnapshot::new(SessionHeader::new("a", 1), None, vec![]));
    /// let resolver = SessionReferenceResolver::new(corpus, Config::default());
    ///
    /// let given = br#"{"id":"m-1","role":"user","source":{"kind":"user"},
    ///     "content":[{"type":"text","text":"see @[plan](dsh-session:ImEi)"}]}"#;
    /// let given = Message::from_json(json::parse(given)?)?;
    /// let cancel = CancellationToken::new();
    /// let step = block_on(resolver.prepare_messages(&"me".into(), vec![given], &cancel))?.messages;
    /// assert_eq!(step[0].message().content()[0].text().unwrap(), "see @plan");
    /// assert!(matches!(&step[1], PreparedMessage::Context(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn prepare_messages(
        &self,
        agent_id: &SessionId,
        messages: Vec<Message>,
        cancel: &CancellationToken,
    ) -> Result<PreparedMessages, ReferenceError> {
        let schemes = self.schemes();
        let mut read = Vec::with_capacity(messages.len());
        let mut cited = Vec::new();
        let mut left_as_text = Vec::new();
        let mut failed = None;
        for (index, message) in messages.into_iter().enumerate() {
            match self.find_mentions(agent_id, (index, &message), &schemes, &mut left_as_text) {
                Ok(None) => read.push(PreparedMessage::Same(message)),
                Ok(Some(found)) => {
                    read.push(PreparedMessage::Rewritten(
                        message.with_content(found.blocks),
                    ));
                    cited.push(found.references);
                }
                Err(error) if failed.is_none() => failed = Some((error, cited.len())),
                // An earlier message fails already.
                Err(_) => {}
            }
        }
        let wanted = failed.as_ref().map_or(cited.len(), |(_, before)| *before);
        let contexts = self.contexts(&cited, wanted, cancel).await?;
        // Only now: what cannot be read for an earlier message comes first.
        if let Some((error, _)) = failed {
            return Err(error);
        }
        Ok(PreparedMessages {
            messages: self.place(read, contexts),
            left_as_text,
        })
    }

    /// [`prepare_messages`](Self::prepare_messages) behind other listeners of the same step: a
    /// rejected step passes, and nothing is read for it.
    ///
    /// # Errors
    ///
    /// As [`prepare_messages`](Self::prepare_messages).
    pub async fn pre_step<R>(
        &self,
        agent_id: &SessionId,
        decision: Decision<Vec<Message>, R>,
        cancel: &CancellationToken,
    ) -> Result<Decision<PreparedMessages, R>, ReferenceError> {
        match decision {
            Decision::Enter(messages) => {
                let prepared = self.prepare_messages(agent_id, messages, cancel).await?;
                Ok(Decision::Enter(prepared))
            }
            Decision::Reject(reason) => Ok(Decision::Reject(reason)),
        }
    }
}

impl<Q> SessionReferenceResolver<Q> {
    /// Finds what a message cites; `None` when that is nothing.
    fn find_mentions(
        &self,
        agent_id: &SessionId,
        (index, message): (usize, &Message),
        schemes: &Schemes,
        left_as_text: &mut Vec<LeftInMessage>,
    ) -> Result<Option<Mentions>, ReferenceError> {
        if !is_direct(message) {
            return Ok(None);
        }
        let mut references = Vec::new();
        let mut texts = Vec::with_capacity(message.content().len());
        for (place, block) in message.content().iter().enumerate() {
            let Some(text) = block.text() else {
                texts.push(None);
                continue;
            };
            let found = extract(text.as_js_str(), schemes, self.mentions()).map_err(|source| {
                ReferenceError::InvalidMention {
                    message: index,
                    block: place,
                    source,
                }
            })?;
            references.extend(found.references);
            left_as_text.extend(found.left_as_text.into_iter().map(|left| LeftInMessage {
                message: index,
                block: place,
                left,
            }));
            texts.push(Some(found.text));
        }
        if references.is_empty() {
            return Ok(None);
        }
        let references = distinct(agent_id, &references, self.config().max_references())?;
        let blocks = texts.into_iter().zip(message.content());
        let blocks = blocks.map(|(text, block)| text.map_or_else(|| block.clone(), Block::Text));
        Ok(Some(Mentions {
            blocks: blocks.collect(),
            references,
        }))
    }

    /// The messages of the step, each context beside the message that it belongs to.
    fn place(
        &self,
        read: Vec<PreparedMessage>,
        contexts: Vec<ContextMessage>,
    ) -> Vec<PreparedMessage> {
        let before = self.dialect().placement() == Placement::Before;
        let mut out = Vec::with_capacity(read.len() + contexts.len());
        let mut contexts = contexts.into_iter().map(PreparedMessage::Context);
        for message in read {
            if !matches!(message, PreparedMessage::Rewritten(_)) {
                out.push(message);
            } else if before {
                out.extend(contexts.next());
                out.push(message);
            } else {
                out.push(message);
                out.extend(contexts.next());
            }
        }
        out
    }
}

/// Whether these are a person's own words, and not what a plugin or a tool says in the user role.
fn is_direct(message: &Message) -> bool {
    message.source().is_user() && message.role().is_some_and(|role| *role == *"user")
}

use sref_projection::{Conversation, Identity, Kept, Retained, project, retain, share_budget};
use sref_session::{Block, Losses, Message, SurfaceSnapshot};
use sref_uri::Reference;

use crate::{ReferenceError, SessionReferenceResolver, SourceRecord};

/// The snapshots that belong to one message, as a message of their own.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextMessage {
    /// The message: role `user`, a fresh id, the records in its source, one text block.
    pub message: Message,
    /// One record for each cited session, in the order in which they are cited.
    pub references: Vec<SourceRecord>,
    /// The rendered object of each, as it stands in the message's text.
    pub objects: Vec<String>,
    /// What was kept of each conversation, for receipts and continuations.
    pub kept: Vec<Vec<Kept>>,
    /// What may be missing from each session beside what was left out, because its log is damaged.
    /// Neither the text nor the records speak of it; what tells a person or a model should.
    pub losses: Vec<Losses>,
}

/// A cited session, read and projected.
struct Cited<'a> {
    reference: &'a Reference,
    surface: &'a SurfaceSnapshot,
    conversation: Conversation<'a>,
}

impl<Q> SessionReferenceResolver<Q> {
    /// Renders what was read of the cited sessions. Surfaces stand in the order of the references.
    pub(crate) fn context(
        &self,
        references: &[Reference],
        surfaces: &[SurfaceSnapshot],
    ) -> Result<ContextMessage, ReferenceError> {
        let cited: Vec<Cited<'_>> = references
            .iter()
            .zip(surfaces)
            .map(|(reference, surface)| Cited {
                reference,
                surface,
                conversation: project(surface, self.dialect().checkpoints()),
            })
            .collect();
        let mut records = Vec::with_capacity(cited.len());
        let mut objects = Vec::with_capacity(cited.len());
        let mut kept = Vec::with_capacity(cited.len());
        for (input_index, (cited, retained)) in
            cited.iter().zip(self.retain_all(&cited)?).enumerate()
        {
            records.push(SourceRecord {
                session_id: cited.surface.header.id.clone(),
                label: cited.reference.label.clone(),
                captured_format_version: cited.surface.captured_format_version,
                captured_through_seq: cited.surface.captured_through_seq,
                facts: retained.facts,
                input_index,
            });
            objects.push(retained.rendered);
            kept.push(retained.kept);
        }
        let text = Block::Text(self.frame().render(&objects).into());
        let source = SourceRecord::source_json(&records);
        Ok(ContextMessage {
            message: Message::user(self.next_message_id(), source, vec![text]),
            references: records,
            objects,
            kept,
            losses: (cited.iter())
                .map(|own| own.surface.losses.clone())
                .collect(),
        })
    }

    /// Chooses what is kept of each session: within the budget of one, then within the shared one.
    fn retain_all(&self, cited: &[Cited<'_>]) -> Result<Vec<Retained>, ReferenceError> {
        let most = self.config().max_reference_bytes();
        let mut all = Vec::with_capacity(cited.len());
        for cited in cited {
            all.push(self.retain(cited, most)?);
        }
        if let Some(total) = self.shared_budget() {
            let needs: Vec<usize> = all.iter().map(|own| own.rendered.len()).collect();
            let shares = share_budget(total, &needs, most);
            for ((own, cited), share) in all.iter_mut().zip(cited).zip(shares) {
                if own.rendered.len() > share {
                    *own = self.retain(cited, share)?;
                }
            }
        }
        Ok(all)
    }

    fn retain(&self, cited: &Cited<'_>, budget: usize) -> Result<Retained, ReferenceError> {
        let label = cited.reference.label.as_js_str();
        let identity = Identity::of_surface(cited.surface, label);
        retain(
            &identity,
            &cited.conversation,
            budget,
            self.retention(),
            self.profile(),
        )
        .map_err(|source| ReferenceError::BudgetExceeded {
            session_id: cited.reference.session_id.clone(),
            source,
        })
    }
}

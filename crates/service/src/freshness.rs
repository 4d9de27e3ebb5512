use sref_projection::project;
use sref_query::{CancellationToken, SessionQuery};
use sref_session::SurfaceSnapshot;

use crate::wait::race;
use crate::{ReferenceError, SessionReferenceResolver, SourceRecord};

/// What became of a session since a snapshot of it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Freshness {
    /// How many messages of the conversation came later. Absent when that cannot be told: the
    /// session is gone, or its log was rewritten in a format that numbers events otherwise.
    pub gained_messages: Option<u64>,
    /// Whether it was compacted later, so that a checkpoint stands for what the snapshot shows.
    pub compacted: bool,
    /// Whether some of what the snapshot was taken from is gone without a compaction: the log ends
    /// earlier now, or messages were taken back.
    pub shortened: bool,
    /// Whether there is no such session any more.
    pub deleted: bool,
}

impl Freshness {
    /// Whether a new snapshot would show the same conversation.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.gained_messages == Some(0) && !self.compacted && !self.shortened && !self.deleted
    }
}

impl<Q: SessionQuery> SessionReferenceResolver<Q> {
    /// Tells whether a session went on since it was cited, from one read of it.
    ///
    /// It is the session that the record names that is read, also where the id cited was an alias.
    ///
    /// # Errors
    ///
    /// - [`ReferenceError::Cancelled`] if `cancel` fires; a pending read is dropped.
    /// - [`ReferenceError::ReadFailed`] if the session exists and cannot be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures::executor::block_on;
    /// use sref_query::{CancellationToken, MemoryCorpus};
    /// use sref_service::{Config, SessionReferenceResolver};
    /// use sref_session::{Block, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot};
    /// use sref_uri::Reference;
    ///
    /// let said = |seq| SurfaceEvent::user(seq, Source::user(), vec![Block::Text("go".into())]);
    /// let surface = |through: u64| {
    ///     let events = (0..=through).map(said).collect();
    ///     SurfaceSnapshot::new(SessionHeader::new("s", 1), Some(through), events)
    /// };
    /// let corpus = MemoryCorpus::new();
    /// corpus.set_surface("s", surface(1));
    /// let resolver = SessionReferenceResolver::new(&corpus, Config::default());
    ///
    /// let cancel = CancellationToken::new();
    /// let cited = [Reference::new("s", "S")];
    /// let prepared = block_on(resolver.prepare(&"me".into(), vec![], &cited, &cancel))?;
    /// let record = &prepared.context.unwrap().references[0];
    /// assert!(block_on(resolver.freshness(record, &cancel))?.is_current());
    ///
    /// corpus.set_surface("s", surface(4));
    /// assert_eq!(block_on(resolver.freshness(record, &cancel))?.gained_messages, Some(3));
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub async fn freshness(
        &self,
        record: &SourceRecord,
        cancel: &CancellationToken,
    ) -> Result<Freshness, ReferenceError> {
        let read = cancel.child_token();
        let _stop = read.drop_guard_ref();
        let surface = race(cancel, self.find(&record.session_id, &read)).await??;
        Ok(match surface {
            Some(surface) => self.compare(record, surface),
            None => Freshness {
                gained_messages: None,
                compacted: false,
                shortened: false,
                deleted: true,
            },
        })
    }
}

impl<Q> SessionReferenceResolver<Q> {
    fn compare(&self, record: &SourceRecord, mut surface: SurfaceSnapshot) -> Freshness {
        let mut freshness = Freshness {
            gained_messages: None,
            compacted: false,
            shortened: false,
            deleted: false,
        };
        let versions = (
            record.captured_format_version,
            surface.captured_format_version,
        );
        if matches!(versions, (Some(then), Some(now)) if then != now) {
            return freshness;
        }
        let through = record.captured_through_seq;
        let all = self.count(&surface);
        surface.events.retain(|event| Some(event.seq) > through);
        let later = self.count(&surface);
        freshness.gained_messages = Some(later.messages - later.checkpoints);
        freshness.compacted = later.checkpoints > 0;
        let kept = all.messages - later.messages;
        freshness.shortened = surface.captured_through_seq < through
            || (!freshness.compacted && kept < record.facts.original_messages);
        freshness
    }

    fn count(&self, surface: &SurfaceSnapshot) -> Count {
        let conversation = project(surface, self.dialect().checkpoints());
        let items = conversation.items();
        Count {
            messages: items.len() as u64,
            checkpoints: items.iter().filter(|item| item.checkpoint).count() as u64,
        }
    }
}

/// The messages of a projected conversation, and how many of them are checkpoints.
struct Count {
    messages: u64,
    checkpoints: u64,
}

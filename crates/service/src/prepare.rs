use futures::StreamExt as _;
use sref_query::{CancellationToken, QueryError, SessionQuery};
use sref_session::{Block, SessionId, SurfaceSnapshot};
use sref_uri::Reference;

use crate::in_order::start_all;
use crate::request::distinct;
use crate::wait::race;
use crate::{ContextMessage, ReferenceError, SessionReferenceResolver};

/// A message's content and the context that belongs to it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prepared {
    /// The blocks that were given, as they were.
    pub content: Vec<Block>,
    /// The snapshots of the cited sessions, as one message; absent when none is cited.
    pub context: Option<ContextMessage>,
}

impl<Q: SessionQuery> SessionReferenceResolver<Q> {
    /// Makes one context message of the sessions that a message cites.
    ///
    /// All or nothing: either every cited session is in the context or the call fails. What comes
    /// back is detached; nothing that happens to a source later changes it.
    ///
    /// # Errors
    ///
    /// In this order; where several references fail, the first one is reported, however fast the
    /// others are.
    ///
    /// - [`ReferenceError::SelfReference`] if one of them is `agent_id`.
    /// - [`ReferenceError::TooMany`] if more different sessions are cited than the configuration
    ///   allows. A repeated session counts once, and its first label holds.
    /// - [`ReferenceError::Cancelled`] if `cancel` has fired or fires before all sessions are read;
    ///   pending reads are dropped. Without references a fired token does no harm.
    /// - [`ReferenceError::ReadFailed`] if a session does not exist or cannot be read.
    /// - [`ReferenceError::BudgetExceeded`] if its id, label and directory alone are too big.
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
    /// let said = SurfaceEvent::user(0, Source::user(), vec![Block::Text("use argon2".into())]);
    /// let header = SessionHeader::new("s-1", 1_780_000_000_000);
    /// let corpus = MemoryCorpus::new();
    /// corpus.set_surface("s-1", SurfaceSnapshot::new(header, Some(0), vec![said]));
    /// let resolver = SessionReferenceResolver::new(corpus, Config::default());
    ///
    /// let cited = [Reference::new("s-1", "Login")];
    /// let content = vec![Block::Text("Do as in @Login.".into())];
    /// let cancel = CancellationToken::new();
    /// let prepared = block_on(resolver.prepare(&"me".into(), content, &cited, &cancel))?;
    /// let context = prepared.context.unwrap();
    /// assert_eq!(context.references[0].captured_through_seq, Some(0));
    /// assert!(context.objects[0].contains("use argon2"));
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub async fn prepare(
        &self,
        agent_id: &SessionId,
        content: Vec<Block>,
        references: &[Reference],
        cancel: &CancellationToken,
    ) -> Result<Prepared, ReferenceError> {
        let cited = distinct(agent_id, references, self.config().max_references())?;
        let cited = if cited.is_empty() {
            vec![]
        } else {
            vec![cited]
        };
        let mut contexts = self.contexts(&cited, cited.len(), cancel).await?;
        Ok(Prepared {
            content,
            context: contexts.pop(),
        })
    }

    /// One context message for each of the first `wanted` lists of references; no list is empty.
    pub(crate) async fn contexts(
        &self,
        cited: &[Vec<Reference>],
        wanted: usize,
        cancel: &CancellationToken,
    ) -> Result<Vec<ContextMessage>, ReferenceError> {
        self.each(cited, wanted, cancel, |references, surfaces| {
            self.context(references, &surfaces)
        })
        .await
    }

    /// Reads the sessions that lists of references cite, and makes something of those of each of the
    /// first `wanted` lists.
    ///
    /// The sessions of all lists are read, and every read is started before an answer of any is
    /// looked at. Failures are reported in the order of the references; a failure of a list that
    /// is not wanted is none, and where none is wanted a fired token does no harm.
    pub(crate) async fn each<T>(
        &self,
        cited: &[Vec<Reference>],
        wanted: usize,
        cancel: &CancellationToken,
        make: impl Fn(&[Reference], Vec<SurfaceSnapshot>) -> Result<T, ReferenceError>,
    ) -> Result<Vec<T>, ReferenceError> {
        let reads = cancel.child_token();
        // Stops what a drop does not stop: reads on blocking threads, when another one has failed
        // or the caller has dropped this call.
        let _stop = reads.drop_guard_ref();
        // Collected first: a closure over a reference inside the stream would cost the `Send` of
        // this future (rust-lang/rust#104382).
        let calls: Vec<_> = cited
            .iter()
            .flatten()
            .map(|reference| self.read(&reference.session_id, &reads))
            .collect();
        let started = race(cancel, start_all(calls)).await;
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let mut answers = started?;
        let mut made = Vec::with_capacity(wanted);
        for references in &cited[..wanted] {
            let mut surfaces = Vec::with_capacity(references.len());
            for _ in references {
                surfaces.extend(race(cancel, answers.next()).await?.transpose()?);
            }
            made.push(make(references, surfaces)?);
        }
        Ok(made)
    }

    async fn read(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<SurfaceSnapshot, ReferenceError> {
        let absent = || ReferenceError::ReadFailed {
            session_id: id.clone(),
            source: QueryError::SessionNotFound { id: id.clone() }.into(),
        };
        self.find(id, cancel).await?.ok_or_else(absent)
    }

    /// What a session shows now, or `None` when there is no such session.
    pub(crate) async fn find(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, ReferenceError> {
        let failed = |error: Q::Error| ReferenceError::ReadFailed {
            session_id: id.clone(),
            source: error.into(),
        };
        self.query().surface(id, cancel).await.map_err(failed)
    }
}

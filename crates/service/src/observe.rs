use sref_query::{CancellationToken, SessionQuery};
use sref_session::{Losses, SessionId, SurfaceSnapshot};
use sref_uri::Reference;

use crate::request::distinct;
use crate::{ContextMessage, ReferenceError, SessionReferenceResolver};

/// The sessions that a message cites as one read found them, to be rendered as often as needed.
///
/// A host whose limit is not in bytes tries several budgets, and has to know before the first what
/// else it will say of the sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub(crate) references: Vec<Reference>,
    /// One for each reference.
    pub(crate) surfaces: Vec<SurfaceSnapshot>,
}

impl Observed {
    /// The sessions in the order in which they are cited, each once: the id of the session that was
    /// read, and what may be missing from it.
    #[must_use]
    pub fn sessions(&self) -> impl ExactSizeIterator<Item = (&SessionId, &Losses)> {
        let surfaces = self.surfaces.iter();
        surfaces.map(|surface| (&surface.header.id, &surface.losses))
    }
}

impl<Q: SessionQuery> SessionReferenceResolver<Q> {
    /// Reads the sessions that a message cites: the first half of [`prepare`](Self::prepare), of
    /// which [`render`](Self::render) is the second.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare), but for the last one.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures::executor::block_on;
    /// use sref_query::{CancellationToken, MemoryCorpus};
    /// use sref_service::{Config, SessionReferenceResolver};
    /// use sref_session::{Loss, SessionHeader, SurfaceSnapshot};
    /// use sref_uri::Reference;
    ///
    /// let mut surface = SurfaceSnapshot::new(SessionHeader::new("s-1", 1), None, vec![]);
    /// surface.losses.add(Loss::new("store.cut-off", "the log was cut off"));
    /// let corpus = MemoryCorpus::new();
    /// corpus.set_surface("s-1", surface);
    /// let resolver = SessionReferenceResolver::new(&corpus, Config::default());
    ///
    /// let cited = [Reference::new("s-1", "Login")];
    /// let cancel = CancellationToken::new();
    /// let observed = block_on(resolver.observe(&"me".into(), &cited, &cancel))?;
    /// let (_, losses) = observed.sessions().next().unwrap();
    /// assert_eq!(losses.to_string(), "the log was cut off");
    ///
    /// let small = resolver.clone().with_shared_budget(Some(200)).render(&observed)?.unwrap();
    /// assert_eq!(small.losses[0].to_string(), "the log was cut off");
    /// // The snapshot is the same, whatever was lost.
    /// assert!(!small.objects[0].contains("cut off"));
    /// # Ok::<(), sref_service::ReferenceError>(())
    /// ```
    pub async fn observe(
        &self,
        agent_id: &SessionId,
        references: &[Reference],
        cancel: &CancellationToken,
    ) -> Result<Observed, ReferenceError> {
        let cited = distinct(agent_id, references, self.config().max_references())?;
        if cited.is_empty() {
            return Ok(Observed {
                references: cited,
                surfaces: Vec::new(),
            });
        }
        let cited = [cited];
        let mut read = self
            .each(&cited, cited.len(), cancel, |_, surfaces| Ok(surfaces))
            .await?;
        let [references] = cited;
        Ok(Observed {
            references,
            surfaces: read.pop().unwrap_or_default(),
        })
    }
}

impl<Q> SessionReferenceResolver<Q> {
    /// Renders what was read under the limits of this resolver; `None` when nothing was cited.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::BudgetExceeded`] if the id, label and directory of a session alone are too
    /// big.
    pub fn render(&self, observed: &Observed) -> Result<Option<ContextMessage>, ReferenceError> {
        if observed.references.is_empty() {
            return Ok(None);
        }
        self.context(&observed.references, &observed.surfaces)
            .map(Some)
    }
}

use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use sref_session::{JsString, SessionId, SurfaceSnapshot};
use tokio_util::sync::CancellationToken;

use crate::SessionRecord;

/// Any error that can cross a thread.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The title of one session: absent when it has none, an error when it could not be read.
pub type TitleResult = Result<Option<JsString>, BoxError>;

/// Where recorded sessions come from: log directories, a database, a running harness.
///
/// # Contract
///
/// - **Absence.** A session that does not exist is `Ok(None)` from [`surface`](Self::surface) and
///   one failed entry from [`titles`](Self::titles). `Err` means that the store could not answer.
/// - **Isolation.** One bad log costs its own session: its title, its surface, at worst its place
///   in the listing. It never fails the listing or the titles of others.
/// - **Order.** A listing stands in the order in which a person should see it, newest first;
///   callers keep it. Titles stand in the order of the ids asked for.
/// - **One observation.** A surface is what the session showed at one moment. Two calls may see
///   different moments.
/// - **Losses.** What could not be read of a log whose session could be read stands in the surface's
///   [`losses`](SurfaceSnapshot::losses), from the same read. A store that never passes anything over
///   leaves them empty.
/// - **Concurrency.** Calls may run at the same time, any number of them. A store that can bear
///   only a few reads at once makes the rest wait.
/// - **Dropping.** A future may be dropped at any `.await`. The store must stay usable.
/// - **Cancellation.** Callers race their token against the call and drop the call, so an
///   implementation that only awaits can ignore `cancel`. It is for work that a drop does not stop,
///   such as a read on a blocking thread: look at it between two chunks and give up with any error.
/// - **Detachment.** What was returned does not change when the session goes on.
///
/// # Implementing
///
/// Write plain `async fn`s; the bound on the return type makes the compiler check that they are
/// `Send`. Where the concrete type must not show, hold an
/// [`Arc<dyn DynSessionQuery>`](crate::DynSessionQuery), which is a `SessionQuery` too.
///
/// ```
/// use std::sync::Arc;
///
/// use futures::executor::block_on;
/// use sref_query::{CancellationToken, MemoryCorpus, QueryError, SessionQuery, SessionRecord, TitleResult};
/// use sref_session::{SessionId, SurfaceSnapshot};
///
/// /// Sessions of another store, without those of sub-agents.
/// struct MainSessions(MemoryCorpus);
///
/// impl SessionQuery for MainSessions {
///     type Error = QueryError;
///
///     async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
///         let records = self.0.list(cancel).await?;
///         Ok(records.iter().filter(|record| !record.is_subagent).cloned().collect())
///     }
///
///     async fn titles(
///         &self,
///         ids: &[SessionId],
///         cancel: &CancellationToken,
///     ) -> Result<Vec<TitleResult>, QueryError> {
///         self.0.titles(ids, cancel).await
///     }
///
///     async fn surface(
///         &self,
///         id: &SessionId,
///         cancel: &CancellationToken,
///     ) -> Result<Option<SurfaceSnapshot>, QueryError> {
///         self.0.surface(id, cancel).await
///     }
/// }
///
/// let query = MainSessions(MemoryCorpus::new());
/// assert!(block_on(query.list(&CancellationToken::new()))?.is_empty());
/// # Ok::<(), QueryError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of sessions",
    note = "an erased query is `Arc<dyn DynSessionQuery>`, not `Box` or a plain reference to it"
)]
pub trait SessionQuery: Send + Sync {
    /// What can go wrong in the store as a whole.
    type Error: Into<BoxError>;

    /// All sessions, in the order of the contract.
    ///
    /// Cheap: headers only, no log is read to its end. The listing is shared, so that a store that
    /// keeps one lends it.
    ///
    /// # Errors
    ///
    /// The store could not be listed at all.
    fn list(
        &self,
        cancel: &CancellationToken,
    ) -> impl Future<Output = Result<Arc<[SessionRecord]>, Self::Error>> + Send;

    /// The titles of some sessions: one entry for each id, in the order of the ids.
    ///
    /// # Errors
    ///
    /// The store could not answer at all. What is wrong with one session stands in its entry.
    fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> impl Future<Output = Result<Vec<TitleResult>, Self::Error>> + Send;

    /// What a session shows now, or `None` when there is no such session.
    ///
    /// # Errors
    ///
    /// The session exists and could not be read, or the store could not tell.
    fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> impl Future<Output = Result<Option<SurfaceSnapshot>, Self::Error>> + Send;
}

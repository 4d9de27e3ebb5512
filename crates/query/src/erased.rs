use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sref_session::{SessionId, SurfaceSnapshot};
use tokio_util::sync::CancellationToken;

use crate::{BoxError, SessionQuery, SessionRecord, TitleResult};

/// [`SessionQuery`] with its types erased: hold it as `Arc<dyn DynSessionQuery>`.
///
/// Implemented for every [`SessionQuery`]. It cannot be implemented by hand, so methods can be
/// added without a breaking release. The `Arc` is a [`SessionQuery`] itself, so generic code takes
/// both forms; the price is one allocation a call.
///
/// ```
/// use std::sync::Arc;
///
/// use sref_query::{CancellationToken, DynSessionQuery, MemoryCorpus, SessionQuery};
///
/// async fn count<Q: SessionQuery>(query: &Q) -> Result<usize, Q::Error> {
///     Ok(query.list(&CancellationToken::new()).await?.len())
/// }
///
/// let erased: Arc<dyn DynSessionQuery> = Arc::new(MemoryCorpus::new());
/// assert_eq!(futures::executor::block_on(count(&erased)).unwrap(), 0);
/// ```
pub trait DynSessionQuery: sealed::Sealed + Send + Sync {
    /// [`SessionQuery::list`], boxed.
    fn list_boxed<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Arc<[SessionRecord]>, BoxError>>;

    /// [`SessionQuery::titles`], boxed.
    fn titles_boxed<'a>(
        &'a self,
        ids: &'a [SessionId],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<TitleResult>, BoxError>>;

    /// [`SessionQuery::surface`], boxed.
    fn surface_boxed<'a>(
        &'a self,
        id: &'a SessionId,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Option<SurfaceSnapshot>, BoxError>>;
}

impl<Q: SessionQuery> DynSessionQuery for Q {
    fn list_boxed<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Arc<[SessionRecord]>, BoxError>> {
        async move { self.list(cancel).await.map_err(Into::into) }.boxed()
    }

    fn titles_boxed<'a>(
        &'a self,
        ids: &'a [SessionId],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<TitleResult>, BoxError>> {
        async move { self.titles(ids, cancel).await.map_err(Into::into) }.boxed()
    }

    fn surface_boxed<'a>(
        &'a self,
        id: &'a SessionId,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Option<SurfaceSnapshot>, BoxError>> {
        async move { self.surface(id, cancel).await.map_err(Into::into) }.boxed()
    }
}

/// Closes the loop: an erased query is a query.
///
/// The calls go through the pointer, or the blanket impl above would call itself. The lifetime is
/// free because the compiler asks for that when it checks whether a future that holds such a
/// pointer is `Send` (rust-lang/rust#102211).
impl SessionQuery for Arc<dyn DynSessionQuery + '_> {
    type Error = BoxError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        (**self).list_boxed(cancel).await
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        (**self).titles_boxed(ids, cancel).await
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        (**self).surface_boxed(id, cancel).await
    }
}

mod sealed {
    #[expect(
        unnameable_types,
        reason = "not being nameable is what seals the trait"
    )]
    pub trait Sealed {}
    impl<Q: crate::SessionQuery> Sealed for Q {}
}

//! A pointer to a query is a query, so that a host can keep one and lend it.

use std::sync::Arc;

use sref_session::{SessionId, SurfaceSnapshot};
use tokio_util::sync::CancellationToken;

use crate::{SessionQuery, SessionRecord, TitleResult};

macro_rules! forward {
    ($pointer:ty) => {
        impl<Q: SessionQuery> SessionQuery for $pointer {
            type Error = Q::Error;

            async fn list(
                &self,
                cancel: &CancellationToken,
            ) -> Result<Arc<[SessionRecord]>, Q::Error> {
                (**self).list(cancel).await
            }

            async fn titles(
                &self,
                ids: &[SessionId],
                cancel: &CancellationToken,
            ) -> Result<Vec<TitleResult>, Q::Error> {
                (**self).titles(ids, cancel).await
            }

            async fn surface(
                &self,
                id: &SessionId,
                cancel: &CancellationToken,
            ) -> Result<Option<SurfaceSnapshot>, Q::Error> {
                (**self).surface(id, cancel).await
            }
        }
    };
}

forward!(&Q);
forward!(Arc<Q>);

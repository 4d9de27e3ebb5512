use std::future::Future;

use sref_query::CancellationToken;

use crate::ReferenceError;

/// Waits for an answer of the query, or for the caller's token.
///
/// A cancelled caller gets no answer, not even one that came in the same moment: what it asked for
/// is not wanted any more. The call is dropped at once.
pub(crate) async fn race<T>(
    cancel: &CancellationToken,
    call: impl Future<Output = T>,
) -> Result<T, ReferenceError> {
    let answer = cancel.run_until_cancelled(call).await;
    answer
        .filter(|_| !cancel.is_cancelled())
        .ok_or(ReferenceError::Cancelled)
}

use std::future::{Future, poll_fn, ready};
use std::task::Poll;

use futures::future::Either;
use futures::stream::FuturesOrdered;

/// Starts all calls before any answer is looked at, then gives the answers in the order of the
/// calls, whatever the order in which they arrive.
///
/// So what a caller reports first depends on the order of the calls alone, and nobody waits for an
/// answer that can no longer matter.
pub(crate) async fn start_all<F: Future>(
    calls: impl IntoIterator<Item = F>,
) -> FuturesOrdered<impl Future<Output = F::Output>> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    poll_fn(move |context| {
        let started = calls
            .drain(..)
            .map(|mut call| match call.as_mut().poll(context) {
                Poll::Ready(answer) => Either::Left(ready(answer)),
                Poll::Pending => Either::Right(call),
            });
        Poll::Ready(started.collect())
    })
    .await
}

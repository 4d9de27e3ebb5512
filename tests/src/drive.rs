//! An executor for futures that nothing outside can wake.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// What stands for the error of a call that [`drive`] gave up.
pub(crate) const STALLED: &str = "the call never ends";

/// Polls a future to its end; `None` when it waits and nothing is left that would wake it.
///
/// A read that hangs is part of the vectors, and an implementation that waits for it must fail
/// rather than hang the run. All reads are scripted on this thread, so a pending future whose waker
/// was not called will never go on.
pub(crate) fn drive<T>(future: impl Future<Output = T>) -> Option<T> {
    let woken = Arc::new(Woken(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    while woken.0.swap(false, Ordering::AcqRel) {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
    }
    None
}

/// Waits for one turn of the executor.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn a_stall_is_told_from_an_end() {
        assert_eq!(drive(ready(1)), Some(1));
        assert_eq!(drive(pending::<()>()), None);
        let turns = async {
            yield_once().await;
            yield_once().await;
            "end"
        };
        assert_eq!(drive(turns), Some("end"));
        // A turn is one poll that does not end.
        let mut polls = 0;
        let mut future = pin!(yield_once());
        drive(poll_fn(|context| {
            polls += 1;
            future.as_mut().poll(context)
        }));
        assert_eq!(polls, 2);
    }
}

//! A corpus whose answers can be held back, and shorthands for what tests put into it.

use std::collections::HashMap;
use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use sref_query::{
    BoxError, CancellationToken, ListedTitle, MemoryCorpus, SessionQuery, SessionRecord,
    TitleResult,
};
use sref_service::{Config, SessionReferenceResolver};
use sref_session::{Block, SessionHeader, SessionId, Source, SurfaceEvent, SurfaceSnapshot};

/// What a call does before it answers.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// It is pending so many times.
    Slow(usize),
    /// It fires the token of the test and answers in the same moment.
    Cancels,
    /// It never answers.
    Hangs,
}

/// An answer to a title batch.
pub(crate) type TitleBatch = fn() -> Result<Vec<TitleResult>, BoxError>;

/// A [`MemoryCorpus`] that takes its time and notes what it is asked.
#[derive(Default)]
pub(crate) struct Paced {
    pub(crate) corpus: MemoryCorpus,
    pub(crate) list: Option<Pace>,
    pub(crate) titles: Option<Pace>,
    /// The answer to a title batch, if not the corpus's.
    pub(crate) title_batch: Option<TitleBatch>,
    pub(crate) surfaces: HashMap<SessionId, Pace>,
    /// Fired by [`Pace::Cancels`].
    pub(crate) cancel: CancellationToken,
    title_reads: Mutex<Vec<Vec<String>>>,
    reads: Mutex<Vec<String>>,
    /// The tokens that surface reads were given.
    tokens: Mutex<Vec<CancellationToken>>,
    under_way: AtomicUsize,
}

/// Counts a call as long as it lives.
struct Call<'a>(&'a AtomicUsize);

impl<'a> Call<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Paced {
    /// How many calls were started and are neither answered nor dropped.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    /// The sessions read so far, in the order in which the reads started.
    pub(crate) fn reads(&self) -> Vec<String> {
        self.reads.lock().unwrap().clone()
    }

    /// The title batches asked for so far.
    pub(crate) fn title_reads(&self) -> Vec<Vec<String>> {
        self.title_reads.lock().unwrap().clone()
    }

    /// Whether every surface read was told to stop.
    pub(crate) fn all_reads_stopped(&self) -> bool {
        let tokens = self.tokens.lock().unwrap();
        tokens.iter().all(CancellationToken::is_cancelled)
    }

    async fn pace(&self, pace: Option<Pace>) {
        let _call = Call::new(&self.under_way);
        match pace {
            None => {}
            Some(Pace::Slow(times)) => {
                let mut left = times;
                poll_fn(|context| {
                    if left == 0 {
                        return Poll::Ready(());
                    }
                    left -= 1;
                    context.waker().wake_by_ref();
                    Poll::Pending
                })
                .await;
            }
            Some(Pace::Cancels) => self.cancel.cancel(),
            Some(Pace::Hangs) => pending().await,
        }
    }
}

impl SessionQuery for Paced {
    type Error = BoxError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, BoxError> {
        self.pace(self.list).await;
        // Titles are read, so that the pace of reading them counts.
        let records = self.corpus.list(cancel).await?;
        let unread = records.iter().cloned().map(|mut record| {
            record.title = ListedTitle::Unread;
            record
        });
        Ok(unread.collect())
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, BoxError> {
        let asked = ids.iter().map(ToString::to_string).collect();
        self.title_reads.lock().unwrap().push(asked);
        self.pace(self.titles).await;
        match self.title_batch {
            Some(answer) => answer(),
            None => Ok(self.corpus.titles(ids, cancel).await?),
        }
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, BoxError> {
        self.reads.lock().unwrap().push(id.to_string());
        self.tokens.lock().unwrap().push(cancel.clone());
        self.pace(self.surfaces.get(id).copied()).await;
        Ok(self.corpus.surface(id, cancel).await?)
    }
}

pub(crate) fn resolver<Q>(query: Q) -> SessionReferenceResolver<Q> {
    SessionReferenceResolver::new(query, Config::default())
}

/// Polls a future by hand.
pub(crate) fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

pub(crate) fn text(text: &str) -> Vec<Block> {
    vec![Block::Text(text.into())]
}

pub(crate) fn user(seq: u64, said: &str) -> SurfaceEvent {
    SurfaceEvent::user(seq, Source::user(), text(said))
}

pub(crate) fn assistant(seq: u64, said: &str) -> SurfaceEvent {
    SurfaceEvent::assistant(seq, text(said))
}

pub(crate) fn checkpoint(seq: u64, said: &str) -> SurfaceEvent {
    SurfaceEvent::user(seq, Source::plugin("compact"), text(said))
}

pub(crate) fn surface(id: &str, events: Vec<SurfaceEvent>) -> SurfaceSnapshot {
    let last = events.iter().map(|event| event.seq).max();
    SurfaceSnapshot::new(SessionHeader::new(id, 0), last, events)
}

/// A corpus in which each of these sessions has said one thing.
pub(crate) fn said(sessions: &[(&str, &str)]) -> Paced {
    let paced = Paced::default();
    for (id, said) in sessions {
        let surface = surface(id, vec![user(0, said)]);
        paced.corpus.set_surface(*id, surface);
    }
    paced
}

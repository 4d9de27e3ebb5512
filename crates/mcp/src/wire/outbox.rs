use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use sref_query::CancellationToken;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};
use tokio::task::JoinHandle;

/// How many answers may wait to be written. A client that asks this much without reading an answer
/// is not read from any more.
const WAITING: usize = 1024;
/// How long a client that has stopped asking may take to read what is left.
const PATIENCE: Duration = Duration::from_secs(5);

/// The way out: whole lines, one after the other, written by a task of its own.
///
/// Whoever answers can be stopped at any moment, so it never writes itself: the stream would be left
/// with half a line.
#[derive(Debug)]
pub(crate) struct Outbox {
    lines: Mutex<Option<Sender<Vec<u8>>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Outbox {
    /// Starts to write; `broken` fires when nobody reads any more.
    pub(crate) fn new<W>(write: W, broken: CancellationToken) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (lines, waiting) = mpsc::channel(WAITING);
        Self {
            lines: Mutex::new(Some(lines)),
            writer: Mutex::new(Some(tokio::spawn(write_all(write, waiting, broken)))),
        }
    }

    /// Room for one line, to be filled without waiting; `None` when the way out is closed.
    pub(crate) async fn room(&self) -> Option<OwnedPermit<Vec<u8>>> {
        let lines = lock(&self.lines).clone();
        lines?.reserve_owned().await.ok()
    }

    /// Puts a message on the way.
    pub(crate) fn send(
        &self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let lines = lock(&self.lines).clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let line = line(&message)?;
            lines
                .ok_or_else(closed)?
                .send(line)
                .await
                .map_err(|_| closed())
        }
    }

    /// Waits until everything is written, or for as long as a client deserves.
    pub(crate) async fn close(&self) {
        lock(&self.lines).take();
        let writer = lock(&self.writer).take();
        if let Some(writer) = writer {
            let stop = writer.abort_handle();
            if tokio::time::timeout(PATIENCE, writer).await.is_err() {
                stop.abort();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A message as it stands on the wire.
pub(crate) fn line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

async fn write_all<W: AsyncWrite + Unpin>(
    mut write: W,
    mut waiting: Receiver<Vec<u8>>,
    broken: CancellationToken,
) {
    while let Some(line) = waiting.recv().await {
        let written = match write.write_all(&line).await {
            Ok(()) => write.flush().await,
            Err(error) => Err(error),
        };
        if written.is_err() {
            broken.cancel();
            return;
        }
    }
    let _ = write.shutdown().await;
}

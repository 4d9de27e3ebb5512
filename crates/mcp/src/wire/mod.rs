//! The two streams: lines of JSON, each checked before the SDK sees it.

mod gate;
mod lines;
mod outbox;
mod request_id;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use sref_query::CancellationToken;
use tokio::io::{AsyncRead, AsyncWrite};

use gate::{Gate, Verdict};
use lines::{Line, Lines};
use outbox::Outbox;

/// The SDK's way to the client.
#[derive(Debug)]
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    outbox: Arc<Outbox>,
    gate: Arc<Mutex<Gate>>,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> Wire<R> {
    /// `ended` fires when nothing more comes in, `broken` when nobody reads what is written.
    pub(crate) fn new<W>(
        read: R,
        write: W,
        ended: CancellationToken,
        broken: CancellationToken,
    ) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self {
            lines: Lines::new(read),
            outbox: Arc::new(Outbox::new(write, broken)),
            gate: Arc::default(),
            ended,
        }
    }

    /// The way out, to be waited for when all is done.
    pub(crate) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// The next message that is one; those that are not are answered here.
    ///
    /// May be dropped at any time: nothing waits between reading a line and answering it.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let room = self.outbox.room().await?;
            let verdict = match self.lines.next().await {
                Line::Whole(line) => lock(&self.gate).judge(line),
                Line::TooLong(head, tail) => Gate::too_long(head, &tail),
                Line::End => return None,
            };
            match verdict {
                Verdict::Pass(message) => return Some(*message),
                Verdict::Ignore => {}
                Verdict::Refuse(id, error) => {
                    room.send(outbox::line(&ServerJsonRpcMessage::error(error, id)).ok()?);
                }
            }
        }
    }
}

fn lock(gate: &Mutex<Gate>) -> std::sync::MutexGuard<'_, Gate> {
    gate.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            lock(&self.gate).answered(id);
        }
        self.outbox.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.close().await;
        Ok(())
    }
}

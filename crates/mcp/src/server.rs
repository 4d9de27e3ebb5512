use std::sync::Arc;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use sref_envelope::Profile;
use sref_projection::Retention;
use sref_query::{CancellationToken, SessionQuery};
use sref_service::Config;
use sref_session::{JsString, SessionId};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

use crate::scope::Scope;
use crate::titles::Titles;
use crate::wire::Wire;

/// How many calls are worked on at once. Stores have limits of their own; this one is on what is held
/// in memory.
const TURNS: usize = 8;

/// An MCP server over a source of sessions.
///
/// It knows all sessions and no caller, until it is told otherwise:
///
/// ```
/// use sref_mcp::Server;
/// use sref_query::MemoryCorpus;
///
/// let server = Server::new(MemoryCorpus::new())
///     .with_project(["/home/me/app"])
///     .with_caller("claude:5f0c11aa-0001-4000-8000-000000000000");
/// # let _ = server;
/// ```
#[derive(Debug)]
pub struct Server<Q> {
    pub(crate) query: Q,
    pub(crate) scope: Scope,
    /// Sessions of this directory are offered first.
    pub(crate) here: Option<JsString>,
    pub(crate) callers: Vec<SessionId>,
    pub(crate) config: Config,
    pub(crate) retention: Retention,
    pub(crate) profile: Profile,
    pub(crate) titles: Titles,
    pub(crate) turns: Semaphore,
    /// Fires when the client asks nothing more.
    pub(crate) ended: CancellationToken,
}

impl<Q> Server<Q> {
    /// A server with the defaults of the library, and [`Profile::Hardened`].
    pub fn new(query: Q) -> Self {
        Self {
            query,
            scope: Scope::default(),
            here: None,
            callers: Vec::new(),
            config: Config::default(),
            retention: Retention::default(),
            profile: Profile::Hardened,
            titles: Titles::default(),
            turns: Semaphore::new(TURNS),
            ended: CancellationToken::new(),
        }
    }

    /// Limits the server to the sessions of a directory and what lies in it, in each of the
    /// spellings that this directory has (through a link, say). Any other session is answered like one
    /// that does not exist.
    #[must_use]
    pub fn with_project<T: Into<JsString>>(
        mut self,
        spellings: impl IntoIterator<Item = T>,
    ) -> Self {
        self.scope = Scope::Project(spellings.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the directory whose sessions are offered first, where a request names none.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<JsString>) -> Self {
        self.here = Some(directory.into());
        self
    }

    /// Names a session that asks: it is not listed and cannot cite itself. Sessions that a request
    /// names in its metadata are known without this.
    #[must_use]
    pub fn with_caller(mut self, id: impl Into<SessionId>) -> Self {
        self.callers.push(id.into());
        self
    }

    /// Sets the limits. The budget of one session is what the prompt carries; pages are smaller.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets what is kept of a conversation that does not fit.
    #[must_use]
    pub fn with_retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Sets how strings of sessions are escaped.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Whether there are sessions that it does not know.
    pub(crate) const fn is_limited(&self) -> bool {
        matches!(self.scope, Scope::Project(_))
    }
}

impl<Q: SessionQuery + 'static> Server<Q> {
    /// Answers a client until it closes its end: one JSON message a line, nothing else. Needs a tokio
    /// runtime with time.
    ///
    /// Requests that are under way when the client stops asking are answered, for a few seconds;
    /// when it stops reading, they are dropped.
    ///
    /// # Errors
    ///
    /// [`ServeError`] when the server itself fails; whatever a client does is no error.
    ///
    /// # Examples
    ///
    /// ```
    /// use sref_mcp::Server;
    /// use sref_query::MemoryCorpus;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sref_mcp::ServeError> {
    /// let ping = &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"[..];
    /// let (mut client, out) = tokio::io::duplex(4096);
    /// Server::new(MemoryCorpus::new()).serve(ping, out).await?;
    ///
    /// let mut answer = String::new();
    /// tokio::io::AsyncReadExt::read_to_string(&mut client, &mut answer).await.unwrap();
    /// assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve<R, W>(mut self, read: R, write: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let broken = CancellationToken::new();
        // Who does not read any more is not told anything either.
        self.ended = broken.child_token();
        let wire = Wire::new(read, write, self.ended.clone(), broken.clone());
        let outbox = wire.outbox();
        let served = serve_server_with_ct(Arc::new(self), wire, broken).await;
        let outcome = match served {
            Ok(running) => match running.waiting().await {
                Ok(QuitReason::JoinError(_)) | Err(_) => Err(ServeError(())),
                Ok(_) => Ok(()),
            },
            // The client left before it began, or asked for nothing that can begin.
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::Cancelled
                | ServerInitializeError::InitializeFailed(_)
                | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(_) => Err(ServeError(())),
        };
        outbox.close().await;
        outcome
    }
}

/// The server stopped while its client was still there.
#[derive(Debug, Error)]
#[error("the MCP server stopped unexpectedly")]
pub struct ServeError(());

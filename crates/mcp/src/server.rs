use std::sync::Arc;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use sref_envelope::Profile;
use sref_query::{CancellationToken, SessionQuery};
use sref_service::{Config, SessionReferenceResolver};
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
    pub(crate) resolver: SessionReferenceResolver<Q>,
    pub(crate) scope: Scope,
    /// Sessions of this directory are offered first.
    pub(crate) here: Option<JsString>,
    pub(crate) callers: Vec<SessionId>,
    /// Agents that may have sessions, also when they have none now.
    pub(crate) agents: Vec<String>,
    pub(crate) titles: Titles,
    pub(crate) turns: Semaphore,
    /// Fires when the client asks nothing more.
    pub(crate) ended: CancellationToken,
}

impl<Q> Server<Q> {
    /// A server with the defaults of the library, and [`Profile::Hardened`].
    pub fn new(query: Q) -> Self {
        let resolver = SessionReferenceResolver::new(query, Config::default());
        Self::over(resolver.with_profile(Profile::Hardened))
    }

    /// A server that carries sessions as a resolver does: its limits, its dialect, what it keeps of a
    /// conversation, how it escapes strings. The budget of one session is what a prompt carries;
    /// pages are smaller. Which sessions are offered, and how they are searched, is the server's.
    ///
    /// ```
    /// use sref_envelope::Profile;
    /// use sref_mcp::Server;
    /// use sref_query::MemoryCorpus;
    /// use sref_service::{Config, SessionReferenceResolver};
    ///
    /// let resolver = SessionReferenceResolver::new(MemoryCorpus::new(), Config::default())
    ///     .with_profile(Profile::Hardened);
    /// let server = Server::over(resolver);
    /// # let _ = server;
    /// ```
    pub fn over(resolver: SessionReferenceResolver<Q>) -> Self {
        Self {
            resolver,
            scope: Scope::default(),
            here: None,
            callers: Vec::new(),
            agents: Vec::new(),
            titles: Titles::default(),
            turns: Semaphore::new(TURNS),
            ended: CancellationToken::new(),
        }
    }

    /// Limits the server to the sessions of a directory and what lies in it, in each of the
    /// spellings that this directory has (through a link, say). Any other session is answered like one
    /// that does not exist.
    ///
    /// The limit is on sessions: one inside shows all of its conversation, also what it took over from
    /// a session outside when it was forked from it.
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

    /// Names the agents whose sessions may be asked for, besides those that have some: to ask for the
    /// sessions of any other one is a mistake, and is answered so.
    #[must_use]
    pub fn with_agents<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.agents.extend(names.into_iter().map(Into::into));
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

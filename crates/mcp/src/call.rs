use std::sync::atomic::{AtomicU32, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use sref_query::CancellationToken;

/// One request: who asks, from where, and how to tell how far it is.
#[derive(Debug)]
pub(crate) struct Call {
    /// Fires when the client takes the request back, or is gone.
    pub(crate) cancel: CancellationToken,
    pub(crate) client: Client,
    /// What the client calls the session that asks, in the words of its own agent.
    pub(crate) callers: Vec<String>,
    progress: Option<(Peer<RoleServer>, ProgressToken)>,
    /// Fires when the client asks nothing more.
    ended: CancellationToken,
    steps: AtomicU32,
}

/// The clients that are treated in their own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// Takes as much from a tool as the tool's description says.
    Claude,
    /// Cuts the middle out of whatever is longer than a page, resources included.
    Codex,
    Other,
}

impl Call {
    pub(crate) fn new(context: &RequestContext<RoleServer>, ended: &CancellationToken) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            cancel: context.ct.clone(),
            client: Client::named(context.client_info().map(|info| info.name).as_deref()),
            callers: callers(|name| context.meta.get(name)),
            progress: token.map(|token| (context.peer.clone(), token)),
            ended: ended.clone(),
            steps: AtomicU32::new(0),
        }
    }

    /// Tells the client that a step is done, if it wants to know.
    pub(crate) async fn step(&self, done: &str) {
        let Some((peer, token)) = &self.progress else {
            return;
        };
        let number = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let param = ProgressNotificationParam::new(token.clone(), number.into());
        // The SDK sends no notification after the last request, and does not say so either.
        let told = peer.notify_progress(param.with_message(done));
        let _ = self.ended.run_until_cancelled(told).await;
    }
}

impl Client {
    fn named(name: Option<&str>) -> Self {
        match name {
            Some(name) if name.starts_with("claude") => Self::Claude,
            Some(name) if name.starts_with("codex") => Self::Codex,
            _ => Self::Other,
        }
    }
}

/// The sessions that a request says it comes from. Codex tells both the session and the thread in it,
/// and again in the metadata of the turn (`spec/delivery.md` 0.3).
fn callers<'a>(meta: impl Fn(&str) -> Option<&'a Value>) -> Vec<String> {
    let turn = meta("x-codex-turn-metadata");
    let turn = ["session_id", "thread_id"].map(|name| turn?.get(name));
    let own = [meta("sessionId"), meta("threadId")];
    let named = own.into_iter().chain(turn).flatten();
    named.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn callers_are_found_where_clients_name_them() {
        let meta = json!({
            "sessionId": "a", "threadId": "b", "progressToken": 1,
            "x-codex-turn-metadata": {"session_id": "c", "thread_id": 7},
        });
        assert_eq!(callers(|name| meta.get(name)), ["a", "b", "c"]);
        assert!(callers(|_| None).is_empty());
    }

    #[test]
    fn clients_are_told_by_their_names() {
        assert_eq!(Client::named(Some("claude-code")), Client::Claude);
        assert_eq!(Client::named(Some("codex-mcp-client")), Client::Codex);
        assert_eq!(Client::named(Some("mcp")), Client::Other);
        assert_eq!(Client::named(None), Client::Other);
    }
}

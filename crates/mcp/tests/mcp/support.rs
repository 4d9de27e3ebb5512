//! A client that writes lines and reads lines, and the sessions that it asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sref_mcp::{ServeError, Server};
use sref_query::{
    CancellationToken, MemoryCorpus, QueryError, SessionQuery, SessionRecord, TitleResult,
};
use sref_session::{
    Block, JsString, SessionHeader, SessionId, Source, SurfaceEvent, SurfaceSnapshot,
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The most that an answer may have for any client.
pub(crate) const PAGE: usize = 11_000;
/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Client {
    write: Option<DuplexStream>,
    lines: Lines<BufReader<DuplexStream>>,
    server: JoinHandle<Result<(), ServeError>>,
    last_id: i64,
    /// What came besides the answers that were waited for.
    pub(crate) others: Vec<Value>,
}

impl Client {
    /// A client that has not begun.
    pub(crate) fn silent<Q: SessionQuery + 'static>(server: Server<Q>) -> Self {
        let (write, theirs) = tokio::io::duplex(64 << 10);
        let (answers, read) = tokio::io::duplex(64 << 10);
        Self {
            write: Some(write),
            lines: BufReader::new(read).lines(),
            server: tokio::spawn(server.serve(theirs, answers)),
            last_id: 0,
            others: Vec::new(),
        }
    }

    pub(crate) async fn start<Q: SessionQuery + 'static>(server: Server<Q>) -> Self {
        Self::named(server, "test", "2025-06-18").await
    }

    pub(crate) async fn named<Q>(server: Server<Q>, name: &str, version: &str) -> Self
    where
        Q: SessionQuery + 'static,
    {
        let mut client = Self::silent(server);
        let info = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        let answer = client.ask("initialize", params).await;
        assert!(answer["result"].is_object(), "{answer}");
        client
            .line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        client
    }

    pub(crate) async fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn bytes(&mut self, bytes: &[u8]) {
        let write = self.write.as_mut().unwrap();
        timeout(PATIENCE, write.write_all(bytes))
            .await
            .unwrap()
            .unwrap();
    }

    /// Sends a request and gives its id.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string()).await;
        id
    }

    /// The next line, which is JSON whatever happened before.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("an answer");
        line.unwrap()
            .map(|line| serde_json::from_str(&line).unwrap())
    }

    /// The answer to a request. Others are kept.
    pub(crate) async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        if let Some(at) = self.others.iter().position(|own| own["id"] == id) {
            return self.others.remove(at);
        }
        loop {
            let message = self.next().await.expect("an answer before the end");
            if message["id"] == id {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// The error of a request: its number and its code.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.ask(method, params).await;
        number_and_code(&answer)
    }

    /// What a tool answers, as a text.
    pub(crate) async fn tool(&mut self, name: &str, arguments: Value) -> String {
        let params = json!({"name": name, "arguments": arguments});
        let result = self.result("tools/call", params).await;
        assert_eq!(result["isError"], false, "{result}");
        text_of(&result)
    }

    /// The code of the error that a tool answers with.
    pub(crate) async fn tool_error(&mut self, name: &str, arguments: Value) -> (String, String) {
        let params = json!({"name": name, "arguments": arguments});
        let result = self.result("tools/call", params).await;
        error_of(&result)
    }

    /// Asks nothing more and gives what still comes.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.write = None;
        let mut rest = std::mem::take(&mut self.others);
        while let Some(message) = self.next().await {
            rest.push(message);
        }
        timeout(PATIENCE, self.server)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        rest
    }

    /// Reads nothing more, and gives how the server ends.
    pub(crate) async fn hang_up(self) {
        let Self {
            write,
            lines,
            server,
            ..
        } = self;
        drop(lines);
        timeout(PATIENCE, server).await.unwrap().unwrap().unwrap();
        drop(write);
    }
}

pub(crate) fn number_and_code(answer: &Value) -> (i64, String) {
    let error = &answer["error"];
    let code = error["data"]["code"].as_str();
    let number = error["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    (number, code.unwrap_or_default().to_owned())
}

/// The text of a tool's answer, which is all that there is.
pub(crate) fn text_of(result: &Value) -> String {
    assert!(result.get("structuredContent").is_none(), "{result}");
    let content = result["content"].as_array().unwrap();
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")));
    content[0]["text"].as_str().unwrap().to_owned()
}

pub(crate) fn error_of(result: &Value) -> (String, String) {
    assert_eq!(result["isError"], true, "{result}");
    let error: Value = serde_json::from_str(&text_of(result)).unwrap();
    let part = |name| error["error"][name].as_str().unwrap().to_owned();
    (part("code"), part("message"))
}

/// The sessions between the tags of a context.
pub(crate) fn sessions_in(text: &str) -> Vec<Value> {
    let (open, close) = ("<referenced-sessions>", "</referenced-sessions>");
    assert_eq!(
        (text.matches(open).count(), text.matches(close).count()),
        (1, 1),
        "{text}"
    );
    let json = text
        .split_once(open)
        .unwrap()
        .1
        .split_once(close)
        .unwrap()
        .0;
    assert!(!json.contains('<'));
    serde_json::from_str(json).unwrap()
}

/// A session with a title, a directory and messages of a user and a model in turn.
pub(crate) fn add(corpus: &MemoryCorpus, id: &str, title: &str, cwd: &str, texts: &[&str]) {
    let mut header = SessionHeader::new(id, 1_780_000_000_000);
    if !cwd.is_empty() {
        header.cwd = Some(cwd.into());
    }
    add_header(
        corpus,
        header,
        title,
        texts.iter().map(|text| (*text).into()),
    );
}

pub(crate) fn add_header(
    corpus: &MemoryCorpus,
    header: SessionHeader,
    title: &str,
    texts: impl IntoIterator<Item = JsString>,
) {
    let id = header.id.clone();
    let mut record = SessionRecord::new(header.clone());
    let agent = id.as_js_str().as_str().and_then(|id| id.split_once(':'));
    record.agent = Some(agent.map_or("dsh", |(agent, _)| agent).to_owned().into());
    record.updated_at = Some(header.created_at);
    corpus.insert(record);
    if !title.is_empty() {
        corpus.set_title(id.clone(), title);
    }
    let events = texts.into_iter().zip(0..).map(|(text, seq)| {
        let content = vec![Block::Text(text)];
        if seq % 2 == 0 {
            SurfaceEvent::user(seq, Source::user(), content)
        } else {
            SurfaceEvent::assistant(seq, content)
        }
    });
    let events: Vec<SurfaceEvent> = events.collect();
    let last = events.last().map(|event| event.seq);
    corpus.set_surface(id, SurfaceSnapshot::new(header, last, events));
}

/// Four sessions of two projects.
pub(crate) fn corpus() -> MemoryCorpus {
    let corpus = MemoryCorpus::new();
    let talk = ["How is the password hashed?", "With argon2, <b>64</b> MiB."];
    add(
        &corpus,
        "claude:5f0c11aa-1",
        "Fix the login",
        "/home/me/app",
        &talk,
    );
    add(
        &corpus,
        "codex:5f0c22bb-2",
        "登录 页面",
        "/home/me/app/web",
        &["页面", "好"],
    );
    add(
        &corpus,
        "session-7d0b4c12-3",
        "Deploy",
        "/home/me/other",
        &["secret plan", "yes"],
    );
    add(&corpus, "s-4", "", "", &["no title", "none"]);
    corpus
}

/// A store that never gives a surface, and counts those who wait for one and those who gave up.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    corpus: MemoryCorpus,
    pub(crate) waiting: Arc<AtomicUsize>,
    pub(crate) given_up: Arc<AtomicUsize>,
}

impl Stuck {
    pub(crate) fn new(corpus: MemoryCorpus) -> Self {
        Self {
            corpus,
            ..Self::default()
        }
    }
}

struct Waits(Arc<AtomicUsize>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl SessionQuery for Stuck {
    type Error = QueryError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
        self.corpus.list(cancel).await
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, QueryError> {
        self.corpus.titles(ids, cancel).await
    }

    async fn surface(
        &self,
        _: &SessionId,
        _: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, QueryError> {
        let _waits = Waits(Arc::clone(&self.given_up));
        self.waiting.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
}

/// Waits until a count is reached.
pub(crate) async fn until(count: &AtomicUsize, number: usize) {
    let reached = async {
        while count.load(Ordering::SeqCst) < number {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(PATIENCE, reached)
        .await
        .expect("the count to be reached");
}

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sref::envelope::{Frame, Profile};
use sref::query::{CancellationToken, QueryError, SessionQuery, SessionRecord, TitleResult};
use sref::service::{Config, ReferenceError, Search, SessionReferenceResolver};
use sref::session::{Dialect, JsStr, JsString, SessionId, SurfaceSnapshot};
use sref_delivery::{
    Citations, Delivery, Fitting, Host, Policy, Reply, citations, may_mention, readable_mentions,
    schedules, typed,
};
use sref_stores::lines::{LineOptions, LineReader};

use crate::console;
use crate::event::{self, Input};
use crate::failure::Failure;
use crate::options::Stores;
use crate::reader::Reader;

const EXAMPLES: &str = "\
Examples:
  sref hook claude < event.json    what Claude Code runs before a prompt goes out
  sref hook codex --strict         a mention that cannot be resolved stops the prompt

The agent writes its event to standard input and reads the answer from standard output. A prompt
without a mention is answered with nothing, and no store is read.";

/// The largest event that is read. Hosts hold a prompt in memory, so that it is smaller than this.
const EVENT: usize = 64 << 20;
/// How long a hook may take, from its start. The prompt waits.
const PATIENCE: Duration = Duration::from_millis(4_500);
/// How long an answer that is being printed when the time is over may take to be taken.
const GRACE: Duration = Duration::from_millis(250);

/// Answer the prompt hook of an agent
///
/// Mentions in the prompt become a snapshot of the sessions that they cite, within the size that the
/// agent lets a hook deliver. The person sees one line that says what was carried.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agent: claude, codex, gemini or cline
    #[arg(value_parser = host, value_name = "HOST")]
    host: Host,
    /// Stop a prompt whose mentions cannot all be resolved
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    stores: Stores,
}

fn host(name: &str) -> Result<Host, String> {
    Host::from_name(name).ok_or_else(|| "one of: claude, codex, gemini, cline".to_owned())
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        answer_in_time(self.host);
        let event = match event::read(io::stdin().lock(), EVENT) {
            Ok(Input::Whole(event)) => event,
            Ok(Input::TooLarge) => {
                let message = format!(
                    "sref: the hook event is too large: more than {} MiB",
                    EVENT >> 20
                );
                return give(&self.host.fail(&message));
            }
            Err(error) => {
                let message = format!("sref: the hook event cannot be read: {error}");
                return give(&self.host.fail(&message));
            }
        };
        READ.store(true, Ordering::SeqCst);
        // A hook that never understands its host would never attach anything, and be silent: it
        // fails also where it would have nothing to do. No host keeps a prompt back for that.
        if let Err(error) = self.host.read(&event) {
            return give(&self.host.fail(&format!("sref: {error}")));
        }
        if !may_mention(&event, &Dialect::KNOWN) {
            return Ok(());
        }
        let reply = self.answer(&event);
        give(&reply)
    }

    fn answer(&self, event: &[u8]) -> Reply {
        let host = self.host;
        let event = match host.read(event) {
            Ok(event) => event,
            Err(error) => return host.fail(&format!("sref: {error}")),
        };
        let scheduled =
            |prompt: JsStr<'_>| match event.transcript.as_ref().and_then(JsString::as_str) {
                Some(path) => was_scheduled(Path::new(path), prompt).unwrap_or(false),
                None => false,
            };
        let dialects = Dialect::KNOWN;
        let typed = match typed(host, &event, &dialects, scheduled) {
            Ok(typed) => typed,
            Err(skip) => return host.reply(&skip.answer()),
        };
        let reader = match Reader::open(&self.stores) {
            Ok(reader) => reader,
            Err(Failure::Error { message, .. }) => return host.fail(&format!("sref: {message}")),
            Err(_) => return host.fail("sref: the stores cannot be opened"),
        };
        let readable = readable_mentions(typed.words.as_js_str());
        // A store that cannot be listed knows nothing.
        let known = reader.known(&readable).unwrap_or_default();
        let dialects = dialects.each_ref();
        let mut cited = citations(&typed, &readable, &known, Search::Folding, &dialects);
        name(&mut cited, &reader);
        // An id that no session has: the host does not say which session this is.
        let agent = event.session.unwrap_or_else(|| "sref:nobody".into());
        let once = Once::new(&reader);
        let delivery = loop {
            match deliver(host, &agent, &cited, &reader, &once) {
                Ok(delivery) => break delivery,
                Err(error) => cited.refuse(&error),
            }
        };
        let policy = if self.strict {
            Policy::Strict
        } else {
            Policy::Pass
        };
        host.reply(&delivery.answer(policy))
    }
}

/// Gives the sessions that are cited by their ids their titles, as far as they can be read.
fn name(cited: &mut Citations, reader: &Reader) {
    let ids = cited.nameless();
    if ids.is_empty() {
        return;
    }
    let titles = reader.wait(|cancel| reader.corpus().titles(&ids, cancel));
    for (id, title) in ids.iter().zip(titles.unwrap_or_default()) {
        if let Ok(Some(title)) = title {
            cited.name(id, title.as_js_str());
        }
    }
}

/// The largest snapshot of the cited sessions that the host carries whole.
fn deliver(
    host: Host,
    agent: &SessionId,
    cited: &Citations,
    reader: &Reader,
    once: &Once<'_>,
) -> Result<Delivery, ReferenceError> {
    let failures = || cited.failures.clone();
    if cited.references.is_empty() {
        return Ok(Delivery::new(None, failures()));
    }
    let resolver = SessionReferenceResolver::new(once, Config::default())
        .with_profile(Profile::Hardened)
        .with_search(Search::Folding);
    let observed = reader.wait(|cancel| resolver.observe(agent, &cited.references, cancel))?;
    let overhead = Delivery::overhead(&Frame::default(), &observed, &cited.failures);
    let mut fitting = Fitting::new(&host.limits().context, overhead);
    let mut over = None;
    while let Some(budget) = fitting.next_budget() {
        let resolver = resolver.clone().with_shared_budget(Some(budget));
        match resolver.render(&observed) {
            Ok(context) => {
                let delivery = Delivery::new(context.as_ref(), failures());
                let whole = delivery.is_whole();
                fitting.offer(budget, delivery, whole);
            }
            Err(error @ ReferenceError::BudgetExceeded { .. }) => {
                over = Some(error);
                fitting.refuse(budget);
            }
            Err(error) => return Err(error),
        }
    }
    fitting
        .finish()
        .ok_or(over.unwrap_or(ReferenceError::Cancelled))
}

/// The sessions of a hook: each surface is read once, also when the others are tried again without
/// one that failed.
struct Once<'a> {
    reader: &'a Reader,
    read: Mutex<HashMap<SessionId, SurfaceSnapshot>>,
}

impl<'a> Once<'a> {
    fn new(reader: &'a Reader) -> Self {
        Self {
            reader,
            read: Mutex::default(),
        }
    }

    fn cached(&self, id: &SessionId) -> Option<SurfaceSnapshot> {
        self.read.lock().ok()?.get(id).cloned()
    }
}

impl SessionQuery for Once<'_> {
    type Error = QueryError;

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<[SessionRecord]>, QueryError> {
        self.reader.corpus().list(cancel).await
    }

    async fn titles(
        &self,
        ids: &[SessionId],
        cancel: &CancellationToken,
    ) -> Result<Vec<TitleResult>, QueryError> {
        self.reader.corpus().titles(ids, cancel).await
    }

    async fn surface(
        &self,
        id: &SessionId,
        cancel: &CancellationToken,
    ) -> Result<Option<SurfaceSnapshot>, QueryError> {
        if let Some(surface) = self.cached(id) {
            return Ok(Some(surface));
        }
        let surface = self.reader.corpus().surface(id, cancel).await?;
        if let (Some(surface), Ok(mut read)) = (&surface, self.read.lock()) {
            read.insert(id.clone(), surface.clone());
        }
        Ok(surface)
    }
}

/// Whether the transcript holds a call by which the model put this prompt on a timer.
fn was_scheduled(transcript: &Path, prompt: JsStr<'_>) -> io::Result<bool> {
    let file = File::open(transcript)?;
    let length = file.metadata()?.len();
    let mut lines = LineReader::new(file.take(length), LineOptions::default());
    while lines.advance()? {
        if schedules(lines.line().bytes, prompt) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the answer has been given. It is given once: by the work, or by the clock.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Whether the event has come. Until then there is no session to wait for.
static READ: AtomicBool = AtomicBool::new(false);

/// Gives up on the work when it takes longer than a prompt should wait, whatever it waits for: the
/// event, a store, or somebody who takes the answer.
fn answer_in_time(host: Host) {
    std::thread::spawn(move || {
        std::thread::sleep(PATIENCE);
        let reply = host.fail(if READ.load(Ordering::SeqCst) {
            "sref: reading the sessions took too long; the prompt goes out without them"
        } else {
            "sref: the hook event did not come whole; the prompt goes out alone"
        });
        if ANSWERED.load(Ordering::SeqCst) {
            std::thread::sleep(GRACE);
        }
        let _ = give(&reply);
        #[expect(
            clippy::exit,
            reason = "the work goes on in another thread, and nobody waits for it"
        )]
        process::exit(reply.exit_code.into());
    });
}

/// Prints the answer, if none has been given.
fn give(reply: &Reply) -> Result<(), Failure> {
    if ANSWERED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    if !reply.stderr.is_empty() {
        console::say(&reply.stderr);
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(reply.stdout.as_bytes())?;
    stdout.flush()?;
    match reply.exit_code {
        0 => Ok(()),
        code => Err(Failure::Status(code)),
    }
}

//! A whole prompt hook, as a program runs it: the steps of the crate with an in-memory corpus where
//! a program has its stores.

use futures::executor::block_on;
use sref_delivery::{
    Citations, Delivery, Fitting, Host, Known, Policy, Reply, citations, may_mention,
    readable_mentions, typed,
};
use sref_envelope::{Frame, Profile};
use sref_query::{CancellationToken, MemoryCorpus, SessionRecord};
use sref_service::{Config, ReferenceError, Search, SessionReferenceResolver};
use sref_session::{
    Block, Dialect, JsString, Losses, SessionHeader, SessionId, Source, SurfaceEvent,
    SurfaceSnapshot,
};

/// A corpus, and what is known of its sessions without reading them.
#[derive(Default)]
pub(crate) struct Sessions {
    pub(crate) corpus: MemoryCorpus,
    pub(crate) known: Vec<Known>,
    /// What the next session that is added has lost.
    pub(crate) losses: Losses,
}

impl Sessions {
    /// Adds a session whose messages alternate between person and model.
    pub(crate) fn add<T: Into<JsString>>(
        &mut self,
        id: impl Into<SessionId>,
        title: impl Into<JsString>,
        messages: impl IntoIterator<Item = T>,
    ) {
        let (id, title) = (id.into(), title.into());
        let header = SessionHeader::new(id.clone(), 1_780_000_000_000);
        let events: Vec<SurfaceEvent> = (0..)
            .zip(messages)
            .map(|(seq, text)| {
                let content = vec![Block::Text(text.into())];
                if seq % 2 == 0 {
                    SurfaceEvent::user(seq, Source::user(), content)
                } else {
                    SurfaceEvent::assistant(seq, content)
                }
            })
            .collect();
        let through = events.last().map(|event| event.seq);
        self.corpus.insert(SessionRecord::new(header.clone()));
        let mut surface = SurfaceSnapshot::new(header, through, events);
        surface.losses = std::mem::take(&mut self.losses);
        self.corpus.set_surface(id.clone(), surface);
        self.known.push(Known {
            id,
            title: Some(title),
        });
    }
}

/// Runs the hook of a host on an event. `scheduled` says what the transcript knows of the prompt.
pub(crate) fn hook(
    host: Host,
    event: &[u8],
    policy: Policy,
    sessions: &Sessions,
    scheduled: bool,
) -> Reply {
    let dialect = Dialect::DSH;
    if !may_mention(event, [&dialect]) {
        return Reply::default();
    }
    let event = match host.read(event) {
        Ok(event) => event,
        Err(error) => return host.fail(&format!("sref: {error}")),
    };
    let typed = match typed(host, &event, [&dialect], |_| scheduled) {
        Ok(typed) => typed,
        Err(skip) => return host.reply(&skip.answer()),
    };
    let readable = readable_mentions(typed.words.as_js_str());
    let needs_ids = readable.iter().any(|own| own.request.needs_ids());
    let known: &[Known] = if needs_ids { &sessions.known } else { &[] };
    let mut cited = citations(&typed, &readable, known, Search::Folding, &[&dialect]);
    let agent = event.session.unwrap_or_else(|| "unknown".into());
    let delivery = loop {
        match deliver(host, &agent, &cited, sessions) {
            Ok(delivery) => break delivery,
            Err(error) => cited.refuse(&error),
        }
    };
    host.reply(&delivery.answer(policy))
}

fn deliver(
    host: Host,
    agent: &SessionId,
    cited: &Citations,
    sessions: &Sessions,
) -> Result<Delivery, ReferenceError> {
    let Citations {
        references,
        failures,
        ..
    } = cited;
    if references.is_empty() {
        return Ok(Delivery::new(None, failures.clone()));
    }
    let resolver = SessionReferenceResolver::new(&sessions.corpus, Config::default())
        .with_profile(Profile::Hardened);
    let cancel = CancellationToken::new();
    let observed = block_on(resolver.observe(agent, references, &cancel))?;
    let overhead = Delivery::overhead(&Frame::default(), &observed, failures);
    let mut fitting = Fitting::new(&host.limits().context, overhead);
    let mut over = None;
    let mut first = true;
    while let Some(budget) = fitting.next_budget() {
        let resolver = resolver.clone().with_shared_budget(Some(budget));
        match resolver.render(&observed) {
            Ok(context) => {
                let delivery = Delivery::new(context.as_ref(), failures.clone());
                // By construction, and not by luck of a later try.
                let fits = host.limits().context.holds(delivery.text());
                assert!(fits || !first, "over the cap at the first budget");
                first = false;
                let whole = delivery.is_whole();
                fitting.offer(budget, delivery, whole);
            }
            Err(error @ ReferenceError::BudgetExceeded { .. }) => {
                over = Some(error);
                // What is tried after a refusal is a guess.
                first = false;
                fitting.refuse(budget);
            }
            Err(error) => return Err(error),
        }
    }
    fitting
        .finish()
        .ok_or(over.unwrap_or(ReferenceError::Cancelled))
}

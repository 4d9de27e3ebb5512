use std::path::Path;

use sref::session::JsString;
use sref::session::json::{Object, Value};
use sref_stores::{Diagnostic, StoreError};

use crate::console;
use crate::failure::Failure;
use crate::options::{Format, Stores};
use crate::reader::{Reader, StoreReport};
use crate::setup::trust::{self, Trust};
use crate::term::human::many;
use crate::term::progress::Progress;
use crate::term::style::{DROPPED, FAINT, paint};
use crate::term::visible;

const EXAMPLES: &str = "\
Examples:
  sref doctor
  sref doctor --sessions           also read every session that is listed
  sref doctor --store dsh=examples/sample-store/sessions
  sref doctor --json | jq -r '.[] | [.code, .path] | @tsv'

JSON: an array of {kind, root, code, rule?, path?, sessionId?, detail}; sessionId is there when the
session is listed. A byte of a path that is no UTF-8 is the lone surrogate U+DC00 + byte, as in
Python's os.fsdecode.";

/// Say which files of the stores were skipped, and why
///
/// A session that is not listed is in one of them, or in a store that `sref stores` does not name.
/// Also says when Codex does not run the hook that `sref setup codex` wrote.
/// What is passed over inside of a session shows when the session is read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Read every session that is listed, and say what of it is damaged or not known
    #[arg(long)]
    sessions: bool,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    pub(super) format: Format,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let progress = Progress::start("Reading the stores");
        let reader = Reader::open(&self.stores)?;
        let reports = reader.reports();
        let mut findings: Vec<Finding> = reports.iter().flat_map(findings).collect();
        if self.sessions {
            for (at, report) in reports.iter().enumerate() {
                findings.extend(examined(&reader, at, report));
            }
        }
        drop(progress);
        let trust = self.stores.places.is_empty().then(trust::codex).flatten();
        if self.format.json {
            let trust = trust.as_ref().and_then(Trust::shape);
            let shapes = findings.iter().map(Finding::shape).chain(trust);
            let shapes: Vec<Value> = shapes.collect();
            console::print_json(&shapes.into())?;
            return self.stores.status(&reports);
        }
        let untrusted = trust.as_ref().and_then(Trust::text);
        let texts = findings.iter().map(Finding::text).chain(untrusted);
        console::print(&texts.collect::<String>())?;
        trust.iter().for_each(Trust::remark);
        if findings.is_empty() {
            let stores = many(reports.len() as u64, "store");
            let sessions = reports.iter().flat_map(|report| &report.listing);
            let sessions = sessions.map(|listing| listing.sessions.len() as u64).sum();
            console::say(&if self.sessions {
                let sessions = many(sessions, "session");
                format!("Nothing was skipped in {stores} or passed over in {sessions}.")
            } else {
                format!("Nothing was skipped in {stores}.")
            });
        }
        self.stores.status(&reports)
    }
}

/// Something that keeps a session, or a whole store, from being listed, or words of a session from
/// being shown.
struct Finding {
    kind: &'static str,
    root: JsString,
    code: &'static str,
    /// Where the rule is written down.
    rule: Option<&'static str>,
    path: Option<JsString>,
    /// The session that is listed nevertheless.
    session: Option<JsString>,
    /// What it means, and more about it.
    detail: String,
}

fn findings(report: &StoreReport) -> Vec<Finding> {
    match &report.listing {
        Ok(listing) => {
            let skipped = listing.diagnostics.iter();
            skipped.map(|own| Finding::skipped(report, own)).collect()
        }
        Err(error) => vec![Finding::failed(report, error)],
    }
}

/// What is passed over in the sessions that a store lists.
fn examined(reader: &Reader, at: usize, report: &StoreReport) -> Vec<Finding> {
    let Ok(listing) = &report.listing else {
        return Vec::new();
    };
    let ids = listing.sessions.iter();
    let ids: Vec<JsString> = ids
        .map(|own| own.header.id.as_js_string().clone())
        .collect();
    let outcomes = match reader.examine(at, ids.clone()) {
        Ok(outcomes) => outcomes,
        Err(error) => return vec![Finding::failed(report, &error)],
    };
    let mut found = Vec::new();
    for (id, outcome) in ids.into_iter().zip(outcomes) {
        let own = match &outcome {
            // What the listing told is told.
            Ok(passed) => (passed.iter())
                .filter(|own| !listing.diagnostics.contains(own))
                .map(|own| Finding::skipped(report, own))
                .collect(),
            Err(error) => vec![Finding::failed(report, error)],
        };
        found.extend(own.into_iter().map(|own| Finding {
            session: Some(id.clone()),
            ..own
        }));
    }
    found
}

/// What a diagnostic means, and more about it.
pub(super) fn detail(own: &Diagnostic) -> String {
    let mut detail = own.kind.explanation().to_owned();
    if !own.detail.is_empty() {
        detail.push_str(": ");
        detail.push_str(&own.detail);
    }
    detail
}

/// What goes behind the reasons.
pub(super) const SAYS_WHERE: &str = "`sref doctor --sessions` says where";

/// Says that words of a session may be missing, when what was passed over in it may have held some.
pub(super) fn missing_words(found: &[Diagnostic]) -> Option<String> {
    let found = found.iter().filter(|own| own.kind.loses_words());
    let found: Vec<String> = found.map(detail).collect();
    (!found.is_empty()).then(|| {
        let found = found.join("; ");
        let note = format!("words may be missing: {found}; {SAYS_WHERE}");
        visible::line(note.as_str().into())
    })
}

/// A path, whole: a byte of it that is no UTF-8 becomes the lone surrogate U+DC00 + byte, as Python's
/// `os.fsdecode` has it, so that the name of the file can be had back.
pub(crate) fn text(path: &Path) -> JsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let mut units = Vec::new();
        for part in path.as_os_str().as_bytes().utf8_chunks() {
            units.extend(part.valid().encode_utf16());
            units.extend(part.invalid().iter().map(|byte| 0xDC00 + u16::from(*byte)));
        }
        JsString::from_utf16(units)
    }
    #[cfg(windows)]
    {
        use std::os::windows::ffi::OsStrExt as _;
        JsString::from_utf16(path.as_os_str().encode_wide())
    }
    #[cfg(not(any(unix, windows)))]
    path.to_string_lossy().into_owned().into()
}

impl Finding {
    fn skipped(report: &StoreReport, own: &Diagnostic) -> Self {
        Self {
            kind: report.kind,
            root: text(&report.root),
            code: own.code(),
            rule: Some(own.kind.rule()),
            path: Some(text(&own.path)),
            session: None,
            detail: detail(own),
        }
    }

    fn failed(report: &StoreReport, error: &StoreError) -> Self {
        Self {
            kind: report.kind,
            root: text(&report.root),
            code: error.reason(),
            rule: None,
            path: error.path().map(text),
            session: None,
            detail: error.explanation(),
        }
    }

    /// `{kind, root, code, rule?, path?, sessionId?, detail}`
    fn shape(&self) -> Value {
        let mut out = Object::new()
            .with("kind", self.kind)
            .with("root", self.root.clone())
            .with("code", self.code);
        if let Some(rule) = self.rule {
            out.set("rule", rule);
        }
        if let Some(path) = &self.path {
            out.set("path", path.clone());
        }
        if let Some(session) = &self.session {
            out.set(
                "sessionId",
                sref_stores::listed_id(self.kind, session)
                    .as_js_string()
                    .clone(),
            );
        }
        out.with("detail", self.detail.as_str()).into()
    }

    fn text(&self) -> String {
        let path = visible::line(self.path.as_ref().unwrap_or(&self.root).as_js_str());
        let detail = visible::line(self.detail.as_str().into());
        format!(
            "{}  {detail}\n  {}\n",
            paint(DROPPED, self.code),
            paint(FAINT, path)
        )
    }
}

use std::path::Path;

use sref::session::JsString;
use sref::session::json::{Object, Value};
use sref_stores::Diagnostic;

use crate::console;
use crate::failure::{self, Failure};
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
  sref doctor --store dsh=examples/sample-store/sessions
  sref doctor --json | jq -r '.[] | [.code, .path] | @tsv'

JSON: an array of {kind, root, code, path?, detail}.";

/// Say which files of the stores were skipped, and why
///
/// A session that is not listed is in one of them, or in a store that `sref stores` does not name.
/// Also says when Codex does not run the hook that `sref setup codex` wrote.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    pub(super) format: Format,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let progress = Progress::start("Reading the stores");
        let reports = Reader::open(&self.stores)?.reports();
        drop(progress);
        let trust = self.stores.places.is_empty().then(trust::codex).flatten();
        let findings: Vec<Finding> = reports.iter().flat_map(findings).collect();
        if self.format.json {
            let trust = trust.as_ref().and_then(Trust::shape);
            let shapes = findings.iter().map(Finding::shape).chain(trust);
            let shapes: Vec<Value> = shapes.collect();
            return console::print_json(&shapes.into());
        }
        let untrusted = trust.as_ref().and_then(Trust::text);
        let texts = findings.iter().map(Finding::text).chain(untrusted);
        console::print(&texts.collect::<String>())?;
        trust.iter().for_each(Trust::remark);
        if findings.is_empty() {
            let stores = many(reports.len() as u64, "store");
            console::say(&format!("Nothing was skipped in {stores}."));
        }
        Ok(())
    }
}

/// Something that keeps a session, or a whole store, from being listed.
struct Finding {
    kind: &'static str,
    root: JsString,
    code: &'static str,
    path: Option<JsString>,
    /// What it means, and more about it.
    detail: String,
}

fn findings(report: &StoreReport) -> Vec<Finding> {
    let finding = |code, path: Option<&Path>, detail| Finding {
        kind: report.kind,
        root: text(&report.root),
        code,
        path: path.map(text),
        detail,
    };
    match &report.listing {
        Ok(listing) => listing
            .diagnostics
            .iter()
            .map(|own| finding(own.code(), Some(&own.path), detail(own)))
            .collect(),
        Err(error) => vec![finding(
            error.reason(),
            error.path(),
            failure::with_causes(error),
        )],
    }
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

fn text(path: &Path) -> JsString {
    path.to_string_lossy().into_owned().into()
}

impl Finding {
    /// `{kind, root, code, path?, detail}`
    fn shape(&self) -> Value {
        let mut out = Object::new()
            .with("kind", self.kind)
            .with("root", self.root.clone())
            .with("code", self.code);
        if let Some(path) = &self.path {
            out.set("path", path.clone());
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

use sref::session::json::Value;
use sref_stores::Located;

use crate::console;
use crate::failure::Failure;
use crate::options::{Format, Stores};
use crate::reader::{Reader, StoreReport};
use crate::term::human::many;
use crate::term::progress::Progress;
use crate::term::style::{DROPPED, paint};
use crate::term::table::{Align, lines};
use crate::term::visible;

const EXAMPLES: &str = "\
Examples:
  sref stores
  sref stores --store dsh=examples/sample-store/sessions
  sref stores --json | jq -r '.[].root'

`sref doctor` says what the problems are. Status 1 when a store of `--store` cannot be read.

JSON: an array of {kind, root, sessions?, problems, code?, detail?}; the last two are there when the
store cannot be read.";

/// List the stores of sessions on this machine
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
        let reader = Reader::open(&self.stores)?;
        let absent: Vec<String> = reader.absent().iter().map(looked_for).collect();
        let reports = reader.reports();
        drop(progress);
        if self.format.json {
            let shapes: Vec<Value> = reports.iter().map(shape).collect();
            console::print_json(&shapes.into())?;
            return self.stores.status(&reports);
        }
        let rows: Vec<[String; 4]> = reports.iter().map(row).collect();
        let aligns = [Align::Left, Align::Right, Align::Left, Align::Left];
        console::print(&lines(aligns, &rows, None))?;
        if reports.is_empty() {
            console::say(&format!(
                "{}No store was found; `--store KIND=PATH` names one.",
                absent.concat()
            ));
        }
        self.stores.status(&reports)
    }
}

fn looked_for(located: &Located) -> String {
    let root = located.root.to_string_lossy();
    format!(
        "{}: nothing at {}\n",
        located.kind,
        visible::line(root.as_ref().into())
    )
}

/// `{kind, root, sessions?, problems, code?, detail?}`: the last two when the store could not be listed.
fn shape(report: &StoreReport) -> Value {
    let mut out = report.place();
    match &report.listing {
        Ok(listing) => {
            out.set("sessions", listing.sessions.len() as u64);
            out.set("problems", listing.diagnostics.len() as u64);
        }
        Err(error) => {
            out.set("problems", 1_u64);
            out.set("code", error.reason());
            out.set("detail", error.explanation().as_str());
        }
    }
    out.into()
}

fn row(report: &StoreReport) -> [String; 4] {
    let root = visible::line(report.root.to_string_lossy().as_ref().into());
    let (sessions, problems) = match &report.listing {
        Ok(listing) => (
            many(listing.sessions.len() as u64, "session"),
            match listing.diagnostics.len() as u64 {
                0 => String::new(),
                n => paint(DROPPED, many(n, "problem")),
            },
        ),
        Err(error) => {
            let reason = format!("cannot be read: {}", error.explanation());
            let reason = visible::line(reason.as_str().into());
            (String::new(), paint(DROPPED, reason))
        }
    };
    [report.kind.to_owned(), sessions, root, problems]
}

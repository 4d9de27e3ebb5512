//! What a log holds that is not read, and what is missing from it.

use std::collections::BTreeMap;
use std::path::Path;

use sref_session::JsString;

use crate::lines::Counts;
use crate::{Diagnostic, DiagnosticKind};

/// How many types of unknown records are named.
const NAMED: usize = 8;

/// Records of types, or with values, that this reader does not know (`spec/agent-logs.md` 2.4, 2.8,
/// 3.2, 3.11: they grow weekly).
#[derive(Debug, Clone, Default)]
pub(crate) struct Unknown {
    records: u64,
    /// The first types, by name; empty for records without one.
    types: BTreeMap<JsString, u64>,
    /// How many records and parts held words that are not shown.
    words: u64,
}

impl Unknown {
    pub(crate) fn add(&mut self, kind: JsString) {
        self.add_all(vec![kind]);
    }

    /// One record with these of its values unknown; none, if there are none.
    pub(crate) fn add_all(&mut self, kinds: Vec<JsString>) {
        self.records += u64::from(!kinds.is_empty());
        for kind in kinds {
            self.name(kind);
        }
    }

    /// So many records and parts of unknown forms that hold words.
    pub(crate) const fn add_words(&mut self, number: u64) {
        self.words = self.words.saturating_add(number);
    }

    fn name(&mut self, kind: JsString) {
        if self.types.len() < NAMED || self.types.contains_key(&kind) {
            *self.types.entry(kind).or_default() += 1;
        }
    }

    /// What is told of them, if there are any.
    pub(crate) fn diagnostic(&self, path: &Path) -> Option<Diagnostic> {
        let kind = DiagnosticKind::UnknownRecords;
        (self.records > 0).then(|| Diagnostic::new(kind, path, self.detail()))
    }

    /// `3: "a", "b"`
    fn detail(&self) -> String {
        let types = self.types.keys().filter(|kind| !kind.is_empty());
        let types: Vec<String> = types
            .map(|kind| kind.as_js_str().excerpt().to_string())
            .collect();
        let more = if self.types.len() == NAMED {
            ", …"
        } else {
            ""
        };
        let colon = if types.is_empty() { "" } else { ": " };
        format!("{}{colon}{}{more}", self.records, types.join(", "))
    }
}

/// How often the chain of a conversation is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Breaks {
    /// At a record that names one which is not there.
    pub(crate) gaps: u64,
    /// At one that names itself, or one that follows it.
    pub(crate) circles: u64,
    /// At a beginning which is not that of the conversation that is shown.
    pub(crate) roots: u64,
}

/// The diagnostics of a log that was read to its end.
pub(crate) fn diagnostics(
    path: &Path,
    counts: &Counts,
    unknown: &Unknown,
    breaks: Breaks,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (kind, number) in [
        (DiagnosticKind::BadLines, counts.bad),
        (DiagnosticKind::LongLines, counts.too_long),
        (DiagnosticKind::UnknownWords, unknown.words),
        (DiagnosticKind::Gaps, breaks.gaps),
        (DiagnosticKind::Circles, breaks.circles),
        (DiagnosticKind::OtherRoots, breaks.roots),
        (DiagnosticKind::RepairedLines, counts.repaired),
    ] {
        if number > 0 {
            found.push(Diagnostic::counted(kind, path, number));
        }
    }
    if counts.incomplete_tail {
        found.push(Diagnostic::new(DiagnosticKind::TornTail, path, ""));
    }
    found.extend(unknown.diagnostic(path));
    found
}

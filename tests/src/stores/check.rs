//! Comparing the answers of one store.

use sref::session::json::Value;

use super::open::Opened;
use crate::compare::Mismatch;
use crate::report::{Failure, Section};

/// The comparisons of one root. Where the library has no reader for the store, each of them fails.
pub(super) struct Check {
    section: Section,
    store: Result<Opened, String>,
}

impl Check {
    pub(super) fn new(root: &str, store: Result<Opened, String>) -> Self {
        Self {
            section: Section::new(root),
            store,
        }
    }

    /// Asks and compares.
    pub(super) fn answer(
        &mut self,
        what: &str,
        expected: &Value,
        ask: impl FnOnce(&Opened) -> Value,
    ) {
        let name = format!("{} {what}", self.section.name());
        let outcome = match &self.store {
            Err(reason) => Err(Failure::broken(name, reason)),
            Ok(store) => match Mismatch::of("", expected, ask(store)) {
                None => Ok(()),
                Some(mismatch) => Err(Failure::mismatch(name, mismatch)),
            },
        };
        self.section.record(outcome);
    }

    /// Notes an expectation that cannot be compared.
    pub(super) fn broken(&mut self, reason: impl Into<String>) {
        let name = self.section.name().to_owned();
        self.section.fail(Failure::broken(name, reason));
    }

    /// The result. A root of which nothing is recorded has not passed.
    pub(super) fn finish(mut self) -> Section {
        if self.section.passed() == 0 && self.section.failures().is_empty() {
            self.broken("malformed recording: nothing to compare");
        }
        self.section
    }
}

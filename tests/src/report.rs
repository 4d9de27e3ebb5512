//! What a run came to.

use std::fmt;

use sref::session::json::Value;

use crate::compare::{Mismatch, first_difference};
use crate::show;

/// What one group of comparisons came to: an area of a vector file, or a root of a store folder.
///
/// Its display is the line `NAME N passed, M failed`.
#[derive(Debug)]
pub struct Section {
    name: String,
    passed: usize,
    failures: Vec<Failure>,
}

impl Section {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            passed: 0,
            failures: Vec::new(),
        }
    }

    /// The area or root.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many comparisons came out as recorded.
    #[must_use]
    pub const fn passed(&self) -> usize {
        self.passed
    }

    /// The comparisons that did not.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    pub(crate) fn pass(&mut self) {
        self.passed += 1;
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failures.push(failure);
    }

    /// Counts one comparison.
    pub(crate) fn record(&mut self, outcome: Result<(), Failure>) {
        match outcome {
            Ok(()) => self.pass(),
            Err(failure) => self.fail(failure),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            passed,
            failures,
        } = self;
        write!(f, "{name} {passed} passed, {} failed", failures.len())
    }
}

/// One comparison that did not come out as recorded. Its display is a paragraph.
#[derive(Debug)]
pub struct Failure {
    name: String,
    input: Option<Value>,
    what: What,
}

#[derive(Debug)]
enum What {
    Mismatch(Box<Mismatch>),
    Broken(String),
}

impl Failure {
    /// A result that differs.
    pub(crate) fn mismatch(name: impl Into<String>, mismatch: Mismatch) -> Self {
        Self {
            name: name.into(),
            input: None,
            what: What::Mismatch(Box::new(mismatch)),
        }
    }

    /// No result, or no expectation, to compare.
    pub(crate) fn broken(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            input: None,
            what: What::Broken(reason.into()),
        }
    }

    pub(crate) fn with_input(mut self, input: &Value) -> Self {
        self.input = Some(input.clone());
        self
    }

    /// The vector's or the session's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FAILED {}", self.name)?;
        if let What::Mismatch(mismatch) = &self.what
            && !mismatch.at.is_empty()
        {
            write!(f, " ({})", mismatch.at)?;
        }
        writeln!(f)?;
        if let Some(input) = &self.input {
            writeln!(f, "  input     {}", show::value(input))?;
        }
        match &self.what {
            What::Broken(reason) => writeln!(f, "  {reason}"),
            What::Mismatch(mismatch) => {
                let Mismatch { expected, got, .. } = &**mismatch;
                writeln!(f, "  expected  {}", show::value(expected))?;
                writeln!(f, "  got       {}", show::value(got))?;
                match first_difference(expected, got) {
                    Some(difference) => writeln!(f, "  differs   {difference}"),
                    None => Ok(()),
                }
            }
        }
    }
}

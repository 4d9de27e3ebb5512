//! What a check finds, and how it is told.

use std::fmt::{self, Display};

/// A line of a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    file: String,
    /// Counted from 1; 0 is the file as a whole.
    line: usize,
}

impl Place {
    pub(crate) fn new(file: impl Into<String>, line: usize) -> Self {
        Self {
            file: file.into(),
            line,
        }
    }

    pub(crate) fn file(file: impl Into<String>) -> Self {
        Self::new(file, 0)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// One defect: where it stands, on both sides where there are two, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    places: Vec<Place>,
    message: String,
}

impl Problem {
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        Self {
            places: vec![place],
            message: message.into(),
        }
    }

    /// A disagreement between two files.
    pub(crate) fn between(places: [Place; 2], message: impl Into<String>) -> Self {
        Self {
            places: places.into(),
            message: message.into(),
        }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.places.iter().enumerate() {
            let before = if at == 0 { "" } else { " | " };
            write!(f, "{before}{place}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The end of one check: what was looked at, or what is wrong.
pub(crate) type Outcome = Result<String, Vec<Problem>>;

/// `fact` when nothing is wrong.
pub(crate) fn outcome(fact: impl Into<String>, mut problems: Vec<Problem>) -> Outcome {
    if problems.is_empty() {
        return Ok(fact.into());
    }
    problems.sort();
    problems.dedup();
    Err(problems)
}

/// The first line of a text, cut to a width that a terminal shows.
pub(crate) fn excerpt(text: &str) -> String {
    const WIDTH: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    let mut out: String = line.chars().take(WIDTH).collect();
    if out.len() < text.trim_end().len() {
        out.push('…');
    }
    out
}

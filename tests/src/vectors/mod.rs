//! Files of vectors, in the format of `vectors/SCHEMA.md`.
//!
//! The library is set to what the vectors were recorded with: exact retention, the plain profile,
//! the seeds' mention rules and lower-case search (`contract.md` §3, §5, §6, §8).

mod candidates;
mod codec;
mod pre_step;
mod prepare;
mod reads;
mod render;
mod surface;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sref::session::json::{self, JsonError, Value};
use thiserror::Error;

pub(crate) use self::candidates::without_mention;

use crate::compare::Mismatch;
use crate::fields::Malformed;
use crate::report::{Failure, Section};
use crate::show;

/// A file that cannot be run at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// The file is no JSON.
    #[error("is no JSON")]
    Json(#[from] JsonError),
    /// The JSON is no array.
    #[error("is no array of vectors")]
    NotAnArray,
    /// There is nothing in it that could fail.
    #[error("holds no vectors")]
    Empty,
}

/// Something the vectors can be about: the first segment of their names.
struct Area {
    name: &'static str,
    /// Members of which an expectation has one. One with none of them expects nothing.
    outcomes: &'static [&'static str],
    run: Run,
}

enum Run {
    /// Gives the whole result of an input.
    Result(fn(&Value) -> Result<Value, Malformed>),
    /// Compares by itself: input, expectation.
    Compare(fn(&Value, &Value) -> Result<Vec<Mismatch>, Malformed>),
}

const fn area(
    name: &'static str,
    outcomes: &'static [&'static str],
    run: fn(&Value) -> Result<Value, Malformed>,
) -> Area {
    Area {
        name,
        outcomes,
        run: Run::Result(run),
    }
}

const fn retention(name: &'static str) -> Area {
    Area {
        name,
        outcomes: &["outcomes"],
        run: Run::Compare(render::retention),
    }
}

const AREAS: &[Area] = &[
    area("uri-encode", &["uri"], codec::encode),
    area("uri-decode", &["sessionId", "error"], codec::decode),
    area("mention-format", &["mention"], codec::format),
    area("text-parse", &["text", "error"], codec::parse),
    area("serialization", &["json", "error"], render::serialization),
    area("projection", &["json", "error"], render::projection),
    retention("retention"),
    retention("retention-dense"),
    retention("retention-digest"),
    retention("retention-large"),
    area("candidates", &["candidates", "error"], candidates::plain),
    area(
        "candidate-mentions",
        &["candidates", "error"],
        candidates::with_mentions,
    ),
    area("config", &["ok", "error"], prepare::config),
    area("prepare", &["content", "error"], prepare::prepare),
    area("pre-step", &["kind", "error"], pre_step::pre_step),
];

/// Runs a file; one section per area, in the order in which the areas first appear.
///
/// A vector of an unknown area fails, since nothing checked it.
///
/// # Errors
///
/// [`FileError`] when the file holds no array of vectors, or an empty one.
pub fn run_file(path: &Path) -> Result<Vec<Section>, FileError> {
    run(&fs::read(path)?)
}

/// [`run_file`] on a file's bytes.
///
/// # Errors
///
/// [`FileError`], but never [`FileError::Io`].
///
/// ```
/// let sections = sref_tests::vectors::run(
///     br#"[{"name":"uri-encode/x","input":{"sessionId":"a"},"expect":{"uri":"dsh-session:ImEi"}},
///         {"name":"astrology/x","input":{},"expect":{}}]"#,
/// )?;
/// assert_eq!(sections[0].to_string(), "uri-encode 1 passed, 0 failed");
/// assert_eq!(sections[1].to_string(), "astrology 0 passed, 1 failed");
/// # Ok::<(), sref_tests::vectors::FileError>(())
/// ```
pub fn run(bytes: &[u8]) -> Result<Vec<Section>, FileError> {
    let file = json::parse(bytes)?;
    let vectors = file.as_array().ok_or(FileError::NotAnArray)?;
    if vectors.is_empty() {
        return Err(FileError::Empty);
    }
    let mut sections: Vec<Section> = Vec::new();
    for (at, vector) in vectors.iter().enumerate() {
        let name = match vector.get("name").and_then(Value::as_string) {
            Some(name) => show::text(name),
            None => format!("vector {at} without a name"),
        };
        let area = name.split('/').next().unwrap_or_default();
        let known = sections.iter().position(|own| own.name() == area);
        let place = known.unwrap_or(sections.len());
        if known.is_none() {
            sections.push(Section::new(area));
        }
        sections[place].record(run_vector(&name, area, vector));
    }
    Ok(sections)
}

fn run_vector(name: &str, area: &str, vector: &Value) -> Result<(), Failure> {
    let broken = |reason: String| Failure::broken(name, reason);
    let (Some(input), Some(expect)) = (vector.get("input"), vector.get("expect")) else {
        return Err(broken(
            "malformed recording: needs `input` and `expect`".into(),
        ));
    };
    let area = AREAS
        .iter()
        .find(|own| own.name == area)
        .ok_or_else(|| broken("unknown area".into()).with_input(input))?;
    if !area.outcomes.iter().any(|key| expect.get(key).is_some()) {
        let reason = format!("malformed recording: expects none of {:?}", area.outcomes);
        return Err(broken(reason).with_input(input));
    }
    // Does not help the release profile, which aborts; there the panic names the place itself.
    let outcome = catch_unwind(AssertUnwindSafe(|| match area.run {
        Run::Result(run) => {
            run(input).map(|got| Mismatch::of("", expect, got).into_iter().collect())
        }
        Run::Compare(run) => run(input, expect),
    }));
    let mismatches = match outcome {
        Ok(Ok(mismatches)) => mismatches,
        Ok(Err(malformed)) => return Err(broken(malformed.to_string()).with_input(input)),
        Err(panic) => return Err(broken(panicked(&*panic)).with_input(input)),
    };
    let more = mismatches.len().saturating_sub(1);
    match mismatches.into_iter().next() {
        None => Ok(()),
        Some(mut first) => {
            if more > 0 {
                let _ = write!(first.at, ", and {more} more");
            }
            Err(Failure::mismatch(name, first).with_input(input))
        }
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", message.unwrap_or("(no message)"))
}

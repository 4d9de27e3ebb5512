//! Reading JSONL: lines of any length in bounded memory, and the repairs that the logs of coding
//! agents need (`spec/agent-logs.md` 1.2).
//!
//! [`LineReader`] splits at LF and does nothing else. [`RecordReader`] gives the lines that hold
//! JSON, with the repairs that a store asks for. Two of the usual faults need none: lone
//! surrogates and ill-formed UTF-8 are text to [`sref_session::json`].

mod condense;
mod reader;
mod records;
#[cfg(test)]
mod tests;

pub use reader::{Line, LineOptions, LineReader, LongLines, Wholeness};
pub use records::{Counts, Record, RecordReader, Repairs};

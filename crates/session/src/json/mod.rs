//! JSON as `JSON.parse` and `JSON.stringify` treat it.
//!
//! Session logs are written by JavaScript programs, and a reader that is stricter than they are
//! loses sessions. So here a lone surrogate escape is text, the last of two equal keys wins, a
//! number keeps its spelling (`1e400` too), and ill-formed UTF-8 inside a string reads as U+FFFD
//! (`spec/dsh-store.md` 1.6). Everything else is strict: what `JSON.parse` refuses is refused.
//!
//! [`Scanner`] reads without building anything and without recursion, so nesting is unlimited and
//! what is skipped stays cheap. [`parse`] builds a [`Value`]; it refuses more than [`MAX_DEPTH`]
//! levels, since a tree is dropped by recursion.

mod arrays;
mod bytes;
mod error;
mod levels;
mod parse;
mod quote;
mod raw;
mod scan;
#[cfg(test)]
mod tests;
mod value;

pub use error::{JsonError, JsonErrorKind};
pub use parse::{MAX_DEPTH, parse};
pub use quote::{quote, quote_into};
pub use raw::RawString;
pub use scan::{Kind, Scanner};
pub use value::{Number, Object, Value, safe_integer};

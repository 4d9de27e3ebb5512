//! The server from the outside: JSON lines over a pair of streams in memory.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it unwraps, helpers included"
)]

mod hostile;
mod losses;
mod reading;
mod resources;
mod scope;
mod support;
mod tools;
mod versions;

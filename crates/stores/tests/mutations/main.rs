//! Generated logs of agents, damaged in every way a disk, a crash or an editor damages them: no panic, no
//! hang, no other session touched, and of a log that lost a line everything but that line.
//!
//! `SREF_CASES=100000 cargo test --release -p sref-stores --test mutations` runs more.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails where it unwraps, helpers included, and says which case failed"
)]

mod claude;
mod codex;
mod damage;

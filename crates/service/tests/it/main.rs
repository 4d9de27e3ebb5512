//! The promises of the resolver (`contract.md` §8), each seen from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod candidates;
mod freshness;
mod messages;
mod prepare;
mod spawn;
mod support;

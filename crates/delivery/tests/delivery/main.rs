//! The promises of the crate, kept with the service and an in-memory corpus behind it: per host a
//! table of event → output, schemas, and caps over arbitrary sessions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod caps;
mod hook;
mod hosts;
mod large;
mod schema;
mod setup;

//! Stores of dsh logs from the outside: written by a small writer, read back, broken, raced.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it unwraps, helpers included"
)]

mod consistency;
mod corpus;
mod damage;
mod formats;
mod frames;
mod hostile;
mod live;
mod model;
mod mutations;
mod rows;
mod schemas;
mod support;

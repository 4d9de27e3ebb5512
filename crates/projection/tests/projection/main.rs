//! The promises of `contract.md` §6, over arbitrary surfaces and budgets.
//!
//! `PROPTEST_CASES` sets how many.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod exact;
mod fair;
mod fair_examples;
mod oracle;
mod surfaces;

//! Conformance of sref with what the reference implementation was recorded to do.
//!
//! There are two kinds of recordings: files of [`vectors`] (inputs with the results that the
//! reference gave), and folders of [`stores`] (session logs with what the reference read from
//! them). The program `conformance` runs either kind, and the tests of this package run those that
//! lie beside it, through the same code.
//!
//! Vectors are recorded data and may only get better: none is left out, none is expected to fail,
//! and none is known by its name.

mod compare;
mod context;
mod digest;
mod drive;
mod fields;
mod report;
mod seed;
mod show;
pub mod stores;
pub mod vectors;

pub use report::{Failure, Section};

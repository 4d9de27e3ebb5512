//! What is escaped, how long text becomes, and the writing of it.
//!
//! All of it works on runs of plain text; [`Profile`](crate::Profile) walks the runs of a text that
//! holds lone surrogates. `HARDENED` is a constant parameter, so that each profile has its own
//! inner loops.

mod ascii;
mod cost;
mod hidden;
mod marks;
mod pictographic;
mod write;

pub(crate) use cost::{Fit, fit, prefix, suffix};
pub(crate) use write::{write_run, write_unit};

/// The size of a `\uXXXX` escape.
pub(crate) const UNIT: usize = 6;

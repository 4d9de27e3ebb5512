//! Rollouts, and what a person would say was in them.

mod compaction;
mod dialogue;
mod framing;
mod legacy;
mod listing;
mod losses;
mod packed;
mod support;
mod threads;
mod titles;

//! Rollouts, and what a person would say was in them.

mod compaction;
mod dialogue;
mod framing;
mod legacy;
mod listing;
mod packed;
mod support;
mod threads;
mod titles;

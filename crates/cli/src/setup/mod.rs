//! Files of agents that `sref setup` edits: which they are, and how they are written.

mod backup;
pub(crate) mod file;
mod made;
pub(crate) mod places;
pub(crate) mod program;
#[cfg(test)]
mod tests;
pub(crate) mod trust;
mod write;

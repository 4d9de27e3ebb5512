//! Files of agents that `sref setup` edits: which they are, and how they are written.

pub(crate) mod file;
pub(crate) mod places;
pub(crate) mod program;
pub(crate) mod trust;

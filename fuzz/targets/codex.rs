//! See [`sref_fuzz::codex`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(codex);

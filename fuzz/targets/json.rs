//! See [`sref_fuzz::json`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(json);

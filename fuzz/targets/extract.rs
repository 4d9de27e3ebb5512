//! See [`sref_fuzz::extract`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(extract);

//! See [`sref_fuzz::claude`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(claude);

//! See [`sref_fuzz::log`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(log);

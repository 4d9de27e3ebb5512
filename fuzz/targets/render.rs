//! See [`sref_fuzz::render`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(render);

//! See [`sref_fuzz::rows`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(rows);

//! See [`sref_fuzz::uri`].
#![cfg_attr(fuzzing, no_main)]
sref_fuzz::target!(uri);

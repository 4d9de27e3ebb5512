//! What a person sees: foreign text made harmless, columns, bars, ages and sizes.
//!
//! Nothing in here prints. Everything gives plain text with the escapes of [`style`], which the
//! stream takes out again where colour is not wanted.

pub(crate) mod bar;
pub(crate) mod human;
pub(crate) mod progress;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod visible;
pub(crate) mod width;

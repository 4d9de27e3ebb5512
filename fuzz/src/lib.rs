//! What must hold for any input at all. A target takes bytes and panics when something does not.
//!
//! `fuzz/run TARGET SECONDS` looks for inputs that fail. What it finds goes into
//! `regressions/TARGET/`, and `cargo test` replays those files on any compiler.

mod extract;
mod input;
mod json;
mod log;
mod render;
mod rows;
mod uri;

use std::path::Path;

pub use extract::extract;
pub use json::json;
pub use log::{claude, codex, log};
pub use render::render;
pub use rows::rows;
pub use uri::uri;

/// A property of any bytes.
pub type Target = fn(&[u8]);

/// The targets, by the name of their program and of their directory of kept inputs.
pub const TARGETS: &[(&str, Target)] = &[
    ("claude", claude),
    ("codex", codex),
    ("extract", extract),
    ("json", json),
    ("log", log),
    ("render", render),
    ("rows", rows),
    ("uri", uri),
];

/// The program of one target: a fuzzer, or a replayer of the files in its arguments.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$name(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            let files = std::env::args_os().skip(1);
            files
                .map(std::path::PathBuf::from)
                .try_for_each(|file| $crate::replay(&file, $crate::$name))
        }
    };
}

/// Gives a target one file.
///
/// # Errors
///
/// The file cannot be read.
pub fn replay(file: &Path, target: Target) -> std::io::Result<()> {
    target(&std::fs::read(file)?);
    Ok(())
}

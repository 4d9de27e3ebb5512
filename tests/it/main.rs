//! The recordings that lie beside this package, and the program that runs them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod program;
#[cfg(unix)]
mod scripts;
mod spoil;
mod stores;
mod stores_untouched;
mod vectors;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sref_tests::Section;

/// A path in this package.
fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The names of a directory's entries.
fn names(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Asserts that sections hold so many comparisons each, and that all of them passed.
fn assert_passed(sections: &[Section], expected: &[(&str, usize)]) {
    let failures = sections.iter().flat_map(Section::failures);
    let shown: String = failures.take(5).map(ToString::to_string).collect();
    let lines: Vec<String> = sections.iter().map(ToString::to_string).collect();
    let passed = |(name, count): &(&str, usize)| format!("{name} {count} passed, 0 failed");
    let expected: Vec<String> = expected.iter().map(passed).collect();
    assert_eq!(lines, expected, "\n{shown}");
}

/// With one test binary a file that no `mod` names is never compiled.
#[test]
fn no_test_file_is_forgotten() {
    let main = include_str!("main.rs");
    let mut files = names(&own("it"));
    assert!(files.remove("main.rs"));
    assert!(!files.is_empty());
    for file in files {
        let module = file.strip_suffix(".rs").unwrap_or(&file);
        assert!(
            main.lines().any(|line| line == format!("mod {module};")),
            "it/{file} is in no test binary: add `mod {module};` to it/main.rs"
        );
    }
}

//! The inputs that once failed, and a few that reach far: replayed on any compiler.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Generous for a busy machine and an unoptimised build; a cost that is not linear exceeds it.
const LIMIT: Duration = Duration::from_secs(10);

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn kept_inputs_pass_in_time() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    for (name, target) in sref_fuzz::TARGETS {
        let files = entries(&root.join(name));
        assert!(!files.is_empty(), "{name} has no input");
        for file in files {
            let start = Instant::now();
            sref_fuzz::replay(&file, *target).unwrap();
            let took = start.elapsed();
            assert!(took < LIMIT, "{} took {took:?}", file.display());
        }
    }
}

#[test]
fn every_directory_and_program_has_its_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |directory: &str| -> BTreeSet<String> {
        let paths = entries(&root.join(directory)).into_iter();
        let stems = paths.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
        stems.collect()
    };
    let targets: BTreeSet<String> = sref_fuzz::TARGETS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(names("regressions"), targets);
    assert_eq!(names("targets"), targets);
}

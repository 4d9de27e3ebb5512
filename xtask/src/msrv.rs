//! The oldest compiler that the workspace promises is one that its dependencies accept.

use std::path::Path;

use sref_session::json::Value;

use crate::manifest;
use crate::metadata::{self, text};
use crate::report::{Outcome, Place, Problem, outcome};
use crate::tree::Tree;

pub(crate) const REPAIR: &str = "lock an older release (`cargo update -p NAME --precise VERSION`) or raise rust-version in Cargo.toml";

/// `cargo xtask msrv`
pub(crate) fn check(root: &Path, tree: &Tree) -> Outcome {
    let metadata = metadata::packages(root)
        .map_err(|error| vec![Problem::at(Place::file("Cargo.lock"), error)])?;
    let promised = manifest::rust_version(tree.text("Cargo.toml").unwrap_or_default());
    check_metadata(promised.unwrap_or_default(), &metadata)
}

fn check_metadata(promised: &str, metadata: &Value) -> Outcome {
    let Some(limit) = version(promised) else {
        let place = Place::file("Cargo.toml");
        return Err(vec![Problem::at(
            place,
            "no [workspace.package] rust-version",
        )]);
    };
    let packages = metadata.get("packages").and_then(Value::as_array);
    let packages = packages.unwrap_or_default();
    let problems = packages
        .iter()
        .filter(|package| {
            let needed = version(text(package, "rust_version"));
            needed.is_some_and(|needed| needed > limit)
        })
        .map(|package| {
            let message = format!(
                "{} {} needs Rust {}, the workspace promises {promised}",
                text(package, "name"),
                text(package, "version"),
                text(package, "rust_version")
            );
            Problem::at(Place::file("Cargo.lock"), message)
        })
        .collect();
    outcome(
        format!("{} packages work with Rust {promised}", packages.len()),
        problems,
    )
}

/// `1.89` and `1.89.0` alike.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split('.').map(str::parse);
    let mut next = || parts.next().unwrap_or(Ok(0)).ok();
    (!text.is_empty()).then_some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sref_session::json;

    #[test]
    fn a_package_that_needs_more_is_found() {
        let metadata = json::parse(
            br#"{"packages":[{"name":"a","version":"1.0.0","rust_version":"1.89.0"},{"name":"b","version":"2.0.0","rust_version":null},{"name":"c","version":"3.0.0","rust_version":"1.100"}]}"#,
        )
        .unwrap();
        assert!(check_metadata("1.100", &metadata).is_ok());
        let problems = check_metadata("1.89", &metadata).unwrap_err();
        assert_eq!(
            problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["Cargo.lock: c 3.0.0 needs Rust 1.100, the workspace promises 1.89"]
        );
        assert!(check_metadata("", &metadata).is_err());
    }
}

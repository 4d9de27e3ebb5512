//! One way down: a member depends only on members below it, and pure crates on next to nothing.
//! And one set of rules: every member inherits version, compiler and lints.

use std::collections::BTreeSet;
use std::path::Path;

use sref_session::json::Value;

use crate::manifest;
use crate::metadata::{self, text};
use crate::report::{Outcome, Place, Problem, outcome};
use crate::rust::{Token, starts_with, tokens, without_tests};
use crate::tree::Tree;

pub(crate) const REPAIR: &str = "move the code to the layer that may have the dependency, or change the rule in xtask/src/layers.rs";

/// Crates that are functions of their arguments: `no_std`, and nothing but [`PURE_DEPENDENCIES`].
const PURE: &[&str] = &[
    "sref-session",
    "sref-uri",
    "sref-envelope",
    "sref-projection",
];

/// Crates whose own code does no I/O either, above others that need `std`.
const WITHOUT_STD: &[&str] = &["sref-delivery"];

/// What a pure crate may use, always without default features. None of them does I/O.
const PURE_DEPENDENCIES: &[&str] = &["base64", "memchr", "thiserror", "unicode-segmentation"];

/// Dependencies that not every crate may have, and who may.
const RESERVED: &[(&str, Users)] = &[
    // About four releases a month: its types stay behind one crate.
    ("rmcp", Users::Only("sref-mcp")),
    ("clap", Users::Only("sref-cli")),
    ("anyhow", Users::Only("sref-cli")),
    // A host brings its own runtime up to here.
    ("tokio", Users::From("sref-stores")),
];

#[derive(Clone, Copy)]
enum Users {
    Only(&'static str),
    From(&'static str),
}

/// Members that nothing depends on and that stand in no layer.
const ABOVE_ALL: &[&str] = &["sref-tests", "xtask"];

/// What no member decides for itself.
const INHERITED: &[&str] = &[
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "[lints]\nworkspace = true",
];

/// What `xtask` may use: a check must not wait long to be built.
const XTASK_DEPENDENCIES: &[&str] = &["pulldown-cmark", "sha1_smol", "sref-session"];

/// `cargo xtask layers`
pub(crate) fn check(root: &Path, tree: &Tree) -> Outcome {
    let metadata = metadata::members(root)
        .map_err(|error| vec![Problem::at(Place::file("Cargo.toml"), error)])?;
    check_metadata(tree, &metadata)
}

fn check_metadata(tree: &Tree, metadata: &Value) -> Outcome {
    let order = manifest::layers(tree.text("Cargo.toml").unwrap_or_default());
    let packages = metadata.get("packages").and_then(Value::as_array);
    let packages = packages.unwrap_or_default();
    let members: BTreeSet<&str> = packages.iter().map(|own| text(own, "name")).collect();
    let mut problems = Vec::new();
    for package in packages {
        let checker = Checker {
            order: &order,
            members: &members,
            name: text(package, "name"),
            file: metadata::manifest_path(metadata, package),
        };
        checker.package(package, &mut problems);
        checker.manifest(tree, &mut problems);
        if PURE.contains(&checker.name) || WITHOUT_STD.contains(&checker.name) {
            check_pure_source(tree, metadata, package, &mut problems);
        }
    }
    check_facade(tree, &mut problems);
    outcome(format!("{} members", packages.len()), problems)
}

struct Checker<'a> {
    order: &'a [String],
    members: &'a BTreeSet<&'a str>,
    name: &'a str,
    file: String,
}

impl Checker<'_> {
    fn layer(&self, name: &str) -> Option<usize> {
        self.order.iter().position(|own| own == name)
    }

    fn package(&self, package: &Value, problems: &mut Vec<Problem>) {
        if self.layer(self.name).is_none() && !ABOVE_ALL.contains(&self.name) {
            problems.push(self.problem("not listed in [workspace.dependencies] of Cargo.toml"));
        }
        let dependencies = package.get("dependencies").and_then(Value::as_array);
        for dependency in dependencies.unwrap_or_default() {
            let (name, kind) = (text(dependency, "name"), text(dependency, "kind"));
            let found = if self.members.contains(name) {
                self.member(name)
            } else if kind == "dev" {
                None
            } else {
                self.foreign(name, dependency)
            };
            problems.extend(found.map(|found| self.problem(&format!("`{name}`: {found}"))));
        }
    }

    fn manifest(&self, tree: &Tree, problems: &mut Vec<Problem>) {
        let text = tree.text(&self.file).unwrap_or_default();
        for line in INHERITED {
            if !text.contains(line) {
                let line = line.replace('\n', " ");
                problems.push(self.problem(&format!("has no `{line}`")));
            }
        }
    }

    /// A member, as a dependency or a development dependency, stands lower.
    fn member(&self, name: &str) -> Option<&'static str> {
        if self.name == "xtask" {
            return (!XTASK_DEPENDENCIES.contains(&name)).then_some("xtask builds without it");
        }
        let Some(theirs) = self.layer(name) else {
            return Some("nothing depends on this member");
        };
        // The members above all see everything.
        let own = self.layer(self.name).unwrap_or(self.order.len());
        (theirs >= own).then_some("a higher layer")
    }

    fn foreign(&self, name: &str, dependency: &Value) -> Option<&'static str> {
        if self.name == "xtask" {
            return (!XTASK_DEPENDENCIES.contains(&name)).then_some("xtask builds without it");
        }
        let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == name);
        let allowed = match reserved {
            None => true,
            Some((_, Users::Only(user))) => self.name == *user,
            Some((_, Users::From(lowest))) => {
                self.layer(self.name).unwrap_or(self.order.len())
                    >= self.layer(lowest).unwrap_or_default()
            }
        };
        if !allowed && !ABOVE_ALL.contains(&self.name) {
            return Some("reserved for other crates");
        }
        if !PURE.contains(&self.name) {
            return None;
        }
        if !PURE_DEPENDENCIES.contains(&name) {
            return Some("not among the dependencies of pure crates");
        }
        let features = dependency.get("features").and_then(Value::as_array);
        let std = features
            .unwrap_or_default()
            .iter()
            .any(|feature| feature.as_string().is_some_and(|feature| *feature == "std"));
        let default = dependency.get("uses_default_features");
        (std || default.and_then(Value::as_bool) != Some(false))
            .then_some("a pure crate takes it without default features and without `std`")
    }

    fn problem(&self, message: &str) -> Problem {
        Problem::at(Place::file(&self.file), format!("{}: {message}", self.name))
    }
}

/// The compiler keeps a crate pure as long as this line stands.
fn check_pure_source(tree: &Tree, metadata: &Value, package: &Value, problems: &mut Vec<Problem>) {
    let manifest = metadata::manifest_path(metadata, package);
    let source = manifest.replace("Cargo.toml", "src/lib.rs");
    let tokens = tokens(tree.text(&source).unwrap_or_default());
    let no_std = (0..tokens.len()).any(|at| starts_with(&tokens[at..], "#![no_std]"));
    if !no_std {
        problems.push(Problem::at(
            Place::file(&source),
            "this crate begins with `#![no_std]`",
        ));
    }
    // Outside of tests, where it would bring back files, clocks and the environment.
    let tokens = without_tests(&tokens);
    for at in 0..tokens.len() {
        if starts_with(&tokens[at..], "extern crate std") {
            problems.push(Problem::at(
                Place::new(&source, tokens[at].line),
                "`std` in a crate that does without",
            ));
        }
    }
}

/// The facade re-exports and holds no code.
fn check_facade(tree: &Tree, problems: &mut Vec<Problem>) {
    const CODE: &[&str] = &[
        "fn",
        "impl",
        "trait",
        "enum",
        "macro_rules",
        "static",
        "const",
    ];
    for (path, source) in tree.texts("crates/sref/src/", ".rs") {
        for own in tokens(source) {
            if matches!(own.token, Token::Word(word) if CODE.contains(&word)) {
                problems.push(Problem::at(
                    Place::new(path, own.line),
                    "the facade holds no code",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sref_session::json;

    const ROOT: &str = "[workspace.dependencies]\nsref-session = { path = \"s\" }\nsref-uri = { path = \"u\" }\n\
                        sref = { path = \"f\" }\nsref-stores = { path = \"st\" }\nsref-cli = { path = \"c\" }\n";

    const MEMBERS: &[&str] = &[
        "sref-session",
        "sref-uri",
        "sref",
        "sref-stores",
        "sref-cli",
        "sref-tests",
        "xtask",
    ];

    fn dependency(name: &str, kind: Option<&str>, rest: &str) -> String {
        let kind = kind.map_or("null".into(), |kind| format!("\"{kind}\""));
        format!(
            r#"{{"name":"{name}","kind":{kind},"uses_default_features":false,"features":[]{rest}}}"#
        )
    }

    fn found(package: &str, dependency: &str) -> Vec<String> {
        let others = MEMBERS.iter().filter(|name| **name != package);
        let packages: Vec<String> = others
            .map(|name| (*name, ""))
            .chain([(package, dependency)])
            .map(|(name, dependency)| {
                format!(r#"{{"name":"{name}","manifest_path":"/r/crates/{name}/Cargo.toml","dependencies":[{dependency}]}}"#)
            })
            .collect();
        let text = format!(
            r#"{{"workspace_root":"/r","packages":[{}]}}"#,
            packages.join(",")
        );
        let mut tree = Tree::from([
            ("Cargo.toml", ROOT),
            ("crates/sref-session/src/lib.rs", "#![no_std]"),
            ("crates/sref-uri/src/lib.rs", "#![no_std]"),
            ("crates/sref/src/lib.rs", "pub use sref_uri as uri;"),
        ]);
        for name in MEMBERS.iter().chain([&package]) {
            tree.set(&format!("crates/{name}/Cargo.toml"), &INHERITED.join("\n"));
        }
        match check_metadata(&tree, &json::parse(text.as_bytes()).unwrap()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn dependencies_downwards_pass() {
        for (package, dependency) in [
            ("sref-uri", dependency("sref-session", None, "")),
            (
                "sref-uri",
                dependency("base64", None, r#","features":["alloc"]"#),
            ),
            ("sref-uri", dependency("proptest", Some("dev"), "")),
            ("sref-cli", dependency("clap", None, "")),
            ("sref-stores", dependency("tokio", None, "")),
            ("sref-tests", dependency("sref-cli", None, "")),
            ("xtask", dependency("sref-session", None, "")),
        ] {
            assert_eq!(
                found(package, &dependency),
                [""; 0],
                "{package} {dependency}"
            );
        }
    }

    #[test]
    fn other_dependencies_are_found() {
        for (package, dependency, problem) in [
            (
                "sref-session",
                dependency("sref-uri", None, ""),
                "`sref-uri`: a higher layer",
            ),
            (
                "sref-session",
                dependency("sref-uri", Some("dev"), ""),
                "`sref-uri`: a higher layer",
            ),
            (
                "sref-uri",
                dependency("sref-tests", Some("dev"), ""),
                "`sref-tests`: nothing depends on this member",
            ),
            (
                "sref-uri",
                dependency("serde", None, ""),
                "`serde`: not among the dependencies of pure crates",
            ),
            (
                "sref-uri",
                dependency("serde", Some("build"), ""),
                "`serde`: not among the dependencies of pure crates",
            ),
            (
                "sref-uri",
                dependency("memchr", None, r#","features":["std"]"#),
                "`memchr`: a pure crate takes it without default features and without `std`",
            ),
            (
                "sref-uri",
                dependency("memchr", None, r#","uses_default_features":true"#),
                "`memchr`: a pure crate takes it without default features and without `std`",
            ),
            (
                "sref-stores",
                dependency("rmcp", None, ""),
                "`rmcp`: reserved for other crates",
            ),
            (
                "sref",
                dependency("tokio", None, ""),
                "`tokio`: reserved for other crates",
            ),
            (
                "sref-new",
                dependency("serde", None, ""),
                "not listed in [workspace.dependencies] of Cargo.toml",
            ),
            (
                "xtask",
                dependency("regex", None, ""),
                "`regex`: xtask builds without it",
            ),
        ] {
            assert_eq!(
                found(package, &dependency),
                [format!("crates/{package}/Cargo.toml: {package}: {problem}")]
            );
        }
    }

    #[test]
    fn sources_that_break_a_layer_are_found() {
        let metadata = json::parse(
            br#"{"workspace_root":"/r","packages":[{"name":"sref-session","manifest_path":"/r/s/Cargo.toml","dependencies":[]}]}"#,
        )
        .unwrap();
        let problems = |path, text: &str| {
            let mut tree = Tree::from([("Cargo.toml", ROOT), ("s/src/lib.rs", "#![no_std]")]);
            tree.set("s/Cargo.toml", &INHERITED.join("\n"));
            tree.set(path, text);
            let found = check_metadata(&tree, &metadata);
            found.err().map_or(0, |found| found.len())
        };
        let inside = "#![no_std]\n#[cfg(test)]\nextern crate std;";
        assert_eq!(problems("s/src/lib.rs", inside), 0);
        assert_eq!(problems("s/src/lib.rs", "#![no_std]\nextern crate std;"), 1);
        assert_eq!(problems("s/src/lib.rs", "//! #![no_std]\n"), 1);
        assert_eq!(problems("crates/sref/src/lib.rs", "pub fn f() {}"), 1);
        assert_eq!(problems("s/Cargo.toml", "[lints]"), INHERITED.len());
    }
}

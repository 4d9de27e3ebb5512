//! The scripts of this repository, on machines where something is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::own;

/// A directory of programs that stand before all others.
struct Programs(TempDir);

impl Programs {
    fn new(scripts: &[(&str, &str)]) -> Self {
        let programs = Self(TempDir::new().unwrap());
        for (name, script) in scripts {
            let path = programs.0.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        programs
    }

    /// Exit code and standard error of a script.
    fn run(&self, script: &Path, args: &[&str], ci: Option<&str>) -> (i32, String) {
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new(script);
        command
            .args(args)
            .env("PATH", format!("{}:{path}", self.0.path().display()))
            .env("HERE", self.0.path())
            .env_remove("CI");
        if let Some(ci) = ci {
            command.env("CI", ci);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), said)
    }
}

/// Fails in CI, where nobody reads what was left out, and does not on a laptop.
#[test]
fn the_server_is_not_asked_in_silence_without_python() {
    let programs = Programs::new(&[("python3", "exit 1")]);
    for (ci, code) in [(None, 0), (Some("false"), 0), (Some("true"), 1)] {
        let (status, said) = programs.run(&own("mcp/run"), &[], ci);
        assert_eq!(status, code, "{ci:?} {said}");
        assert!(said.contains("NOT RUN"), "{said}");
    }
    assert_eq!(programs.run(&own("mcp/run"), &["--check"], None).0, 1);
}

#[test]
fn python_is_installed_where_root_can() {
    let script = own("../.ci/python");
    // There once apt-get has made the file.
    let python = ("python3", "test -e \"$HERE/installed\"");
    let install = "case $1 in install) echo \"$@\" >\"$HERE/installed\";; esac";
    let programs = Programs::new(&[python, ("id", "echo 0"), ("apt-get", install)]);
    let (status, said) = programs.run(&script, &[], Some("true"));
    assert_eq!(status, 0, "{said}");
    let words = fs::read_to_string(programs.0.path().join("installed")).unwrap();
    assert!(words.contains("python3 python3-venv"), "{words}");

    // Somebody else, or where it does not help: CI ends, a laptop goes on.
    let other = Programs::new(&[python, ("id", "echo 1000"), ("apt-get", install)]);
    let broken = Programs::new(&[python, ("id", "echo 0"), ("apt-get", "exit 100")]);
    for programs in [other, broken] {
        assert_eq!(programs.run(&script, &[], None).0, 0);
        let (status, said) = programs.run(&script, &[], Some("true"));
        assert_eq!(status, 1);
        assert!(said.contains("NOT RUN"), "{said}");
        assert!(!programs.0.path().join("installed").exists());
    }

    let there = Programs::new(&[
        ("python3", "exit 0"),
        ("id", "echo 0"),
        ("apt-get", "exit 7"),
    ]);
    assert_eq!(there.run(&script, &[], Some("true")).0, 0);
}

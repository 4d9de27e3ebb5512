//! The program as a person and a program meet it: on the sample store, and on hostile ones.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it unwraps, helpers included"
)]

mod citing;
mod damage;
mod filters;
mod forks;
mod home;
mod hook;
mod hostile;
mod listing;
mod losses;
mod mcp;
mod setup;
mod setup_tree;
mod showing;
mod stores;
mod streams;
mod usage;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use serde_json::Value;

const LOGIN: &str = "session-3f9c1e52-7d0b-4c6e-9a41-0b8e6d2f5c17";
const FORK: &str = "session-3fd07a96-42cc-4b1d-8e63-97c5f0ab2d84";
const CSV: &str = "session-8b27d0c4-15ea-4f39-b7c2-6e90a1d43f58";
const REVIEW: &str = "session-c6e4f812-0a3d-4d57-9b1e-52f7308ad6c9";
const PAYMENT: &str = "session-51ad9be7-6c84-4e02-a3f6-d81c7e09b425";
const QUEUE: &str = "session-e20b5f6d-93a7-4188-8c0f-4a7d1be63902";
const UNTITLED: &str = "session-09d4ca18-f7e3-4ab6-b25d-83e1c0567fa2";

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sample-store/sessions")
}

/// The program in an empty world: no stores but those that are named, no settings.
fn sref(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sref"));
    command
        .args(args)
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null());
    command
}

/// The same with the sample store.
fn on_sample(args: &[&str]) -> Command {
    on_store(&sample(), args)
}

fn on_store(root: &Path, args: &[&str]) -> Command {
    let mut command = sref(args);
    command
        .arg("--store")
        .arg(format!("dsh={}", root.display()));
    command
}

struct Answer {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}: {}{}", self.stdout, self.stderr);
        })
    }
}

fn run(mut command: Command) -> Answer {
    answer(command.output().unwrap())
}

fn answer(output: Output) -> Answer {
    Answer {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs it with a text on standard input.
fn feed(mut command: Command, input: &[u8]) -> Answer {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    answer(child.wait_with_output().unwrap())
}

/// Runs it where it must succeed and say nothing beside the answer.
fn succeed(command: Command) -> Answer {
    let answer = run(command);
    assert_eq!(
        (answer.status, answer.stderr.as_str()),
        (0, ""),
        "{}",
        answer.stdout
    );
    answer
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// Fails with status 1 and this code, for people and for programs.
fn fails(command: impl Fn() -> Command, code: &str) -> String {
    let answer = run(command());
    assert_eq!(
        (answer.status, answer.stdout.as_str()),
        (1, ""),
        "{}",
        answer.stderr
    );
    let message = answer
        .stderr
        .strip_prefix(&format!("error[{code}]: "))
        .unwrap_or_else(|| panic!("{}", answer.stderr));
    assert_eq!(message.lines().count(), 1, "{message}");
    let mut json = command();
    json.arg("--json");
    let answer = run(json);
    assert_eq!((answer.status, answer.stderr.as_str()), (1, ""));
    let error = answer.json();
    assert_eq!(keys(&error), ["error"]);
    assert_eq!(error["error"]["code"], code);
    assert_eq!(
        error["error"]["message"].as_str().unwrap(),
        message.trim_end()
    );
    message.to_owned()
}

fn unicode_width(line: &str) -> usize {
    // Good enough for the sample: Han and full-width characters take two columns.
    line.chars()
        .map(|c| {
            if ('\u{2E80}'..'\u{FF61}').contains(&c) {
                2
            } else {
                1
            }
        })
        .sum()
}

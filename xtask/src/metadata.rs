//! What `cargo metadata` says.

use std::path::Path;
use std::process::Command;

use sref_session::json::{self, Value};

/// The members of the workspace with their declared dependencies.
pub(crate) fn members(root: &Path) -> Result<Value, String> {
    run(root, &["--no-deps"])
}

/// Every package that a build on this platform uses.
pub(crate) fn packages(root: &Path) -> Result<Value, String> {
    run(root, &["--locked", "--filter-platform", &host()?])
}

fn run(root: &Path, args: &[&str]) -> Result<Value, String> {
    let mut command = cargo(root);
    command
        .args(["metadata", "--format-version", "1"])
        .args(args);
    let text = stdout(command)?;
    json::parse(text.as_bytes()).map_err(|error| format!("cargo metadata: {error}"))
}

/// The cargo that runs this program.
pub(crate) fn cargo(root: &Path) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root);
    command
}

/// What a command prints, or why it failed.
pub(crate) fn stdout(mut command: Command) -> Result<String, String> {
    let program = Path::new(command.get_program());
    let name = program
        .file_stem()
        .unwrap_or_default()
        .display()
        .to_string();
    let output = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let message = String::from_utf8_lossy(&output.stderr);
        Err(format!("{name}: {}", message.trim()))
    }
}

fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.arg("-vV");
    let text = stdout(command)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc -vV names no host".into())
}

/// A member that is text; empty when it is absent or null.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    let text = value.get(key).and_then(Value::as_string);
    text.and_then(|text| text.as_str()).unwrap_or_default()
}

/// A package's manifest, relative to the workspace.
pub(crate) fn manifest_path(metadata: &Value, package: &Value) -> String {
    relative(metadata, text(package, "manifest_path"))
}

/// A path of the metadata, relative to the workspace.
pub(crate) fn relative(metadata: &Value, path: &str) -> String {
    let path = path.replace('\\', "/");
    let root = text(metadata, "workspace_root").replace('\\', "/");
    match path.strip_prefix(&root) {
        Some(inside) => inside.trim_start_matches('/').to_owned(),
        None => path,
    }
}

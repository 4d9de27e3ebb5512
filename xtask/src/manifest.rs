//! The few facts that checks read from the workspace's `Cargo.toml` as text.
//!
//! `cargo metadata` sorts what it prints; the order of lines is only here.

/// The members in `[workspace.dependencies]`, lowest layer first.
pub(crate) fn layers(manifest: &str) -> Vec<String> {
    section(manifest, "workspace.dependencies")
        .filter(|(_, value)| value.contains("path = "))
        .map(|(key, _)| key.to_owned())
        .collect()
}

/// The version that members inherit.
pub(crate) fn version(manifest: &str) -> Option<&str> {
    string(manifest, "version")
}

/// The oldest compiler that members promise to work with.
pub(crate) fn rust_version(manifest: &str) -> Option<&str> {
    string(manifest, "rust-version")
}

fn string<'a>(manifest: &'a str, wanted: &str) -> Option<&'a str> {
    section(manifest, "workspace.package")
        .find(|(key, _)| *key == wanted)
        .map(|(_, value)| value.trim_matches('"'))
}

/// The `key = value` lines of one section.
fn section<'a>(manifest: &'a str, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let header = format!("[{name}]");
    manifest
        .lines()
        .skip_while(move |line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_from_their_sections() {
        let text = "[package]\nversion = \"9\"\n[workspace.package]\nversion = \"0.1.0\"\nrust-version = \"1.89\"\n\
                    [workspace.dependencies]\nb = { path = \"b\", version = \"0.1.0\" }\n# a note\na = { path = \"a\" }\nserde = \"1\"\n[x]\nc = { path = \"c\" }\n";
        assert_eq!(layers(text), ["b", "a"]);
        assert_eq!(version(text), Some("0.1.0"));
        assert_eq!(rust_version(text), Some("1.89"));
    }
}

//! Directory names of a dsh store (`spec/dsh-store.md` 4.1).

use std::fmt::Write as _;

/// The longest project name, before it is wrapped.
const MAX_UNITS: usize = 251;

/// The directory of a session.
pub(super) fn session(id: &str) -> String {
    match id {
        "." => "~002E".to_owned(),
        ".." => "~002E~002E".to_owned(),
        _ => escaped(id.encode_utf16()),
    }
}

/// The directory of a project: its working directory, flattened.
pub(super) fn project(cwd: Option<&str>) -> String {
    let Some(cwd) = cwd else {
        return "_no-cwd".to_owned();
    };
    let mut name = String::new();
    for (at, part) in cwd.split(['/', '\\', ':']).enumerate() {
        // A run of separators is one dash.
        if at > 0 && !name.ends_with('-') {
            name.push('-');
        }
        name += &escaped(part.encode_utf16());
    }
    let name = name.trim_start_matches('-');
    let name = if name.is_empty() { "root" } else { name };
    format!("--{}--", &name[..name.len().min(MAX_UNITS)])
}

fn escaped(units: impl Iterator<Item = u16>) -> String {
    let mut out = String::new();
    for unit in units {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "~{unit:04X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_specification() {
        assert_eq!(session("emoji-😀"), "emoji-~D83D~DE00");
        assert_eq!(session(".."), "~002E~002E");
        assert_eq!(project(None), "_no-cwd");
        assert_eq!(project(Some("/")), "--root--");
        assert_eq!(project(Some("/tmp/项目")), "--tmp-~9879~76EE--");
        assert_eq!(project(Some("//work//double")), "--work-double--");
        assert_eq!(
            project(Some(&format!("/{}", "d".repeat(300)))).len(),
            251 + 4
        );
    }
}

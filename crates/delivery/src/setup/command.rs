//! The commands that agents run.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::Host;

/// A program as a word of a shell command.
///
/// Agents give the command of a hook to a shell: POSIX `sh`, or on Windows one that takes double
/// quotation marks. A plain name or path stays as it is.
///
/// ```
/// use sref_delivery::setup::quote_program;
///
/// assert_eq!(quote_program("sref"), "sref");
/// assert_eq!(quote_program("/opt/my tools/sref"), "'/opt/my tools/sref'");
/// assert_eq!(quote_program("/it's/sref"), r"'/it'\''s/sref'");
/// assert_eq!(quote_program(r"C:\my tools\sref.exe"), r#""C:\my tools\sref.exe""#);
/// ```
#[must_use]
pub fn quote_program(program: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,".contains(c);
    if !program.is_empty() && program.chars().all(plain) {
        return program.to_string();
    }
    let mut start = program.bytes();
    let drive = start.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if drive && start.next() == Some(b':') {
        // No file name on Windows holds a quotation mark.
        return format!("\"{program}\"");
    }
    format!("'{}'", program.replace('\'', r"'\''"))
}

/// What a hook runs.
pub(super) fn hook(host: Host, program: &str, strict: bool) -> String {
    let strict = if strict { " --strict" } else { "" };
    format!("{} hook {}{strict}", quote_program(program), host.name())
}

/// Whether a command is a hook of sref for this host, wherever the program lies.
pub(super) fn is_hook(command: &str, host: Host) -> bool {
    let command = command.trim();
    let hook = format!(" hook {}", host.name());
    let Some((program, rest)) = command.split_once(&hook) else {
        return false;
    };
    is_program(program) && (rest.is_empty() || rest.starts_with(' '))
}

/// Whether a path, quoted or not, ends with the name of the program.
pub(super) fn is_program(path: &str) -> bool {
    let path = path.trim_end_matches(['"', '\'']);
    let name = path
        .rsplit(['/', '\\', '"', '\'', ' '])
        .next()
        .unwrap_or(path);
    matches!(name, "sref" | "sref.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_of_ours_is_known_by_its_words() {
        for command in [
            "sref hook claude",
            " sref hook claude --strict ",
            "'/opt/my tools/sref' hook claude",
            "\"${CLAUDE_PLUGIN_ROOT}\"/bin/sref hook claude",
            "RUST_LOG=1 sref hook claude",
            r#""C:\x y\sref.exe" hook claude"#,
            &hook(Host::Claude, "/it's/sref", true),
        ] {
            assert!(is_hook(command, Host::Claude), "{command}");
            assert!(!is_hook(command, Host::Codex), "{command}");
        }
        for command in [
            "",
            "my-sref hook claude",
            "sref hook claudette",
            "sref show 3f9c",
            "echo 'sref hook claude'",
            "sreff hook claude",
        ] {
            assert!(!is_hook(command, Host::Claude), "{command}");
        }
    }
}

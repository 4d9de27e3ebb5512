//! The commands that agents run.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

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

/// Whether a command is a hook of sref for this host, wherever the program lies, and nothing else.
///
/// `also` is another name that the program goes by. A line that does more than run the program is
/// somebody's own, and what it does besides would go with it.
pub(super) fn is_hook(command: &str, host: Host, also: &str) -> bool {
    let Some(words) = words(command) else {
        return false;
    };
    let [program, hook, name, options @ ..] = &words[..] else {
        return false;
    };
    (is_program(program) || program == also)
        && hook == "hook"
        && name == host.name()
        && are_options(options)
}

/// Whether these are options of `sref hook`, and nothing else.
fn are_options(words: &[String]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let known = match word.as_str() {
            "--strict" => true,
            "--store" => words.next().is_some(),
            other => other.starts_with("--store="),
        };
        if !known {
            return false;
        }
    }
    true
}

/// Whether a path ends with the name of the program.
pub(super) fn is_program(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    matches!(name, "sref" | "sref.exe")
}

/// The words of a shell command; `None` if it is anything but one program with its arguments, or a
/// quotation mark is not closed.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    // An empty pair of quotation marks is a word, too.
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = command.trim().chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match (quote, c) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\n' | '\r')
            | (None | Some('"'), '`') => return None,
            (None, '#') if word.is_none() => return None,
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '$') if next == Some('(') => return None,
            // Before any other character it stays: it parts the directories of Windows.
            (None, '\\') if next.is_some_and(|next| " \t'\"\\$`;&|<>()#".contains(next)) => {
                word.get_or_insert_default().extend(rest.next());
            }
            (Some('"'), '\\') if next.is_some_and(|next| "\"\\$`".contains(next)) => {
                word.get_or_insert_default().extend(rest.next());
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_of_ours_is_known_by_its_words() {
        for command in [
            "sref hook claude",
            " sref  hook\tclaude --strict ",
            "'/opt/my tools/sref' hook claude",
            r"/opt/my\ tools/sref hook claude",
            "\"${CLAUDE_PLUGIN_ROOT}\"/bin/sref hook claude",
            r#""C:\x y\sref.exe" hook claude"#,
            r"tools\sref.exe hook claude",
            "sref hook claude --store 'dsh=/a; b' --store=toh=/c",
            &hook(Host::Claude, "/it's/sref", true),
            &hook(Host::Claude, "/opt/wrap.sh", true),
        ] {
            let ours = |host| is_hook(command, host, "/opt/wrap.sh");
            assert!(ours(Host::Claude), "{command}");
            assert!(!ours(Host::Codex), "{command}");
        }
    }

    #[test]
    fn a_line_that_does_anything_else_is_somebody_s() {
        for command in [
            "",
            "my-sref hook claude",
            "sref hook claudette",
            "sref hook",
            "sref show 3f9c",
            "sreff hook claude",
            "echo sref hook claude",
            "echo 'sref hook claude'",
            "# sref hook claude",
            "notify sref hook claude",
            "true && sref hook claude",
            "rm -rf ~/.cache; sref hook claude",
            "sref hook claude; rm -rf ~/.cache",
            "sref hook claude | tee log",
            "sref hook claude > log",
            "sref hook claude & date",
            "sref hook claude\ndate",
            "sref hook claude # mine",
            "sref hook claude --strict $(date)",
            "sref hook claude --store \"`date`\"",
            "sref hook claude --strict more",
            "sref hook claude --verbose",
            "(sref hook claude)",
            "RUST_LOG=1 sref hook claude",
            "sref 'hook claude'",
            "sref hook 'claude",
            "/opt/wrap.sh hook claude",
        ] {
            assert!(!is_hook(command, Host::Claude, "sref"), "{command}");
        }
    }
}

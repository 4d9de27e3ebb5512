//! The scripts: one block for each thing that happens, headed by a line `=== WHAT …`.

/// What happens in a session, in order.
pub(super) struct Script<'a> {
    pub(super) parts: Vec<Part<'a>>,
}

/// One block of a script.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    /// `=== context KIND`: text that the harness puts before the next prompt.
    Context { kind: &'a str, text: String },
    /// `=== user`: a prompt; begins a turn.
    User { text: String },
    /// `=== reasoning`: what the model thinks before its next answer.
    Reasoning { text: String },
    /// `=== assistant` or `=== assistant streamed`: an answer, with its chunks kept in the log or not.
    Assistant { text: String, streamed: bool },
    /// `=== call NAME ARGUMENTS`: a tool call of the answer above.
    Call { name: &'a str, arguments: &'a str },
    /// `=== result`: what the call gave.
    Result { text: String },
    /// `=== compact`: a compaction with this summary, between two turns.
    Compact { text: String },
    /// `=== cut`: the log ends here, in the middle of the turn.
    Cut,
}

/// A block that cannot be read.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptError {
    pub(super) line: usize,
    pub(super) reason: &'static str,
}

impl<'a> Script<'a> {
    pub(super) fn parse(source: &'a str) -> Result<Self, ScriptError> {
        let mut parts = Vec::new();
        let mut head: Option<(usize, &str)> = None;
        let mut body: Vec<&str> = Vec::new();
        for (at, line) in source.lines().chain(["=== cut"]).enumerate() {
            let Some(next) = line.strip_prefix("=== ") else {
                body.push(line);
                continue;
            };
            if let Some((line, head)) = head {
                let reason = |reason| ScriptError { line, reason };
                let text = super::paste::expand(body.join("\n").trim()).map_err(reason)?;
                parts.push(part(head, text).map_err(reason)?);
            }
            head = Some((at + 1, next));
            body.clear();
        }
        Ok(Self { parts })
    }
}

fn part(head: &str, text: String) -> Result<Part<'_>, &'static str> {
    let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
    let empty = text.is_empty();
    let part = match (word, rest) {
        ("context", kind) if !kind.is_empty() => Part::Context { kind, text },
        ("user", "") => Part::User { text },
        ("reasoning", "") => Part::Reasoning { text },
        ("assistant", "" | "streamed") => Part::Assistant {
            text,
            streamed: !rest.is_empty(),
        },
        ("call", rest) => {
            let (name, arguments) = rest.split_once(' ').ok_or("a call needs arguments")?;
            Part::Call { name, arguments }
        }
        ("result", "") => Part::Result { text },
        ("compact", "") => Part::Compact { text },
        ("cut", "") => Part::Cut,
        _ => return Err("unknown block"),
    };
    let bare = matches!(part, Part::Call { .. } | Part::Cut);
    if bare == empty {
        Ok(part)
    } else if bare {
        Err("text where none belongs")
    } else {
        Err("no text")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_in_order() {
        let script = Script::parse("=== user\nHi,\n\nthere\n\n=== call bash {\"a\": 1}\n").unwrap();
        let text = "Hi,\n\nthere".to_owned();
        let call = Part::Call {
            name: "bash",
            arguments: "{\"a\": 1}",
        };
        assert_eq!(script.parts, [Part::User { text }, call]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |source| Script::parse(source).err().map(|error| error.line);
        assert_eq!(error("=== user\nx\n\n=== usre\ny"), Some(4));
        assert_eq!(error("=== user\n"), Some(1));
        assert_eq!(error("=== call bash\n"), Some(1));
        assert_eq!(error("=== cut\nx"), Some(1));
        assert_eq!(error("=== user\n{{no-such-table 3}}"), Some(1));
    }
}

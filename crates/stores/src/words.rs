//! Texts of logs: cut, joined, and freed of known tags (`spec/agent-logs.md` 1.7, 1.8).

use sref_session::{JsStr, JsString};

/// All cuts are made at ASCII, so the parts of WTF-8 are WTF-8. Where something was taken out, two
/// halves of a pair may meet: they become one character.
pub(crate) fn text(mut bytes: Vec<u8>) -> JsString {
    let mut out = JsString::new();
    loop {
        match JsString::from_wtf8(bytes.clone()) {
            Ok(rest) if out.is_empty() => return rest,
            Ok(rest) => {
                out.push(rest.as_js_str());
                return out;
            }
            Err(error) => {
                let rest = bytes.split_off(error.offset());
                out.push(JsString::from_wtf8(bytes).unwrap_or_default().as_js_str());
                // A half that meets its other half stands at the start of the rest.
                let (half, rest) = rest.split_at(rest.len().min(3));
                out.push(
                    JsString::from_wtf8(half.to_vec())
                        .unwrap_or_default()
                        .as_js_str(),
                );
                bytes = rest.to_vec();
            }
        }
    }
}

/// A pair of tags at the start of `bytes`: its content, and what comes after it.
pub(crate) fn pair<'a>(bytes: &'a [u8], name: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let rest = bytes.strip_prefix(b"<")?.strip_prefix(name)?;
    let rest = match rest.first()? {
        b'>' => &rest[1..],
        b' ' => &rest[memchr::memchr2(b'>', b'\n', rest).filter(|at| rest[*at] == b'>')? + 1..],
        _ => return None,
    };
    let mut close = b"</".to_vec();
    close.extend_from_slice(name);
    close.push(b'>');
    let end = memchr::memmem::find(rest, &close)?;
    Some((&rest[..end], &rest[end + close.len()..]))
}

/// Whether `bytes` are one pair of tags and nothing else.
pub(crate) fn is_pair(bytes: &[u8], name: &[u8]) -> bool {
    pair(bytes, name).is_some_and(|(_, rest)| rest.trim_ascii().is_empty())
}

/// `tag=NAME` of the one pair of tags that a text is, if it looks like a harness's: several words
/// joined by dashes or underlines. For texts that are taken as a person's, so that a new wrapper is
/// told and not only seen (1.7).
pub(crate) fn wrapper(text: JsStr<'_>) -> Option<JsString> {
    const LONGEST: usize = 64;
    let bytes = text.as_wtf8().trim_ascii();
    let rest = bytes.strip_prefix(b"<")?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let end = rest.iter().position(|byte| !is_name(byte))?;
    let name = std::str::from_utf8(&rest[..end.min(LONGEST)]).ok()?;
    let is_joined = name.contains(['-', '_']) && end <= LONGEST;
    (is_joined && is_pair(bytes, name.as_bytes())).then(|| format!("tag={name}").into())
}

/// Joins texts with line ends, as a projection joins blocks.
pub(crate) fn join<'a>(out: &mut JsString, texts: impl Iterator<Item = &'a JsString>) {
    for text in texts {
        if !out.is_empty() {
            out.push_str("\n");
        }
        out.push(text.as_js_str());
    }
}

/// A title on one line, at most 200 characters.
pub(crate) fn tidy(title: &JsString) -> JsString {
    const MOST: usize = 200;
    let text = title.to_string_lossy();
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST) {
        None => line.into(),
        Some((end, _)) => format!("{}…", line[..end].trim_end()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_of_a_harness_look_like_one() {
        let name =
            |text: &str| wrapper(text.into()).map(|name| name.to_string_lossy().into_owned());
        assert_eq!(name("<brand-new>x</brand-new>").unwrap(), "tag=brand-new");
        assert_eq!(
            name("\n<a_note kind=\"x\">\nx\n</a_note>\n").unwrap(),
            "tag=a_note"
        );
        for other in [
            "<div>x</div>",
            "<brand-new>",
            "<brand-new>x</brand-new> and more",
            "why <brand-new>x</brand-new>",
            "<brand-new",
            "<>",
            "x",
            "",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
        let long = format!("<{0}->x</{0}->", "a".repeat(80));
        assert_eq!(name(&long), None);
    }
}

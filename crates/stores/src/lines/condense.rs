use crate::digest::Digest;

/// Strings up to this size stay as they are.
const STRING: usize = 64 << 10;
/// How much of a line may be left beside its texts.
const STRUCTURE: usize = 16 << 20;
/// How much conversation text a line may hold.
const TEXT: usize = 128 << 20;
/// The deepest level at which a message's text stands: event, data, message, content, block.
const LEVELS: usize = 5;

/// Makes a huge JSON line small while it streams by, without changing what it is.
///
/// Strings of more than 64 KiB become a digest of themselves, unless they may be conversation text:
/// the member `text` of a block, in an event that is no tool result. Keys, numbers and nesting stay,
/// and a fault of grammar leaves a fault, so the result can be checked and read like any other line.
#[derive(Debug, Default)]
pub(super) struct Condenser {
    out: Vec<u8>,
    /// How many bytes of `out` are long texts that are complete.
    text: usize,
    overflow: bool,
    /// Whether a string held what no JSON string may hold. Its digest would hide it.
    fault: bool,
    place: Place,
    string: Option<Str>,
}

/// The string that is being read.
#[derive(Debug, Default)]
struct Str {
    /// Where it began in `out`, behind its quotation mark.
    start: usize,
    escape: Escape,
    /// The digest of a string whose start has been taken out again.
    digest: Option<Digest>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    None,
    Begun,
    /// So many hexadecimal digits are missing.
    Hex(u8),
}

impl Condenser {
    /// Takes the next part of the line.
    pub(super) fn push(&mut self, mut part: &[u8]) {
        while !part.is_empty() && !self.overflow {
            part = match self.string.take() {
                Some(string) => self.string_part(string, part),
                None => self.structure_part(part),
            };
            let open = match &self.string {
                Some(string) if self.place.may_be_text() => self.out.len() - string.start,
                _ => 0,
            };
            let text = self.text + open;
            self.overflow = self.out.len() - text > STRUCTURE || text > TEXT;
        }
    }

    /// The condensed line, or `None` when it is still too large.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        if self.fault {
            self.out.push(0);
        }
        (!self.overflow).then_some(self.out)
    }

    /// Copies up to and including the next quotation mark.
    fn structure_part<'a>(&mut self, part: &'a [u8]) -> &'a [u8] {
        let quote = memchr::memchr(b'"', part);
        let (structure, rest) = part.split_at(quote.map_or(part.len(), |at| at + 1));
        for byte in structure {
            self.place.structure(*byte);
        }
        self.out.extend_from_slice(structure);
        self.string = quote.map(|_| Str {
            start: self.out.len(),
            ..Str::default()
        });
        rest
    }

    /// Takes the string up to its end, over one byte of an escape, or to the end of the part.
    fn string_part<'a>(&mut self, mut string: Str, part: &'a [u8]) -> &'a [u8] {
        let used = match string.escape {
            Escape::None => {
                // A piece, so that a string is found to be long before all of it is copied.
                let piece = &part[..part.len().min(STRING)];
                let plain = memchr::memchr2(b'"', b'\\', piece).unwrap_or(piece.len());
                self.fault |= piece[..plain].iter().any(|byte| *byte < 0x20);
                match piece.get(plain) {
                    Some(b'"') => {
                        self.keep(&mut string, &piece[..plain]);
                        self.end(string);
                        return &part[plain + 1..];
                    }
                    Some(_) => {
                        string.escape = Escape::Begun;
                        plain + 1
                    }
                    None => plain,
                }
            }
            Escape::Begun => {
                string.escape = match part[0] {
                    b'u' => Escape::Hex(4),
                    _ => Escape::None,
                };
                self.fault |= !b"\"\\/bfnrtu".contains(&part[0]);
                1
            }
            Escape::Hex(left) => {
                string.escape = match left {
                    1 => Escape::None,
                    _ => Escape::Hex(left - 1),
                };
                self.fault |= !part[0].is_ascii_hexdigit();
                1
            }
        };
        self.keep(&mut string, &part[..used]);
        self.string = Some(string);
        &part[used..]
    }

    /// Takes bytes of a string: into the digest once it is long.
    fn keep(&mut self, string: &mut Str, bytes: &[u8]) {
        if let Some(digest) = &mut string.digest {
            digest.write(bytes);
            return;
        }
        self.out.extend_from_slice(bytes);
        let so_far = &self.out[string.start..];
        if so_far.len() > STRING && !self.place.may_be_text() {
            let mut digest = Digest::default();
            digest.write(so_far);
            self.out.truncate(string.start);
            string.digest = Some(digest);
        }
    }

    fn end(&mut self, string: Str) {
        if let Some(digest) = string.digest {
            let digest = format!("{:032x}", digest.finish());
            self.out.extend_from_slice(digest.as_bytes());
            self.place.string(b"");
        } else {
            let bytes = &self.out[string.start..];
            if bytes.len() > STRING {
                self.text += bytes.len();
            }
            self.place.string(bytes);
        }
        self.out.push(b'"');
    }
}

/// Where in the grammar a line stands: enough to tell the text of a block.
#[derive(Debug, Default)]
struct Place {
    depth: usize,
    levels: [Level; LEVELS],
    tool_result: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Level {
    object: bool,
    key_next: bool,
    key: Key,
}

/// The last key, as far as it matters.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    Type,
    Text,
    #[default]
    Other,
}

impl Place {
    fn level(&mut self) -> Option<&mut Level> {
        self.levels.get_mut(self.depth.checked_sub(1)?)
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                let object = byte == b'{';
                if let Some(level) = self.level() {
                    *level = Level {
                        object,
                        key_next: object,
                        key: Key::Other,
                    };
                }
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' | b':' => {
                if let Some(level) = self.level() {
                    level.key_next = level.object && byte == b',';
                }
            }
            _ => {}
        }
    }

    /// Notes a string that has been read.
    fn string(&mut self, bytes: &[u8]) {
        let top = self.depth == 1;
        let Some(level) = self.level() else { return };
        if level.key_next {
            level.key = match bytes {
                b"type" => Key::Type,
                b"text" => Key::Text,
                _ => Key::Other,
            };
        } else if top && level.key == Key::Type {
            self.tool_result = bytes == b"tool/result";
        }
    }

    /// Whether the string that is being read may be the text of a block.
    fn may_be_text(&self) -> bool {
        let level = self.depth.checked_sub(1).and_then(|at| self.levels.get(at));
        !self.tool_result
            && level.is_some_and(|level| level.object && !level.key_next && level.key == Key::Text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sref_session::json::{Scanner, parse};

    use super::*;

    fn condense(line: &[u8], part: usize) -> Vec<u8> {
        let mut condenser = Condenser::default();
        for part in line.chunks(part) {
            condenser.push(part);
        }
        condenser.finish().unwrap()
    }

    fn is_json(line: &[u8]) -> bool {
        let mut scanner = Scanner::new(line);
        scanner.skip_value().and_then(|_| scanner.finish()).is_ok()
    }

    /// A line whose piece `X` is blown up to a long string.
    fn long(template: &str) -> Vec<u8> {
        template.replace('X', &"x".repeat(STRING + 1)).into_bytes()
    }

    #[test]
    fn only_strings_that_no_projection_shows_are_condensed() {
        let stays = |template| condense(&long(template), 1 << 16) == long(template);
        // Texts of messages, old and new.
        assert!(stays(
            r#"{"type":"user/message","data":{"content":[{"type":"text","text":"X"}]}}"#
        ));
        assert!(stays(r#"{"data":{"message":{"content":[{"text":"X"}]}}}"#));
        // A tool's output, at the level of a text or below; reasoning; arguments; keys.
        assert!(!stays(
            r#"{"type":"tool/result","data":{"content":[{"text":"X"}]}}"#
        ));
        assert!(!stays(
            r#"{"data":{"message":{"content":[{"content":[{"text":"X"}]}]}}}"#
        ));
        assert!(!stays(
            r#"{"data":{"message":{"content":[{"text":["X"]}]}}}"#
        ));
        assert!(!stays(r#"{"data":{"arguments":"X"}}"#));
        assert!(!stays(r#"{"data":{"text":1,"X":2}}"#));
    }

    #[test]
    fn equal_strings_stay_equal_and_others_different() {
        let string = |text: &str, part| parse(&condense(&long(text), part)).unwrap();
        assert_eq!(string(r#"["X"]"#, 999), string(r#"["X"]"#, 1 << 16));
        assert_ne!(string(r#"["Xa"]"#, 999), string(r#"["Xb"]"#, 999));
        assert_ne!(string(r#"["aX"]"#, 999), string(r#"["Xa"]"#, 999));
    }

    #[test]
    fn a_fault_inside_a_condensed_string_stays_a_fault() {
        for bad in [r"X\q", r"X\u12g4", "X\u{1}", r"\qX", "\u{1}X"] {
            let line = long(&format!(r#"{{"a":"{bad}"}}"#));
            assert!(!is_json(&condense(&line, 1 << 16)), "{bad:.9}");
        }
        let good = long(r#"{"a":"\u00e9X\"\n"}"#);
        assert!(is_json(&condense(&good, 1 << 16)));
    }

    #[test]
    fn structure_has_a_limit() {
        let mut condenser = Condenser::default();
        for _ in 0..=STRUCTURE / 1024 {
            condenser.push(&[b'['; 1024]);
        }
        assert_eq!(condenser.finish(), None);
    }

    proptest! {
        /// What is short is untouched, wherever the parts end.
        #[test]
        fn short_lines_come_out_as_they_went_in(
            text in r#"[{}\[\]:,"\\u0-9a-f ]{0,60}"#,
            part in 1_usize..9,
        ) {
            let out = condense(text.as_bytes(), part);
            prop_assert_eq!(is_json(&out), is_json(text.as_bytes()));
            if is_json(&out) {
                prop_assert_eq!(out, text.into_bytes());
            }
        }
    }
}

//! What logs are made of: text that packs about as well as real text does.

/// More than Zstandard looks back at the levels that agents use, so that what is taken from here
/// again does not pack to nothing.
const POOL: usize = 16 << 20;

/// Made once and the same in every run.
pub(crate) struct Content {
    source: String,
    at: usize,
    random: Random,
}

impl Content {
    pub(crate) fn new() -> Self {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let source = source(&mut random);
        let at = 0;
        Self { source, at, random }
    }

    /// Source code as a JSON string holds it, about so many bytes: an escape every few words.
    pub(crate) fn source(&mut self, size: usize) -> &str {
        let size = size.min(POOL);
        if self.at + size > POOL {
            self.at = 0;
        }
        let part = &self.source[self.at..self.at + size];
        self.at += size;
        // Escapes stay whole: from the beginning of a line to the end of one.
        let begin = part.find(r"\n").map_or(0, |at| at + 2);
        let end = part.rfind(r"\n").map_or(part.len(), |at| at + 2);
        part.get(begin..end).unwrap_or_default()
    }

    /// A number below `bound`.
    pub(crate) fn number(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }
}

/// Lines of statements over a few thousand names, some of which are frequent.
fn source(random: &mut Random) -> String {
    const PARTS: [&str; 32] = [
        "read", "write", "line", "store", "event", "count", "index", "parse", "value", "token",
        "open", "close", "next", "first", "length", "buffer", "table", "frame", "session", "find",
        "path", "state", "error", "check", "from", "into", "key", "list", "map", "node", "part",
        "user",
    ];
    let mut out = String::with_capacity(POOL + 256);
    let name = |random: &mut Random, out: &mut String| {
        // The least of two is small more often.
        let one = random.below(32).min(random.below(32));
        out.push_str(PARTS[one]);
        if random.below(2) == 0 {
            out.push('_');
            out.push_str(PARTS[random.below(32)]);
        }
    };
    while out.len() < POOL {
        for _ in 0..random.below(4) {
            out.push_str("    ");
        }
        let out = &mut out;
        match random.below(6) {
            0 => {
                out.push_str("// ");
                for _ in 0..random.below(10) + 2 {
                    name(random, out);
                    out.push(' ');
                }
            }
            1 => {
                out.push_str(r#"log(\""#);
                name(random, out);
                out.push_str(r#"\", "#);
                out.push_str(&random.below(100_000).to_string());
                out.push_str(");");
            }
            2 => {
                out.push_str("if ");
                name(random, out);
                out.push_str(" > ");
                out.push_str(&random.below(256).to_string());
                out.push_str(" {");
            }
            _ => {
                out.push_str("let ");
                name(random, out);
                out.push_str(" = ");
                name(random, out);
                out.push_str("(&");
                name(random, out);
                out.push_str(").unwrap_or_default();");
            }
        }
        out.push_str(r"\n");
    }
    out.truncate(POOL);
    out
}

/// Marsaglia's xorshift: no more is needed here.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Of the upper half, which is the better one.
        (self.0 >> 33) as usize % bound
    }
}

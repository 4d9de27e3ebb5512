//! Rust source as tokens: enough to tell code from comments and strings.

/// A token that a check can ask about. Numbers, labels and characters are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// The text between the quotes of a string, escapes untouched.
    Text(&'a str),
    /// One line of an outer doc comment.
    Doc(&'a str),
    /// A character of punctuation.
    Mark(char),
}

/// A token and its line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spanned<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) line: usize,
}

/// Cuts a source into tokens.
pub(crate) fn tokens(source: &str) -> Vec<Spanned<'_>> {
    let mut lexer = Lexer {
        rest: source,
        line: 1,
        out: Vec::new(),
    };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.out
}

/// The tokens without items under `#[cfg(test)]`.
pub(crate) fn without_tests<'a>(tokens: &[Spanned<'a>]) -> Vec<Spanned<'a>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if starts_with(&tokens[at..], "#[cfg(test)]") {
            at = end_of_item(tokens, at + 7);
        } else {
            out.push(tokens[at]);
            at += 1;
        }
    }
    out
}

/// Whether tokens begin with those of `pattern`.
pub(crate) fn starts_with(tokens: &[Spanned<'_>], pattern: &str) -> bool {
    let pattern = self::tokens(pattern);
    tokens.len() >= pattern.len()
        && std::iter::zip(tokens, &pattern).all(|(own, wanted)| own.token == wanted.token)
}

/// The index behind the item at `at`: behind its `;`, or its closing brace.
fn end_of_item(tokens: &[Spanned<'_>], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match tokens[at].token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark(close @ ('}' | ')' | ']')) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && close == '}' {
                    return at + 1;
                }
            }
            Token::Mark(';') if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    out: Vec<Spanned<'a>>,
}

impl<'a> Lexer<'a> {
    fn step(&mut self) {
        let rest = self.rest;
        let first = rest.chars().next().unwrap_or(' ');
        if rest.starts_with("//") {
            let line = self.take(rest.find('\n').unwrap_or(rest.len()));
            if let Some(text) = line.strip_prefix("///") {
                self.out.push(Spanned {
                    token: Token::Doc(text.trim()),
                    line: self.line,
                });
            }
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if let Some((prefix, hashes)) = raw_string(rest) {
            self.raw_string(prefix, hashes);
        } else if first == '"' || string_prefix(rest) {
            self.string();
        } else if first == '\'' || rest.starts_with("b'") {
            self.quote();
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let word = self.take(end.unwrap_or(rest.len()));
            self.push(Token::Word(word), 0);
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            self.take(end.unwrap_or(rest.len()));
        } else {
            self.take(first.len_utf8());
            if !first.is_whitespace() {
                self.push(Token::Mark(first), 0);
            }
        }
    }

    /// Passes `length` bytes and counts their lines.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn push(&mut self, token: Token<'a>, lines_inside: usize) {
        self.out.push(Spanned {
            token,
            line: self.line - lines_inside,
        });
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
            } else if let Some(c) = self.rest.chars().next() {
                self.take(c.len_utf8());
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }

    fn raw_string(&mut self, prefix: usize, hashes: usize) {
        self.take(prefix);
        let close = format!("\"{}", "#".repeat(hashes));
        let end = self.rest.find(&close).unwrap_or(self.rest.len());
        let text = self.take(end);
        self.push(Token::Text(text), text.matches('\n').count());
        self.take(close.len().min(self.rest.len()));
    }

    fn string(&mut self) {
        let open = self.rest.find('"').unwrap_or(0) + 1;
        self.take(open);
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            end
        });
        let text = self.take(end.unwrap_or(self.rest.len()));
        self.push(Token::Text(text), text.matches('\n').count());
        self.take(self.rest.len().min(1));
    }

    /// A character, or the tick of a lifetime or label.
    fn quote(&mut self) {
        let tick = self.rest.find('\'').unwrap_or(0) + 1;
        self.take(tick);
        let mut chars = self.rest.chars();
        match (chars.next(), chars.next()) {
            (Some('\\'), Some(escaped)) => {
                // `\'` is the one escape whose closing tick is the second.
                self.take(1 + escaped.len_utf8());
                let end = self.rest.find('\'').map_or(self.rest.len(), |at| at + 1);
                self.take(end);
            }
            (Some(c), Some('\'')) => {
                self.take(c.len_utf8() + 1);
            }
            _ => {
                let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                self.take(end.unwrap_or(self.rest.len()));
            }
        }
    }
}

/// The length of `r#"`, `br##"`, `cr"` and the number of hashes.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let letters = ["br", "cr", "r"]
        .into_iter()
        .find(|letters| rest.starts_with(letters))?;
    let after = &rest[letters.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..]
        .starts_with('"')
        .then_some((letters.len() + hashes + 1, hashes))
}

fn string_prefix(rest: &str) -> bool {
    rest.starts_with("b\"") || rest.starts_with("c\"")
}

#[cfg(test)]
mod tests {
    use super::Token::{Doc, Mark, Text, Word};
    use super::*;

    fn plain(source: &str) -> Vec<Token<'_>> {
        let tokens = tokens(source).into_iter();
        tokens.map(|spanned| spanned.token).collect()
    }

    #[test]
    fn code_is_told_from_comments_and_strings() {
        assert_eq!(
            plain(
                "/// Says.\nfn f<'a>() { 'x'; '\\''; b'\"'; \"a\\\"b\"; r#\"c\"d\"#; 1.5e3 } // end"
            ),
            [
                Doc("Says."),
                Word("fn"),
                Word("f"),
                Mark('<'),
                Mark('>'),
                Mark('('),
                Mark(')'),
                Mark('{'),
                Mark(';'),
                Mark(';'),
                Mark(';'),
                Text("a\\\"b"),
                Mark(';'),
                Text("c\"d"),
                Mark(';'),
                Mark('.'),
                Mark('}'),
            ]
        );
        assert_eq!(plain("/* a /* \" */ b */ x"), [Word("x")]);
    }

    #[test]
    fn lines_are_those_of_the_start() {
        let lines: Vec<_> = tokens("a\n\"b\nc\" d\n/*\n*/ e")
            .into_iter()
            .map(|spanned| spanned.line)
            .collect();
        assert_eq!(lines, [1, 2, 3, 5]);
    }

    #[test]
    fn test_items_are_cut_out() {
        let source = "a; #[cfg(test)] mod tests { fn b() { \"}\" } } c; #[cfg(test)] mod d; e;";
        assert_eq!(
            without_tests(&tokens(source))
                .iter()
                .filter(|spanned| matches!(spanned.token, Word(_)))
                .map(|spanned| spanned.token)
                .collect::<Vec<_>>(),
            [Word("a"), Word("c"), Word("e")]
        );
    }
}

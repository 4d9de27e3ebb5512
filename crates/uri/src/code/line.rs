use crate::work;

/// A line, without its end, that is read from the left: first the indentation, by columns, then the
/// text behind it.
///
/// A tab reaches to the next multiple of four columns, and a container may take a part of one.
#[derive(Debug)]
pub(super) struct Line<'a> {
    bytes: &'a [u8],
    /// The column up to which the line was read.
    column: usize,
    /// Where the next byte stands that is neither space nor tab.
    text: usize,
    text_column: usize,
    /// No thematic break begins before this: one that was tried broke off here.
    no_break_before: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut line = Self {
            bytes,
            column: 0,
            text: 0,
            text_column: 0,
            no_break_before: 0,
        };
        line.skip_white_space();
        line
    }

    fn skip_white_space(&mut self) {
        let start = self.text;
        while let Some(byte @ (b' ' | b'\t')) = self.bytes.get(self.text) {
            self.text_column += if *byte == b'\t' {
                4 - self.text_column % 4
            } else {
                1
            };
            self.text += 1;
        }
        work::looked_at(self.text - start + 1);
    }

    /// The columns of white space before the text.
    pub(super) const fn indent(&self) -> usize {
        self.text_column - self.column
    }

    /// The line from its text on.
    pub(super) fn text(&self) -> &'a [u8] {
        &self.bytes[self.text..]
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text == self.bytes.len()
    }

    /// Takes so many columns of indentation, if there are.
    pub(super) fn take_indent(&mut self, columns: usize) -> bool {
        work::looked_at(1);
        let enough = self.indent() >= columns;
        if enough {
            self.column += columns;
        }
        enough
    }

    /// Takes the marker of a block quote, and one column of white space behind it.
    pub(super) fn take_quote_marker(&mut self) -> bool {
        work::looked_at(1);
        let found = self.indent() < 4 && self.text().starts_with(b">");
        if found {
            self.take_text(1);
            self.take_indent(1);
        }
        found
    }

    /// Takes so many bytes of the text.
    fn take_text(&mut self, bytes: usize) {
        self.column = self.text_column + bytes;
        self.text += bytes;
        self.text_column = self.column;
        self.skip_white_space();
    }

    /// Takes the marker of a list item and gives the indentation of what belongs to the item.
    pub(super) fn take_list_marker(&mut self, marker: &ListMarker) -> usize {
        let before = self.indent();
        self.take_text(marker.len);
        let behind = self.indent();
        // Five columns or more are one, and indented code.
        let taken = if self.is_blank() || behind > 4 {
            1
        } else {
            behind
        };
        self.take_indent(taken);
        before + marker.len + taken
    }

    /// The marker of a list item at the text.
    pub(super) fn list_marker(&self) -> Option<ListMarker> {
        let text = self.text();
        let digits = text
            .iter()
            .take(10)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (len, starts_at_one) = match (digits, text.get(digits)?) {
            (0, b'-' | b'+' | b'*') => (1, true),
            (1..=9, b'.' | b')') => {
                let zeros = text.iter().take_while(|byte| **byte == b'0').count();
                (digits + 1, text.get(zeros..digits) == Some(b"1"))
            }
            _ => return None,
        };
        let rest = &text[len..];
        let is_empty = rest.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        matches!(rest.first(), None | Some(b' ' | b'\t')).then_some(ListMarker {
            len,
            may_interrupt: starts_at_one && !is_empty,
        })
    }

    /// Whether the text is a heading with number signs.
    pub(super) fn is_heading(&self) -> bool {
        let text = self.text();
        let level = text
            .iter()
            .take(7)
            .take_while(|byte| **byte == b'#')
            .count();
        (1..=6).contains(&level) && matches!(text.get(level), None | Some(b' ' | b'\t'))
    }

    /// Whether the text is one run of `=` or `-`, which makes a heading of the paragraph above.
    pub(super) fn is_underline(&self) -> bool {
        let text = self.text().trim_ascii_end();
        work::looked_at(text.len());
        matches!(text.first(), Some(b'=' | b'-')) && text.iter().all(|byte| *byte == text[0])
    }

    /// Whether the text is three or more `*`, `-` or `_`, with white space anywhere.
    pub(super) fn is_thematic_break(&mut self) -> bool {
        let text = self.text();
        let Some(mark @ (b'*' | b'-' | b'_')) = text.first() else {
            return false;
        };
        // A line of list markers asks at each of them; what broke the first breaks all.
        if self.text < self.no_break_before {
            return false;
        }
        let mut marks = 0;
        for (at, byte) in text.iter().enumerate() {
            work::looked_at(1);
            match byte {
                b' ' | b'\t' => {}
                _ if byte == mark => marks += 1,
                _ => {
                    self.no_break_before = self.text + at;
                    return false;
                }
            }
        }
        marks >= 3
    }

    /// The opening fence of a code block at the text.
    pub(super) fn fence(&self) -> Option<Fence> {
        let text = self.text();
        let mark = *text.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let len = text.iter().take_while(|byte| **byte == mark).count();
        work::looked_at(text.len());
        let is_fence = len >= 3 && (mark == b'~' || !text[len..].contains(&b'`'));
        is_fence.then_some(Fence { mark, len })
    }

    /// Whether the line closes a fenced block.
    pub(super) fn closes(&self, fence: &Fence) -> bool {
        let text = self.text();
        let len = text.iter().take_while(|byte| **byte == fence.mark).count();
        work::looked_at(text.len());
        let blank = text[len..].iter().all(|byte| matches!(byte, b' ' | b'\t'));
        self.indent() < 4 && len >= fence.len && blank
    }
}

/// The marker of a list item.
#[derive(Debug)]
pub(super) struct ListMarker {
    len: usize,
    /// Whether such an item ends a paragraph that stands above it.
    pub(super) may_interrupt: bool,
}

/// A fence: a run of one mark.
#[derive(Debug)]
pub(super) struct Fence {
    mark: u8,
    len: usize,
}

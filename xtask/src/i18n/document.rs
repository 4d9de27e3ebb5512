//! One side of a pair: Markdown, cut into sections and those into blocks.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The section before the first heading that has an id.
pub(super) const TOP: &str = "top";

/// A document in one language.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) sections: Vec<Section>,
}

/// A heading and what follows it up to the next one.
#[derive(Debug)]
pub(super) struct Section {
    /// The explicit id of the heading; `None` when it has none.
    pub(super) id: Option<String>,
    pub(super) line: usize,
    /// Its bytes in the file.
    pub(super) range: Range<usize>,
    pub(super) blocks: Vec<Block>,
}

/// One step of the block structure: a leaf, or the opening or end of a container.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) line: usize,
    /// What must be equal on both sides, in order.
    pub(super) shape: String,
    /// What must be equal whatever the order of words: code, targets, numbers, sorted.
    pub(super) atoms: Vec<String>,
    /// The words, with [`OBJECT`] where code stood.
    pub(super) prose: String,
    pub(super) code: Vec<String>,
    pub(super) links: Vec<String>,
    pub(super) fence: Option<Fence>,
}

/// A code block.
#[derive(Debug)]
pub(super) struct Fence {
    pub(super) info: String,
    pub(super) content: String,
}

/// Stands in prose for code, so that the words around it do not run together.
pub(super) const OBJECT: char = '\u{FFFC}';

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        let mut reader = Reader::new(text);
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_GFM;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            reader.event(event, &range);
        }
        Self {
            text,
            sections: reader.finish(),
        }
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections.iter().flat_map(|section| &section.blocks)
    }

    pub(super) fn section(&self, key: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.key() == key)
    }

    pub(super) fn section_text(&self, section: &Section) -> &'a str {
        &self.text[section.range.clone()]
    }
}

impl Section {
    pub(super) fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(TOP)
    }
}

/// Builds the sections from the events of the Markdown parser.
struct Reader<'a> {
    text: &'a str,
    sections: Vec<Section>,
    /// The blocks that are open, outermost first, as indices into the last section.
    open: Vec<usize>,
    /// Whether the title, which belongs to the first section, has passed.
    titled: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            sections: vec![Section {
                id: None,
                line: 1,
                range: 0..text.len(),
                blocks: Vec::new(),
            }],
            open: Vec::new(),
            titled: false,
        }
    }

    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range.start),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                let block = self.top();
                block.atoms.push(format!("`{code}`"));
                block.code.push(code.into_string());
                block.prose.push(OBJECT);
            }
            Event::Html(html) => self.top().shape.push_str(&html),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::FootnoteReference(name) => self.top().atoms.push(format!("footnote {name}")),
            Event::SoftBreak | Event::HardBreak => self.top().prose.push(' '),
            Event::Rule => self.leaf("rule".into(), range.start),
            Event::TaskListMarker(done) => self.top().atoms.push(format!("task, done: {done}")),
            // Mathematics and metadata blocks are not enabled.
            Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        let shape = match tag {
            Tag::Heading { level, .. } => {
                if self.open.is_empty() {
                    self.cut(at);
                }
                format!("heading {level}")
            }
            Tag::Paragraph => "paragraph".into(),
            Tag::BlockQuote(kind) => format!("quote {kind:?}"),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.open(format!("code block `{info}`"), at);
                self.top().fence = Some(Fence {
                    info,
                    content: String::new(),
                });
                return;
            }
            Tag::HtmlBlock => "HTML ".into(),
            Tag::List(Some(first)) => format!("list from {first}"),
            Tag::List(None) => "list".into(),
            Tag::Item => "item".into(),
            Tag::FootnoteDefinition(name) => format!("footnote {name}"),
            Tag::Table(columns) => format!("table {columns:?}"),
            Tag::TableHead => "table head".into(),
            Tag::TableRow => "row".into(),
            Tag::TableCell => "cell".into(),
            Tag::Link { dest_url, .. } => return self.link("link", &dest_url),
            Tag::Image { dest_url, .. } => return self.link("image", &dest_url),
            // Emphasis follows the words of a language; the other kinds are not enabled.
            _ => return,
        };
        self.open(shape, at);
    }

    fn end(&mut self, tag: TagEnd) {
        let container = match tag {
            TagEnd::BlockQuote(_) => "quote",
            TagEnd::List(_) => "list",
            TagEnd::Item => "item",
            TagEnd::FootnoteDefinition => "footnote",
            TagEnd::Table => "table",
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::TableCell => {
                self.open.pop();
                return;
            }
            _ => return,
        };
        if let Some(at) = self.open.pop() {
            let line = self.last().blocks[at].line;
            self.push(format!("end of {container}"), line);
        }
    }

    fn text(&mut self, text: &str) {
        let block = self.top();
        match &mut block.fence {
            Some(fence) => fence.content.push_str(text),
            None => block.prose.push_str(text),
        }
    }

    /// An anchor in a heading is the id of its section; any other tag is compared as it stands.
    fn inline_html(&mut self, html: &str) {
        let heading = self.top().shape.starts_with("heading");
        let id = html
            .strip_prefix("<a id=\"")
            .and_then(|rest| rest.strip_suffix("\">"));
        match id {
            Some(id) if heading => self.last().id = Some(id.to_owned()),
            _ if heading && html == "</a>" => {}
            _ => self.top().atoms.push(html.to_owned()),
        }
    }

    fn link(&mut self, kind: &str, target: &str) {
        let block = self.top();
        block
            .atoms
            .push(format!("{kind} {}", neutral_target(target)));
        block.links.push(target.to_owned());
    }

    /// Begins a section at a heading.
    fn cut(&mut self, at: usize) {
        if !self.titled {
            self.titled = true;
            return;
        }
        self.last().range.end = at;
        let (line, end) = (line_of(self.text, at), self.text.len());
        self.sections.push(Section {
            id: None,
            line,
            range: at..end,
            blocks: Vec::new(),
        });
    }

    fn leaf(&mut self, shape: String, at: usize) {
        self.open(shape, at);
        self.open.pop();
    }

    fn open(&mut self, shape: String, at: usize) {
        let line = line_of(self.text, at);
        let index = self.push(shape, line);
        self.open.push(index);
    }

    fn push(&mut self, shape: String, line: usize) -> usize {
        let blocks = &mut self.last().blocks;
        blocks.push(Block {
            line,
            shape,
            atoms: Vec::new(),
            prose: String::new(),
            code: Vec::new(),
            links: Vec::new(),
            fence: None,
        });
        blocks.len() - 1
    }

    /// The innermost open block. Inline content outside of any block does not occur.
    fn top(&mut self) -> &mut Block {
        if self.open.is_empty() {
            self.open("stray text".into(), 0);
        }
        let at = self.open[self.open.len() - 1];
        &mut self.last().blocks[at]
    }

    fn last(&mut self) -> &mut Section {
        let last = self.sections.len() - 1;
        &mut self.sections[last]
    }

    fn finish(mut self) -> Vec<Section> {
        for block in self.sections.iter_mut().flat_map(|own| &mut own.blocks) {
            if let Some(fence) = &block.fence {
                block.shape = format!("code block `{}`\n{}", fence.info, fence.content);
            }
            block.atoms.extend(numbers(&block.prose));
            block.atoms.sort();
        }
        self.sections
    }
}

/// A target as it reads on either side: `guide.zh.md#a` and `guide.md#a` are the same.
fn neutral_target(target: &str) -> String {
    let (path, anchor) = target
        .split_once('#')
        .map_or((target, String::new()), |(path, anchor)| {
            (path, format!("#{anchor}"))
        });
    match path.strip_suffix(".zh.md") {
        Some(stem) => format!("{stem}.md{anchor}"),
        None => target.to_owned(),
    }
}

/// The numbers of a text in digits: `64`, `0.1.0`, `65,536`.
fn numbers(prose: &str) -> impl Iterator<Item = String> {
    prose
        .split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
        .map(|run| run.trim_matches(['.', ',']))
        .filter(|run| !run.is_empty())
        .map(|run| format!("number {run}"))
}

/// The line, from 1, in which a byte stands.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<String> {
        Document::parse(text)
            .blocks()
            .map(|block| block.shape.clone())
            .collect()
    }

    #[test]
    fn kinds_of_blocks_keep_their_order() {
        let text =
            "# T\n\n- a\n  1. b\n- c\n\n> q\n\n| x |\n| -- |\n| y |\n\n---\n\n```sh\nls\n```\n";
        assert_eq!(
            shapes(text),
            [
                "heading h1",
                "list",
                "item",
                "list from 1",
                "item",
                "end of item",
                "end of list",
                "end of item",
                "item",
                "end of item",
                "end of list",
                "quote None",
                "paragraph",
                "end of quote",
                "table [None]",
                "table head",
                "cell",
                "row",
                "cell",
                "end of table",
                "rule",
                "code block `sh`\nls\n",
            ]
        );
    }

    #[test]
    fn sections_go_from_heading_to_heading() {
        let text = "# T\n\nintro\n\n## <a id=\"use\"></a>Use it\n\nx\n\n### No id\n";
        let document = Document::parse(text);
        let seen: Vec<_> = document
            .sections
            .iter()
            .map(|section| (section.key(), section.line, document.section_text(section)))
            .collect();
        assert_eq!(
            seen,
            [
                ("top", 1, "# T\n\nintro\n\n"),
                ("use", 5, "## <a id=\"use\"></a>Use it\n\nx\n\n"),
                ("top", 9, "### No id\n"),
            ]
        );
    }

    #[test]
    fn atoms_are_what_no_translation_changes() {
        let text = "Takes `--turn 3`, at most 65,536 of [them](b.zh.md#x) in v0.1.0, 2.\n";
        let document = Document::parse(text);
        assert_eq!(
            document.sections[0].blocks[0].atoms,
            [
                "`--turn 3`",
                "link b.md#x",
                "number 0.1.0",
                "number 2",
                "number 65,536",
            ]
        );
    }
}

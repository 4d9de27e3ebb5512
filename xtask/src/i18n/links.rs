//! Whether what is linked to exists.

use super::document::{Document, line_of};
use crate::report::{Place, Problem};
use crate::tree::Tree;

/// Checks the relative links of one document, those in HTML included.
pub(super) fn check(tree: &Tree, file: &str, document: &Document<'_>, problems: &mut Vec<Problem>) {
    let chinese = file.ends_with(".zh.md");
    for block in document.blocks() {
        let html = block.shape.starts_with("HTML ").then_some(&block.shape);
        let tags = block.atoms.iter().filter(|atom| atom.starts_with('<'));
        let targets = html.into_iter().chain(tags).flat_map(|tag| attributes(tag));
        for target in block.links.iter().map(String::as_str).chain(targets) {
            let verdict = resolve(tree, file, target).or_else(|| {
                let switcher = super::is_switcher(block);
                (!switcher).then(|| sibling(tree, file, target, chinese))?
            });
            if let Some(problem) = verdict {
                problems.push(Problem::at(
                    Place::new(file, block.line),
                    format!("`{target}`: {problem}"),
                ));
            }
        }
    }
}

/// The values of `href` and `src` in HTML.
fn attributes(html: &str) -> impl Iterator<Item = &str> {
    [" href=\"", " src=\"", " srcset=\""]
        .into_iter()
        .flat_map(move |name| html.split(name).skip(1))
        .filter_map(|rest| Some(rest.split_once('"')?.0))
}

fn resolve(tree: &Tree, file: &str, target: &str) -> Option<&'static str> {
    let (path, anchor) = target
        .split_once('#')
        .map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    if has_scheme(path) {
        return None;
    }
    let path = if path.is_empty() {
        file.to_owned()
    } else {
        let Some(path) = join(file, path) else {
            return Some("outside of the repository");
        };
        path
    };
    if !tree.exists(&path) {
        return Some("no such file");
    }
    match (anchor, tree.text(&path)) {
        (Some(anchor), Some(text)) if extension(&path) == "md" => {
            (!has_anchor(text, anchor)).then_some("no such heading")
        }
        _ => None,
    }
}

/// A Chinese text links to Chinese texts, an English one never does.
fn sibling(tree: &Tree, file: &str, target: &str, chinese: bool) -> Option<&'static str> {
    let path = target.split('#').next().filter(|path| !path.is_empty())?;
    if has_scheme(path) {
        return None;
    }
    let stem = path.strip_suffix(".md")?;
    let translated = extension(stem) == "zh";
    if !chinese {
        return translated.then_some("a link into the other language");
    }
    let twin = join(file, &format!("{stem}.zh.md"))?;
    (!translated && tree.exists(&twin)).then_some("this document has a Chinese text")
}

fn has_scheme(path: &str) -> bool {
    let name = path.split(['/', ':']).next().unwrap_or_default();
    path[name.len()..].starts_with(':')
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// `target` as seen from `file`, relative to the root.
fn join(file: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Whether a document has this explicit id, or a heading that GitHub gives this id.
fn has_anchor(text: &str, anchor: &str) -> bool {
    if text.contains(&format!("<a id=\"{anchor}\">")) {
        return true;
    }
    let document = Document::parse(text);
    let headings = document.blocks();
    headings
        .filter(|block| block.shape.starts_with("heading"))
        .any(|block| {
            let start = line_start(text, block.line);
            let line = text[start..].lines().next().unwrap_or_default();
            slug(line) == anchor
        })
}

fn line_start(text: &str, line: usize) -> usize {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(starts).nth(line - 1);
    let start = start.unwrap_or(text.len());
    debug_assert_eq!(line_of(text, start), line);
    start
}

/// GitHub's id of a heading: lower case, spaces as hyphens, no other punctuation.
fn slug(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        let tree = Tree::from([
            (
                "docs/a.md",
                "# A\n\n## Exit status, `1`\n\n## <a id=\"x\"></a>Y\n",
            ),
            ("docs/b.md", "# B\n"),
            ("docs/b.zh.md", "# 乙\n"),
            ("docs/i.svg", ""),
            ("README.md", text),
        ]);
        let mut problems = Vec::new();
        check(&tree, file, &Document::parse(text), &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn existing_targets_pass() {
        let text = "[a](docs/a.md) [b](docs/a.md#x) [c](docs/a.md#exit-status-1) [d](https://x.example/y.md#z)\n\
                    [e](docs/) [f](mailto:a@b.example) ![g](docs/i.svg)\n\n<img alt=\"i\" src=\"docs/i.svg\">\n";
        assert_eq!(found("README.md", text), [""; 0]);
        assert_eq!(found("docs/c.zh.md", "[b](b.zh.md)\n"), [""; 0]);
    }

    #[test]
    fn dead_targets_are_found() {
        for (file, text, problem) in [
            (
                "README.md",
                "[a](docs/c.md)\n",
                "README.md:1: `docs/c.md`: no such file",
            ),
            (
                "README.md",
                "\n![a](i.svg)\n",
                "README.md:2: `i.svg`: no such file",
            ),
            (
                "README.md",
                "[a](docs/a.md#z)\n",
                "README.md:1: `docs/a.md#z`: no such heading",
            ),
            (
                "README.md",
                "[a](#z)\n",
                "README.md:1: `#z`: no such heading",
            ),
            (
                "docs/c.md",
                "[a](../../b)\n",
                "docs/c.md:1: `../../b`: outside of the repository",
            ),
            (
                "README.md",
                "<img src=\"i.svg\">\n",
                "README.md:1: `i.svg`: no such file",
            ),
            (
                "README.md",
                "[b](docs/b.zh.md)\n",
                "README.md:1: `docs/b.zh.md`: a link into the other language",
            ),
            (
                "docs/c.zh.md",
                "[b](b.md)\n",
                "docs/c.zh.md:1: `b.md`: this document has a Chinese text",
            ),
        ] {
            assert_eq!(found(file, text), [problem]);
        }
    }
}

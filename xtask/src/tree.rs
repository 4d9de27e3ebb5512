//! The files of the repository, read once, so that a check is a function of a value.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kinds of files whose text is checked. Others, fixtures above all, are known by name only.
const TEXT: &[&str] = &[".rs", ".md", ".toml", ".i18n", ".sh", ".yml"];

/// Scripts without a suffix.
const SCRIPTS: &[&str] = &[".ci/run", "fuzz/run", ".gitignore"];

/// Paths relative to the root, with `/`, and the text of those that are text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, Option<String>>,
}

impl Tree {
    /// Reads what stands below `root`, without what `.gitignore` names from the root on (`/target`).
    ///
    /// Symbolic links are names, never followed. Git is not asked: a source archive has none.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let ignored: Vec<String> = fs::read_to_string(root.join(".gitignore"))
            .unwrap_or_default()
            .lines()
            .filter_map(|line| line.strip_prefix('/').map(str::to_owned))
            .chain([".git".to_owned()])
            .collect();
        let mut tree = Self::default();
        tree.walk(root, "", &ignored)
            .map_err(|error| format!("{}: {error}", root.display()))?;
        Ok(tree)
    }

    fn walk(&mut self, root: &Path, below: &str, ignored: &[String]) -> std::io::Result<()> {
        for entry in fs::read_dir(root.join(below))? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = if below.is_empty() {
                name.into_owned()
            } else {
                format!("{below}/{name}")
            };
            if ignored.contains(&path) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.walk(root, &path, ignored)?;
            } else {
                let text = is_text(&path)
                    .then(|| fs::read(entry.path()))
                    .transpose()?
                    .and_then(|bytes| String::from_utf8(bytes).ok());
                self.files.insert(path, text);
            }
        }
        Ok(())
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Whether a file or a directory of this name is there.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path)
            || self
                .files
                .range(format!("{path}/")..)
                .next()
                .is_some_and(|(next, _)| next.starts_with(&format!("{path}/")))
    }

    /// The text files whose path starts and ends so.
    pub(crate) fn texts(&self, start: &str, end: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter(move |(path, _)| path.starts_with(start) && path.ends_with(end))
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }
}

fn is_text(path: &str) -> bool {
    TEXT.iter().any(|end| path.ends_with(end)) || SCRIPTS.contains(&path)
}

/// For tests: a tree of literals.
#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.set(path, text);
        }
        tree
    }
}

#[cfg(test)]
impl Tree {
    pub(crate) fn set(&mut self, path: &str, text: &str) {
        self.files
            .insert(path.to_owned(), is_text(path).then(|| text.to_owned()));
    }

    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_exist_by_what_is_in_them() {
        let tree = Tree::from([("docs/a.md", ""), ("docs.old", ""), ("tests/log.jsonl", "")]);
        for (path, expected) in [
            ("docs", true),
            ("docs/", true),
            ("docs/a.md", true),
            ("doc", false),
            ("docs/a", false),
            ("tests/log.jsonl", true),
        ] {
            assert_eq!(tree.exists(path), expected, "{path}");
        }
        assert_eq!(tree.text("tests/log.jsonl"), None, "fixtures are not read");
    }
}

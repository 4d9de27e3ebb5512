//! A home directory of its own, in which agents are set up.

use super::*;

/// An empty home, and the program in it.
pub(super) struct Home(pub(super) tempfile::TempDir);

impl Home {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = sref(args);
        command
            .env("HOME", self.0.path())
            .current_dir(self.0.path());
        command
    }

    pub(super) fn setup(&self, args: &[&str]) -> Answer {
        let mut all = vec!["setup"];
        all.extend(args);
        all.extend(["--program", "sref"]);
        let answer = run(self.command(&all));
        assert_eq!(answer.status, 0, "{}", answer.stderr);
        answer
    }

    /// Everything below: a directory, where a link leads, the text of a file; modes of files.
    pub(super) fn tree(&self) -> BTreeMap<String, String> {
        let mut tree = BTreeMap::new();
        let mut waiting = vec![self.0.path().to_owned()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let what = if metadata.is_symlink() {
                    fs::read_link(&path).unwrap().display().to_string()
                } else if metadata.is_dir() {
                    waiting.push(path.clone());
                    String::new()
                } else {
                    let text = fs::read(&path).unwrap();
                    format!("{:?} {text:?}", metadata.permissions())
                };
                let name = path.strip_prefix(self.0.path()).unwrap();
                tree.insert(name.to_str().unwrap().to_owned(), what);
            }
        }
        tree
    }

    /// The text of the one backup of a file.
    pub(super) fn backup(&self, name: &str) -> String {
        let start = format!("{name}.sref-backup-");
        let files = self.files();
        let mut found = files.iter().filter(|(name, _)| name.starts_with(&start));
        let (_, text) = found.next().unwrap();
        assert_eq!(found.next(), None);
        text.clone()
    }

    /// Every file below, with its text.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![self.0.path().to_owned()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.0.path()).unwrap();
                files.insert(
                    name.to_str().unwrap().to_owned(),
                    fs::read_to_string(&path).unwrap(),
                );
            }
        }
        files
    }
}

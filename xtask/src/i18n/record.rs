//! The record of a pair: which bytes somebody declared equal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::document::Document;

const HEADER: &str = "\
# Written by `cargo xtask i18n confirm`, never by hand. After a merge conflict, confirm again.
# A file with its git blob hash; a section with the hash of its bytes in English and in Chinese.
";

/// The hashes of the two files and of each section in both languages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) files: BTreeMap<String, String>,
    pub(super) sections: BTreeMap<String, [String; 2]>,
}

impl Record {
    /// The record that two texts would have.
    pub(super) fn of(names: [&str; 2], documents: [&Document<'_>; 2]) -> Self {
        let [english, chinese] = documents;
        let mut record = Self::default();
        for (name, document) in std::iter::zip(names, documents) {
            let hash = blob_hash(document.text.as_bytes());
            record.files.insert(name.to_owned(), hash);
        }
        for section in &english.sections {
            let hash = |document: &Document<'_>| {
                let section = document.section(section.key())?;
                Some(blob_hash(document.section_text(section).as_bytes()))
            };
            if let (Some(left), Some(right)) = (hash(english), hash(chinese)) {
                let key = section.key().to_owned();
                record.sections.insert(key, [left, right]);
            }
        }
        record
    }

    /// Reads a record.
    ///
    /// Strict: a line of another form, or out of order, is an error with its number.
    pub(super) fn parse(text: &str) -> Result<Self, usize> {
        let mut record = Self::default();
        for (at, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["file", name, hash] if is_hash(hash) => {
                    record.files.insert(name.to_owned(), hash.to_owned());
                }
                ["section", key, left, right] if is_hash(left) && is_hash(right) => {
                    let hashes = [left.to_owned(), right.to_owned()];
                    record.sections.insert(key.to_owned(), hashes);
                }
                _ if line.starts_with('#') => {}
                _ => return Err(at + 1),
            }
        }
        match std::iter::zip(record.print().lines(), text.lines()).position(|(own, got)| own != got)
        {
            Some(at) => Err(at + 1),
            None => Ok(record),
        }
    }

    pub(super) fn print(&self) -> String {
        let mut out = HEADER.to_owned();
        for (name, hash) in &self.files {
            let _ = writeln!(out, "file {name} {hash}");
        }
        for (key, [left, right]) in &self.sections {
            let _ = writeln!(out, "section {key} {left} {right}");
        }
        out
    }
}

fn is_hash(word: &str) -> bool {
    word.len() == 40
        && word
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What `git hash-object` prints for these bytes.
pub(super) fn blob_hash(bytes: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.digest().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_git() {
        // printf '' | git hash-object --stdin, printf 'hello\n' | git hash-object --stdin
        assert_eq!(blob_hash(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(
            blob_hash(b"hello\n"),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }

    #[test]
    fn reading_inverts_printing_and_is_strict() {
        let english = Document::parse("# T\n\n## <a id=\"b\"></a>B\n");
        let chinese = Document::parse("# 题\n\n## <a id=\"b\"></a>乙\n");
        let record = Record::of(["x.md", "x.zh.md"], [&english, &chinese]);
        assert_eq!(record.sections.len(), 2);
        let text = record.print();
        assert_eq!(Record::parse(&text), Ok(record));
        assert_eq!(
            Record::parse(&text.replace("section b", "section  b")),
            Err(5)
        );
        assert_eq!(
            Record::parse(&text.replace("file x.md ", "file x.md X")),
            Err(3)
        );
        let mut swapped: Vec<&str> = text.lines().collect();
        swapped.swap(4, 5);
        assert_eq!(Record::parse(&swapped.join("\n")), Err(5));
    }
}

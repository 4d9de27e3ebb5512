//! The server in Codex's `config.toml`: a table of its own behind everything else, where it cannot
//! come between others.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use sref_session::json::quote;
use toml_edit::{Document, Item, TableLike};

use super::command::is_program;
use super::error::{SetupError, SetupErrorKind};
use super::{Change, SERVER};

const TABLE: &str = "mcp_servers";

#[derive(Debug, Clone)]
pub(super) struct TomlServer {
    pub(super) program: String,
    pub(super) args: Vec<String>,
}

impl TomlServer {
    pub(super) fn snippet(&self) -> String {
        self.table("\n")
    }

    /// JSON strings are TOML strings: both know the same escapes, and a program's path and the
    /// options of sref hold none that only JSON has.
    fn table(&self, line: &str) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| string(arg)).collect();
        let program = string(&self.program);
        let args = args.join(", ");
        format!("[{TABLE}.{SERVER}]{line}command = {program}{line}args = [{args}]{line}")
    }

    pub(super) fn insert(&self, text: &str) -> Result<Change, SetupError> {
        let document = read(text)?;
        if self.find(&document)?.is_some() {
            return Ok(Change::Same);
        }
        let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut table = self.table(line);
        let mut new = String::from(text);
        if !text.is_empty() {
            new.push_str(line);
            if !text.ends_with('\n') {
                // A file without an end of its last line stays one.
                new.push_str(line);
                table.truncate(table.len() - line.len());
            }
        }
        new.push_str(&table);
        // A table that was written on one line takes no more.
        match read(&new) {
            Ok(read) if self.find(&read)?.is_some() => Ok(Change::Text(new)),
            _ => Err(shape(
                &document,
                "a table that can be extended; write each server in it as a table of its own, `[mcp_servers.NAME]`, and run this again",
            )),
        }
    }

    pub(super) fn remove(&self, text: &str) -> Result<Change, SetupError> {
        let document = read(text)?;
        let Some((key, item)) = self.find(&document)? else {
            return Ok(Change::Same);
        };
        if document.get(TABLE).is_some_and(Item::is_inline_table) {
            return Err(shape(
                &document,
                "a table over several lines; take `sref` out of it by hand",
            ));
        }
        let mut new = String::from(text);
        let mut ranges = ranges(text, &key, item);
        ranges.sort_by_key(|range| range.start);
        for range in ranges.into_iter().rev() {
            let before = &new[..range.start];
            let mut start = range.start;
            if let Some(rest) = without_line(before) {
                if rest.is_empty() || rest.ends_with('\n') {
                    start = rest.len();
                }
                if !new[range.clone()].ends_with('\n') {
                    // It took the end of the last line with it.
                    start = without_line(&new[..start]).map_or(start, str::len);
                }
            }
            new.replace_range(start..range.end, "");
        }
        Ok(if new.is_empty() {
            Change::Nothing
        } else {
            Change::Text(new)
        })
    }

    /// The server's key and its item.
    fn find<'d>(
        &self,
        document: &'d Document<&str>,
    ) -> Result<Option<(Range<usize>, &'d Item)>, SetupError> {
        let Some(servers) = document.get(TABLE) else {
            return Ok(None);
        };
        let servers = servers
            .as_table_like()
            .ok_or_else(|| shape(document, "a table"))?;
        let Some((key, item)) = servers.get_key_value(SERVER) else {
            return Ok(None);
        };
        let command = item.get("command").and_then(Item::as_str);
        if !command.is_some_and(|command| is_program(command) || command == self.program) {
            return Err(SetupErrorKind::Taken("a server `sref`").into());
        }
        Ok(Some((key.span().unwrap_or_default(), item)))
    }

    pub(super) fn command(&self, text: &str) -> Result<Option<String>, SetupError> {
        let document = read(text)?;
        let found = self.find(&document)?;
        Ok(found.and_then(|(_, item)| Some(item.get("command")?.as_str()?.into())))
    }
}

fn string(text: &str) -> String {
    quote(text.into())
}

pub(super) fn read(text: &str) -> Result<Document<&str>, SetupError> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        SetupErrorKind::Toml(offset).into()
    })
}

fn shape(document: &Document<&str>, expected: &'static str) -> SetupError {
    let span = document.get(TABLE).and_then(Item::span);
    SetupErrorKind::Shape {
        path: TABLE,
        expected,
        at: span.map_or(0, |span| span.start),
    }
    .into()
}

/// The lines of the server: its own table and those below it, or the one line of an inline table.
fn ranges(text: &str, key: &Range<usize>, item: &Item) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let Some(table) = item.as_table().filter(|table| !table.is_dotted()) else {
        let end = ends(item, key.end);
        out.push(lines(text, key.start..end));
        return out;
    };
    let mut waiting = Vec::new();
    waiting.push(table);
    while let Some(table) = waiting.pop() {
        // A table that only others name has no line.
        let mut range = table.span().unwrap_or_default();
        for (_, item) in table {
            match item.as_table() {
                Some(inner) if !inner.is_dotted() => waiting.push(inner),
                _ => range.end = ends(item, range.end),
            }
        }
        if !range.is_empty() {
            out.push(lines(text, range));
        }
    }
    out
}

/// Where the values of an item end.
fn ends(item: &Item, end: usize) -> usize {
    let mut last = end;
    let mut waiting = Vec::new();
    waiting.push(item);
    while let Some(item) = waiting.pop() {
        match item.as_table() {
            Some(table) => waiting.extend(TableLike::iter(table).map(|(_, item)| item)),
            None => last = last.max(item.span().map_or(0, |span| span.end)),
        }
    }
    last
}

/// A range with the whole of its first and last line.
fn lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[range.end..].find('\n');
    start..rest.map_or(text.len(), |at| range.end + at + 1)
}

/// A text without the end of its last line.
fn without_line(text: &str) -> Option<&str> {
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').unwrap_or(text))
}

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use sref_session::json::Scanner;
use sref_session::{SurfaceSnapshot, TitleSnapshot};
use sref_stores::claude::ClaudeStore;
use sref_stores::codex::CodexStore;
use sref_stores::dsh::{DshOptions, DshStore, Encoding};
use sref_stores::lines::{LineOptions, RecordReader, Repairs};
use sref_stores::{CancellationToken, Listing, Store, StoreError};

const HEADER: &str =
    r#"{"type":"session","version":0,"id":"s-1","createdAt":5,"cwd":"/work","delegationDepth":0}"#;

/// A log costs at most its own session, and reads the same every time.
///
/// The first byte says whether the bytes follow a good header or are the whole log, whether the log
/// is packed, and for the reader of records, which repairs it makes.
pub fn log(data: &[u8]) {
    let Some((flags, data)) = data.split_first() else {
        return;
    };
    records(*flags, data);
    let mut bytes = Vec::new();
    if flags & 1 == 0 {
        bytes.extend_from_slice(HEADER.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(data);
    let (path, encoding) = match flags & 32 {
        0 => ("--work--/s-1/session.jsonl", Encoding::Plain),
        _ => ("--work--/s-1/session.jsonl.zstd", Encoding::Zstd),
    };
    with_log(path, &bytes, |root| {
        let read = |options| {
            let store = DshStore::open(root, options).expect("the directory is there");
            read(&store, "s-1")
        };
        let own = check(|| read(DshOptions::default()));
        // As the reference reads: all or nothing, and what it lists is listed here too.
        let strict = read(DshOptions::strict(encoding));
        if let (Ok(strict), Ok(own)) = (strict.listing, own.listing) {
            assert_eq!(strict.sessions, own.sessions);
        }
        if let (Ok(Some(strict)), Ok(Some(own))) = (strict.surface, own.surface) {
            assert_eq!(strict.events, own.events);
        }
    });
}

/// The same of a log of Claude Code: a tree of records, in any order.
pub fn claude(data: &[u8]) {
    const ID: &str = "5f0c7a1e-0000-4000-8000-000000000001";
    let path = format!("-work/{ID}.jsonl");
    with_log(&path, data, |root| {
        check(|| read(&ClaudeStore::open(root), ID));
    });
}

/// The same of a thread of Codex; the first byte says whether it is packed.
pub fn codex(data: &[u8]) {
    const ID: &str = "0198a3c0-0000-7000-8000-000000000001";
    let Some((flags, data)) = data.split_first() else {
        return;
    };
    let end = if flags & 1 == 0 { "" } else { ".zst" };
    let path = format!("sessions/2026/08/01/rollout-2026-08-01T09-00-00-{ID}.jsonl{end}");
    with_log(&path, data, |root| {
        check(|| read(&CodexStore::open(root), ID));
    });
}

/// All that a store says of one session. Errors are compared by what they tell.
#[derive(Debug, PartialEq)]
pub(crate) struct Answers {
    listing: Result<Listing, String>,
    surface: Result<Option<SurfaceSnapshot>, String>,
    titles: Result<Vec<Result<Option<TitleSnapshot>, String>>, String>,
}

pub(crate) fn read(store: &dyn Store, id: &str) -> Answers {
    let cancel = CancellationToken::new();
    let ids = [id.into()];
    let told = |error: StoreError| error.to_string();
    Answers {
        listing: store.list(&cancel).map_err(told),
        surface: store.surface(&ids[0], &cancel).map_err(told),
        titles: store
            .titles(&ids, &cancel)
            .map(|titles| {
                titles
                    .into_iter()
                    .map(|title| title.map_err(told))
                    .collect()
            })
            .map_err(told),
    }
}

/// What holds for a reader that isolates failures.
pub(crate) fn check(read: impl Fn() -> Answers) -> Answers {
    let answers = read();
    let listing = answers
        .listing
        .as_ref()
        .expect("one bad log never fails a listing");
    let told = listing.sessions.len() + listing.diagnostics.len();
    assert!(told >= 1, "nothing is dropped silently");
    assert_eq!(answers.titles.as_ref().map(Vec::len), Ok(1));
    let titles = answers.titles.iter().flatten();
    let title_errors = titles.filter_map(|title| title.as_ref().err());
    let details = listing.diagnostics.iter().map(|own| &own.detail);
    for message in answers
        .surface
        .as_ref()
        .err()
        .into_iter()
        .chain(title_errors)
        .chain(details)
    {
        check_message(message);
    }
    assert_eq!(read(), answers, "the same every time");
    answers
}

/// A message quotes little of a log, and no control characters.
fn check_message(message: &str) {
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.len() < 1024, "{message}");
}

/// Whatever a record reader gives out is JSON, however the bytes arrive.
fn records(flags: u8, data: &[u8]) {
    let mut repairs = Repairs::default();
    repairs.byte_order_mark = flags & 2 != 0;
    repairs.nul = flags & 4 != 0;
    repairs.glued = flags & 8 != 0;
    repairs.raw_newlines = flags & 16 != 0;
    let read = |source: &mut dyn Read| {
        let mut reader = RecordReader::new(source, LineOptions::default(), repairs);
        let mut records = Vec::new();
        while reader.advance().expect("memory does not fail") {
            let record = reader.record();
            assert!(
                record.cut || is_json(record.bytes),
                "{:?}",
                record.bytes.escape_ascii()
            );
            records.push((record.bytes.to_vec(), record.position));
        }
        (records, reader.counts())
    };
    let whole = read(&mut &*data);
    assert_eq!(read(&mut Trickle(data)), whole);
    assert_eq!(whole.0.len() as u64, whole.1.records + whole.1.too_long);
}

fn is_json(bytes: &[u8]) -> bool {
    let mut scanner = Scanner::new(bytes);
    scanner.skip_value().is_ok() && scanner.finish().is_ok()
}

/// A source that gives one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let one = self.0.len().min(1);
        let (now, rest) = self.0.split_at(one);
        out[..one].copy_from_slice(now);
        self.0 = rest;
        Ok(one)
    }
}

/// A store with one log, which is gone afterwards.
fn with_log(path: &str, bytes: &[u8], check: impl FnOnce(&Path)) {
    with_directory(|root| {
        let log = root.join(path);
        fs::create_dir_all(log.parent().expect("a directory")).expect("a directory for the log");
        fs::write(log, bytes).expect("the log");
        check(root);
    });
}

/// An empty directory, which is gone afterwards.
pub(crate) fn with_directory(check: impl FnOnce(&Path)) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("sref-fuzz-{}-{number}", std::process::id()));
    fs::create_dir_all(&root).expect("a directory");
    check(&root);
    fs::remove_dir_all(&root).expect("the directory removed");
}

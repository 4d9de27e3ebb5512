use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use sref_session::json::Scanner;
use sref_stores::dsh::{DshOptions, DshStore, Encoding};
use sref_stores::lines::{LineOptions, RecordReader, Repairs};
use sref_stores::{CancellationToken, Store};

const HEADER: &str =
    r#"{"type":"session","version":0,"id":"s-1","createdAt":5,"cwd":"/work","delegationDepth":0}"#;

/// A log costs at most its own session, and reads the same every time.
///
/// The first byte says whether the bytes follow a good header or are the whole log, and for the
/// reader of records, which repairs it makes.
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
    with_log(&bytes, store);
}

fn store(root: &Path) {
    let cancel = CancellationToken::new();
    let ids = ["s-1".into()];
    let read = |options| {
        let store = DshStore::open(root, options).expect("the directory is there");
        let listing = store.list(&cancel);
        let surface = store
            .surface(&ids[0], &cancel)
            .map_err(|error| error.to_string());
        let titles = store.titles(&ids, &cancel).map(|titles| {
            let titles = titles.into_iter();
            titles
                .map(|title| title.map_err(|error| error.to_string()))
                .collect::<Vec<_>>()
        });
        (listing, surface, titles.map_err(|error| error.to_string()))
    };
    let (listing, surface, titles) = read(DshOptions::default());
    let listing = listing.expect("one bad log never fails a listing");
    assert!(
        listing.sessions.len() + listing.diagnostics.len() >= 1,
        "nothing is dropped silently"
    );
    assert_eq!(titles.as_ref().map(Vec::len), Ok(1));
    let title_errors = titles
        .iter()
        .flatten()
        .filter_map(|title| title.as_ref().err());
    for error in surface.as_ref().err().into_iter().chain(title_errors) {
        check_message(error);
    }

    let (again, again_surface, again_titles) = read(DshOptions::default());
    assert_eq!(again.ok(), Some(listing.clone()));
    assert_eq!((&again_surface, &again_titles), (&surface, &titles));

    // As the reference reads: all or nothing, and what it lists is listed here too.
    let (strict, strict_surface, _) = read(DshOptions::strict(Encoding::Plain));
    if let Ok(strict) = strict {
        assert_eq!(strict.sessions, listing.sessions);
    }
    if let (Ok(Some(strict)), Ok(Some(own))) = (strict_surface, surface) {
        assert_eq!(strict.events, own.events);
    }
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
fn with_log(bytes: &[u8], check: impl FnOnce(&Path)) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("sref-fuzz-{}-{number}", std::process::id()));
    let directory = root.join("--work--/s-1");
    fs::create_dir_all(&directory).expect("a directory for the log");
    fs::write(directory.join("session.jsonl"), bytes).expect("the log");
    check(&root);
    fs::remove_dir_all(&root).expect("the directory removed");
}

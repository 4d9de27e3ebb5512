//! Sessions that are read while their writer goes on (`spec/dsh-store.md` 1.10, 4.6, 5.4): each
//! read is one state that the writer had, or says that the log changes.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use sref_session::SurfaceSnapshot;
use sref_stores::dsh::{DshDatabase, DshOptions, DshStore};
use sref_stores::{CancellationToken, Store, StoreErrorKind};

use crate::frames::frame;
use crate::rows::Rows;
use crate::support::{APPEND, Home, event, header, message, shown, user};

/// The last event's number, and number and text of what stands on the surface.
type State = (Option<u64>, Vec<(u64, String)>);

/// All states that the writer has had, or is about to have.
type States = Mutex<HashSet<State>>;

/// A session as its writer knows it.
#[derive(Debug, Default)]
struct Session {
    /// How often it was rewritten.
    generation: u64,
    round: u64,
    seq: u64,
    surface: Vec<(u64, String)>,
}

impl Session {
    fn state(&self) -> State {
        (self.seq.checked_sub(1), self.surface.clone())
    }

    /// The next lines: a message, or every few rounds a compaction of all but the last one. After
    /// each line comes the state that it leads to.
    fn next(&mut self) -> Vec<(String, State)> {
        self.round += 1;
        let mut out = Vec::new();
        if self.round.is_multiple_of(7) && self.surface.len() > 2 {
            self.log_only("compaction/start", &mut out);
            let text = format!("summary {} {}", self.generation, self.seq);
            let source = r#""source":{"kind":"plugin","plugin":"compact"}"#;
            let data = message("user", &text.as_str().into(), source);
            let last = self.surface.pop();
            let removed: Vec<_> = self
                .surface
                .iter()
                .map(|(seq, _)| seq.to_string())
                .collect();
            let rest = format!(
                r#","surfaceOp":{{"op":"replace","start":{},"end":{}}},"sourceEventSeqs":[{}]"#,
                removed[0],
                removed[removed.len() - 1],
                removed.join(",")
            );
            let line = event(self.seq, "user/message", &data, &rest);
            self.surface = vec![(self.seq, text)];
            self.surface.extend(last);
            self.seq += 1;
            out.push((line, self.state()));
            self.log_only("compaction/end", &mut out);
        } else {
            let text = format!("message {} {}", self.generation, self.seq);
            let data = user(&text.as_str().into());
            let line = event(self.seq, "user/message", &data, APPEND);
            self.surface.push((self.seq, text));
            self.seq += 1;
            out.push((line, self.state()));
        }
        out
    }

    fn log_only(&mut self, kind: &str, out: &mut Vec<(String, State)>) {
        let line = event(self.seq, kind, "{}", "");
        self.seq += 1;
        out.push((line, self.state()));
    }

    /// A session of another content in the place of this one, with its lines.
    fn rewritten(&mut self) -> Vec<String> {
        *self = Self {
            generation: self.generation + 1,
            ..Self::default()
        };
        let lines = (0..=self.generation % 5).flat_map(|_| self.next());
        lines.map(|(line, _)| line).collect()
    }
}

fn observed(surface: &SurfaceSnapshot) -> State {
    let events = shown(surface).into_iter();
    let events = events.map(|(seq, _, texts)| (seq, texts[0].to_string_lossy().into()));
    (surface.captured_through_seq, events.collect())
}

/// Runs a writer, and so many reads in several threads beside it.
fn race(states: &States, reads: usize, mut write: impl FnMut() + Send, store: &(dyn Store + Sync)) {
    const READERS: usize = 4;
    let stop = AtomicBool::new(false);
    let seen = Mutex::new(HashSet::new());
    let read = || {
        for _ in 0..reads / READERS {
            match store.surface(&"s".into(), &CancellationToken::new()) {
                Ok(surface) => {
                    let state = observed(&surface.unwrap());
                    assert!(states.lock().unwrap().contains(&state), "{state:?}");
                    seen.lock().unwrap().insert(state);
                }
                Err(error) => {
                    assert_eq!(error.kind(), StoreErrorKind::Changing, "{error}");
                    assert_eq!(error.reason(), "store.changing");
                }
            }
        }
    };
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                write();
            }
        });
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(read)).collect();
        let results: Vec<_> = readers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        for result in results {
            result.unwrap();
        }
    });
    // The writer did go on, and the reads did not all give up.
    assert!(seen.lock().unwrap().len() > 1);
}

/// A log in one of the two encodings, and how its writer changes it.
struct Log {
    path: PathBuf,
    packed: bool,
}

impl Log {
    fn encode(&self, text: &str) -> Vec<u8> {
        if self.packed {
            frame(text)
        } else {
            text.as_bytes().to_vec()
        }
    }

    /// A new file beside the log, as the reference names it.
    fn temporary(&self, lines: &[String]) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".0123456789ab.tmp");
        let path = PathBuf::from(name);
        let mut bytes = self.encode(&header("s", 1));
        if !lines.is_empty() {
            bytes.extend(self.encode(&lines.concat()));
        }
        fs::write(&path, bytes).unwrap();
        path
    }

    fn publish(&self) {
        fs::create_dir_all(self.path.parent().unwrap()).unwrap();
        let new = self.temporary(&[]);
        fs::hard_link(&new, &self.path).unwrap();
        fs::remove_file(new).unwrap();
    }

    fn rewrite(&self, lines: &[String]) {
        fs::rename(self.temporary(lines), &self.path).unwrap();
    }

    /// In two writes, so that readers meet torn lines and frames.
    fn append(&self, line: &str) {
        let bytes = self.encode(line);
        let (one, other) = bytes.split_at(bytes.len() * 2 / 3);
        let mut file = File::options().append(true).open(&self.path).unwrap();
        file.write_all(one).unwrap();
        thread::yield_now();
        file.write_all(other).unwrap();
    }
}

fn a_log_is_read_while_it_is_written(packed: bool) {
    let home = Home::new();
    let path = home.log("s");
    let path = if packed {
        path.with_extension("jsonl.zstd")
    } else {
        path
    };
    let log = Log { path, packed };
    log.publish();
    let states = States::default();
    let mut session = Session::default();
    let note = |state| {
        states.lock().unwrap().insert(state);
    };
    note(session.state());
    let write = || {
        if session.round > 40 {
            let lines = session.rewritten();
            note(session.state());
            log.rewrite(&lines);
        } else {
            for (line, state) in session.next() {
                note(state);
                log.append(&line);
            }
        }
        thread::sleep(Duration::from_millis(session.round % 5));
    };
    let store: DshStore = home.open(DshOptions::default());
    race(&states, 500, write, &store);
}

#[test]
fn a_plain_log_is_one_observation() {
    a_log_is_read_while_it_is_written(false);
}

#[test]
fn a_packed_log_is_one_observation() {
    a_log_is_read_while_it_is_written(true);
}

/// Appends, compacts and rewrites, a transaction each, with checkpoints in between.
fn write_rows(rows: &Rows, session: &mut Session, states: &States) {
    rows.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let lines: Vec<String> = if session.round > 40 {
        let delete = "DELETE FROM events WHERE session_id = 's'";
        rows.connection.execute(delete, []).unwrap();
        session.rewritten()
    } else {
        session.next().into_iter().map(|(line, _)| line).collect()
    };
    for line in lines {
        rows.line("s", &line, 100);
    }
    states.lock().unwrap().insert(session.state());
    rows.connection.execute_batch("COMMIT").unwrap();
}

#[test]
fn a_database_is_one_observation() {
    let home = Home::new();
    let path: &Path = &home.root().join(DshDatabase::FILE);
    let rows = Rows::create(path, 17);
    rows.session("s", 1);
    let wal = "PRAGMA journal_mode = WAL";
    rows.connection.query_row(wal, [], |_| Ok(())).unwrap();
    rows.connection
        .execute_batch("PRAGMA wal_autocheckpoint = 8")
        .unwrap();
    let states = States::default();
    let mut session = Session::default();
    states.lock().unwrap().insert(session.state());
    let noted = &states;
    let write = move || {
        write_rows(&rows, &mut session, noted);
        thread::sleep(Duration::from_millis(session.round % 4 * 10));
    };
    let store = DshDatabase::open(path, DshOptions::default());
    race(&states, 200, write, &store);
}

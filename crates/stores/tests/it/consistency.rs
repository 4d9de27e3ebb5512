//! Logs that change while they are read (`spec/dsh-store.md` 4.6, `spec/agent-logs.md` 1.3).

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use sref_stores::StoreErrorKind;

use crate::support::{APPEND, Home, event, header, one_message, shown, user};

/// Shorter than any read, so that most reads meet a change.
const PAUSE: Duration = Duration::from_micros(300);

/// Runs `write` again and again in a thread, up to so many times, while `read` runs.
fn race(rounds: u64, write: impl Fn(u64) + Sync, read: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..rounds {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                write(round);
                thread::sleep(PAUSE);
            }
        });
        read();
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    });
}

/// A log that only grows is seen as it was at some moment.
#[test]
fn a_growing_log_is_read_as_a_prefix_of_itself() {
    let home = Home::new();
    home.write("s", header("s", 1).as_bytes());
    let path = home.log("s");
    let append = |seq| {
        let mut file = File::options().append(true).open(&path).unwrap();
        let text = format!("message {seq}").as_str().into();
        let line = event(seq, "user/message", &user(&text), APPEND);
        // In two writes, so that a reader meets torn lines.
        let (one, other) = line.split_at(line.len() / 2);
        file.write_all(one.as_bytes()).unwrap();
        file.write_all(other.as_bytes()).unwrap();
    };
    race(500, append, || {
        let mut last = 0;
        for _ in 0..12 {
            let surface = home.surface("s").unwrap().unwrap();
            let shown = shown(&surface);
            assert!(shown.len() >= last);
            last = shown.len();
            for (at, (seq, _, texts)) in shown.iter().enumerate() {
                assert_eq!(*seq, at as u64);
                assert_eq!(texts[0], format!("message {seq}").as_str());
            }
        }
    });
}

/// A log that is replaced, shortened or removed is read whole, or not at all.
#[test]
fn a_log_that_is_rewritten_is_never_half_read() {
    let home = Home::new();
    let log = |round: u64| {
        let mut log = header("s", 1);
        for seq in 0..(round * 7) % 50 {
            let text = format!("round {round}").as_str().into();
            log += &event(seq, "user/message", &user(&text), APPEND);
        }
        log
    };
    home.write("s", log(1).as_bytes());
    let path = home.log("s");
    let rewrite = |round: u64| match round % 3 {
        0 => fs::write(&path, log(round)).unwrap(),
        1 => {
            let new = path.with_extension("tmp");
            fs::write(&new, log(round)).unwrap();
            fs::rename(new, &path).unwrap();
        }
        _ => {
            fs::remove_file(&path).unwrap();
            thread::yield_now();
            fs::write(&path, log(round)).unwrap();
        }
    };
    race(u64::MAX, rewrite, || {
        for _ in 0..30 {
            match home.surface("s") {
                Ok(Some(surface)) => {
                    let rounds: Vec<_> = shown(&surface)
                        .into_iter()
                        .map(|(_, _, texts)| texts)
                        .collect();
                    assert!(
                        rounds.windows(2).all(|pair| pair[0] == pair[1]),
                        "{rounds:?}"
                    );
                }
                Ok(None) => {}
                Err(error) => assert!(
                    matches!(
                        error.kind(),
                        StoreErrorKind::Changing
                            | StoreErrorKind::Io
                            | StoreErrorKind::Damaged
                            | StoreErrorKind::Conflict
                    ),
                    "{error:?}"
                ),
            }
        }
    });
}

#[test]
fn a_session_that_is_gone_is_not_found() {
    let home = Home::new();
    home.write("s", one_message("s", "hello").as_bytes());
    assert!(home.surface("s").unwrap().is_some());
    fs::remove_file(home.log("s")).unwrap();
    assert!(home.surface("s").unwrap().is_none());
}

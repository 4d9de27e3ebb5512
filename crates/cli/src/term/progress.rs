//! One line on stderr while something takes long.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long the program is silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// Says on stderr what the program is at, once it has been at it for half a second; the line is
/// gone when this is dropped. Silent when stderr is no terminal.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    pub(crate) fn start(what: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (done, wait) = mpsc::channel();
        let thread = thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let mut stderr = io::stderr();
                let _ = write!(stderr, "{what} …").and_then(|()| stderr.flush());
                // The other end is dropped when the work is done.
                let _ = wait.recv();
                let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
            }
        });
        Self(Some((done, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.0.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How many packed bytes are worth a thread that unpacks them.
pub(crate) const WORTH_A_THREAD: u64 = 256 << 10;
/// How much is read at once.
const BLOCK: usize = 256 << 10;
/// How many blocks there are: one that is used, and those that wait.
const BLOCKS: usize = 4;

/// Lets `take` read `source`, which another thread reads ahead of it, by a few blocks at most.
///
/// `take` meets the same bytes, and an error behind the bytes that came before it. The thread ends
/// when `source` does, and otherwise with the block that it reads when `take` returns; it is waited
/// for. On a host that gives no thread `take` reads `source` itself.
pub(crate) fn ahead<T>(
    source: &mut (impl Read + Send),
    take: impl FnOnce(&mut dyn Read) -> T,
) -> T {
    let outcome = thread::scope(|scope| {
        let (filled, blocks) = sync_channel(BLOCKS);
        let (used, empty) = sync_channel(BLOCKS);
        let source = &mut *source;
        let thread =
            thread::Builder::new().spawn_scoped(scope, move || fill(source, &filled, &empty));
        if thread.is_err() {
            return Err(take);
        }
        Ok(take(&mut Ahead {
            blocks,
            used,
            block: Vec::new(),
            at: 0,
        }))
    });
    outcome.unwrap_or_else(|take| take(source))
}

/// Reads to the end, an error, or until nobody takes what is read.
fn fill(
    source: &mut impl Read,
    filled: &SyncSender<io::Result<Vec<u8>>>,
    empty: &Receiver<Vec<u8>>,
) {
    let mut fresh = BLOCKS;
    loop {
        let mut block = if fresh > 0 {
            fresh -= 1;
            Vec::new()
        } else {
            match empty.recv() {
                Ok(block) => block,
                Err(_) => return,
            }
        };
        block.resize(BLOCK, 0);
        let mut length = 0;
        let end = loop {
            match source.read(&mut block[length..]) {
                Ok(0) => break Some(Ok(())),
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Some(Err(error)),
            }
            if length == BLOCK {
                break None;
            }
        };
        block.truncate(length);
        if filled.send(Ok(block)).is_err() {
            return;
        }
        match end {
            None => {}
            Some(Ok(())) => return,
            Some(Err(error)) => {
                // Whether anybody still wants to know does not matter.
                let _ = filled.send(Err(error));
                return;
            }
        }
    }
}

/// What has been read ahead.
struct Ahead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    used: SyncSender<Vec<u8>>,
    block: Vec<u8>,
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() {
            let Ok(next) = self.blocks.recv() else {
                return Ok(0);
            };
            // At the end of the source nobody waits for it.
            let _ = self.used.send(std::mem::replace(&mut self.block, next?));
            self.at = 0;
        }
        let pending = &self.block[self.at..];
        let count = pending.len().min(out.len());
        out[..count].copy_from_slice(&pending[..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives pieces of some size, then fails if it is to.
    struct Pieces<'a> {
        rest: &'a [u8],
        size: usize,
        fails: bool,
        reads: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            if self.reads.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.rest.is_empty() && self.fails {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "damaged"));
            }
            let size = self.size.min(out.len());
            self.rest.read(&mut out[..size])
        }
    }

    fn pieces(rest: &[u8], size: usize, fails: bool) -> Pieces<'_> {
        Pieces {
            rest,
            size,
            fails,
            reads: 0,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// The same bytes, and the same error behind them.
        #[test]
        fn nothing_is_added_or_lost(length in 0_usize..6 * BLOCK, size in 1000_usize..2 * BLOCK, fails: bool) {
            let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut out = Vec::new();
            let end = ahead(&mut pieces(&bytes, size, fails), |text| text.read_to_end(&mut out));
            prop_assert!(out == bytes);
            prop_assert_eq!(end.err().map(|error| error.to_string()), fails.then(|| "damaged".into()));
        }
    }

    /// Who stops early does not wait for the rest, and little more than was taken has been read.
    #[test]
    fn the_thread_ends_with_its_reader() {
        struct Endless(usize);
        impl Read for Endless {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                self.0 += out.len();
                Ok(out.len())
            }
        }
        let mut source = Endless(0);
        ahead(&mut source, |text| {
            text.read_exact(&mut vec![1; 10 * BLOCK])
        })
        .unwrap();
        assert!(source.0 <= (10 + BLOCKS + 1) * BLOCK, "{}", source.0);
        let mut source = Endless(0);
        ahead(&mut source, |_| ());
        assert!(source.0 <= (BLOCKS + 1) * BLOCK, "{}", source.0);
    }
}

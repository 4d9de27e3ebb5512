use std::cell::Cell;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::rc::Rc;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};
use zstd::zstd_safe::DCtx;

use super::frames::MAGIC;
use super::text::WINDOW_LOG;

/// What was met among packed bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Harm {
    /// Whether the bytes end inside a frame.
    pub(crate) torn: bool,
    /// Where the first frame begins that is damaged, or bytes that are none.
    pub(crate) damaged: Option<u64>,
}

/// How often reading goes on behind damage. Bytes that only look like frames are passed by the
/// search for the next one, which is as long as the file.
const TRIES: u32 = 64;

/// The text of all frames that can be unpacked, and of a damaged one the part before the damage.
///
/// Behind damage reading goes on at the next frame, on a line of its own: the text between is not
/// known. Frames that a decoder has to skip are skipped.
pub(crate) struct Salvaged<R> {
    log: R,
    length: u64,
    at: u64,
    /// Where the frame begins that is being read.
    start: u64,
    decoder: Decoder<'static>,
    /// How much input ends the next block. No more is given, so that no block is lost with the
    /// damaged one behind it.
    hint: usize,
    /// What is unpacked and not yet given out: `text[given..end]`.
    text: Vec<u8>,
    given: usize,
    end: usize,
    harm: Rc<Cell<Harm>>,
    tries: u32,
    ended: bool,
}

/// What the decoder reads of a frame before it says how much it wants.
const FIRST: usize = 5;

impl<R: BufRead + Seek> Salvaged<R> {
    /// Unpacks the first `length` bytes; without `on`, nothing behind damage.
    pub(crate) fn new(log: R, length: u64, on: bool) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self {
            log,
            length,
            at: 0,
            start: 0,
            decoder,
            hint: FIRST,
            text: vec![0; DCtx::out_size()],
            given: 0,
            end: 0,
            harm: Rc::default(),
            tries: if on { TRIES } else { 0 },
            ended: false,
        })
    }

    /// What was met so far, also when the text has been read elsewhere.
    pub(crate) fn harm(&self) -> Rc<Cell<Harm>> {
        Rc::clone(&self.harm)
    }

    /// Unpacks the next piece.
    fn fill(&mut self) -> io::Result<()> {
        (self.given, self.end) = (0, 0);
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let input = self.log.fill_buf()?;
        let input = &input[..input.len().min(left).min(self.hint.max(1))];
        if input.is_empty() {
            return if self.at == self.start {
                self.ended = true;
                Ok(())
            } else {
                self.go_on(true)
            };
        }
        let mut input = InBuffer::around(input);
        let mut output = OutBuffer::around(&mut self.text[..]);
        let outcome = self.decoder.run(&mut input, &mut output);
        let (read, written) = (input.pos(), output.pos());
        self.log.consume(read);
        self.at += read as u64;
        if outcome.is_ok() {
            self.end = written;
        }
        match outcome {
            Ok(0) => {
                self.start = self.at;
                self.decoder.reinit()?;
                self.hint = FIRST;
                Ok(())
            }
            Ok(hint) => {
                self.hint = hint;
                Ok(())
            }
            Err(_) => self.go_on(false),
        }
    }

    /// Goes to the next frame behind a damaged one, if there is any.
    fn go_on(&mut self, is_end: bool) -> io::Result<()> {
        let next = if self.tries > 0 {
            self.tries -= 1;
            self.next_frame()?
        } else {
            None
        };
        let mut harm = self.harm.get();
        if is_end && next.is_none() {
            harm.torn = true;
        } else {
            harm.damaged = harm.damaged.or(Some(self.start));
        }
        self.harm.set(harm);
        let Some(next) = next else {
            self.ended = true;
            return Ok(());
        };
        self.log.seek(SeekFrom::Start(next))?;
        (self.at, self.start, self.hint) = (next, next, FIRST);
        self.decoder.reinit()?;
        self.text[0] = b'\n';
        self.end = 1;
        Ok(())
    }

    /// Where the next frame begins, by its magic number.
    fn next_frame(&mut self) -> io::Result<Option<u64>> {
        let mut from = self.start + 1;
        self.log.seek(SeekFrom::Start(from))?;
        let mut window: Vec<u8> = Vec::new();
        loop {
            let left = usize::try_from(self.length.saturating_sub(from)).unwrap_or(usize::MAX);
            let block = self.log.fill_buf()?;
            let block = &block[..block.len().min(left.saturating_sub(window.len()))];
            if block.is_empty() {
                return Ok(None);
            }
            let read = block.len();
            window.extend_from_slice(block);
            self.log.consume(read);
            if let Some(at) = memchr::memmem::find(&window, &MAGIC) {
                return Ok(Some(from + at as u64));
            }
            // The number can lie across two blocks.
            let passed = window.len().saturating_sub(MAGIC.len() - 1);
            window.drain(..passed);
            from += passed as u64;
        }
    }
}

impl<R: BufRead + Seek> Read for Salvaged<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.end && !self.ended && !out.is_empty() {
            self.fill()?;
        }
        let pending = &self.text[self.given..self.end];
        let count = pending.len().min(out.len());
        out[..count].copy_from_slice(&pending[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::{BufReader, Cursor};

    use proptest::prelude::*;

    use super::*;

    fn pack(text: &str) -> Vec<u8> {
        zstd::encode_all(text.as_bytes(), 3).unwrap()
    }

    /// However the bytes arrive.
    fn salvage(bytes: &[u8], on: bool) -> (String, Harm) {
        let [few, all] = [7, bytes.len() + 1].map(|block| {
            let log = BufReader::with_capacity(block, Cursor::new(bytes));
            let mut text = Salvaged::new(log, bytes.len() as u64, on).unwrap();
            let mut out = Vec::new();
            text.read_to_end(&mut out).unwrap();
            (
                String::from_utf8_lossy(&out).into_owned(),
                text.harm().get(),
            )
        });
        assert_eq!(few, all);
        all
    }

    const fn harm(torn: bool, damaged: Option<u64>) -> Harm {
        Harm { torn, damaged }
    }

    /// A frame that says nothing, for decoders to pass.
    fn skippable(length: u8) -> Vec<u8> {
        let mut frame = vec![0x5A, 0x2A, 0x4D, 0x18, length, 0, 0, 0];
        frame.resize(frame.len() + usize::from(length), 0xFF);
        frame
    }

    #[test]
    fn whole_frames_are_one_text() {
        assert_eq!(salvage(b"", true), (String::new(), Harm::default()));
        let frames = [
            skippable(3),
            pack("a\n"),
            skippable(0),
            pack("b\n"),
            pack(""),
        ]
        .concat();
        assert_eq!(salvage(&frames, true), ("a\nb\n".into(), Harm::default()));
    }

    #[test]
    fn garbage_costs_itself() {
        let (one, two) = (pack("a\n"), pack("b\n"));
        let at = Some(one.len() as u64);
        let behind = [&one[..], b"garbage"].concat();
        assert_eq!(salvage(&behind, true), ("a\n".into(), harm(false, at)));
        let between = [&one[..], b"garbage", &two].concat();
        assert_eq!(
            salvage(&between, true),
            ("a\n\nb\n".into(), harm(false, at))
        );
        assert_eq!(salvage(&between, false), ("a\n".into(), harm(false, at)));
        let before = [b"garbage", &one[..]].concat();
        assert_eq!(
            salvage(&before, true),
            ("\na\n".into(), harm(false, Some(0)))
        );
        assert_eq!(
            salvage(b"garbage", true),
            (String::new(), harm(false, Some(0)))
        );
    }

    /// Also where everything arrives at once, the blocks before the damaged one are kept.
    #[test]
    fn a_damaged_frame_is_read_up_to_the_damage() {
        let mut lines = String::new();
        for number in 0..60_000_u32 {
            let _ = writeln!(lines, "{:x}", number.wrapping_mul(0x9E37_79B9));
        }
        let mut frame = pack(&lines);
        let last = frame.len() - 40;
        frame[last..].fill(0xFF);
        let all = [&frame[..], &pack("b\n")].concat();
        let (text, harm) = salvage(&all, true);
        let kept = text.strip_suffix("\nb\n").unwrap();
        assert!(
            kept.len() > lines.len() / 2 && lines.starts_with(kept),
            "{}",
            kept.len()
        );
        assert_eq!(harm.damaged, Some(0));
    }

    #[test]
    fn a_cut_is_told_from_damage() {
        let (one, two) = (pack("a\n"), pack("b\n"));
        let cut = [&one[..], &two[..two.len() - 3]].concat();
        let (text, met) = salvage(&cut, true);
        assert!(text.starts_with("a\n"));
        assert_eq!(met, harm(true, None));
    }

    proptest! {
        /// Whatever the bytes are: it ends, and what is before the damage is there.
        #[test]
        fn any_bytes_end(garbage in prop::collection::vec(any::<u8>(), 1..200), magic in 0_usize..200) {
            let mut bytes = pack("a\n");
            bytes.extend_from_slice(&garbage);
            let at = bytes.len() - magic.min(garbage.len());
            bytes.splice(at..at, MAGIC);
            let (text, met) = salvage(&bytes, true);
            prop_assert!(text.starts_with("a\n"));
            prop_assert!(met != Harm::default() || text.len() > 2);
        }
    }
}

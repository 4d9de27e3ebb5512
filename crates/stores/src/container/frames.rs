use std::io::{self, BufRead, BufReader, Read, Seek};

/// Where the frames of a log lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frames {
    /// How many are whole.
    pub(crate) whole: u64,
    /// Where the first whole frame ends; 0 when there is none.
    pub(crate) first_end: u64,
    /// Where the last whole frame ends. What follows is a frame that was being written.
    pub(crate) end: u64,
}

/// Why a structural scan failed.
#[derive(Debug)]
pub(crate) enum FrameFault {
    /// Something that no writer of session logs leaves behind: a wrong magic number, a skippable
    /// frame, reserved bits. The offset is that of the frame.
    Damaged { offset: u64 },
    /// The operating system refused.
    Io(io::Error),
}

impl From<io::Error> for FrameFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

pub(super) const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

impl Frames {
    /// Finds the frames among the first `length` bytes of a log, at most `most` of them.
    ///
    /// Nothing is unpacked; blocks are passed by their length.
    pub(crate) fn scan<R: Read + Seek>(
        log: &mut BufReader<R>,
        length: u64,
        most: u64,
    ) -> Result<Self, FrameFault> {
        let mut cursor = Cursor { log, at: 0, length };
        let mut frames = Self {
            whole: 0,
            first_end: 0,
            end: 0,
        };
        while frames.whole < most && cursor.frame()? {
            frames.whole += 1;
            frames.end = cursor.at;
            if frames.whole == 1 {
                frames.first_end = cursor.at;
            }
        }
        Ok(frames)
    }
}

/// A place in the file. Running out of bytes is not an error here but the end of the whole frames,
/// so reads give `None`.
struct Cursor<'a, R> {
    log: &'a mut BufReader<R>,
    at: u64,
    length: u64,
}

impl<R: Read + Seek> Cursor<'_, R> {
    /// Passes one frame; `false` when the bytes run out inside it.
    fn frame(&mut self) -> Result<bool, FrameFault> {
        let offset = self.at;
        Ok(self.try_frame(offset)?.is_some())
    }

    fn try_frame(&mut self, offset: u64) -> Result<Option<()>, FrameFault> {
        let damaged = Err(FrameFault::Damaged { offset });
        let Some(magic) = self.take::<4>()? else {
            return Ok(None);
        };
        if magic != MAGIC {
            return damaged;
        }
        let Some([descriptor]) = self.take::<1>()? else {
            return Ok(None);
        };
        // The unused bit may be anything to a decoder; writers leave it clear, and a set one is
        // taken as damage, as the reference does.
        if descriptor & 0x18 != 0 {
            return damaged;
        }
        if self.skip(header_rest(descriptor))?.is_none() {
            return Ok(None);
        }
        loop {
            let Some([low, middle, high]) = self.take::<3>()? else {
                return Ok(None);
            };
            let header = u32::from_le_bytes([low, middle, high, 0]);
            let size = u64::from(header >> 3);
            let payload = match (header >> 1) & 3 {
                0 | 2 => size,
                1 => 1,
                _ => return damaged,
            };
            if self.skip(payload)?.is_none() {
                return Ok(None);
            }
            if header & 1 == 1 {
                break;
            }
        }
        let checksum = if descriptor & 0x04 == 0 { 0 } else { 4 };
        self.skip(checksum)
    }

    fn take<const N: usize>(&mut self) -> Result<Option<[u8; N]>, FrameFault> {
        if self.length - self.at < N as u64 {
            return Ok(None);
        }
        let mut bytes = [0; N];
        match self.log.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(Some(bytes))
            }
            // The file has shrunk since its length was taken.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn skip(&mut self, count: u64) -> Result<Option<()>, FrameFault> {
        if self.length - self.at < count {
            return Ok(None);
        }
        self.log
            .seek_relative(i64::try_from(count).unwrap_or(i64::MAX))?;
        self.at += count;
        Ok(Some(()))
    }
}

/// How long a frame header is behind its descriptor byte.
const fn header_rest(descriptor: u8) -> u64 {
    let single_segment = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][(descriptor & 3) as usize];
    let content_size = match descriptor >> 6 {
        0 => single_segment as u64,
        1 => 2,
        2 => 4,
        _ => 8,
    };
    dictionary + content_size + !single_segment as u64
}

/// A reader of a file's first bytes.
pub(super) fn prefix<R: BufRead>(log: R, length: u64) -> io::Take<R> {
    log.take(length)
}

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use zstd::stream::read::Decoder;

use super::frames::{FrameFault, Frames, prefix};

/// The largest window a frame may ask for, as a power of two: what decoders take by default.
pub(super) const WINDOW_LOG: u32 = 27;
/// The longest header line.
const HEADER: u64 = 16 << 20;

/// The text of the whole frames of a log, unpacked while it is read.
///
/// A frame that cannot be unpacked, or whose checksum is wrong, is a read error of kind
/// [`io::ErrorKind::InvalidData`] or `Other`.
pub(crate) struct Unpacked<R: BufRead> {
    decoder: Decoder<'static, io::Take<R>>,
}

impl<R: BufRead> Unpacked<R> {
    /// Unpacks the frames in the first `length` bytes.
    pub(crate) fn new(log: R, length: u64) -> io::Result<Self> {
        let mut decoder = Decoder::with_buffer(prefix(log, length))?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Self { decoder })
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(out)
    }
}

/// What the first frame of a log holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeaderText {
    /// One line, its LF taken off.
    Line(Vec<u8>),
    /// The file ends inside the frame, or has none.
    Missing,
    /// Something else: no line, several, or a frame that cannot be unpacked.
    Other(&'static str),
}

/// Reads the header line: the text of the first frame, which is that line and nothing else.
pub(crate) fn header_text<R: Read + Seek>(
    log: &mut BufReader<R>,
    length: u64,
) -> Result<HeaderText, FrameFault> {
    log.rewind()?;
    let frames = Frames::scan(log, length, 1)?;
    if frames.whole == 0 {
        return Ok(HeaderText::Missing);
    }
    log.rewind()?;
    let mut text = Vec::new();
    let unpacked = Unpacked::new(log, frames.first_end)
        .and_then(|unpacked| unpacked.take(HEADER + 1).read_to_end(&mut text));
    Ok(match unpacked {
        Err(_) => HeaderText::Other("the header frame cannot be unpacked"),
        Ok(_) if text.len() as u64 > HEADER => HeaderText::Other("the header frame is too large"),
        Ok(_) if memchr::memchr(b'\n', &text) == text.len().checked_sub(1) && !text.is_empty() => {
            text.pop();
            HeaderText::Line(text)
        }
        Ok(_) => HeaderText::Other("the header frame is not exactly one line"),
    })
}

/// The text that can be saved of the frame at `start`, which the first `length` bytes of the log
/// cut off: whole blocks, and the part of a stored block that is there. Nothing, if what is there
/// cannot be unpacked.
///
/// Unpacks twice, since whether it fails shows only at the end.
pub(crate) fn torn_text<R: BufRead + Seek>(
    mut log: R,
    start: u64,
    length: u64,
) -> io::Result<Option<Torn<R>>> {
    let mut trial = Torn::open(&mut log, start, length)?;
    let failed = io::copy(&mut trial, &mut io::sink()).is_err();
    drop(trial);
    if failed {
        return Ok(None);
    }
    Torn::open(log, start, length).map(Some)
}

/// The text of a frame that is cut off, which ends where the bytes do.
pub(crate) struct Torn<R: BufRead> {
    decoder: Decoder<'static, io::Take<R>>,
}

impl<R: BufRead + Seek> Torn<R> {
    fn open(mut log: R, start: u64, length: u64) -> io::Result<Self> {
        log.seek(SeekFrom::Start(start))?;
        let bytes = prefix(log, length.saturating_sub(start));
        let mut decoder = Decoder::with_buffer(bytes)?.single_frame();
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Self { decoder })
    }
}

impl<R: BufRead> Read for Torn<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.decoder.read(out) {
            // The decoder waits for bytes that were never written.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

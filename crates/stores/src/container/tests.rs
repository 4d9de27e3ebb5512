use std::io::{BufReader, Cursor, Read as _};

use super::*;

const HEADER: &[u8] = b"the header\n";

/// A frame as a writer makes it: compressed, with a checksum.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut encoder, text).unwrap();
    encoder.finish().unwrap()
}

/// A frame by hand, of blocks that are stored or of one byte repeated: `descriptor`, the rest of
/// the header, blocks of type and content, then the tail.
fn by_hand(descriptor: u8, header: &[u8], blocks: &[(u32, u32, &[u8])], tail: &[u8]) -> Vec<u8> {
    let mut out = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    out.push(descriptor);
    out.extend(header);
    for (at, (kind, size, payload)) in blocks.iter().enumerate() {
        let last = u32::from(at + 1 == blocks.len());
        let header = last | kind << 1 | size << 3;
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(*payload);
    }
    out.extend(tail);
    out
}

fn reader(bytes: &[u8]) -> BufReader<Cursor<&[u8]>> {
    BufReader::with_capacity(64, Cursor::new(bytes))
}

fn scan(bytes: &[u8]) -> Result<Frames, u64> {
    match Frames::scan(&mut reader(bytes), bytes.len() as u64, u64::MAX) {
        Ok(frames) => Ok(frames),
        Err(FrameFault::Damaged { offset }) => Err(offset),
        Err(FrameFault::Io(error)) => panic!("{error}"),
    }
}

fn header(bytes: &[u8]) -> HeaderText {
    header_text(&mut reader(bytes), bytes.len() as u64).unwrap()
}

fn torn(bytes: &[u8], start: usize) -> Option<String> {
    let torn = torn_text(reader(bytes), start as u64, bytes.len() as u64).unwrap();
    torn.map(|mut torn| {
        let mut text = String::new();
        torn.read_to_string(&mut text).unwrap();
        text
    })
}

/// 4.5: running out of bytes anywhere ends the whole frames at the last one's end, and nothing is
/// damage because of it.
#[test]
fn a_cut_leaves_the_frames_before_it() {
    let parts = [frame(HEADER), frame(b"one\n"), frame(&vec![b'x'; 300_000])];
    let ends: Vec<usize> = (1..=3).map(|count| parts[..count].concat().len()).collect();
    let bytes = parts.concat();
    for cut in 0..=bytes.len() {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        let frames = scan(&bytes[..cut]).unwrap();
        assert_eq!(frames.whole, whole as u64, "cut at {cut}");
        let end = whole.checked_sub(1).map_or(0, |at| ends[at]);
        assert_eq!(frames.end, end as u64, "cut at {cut}");
        let first = if whole == 0 { 0 } else { ends[0] };
        assert_eq!(frames.first_end, first as u64, "cut at {cut}");
    }
    let first = Frames::scan(&mut reader(&bytes), bytes.len() as u64, 1).unwrap();
    assert_eq!((first.whole, first.end), (1, ends[0] as u64));
}

/// A file that is shorter than it was when its length was taken.
#[test]
fn a_file_that_shrinks_is_cut() {
    let (one, other) = (frame(HEADER), frame(b"one\n"));
    let bytes = [&one[..], &other[..3]].concat();
    let length = (one.len() + other.len()) as u64;
    let frames = Frames::scan(&mut reader(&bytes), length, u64::MAX).unwrap();
    assert_eq!((frames.whole, frames.end), (1, one.len() as u64));
}

/// 4.5: the descriptor tells how long a header is, and each kind of block how long its payload.
#[test]
fn frames_of_every_shape_are_passed() {
    let blocks: &[(u32, u32, &[u8])] = &[(0, 3, b"abc"), (1, 1000, b"x"), (0, 0, b"")];
    for (descriptor, rest, tail) in [
        (0x00, 1, 0), // a window
        (0x20, 1, 0), // one segment, so a size of one byte
        (0x21, 2, 0), // a dictionary of one byte
        (0x02, 3, 0),
        (0x03, 5, 0),
        (0x40, 3, 0), // a window and sizes of 2, 4, 8 bytes
        (0x80, 5, 0),
        (0xC0, 9, 0),
        (0xE7, 12, 4), // the longest header, and a checksum
    ] {
        let bytes = by_hand(descriptor, &vec![0; rest], blocks, &vec![0; tail]);
        let frames = scan(&bytes).unwrap();
        assert_eq!(
            (frames.whole, frames.end),
            (1, bytes.len() as u64),
            "{descriptor:#x}"
        );
        assert_eq!(scan(&bytes[..bytes.len() - 1]).unwrap().whole, 0);
    }
}

/// 4.5 [z06, z15]
#[test]
fn what_is_no_frame_is_damage() {
    let good = frame(HEADER);
    for (bad, why) in [
        (b"nofr".to_vec(), "another magic number"),
        (
            [&0x184D_2A50_u32.to_le_bytes()[..], &[0; 4]].concat(),
            "a skippable frame",
        ),
        (by_hand(0x08, &[0], &[], b""), "the reserved bit"),
        (by_hand(0x10, &[0], &[], b""), "the unused bit"),
        (
            by_hand(0x00, &[0], &[(3, 0, b"")], b""),
            "the reserved type of block",
        ),
    ] {
        assert_eq!(scan(&bad), Err(0), "{why}");
        let behind = [good.clone(), bad].concat();
        assert_eq!(scan(&behind), Err(good.len() as u64), "{why}");
    }
}

/// 4.4: the first frame is one line [P:zstd-*, z23, z24].
#[test]
fn a_header_is_one_line_in_a_frame() {
    assert_eq!(
        header(&frame(HEADER)),
        HeaderText::Line(b"the header".to_vec())
    );
    let followed = [frame(HEADER), b"no frame".to_vec()].concat();
    assert_eq!(header(&followed), HeaderText::Line(b"the header".to_vec()));
    assert_eq!(header(b""), HeaderText::Missing);
    let whole = frame(HEADER);
    for cut in 0..whole.len() {
        assert_eq!(header(&whole[..cut]), HeaderText::Missing, "cut at {cut}");
    }
    let mut wrong = whole;
    *wrong.last_mut().unwrap() ^= 1;
    assert_eq!(
        header(&wrong),
        HeaderText::Other("the header frame cannot be unpacked")
    );
    for text in [&b""[..], b"\n\n", b"one", b"one\ntwo\n", b"one\ntwo"] {
        assert_eq!(
            header(&frame(text)),
            HeaderText::Other("the header frame is not exactly one line"),
            "{text:?}"
        );
    }
}

/// 4.5 [z02–z05, z26–z28]: of what is cut off, whole blocks and the part of a stored one.
#[test]
fn a_torn_frame_gives_what_its_blocks_hold() {
    let stored = by_hand(0, &[0x38], &[(0, 4, b"one\n"), (0, 6, b"two\nth")], b"");
    for (length, text) in [
        (stored.len(), "one\ntwo\nth"),
        (stored.len() - 2, "one\ntwo\n"),
        (stored.len() - 6, "one\n"),
        (stored.len() - 8, "one\n"), // inside the second block's header
        (stored.len() - 10, "one"),
        (6, ""), // the frame's header alone
        (2, ""), // inside the magic number
    ] {
        assert_eq!(
            torn(&stored[..length], 0).as_deref(),
            Some(text),
            "{length} bytes"
        );
    }
    let repeated = by_hand(0, &[0x38], &[(1, 5, b"x"), (0, 3, b"abc")], b"");
    assert_eq!(
        torn(&repeated[..repeated.len() - 1], 0).as_deref(),
        Some("xxxxxab")
    );
    // A compressed block gives all or nothing; the checksum is not needed.
    let packed = frame(b"one two one two one two one two\n");
    let cut = &packed[..packed.len() - 4];
    assert_eq!(
        torn(cut, 0).as_deref(),
        Some("one two one two one two one two\n")
    );
    assert_eq!(torn(&cut[..cut.len() - 1], 0).as_deref(), Some(""));
    let waiting = by_hand(
        0,
        &[0x38],
        &[(0, 4, b"one\n"), (2, 9, b"\xFF\xFF\xFF")],
        b"",
    );
    assert_eq!(torn(&waiting, 0).as_deref(), Some("one\n"));
    // What cannot be unpacked gives nothing, not even what came before.
    let blocks: &[(u32, u32, &[u8])] = &[(0, 4, b"one\n"), (2, 3, b"\xFF\xFF\xFF"), (0, 9, b"")];
    assert_eq!(torn(&by_hand(0, &[0x38], blocks, b""), 0), None);
    // It starts where it is told to.
    let behind = [frame(HEADER), stored].concat();
    let start = frame(HEADER).len();
    assert_eq!(torn(&behind, start).as_deref(), Some("one\ntwo\nth"));
}

/// Whole frames are one text, whatever they hold.
#[test]
fn whole_frames_are_one_text() {
    let bytes = [frame(b"on"), frame(b""), frame(b"e\ntwo\n"), frame(b"x")].concat();
    let end = scan(&bytes).unwrap().end;
    let mut text = String::new();
    let mut unpacked = Unpacked::new(reader(&bytes), end).unwrap();
    unpacked.read_to_string(&mut text).unwrap();
    assert_eq!(text, "one\ntwo\nx");
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let mut unpacked = Unpacked::new(reader(&wrong), end).unwrap();
    assert!(unpacked.read_to_string(&mut text).is_err());
}

/// A window that a decoder takes by default, and no larger one: memory is what a frame can ask for.
#[test]
fn windows_have_a_limit() {
    let window = |exponent: u8| by_hand(0, &[exponent << 3], &[(0, 4, b"one\n")], b"");
    assert_eq!(header(&window(17)), HeaderText::Line(b"one".to_vec()));
    assert_eq!(
        header(&window(18)),
        HeaderText::Other("the header frame cannot be unpacked")
    );
}

/// The text of a frame that says much with little is not kept: a header is read up to its limit.
#[test]
fn a_header_that_unpacks_to_much_is_refused() {
    let bomb = frame(&vec![b'x'; 64 << 20]);
    assert!(bomb.len() < (64 << 20) / 1000);
    assert_eq!(
        header(&bomb),
        HeaderText::Other("the header frame is too large")
    );
}

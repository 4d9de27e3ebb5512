//! Logs packed with Zstandard, whole, torn, damaged and hostile (`spec/dsh-store.md` 4.5).

use std::fmt::Write as _;

use sref_stores::dsh::{DshOptions, Encoding};
use sref_stores::{CancellationToken, Store, StoreError, StoreErrorKind};

use crate::support::{APPEND, Home, event, header, user};

/// A frame as a writer makes it.
pub(crate) fn frame(text: impl AsRef<[u8]>) -> Vec<u8> {
    packed(text.as_ref(), 3, true)
}

fn packed(text: &[u8], level: i32, checksum: bool) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level).unwrap();
    encoder.include_checksum(checksum).unwrap();
    std::io::Write::write_all(&mut encoder, text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of stored blocks without a checksum.
fn stored(blocks: &[&str]) -> Vec<u8> {
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x38];
    for (at, block) in blocks.iter().enumerate() {
        let last = u32::from(at + 1 == blocks.len());
        let header = last | u32::try_from(block.len()).unwrap() << 3;
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(block.bytes());
    }
    out
}

fn words(seq: u64) -> String {
    let text = format!("message {seq}").as_str().into();
    event(seq, "user/message", &user(&text), APPEND)
}

/// Three events: a turn of one message.
fn turn(seq: u64) -> String {
    let end = r#"{"turn":1,"reason":{"kind":"completed"}}"#;
    event(seq, "turn/start", r#"{"turn":1}"#, "")
        + &words(seq + 1)
        + &event(seq + 2, "turn/end", end, "")
}

/// Lines that do not pack well, so that they fill several blocks.
fn large(from: u64, count: u64) -> String {
    let mut state = 1_u64;
    let mut line = |seq| {
        let mut noise = String::new();
        for _ in 0..64 {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let _ = write!(noise, "{:016x}", state ^ state >> 31);
        }
        event(seq, "user/message", &user(&noise.as_str().into()), APPEND)
    };
    (from..from + count).map(&mut line).collect()
}

fn cut(mut bytes: Vec<u8>, off: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - off);
    bytes
}

/// What comes of a log.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// It is read, up to this event.
    Read(Option<u64>),
    /// It is not listed.
    Absent,
    Refused(StoreErrorKind),
}

/// Reads the frames as a log, as the reference is configured for them, and isolating.
fn outcomes(frames: &[Vec<u8>]) -> [Outcome; 2] {
    let home = Home::new();
    let path = home.log("s").with_extension("jsonl.zstd");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, frames.concat()).unwrap();
    [DshOptions::strict(Encoding::Zstd), DshOptions::default()].map(|options| {
        let store = home.open(options);
        match store.surface(&"s".into(), &CancellationToken::new()) {
            Ok(Some(surface)) => Outcome::Read(surface.captured_through_seq),
            Ok(None) => Outcome::Absent,
            Err(error) => Outcome::Refused(error.kind()),
        }
    })
}

/// What each recorded case shows, with bytes of our own.
#[expect(clippy::too_many_lines, reason = "one table")]
#[test]
fn each_way_to_end_a_file() {
    use Outcome::{Absent, Read, Refused};
    let damaged = || Refused(StoreErrorKind::Damaged);
    let head = || frame(header("s", 1));
    let first = || frame(turn(0));
    let broken = |mut bytes: Vec<u8>, at: usize| {
        bytes[at] ^= 0x55;
        bytes
    };
    let open = event(3, "turn/start", r#"{"turn":2}"#, "");
    let end = event(
        9,
        "turn/end",
        r#"{"turn":2,"reason":{"kind":"completed"}}"#,
        "",
    );
    let unknown = event(3, "acme/unknown", "{}", "");
    let second = turn(3);
    let (one, two) = second.split_at(10);
    let split = [frame(one), frame(two)].concat();
    let three = [words(3), words(4), words(5)];
    let half = &three[2][..20];
    let cases: Vec<(&str, Vec<Vec<u8>>, Outcome)> = vec![
        ("z01 the header alone", vec![head()], Read(None)),
        (
            "z03 cut inside the first block",
            vec![head(), first(), cut(frame(large(3, 100)), 30_000)],
            Read(Some(2)),
        ),
        (
            "z04 half a magic number",
            vec![head(), first(), vec![0x28, 0xB5]],
            Read(Some(2)),
        ),
        (
            "z04 fewer than four bytes, whatever they are",
            vec![head(), first(), b"abc".to_vec()],
            Read(Some(2)),
        ),
        (
            "z05 cut inside the checksum",
            vec![head(), first(), cut(frame(turn(3)), 2)],
            Read(Some(5)),
        ),
        (
            "z06 other bytes behind the frames",
            vec![head(), first(), b"garbage".to_vec()],
            damaged(),
        ),
        (
            "z07 the last checksum is wrong",
            vec![head(), broken(first(), frame(turn(0)).len() - 1)],
            damaged(),
        ),
        (
            "z08 a frame in the middle is broken",
            vec![head(), broken(first(), 30), frame(turn(3))],
            damaged(),
        ),
        (
            "z09 a line over two frames",
            vec![head(), first(), split],
            Read(Some(5)),
        ),
        (
            "z10 whole frames that end inside a line",
            vec![head(), first(), frame("{\"type\"")],
            damaged(),
        ),
        (
            "z11 a bad line in a whole frame",
            vec![head(), first(), frame("nonsense\n")],
            damaged(),
        ),
        (
            "z12 a gap in a whole frame",
            vec![head(), first(), frame(words(7))],
            damaged(),
        ),
        (
            "z13 no checksums",
            vec![
                packed(header("s", 1).as_bytes(), 3, false),
                packed(turn(0).as_bytes(), 3, false),
            ],
            Read(Some(2)),
        ),
        (
            "z14 empty frames",
            vec![head(), frame(""), first(), frame(""), frame(turn(3))],
            Read(Some(5)),
        ),
        (
            "z15 a skippable frame",
            vec![head(), vec![0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], first()],
            damaged(),
        ),
        (
            "z16 level 19",
            vec![head(), packed(turn(0).as_bytes(), 19, true)],
            Read(Some(2)),
        ),
        (
            "z17 an open turn",
            vec![head(), first(), frame(&open)],
            Read(Some(4)),
        ),
        (
            "z18 a torn frame in an open turn",
            vec![head(), first(), cut(frame(open.clone() + &words(4)), 4)],
            Read(Some(5)),
        ),
        (
            "z19 a torn frame with a bad line",
            vec![
                head(),
                first(),
                cut(frame(three[0].clone() + "nonsense\n" + &words(4)), 4),
            ],
            Read(Some(3)),
        ),
        (
            "z20 and a turn/end behind it",
            vec![
                head(),
                first(),
                cut(frame(three[0].clone() + "nonsense\n" + &end), 4),
            ],
            damaged(),
        ),
        (
            "z21 another format",
            vec![
                frame(header("s", 1).replace("\"version\":0", "\"version\":2")),
                first(),
            ],
            Refused(StoreErrorKind::Unsupported),
        ),
        (
            "z22 an unknown type",
            vec![head(), first(), frame(unknown)],
            Refused(StoreErrorKind::Unsupported),
        ),
        ("z23 a torn header", vec![cut(head(), 1)], Absent),
        ("z24 an empty file", vec![], Absent),
        (
            "z25 a line that is no header",
            vec![frame("{\"type\":\"turn/start\"}\n")],
            Absent,
        ),
        (
            "z26 a torn stored block",
            vec![head(), first(), cut(stored(&[&three.concat()]), 3)],
            Read(Some(4)),
        ),
        (
            "z27 a torn second stored block",
            vec![
                head(),
                first(),
                cut(
                    stored(&[&(three[0].clone() + &three[1] + half), &three[2][20..]]),
                    3,
                ),
            ],
            Read(Some(4)),
        ),
        (
            "z27 which ends at the end of its line",
            vec![
                head(),
                first(),
                cut(
                    stored(&[
                        &(three[0].clone() + &three[1] + half),
                        &(three[2][20..].to_owned() + "x"),
                    ]),
                    1,
                ),
            ],
            Read(Some(5)),
        ),
        (
            "z28 cut inside the second block's header",
            vec![head(), first(), cut(stored(&[&three[0], "xyz"]), 4)],
            Read(Some(3)),
        ),
    ];
    for (name, frames, expected) in cases {
        let [strict, isolating] = outcomes(&frames);
        assert_eq!(strict, expected, "{name}");
        assert_eq!(isolating, expected, "{name}");
    }
}

/// [z02]: whole blocks of a torn frame are kept, up to the last whole line in them.
#[test]
fn whole_blocks_of_a_torn_frame_are_kept() {
    let count = 400;
    let frames = [frame(header("s", 1)), frame(large(0, count))];
    let length = frames[1].len();
    let mut last = None;
    for off in [length - 100, length - 100_000, length / 2, 1000, 1] {
        let frames = [frames[0].clone(), cut(frames[1].clone(), off)];
        let [strict, isolating] = outcomes(&frames);
        assert_eq!(strict, isolating);
        let Outcome::Read(seq) = strict else {
            panic!("{strict:?}");
        };
        assert!(seq >= last, "{off} bytes off");
        last = seq;
        if off == length / 2 {
            assert!(
                seq > Some(count / 4) && seq < Some(count * 3 / 4),
                "{seq:?}"
            );
        }
    }
    assert_eq!(last, Some(count - 1));
}

/// A log that is unpacked ahead of its reader ends in the same ways as one that is not.
#[test]
fn a_large_log_ends_as_a_small_one() {
    let damaged = || Outcome::Refused(StoreErrorKind::Damaged);
    let log = || {
        let body = (0..10).map(|at| frame(large(at * 100, 100)));
        let log: Vec<_> = std::iter::once(frame(header("s", 1))).chain(body).collect();
        assert!(log.concat().len() > 512 << 10);
        log
    };
    let changed = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut log = log();
        change(&mut log);
        let [strict, isolating] = outcomes(&log);
        assert_eq!(strict, isolating);
        strict
    };
    assert_eq!(changed(&|_| {}), Outcome::Read(Some(999)));
    let cut_off = changed(&|log| log[10].truncate(1000));
    assert_eq!(cut_off, Outcome::Read(Some(899)));
    for at in [1, 7, 10] {
        assert_eq!(changed(&|log| log[at][5000] ^= 0x55), damaged());
        assert_eq!(changed(&|log| log[at] = frame("nonsense\n")), damaged());
    }

    let home = Home::new();
    let path = home.log("s").with_extension("jsonl.zstd");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, log().concat()).unwrap();
    let store = home.open(DshOptions::default());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = store.surface(&"s".into(), &cancel).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Cancelled);
}

/// Text that a frame of a thousandth of it holds costs the time to unpack it, and no memory.
#[cfg(target_os = "linux")]
#[test]
fn a_frame_that_says_much_with_little_costs_no_memory() {
    const SIZE: usize = 64 << 20;
    let kind = std::env::var("SREF_TEST_BOMB").unwrap_or_default();
    if kind.is_empty() {
        // In a process of its own: memory is told of processes alone.
        for kind in ["header", "line", "text", "torn"] {
            let status = std::process::Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "frames::a_frame_that_says_much_with_little_costs_no_memory",
                ])
                .env("SREF_TEST_BOMB", kind)
                .status()
                .unwrap();
            assert!(status.success(), "{kind}");
        }
        return;
    }
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    if kind == "text" {
        let start = event(
            0,
            "tool/result",
            r#"{"message":{"id":"t","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"#,
            "",
        );
        std::io::Write::write_all(
            &mut encoder,
            start
                .split_once(",\"surfaceOp")
                .map_or(&*start, |(start, _)| start)
                .trim_end_matches("}\n")
                .as_bytes(),
        )
        .unwrap();
        std::io::Write::write_all(&mut encoder, b"\"").unwrap();
    }
    for _ in 0..SIZE >> 20 {
        std::io::Write::write_all(&mut encoder, &vec![b'x'; 1 << 20]).unwrap();
    }
    if kind == "text" {
        std::io::Write::write_all(&mut encoder, b"\"}]}]}},\"surfaceOp\":\"append\"}").unwrap();
    }
    std::io::Write::write_all(&mut encoder, b"\n").unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < SIZE / 1000);
    let first = [frame(header("s", 1)), frame(turn(0))].concat();
    let (frames, expected) = match &*kind {
        "header" => (vec![bomb], Outcome::Absent),
        "line" => (vec![first, bomb], Outcome::Refused(StoreErrorKind::TooLong)),
        "text" => (vec![frame(header("s", 1)), bomb], Outcome::Read(Some(0))),
        _ => (vec![first, cut(bomb, 1)], Outcome::Read(Some(2))),
    };
    let before = peak();
    let [_, isolating] = outcomes(&frames);
    assert_eq!(isolating, expected);
    let grown = peak() - before;
    assert!(grown < 48 << 10, "{grown} kB");
}

/// The most memory that this process has had, in kB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().split_whitespace().next().unwrap();
    number.parse().unwrap()
}

/// An error inside a frame says where in the text it is, and quotes nothing.
#[test]
fn damage_has_a_place() {
    let home = Home::new();
    let path = home.log("s").with_extension("jsonl.zstd");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let log = [frame(header("s", 1)), frame(turn(0)), frame("nonsense\n")];
    std::fs::write(path, log.concat()).unwrap();
    let error: StoreError = home.surface("s").unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert_eq!(error.position().map(|at| at.line), Some(4), "{error}");
    assert!(!error.to_string().contains("nonsense"));
}

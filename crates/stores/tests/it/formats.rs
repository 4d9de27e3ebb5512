//! Logs of every format in every encoding: written by a small writer, read back, broken.

mod steps;
mod writer;

use proptest::prelude::*;
use sref_session::{JsString, SurfaceSnapshot};
use sref_stores::dsh::{DshDatabase, DshOptions};
use sref_stores::{CancellationToken, Store, StoreError};

use self::steps::{Step, Tail, step, tail};
use self::writer::Written;
use crate::frames::frame;
use crate::rows::Rows;
use crate::support::{Home, shown};

/// How the last frame of a packed log ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Whole,
    /// So many bytes of its checksum are missing.
    Checksum(usize),
    /// Another frame follows, of a line without an end, and so much of it is there.
    Begun(usize),
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        Just(End::Whole),
        (1_usize..=4).prop_map(End::Checksum),
        any::<usize>().prop_map(End::Begun),
    ]
}

/// The frames of a log: its header, then its text, cut anywhere.
fn pack(written: &Written, cuts: &[usize], end: End) -> Vec<u8> {
    let body = written.body.as_bytes();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (body.len() + 1)).collect();
    if matches!(end, End::Checksum(_)) {
        // Whole frames must end with a line; the last one will not be whole.
        let last = cuts.iter().max().copied().unwrap_or(0);
        let line = body[..last].iter().rposition(|byte| *byte == b'\n');
        let line = line.map_or(0, |at| at + 1);
        for cut in &mut cuts {
            *cut = line.min(*cut);
        }
    }
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    let mut out = frame(written.header());
    for pair in cuts.windows(2) {
        let text = &body[pair[0]..pair[1]];
        // A frame of nothing is one, too.
        out.extend(frame(text));
    }
    match end {
        End::Whole => {}
        End::Checksum(missing) => out.truncate(out.len() - missing),
        End::Begun(at) => {
            let begun = frame(r#"{"type":"turn/end","seq":"#);
            out.extend(&begun[..at % begun.len()]);
        }
    }
    out
}

/// A root that holds the log in a file of this name.
fn home(written: &Written, suffix: &str, log: &[u8]) -> Home {
    let home = Home::new();
    let version = match written.version {
        0 => String::new(),
        version => format!(".v{version}"),
    };
    let path = home
        .log("log")
        .with_file_name(format!("session{version}.jsonl{suffix}"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, log).unwrap();
    home
}

/// A database of schema 17 that holds the log.
fn database(written: &Written, compress_from: usize) -> Home {
    let home = Home::new();
    let rows = Rows::create(&home.root().join(DshDatabase::FILE), 17);
    rows.session("log", 5);
    let change = "UPDATE sessions SET parent_session = ?1, seed_length = ?2";
    let parent = written.is_fork.then_some("parent");
    let values = rusqlite::params![parent, written.seed_length().map(u64::cast_signed)];
    rows.connection.execute(change, values).unwrap();
    for line in written.body.lines() {
        rows.line("log", line, compress_from);
    }
    home
}

type Answer = (SurfaceSnapshot, Option<JsString>);

/// What a store says of the log.
fn ask(store: &dyn Store) -> Result<Option<Answer>, StoreError> {
    let cancel = CancellationToken::new();
    let title = store.titles(&["log".into()], &cancel)?.remove(0);
    let Some(surface) = store.surface(&"log".into(), &cancel)? else {
        return Ok(None);
    };
    let title = title.unwrap();
    Ok(Some((
        surface,
        title.and_then(|title| title.text().cloned()),
    )))
}

fn logs(home: &Home) -> Answer {
    let store = home.open(DshOptions::default());
    ask(&store).unwrap().unwrap()
}

fn rows(home: &Home) -> Answer {
    let store = DshDatabase::open(home.root(), DshOptions::default());
    ask(&store).unwrap().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    /// `spec/dsh-store.md` 1 to 5, `spec/dsh-newer.md` 2 to 9: whatever the format and the encoding,
    /// the surface is the one that the writer had.
    #[test]
    fn every_format_reads_back_from_every_encoding(
        version in 0_u64..=4,
        steps in prop::collection::vec(step(), 0..12),
        tail in tail(),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        end in end(),
        compress_from in prop::sample::select(vec![0, 100, 4096]),
    ) {
        let written = Written::new(version, &steps, tail);
        let plain = logs(&home(&written, "", written.log().as_bytes()));
        prop_assert_eq!(shown(&plain.0), written.shown(), "\n{}", written.log());
        prop_assert_eq!(plain.0.captured_through_seq, written.captured_through());
        prop_assert_eq!(plain.0.captured_format_version, Some(version));
        prop_assert_eq!(plain.1.as_ref(), written.title.as_ref());
        prop_assert_eq!(plain.0.header.parent_session.is_some(), written.is_fork);
        prop_assert_eq!(plain.0.header.seed_length, written.seed_length());
        prop_assert_eq!(plain.0.header.is_seeded, (version >= 2).then_some(written.is_seeded));

        prop_assert!(plain.0.losses.is_empty());

        let log = pack(&written, &cuts, end);
        let is_whole = log == pack(&written, &cuts, End::Whole);
        let mut packed = logs(&home(&written, ".zstd", &log));
        // Nobody can tell what a frame that is not whole still held.
        let losses = std::mem::take(&mut packed.0.losses);
        prop_assert_eq!(losses.is_empty(), is_whole);
        prop_assert_eq!(&packed, &plain);
        if version == 0 {
            let rows = rows(&database(&written, compress_from));
            prop_assert_eq!(&rows, &plain);
        }
    }
}

/// What happens to the bytes of a file.
#[derive(Debug, Clone)]
enum Harm {
    Flip(usize, u8),
    Cut(usize),
    /// So many bytes from here on twice.
    Twice(usize, usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        3 => (any::<usize>(), 0_u8..8).prop_map(|(at, bit)| Harm::Flip(at, bit)),
        1 => any::<usize>().prop_map(Harm::Cut),
        1 => (any::<usize>(), 1_usize..5000).prop_map(|(at, length)| Harm::Twice(at, length)),
    ]
}

fn spoil(bytes: &mut Vec<u8>, harm: &Harm) {
    match harm {
        _ if bytes.is_empty() => {}
        Harm::Flip(at, bit) => {
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
        }
        Harm::Cut(at) => bytes.truncate(at % bytes.len()),
        Harm::Twice(at, length) => {
            let at = at % bytes.len();
            let end = (at + length).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}

/// Asks everything of a store whose bytes are broken, and looks at what it says.
fn survives(store: &dyn Store) {
    let cancel = CancellationToken::new();
    let check = |error: &StoreError| {
        let text = error.to_string();
        assert!(text.len() < 400, "{text}");
        assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
    };
    match store.list(&cancel) {
        Ok(listing) => {
            for found in listing.diagnostics {
                assert!(!found.code().is_empty());
            }
        }
        Err(error) => check(&error),
    }
    match store.titles(&["log".into()], &cancel) {
        Ok(titles) => {
            assert_eq!(titles.len(), 1);
            titles
                .iter()
                .filter_map(|title| title.as_ref().err())
                .for_each(check);
        }
        Err(error) => check(&error),
    }
    match store.surface(&"log".into(), &cancel) {
        Ok(Some(surface)) => {
            // Whatever has become of the text, the numbers are those of a log.
            let last = surface.events.iter().map(|event| event.seq).max();
            assert!(last <= surface.captured_through_seq);
        }
        Ok(None) => {}
        Err(error) => check(&error),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn whatever_is_broken_is_read_or_refused(
        version in 0_u64..=4,
        steps in prop::collection::vec(step(), 1..6),
        tail in tail(),
        cuts in prop::collection::vec(any::<usize>(), 0..3),
        harms in prop::collection::vec(harm(), 1..4),
    ) {
        let written = Written::new(version, &steps, tail);
        let spoilt = |mut bytes: Vec<u8>| {
            for harm in &harms {
                spoil(&mut bytes, harm);
            }
            bytes
        };
        for (suffix, log) in [
            ("", written.log().into_bytes()),
            (".zstd", pack(&written, &cuts, End::Whole)),
        ] {
            let home = home(&written, suffix, &spoilt(log));
            let store = home.open(DshOptions::default());
            survives(&store);
            let listing = store.list(&CancellationToken::new()).unwrap();
            prop_assert_eq!(listing.sessions.len() + listing.diagnostics.len(), 1);
        }
        if version == 0 {
            let home = database(&written, 100);
            let path = home.root().join(DshDatabase::FILE);
            let bytes = spoilt(std::fs::read(&path).unwrap());
            std::fs::write(&path, bytes).unwrap();
            survives(&DshDatabase::open(&path, DshOptions::default()));
        }
    }
}

/// The writer writes what it should: each kind of event occurs in the formats that have it, and
/// what tells the formats apart is there.
#[test]
fn the_writer_knows_the_formats() {
    let text = JsString::from("x");
    let turn = Step::Turn {
        words: text.clone(),
        answer: text.clone(),
        chunks: 4,
        calls: 1,
        sources: true,
    };
    let steps = [
        Step::System {
            text: text.clone(),
            rewrite: false,
        },
        turn,
        Step::Developer,
        Step::Prune(0),
        Step::EndOfSeed { inherited: true },
        Step::Compaction {
            from: 1,
            length: 9,
            summary: text,
            ranges: true,
            by_assistant: false,
        },
    ];
    for (version, there, not_there) in [
        (
            0,
            "\"text-chunks\"|\"start\":|[[|\"seedLength\"|\"compact\"",
            "system/message|\"stream\"|isSeeded",
        ),
        (
            1,
            "\"text-chunks\"|\"start\":|\"seedLength\"|\"compact\"",
            "system/message|\"stream\"|isSeeded",
        ),
        (
            2,
            "assistant/attempt|\"start\":|\"isSeeded\":true|\"compact\"",
            "seq0|system/message|seedLength",
        ),
        (
            3,
            "system/message|\"startSeq\":|\"isSeeded\":true|\"compact\"|tool-result",
            "seq0|developer/message|\"start\":",
        ),
        (
            4,
            "system/message|developer/message|\"startSeq\":|compact-checkpoint|\"role\":\"tool\"",
            "\"plugin\"|tool-result",
        ),
    ] {
        let log = Written::new(version, &steps, Tail::Closed).log();
        for piece in there.split('|') {
            assert!(log.contains(piece), "{version}: no {piece} in\n{log}");
        }
        for piece in not_there.split('|') {
            assert!(!log.contains(piece), "{version}: {piece} in\n{log}");
        }
    }
}

use std::io::{self, Read};

use proptest::prelude::*;

use super::*;

/// A source that gives a few bytes at a time.
struct Dripping<'a>(&'a [u8], usize);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.0 = later;
        Ok(size)
    }
}

fn options(block: usize, cap: usize, long: LongLines) -> LineOptions {
    LineOptions {
        block,
        cap,
        first_cap: cap,
        long,
    }
}

/// What a reader gives: bytes, length on disk, offset, terminated, whole.
type Seen = (Vec<u8>, u64, u64, bool, Wholeness);

fn read(log: &[u8], drip: usize, options: LineOptions) -> Vec<Seen> {
    let mut lines = LineReader::new(Dripping(log, drip), options);
    let mut seen = Vec::new();
    while lines.advance().unwrap() {
        let line = lines.line();
        assert_eq!(line.position.line, seen.len() as u64 + 1);
        seen.push((
            line.bytes.to_vec(),
            line.length,
            line.position.offset,
            line.terminated,
            line.wholeness,
        ));
    }
    assert!(!lines.advance().unwrap());
    seen
}

/// The lines as the rule words it: split at LF, an empty rest is none.
fn model(log: &[u8], cap: usize, head: usize) -> Vec<Seen> {
    let mut offset = 0;
    log.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let terminated = line.ends_with(b"\n");
            let bytes = line.strip_suffix(b"\n").unwrap_or(line);
            let cut = bytes.len() > cap;
            let kept = if cut { head.min(cap) } else { bytes.len() };
            let whole = if cut {
                Wholeness::Cut
            } else {
                Wholeness::Whole
            };
            let seen = (
                bytes[..kept].to_vec(),
                bytes.len() as u64,
                offset,
                terminated,
                whole,
            );
            offset += line.len() as u64;
            seen
        })
        .collect()
}

proptest! {
    /// `spec/agent-logs.md` 1.2 nos. 1 and 3, whatever the blocks.
    #[test]
    fn lines_are_what_stands_between_line_feeds(
        log in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), 0x61_u8..0x64, any::<u8>()], 0..60),
        drip in 1_usize..9,
        block in 1_usize..12,
        cap in 1_usize..20,
        head in 0_usize..12,
    ) {
        let seen = read(&log, drip, options(block, cap, LongLines::Head(head)));
        // A line that reaches the buffer in one piece may be given whole beyond the cap.
        let expected = model(&log, cap, head);
        prop_assert_eq!(seen.len(), expected.len());
        for (seen, expected) in seen.into_iter().zip(expected) {
            if expected.4 == Wholeness::Cut && seen.4 == Wholeness::Whole {
                prop_assert_eq!((seen.0.len() as u64, seen.2, seen.3), (expected.1, expected.2, expected.3));
            } else {
                prop_assert_eq!(seen, expected);
            }
        }
    }

    /// A condensed line says what the line says, wherever the blocks end.
    #[test]
    fn a_line_is_condensed_in_passing(block in 1_usize..4000, tail in "[a-z]{0,9}") {
        let long = "x".repeat(70_000);
        let log = format!("{{\"a\":\"{long}\",\"b\":[1]}}\n{tail}\n");
        let seen = read(log.as_bytes(), usize::MAX, options(block, 100, LongLines::Condense));
        prop_assert_eq!(seen[0].4, Wholeness::Condensed);
        prop_assert_eq!(seen[0].1, log.len() as u64 - tail.len() as u64 - 2);
        let value = sref_session::json::parse(&seen[0].0).unwrap();
        prop_assert_eq!(value.get("b").unwrap().to_json(), "[1]");
        prop_assert_eq!(&seen[1].0[..], tail.as_bytes());
    }
}

#[test]
fn the_first_line_has_its_own_cap() {
    let mut options = options(4, 4, LongLines::Head(2));
    options.first_cap = 40;
    let log = [b"{\"system\":\"long\"}\n".as_slice(), &[b'y'; 30], b"\nz"].concat();
    let seen = read(&log, 3, options);
    assert_eq!(seen[0].4, Wholeness::Whole);
    assert_eq!((seen[1].0.as_slice(), seen[1].1), (&b"yy"[..], 30));
    assert_eq!((seen[2].0.as_slice(), seen[2].3), (&b"z"[..], false));
}

fn records(log: &[u8], repairs: Repairs) -> (Vec<(String, u64)>, Counts) {
    let mut reader = RecordReader::new(log, LineOptions::default(), repairs);
    let mut seen = Vec::new();
    while reader.advance().unwrap() {
        let record = reader.record();
        let text = String::from_utf8_lossy(record.bytes).into_owned();
        seen.push((text, record.position.line));
    }
    (seen, reader.counts())
}

/// Each fault with its repair on, and with all repairs off.
fn check(log: &[u8], expected: &[&str], without: &[&str]) {
    let texts = |repairs| -> Vec<String> {
        let (seen, _) = records(log, repairs);
        seen.into_iter().map(|(text, _)| text).collect()
    };
    assert_eq!(texts(Repairs::ALL), expected, "{}", log.escape_ascii());
    assert_eq!(texts(Repairs::default()), without, "{}", log.escape_ascii());
}

/// `spec/agent-logs.md` 1.2 nos. 1, 2 and 5.
#[test]
fn faults_are_mended_only_when_asked() {
    check(b"{}\r\n \n[1]\n", &["{}", "[1]"], &["{}", "[1]"]);
    check(b"\xEF\xBB\xBF{}\n{}\n", &["{}", "{}"], &["{}"]);
    check(b"{}\n\xEF\xBB\xBF{}\n", &["{}"], &["{}"]);
    check(b"\0\0{}\0\n\0\0\0\n{}\n", &["{}", "{}"], &["{}"]);
    check(b"{\"a\0\":1}\n", &["{\"a\":1}"], &[]);
    check(
        b"{\"p\":\"cut{\"q\":{\"r\":1}}\n",
        &["{\"q\":{\"r\":1}}"],
        &[],
    );
    // Not the inner part of a record that is merely cut off.
    check(b"{\"p\":{\"q\":1}\n{}\n", &["{}"], &["{}"]);
    check(b"{\"p\":[{\"q\":1}\n", &[], &[]);
    check(
        b"{\"a\":\"one\ntwo\r\nthree\"}\n{}\n",
        &["{\"a\":\"one\\ntwo\\r\\nthree\"}", "{}"],
        &["{}"],
    );
    // Too many lines: given up, and none of them lost.
    check(
        b"{\"a\":\"1\n{}\n[2]\n3\n\"}\n{}\n",
        &["{}", "[2]", "3", "{}"],
        &["{}", "[2]", "3", "{}"],
    );
    // Text to this project's JSON, so no fault.
    check(
        b"\"\\ud83d\"\n\"\xFF\"\n",
        &["\"\\ud83d\"", "\"\u{FFFD}\""],
        &["\"\\ud83d\"", "\"\u{FFFD}\""],
    );
}

/// `spec/agent-logs.md` 1.2 no. 5c: every whole record of a line is given, in the middle of a log and at
/// its end, and what is cut off is counted, since it may have been words.
#[test]
fn no_record_of_several_on_a_line_is_lost() {
    let seen = |line: &str| -> [(Vec<String>, u64, bool); 2] {
        [format!("{line}\n[]\n"), line.to_owned()].map(|log| {
            let (seen, counts) = records(log.as_bytes(), Repairs::ALL);
            let seen = seen.into_iter().filter(|(_, number)| *number == 1);
            (
                seen.map(|(text, _)| text).collect(),
                counts.bad,
                counts.incomplete_tail,
            )
        })
    };
    let both = |records: &[&str], bad, tail: (u64, bool)| {
        let records: Vec<String> = records.iter().map(|own| (*own).to_owned()).collect();
        [(records.clone(), bad, false), (records, tail.0, tail.1)]
    };
    let (one, two) = (r#"{"a":"}{"}"#, r#"{"b":{"c":1}}"#);
    let whole = both(&[one, two], 0, (0, false));
    assert_eq!(seen(&format!("{one}{two}")), whole);
    assert_eq!(seen(&format!("{one} \0{two}\r")), whole);
    assert_eq!(
        seen(&format!("{one}{two}{one}")),
        both(&[one, two, one], 0, (0, false))
    );
    let cut = r#"{"a":"cut o"#;
    assert_eq!(seen(&format!("{cut}{two}")), both(&[two], 1, (1, false)));
    assert_eq!(
        seen(&format!("{cut}{two}{one}")),
        both(&[two, one], 1, (1, false))
    );
    assert_eq!(seen(&format!("{one}{cut}")), both(&[one], 1, (0, true)));
    assert_eq!(
        seen(&format!("{one}{cut}{two}")),
        both(&[one, two], 1, (1, false))
    );
    assert_eq!(seen(&format!("{one}no JSON")), both(&[one], 1, (0, true)));
    // A part of a record that is cut off is no record.
    for cut in [
        r#"{"a":{"b":1}"#,
        r#"{"a": {"b":1}"#,
        r#"{"a":[{}, {"b":1}"#,
    ] {
        assert_eq!(seen(cut), both(&[], 1, (0, true)), "{cut}");
    }
    // A string with line ends in it, behind a record.
    let log = format!("{one}{{\"a\":\"x\ny\"}}\n");
    let (seen, counts) = records(log.as_bytes(), Repairs::ALL);
    let texts: Vec<&str> = seen.iter().map(|(text, _)| &**text).collect();
    assert_eq!(texts, [one, r#"{"a":"x\ny"}"#]);
    assert_eq!(counts.bad, 0);
}

/// The time for a line of many records follows its length.
#[test]
fn a_line_of_a_million_records_is_read_once() {
    let (seen, counts) = records("{}".repeat(1 << 20).as_bytes(), Repairs::ALL);
    assert_eq!((seen.len(), counts.bad), (1 << 20, 0));
}

/// `spec/agent-logs.md` 1.2 no. 8: lines that are told by their head are not checked, but for a last
/// one without an end, which may be cut off.
#[test]
fn idle_lines_are_passed_over_and_counted() {
    let log = b"idle {\n{}\nidle\nbad\nidle cut o";
    let mut reader = RecordReader::new(&log[..], LineOptions::default(), Repairs::ALL)
        .passing(|line| line.starts_with(b"idle"));
    let mut seen = Vec::new();
    while reader.advance().unwrap() {
        let record = reader.record();
        let bytes = record.bytes.to_vec();
        seen.push((bytes, record.position.line, record.passed));
    }
    let expected = [("idle {", 1, true), ("{}", 2, false), ("idle", 3, true)]
        .map(|(line, number, passed)| (line.as_bytes().to_vec(), number, passed));
    assert_eq!(seen, expected);
    let counts = reader.counts();
    assert_eq!(
        (counts.records, counts.bad, counts.incomplete_tail),
        (3, 1, true)
    );
}

/// Of a long line that is of no use nothing is kept or looked at but its start.
#[test]
fn long_idle_lines_are_skipped() {
    let long = "x".repeat(50_000);
    let log = format!("idle {long}\n[\"{long}\"]\n{{}}\nidle {long}");
    for long in [LongLines::Condense, LongLines::Head(8)] {
        let options = LineOptions {
            block: 256,
            cap: 1000,
            first_cap: 1000,
            long,
        };
        let mut reader = RecordReader::new(log.as_bytes(), options, Repairs::ALL)
            .passing(|line| line.starts_with(b"idle"));
        let mut seen = Vec::new();
        while reader.advance().unwrap() {
            let record = reader.record();
            seen.push((
                record.position.line,
                record.passed,
                record.bytes.len() < 200,
            ));
        }
        assert_eq!(seen[0], (1, true, true));
        assert_eq!((seen[1].0, seen[1].1), (2, false));
        assert_eq!(seen[2], (3, false, true));
        assert_eq!(seen.len(), 3);
        assert!(reader.counts().incomplete_tail);
    }
}

/// `spec/agent-logs.md` 1.2 nos. 3 to 5: what is passed over is counted.
#[test]
fn everything_is_counted() {
    let mut log = b"{}\nbad\n\n\0{}\n".to_vec();
    log.extend(vec![b'x'; 9 << 20]);
    log.extend_from_slice(b"\n{\"torn\":");
    let (seen, counts) = records(&log, Repairs::ALL);
    assert_eq!(counts.records, 2);
    assert_eq!(counts.repaired, 1);
    assert_eq!((counts.bad, counts.blank, counts.too_long), (1, 1, 1));
    assert!(counts.incomplete_tail);
    assert_eq!(
        seen.iter().map(|(_, line)| *line).collect::<Vec<_>>(),
        [1, 4, 5]
    );
    assert_eq!(seen[2].0.len(), 64 << 10);

    // A joined record stands where it began, and an unterminated last one counts.
    let (seen, counts) = records(b"\n\"a\nb\"\n[1]", Repairs::ALL);
    assert_eq!(seen, [("\"a\\nb\"".to_owned(), 2), ("[1]".to_owned(), 4)]);
    assert!(!counts.incomplete_tail);
}

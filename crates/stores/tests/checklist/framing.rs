//! Lines, and what stands on them.

use sref_session::JsString;
use sref_stores::DiagnosticKind::{BadLines, LongLines, RepairedLines, TornTail, UnknownRecords};

use super::support::*;

fn one(kind: sref_stores::DiagnosticKind) -> (sref_stores::DiagnosticKind, String) {
    (kind, "1".to_owned())
}

#[test]
fn bom_and_line_ends() {
    let log = user("u1", "", "a") + &answer("a1", "u1", "m", "b");
    let home = Home::of(&log);
    assert_eq!(
        (home.said(), home.told()),
        (vec!["u:a".into(), "a:b".into()], vec![])
    );
    let crlf = log.replace('\n', "\r\n");
    assert_eq!(Home::of(&crlf).said(), ["u:a", "a:b"]);
    let marked = Home::of(format!("\u{FEFF}{crlf}"));
    assert_eq!(marked.said(), ["u:a", "a:b"]);
    assert_eq!(marked.told(), [one(RepairedLines)]);
}

#[test]
fn a_last_line_without_an_end() {
    let first = user("u1", "", "a");
    let last = answer("a1", "u1", "m", "b");
    let whole = Home::of(first.clone() + last.trim_end());
    assert_eq!((whole.said().len(), whole.told()), (2, vec![]));
    let cut = Home::of(first + &last[..last.len() - 5]);
    assert_eq!(cut.said(), ["u:a"]);
    assert_eq!(cut.told(), [(TornTail, String::new())]);
}

#[test]
fn files_of_nothing() {
    for log in [&b""[..], b"\n\n", &[0; 5000], b"\0\0\n\0\0"] {
        let home = Home::of(log);
        assert_eq!(home.listed(), [""; 0]);
        assert_eq!(home.said(), [""; 0]);
        assert_eq!(
            home.skipped(),
            [sref_stores::DiagnosticKind::NoConversation]
        );
    }
}

#[test]
fn nuls() {
    let log = user("u1", "", "a");
    let trailing = Home::of(log.clone() + &"\0".repeat(5000));
    assert_eq!(trailing.said(), ["u:a"]);
    let inside = Home::of(log.replace("\"user\"", "\"us\0\0er\""));
    assert_eq!(
        (inside.said(), inside.told()),
        (vec!["u:a".into()], vec![one(RepairedLines)])
    );
}

#[test]
fn line_separators_are_no_line_ends() {
    let words = "a\u{2028}b\u{2029}c\u{85}d\re";
    let log = record(
        "user",
        "u1",
        "",
        &message(&format!("\"{}\"", words.replace('\r', "\\r"))),
    );
    assert!(log.contains('\u{2028}'));
    assert_eq!(Home::of(log).said(), [format!("u:{words}").as_str()]);
}

#[test]
fn lone_surrogates() {
    for unit in [0xD83D_u16, 0xDE00] {
        let log = record("user", "u1", "", &message(&format!("\"x\\u{unit:04x}\"")));
        let expected = JsString::from_utf16("u:x".encode_utf16().chain([unit]));
        assert_eq!(Home::of(log).said(), [expected]);
    }
}

#[test]
fn invalid_utf_8() {
    let log = user("u1", "", "a@") + &user("u2", "u1", "b");
    let mut bytes = log.clone().into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'@').unwrap();
    bytes[at] = 0xFF;
    assert_eq!(Home::of(&bytes).said(), ["u:a\u{FFFD}", "u:b"]);
    let mut bytes = log.replace("\"timestamp\"", "\"time@\"").into_bytes();
    let at = bytes.windows(5).position(|own| own == b"time@").unwrap();
    bytes[at + 4] = 0xFF;
    assert_eq!(Home::of(&bytes).said(), ["u:a@", "u:b"]);
}

#[test]
fn glued_records_and_raw_newlines() {
    let log = user("u1", "", "a");
    let cut = &log[..30];
    let glued = Home::of(format!("{cut}{log}"));
    assert_eq!(
        (glued.said(), glued.told()),
        // What was cut off may have been words.
        (vec!["u:a".into()], vec![one(BadLines), one(RepairedLines)])
    );
    // Both are whole: nothing is lost, wherever they stand.
    let (first, second) = (user("u1", "", "a"), user("u2", "u1", "b"));
    let mode = "{\"type\":\"mode\",\"mode\":\"x\"}";
    for log in [
        format!("{}{second}", first.trim_end()),
        format!("{}{}", first.trim_end(), second.trim_end()),
        format!("{}{mode}\n{second}", first.trim_end()),
        format!("{first}{}{mode}", second.trim_end()),
    ] {
        let glued = Home::of(log);
        assert_eq!(
            (glued.said(), glued.told()),
            (vec!["u:a".into(), "u:b".into()], vec![one(RepairedLines)])
        );
    }
    let raw = Home::of(user("u1", "", "a@b").replace('@', "\n"));
    assert_eq!(
        (raw.said(), raw.told()),
        (vec!["u:a\nb".into()], vec![one(RepairedLines)])
    );
}

#[test]
fn an_oversized_line_anywhere() {
    let huge = |uuid: &str, parent: &str| {
        let line = user(uuid, parent, "");
        let room = (16 << 20) + 2 - line.len();
        line.replace(
            "\"content\":\"\"",
            &format!("\"content\":\"{}\"", "x".repeat(room)),
        )
    };
    assert_eq!(huge("u1", "").trim_end().len(), (16 << 20) + 1);
    let small = |uuid: &str, parent: &str| user(uuid, parent, uuid);
    for (log, expected) in [
        (
            huge("u1", "") + &small("u2", "u1") + &small("u3", "u2"),
            ["u:u2", "u:u3"],
        ),
        (
            small("u1", "") + &huge("u2", "u1") + &small("u3", "u2"),
            ["u:u1", "u:u3"],
        ),
        (
            small("u1", "") + &small("u2", "u1") + &huge("u3", "u2"),
            ["u:u1", "u:u2"],
        ),
    ] {
        let home = Home::of(log);
        assert_eq!(home.said(), expected);
        assert!(home.told().contains(&one(LongLines)));
        assert_eq!(home.listed(), [ID]);
    }
}

#[test]
fn a_line_of_100_megabytes() {
    let image = format!(
        "[{{\"type\":\"image\",\"source\":{{\"data\":\"{}\"}}}}]",
        "A".repeat(100 << 20)
    );
    let log = user("u1", "", "a") + &record("user", "u2", "u1", &message(&image));
    let home = Home::of(log + &user("u3", "u2", "b"));
    assert_eq!(home.said(), ["u:a", "u:b"]);
    assert!(home.told().contains(&one(LongLines)));
}

#[test]
fn odd_json() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let more = |more: &str| record("user", "u1", "", &format!("{more}{}", message("\"a\"")));
    for log in [
        more(&format!(",\"toolUseResult\":{deep}")),
        more(&format!(
            ",\"x\":{}",
            "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000)
        )),
        more(",\"x\":1e999,\"y\":-1e-999,\"z\":123456789012345678901234567890"),
        // The last of equal keys counts.
        more(",\"isMeta\":true,\"isMeta\":false"),
        more(",\"message\":{\"content\":\"old\"}"),
    ] {
        let home = Home::of(log);
        assert_eq!((home.said(), home.told()), (vec!["u:a".into()], vec![]));
    }
}

#[test]
fn records_that_are_no_objects() {
    let home = Home::of(format!("[]\n\"x\"\nnull\n7\n{}", user("u1", "", "a")));
    assert_eq!(home.said(), ["u:a"]);
    assert_eq!(home.told(), [(UnknownRecords, "4".to_owned())]);
    // A member of another type than it should be costs its record alone.
    let odd = record("user", "u2", "u1", ",\"message\":7")
        + &record(
            "user",
            "u3",
            "u2",
            ",\"cwd\":[],\"message\":{\"content\":{}}",
        );
    check(
        &[user("u1", "", "a"), odd, user("u4", "u3", "b")],
        &["u:a", "u:b"],
    );
}

#[test]
fn a_million_tiny_lines() {
    let home = Home::of(user("u1", "", "a") + &"{}\n".repeat(1_000_000) + "x\n");
    assert_eq!(home.said(), ["u:a"]);
    assert_eq!(
        home.told(),
        [one(BadLines), (UnknownRecords, "1000000".to_owned())]
    );
}

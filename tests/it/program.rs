//! The `conformance` program: what it says of recordings that do not hold.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::own;

/// Exit code, standard output and standard error.
type Outcome = (i32, String, String);

fn conformance<A: AsRef<OsStr>>(arguments: &[A]) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

/// Runs the program over files of these contents.
fn over(files: &[&str]) -> Outcome {
    let directory = TempDir::new().unwrap();
    let write = |(at, text)| {
        let path = directory.path().join(format!("{at}.json"));
        fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<_> = files.iter().enumerate().map(write).collect();
    conformance(&paths)
}

const GOOD: &str =
    r#"{"name":"uri-encode/x","input":{"sessionId":"a"},"expect":{"uri":"dsh-session:ImEi"}}"#;

#[test]
fn what_holds_passes() {
    let file = format!("[{GOOD}]");
    let line = "uri-encode 1 passed, 0 failed\n";
    assert_eq!(over(&[&file]), (0, line.into(), String::new()));
    assert_eq!(over(&[&file, &file]), (0, line.repeat(2), String::new()));
    // An input may say more than anybody asks.
    let more = file.replace(r#""sessionId""#, r#""note":[1],"sessionId""#);
    assert_eq!(over(&[&more]).0, 0);
}

#[test]
fn a_file_of_several_areas_has_a_line_for_each() {
    let other = r#"{"name":"config/x","input":{"config":{}},"expect":{"ok":true}}"#;
    let (code, stdout, _) = over(&[&format!("[{GOOD},{other},{GOOD}]")]);
    assert_eq!(code, 0);
    assert_eq!(
        stdout,
        "uri-encode 2 passed, 0 failed\nconfig 1 passed, 0 failed\n"
    );
}

#[test]
fn a_wrong_expectation_is_shown_in_full() {
    let file = format!("[{GOOD},{}]", GOOD.replace("ImEi", "ImIi"));
    let report = r#"uri-encode 1 passed, 1 failed

FAILED uri-encode/x
  input     {"sessionId":"a"}
  expected  {"uri":"dsh-session:ImIi"}
  got       {"uri":"dsh-session:ImEi"}
  differs   .uri, byte 14: expected "dsh-session:ImIi", got "dsh-session:ImEi"
"#;
    assert_eq!(over(&[&file]), (1, report.into(), String::new()));
    // One bad file among good ones is enough.
    let good = format!("[{GOOD}]");
    assert_eq!(over(&[&good, &file, &good]).0, 1);
}

#[test]
fn an_expected_error_is_not_met_by_a_result() {
    let expect = r#"{"error":"SESSION_REFERENCE_INVALID_REFERENCE"}"#;
    let file = format!(
        r#"[{{"name":"uri-decode/x","input":{{"uri":"dsh-session:ImEi"}},"expect":{expect}}}]"#
    );
    let (code, stdout, _) = over(&[&file]);
    assert_eq!(code, 1);
    assert!(
        stdout.contains("\n  got       {\"sessionId\":\"a\"}\n"),
        "{stdout}"
    );
}

#[test]
fn what_nobody_knows_fails() {
    for (vector, reason) in [
        (GOOD.replace("uri-encode", "astrology"), "unknown area"),
        (GOOD.replace("uri-encode/x", ""), "unknown area"),
        (GOOD.replace(r#""name""#, r#""title""#), "unknown area"),
        (GOOD.replace(r#""uri""#, r#""moon""#), "expects none of"),
        (
            GOOD.replace(r#""expect""#, r#""expects""#),
            "needs `input` and `expect`",
        ),
        (GOOD.replace(r#""a""#, "7"), "`sessionId` is no string"),
        ("7".into(), "needs `input` and `expect`"),
    ] {
        let (code, stdout, stderr) = over(&[&format!("[{GOOD},{vector}]")]);
        assert_eq!((code, stderr.as_str()), (1, ""), "{vector}");
        assert!(stdout.contains(reason), "{vector}: {stdout}");
        assert!(stdout.contains(" 1 failed\n"), "{vector}: {stdout}");
    }
}

#[test]
fn a_file_that_cannot_run_is_an_error() {
    for (file, reason) in [
        ("", "is no JSON: unexpected end of JSON (byte 0)"),
        ("[{]", "is no JSON"),
        ("{}", "is no array of vectors"),
        ("[]", "holds no vectors"),
    ] {
        let (code, stdout, stderr) = over(&[file, &format!("[{GOOD}]")]);
        assert_eq!(code, 1, "{file}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(reason),
            "{file}: {stderr}"
        );
        // The other file has run nevertheless.
        assert_eq!(stdout, "uri-encode 1 passed, 0 failed\n");
    }
    let (code, _, stderr) = conformance(&["/nonexistent/vectors.json"]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("/nonexistent/vectors.json cannot be read: "),
        "{stderr}"
    );
}

#[test]
fn nothing_to_run_is_an_error() {
    for arguments in [&[][..], &["stores"], &["stores", "/nonexistent"]] {
        let (code, stdout, stderr) = conformance(arguments);
        assert_eq!((code, stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(stderr.starts_with("error: "), "{arguments:?}: {stderr}");
    }
    let folder = own("stores");
    let (code, _, stderr) = conformance(&["stores".as_ref(), folder.as_os_str(), "moon".as_ref()]);
    assert_eq!(code, 1);
    assert!(stderr.contains("moon: no such root among [") && stderr.contains("valid-raw"));
    // A folder of stores without what was read from them.
    let folder = own("stores/valid-raw");
    let (code, _, stderr) = conformance(&["stores".as_ref(), folder.as_os_str()]);
    assert_eq!(code, 1);
    assert!(stderr.contains("no expectations"), "{stderr}");
}

#[test]
fn a_report_is_fit_for_a_terminal() {
    // A lone surrogate, an escape sequence and a bidirectional override, as escapes and raw.
    let text = format!(r"\ud83d\u001b[31m\u009b\u202e{}", "\u{202e}");
    let vector = |expected: &str| {
        format!(
            r#"[{{"name":"text-parse/\u001b[2J","input":{{"text":"{text}"}},"expect":{{"text":"{expected}","references":[]}}}}]"#
        )
    };
    assert_eq!(over(&[&vector(&text)]).0, 0);
    let (code, stdout, _) = over(&[&vector(r"\ud83c")]);
    assert_eq!(code, 1);
    assert!(stdout.contains(r"FAILED text-parse/\u001b[2J"), "{stdout}");
    assert!(
        stdout.contains(r#"{"text":"\ud83d\u001b[31m\u{9b}\u{202e}\u{202e}"}"#),
        "{stdout}"
    );
    assert!(
        stdout.contains(r#"expected  {"text":"\ud83c","#),
        "{stdout}"
    );
    assert!(
        !stdout
            .chars()
            .any(|c| c != '\n' && (c.is_control() || c == '\u{202e}'))
    );
}

#[test]
fn long_values_and_long_lists_are_cut() {
    let long = "x".repeat(100_000);
    let vector = GOOD.replace("ImEi", &long);
    let (code, stdout, _) = over(&[&format!("[{}]", [vector.as_str(); 30].join(","))]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("uri-encode 0 passed, 30 failed\n"));
    assert!(stdout.len() < 30_000, "{}", stdout.len());
    assert!(stdout.contains(" bytes …] ") && stdout.contains("\n… and 20 more failures\n"));
}

#[test]
fn a_budget_that_differs_is_named() {
    let vector = |second: &str| {
        format!(
            r#"[{{"name":"retention/x","input":{{"session":{{"id":"s"}},"capturedThroughSeq":null,"events":[],"budgets":[1,500,0]}},
            "expect":{{"outcomes":[{{"bytes":{second}}},{{"error":"SESSION_REFERENCE_BUDGET_EXCEEDED"}},{{"error":"SESSION_REFERENCE_INVALID_CONFIG"}}],"of":[1,0,2]}}}}]"#
        )
    };
    // An object without a conversation has 84 bytes, whatever the budget.
    assert_eq!(
        over(&[&vector("84")]),
        (0, "retention 1 passed, 0 failed\n".into(), String::new())
    );
    let (code, stdout, _) = over(&[&vector("85")]);
    assert_eq!(code, 1);
    assert!(
        stdout.contains("FAILED retention/x (budget 500)\n"),
        "{stdout}"
    );
    assert!(
        stdout.contains("differs   .bytes: expected 85, got 84\n"),
        "{stdout}"
    );
}

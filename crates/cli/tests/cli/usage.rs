//! The command line itself.

use super::*;

const COMMANDS: [&str; 9] = [
    "stores",
    "list",
    "mention",
    "show",
    "prepare",
    "uri",
    "doctor",
    "completions",
    "man",
];

/// The option is named, not something that nobody asked for.
#[test]
fn a_number_with_a_sign_is_the_value_of_its_option() {
    for args in [
        &["list", "--limit", "-1"][..],
        &["show", "x", "--from", "-1"],
        &["show", "x", "--budget", "-1"],
        &["show", "x", "--window", "-1"],
        &["prepare", "x", "--total-budget", "-1"],
    ] {
        let answer = run(sref(args));
        assert_eq!(answer.status, 2, "{args:?}");
        let option = args[args.len() - 2];
        let named = format!("invalid value '-1' for '{option} ");
        assert!(answer.stderr.contains(&named), "{}", answer.stderr);
    }
}

#[test]
fn wrong_usage_is_status_2() {
    for args in [
        &[][..],
        &["fly"],
        &["list", "--limit", "0"],
        &["list", "--limit", "2", "--all"],
        &["show"],
        &["show", "x", "--budget", "0"],
        &["show", "x", "--window", "0"],
        &["prepare", "x", "--total-budget", "0"],
        &["show", "x", "--full", "--budget", "9"],
        &["show", "x", "--budget", "9", "--window", "9"],
        &["list", "--store", "dsh"],
        &["mention", "x", "--dialect", "klingon"],
        &["man", "fly"],
    ] {
        let answer = run(sref(args));
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!answer.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn help_is_enough() {
    for command in COMMANDS {
        let help = succeed(sref(&[command, "--help"])).stdout;
        assert!(help.contains("Examples:\n  sref "), "{help}");
        assert!(help.contains("Usage: sref "), "{help}");
    }
    let help = succeed(sref(&["--help"])).stdout;
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
    }
}

#[test]
fn version() {
    let version = succeed(sref(&["--version"])).stdout;
    assert_eq!(version, concat!("sref ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = succeed(sref(&["completions", shell])).stdout;
        assert!(
            script.contains("sref") && script.contains("prepare"),
            "{shell}"
        );
    }
    let page = succeed(sref(&["man"])).stdout;
    assert!(page.contains(".TH sref 1"), "{page}");
    for command in COMMANDS {
        let page = succeed(sref(&["man", command])).stdout;
        assert!(page.contains(&format!("sref\\-{command}")), "{page}");
    }
}

#[test]
fn any_id_goes_through_a_uri() {
    for id in [r#""""#, r#""half \ud83d""#, r#""a\nb""#, r#""支付""#] {
        let uri = succeed(sref(&["uri", "encode", "--json-string", id])).stdout;
        let json = succeed(sref(&["uri", "decode", "--json", uri.trim_end()])).stdout;
        assert!(
            json.starts_with(&format!("{{\"sessionId\":{id},")),
            "{json}"
        );
    }
    fails(
        || sref(&["uri", "encode", "--json-string", "bare"]),
        "cli.json-string",
    );
}

/// Half of a character cannot be printed; that it is not is said.
#[test]
fn an_id_that_is_no_text_is_told() {
    let uri = succeed(sref(&[
        "uri",
        "encode",
        "--json-string",
        r#""half \ud83d""#,
    ]))
    .stdout;
    let answer = run(sref(&["uri", "decode", uri.trim_end()]));
    assert_eq!(
        (answer.status, answer.stdout.as_str()),
        (0, "half \u{FFFD}\n")
    );
    assert!(answer.stderr.starts_with("note: "), "{}", answer.stderr);
    assert!(answer.stderr.contains("--json"), "{}", answer.stderr);
}

#[test]
fn what_an_argument_says_is_quoted_harmlessly() {
    for args in [
        &["list", "--limit", "a\u{1b}[2J\u{9b}1m"][..],
        &["list", "--\u{1b}]0;x\u{7}"],
        &["fly\u{1b}[31m"],
        &["list", "--store", "dsh\u{202e}"],
    ] {
        let mut command = sref(args);
        command.env("CLICOLOR_FORCE", "1");
        let answer = run(command);
        assert_eq!(answer.status, 2, "{args:?}");
        let bad = [
            "\u{1b}[2J",
            "\u{1b}]0",
            "\u{1b}[31mfly",
            "\u{9b}",
            "\u{7}",
            "\u{202e}",
        ];
        assert!(
            !bad.iter().any(|bad| answer.stderr.contains(bad)),
            "{:?}",
            answer.stderr
        );
        assert!(answer.stderr.contains("\\u{"), "{:?}", answer.stderr);
    }
}

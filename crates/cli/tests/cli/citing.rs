//! `sref mention` and `sref prepare`.

use super::*;

fn mention(id: &str) -> String {
    succeed(on_sample(&["mention", id]))
        .stdout
        .trim_end()
        .to_owned()
}

#[test]
fn a_mention_names_title_and_uri() {
    let text = mention("3f9c");
    let (label, uri) = text.split_once("](").unwrap();
    assert_eq!(label, "@[Login loop after password reset in Safari");
    let uri = uri.strip_suffix(')').unwrap();
    assert_eq!(
        succeed(sref(&["uri", "decode", uri])).stdout,
        format!("{LOGIN}\n")
    );
    assert_eq!(
        succeed(sref(&["uri", "encode", LOGIN])).stdout,
        format!("{uri}\n")
    );
    // A URI is an id too, and a label can be given.
    let own = succeed(on_sample(&["mention", uri, "--label", "a]b", "--json"])).json();
    assert_eq!(keys(&own), ["sessionId", "label", "mention"]);
    assert_eq!(own["mention"].as_str().unwrap(), format!("@[a\\]b]({uri})"));
    // A session without a title goes by its id.
    assert!(mention(UNTITLED).starts_with(&format!("@[{UNTITLED}](")));
}

#[test]
fn other_harnesses_have_other_schemes() {
    let text = succeed(on_sample(&["mention", "3f9c", "--dialect", "hydra"])).stdout;
    assert!(text.contains("](hydra-session:"));
    let answer = run(on_sample(&["prepare", "--dialect", "hydra", &text]));
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    // To dsh this is text; whoever asks for no harness has it read.
    let answer = succeed(on_sample(&["prepare", "--json", "--dialect", "dsh", &text])).json();
    assert_eq!(answer["additionalContext"], Value::Null);
    let answer = succeed(on_sample(&["prepare", "--json", &text])).json();
    assert!(answer["additionalContext"].is_string());
    // The first release put the context before the message that cites it.
    let text = mention("3f9c");
    let answer = run(on_sample(&["prepare", "--dialect", "dsh-0.0.1", &text]));
    assert!(answer.stdout.starts_with("## "), "{}", answer.stdout);
    assert!(
        answer
            .stdout
            .ends_with("</referenced-sessions>\n\n@Login loop after password reset in Safari\n"),
        "{}",
        answer.stdout
    );
}

#[test]
fn text_comes_back_as_it_is_and_no_store_is_read() {
    let absent = Path::new("/no/such/store");
    let answer = succeed(on_store(absent, &["prepare", "fix the build\n\tplease"]));
    assert_eq!(answer.stdout, "fix the build\n\tplease\n");
    let answer = succeed(on_store(absent, &["prepare", "--json", "x"])).json();
    assert_eq!(keys(&answer), ["content", "additionalContext", "receipt"]);
    assert_eq!(answer["content"], "x");
    assert_eq!(answer["additionalContext"], Value::Null);
    assert_eq!(answer["receipt"]["references"], serde_json::json!([]));
}

#[test]
fn a_mention_becomes_context() {
    let text = format!("As in {}, fix it", mention("51ad"));
    let answer = run(on_sample(&["prepare", &text]));
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    let (message, context) = answer.stdout.split_once("\n\n").unwrap();
    assert_eq!(message, "As in @支付回调重复扣款, fix it");
    assert!(context.contains("<referenced-sessions>\n[{\"sessionId\":\"session-51ad9be7"));
    assert!(
        context.ends_with("]\n</referenced-sessions>\n"),
        "{context}"
    );
    assert!(context.contains("退款走审批"));
    // Tool output and reasoning never travel.
    assert!(!context.contains("8830412") && !context.contains("锁的范围"));
    assert!(
        answer.stderr.contains("@支付回调重复扣款  8 of 8 messages"),
        "{}",
        answer.stderr
    );
    assert!(answer.stderr.contains("context: "), "{}", answer.stderr);

    let json = succeed(on_sample(&["prepare", "--json", &text])).json();
    assert_eq!(json["content"], message);
    let context = json["additionalContext"].as_str().unwrap();
    assert_eq!(answer.stdout, format!("{message}\n\n{context}\n"));
    assert_eq!(json["receipt"]["contextBytes"], context.len());
    let record = &json["receipt"]["references"][0];
    assert_eq!(record["sessionId"], PAYMENT);
    assert_eq!(record["capturedThroughSeq"], 54);
    assert_eq!(record["retainedMessages"], 8);
    assert_eq!(record["omittedBytes"], 0);
}

#[test]
fn a_long_session_is_cut_and_the_receipt_says_so() {
    let text = mention("e20b");
    let answer = run(on_sample(&["prepare", &text]));
    assert!(answer.stdout.contains(" omitted "), "no notice of the cut");
    assert!(
        answer.stderr.contains(" bytes left out"),
        "{}",
        answer.stderr
    );
    let size = |args: &[&str]| {
        let mut all = vec!["prepare", "--json", &text];
        all.extend(args);
        let json = succeed(on_sample(&all)).json();
        json["receipt"]["contextBytes"].as_u64().unwrap()
    };
    let default = size(&[]);
    assert!((65_000..67_000).contains(&default), "{default}");
    assert!(size(&["--budget", "8192"]) < 9000);
    assert!(size(&["--total-budget", "8192"]) < 9000);
    assert!(size(&["--retention", "exact", "--budget", "8192"]) < 9000);
    assert!(size(&["--window", "1000000"]) > 80_000);
}

#[test]
fn a_compaction_stands_for_what_it_replaced() {
    let json = succeed(on_sample(&["show", "8b27", "--json"])).json();
    assert_eq!(json["stats"]["compacted"], true);
    assert_eq!(json["conversation"][0]["checkpoint"], true);
    assert_eq!(json["conversation"].as_array().unwrap().len(), 4);
    let text = json["conversation"][0]["text"].as_str().unwrap();
    assert!(text.contains("Goal: the CSV importer"));
}

#[test]
fn standard_input() {
    let answer = feed(on_sample(&["prepare"]), b"two\nlines\n");
    assert_eq!(answer.stdout, "two\nlines\n");
    let answer = feed(
        on_sample(&["prepare", "-", "--json"]),
        "见面\r\n".as_bytes(),
    );
    assert_eq!(answer.json()["content"], "见面");
    // A stray byte costs itself, and is said aloud.
    let answer = feed(on_sample(&["prepare", "--json"]), b"caf\xE9!");
    assert_eq!(answer.json()["content"], "caf\u{FFFD}!");
    assert!(
        answer.stderr.contains("not UTF-8 from byte 3"),
        "{}",
        answer.stderr
    );
}

#[test]
fn what_stays_text_is_said() {
    let answer = run(on_sample(&[
        "prepare",
        "what is dsh-session:abc, and `dsh-session:ImEi`?",
    ]));
    assert_eq!(answer.status, 0);
    assert_eq!(
        answer.stdout,
        "what is dsh-session:abc, and `dsh-session:ImEi`?\n"
    );
    assert!(
        answer.stderr.contains("\"dsh-session:abc\" stays text"),
        "{}",
        answer.stderr
    );
    let json = run(on_sample(&[
        "prepare",
        "--json",
        "what is dsh-session:abc?",
    ]))
    .json();
    let left = &json["receipt"]["leftAsText"][0];
    assert_eq!(
        (left["start"].as_u64(), left["end"].as_u64()),
        (Some(8), Some(23))
    );
    // The harnesses fail here.
    let seed = || on_sample(&["prepare", "what is dsh-session:abc?", "--mentions", "seed"]);
    fails(seed, "SESSION_REFERENCE_INVALID_REFERENCE");
}

/// What a script passes on is whole: nothing stands for a session that was not found.
#[test]
fn a_mention_that_names_no_one_session_is_an_error() {
    let text = "as in @sref:nope and @sref:3f9c and @sref:\"no such words\"";
    let message = fails(|| on_sample(&["prepare", text]), "mention.unknown");
    assert!(
        message.contains("@sref:nope: no session matches"),
        "{message}"
    );
    assert!(
        message.contains("@sref:\"no such words\": no session"),
        "{message}"
    );
    let message = fails(|| on_sample(&["prepare", "@sref:3f"]), "mention.ambiguous");
    assert!(
        message.contains("3f9c") && message.contains("3fd0"),
        "{message}"
    );
    // What is quoted, or is none to the harnesses, is none.
    for args in [
        &["prepare", "`@sref:nope`"][..],
        &["prepare", "@sref:nope", "--mentions", "seed"],
    ] {
        assert_eq!(run(on_sample(args)).status, 0, "{args:?}");
    }
}

/// As in hooks and over MCP.
#[test]
fn a_session_that_is_named_by_its_id_is_called_by_its_title() {
    let uri = succeed(sref(&["uri", "encode", LOGIN])).stdout;
    let title = "Login loop after password reset in Safari";
    for id in ["3f9c", LOGIN, uri.trim()] {
        let text = format!("as in @sref:{id}!");
        let json = succeed(on_sample(&["prepare", &text, "--json"])).json();
        assert_eq!(json["content"], format!("as in @{title}!"));
        let references = json["receipt"]["references"].as_array().unwrap();
        assert_eq!(references.len(), 1);
        assert_eq!(references[0]["label"], title);
    }
    // One without a title has nothing but its id.
    let json = succeed(on_sample(&["prepare", "@sref:09d4", "--json"])).json();
    assert_eq!(json["content"], format!("@{UNTITLED}"));
    let gone = || on_sample(&["prepare", "@sref:dsh-session:ImEi"]);
    fails(gone, "SESSION_REFERENCE_READ_FAILED");
}

#[test]
fn errors_have_codes() {
    let own = || on_sample(&["prepare", &mention("3f9c"), "--session", LOGIN]);
    fails(own, "SESSION_REFERENCE_SELF_REFERENCE");
    // Of the own session, too, the beginning will do.
    let own = || on_sample(&["prepare", &mention("3f9c"), "--session", "3f9c"]);
    fails(own, "SESSION_REFERENCE_SELF_REFERENCE");
    let four = ["3f9c", "3fd0", "8b27", "51ad"].map(mention).join(" ");
    fails(
        || on_sample(&["prepare", &four]),
        "SESSION_REFERENCE_TOO_MANY",
    );
    let gone = "@[gone](dsh-session:ImEi)";
    fails(
        || on_sample(&["prepare", gone]),
        "SESSION_REFERENCE_READ_FAILED",
    );
    let small = || on_sample(&["prepare", &mention("3f9c"), "--budget", "20"]);
    fails(small, "SESSION_REFERENCE_BUDGET_EXCEEDED");
    fails(
        || on_sample(&["prepare", "@[x](dsh-session:!)"]),
        "SESSION_REFERENCE_INVALID_REFERENCE",
    );
    fails(
        || sref(&["uri", "decode", "dsh-session:abc"]),
        "SESSION_REFERENCE_INVALID_REFERENCE",
    );
    fails(
        || on_sample(&["show", "nothing-like-it"]),
        "SESSION_QUERY_SESSION_NOT_FOUND",
    );
}

#[test]
fn an_ambiguous_beginning_names_what_it_may_mean() {
    let message = fails(|| on_sample(&["mention", "3f"]), "cli.ambiguous-id");
    assert!(
        message.contains(LOGIN) && message.contains(FORK),
        "{message}"
    );
    let message = fails(|| on_sample(&["show", "session-"]), "cli.ambiguous-id");
    assert_eq!(message.matches("\"session-").count(), 1 + 3, "{message}");
}

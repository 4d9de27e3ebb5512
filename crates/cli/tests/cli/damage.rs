//! Sessions that are listed and were read with damage.

use super::filters::{machine, on_machine};
use super::*;

const NEW: &str = "5f0c1d2e-0000-4000-8000-000000000001";

/// Adds lines to the newest session of Claude Code on that machine.
fn add(home: &Path, lines: &str) -> PathBuf {
    let path = home.join(format!(".claude/projects/-app/{NEW}.jsonl"));
    let mut log = fs::read_to_string(&path).unwrap();
    log.push_str(lines);
    fs::write(&path, log).unwrap();
    path
}

#[test]
fn the_doctor_reads_every_session_on_request() {
    let home = machine();
    let healthy = run(on_machine(home.path(), &["doctor", "--sessions"]));
    assert_eq!((healthy.status, healthy.stdout.as_str()), (0, ""));
    // The sub-agent's is one of them.
    let remark = "Nothing was skipped in 2 stores or passed over in 4 sessions.\n";
    assert_eq!(healthy.stderr, remark);
    let path = add(
        home.path(),
        "no JSON\n{\"type\":\"tomorrow\"}\n{\"type\":\"tomorrow\"}\n{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":\"lost\",\"message\":{\"content\":\"so\"}}\n{\"type\":\"user\",\"uuid\":\"u2\",\"parentUuid\":\"u1\",\"message\":{\"content\":\"go on\"}}\n{\"type\":\"us",
    );
    let quick = run(on_machine(home.path(), &["doctor"]));
    assert_eq!(quick.stdout, "");
    let found = succeed(on_machine(home.path(), &["doctor", "--sessions", "--json"])).json();
    let found = found.as_array().unwrap();
    let codes: Vec<&str> = found
        .iter()
        .map(|own| own["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        [
            "store.bad-lines",
            "store.gaps",
            "store.torn-tail",
            "store.unknown-records"
        ]
    );
    for own in found {
        let members = [
            "kind",
            "root",
            "code",
            "rule",
            "path",
            "sessionId",
            "detail",
        ];
        assert_eq!(keys(own), members);
        assert_eq!(own["sessionId"], format!("claude:{NEW}"));
        assert_eq!(own["path"], path.to_str().unwrap());
        assert_eq!(own["kind"], "claude");
    }
    assert_eq!(found[0]["rule"], "agent-logs 1.2");
    assert_eq!(
        found[0]["detail"],
        "lines that are no JSON were passed over: 1"
    );
    let unknown = found[3]["detail"].as_str().unwrap();
    assert!(unknown.ends_with(": 2: \"tomorrow\""), "{unknown}");
    let text = succeed(on_machine(home.path(), &["doctor", "--sessions"])).stdout;
    assert!(
        text.starts_with("store.bad-lines  ") && text.contains(NEW),
        "{text}"
    );
}

/// What can be unpacked of a rollout is shown, and that it is not all.
#[test]
fn a_damaged_packed_rollout_is_shown_as_far_as_it_goes() {
    const ID: &str = "0198a3c0-0000-7000-8000-00000000000a";
    // A frame of one stored block: magic number, sizes, and the bytes themselves.
    let frame = |text: &str| {
        let size = u32::try_from(text.len()).unwrap();
        let block = size << 3 | 1;
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0xA0];
        frame.extend_from_slice(&size.to_le_bytes());
        frame.extend_from_slice(&block.to_le_bytes()[..3]);
        frame.extend_from_slice(text.as_bytes());
        frame
    };
    let line =
        |kind: &str, payload: &str| format!("{{\"type\":\"{kind}\",\"payload\":{payload}}}\n");
    let said = |text: &str| {
        line(
            "event_msg",
            &format!("{{\"type\":\"user_message\",\"message\":\"{text}\"}}"),
        )
    };
    let start = line(
        "session_meta",
        &format!("{{\"id\":\"{ID}\",\"cwd\":\"/w\"}}"),
    ) + &said("before");
    let log = [frame(&start), b"garbage".to_vec(), frame(&said("behind"))].concat();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(format!(
        "sessions/rollout-2026-08-01T09-00-00-{ID}.jsonl.zst"
    ));
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, log).unwrap();
    let on_home = |args: &[&str]| {
        let mut command = sref(args);
        command.args(["--store", &format!("codex={}", home.path().display())]);
        command
    };
    let shown = run(on_home(&["show", ID, "--json"]));
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    let json = shown.json();
    assert_eq!(json["conversation"][0]["text"], "before");
    assert_eq!(json["conversation"][1]["text"], "behind");
    let shown = run(on_home(&["show", ID]));
    let note = "note: words may be missing: the packed log is damaged";
    assert!(shown.stderr.contains(note), "{}", shown.stderr);
    let doctor = succeed(on_home(&["doctor", "--sessions", "--json"])).json();
    assert_eq!(doctor[0]["code"], "store.damaged-frame");
    assert_eq!(doctor[0]["path"], file.to_str().unwrap());
    // One of which nothing can be unpacked is no session, and is named.
    fs::write(&file, "garbage").unwrap();
    let doctor = succeed(on_home(&["doctor", "--json"])).json();
    assert_eq!(doctor[0]["code"], "store.unreadable");
    assert_eq!(
        doctor[0]["detail"],
        "cannot be read: nothing of it can be unpacked"
    );
}

/// A log that one of the harnesses would refuse is listed by its header, and fails when it is read.
#[test]
fn the_doctor_names_sessions_that_cannot_be_read() {
    let home = machine();
    let log = home
        .path()
        .join(".dsh/sessions/--elsewhere--/session-d1/session.jsonl");
    let header = fs::read_to_string(&log).unwrap();
    let wrong = r#"{"type":"user/message","seq":0,"time":6,"data":{"id":"a","role":"user","content":5,"source":{"kind":"user"}},"surfaceOp":"append"}"#;
    fs::write(&log, format!("{header}{wrong}\n")).unwrap();
    let found = succeed(on_machine(home.path(), &["doctor", "--sessions", "--json"])).json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["sessionId"], "session-d1");
    assert_eq!(found[0]["code"], "store.corrupt");
    assert!(
        found[0]["detail"].as_str().unwrap().contains("line 2"),
        "{found}"
    );
}

#[test]
fn showing_says_that_words_may_be_missing() {
    let home = machine();
    let show = |more: &[&str]| run(on_machine(home.path(), &[&["show", NEW], more].concat()));
    assert_eq!(show(&[]).stderr, "");
    // What is not known, or still being written, costs no words.
    add(home.path(), "{\"type\":\"tomorrow\"}\n");
    assert_eq!(show(&[]).stderr, "");
    add(home.path(), "no JSON\nno JSON\n");
    let shown = show(&[]);
    assert_eq!(
        (shown.status, shown.stderr.as_str()),
        (
            0,
            "note: words may be missing: lines that are no JSON were passed over: 2; `sref doctor --sessions` says where\n"
        )
    );
    assert!(shown.stdout.contains("fix login"), "{}", shown.stdout);
    let diagnostics = &show(&["--json"]).json()["diagnostics"];
    let codes = diagnostics.as_array().unwrap().iter();
    let codes: Vec<&str> = codes.map(|own| own["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["store.bad-lines", "store.unknown-records"]);
}

/// A dsh log ends at its first bad line; whoever shows or carries it says so.
#[test]
fn a_log_that_is_cut_off_says_so() {
    let home = machine();
    let log = home
        .path()
        .join(".dsh/sessions/--elsewhere--/session-d1/session.jsonl");
    let whole = fs::read_to_string(&log).unwrap();
    let header = whole.lines().next().unwrap();
    fs::write(&log, format!("{header}\nno JSON\n")).unwrap();
    for args in [
        &["show", "session-d1"][..],
        &["prepare", "as in @sref:session-d1"],
    ] {
        let answer = run(on_machine(home.path(), args));
        assert_eq!(answer.status, 0);
        let note = "words may be missing: what stands behind a bad line was not read";
        assert!(answer.stderr.contains(note), "{}", answer.stderr);
    }
    let found = succeed(on_machine(home.path(), &["doctor", "--sessions", "--json"])).json();
    assert_eq!(found[0]["code"], "store.cut-off");
}

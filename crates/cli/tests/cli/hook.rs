//! `sref hook`: events of agents in, their answers out.

use super::*;

/// Runs the hook of a host on a prompt.
fn hook(host: &str, prompt: &str, more: &[&str]) -> Answer {
    let event = serde_json::json!({
        "session_id": "5f0c", "transcript_path": "/nowhere", "cwd": "/w",
        "hook_event_name": "UserPromptSubmit", "prompt": prompt, "a field of tomorrow": [1],
    });
    let mut args = vec!["hook", host];
    args.extend(more);
    feed(on_sample(&args), event.to_string().as_bytes())
}

fn context(answer: &Answer) -> String {
    let output = &answer.json()["hookSpecificOutput"];
    output["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn a_prompt_without_a_mention_is_answered_with_nothing() {
    for host in ["claude", "codex", "gemini", "cline"] {
        // Not even a store that is not there is looked at.
        let command = sref(&["hook", host, "--store", "dsh=/nonexistent"]);
        let event: &[u8] = match host {
            "cline" => b"{\"userPromptSubmit\":{\"prompt\":\"fix the cookie\"}}",
            _ => b"{\"prompt\":\"fix the cookie\"}",
        };
        let answer = feed(command, event);
        assert_eq!(
            (
                answer.status,
                answer.stdout.as_str(),
                answer.stderr.as_str()
            ),
            (0, "", "")
        );
    }
}

#[test]
fn a_mention_brings_its_session_within_the_cap() {
    for (host, prompt) in [
        ("claude", "as in @sref:3f9c, fix it".to_owned()),
        (
            "codex",
            format!(
                "as in {}, fix it",
                succeed(on_sample(&["mention", "e20b"])).stdout.trim()
            ),
        ),
    ] {
        let answer = hook(host, &prompt, &[]);
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
        let context = context(&answer);
        assert!(context.len() < 10_000, "{}", context.len());
        let (_, objects) = context.split_once("<referenced-sessions>\n").unwrap();
        let (objects, _) = objects.split_once("\n</referenced-sessions>").unwrap();
        let objects: Value = serde_json::from_str(objects).unwrap();
        assert!(objects[0]["conversation"].as_array().unwrap().len() > 2);
        let receipt = answer.json()["systemMessage"].as_str().unwrap().to_owned();
        assert!(receipt.starts_with("sref: "), "{receipt}");
        assert!(!receipt.contains('\n'), "{receipt}");
    }
}

#[test]
fn a_session_that_is_cited_by_its_id_is_called_by_its_title() {
    let uri = succeed(sref(&["uri", "encode", LOGIN])).stdout;
    for mention in ["@sref:3f9c", uri.trim()] {
        let answer = hook("claude", &format!("as in {mention} here"), &[]);
        let receipt = answer.json()["systemMessage"].clone();
        let receipt = receipt.as_str().unwrap();
        let title = "sref: attached \"Login loop after password reset in Safari\" (";
        assert!(receipt.starts_with(title), "{receipt}");
        assert!(
            context(&answer).contains("\"label\":\"Login loop after"),
            "{receipt}"
        );
    }
    // What a person calls it stays.
    let own = succeed(on_sample(&["mention", "3f9c"])).stdout;
    let own = own.replace("Login loop after password reset in Safari", "mine");
    let answer = hook("claude", own.trim(), &[]);
    let receipt = answer.json()["systemMessage"].clone();
    assert!(
        receipt
            .as_str()
            .unwrap()
            .starts_with("sref: attached \"mine\" (")
    );
}

#[test]
fn a_failing_mention_is_named_and_strictly_stops_the_prompt() {
    let answer = hook("claude", "as in @sref:zzzz", &[]);
    assert!(context(&answer).contains("no session matches"));
    let blocked = hook("claude", "as in @sref:zzzz", &["--strict"]).json();
    assert_eq!(blocked["decision"], "block");
    let blocked = hook("codex", "as in @sref:zzzz", &["--strict"]).json();
    assert_eq!(blocked["decision"], "block");
    assert_eq!(blocked.get("hookSpecificOutput"), None);
}

/// The receipt of a prompt.
fn receipt(prompt: &str) -> String {
    let answer = hook("claude", prompt, &[]);
    answer.json()["systemMessage"].as_str().unwrap().to_owned()
}

#[test]
fn of_four_sessions_the_first_three_are_attached() {
    let answer = hook("claude", "@sref:3f9c @sref:8b27 @sref:c6e4 @sref:e20b", &[]);
    let context = context(&answer);
    for (id, there) in [(LOGIN, true), (CSV, true), (REVIEW, true), (QUEUE, false)] {
        let member = format!("\"sessionId\":\"{id}\"");
        assert_eq!(context.contains(&member), there, "{context}");
    }
    let said = "not attached: 4 sessions cited in one message, 3 allowed";
    let receipt = answer.json()["systemMessage"].to_string();
    assert!(receipt.contains(said), "{receipt}");
}

#[test]
fn what_could_be_meant_is_offered_with_its_title() {
    let several = receipt("as in @sref:3f");
    assert!(several.contains(&format!("\" {LOGIN}")), "{several}");
    assert!(several.contains("\"Login loop after"), "{several}");
    let near = receipt("as in @sref:3f9d");
    assert!(near.contains("closest: \"Login loop after"), "{near}");
    let slip = receipt("as in @sref:\"logn\"");
    assert!(
        slip.contains("no session matches; closest: \"Login loop after"),
        "{slip}"
    );
}

#[test]
fn a_mention_in_capitals_or_half_written_is_not_lost() {
    let found = receipt("as in @sref:3F9C");
    assert!(
        found.starts_with("sref: attached \"Login loop after"),
        "{found}"
    );
    let open = receipt("as in @sref:\"login loop");
    assert!(open.contains("@sref:\"login: no session matches"), "{open}");
    let blocked = hook("claude", "as in @sref:\"\"", &["--strict"]).json();
    assert_eq!(blocked["decision"], "block");
}

#[test]
fn what_no_person_typed_cites_nothing() {
    let machine = "<task-notification>see @sref:3f9c</task-notification>";
    let answer = hook("claude", machine, &[]);
    assert_eq!(answer.status, 0);
    assert!(
        !answer.stdout.contains("referenced-sessions"),
        "{}",
        answer.stdout
    );
}

/// Runs a hook and leaves its standard input open until it has answered.
fn held_open(host: &str, event: &[u8]) -> Answer {
    let mut child = on_sample(&["hook", host])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(event).unwrap();
    let answered = answer(child.wait_with_output().unwrap());
    drop(input);
    answered
}

/// An agent may keep the pipe open while it waits for the answer.
#[test]
fn an_event_is_answered_when_it_is_whole() {
    let event = |prompt: &str| format!(r#"{{"prompt":"{prompt}","a":{{"b":["\"}}"]}}}}"#);
    let answer = held_open("claude", event("as in @sref:3f9c").as_bytes());
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    assert!(context(&answer).contains("<referenced-sessions>"));
    let answer = held_open("codex", event("fix it").as_bytes());
    assert_eq!((answer.status, answer.stdout.as_str()), (0, ""));
}

#[test]
fn an_event_that_does_not_come_is_not_waited_for() {
    let answer = held_open("gemini", br#"{"prompt":"as in @sref:3f9c""#);
    assert_eq!((answer.status, answer.stdout.as_str()), (1, ""));
    let said = "the hook event did not come whole; the prompt goes out alone";
    assert!(answer.stderr.contains(said), "{}", answer.stderr);
}

/// A hook that does not understand its host says so at the first prompt, not at the first mention.
/// Every host takes status 1 for a hook that failed, and sends the prompt.
#[test]
fn a_broken_event_without_a_mention_is_a_failure_of_the_hook() {
    for (event, said) in [
        ("", "is not a JSON object"),
        ("{\"prompt\":\"hi\"", "is not a JSON object"),
        ("[1]", "is not a JSON object"),
        (
            "{\"prompt\":5,\"userPromptSubmit\":[]}",
            "has no `prompt` that is a string",
        ),
        (
            "{\"prompt\":\"hi\",\"hook_event_name\":\"Stop\",\"hookName\":\"Stop\"}",
            "is not `",
        ),
    ] {
        for host in ["claude", "codex", "gemini", "cline"] {
            for strict in [&[][..], &["--strict"]] {
                let answer = feed(
                    on_sample(&[&["hook", host], strict].concat()),
                    event.as_bytes(),
                );
                assert_eq!(
                    (answer.status, answer.stdout.as_str()),
                    (1, ""),
                    "{host} {event}"
                );
                assert!(
                    answer.stderr.contains(said),
                    "{host} {event}: {}",
                    answer.stderr
                );
            }
        }
    }
}

#[test]
fn a_wrong_event_breaks_no_prompt() {
    for event in [
        "",
        "null @sref:x",
        "{\"prompt\":5,\"x\":\"@sref:3f9c\"}",
        "[\"@sref:3f9c\"]",
    ] {
        for host in ["claude", "codex", "gemini", "cline"] {
            let answer = feed(on_sample(&["hook", host]), event.as_bytes());
            assert!(answer.status < 2, "{host} {event}: {}", answer.status);
            let json =
                answer.stdout.is_empty() || serde_json::from_str::<Value>(&answer.stdout).is_ok();
            assert!(json, "{host} {event}: {}", answer.stdout);
        }
    }
    assert_eq!(run(sref(&["hook", "acme"])).status, 2);
}

//! Per host a table of event → output.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sref_delivery::{Host, Policy, Reply};
use sref_session::{Dialect, JsString};
use sref_uri::format_mention;

use crate::hook::{Sessions, hook};
use crate::schema;

const THREAD: &str = "019edb56-0000-7000-8000-0123456789ab";

fn sessions() -> Sessions {
    let mut sessions = Sessions::default();
    sessions.add(
        "claude:5f0c11",
        "Fix the login",
        ["Why does it fail?", "The cookie is lax."],
    );
    sessions.add(
        "claude:5f0c22",
        "Login page\u{202e}",
        ["Make it blue.", "Done."],
    );
    sessions.add(format!("codex:{THREAD}").as_str(), "Ship it", ["Ship it."]);
    sessions
}

/// The event of a host for a prompt, with every member that the host is known to send.
fn event(host: Host, prompt: &str) -> Value {
    match host {
        Host::Claude => json!({
            "session_id": "me", "transcript_path": "/p/me.jsonl", "cwd": "/p", "prompt_id": "1",
            "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": prompt,
        }),
        Host::Codex => json!({
            "session_id": "me", "turn_id": "1", "transcript_path": null, "cwd": "/p", "model": "gpt",
            "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": prompt,
        }),
        Host::Gemini => json!({
            "session_id": "me", "transcript_path": "/p/me.json", "cwd": "/p",
            "hook_event_name": "BeforeAgent", "timestamp": "2026-11-30T00:00:00Z", "prompt": prompt,
        }),
        _ => json!({
            "clineVersion": "3.40.0", "hookName": "UserPromptSubmit", "timestamp": "1",
            "taskId": "me", "workspaceRoots": ["/p"], "userId": "u", "agent_id": "me",
            "parent_agent_id": null, "userPromptSubmit": {"prompt": prompt, "attachments": []},
        }),
    }
}

/// What a hook said, whatever the host's form: context, note, reason for a block.
#[derive(Debug, Default, PartialEq)]
struct Said {
    context: Option<String>,
    note: Option<String>,
    block: Option<String>,
}

fn said(host: Host, reply: &Reply) -> Said {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if reply.stdout.is_empty() {
        let note = Some(reply.stderr.clone()).filter(|note| !note.is_empty());
        return Said {
            note,
            ..Said::default()
        };
    }
    assert_eq!(
        reply.exit_code, 0,
        "a JSON answer counts only with exit status 0"
    );
    let json = match host {
        Host::Cline => {
            let line = reply.stdout.strip_suffix('\n').unwrap();
            assert!(!line.contains('\n'), "one line");
            line.strip_prefix("HOOK_CONTROL\t").unwrap()
        }
        _ => &reply.stdout,
    };
    // Strict: nothing around it, no escape of a lone surrogate.
    let value: Value = serde_json::from_str(json).unwrap();
    schema::check(host, &value);
    if host == Host::Cline {
        return Said {
            context: text(&value["contextModification"]),
            note: Some(reply.stderr.clone()).filter(|note| !note.is_empty()),
            block: text(&value["errorMessage"]),
        };
    }
    assert_eq!(reply.stderr, "");
    Said {
        context: text(&value["hookSpecificOutput"]["additionalContext"]),
        note: text(&value["systemMessage"]),
        block: text(&value["reason"]),
    }
}

fn run(host: Host, event: &Value, policy: Policy) -> Said {
    said(
        host,
        &hook(
            host,
            event.to_string().as_bytes(),
            policy,
            &sessions(),
            false,
        ),
    )
}

fn mention(id: &str, label: &str) -> String {
    let label = JsString::from(label);
    format_mention(&id.into(), Some(label.as_js_str()), &Dialect::DSH).to_string()
}

#[test]
fn a_mention_is_delivered_with_a_receipt() {
    let prompt = format!("Do as in {}.", mention("claude:5f0c11", "Login"));
    for host in Host::ALL {
        let said = run(host, &event(host, &prompt), Policy::Pass);
        let context = said.context.unwrap();
        assert!(context.starts_with("## Referenced sessions\n"), "{context}");
        assert!(context.ends_with("</referenced-sessions>"), "{context}");
        assert!(context.contains("The cookie is lax."));
        let note = said.note.unwrap();
        assert!(
            note.starts_with("sref: attached \"Login\" (2 messages, "),
            "{note}"
        );
        assert_eq!(said.block, None);
    }
}

#[test]
fn every_way_to_name_a_session_works_in_every_host() {
    for (prompt, label) in [
        ("see @sref:5f0c1.".to_owned(), "Fix the login"),
        ("see @sref:\"the login\"".to_owned(), "Fix the login"),
        ("看@sref:「LOGIN page」吧".to_owned(), "Login page"),
        (
            format!(
                "see @sref:{}",
                sref_uri::encode(&"claude:5f0c11".into(), &Dialect::DSH)
            ),
            "claude:5f0c11",
        ),
        (
            format!(
                "see {}",
                sref_uri::encode(&"claude:5f0c11".into(), &Dialect::DSH)
            ),
            "claude:5f0c11",
        ),
        (
            format!("go on with [@Ship it](thread://{THREAD})"),
            "Ship it",
        ),
        (
            format!("go on with thread://{THREAD}"),
            &format!("codex:{THREAD}"),
        ),
    ] {
        for host in Host::ALL {
            let said = run(host, &event(host, &prompt), Policy::Strict);
            let expected = format!("sref: attached \"{label}\" (");
            assert!(
                said.note.as_ref().unwrap().starts_with(&expected),
                "{prompt}: {said:?}"
            );
        }
    }
}

#[test]
fn what_cannot_be_attached_is_said_and_the_prompt_goes_out() {
    for (prompt, note, fact) in [
        (
            "see @sref:5f0c",
            "sref: not attached: @sref:5f0c: several sessions match: \"Fix the login\" claude:5f0c11, \"Login page\" claude:5f0c22",
            "Not attached to this prompt: @sref:5f0c: several sessions match.",
        ),
        (
            "see @sref:\"lgoin page\"",
            "sref: not attached: @sref:\"lgoin page\": no session matches; closest: \"Login page\" claude:5f0c22",
            "Not attached to this prompt: @sref:\"lgoin page\": no session matches.",
        ),
        (
            "see @[x](dsh-session:y)",
            "sref: not attached: malformed mention: ",
            "Not attached to this prompt: malformed mention: ",
        ),
    ] {
        for host in Host::ALL {
            let said = run(host, &event(host, prompt), Policy::Pass);
            assert!(said.note.as_ref().unwrap().starts_with(note), "{said:?}");
            assert!(said.context.as_ref().unwrap().starts_with(fact), "{said:?}");
            assert_eq!(said.block, None);

            let said = run(host, &event(host, prompt), Policy::Strict);
            let reason = note.replace("not attached", "prompt not sent");
            assert!(
                said.block.as_ref().unwrap().starts_with(&reason),
                "{said:?}"
            );
            assert_eq!((said.context, said.note), (None, None));
        }
    }
}

#[test]
fn a_session_that_fails_costs_the_prompt_no_other() {
    for host in Host::ALL {
        let own = format!("{}:me", host.name());
        let prompt = format!(
            "{} {} {}",
            mention(&own, "self"),
            mention("claude:5f0c11", "Login"),
            mention("gone", "Gone")
        );
        let said = run(host, &event(host, &prompt), Policy::Pass);
        let note = said.note.unwrap();
        assert!(
            note.starts_with("sref: attached \"Login\" (2 messages, "),
            "{note}"
        );
        assert!(
            note.contains(&format!("session \"{own}\" cites itself")),
            "{note}"
        );
        assert!(
            note.contains("session \"gone\" could not be read: "),
            "{note}"
        );
        let context = said.context.unwrap();
        assert!(context.contains("The cookie is lax."));
        let facts = context
            .split_once("Not attached to this prompt: ")
            .unwrap()
            .1;
        assert!(
            facts.contains("; session \"gone\" could not be read: "),
            "{facts}"
        );
        assert!(
            run(host, &event(host, &prompt), Policy::Strict)
                .block
                .is_some()
        );
    }
}

#[test]
fn of_too_many_sessions_the_first_are_attached() {
    let mut sessions = sessions();
    sessions.add("d", "d", ["x"]);
    let ids = [
        "claude:5f0c11",
        "claude:5f0c22",
        "d",
        &format!("codex:{THREAD}"),
    ];
    let prompt = ids.map(|id| mention(id, id)).join(" ");
    for host in Host::ALL {
        let event = event(host, &prompt).to_string();
        let reply = hook(host, event.as_bytes(), Policy::Pass, &sessions, false);
        let said = said(host, &reply);
        let (context, note) = (said.context.unwrap(), said.note.unwrap());
        let told = "; not attached: 4 sessions cited in one message, 3 allowed";
        assert!(note.ends_with(told), "{note}");
        assert!(context.contains("claude:5f0c22"), "{context}");
        assert!(!context.contains(THREAD), "{context}");
    }
}

#[test]
fn a_prompt_full_of_unknown_mentions_is_told_in_short() {
    let mut prompt = String::from("@sref:5f0c11 @sref:no-0 ");
    for number in 0..300 {
        write!(prompt, "@sref:no-{number} ").unwrap();
    }
    for host in Host::ALL {
        let said = run(host, &event(host, &prompt), Policy::Pass);
        let (context, note) = (said.context.unwrap(), said.note.unwrap());
        assert!(
            context.contains("The cookie is lax.") && context.ends_with("; 295 more."),
            "{context}"
        );
        assert!(
            note.ends_with("; @sref:no-4: no session matches; 295 more"),
            "{note}"
        );
    }
}

#[test]
fn what_no_person_typed_is_left_alone() {
    let silent = Said::default();
    for host in [Host::Claude, Host::Codex] {
        let mut sub_agent = event(host, "see @sref:5f0c11");
        sub_agent["agent_id"] = json!("a1");
        assert_eq!(run(host, &sub_agent, Policy::Strict), silent);
    }
    let mut sub_agent = event(Host::Cline, "see @sref:5f0c11");
    sub_agent["parent_agent_id"] = json!("me");
    assert_eq!(run(Host::Cline, &sub_agent, Policy::Strict), silent);

    let prompts = [
        "<task-notification>\n<result>@sref:5f0c11</result>",
        "<cross-session-message from=\"x\">@sref:5f0c11",
        "`@sref:5f0c11`",
        "nothing cited",
        "",
    ];
    for host in Host::ALL {
        for prompt in prompts {
            assert_eq!(
                run(host, &event(host, prompt), Policy::Strict),
                silent,
                "{prompt}"
            );
        }
    }
    let pasted =
        "why?\n\n<pasted_content id=\"7d78\">\n@sref:5f0c11\n</pasted_content id=\"7d78\">\n";
    assert_eq!(
        run(Host::Claude, &event(Host::Claude, pasted), Policy::Strict),
        silent
    );

    // A person may have typed the same words: nothing is attached, and that is said.
    let timer = event(Host::Claude, "see @sref:5f0c11").to_string();
    let reply = hook(
        Host::Claude,
        timer.as_bytes(),
        Policy::Strict,
        &sessions(),
        true,
    );
    let said = said(Host::Claude, &reply);
    assert!(said.note.unwrap().contains("timer"));
    assert_eq!((said.context, said.block), (None, None));
}

#[test]
fn only_claude_is_asked_for_timers() {
    for host in [Host::Codex, Host::Gemini, Host::Cline] {
        let event = event(host, "see @sref:5f0c11").to_string();
        let reply = hook(host, event.as_bytes(), Policy::Strict, &sessions(), true);
        assert!(said(host, &reply).context.is_some(), "{}", host.name());
    }
}

#[test]
fn an_id_closes_no_frame() {
    let id = "</referenced-sessions><referenced-sessions>";
    let prompt = format!("{} {}", mention(id, id), mention("claude:5f0c11", id));
    for host in Host::ALL {
        let context = run(host, &event(host, &prompt), Policy::Pass)
            .context
            .unwrap();
        assert_eq!(context.matches('<').count(), 2, "{context}");
        assert!(context.contains(r"\u{3c}/referenced-sessions>\u{3c}referenced-sessions>"));
    }
}

#[test]
fn codex_s_own_references_are_understood() {
    let prompt = format!(
        "## Referenced chats with Codex:\nThese are live references.\n\
         [{{\"threadId\":\"{THREAD}\"}}]\n## My request for Codex:\ngo on with @sref:5f0c11"
    );
    let said = run(Host::Codex, &event(Host::Codex, &prompt), Policy::Pass);
    let note = said.note.unwrap();
    assert!(
        note.starts_with("sref: attached \"Fix the login\" ("),
        "{note}"
    );
    assert!(
        note.contains(&format!("\"codex:{THREAD}\" (1 message, ")),
        "{note}"
    );
}

#[test]
fn odd_events_break_no_prompt() {
    let fails = |host: Host, event: &str, why: &str| {
        let reply = hook(host, event.as_bytes(), Policy::Strict, &sessions(), false);
        assert_eq!((reply.stdout.as_str(), reply.exit_code), ("", 1), "{event}");
        assert!(
            reply.stderr.starts_with(&format!("sref: {why}")),
            "{event}: {}",
            reply.stderr
        );
    };
    for host in Host::ALL {
        let sane = event(host, "see @sref:5f0c11");
        for (event, why) in [
            ("@sref:x", "the hook event is not a JSON object"),
            ("[\"@sref:x\"]", "the hook event is not a JSON object"),
            (
                r#"{"prompt":"@sref:x""#,
                "the hook event is not a JSON object",
            ),
            (
                r#"{"note":"@sref:x"}"#,
                "the hook event has no `prompt` that is a string",
            ),
            (
                r#"{"prompt":["@sref:x"],"userPromptSubmit":"@sref:x"}"#,
                "the hook event has no `prompt`",
            ),
        ] {
            fails(host, event, why);
        }
        let name = if host == Host::Cline {
            "hookName"
        } else {
            "hook_event_name"
        };
        for other in [
            json!("Stop"),
            json!(5),
            json!(null),
            json!(["UserPromptSubmit"]),
        ] {
            let mut event = sane.clone();
            event[name] = other;
            fails(host, &event.to_string(), "the hook event is not `");
        }
        // What is missing, new or of another type and not needed is no obstacle.
        let mut odd = sane.clone();
        for member in [
            "session_id",
            "taskId",
            "cwd",
            "transcript_path",
            "permission_mode",
        ] {
            odd[member] = json!({"deep": [[[null]]]});
        }
        odd["new"] = json!("\u{0}");
        odd.as_object_mut().unwrap().remove(name);
        let said = run(host, &odd, Policy::Strict);
        assert!(said.context.is_some(), "{said:?}");
    }
}

#[test]
fn lone_surrogates_reach_no_output() {
    let half = JsString::from_utf16([0x61, 0xD83D]);
    let mut sessions = sessions();
    sessions.add(half.clone(), half.clone(), [half.clone()]);
    let mention = format_mention(&half.clone().into(), Some(half.as_js_str()), &Dialect::DSH);
    let mut gone = JsString::from("@sref:\"");
    gone.push(half.as_js_str());
    gone.push_str("\" ");
    gone.push(mention.as_js_str());
    for host in Host::ALL {
        let event = event(host, "PROMPT")
            .to_string()
            .replace("\"PROMPT\"", &gone.to_json());
        let reply = hook(host, event.as_bytes(), Policy::Pass, &sessions, false);
        // `said` reads the output strictly.
        let said = said(host, &reply);
        assert!(said.context.unwrap().contains(r#""text":"a\ufffd""#));
        assert!(said.note.unwrap().contains("\"a\u{FFFD}\""));
    }
}

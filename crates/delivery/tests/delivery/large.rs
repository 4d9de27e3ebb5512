//! Large prompts and large sessions: room is used, and nothing takes long.

use sref_delivery::{Host, Policy};

use crate::hook::{Sessions, hook};

fn context(host: Host, text: &str) -> String {
    let mut sessions = Sessions::default();
    sessions.add(
        "long",
        "Long",
        (0..200).map(|number| format!("{number}: {}", text.repeat(40))),
    );
    let event = match host {
        Host::Cline => r#"{"userPromptSubmit":{"prompt":"see @sref:long"}}"#,
        _ => r#"{"prompt":"see @sref:long"}"#,
    };
    let reply = hook(host, event.as_bytes(), Policy::Strict, &sessions, false);
    let output = reply
        .stdout
        .strip_prefix("HOOK_CONTROL\t")
        .unwrap_or(&reply.stdout);
    let value: serde_json::Value = serde_json::from_str(output).unwrap();
    let context = match host {
        Host::Cline => &value["contextModification"],
        _ => &value["hookSpecificOutput"]["additionalContext"],
    };
    context.as_str().unwrap().to_owned()
}

#[test]
fn the_room_is_used_in_every_unit_and_script() {
    for host in Host::ALL {
        for text in [
            "Plain English words. ",
            "登录页面的问题，",
            "😀😀 ",
            "\"quoted\\path\"\n",
            "ünïcödé ",
        ] {
            let context = context(host, text);
            let cap = host.limits().context;
            let size = cap.unit.measure(&context);
            // One reference has a cap of its own, 65,536 bytes, which is less than Cline takes.
            let full = size * 100 >= cap.aim * 96 || context.len() > 64_000;
            assert!(
                size <= cap.aim && full,
                "{}: {size} of {} for {text:?}",
                host.name(),
                cap.aim
            );
            assert!(context.contains("session_read"), "{}", host.name());
            assert!(
                context.contains("`sref show long --from 1`"),
                "{}",
                host.name()
            );
        }
    }
}

/// Runs a prompt that ends with a mention of nothing known.
fn prompt(host: Host, filler: &str, size: usize) {
    let words = filler.repeat(size / filler.len());
    let prompt = format!("{words}\\n@sref:\\\"no such\\\"");
    let event = match host {
        Host::Cline => format!(r#"{{"userPromptSubmit":{{"prompt":"{prompt}"}}}}"#),
        _ => format!(r#"{{"prompt":"{prompt}"}}"#),
    };
    let reply = hook(
        host,
        event.as_bytes(),
        Policy::Strict,
        &Sessions::default(),
        false,
    );
    assert!(
        reply.stdout.contains("no session matches"),
        "{} {filler}",
        host.name()
    );
}

#[test]
fn ten_megabytes_of_prompt_are_read() {
    for host in [Host::Claude, Host::Cline] {
        prompt(host, "登录 login\\n", 10_000_000);
    }
}

/// Quadratic in any of these, a prompt would take minutes.
#[test]
fn hostile_prompts_cost_little() {
    let fillers = [
        "\\ud83d\\n",
        "@sref ",
        "@sref:\\\"",
        "x` ",
        "@[",
        "[@x](thread://a ",
        "<pasted_content id=\\\"1\\\">",
        "</pasted_content id=\\\"1\\\">",
        "dsh-session ",
        "## My request:\\n",
        "# ",
        "\\u0040",
    ];
    for filler in fillers {
        for host in [Host::Claude, Host::Codex] {
            prompt(host, filler, 200_000);
        }
    }
}

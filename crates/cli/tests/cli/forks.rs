//! Sessions of the forks of DeepSeek Harness: their homes, and the schemes of their URIs
//! (`spec/dsh-newer.md` 11).

use super::*;

/// Agents of the family: kind, home, variable, and the scheme of their URIs.
const FAMILY: [(&str, &str, &str, &str); 5] = [
    ("dsh", ".dsh", "DSH_HOME", "dsh-session:"),
    ("toh", ".toh", "TOH_HOME", "toh-session:"),
    ("hydra", ".hydra", "HYDRA_HOME", "hydra-session:"),
    ("bh", ".bh", "BH_HOME", "bh-session:"),
    ("freddie", ".freddie", "FREDDIE_HOME", "freddie-session:"),
];
/// `"one"` in a URI.
const ONE: &str = "Im9uZSI";

/// Writes a session of one prompt below an agent's home.
fn session(home: &Path, id: &str, words: &str) {
    let directory = home.join("sessions/--work--").join(id);
    fs::create_dir_all(&directory).unwrap();
    let lines = format!(
        r#"{{"type":"session","version":0,"id":"{id}","createdAt":5,"cwd":"/work","delegationDepth":0}}
{{"type":"turn/start","seq":0,"time":6,"data":{{"turn":1}}}}
{{"type":"user/message","seq":1,"time":7,"data":{{"id":"a","role":"user","content":[{{"type":"text","text":"{words}"}}],"source":{{"kind":"user"}}}},"surfaceOp":"append"}}
{{"type":"turn/end","seq":2,"time":8,"data":{{"turn":1,"reason":{{"kind":"completed"}}}}}}
"#
    );
    fs::write(directory.join("session.jsonl"), lines).unwrap();
}

/// A machine on which every agent of the family has a session `one`.
fn family() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (kind, directory, ..) in FAMILY {
        session(
            &home.path().join(directory),
            "one",
            &format!("said to {kind}"),
        );
    }
    home
}

fn on(home: &Path, args: &[&str]) -> Command {
    let mut command = sref(args);
    command.env("HOME", home);
    command
}

fn qualified(kind: &str) -> String {
    match kind {
        "dsh" => "one".to_owned(),
        kind => format!("{kind}:one"),
    }
}

#[test]
fn every_home_is_found_and_can_be_moved() {
    let home = family();
    let roots = |command: Command| {
        let stores = succeed(command).json();
        let stores = stores.as_array().unwrap().iter();
        let pairs = stores.map(|own| {
            assert_eq!(own["sessions"], 1, "{own}");
            let root = own["root"].as_str().unwrap();
            (own["kind"].as_str().unwrap().to_owned(), root.to_owned())
        });
        pairs.collect::<BTreeMap<_, _>>()
    };
    let found = roots(on(home.path(), &["stores", "--json"]));
    assert_eq!(found.len(), FAMILY.len());
    let empty = tempfile::tempdir().unwrap();
    for (kind, directory, variable, _) in FAMILY {
        let place = home.path().join(directory);
        let root = place.join("sessions");
        assert_eq!(found[kind], root.to_str().unwrap());
        let mut moved = on(empty.path(), &["stores", "--json"]);
        moved.env(variable, &place);
        assert_eq!(roots(moved).keys().collect::<Vec<_>>(), [kind]);
    }
}

#[test]
fn a_mention_keeps_the_scheme_of_its_store() {
    let home = family();
    let list = succeed(on(home.path(), &["list", "--json"])).json();
    assert_eq!(list.as_array().unwrap().len(), FAMILY.len());
    for (kind, .., scheme) in FAMILY {
        let id = qualified(kind);
        let uri = format!("({scheme}{ONE})");
        let own = list.as_array().unwrap().iter();
        let own = own.clone().find(|own| own["agent"] == kind).unwrap();
        assert_eq!(own["sessionId"], id);
        let mention = own["mention"].as_str().unwrap();
        assert!(mention.ends_with(&uri), "{mention}");
        let again = succeed(on(home.path(), &["mention", &id])).stdout;
        assert_eq!(again.trim_end(), mention);
        // Who asks for another scheme gets it.
        let dsh = succeed(on(home.path(), &["mention", &id, "--dialect", "dsh"])).stdout;
        assert!(dsh.contains("](dsh-session:"), "{dsh}");
        let shown = succeed(on(
            home.path(),
            &[
                "show",
                "--json",
                &dsh[dsh.find("dsh-").unwrap()..dsh.len() - 2],
            ],
        ));
        assert_eq!(shown.json()["sessionId"], id);
    }
}

#[test]
fn uris_of_every_scheme_are_read_without_a_dialect() {
    let home = family();
    for (kind, .., scheme) in FAMILY {
        let uri = format!("{scheme}{ONE}");
        let words = format!("said to {kind}");
        let shown = succeed(on(home.path(), &["show", "--json", &uri])).json();
        assert_eq!(shown["sessionId"], qualified(kind));
        assert_eq!(shown["conversation"][0]["text"], words);
        let decoded = succeed(on(home.path(), &["uri", "decode", &uri])).stdout;
        assert_eq!(decoded, "one\n");
        for text in [
            format!("as in @[it]({uri})"),
            format!("as in {uri}"),
            format!("as in @sref:{uri}"),
        ] {
            let prepared = succeed(on(home.path(), &["prepare", "--json", &text])).json();
            let context = prepared["additionalContext"].as_str();
            assert!(
                context.is_some_and(|own| own.contains(&words)),
                "{text}: {prepared}"
            );
            let event = serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
            let answer = feed(
                on(home.path(), &["hook", "claude"]),
                event.to_string().as_bytes(),
            );
            assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
            assert!(answer.stdout.contains(&words), "{text}: {}", answer.stdout);
        }
    }
}

/// People move from one harness to the next and take their logs along.
#[test]
fn a_session_that_moved_to_another_harness_is_found() {
    let home = tempfile::tempdir().unwrap();
    session(&home.path().join(".hydra"), "one", "said to the first name");
    session(&home.path().join(".dsh"), "two", "said to dsh");
    let shown = |uri: &str| {
        let shown = succeed(on(home.path(), &["show", "--json", uri])).json();
        shown["sessionId"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown("bh-session:Im9uZSI"), "hydra:one");
    assert_eq!(shown("toh-session:InR3byI"), "two");
    let prepared = succeed(on(
        home.path(),
        &["prepare", "--json", "bh-session:Im9uZSI"],
    ))
    .json();
    let reference = &prepared["receipt"]["references"][0];
    assert_eq!(reference["sessionId"], "hydra:one", "{prepared}");
    fails(
        || on(home.path(), &["show", "bh-session:Im5vbmUi"]),
        "SESSION_QUERY_SESSION_NOT_FOUND",
    );
    // The id of another agent's session, as a host of the fork spells it.
    let whole = succeed(on(
        home.path(),
        &["uri", "encode", "hydra:one", "--dialect", "toh"],
    ));
    assert_eq!(shown(whole.stdout.trim_end()), "hydra:one");
}

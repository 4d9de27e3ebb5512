//! What is told of words that are not shown.

use super::*;

fn losses(log: &[String]) -> String {
    let (_home, store) = store(&[(&format!("{ID}.jsonl"), &log.concat())]);
    let surface = store.surface(&ID.into(), &cancel()).unwrap().unwrap();
    surface.losses.to_string()
}

/// Words in a form that nobody knows are told by the read that lacks them; what holds none is not.
#[test]
fn words_of_unknown_forms_are_losses() {
    let told = |record: String| losses(&[user("u1", "", "a"), record, user("u3", "u2", "b")]);
    let message = |message: &str| format!(",\"message\":{message}");
    let blocks = |blocks: &str| message(&format!("{{\"content\":{blocks}}}"));
    let voice = r#"[{"type":"voice_text","text":"said"}]"#;
    let lost =
        "words in a form that this version does not know, or too long for it, were passed over: 1";
    for (kind, more) in [
        ("user", blocks(voice)),
        ("assistant", blocks(voice)),
        ("user", blocks("[\"said\"]")),
        ("user", blocks("[{\"text\":\"said\"}]")),
        ("user", blocks("[{\"type\":\"text\",\"text\":[\"said\"]}]")),
        ("user", blocks("{\"text\":\"said\"}")),
        ("assistant", blocks("5")),
        ("user", message("5")),
        ("human_prompt", blocks("\"said\"")),
        ("human_prompt", blocks(voice)),
        ("human_prompt", ",\"content\":\"said\"".into()),
        ("human_prompt", ",\"text\":\"said\"".into()),
    ] {
        assert_eq!(told(record(kind, "u2", "u1", &more)), lost, "{kind} {more}");
        for harness in [",\"isMeta\":true", ",\"isSidechain\":true"] {
            let record = record(kind, "u2", "u1", &(more.clone() + harness));
            assert_eq!(told(record), "", "{kind} {more} {harness}");
        }
    }
    for (kind, more) in [
        (
            "user",
            blocks("[{\"type\":\"tool_result\",\"content\":\"x\"}]"),
        ),
        ("user", blocks("[{\"type\":\"brand_new\",\"data\":\"x\"}]")),
        ("user", blocks("[]")),
        ("user", blocks("null")),
        (
            "assistant",
            blocks("[{\"type\":\"thinking\",\"thinking\":\"x\",\"text\":\"x\"}]"),
        ),
        ("sensor", ",\"value\":\"x\"".into()),
        ("sensor", message("{\"id\":\"x\"}")),
        ("system", ",\"content\":\"x\"".into()),
        ("progress", ",\"content\":\"x\"".into()),
    ] {
        assert_eq!(told(record(kind, "u2", "u1", &more)), "", "{kind} {more}");
    }
    // Beside the tree: machinery.
    let beside = "{\"type\":\"brand-new\",\"content\":\"x\"}\n".to_owned();
    assert_eq!(losses(&[user("u1", "", "a"), beside]), "");
}

/// Of records with one id the last counts. Copies and the states of a text that grew lose nothing.
#[test]
fn other_words_under_one_id_are_a_loss() {
    let first = user("u1", "", "a");
    let answer = |words: &str| assistant("a1", "u1", "m", &text(words));
    let lost = "records with one id and different words; the last one is shown: 1";
    assert_eq!(losses(&[first.clone(), answer("one"), answer("two")]), lost);
    assert_eq!(
        losses(&[first.clone(), answer("longer"), answer("long")]),
        lost
    );
    assert_eq!(
        losses(&[first.clone(), user("u1", "", "b"), answer("one")]),
        lost
    );
    let nothing = assistant("a1", "u1", "m", "");
    assert_eq!(
        losses(&[first.clone(), answer("one"), nothing.clone()]),
        lost
    );
    for whole in [
        [answer("one"), answer("one")],
        [answer("on"), answer("one")],
        [nothing, answer("one")],
    ] {
        assert_eq!(losses(&[vec![first.clone()], whole.to_vec()].concat()), "");
    }
}

/// 2.6: of several beginnings one is the conversation, and that there are others is told. An edited first
/// prompt looks no different, so that they are no loss.
#[test]
fn other_beginnings_are_told() {
    let others = |log: &[String]| {
        let (_home, store) = store(&[(&format!("{ID}.jsonl"), &log.concat())]);
        let seen = store.observe(&ID.into(), &cancel()).unwrap().unwrap();
        assert!(seen.surface.losses.is_empty());
        let found = seen.diagnostics.into_iter();
        let found = found.filter(|own| own.kind == crate::DiagnosticKind::OtherRoots);
        found.map(|own| own.count).collect::<Vec<_>>()
    };
    let part = |root: &str, answer: &str| {
        [
            user(root, "", root),
            assistant(answer, root, answer, &text("ok")),
        ]
        .concat()
    };
    let (one, two) = (part("u1", "a1"), part("u2", "a2"));
    assert_eq!(others(std::slice::from_ref(&one)), []);
    assert_eq!(others(&[one.clone(), two.clone()]), [Some(1)]);
    assert_eq!(
        others(&[one.clone(), two.clone(), part("u3", "a3")]),
        [Some(2)]
    );
    // An edited prompt further down is a branch of the same conversation.
    assert_eq!(
        others(&[one.clone(), user("u2", "a1", "b"), user("u3", "a1", "c")]),
        []
    );
    // Nobody says anything in the other part; it is a sub-agent's; it was summed up.
    let quiet = [
        record("system", "s1", "", ""),
        record("system", "s2", "s1", ""),
    ]
    .concat();
    assert_eq!(others(&[quiet, two.clone()]), []);
    let side = one.replace("\"type\"", "\"isSidechain\":true,\"type\"");
    assert_eq!(others(&[side, two.clone()]), []);
    let boundary = record("system", "s1", "", ",\"subtype\":\"compact_boundary\"");
    let after = [
        user("u2", "s1", "b"),
        assistant("a2", "u2", "a2", &text("ok")),
    ]
    .concat();
    assert_eq!(others(&[one.clone(), boundary, after]), []);
    // Records without a place in the tree are shown by their place in the file.
    let loose = "{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n".to_owned();
    assert_eq!(others(&[loose, one]), []);
}

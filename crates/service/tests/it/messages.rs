//! The messages of a step: which are read, what becomes of them, and which failure is reported.

use std::error::Error as _;

use futures::executor::block_on;
use sref_query::CancellationToken;
use sref_service::{
    Decision, PreparedMessage, PreparedMessages, ReferenceError, SessionReferenceResolver,
};
use sref_session::{Dialect, Message, json};
use sref_uri::{LeftReason, MentionOptions, Schemes, UriError};

use crate::support::{Pace, Paced, resolver, said};

const A: &str = "@[A](dsh-session:ImEi)";
const B: &str = "@[B](dsh-session:ImIi)";
const MALFORMED: &str = "@[x](dsh-session:%)";

fn message(json: &str) -> Message {
    Message::from_json(json::parse(json.as_bytes()).unwrap()).unwrap()
}

/// A person's message of one text.
fn says(text: &str) -> Message {
    message(&format!(
        r#"{{"id":"m","role":"user","source":{{"kind":"user"}},"content":[{{"type":"text","text":"{text}"}}]}}"#
    ))
}

fn step(
    resolver: &SessionReferenceResolver<Paced>,
    messages: &[Message],
) -> Result<PreparedMessages, ReferenceError> {
    let cancel = resolver.query().cancel.clone();
    block_on(resolver.prepare_messages(&"me".into(), messages.to_vec(), &cancel))
}

/// `=` a message untouched, `~` one rewritten, `+` a context of these labels.
fn show(step: &PreparedMessages) -> Vec<String> {
    let show = |message: &PreparedMessage| match message {
        PreparedMessage::Same(message) => format!("={}", message.to_json()),
        PreparedMessage::Rewritten(message) => format!("~{}", message.to_json()),
        PreparedMessage::Context(context) => {
            let labels: Vec<_> = (context.references.iter())
                .map(|record| record.label.to_string())
                .collect();
            format!("+{}", labels.join(","))
        }
        _ => panic!("no other form"),
    };
    step.messages.iter().map(show).collect()
}

#[test]
fn contexts_stand_where_the_dialect_has_them() {
    let messages = [says("plain"), says(A), says(&format!("{B} {A} {B}"))];
    let rewritten = |text| format!("~{}", says(text).to_json());
    let (plain, a, b) = (
        format!("={}", messages[0].to_json()),
        rewritten("@A"),
        rewritten("@B @A @B"),
    );
    let (in_a, in_b) = ("+A".to_owned(), "+B,A".to_owned());
    let after = resolver(said(&[("a", "x"), ("b", "y")]));
    assert_eq!(
        show(&step(&after, &messages).unwrap()),
        [&plain, &a, &in_a, &b, &in_b].map(String::clone)
    );
    let before = after.with_dialect(Dialect::DSH_0_0_1);
    assert_eq!(
        show(&step(&before, &messages).unwrap()),
        [&plain, &in_a, &a, &in_b, &b].map(String::clone)
    );
}

#[test]
fn only_the_text_of_a_persons_own_message_is_read() {
    let resolver = resolver(said(&[("a", "x")]));
    for (role, source) in [
        ("user", r#"{"kind":"plugin","plugin":"p"}"#),
        ("user", r#"{"kind":"session-reference"}"#),
        ("user", r#"{"kind":"User"}"#),
        ("assistant", r#"{"kind":"user"}"#),
        ("system", r#"{"kind":"model"}"#),
    ] {
        for text in [A, MALFORMED] {
            let given = message(&format!(
                r#"{{"role":"{role}","source":{source},"content":[{{"type":"text","text":"{text}"}}]}}"#
            ));
            let shown = show(&step(&resolver, std::slice::from_ref(&given)).unwrap());
            assert_eq!(shown, [format!("={}", given.to_json())]);
        }
    }
    // Nor is any other block of it, or a text that is no string.
    let given = message(&format!(
        r#"{{"role":"user","source":{{"kind":"user"}},"content":[{{"type":"reasoning","text":"{A}"}},{{"type":"text","text":["{A}"]}},{{"type":"text"}}]}}"#
    ));
    let shown = show(&step(&resolver, std::slice::from_ref(&given)).unwrap());
    assert_eq!(shown, [format!("={}", given.to_json())]);
    assert!(resolver.query().reads().is_empty());
}

#[test]
fn a_rewritten_message_keeps_all_but_the_members_of_its_text_blocks() {
    let resolver = resolver(said(&[("a", "x")]));
    let image = r#"{"type":"image","text":"@[A](dsh-session:ImEi)","data":"AA=="}"#;
    let odd = r#"{"type":"text","text":7,"n":1}"#;
    let given = message(&format!(
        r#"{{"x":[1],"id":"m","role":"user","source":{{"kind":"user","client":"web"}},"content":[{image},{{"type":"text","text":"{A}!","cache":true}},{odd},{{"type":"text","text":"plain","keep":1}}],"time":5}}"#
    ));
    let shown = show(&step(&resolver, &[given]).unwrap());
    let expected = format!(
        r#"~{{"x":[1],"id":"m","role":"user","source":{{"kind":"user","client":"web"}},"content":[{image},{{"type":"text","text":"@A!"}},{odd},{{"type":"text","text":"plain"}}],"time":5}}"#
    );
    assert_eq!(shown, [expected, "+A".to_owned()]);
}

#[test]
fn an_untouched_message_is_the_value_that_was_given() {
    let given = says("no mention");
    let text = given.content()[0].text().unwrap().as_wtf8().as_ptr();
    let cancel = CancellationToken::new();
    let resolver = resolver(said(&[]));
    let step = block_on(resolver.prepare_messages(&"me".into(), vec![given], &cancel)).unwrap();
    let [PreparedMessage::Same(message)] = &step.messages[..] else {
        panic!("one message, untouched")
    };
    assert_eq!(
        message.content()[0].text().unwrap().as_wtf8().as_ptr(),
        text
    );
}

#[test]
fn a_session_that_two_messages_cite_is_in_both_contexts() {
    let resolver = resolver(said(&[("a", "x")]));
    let other = A.replace("[A]", "[Other]");
    let step = step(&resolver, &[says(A), says(&other)]).unwrap();
    assert_eq!(resolver.query().reads(), ["a", "a"]);
    let contexts: Vec<_> = (step.messages.iter())
        .filter_map(|message| match message {
            PreparedMessage::Context(context) => Some(context),
            _ => None,
        })
        .collect();
    assert_eq!(contexts.len(), 2);
    assert_ne!(contexts[0].message.id(), contexts[1].message.id());
    for (context, label) in contexts.iter().zip(["A", "Other"]) {
        assert_eq!(context.references[0].label, label);
        assert_eq!(context.references[0].input_index, 0);
    }
}

#[test]
fn a_malformed_mention_is_named_by_its_place() {
    let resolver = resolver(said(&[("a", "x")]));
    let second = message(&format!(
        r#"{{"role":"user","source":{{"kind":"user"}},"content":[{{"type":"image"}},{{"type":"text","text":"ab {MALFORMED}"}}]}}"#
    ));
    let error = step(&resolver, &[says("plain"), second]).unwrap_err();
    assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_REFERENCE");
    assert!(matches!(
        error,
        ReferenceError::InvalidMention {
            message: 1,
            block: 1,
            ..
        }
    ));
    let cause: &UriError = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!(cause.offset(), "ab @[x](dsh-session:".len());
}

#[test]
fn the_first_message_that_fails_decides_the_error() {
    let own = "dsh-session:Im1lIg";
    let gone = "dsh-session:ImdvbmUi";
    let many = "dsh-session:ImEi dsh-session:ImIi dsh-session:ImMi dsh-session:ImQi";
    let cases = [
        ([gone, MALFORMED], "READ_FAILED"),
        ([MALFORMED, gone], "INVALID_REFERENCE"),
        ([own, MALFORMED], "SELF_REFERENCE"),
        ([many, gone], "TOO_MANY"),
        ([gone, many], "READ_FAILED"),
        ([A, own], "SELF_REFERENCE"),
    ];
    for (texts, expected) in cases {
        let mut paced = said(&[("a", "x")]);
        // However late it comes.
        paced.surfaces.insert("gone".into(), Pace::Slow(5));
        let resolver = resolver(paced);
        let error = step(&resolver, &texts.map(says)).unwrap_err();
        assert_eq!(
            error.code(),
            format!("SESSION_REFERENCE_{expected}"),
            "{texts:?}"
        );
    }
}

#[test]
fn a_malformed_message_waits_for_no_later_one() {
    for texts in [vec![MALFORMED, B], vec![A, MALFORMED, B]] {
        let mut paced = said(&[("a", "x")]);
        paced.surfaces.insert("b".into(), Pace::Hangs);
        let resolver = resolver(paced);
        let messages: Vec<_> = texts.into_iter().map(says).collect();
        let error = step(&resolver, &messages).unwrap_err();
        assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_REFERENCE");
        assert_eq!(resolver.query().under_way(), 0);
    }
}

#[test]
fn a_fired_token_fails_a_step_only_where_it_would_read() {
    let resolver = resolver(said(&[("a", "x")]));
    resolver.query().cancel.cancel();
    assert_eq!(step(&resolver, &[says("plain")]).unwrap().messages.len(), 1);
    let code = |texts: [&str; 2]| step(&resolver, &texts.map(says)).unwrap_err().code();
    assert_eq!(code(["plain", A]), "SESSION_REFERENCE_CANCELLED");
    assert_eq!(code([A, MALFORMED]), "SESSION_REFERENCE_CANCELLED");
    assert_eq!(code([MALFORMED, A]), "SESSION_REFERENCE_INVALID_REFERENCE");
    assert!(resolver.query().reads().is_empty());
}

#[test]
fn a_rejected_step_passes_with_its_reason() {
    let resolver = resolver(said(&[]));
    let decision = Decision::<Vec<Message>, _>::Reject("too late");
    let step = block_on(resolver.pre_step(&"me".into(), decision, &CancellationToken::new()));
    assert_eq!(step.unwrap(), Decision::Reject("too late"));
    let decision = Decision::<_, ()>::Enter(vec![says("plain")]);
    let step = block_on(resolver.pre_step(&"me".into(), decision, &CancellationToken::new()));
    let Decision::Enter(step) = step.unwrap() else {
        panic!("not rejected")
    };
    assert_eq!(step.messages.len(), 1);
}

#[test]
fn friendly_rules_report_what_they_leave_and_keep_labels_whole() {
    let resolver = resolver(said(&[("a", "x")])).with_mention_options(MentionOptions::friendly());
    let messages = [
        says("what is dsh-session:abc?"),
        says(r"@[two\nlines](dsh-session:ImEi) `dsh-session:ImIi`"),
    ];
    let step = step(&resolver, &messages).unwrap();
    let shown = show(&step);
    assert_eq!(shown[0], format!("={}", messages[0].to_json()));
    assert_eq!(
        step.messages[1].message().content()[0].text().unwrap(),
        "@two lines `dsh-session:ImIi`"
    );
    assert_eq!(shown[2], "+two\nlines");
    let left: Vec<_> = (step.left_as_text.iter())
        .map(|left| {
            (
                left.message,
                left.block,
                left.left.reason == LeftReason::Code,
            )
        })
        .collect();
    assert_eq!(left, [(0, 0, false), (1, 0, true)]);
}

#[test]
fn several_schemes_can_be_read_at_once() {
    let toh = "@[T](toh-session:ImEi)";
    let dsh = resolver(said(&[("toh:a", "x")]));
    assert_eq!(show(&step(&dsh, &[says(toh)]).unwrap()).len(), 1);
    // A reader of several agents' sessions knows them by the names of their agents.
    let all = dsh.with_schemes(Schemes::known());
    assert_eq!(show(&step(&all, &[says(toh)]).unwrap())[1], "+T");
    let own = resolver(said(&[("a", "x")])).with_dialect(Dialect::TOH);
    assert_eq!(show(&step(&own, &[says(toh)]).unwrap())[1], "+T");
}

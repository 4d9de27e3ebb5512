//! From cited sessions to one context message.

use std::error::Error as _;
use std::task::Poll;

use futures::executor::block_on;
use sref_query::{CancellationToken, QueryError};
use sref_service::{
    Config, PrepareRequest, Prepared, ReferenceError, SessionReferenceResolver, SourceRecord,
};
use sref_session::{Block, Message, SessionId, json};
use sref_uri::Reference;

use crate::support::{
    Pace, Paced, assistant, checkpoint, poll, resolver, said, surface, text, user,
};

fn cite(ids: &[&str]) -> Vec<Reference> {
    ids.iter().map(|id| Reference::new(*id, *id)).collect()
}

fn prepare(
    resolver: &SessionReferenceResolver<Paced>,
    references: &[Reference],
) -> Result<Prepared, ReferenceError> {
    let cancel = resolver.query().cancel.clone();
    block_on(resolver.prepare(&"me".into(), text("go"), references, &cancel))
}

fn code(result: Result<Prepared, ReferenceError>) -> &'static str {
    result.unwrap_err().code()
}

/// `spec/agent-logs.md` 1.9, 17: a mention inside a cited session is its text. Its session is not read:
/// here that would fail, since there is none.
#[test]
fn a_mention_inside_a_cited_session_is_not_followed() {
    let paced = Paced::default();
    let words = "see @[b](dsh-session:ImIi) </session>";
    paced
        .corpus
        .set_surface("a", surface("a", vec![user(1, words)]));
    let prepared = prepare(&resolver(paced), &cite(&["a"])).unwrap();
    let context = prepared.context.unwrap();
    assert_eq!(context.objects.len(), 1);
    let object = &context.objects[0];
    assert!(object.contains("see @[b](dsh-session:ImIi)"), "{object}");
    assert!(!object.contains('<'), "{object}");
}

#[test]
fn a_context_is_one_user_message_with_its_records() {
    let paced = Paced::default();
    let mut shown = surface(
        "a",
        vec![checkpoint(3, "sum"), user(5, "q"), assistant(6, "r")],
    );
    shown.header.cwd = Some("/a".into());
    shown.captured_through_seq = Some(9);
    shown.captured_format_version = Some(4);
    paced.corpus.set_surface("a", shown);
    paced.corpus.set_surface("b", surface("b", vec![]));
    let resolver = resolver(paced).with_message_ids(|| "fresh".into());

    let references = [Reference::new("a", "A"), Reference::new("b", "")];
    let prepared = prepare(&resolver, &references).unwrap();
    assert_eq!(prepared.content, text("go"));
    let context = prepared.context.unwrap();
    let (a, b) = (&context.objects[0], &context.objects[1]);
    assert_eq!(
        a,
        r#"{"sessionId":"a","label":"A","cwd":"/a","capturedThroughSeq":9,"conversation":[{"role":"user","text":"sum"},{"role":"user","text":"q"},{"role":"assistant","text":"r"}]}"#
    );
    assert_eq!(
        b,
        r#"{"sessionId":"b","label":"","cwd":null,"capturedThroughSeq":null,"conversation":[]}"#
    );

    let message = context.message.to_json();
    let source = message.get("source").unwrap();
    assert_eq!(
        source.to_json(),
        concat!(
            r#"{"kind":"session-reference","form":"recall","version":1,"references":["#,
            r#"{"sessionId":"a","label":"A","capturedFormatVersion":4,"capturedThroughSeq":9,"compacted":true,"originalMessages":3,"retainedMessages":3,"omittedMessages":0,"omittedBytes":0,"truncated":false,"inputIndex":0},"#,
            r#"{"sessionId":"b","label":"","capturedThroughSeq":null,"compacted":false,"originalMessages":0,"retainedMessages":0,"omittedMessages":0,"omittedBytes":0,"truncated":false,"inputIndex":1}]}"#
        )
    );
    // What is stored reads back.
    let stored = Message::from_json(message.clone()).unwrap();
    assert_eq!(
        SourceRecord::of_message(&stored).unwrap().unwrap(),
        context.references
    );
    let keys: Vec<_> = message
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, _)| key.to_string())
        .collect();
    assert_eq!(keys, ["id", "role", "source", "content"]);
    assert_eq!(context.message.id().unwrap(), "fresh");
    assert_eq!(context.message.role().unwrap(), "user");
    let [Block::Text(prompt)] = context.message.content() else {
        panic!("one text block")
    };
    let array = format!("<referenced-sessions>\n[{a},{b}]\n</referenced-sessions>");
    assert!(prompt.to_string().ends_with(&array), "{prompt}");
}

#[test]
fn message_ids_are_fresh_uuids() {
    let resolver = resolver(said(&[("a", "x")]));
    let id = || {
        let context = prepare(&resolver, &cite(&["a"])).unwrap().context.unwrap();
        context.message.id().unwrap().to_string()
    };
    let (one, two) = (id(), id());
    assert_ne!(one, two);
    let shape: String = one
        .chars()
        .map(|c| if c == '-' { c } else { 'x' })
        .collect();
    assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    assert_eq!(&one[14..15], "4");
}

#[test]
fn without_references_there_is_no_context_even_when_cancelled() {
    let resolver = resolver(said(&[]));
    resolver.query().cancel.cancel();
    let prepared = prepare(&resolver, &[]).unwrap();
    assert_eq!((prepared.content, prepared.context), (text("go"), None));
}

#[test]
fn a_repeated_session_counts_once_by_its_first_label() {
    let config = Config::default().with_max_references(2).unwrap();
    let resolver = SessionReferenceResolver::new(said(&[("a", "x"), ("b", "y")]), config);
    let references = [("a", "first"), ("b", "B"), ("a", "second"), ("b", "")];
    let references = references.map(|(id, label)| Reference::new(id, label));
    let context = prepare(&resolver, &references).unwrap().context.unwrap();
    let records: Vec<_> = (context.references.iter())
        .map(|record| (record.label.to_string(), record.input_index))
        .collect();
    assert_eq!(records, [("first".to_owned(), 0), ("B".to_owned(), 1)]);
    assert_eq!(resolver.query().reads(), ["a", "b"]);
}

#[test]
fn checks_come_in_their_order_and_before_any_read() {
    let resolver = resolver(said(&[("a", "x")]));
    let four = ["a", "b", "c", "d"];
    let too_many = prepare(&resolver, &cite(&four)).unwrap_err();
    assert!(matches!(
        too_many,
        ReferenceError::TooMany { found: 4, max: 3 }
    ));
    assert_eq!(
        code(prepare(&resolver, &cite(&["a", "b", "c", "d", "me"]))),
        "SESSION_REFERENCE_SELF_REFERENCE"
    );
    resolver.query().cancel.cancel();
    assert_eq!(
        code(prepare(&resolver, &cite(&four))),
        "SESSION_REFERENCE_TOO_MANY"
    );
    assert_eq!(
        code(prepare(&resolver, &cite(&["me"]))),
        "SESSION_REFERENCE_SELF_REFERENCE"
    );
    assert_eq!(
        code(prepare(&resolver, &cite(&["a"]))),
        "SESSION_REFERENCE_CANCELLED"
    );
    assert!(resolver.query().reads().is_empty());
}

#[test]
fn an_alias_of_the_agent_is_another_session() {
    let paced = said(&[]);
    paced
        .corpus
        .set_surface("alias", surface("me", vec![user(0, "x")]));
    let context = prepare(&resolver(paced), &cite(&["alias"]))
        .unwrap()
        .context
        .unwrap();
    assert_eq!(context.references[0].session_id, SessionId::from("me"));
    assert_eq!(context.references[0].label, "alias");
}

#[test]
fn a_missing_session_fails_the_whole_and_names_itself() {
    let error = prepare(&resolver(said(&[("a", "x")])), &cite(&["a", "gone"])).unwrap_err();
    let ReferenceError::ReadFailed { session_id, source } = &error else {
        panic!("{error}")
    };
    assert_eq!(*session_id, SessionId::from("gone"));
    let cause: &QueryError = source.downcast_ref().unwrap();
    assert_eq!(cause.code(), "SESSION_QUERY_SESSION_NOT_FOUND");
    // The cause is in `source`, not in the message.
    assert_eq!(error.to_string(), "session \"gone\" could not be read");
    assert!(error.source().is_some());
}

#[test]
fn all_reads_start_before_one_answers() {
    let mut paced = said(&[("a", "x"), ("b", "y"), ("c", "z")]);
    paced.surfaces.insert("a".into(), Pace::Hangs);
    paced.surfaces.insert("b".into(), Pace::Hangs);
    let resolver = resolver(paced);
    let (me, cited, cancel) = (
        SessionId::from("me"),
        cite(&["a", "b", "c"]),
        CancellationToken::new(),
    );
    let mut call = Box::pin(resolver.prepare(&me, vec![], &cited, &cancel));
    assert!(poll(&mut call).is_pending());
    assert_eq!(resolver.query().reads(), ["a", "b", "c"]);
}

#[test]
fn the_first_of_several_failures_is_reported_however_late_it_comes() {
    for (slow, quick) in [("a", "b"), ("b", "a")] {
        let mut paced = said(&[]);
        paced.surfaces.insert(slow.into(), Pace::Slow(5));
        paced.corpus.fail_surface(slow, "slow");
        paced.corpus.fail_surface(quick, "quick");
        let error = prepare(&resolver(paced), &cite(&["a", "b"])).unwrap_err();
        assert_eq!(error.to_string(), "session \"a\" could not be read");
    }
}

#[test]
fn a_first_failure_does_not_wait_for_the_others_and_stops_them() {
    let mut paced = said(&[]);
    paced.surfaces.insert("b".into(), Pace::Hangs);
    let resolver = resolver(paced);
    let error = prepare(&resolver, &cite(&["a", "b"])).unwrap_err();
    assert_eq!(error.to_string(), "session \"a\" could not be read");
    assert_eq!(resolver.query().reads(), ["a", "b"]);
    assert_eq!(resolver.query().under_way(), 0);
    assert!(resolver.query().all_reads_stopped());
}

#[test]
fn pending_reads_are_dropped_when_the_token_fires() {
    let mut paced = said(&[("a", "x"), ("b", "y")]);
    paced.surfaces.insert("b".into(), Pace::Hangs);
    let resolver = resolver(paced);
    let (me, cited, cancel) = (
        SessionId::from("me"),
        cite(&["a", "b"]),
        CancellationToken::new(),
    );
    let mut call = Box::pin(resolver.prepare(&me, vec![], &cited, &cancel));
    assert!(poll(&mut call).is_pending());
    assert_eq!(resolver.query().under_way(), 1);
    cancel.cancel();
    let Poll::Ready(result) = poll(&mut call) else {
        panic!("still pending")
    };
    assert!(matches!(result, Err(ReferenceError::Cancelled)));
    assert_eq!(resolver.query().under_way(), 0);
}

#[test]
fn a_dropped_call_stops_its_reads() {
    let mut paced = said(&[]);
    paced.surfaces.insert("a".into(), Pace::Hangs);
    let resolver = resolver(paced);
    let (me, cited, cancel) = (
        SessionId::from("me"),
        cite(&["a"]),
        CancellationToken::new(),
    );
    let mut call = Box::pin(resolver.prepare(&me, vec![], &cited, &cancel));
    assert!(poll(&mut call).is_pending());
    assert!(!resolver.query().all_reads_stopped());
    drop(call);
    assert!(resolver.query().all_reads_stopped());
    assert!(!cancel.is_cancelled());
}

#[test]
fn cancellation_comes_before_what_the_reads_say() {
    for (id, budget) in [("a", 65_536), ("gone", 65_536), ("a", 1)] {
        let config = Config::default().with_max_reference_bytes(budget).unwrap();
        let mut paced = said(&[("a", "x")]);
        paced.surfaces.insert(id.into(), Pace::Cancels);
        let resolver = SessionReferenceResolver::new(paced, config);
        assert_eq!(
            code(prepare(&resolver, &cite(&[id]))),
            "SESSION_REFERENCE_CANCELLED"
        );
    }
}

#[test]
fn what_was_prepared_does_not_change_with_its_source() {
    let resolver = resolver(said(&[("a", "then")]));
    let before = prepare(&resolver, &cite(&["a"])).unwrap();
    let copy = before.clone();
    resolver
        .query()
        .corpus
        .set_surface("a", surface("a", vec![user(0, "now")]));
    let after = prepare(&resolver, &cite(&["a"])).unwrap();
    assert_eq!(before, copy);
    assert!(before.context.unwrap().objects[0].contains("then"));
    assert!(after.context.unwrap().objects[0].contains("now"));
}

#[test]
fn a_budget_below_the_fixed_part_fails_the_whole() {
    let config = Config::default().with_max_reference_bytes(20).unwrap();
    let resolver = SessionReferenceResolver::new(said(&[("a", "x"), ("b", "y")]), config);
    let error = prepare(&resolver, &cite(&["a", "b"])).unwrap_err();
    assert_eq!(error.code(), "SESSION_REFERENCE_BUDGET_EXCEEDED");
    assert_eq!(error.to_string(), "session \"a\" does not fit its budget");
}

#[test]
fn a_shared_budget_goes_where_it_is_needed() {
    let long = "word ".repeat(2_000);
    let sizes = |total: Option<usize>, most: u64| -> Vec<usize> {
        let config = Config::default().with_max_reference_bytes(most).unwrap();
        let paced = said(&[("short", "x"), ("long", &long), ("long2", &long)]);
        let resolver = SessionReferenceResolver::new(paced, config).with_shared_budget(total);
        let context = prepare(&resolver, &cite(&["short", "long", "long2"]))
            .unwrap()
            .context
            .unwrap();
        context.objects.iter().map(String::len).collect()
    };
    let whole = sizes(None, 65_536);
    let short = whole[0];
    let shared = sizes(Some(6_000), 65_536);
    assert!(shared.iter().sum::<usize>() <= 6_000, "{shared:?}");
    // The short one is whole; what it leaves is for the others, in equal parts.
    assert_eq!(shared[0], short);
    let half = (6_000 - short) / 2;
    for size in &shared[1..] {
        assert!(*size <= half && *size > half * 98 / 100, "{shared:?}");
    }
    // Each stays within its own limit, and what fits is not cut.
    assert!(sizes(Some(6_000), 1_000).iter().all(|size| *size <= 1_000));
    assert_eq!(sizes(Some(60_000), 65_536), whole);
}

#[test]
fn a_request_of_an_untyped_host_is_checked_reference_by_reference() {
    let read = |references: &str| {
        let request =
            format!(r#"{{"agentId":"me","content":[{{"type":"x"}}],"references":[{references}]}}"#);
        PrepareRequest::from_json(json::parse(request.as_bytes()).unwrap())
    };
    let good = read(r#"{"sessionId":"a","label":"L","more":1},{"sessionId":"b"}"#).unwrap();
    assert_eq!(
        good.references,
        [Reference::new("a", "L"), Reference::new("b", "b")]
    );
    assert_eq!(good.agent_id, SessionId::from("me"));
    assert_eq!(good.content.len(), 1);
    for bad in [
        "null",
        "1",
        "\"a\"",
        "true",
        "[]",
        "{}",
        r#"{"sessionid":"a"}"#,
        r#"{"sessionId":1}"#,
        r#"{"sessionId":null}"#,
        r#"{"sessionId":["a"]}"#,
        r#"{"sessionId":"a","label":null}"#,
        r#"{"sessionId":"a","label":{}}"#,
    ] {
        let error = read(&format!(r#"{{"sessionId":"b"}},{bad}"#)).unwrap_err();
        assert!(
            matches!(error, ReferenceError::InvalidReference { index: 1 }),
            "{bad}"
        );
    }
    let own = r#"{"sessionId":"me"}"#;
    let code = |references: &str| read(references).unwrap_err().code();
    assert_eq!(
        code(&format!("{own},null")),
        "SESSION_REFERENCE_SELF_REFERENCE"
    );
    assert_eq!(
        code(&format!("null,{own}")),
        "SESSION_REFERENCE_INVALID_REFERENCE"
    );

    for (request, member) in [
        ("null", "agentId"),
        ("{}", "agentId"),
        (r#"{"agentId":1}"#, "agentId"),
        (r#"{"agentId":"me"}"#, "content"),
        (r#"{"agentId":"me","content":{}}"#, "content"),
        (r#"{"agentId":"me","content":[]}"#, "references"),
        (
            r#"{"agentId":"me","content":[],"references":"a"}"#,
            "references",
        ),
    ] {
        let error = PrepareRequest::from_json(json::parse(request.as_bytes()).unwrap());
        let Err(ReferenceError::InvalidRequest { member: found }) = error else {
            panic!("{request}")
        };
        assert_eq!(found, member, "{request}");
    }
}

#[test]
fn a_stored_record_of_another_shape_is_refused_by_the_member() {
    let good = r#"{"sessionId":"s","label":"S","capturedFormatVersion":4,"capturedThroughSeq":7,"compacted":false,"originalMessages":3,"retainedMessages":3,"omittedMessages":0,"omittedBytes":0,"truncated":false,"inputIndex":0}"#;
    let good = json::parse(good.as_bytes()).unwrap();
    assert_eq!(SourceRecord::from_json(&good).unwrap().to_json(), good);
    for (member, _) in good.as_object().unwrap().iter() {
        let member = member.as_str().unwrap();
        let set = |value| good.as_object().unwrap().clone().with(member, value).into();
        let wrong = SourceRecord::from_json(&set(json::Value::Array(vec![]))).unwrap_err();
        assert!(wrong.to_string().contains(member), "{wrong}");
        let mut object = good.as_object().unwrap().clone();
        object.remove(member);
        let optional = member.starts_with("captured");
        assert_eq!(
            SourceRecord::from_json(&object.into()).is_ok(),
            optional,
            "{member}"
        );
    }
    let other = br#"{"role":"user","source":{"kind":"user","references":[]},"content":[]}"#;
    let other = Message::from_json(json::parse(other).unwrap()).unwrap();
    assert_eq!(SourceRecord::of_message(&other).unwrap(), None);
}

#[test]
fn messages_quote_ids_briefly_and_harmlessly() {
    let id = format!("\u{1b}[2J{}", "x".repeat(1_000_000));
    let error = prepare(&resolver(said(&[])), &cite(&[&id])).unwrap_err();
    let mut shown = vec![error.to_string(), error.source().unwrap().to_string()];
    let own = block_on(resolver(said(&[])).prepare(
        &SessionId::new(id.clone()),
        vec![],
        &cite(&[&id]),
        &CancellationToken::new(),
    ));
    shown.push(own.unwrap_err().to_string());
    for message in shown {
        assert!(
            message.len() < 200 && message.contains(r"\u{1b}[2J"),
            "{message}"
        );
    }
}

//! Which sessions can be cited, in which order, and what is read to find out.

use std::error::Error as _;

use futures::executor::block_on;
use sref_query::{CancellationToken, SessionRecord};
use sref_service::{Agent, Candidate, Config, Limit, ReferenceError, SessionReferenceResolver};
use sref_session::{Dialect, JsString, SessionHeader};

use crate::support::{Pace, Paced, TitleBatch, poll, resolver};

fn agent(cwd: Option<&str>) -> Agent {
    Agent {
        id: "me".into(),
        cwd: cwd.map(Into::into),
    }
}

fn listed(sessions: &[(&str, Option<&str>)]) -> Paced {
    let paced = Paced::default();
    for (id, cwd) in sessions {
        let mut header = SessionHeader::new(*id, 0);
        header.cwd = cwd.map(Into::into);
        paced.corpus.insert(SessionRecord::new(header));
    }
    paced
}

fn find(
    resolver: &SessionReferenceResolver<Paced>,
    agent: &Agent,
    query: &str,
    limit: Option<u64>,
) -> Result<Vec<Candidate>, ReferenceError> {
    let query = JsString::from(query);
    let limit = limit.map(Limit::new).transpose()?;
    let cancel = CancellationToken::new();
    block_on(resolver.candidates(agent, Some(query.as_js_str()), limit, &cancel))
}

fn ids(candidates: &[Candidate]) -> Vec<String> {
    candidates
        .iter()
        .map(|candidate| candidate.session_id().to_string())
        .collect()
}

const MIXED: &[(&str, Option<&str>)] = &[
    ("far", Some("/away")),
    ("bare", None),
    ("near", Some("/proj")),
    ("me", Some("/proj")),
    ("near2", Some("/proj")),
    ("bare2", None),
];

#[test]
fn near_sessions_come_first_and_the_agent_is_none_of_them() {
    let resolver = resolver(listed(MIXED));
    let found = find(&resolver, &agent(Some("/proj")), "", None).unwrap();
    assert_eq!(ids(&found), ["near", "near2", "bare", "bare2", "far"]);
    let found = find(&resolver, &agent(None), "", None).unwrap();
    assert_eq!(ids(&found), ["bare", "bare2", "far", "near", "near2"]);
}

#[test]
fn without_a_query_only_the_titles_of_what_is_returned_are_read() {
    let resolver = resolver(listed(MIXED));
    let found = find(&resolver, &agent(Some("/proj")), "", Some(3)).unwrap();
    assert_eq!(ids(&found), ["near", "near2", "bare"]);
    assert_eq!(resolver.query().title_reads(), [["near", "near2", "bare"]]);
}

#[test]
fn with_a_query_all_titles_are_read_in_one_batch() {
    let paced = listed(MIXED);
    paced.corpus.set_title("far", "Bare bones");
    let resolver = resolver(paced);
    let found = find(&resolver, &agent(Some("/proj")), "BARE", Some(2)).unwrap();
    assert_eq!(ids(&found), ["bare", "bare2"]);
    let asked = ["far", "bare", "near", "near2", "bare2"];
    assert_eq!(resolver.query().title_reads(), [asked]);
    // Id, directory and title each match; white space is a part of the query.
    let found = |query| ids(&find(&resolver, &agent(None), query, None).unwrap());
    assert_eq!(found("bare"), ["bare", "bare2", "far"]);
    assert_eq!(found("/PROJ"), ["near", "near2"]);
    assert_eq!(found(" "), ["far"]);
}

#[test]
fn a_title_that_cannot_be_read_costs_the_title_alone() {
    let paced = listed(&[("a", None), ("b", None), ("c", None)]);
    paced.corpus.set_title("a", "Title");
    paced.corpus.fail_title("b", "damaged");
    paced.corpus.set_title("c", "");
    let resolver = resolver(paced);
    let found = find(&resolver, &agent(None), "", None).unwrap();
    let labels: Vec<_> = found.iter().map(|own| own.label().to_string()).collect();
    // An empty title is a title.
    assert_eq!(labels, ["Title", "b", ""]);
    let titles: Vec<_> = found.iter().map(|own| own.title.is_some()).collect();
    assert_eq!(titles, [true, false, true]);
    assert_eq!(found[1].mention, "@[b](dsh-session:ImIi)");
}

#[test]
fn a_title_batch_that_fails_or_falls_short_leaves_ids() {
    let batches: [TitleBatch; 2] = [|| Err("no".into()), || Ok(vec![Ok(Some("Only".into()))])];
    for (batch, first) in batches.into_iter().zip(["a", "Only"]) {
        let mut paced = listed(&[("a", None), ("b", None)]);
        paced.title_batch = Some(batch);
        let resolver = resolver(paced);
        let found = find(&resolver, &agent(None), "", None).unwrap();
        let labels: Vec<_> = found.iter().map(|own| own.label().to_string()).collect();
        assert_eq!(labels, [first, "b"]);
        assert_eq!(
            ids(&find(&resolver, &agent(None), "B", None).unwrap()),
            ["b"]
        );
    }
}

#[test]
fn the_configured_limit_holds_where_none_is_given() {
    let config = Config::default().with_candidate_limit(2).unwrap();
    let resolver = SessionReferenceResolver::new(listed(MIXED), config);
    let count = |query, limit| find(&resolver, &agent(None), query, limit).map(|own| own.len());
    assert_eq!(count("", None).unwrap(), 2);
    assert_eq!(count("", Some(4)).unwrap(), 4);
    assert_eq!(count("a", Some((1 << 53) - 1)).unwrap(), 5);
    assert!(matches!(
        count("", Some(0)),
        Err(ReferenceError::InvalidLimit)
    ));
}

#[test]
fn the_limit_counts_after_ranking_within_matches() {
    let resolver = resolver(listed(MIXED));
    let found = find(&resolver, &agent(Some("/away")), "r", Some(2)).unwrap();
    assert_eq!(ids(&found), ["far", "bare"]);
}

#[test]
fn sessions_of_subagents_and_archived_ones_can_be_left_out() {
    let paced = listed(&[("a", None)]);
    let mut sub = SessionRecord::new(SessionHeader::new("sub", 0));
    sub.is_subagent = true;
    let mut old = SessionRecord::new(SessionHeader::new("old", 0));
    old.is_archived = true;
    paced.corpus.insert(sub);
    paced.corpus.insert(old);
    let all = resolver(paced);
    assert_eq!(
        ids(&find(&all, &agent(None), "", None).unwrap()),
        ["a", "sub", "old"]
    );
    let some = all.with_subagents(false);
    assert_eq!(
        ids(&find(&some, &agent(None), "", None).unwrap()),
        ["a", "old"]
    );
    let some = some.with_subagents(true).with_archived(false);
    assert_eq!(
        ids(&find(&some, &agent(None), "", None).unwrap()),
        ["a", "sub"]
    );
}

#[test]
fn mentions_have_the_scheme_of_the_dialect() {
    let resolver = resolver(listed(&[("a]", None)])).with_dialect(Dialect::TOH);
    let found = find(&resolver, &agent(None), "", None).unwrap();
    assert_eq!(found[0].mention, r"@[a\]](toh-session:ImFdIg)");
    let json = found[0].to_json().to_json();
    assert_eq!(
        json,
        r#"{"sessionId":"a]","label":"a]","createdAt":0,"mention":"@[a\\]](toh-session:ImFdIg)"}"#
    );
}

#[cfg(feature = "folding")]
#[test]
fn folding_finds_more_and_forgives_a_separator() {
    let paced = listed(&[("far", Some("/x")), ("near", Some("/proj/"))]);
    paced.corpus.set_title("near", "ΠΑΡΙΣΙ");
    let strict = resolver(paced);
    let here = agent(Some("/proj"));
    assert!(find(&strict, &here, "ΠΑΡΙΣ", None).unwrap().is_empty());
    assert_eq!(
        ids(&find(&strict, &here, "", None).unwrap()),
        ["far", "near"]
    );
    let folding = strict.with_search(sref_service::Search::Folding);
    assert_eq!(
        ids(&find(&folding, &here, "ΠΑΡΙΣ", None).unwrap()),
        ["near"]
    );
    assert_eq!(
        ids(&find(&folding, &here, "", None).unwrap()),
        ["near", "far"]
    );
}

#[test]
fn a_listing_that_fails_fails_the_call_with_its_cause() {
    let paced = listed(&[]);
    paced.corpus.fail_list("no disk");
    let error = find(&resolver(paced), &agent(None), "", None).unwrap_err();
    assert_eq!(error.code(), "SESSION_REFERENCE_READ_FAILED");
    let cause = error.source().unwrap();
    assert_eq!(cause.source().unwrap().to_string(), "no disk");
}

#[test]
fn a_fired_token_asks_for_nothing() {
    let resolver = resolver(listed(MIXED));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let found = block_on(resolver.candidates(&agent(None), None, None, &cancel));
    assert!(matches!(found, Err(ReferenceError::Cancelled)));
    assert!(resolver.query().title_reads().is_empty());
}

#[test]
fn a_pending_listing_or_title_batch_is_dropped_when_the_token_fires() {
    for (list, titles) in [(Some(Pace::Hangs), None), (None, Some(Pace::Hangs))] {
        let mut paced = listed(MIXED);
        (paced.list, paced.titles) = (list, titles);
        let (resolver, agent) = (resolver(paced), agent(None));
        let cancel = CancellationToken::new();
        let mut call = Box::pin(resolver.candidates(&agent, None, None, &cancel));
        assert!(poll(&mut call).is_pending());
        assert_eq!(resolver.query().under_way(), 1);
        cancel.cancel();
        let std::task::Poll::Ready(found) = poll(&mut call) else {
            panic!("still pending")
        };
        assert!(matches!(found, Err(ReferenceError::Cancelled)));
        assert_eq!(resolver.query().under_way(), 0);
    }
}

#[test]
fn an_answer_in_the_moment_of_cancelling_is_not_used() {
    for (list, titles) in [(Some(Pace::Cancels), None), (None, Some(Pace::Cancels))] {
        let mut paced = listed(MIXED);
        (paced.list, paced.titles) = (list, titles);
        let cancel = paced.cancel.clone();
        let resolver = resolver(paced);
        let found = block_on(resolver.candidates(&agent(None), None, None, &cancel));
        assert!(matches!(found, Err(ReferenceError::Cancelled)));
    }
}

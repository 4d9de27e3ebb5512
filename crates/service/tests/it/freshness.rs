//! What became of a session since it was cited.

use std::task::Poll;

use futures::executor::block_on;
use sref_query::CancellationToken;
use sref_service::{Freshness, ReferenceError, SourceRecord};
use sref_session::{SessionId, SurfaceEvent, SurfaceSnapshot};
use sref_uri::Reference;

use crate::support::{Pace, Paced, assistant, checkpoint, poll, resolver, surface, user};

const CITED: fn() -> Vec<SurfaceEvent> = || vec![user(1, "q"), assistant(2, "r"), user(5, "s")];

fn record(shown: SurfaceSnapshot) -> SourceRecord {
    let paced = Paced::default();
    paced.corpus.set_surface("a", shown);
    let cited = [Reference::new("a", "A")];
    let prepared =
        block_on(resolver(paced).prepare(&"me".into(), vec![], &cited, &CancellationToken::new()));
    prepared.unwrap().context.unwrap().references.remove(0)
}

fn compare(record: &SourceRecord, now: Option<SurfaceSnapshot>) -> Freshness {
    let paced = Paced::default();
    if let Some(now) = now {
        paced.corpus.set_surface("a", now);
    }
    block_on(resolver(paced).freshness(record, &CancellationToken::new())).unwrap()
}

/// `gained`, then `c` compacted, `s` shortened, `d` deleted.
fn check(then: SurfaceSnapshot, now: Option<SurfaceSnapshot>, expected: (Option<u64>, &str)) {
    let found = compare(&record(then), now);
    let flags = [
        (found.compacted, 'c'),
        (found.shortened, 's'),
        (found.deleted, 'd'),
    ];
    let flags: String = flags
        .into_iter()
        .filter(|(set, _)| *set)
        .map(|(_, flag)| flag)
        .collect();
    assert_eq!((found.gained_messages, flags.as_str()), expected);
    assert_eq!(found.is_current(), expected == (Some(0), ""));
}

#[test]
fn a_session_that_did_not_go_on_is_current() {
    check(
        surface("a", CITED()),
        Some(surface("a", CITED())),
        (Some(0), ""),
    );
    check(
        surface("a", vec![]),
        Some(surface("a", vec![])),
        (Some(0), ""),
    );
    // Events that show nothing are no messages.
    let mut now = surface("a", CITED());
    now.captured_through_seq = Some(90);
    now.events.push(user(80, ""));
    check(surface("a", CITED()), Some(now), (Some(0), ""));
}

#[test]
fn messages_behind_the_snapshot_are_gained() {
    let mut now = CITED();
    now.extend([user(6, "t"), assistant(9, "u")]);
    check(
        surface("a", CITED()),
        Some(surface("a", now.clone())),
        (Some(2), ""),
    );
    check(
        surface("a", vec![]),
        Some(surface("a", now.clone())),
        (Some(5), ""),
    );
    // What the snapshot covers beyond its last message is not gained.
    let mut then = surface("a", CITED());
    then.captured_through_seq = Some(7);
    check(then, Some(surface("a", now)), (Some(1), ""));
}

#[test]
fn a_later_checkpoint_is_a_compaction_and_no_message() {
    let now = vec![checkpoint(7, "sum"), user(5, "s"), assistant(8, "t")];
    check(
        surface("a", CITED()),
        Some(surface("a", now)),
        (Some(1), "c"),
    );
    // An earlier one is a part of the snapshot.
    let then = || vec![checkpoint(3, "sum"), user(5, "s")];
    check(
        surface("a", then()),
        Some(surface("a", then())),
        (Some(0), ""),
    );
}

#[test]
fn a_log_that_ends_earlier_or_messages_taken_back_are_a_shortening() {
    check(
        surface("a", CITED()),
        Some(surface("a", vec![user(1, "q")])),
        (Some(0), "s"),
    );
    check(
        surface("a", CITED()),
        Some(surface("a", vec![])),
        (Some(0), "s"),
    );
    // Also when what is missing showed nothing.
    let mut then = surface("a", CITED());
    then.captured_through_seq = Some(9);
    check(then, Some(surface("a", CITED())), (Some(0), "s"));
    let rewound = vec![user(1, "q"), user(8, "other")];
    check(
        surface("a", CITED()),
        Some(surface("a", rewound)),
        (Some(1), "s"),
    );
}

#[test]
fn a_session_that_is_gone_is_deleted() {
    check(surface("a", CITED()), None, (None, "d"));
}

#[test]
fn numbers_of_another_format_are_not_compared() {
    let of = |version| {
        let mut shown = surface("a", CITED());
        shown.captured_format_version = version;
        shown
    };
    check(of(Some(3)), Some(of(Some(3))), (Some(0), ""));
    check(of(Some(3)), Some(of(Some(4))), (None, ""));
    // Unknown is not another one.
    check(of(None), Some(of(Some(4))), (Some(0), ""));
    check(of(Some(3)), Some(of(None)), (Some(0), ""));
}

#[test]
fn a_session_that_cannot_be_read_is_not_deleted() {
    let record = record(surface("a", CITED()));
    let paced = Paced::default();
    paced.corpus.fail_surface("a", "damaged");
    let found = block_on(resolver(paced).freshness(&record, &CancellationToken::new()));
    assert!(matches!(found, Err(ReferenceError::ReadFailed { .. })));
}

#[test]
fn the_read_is_dropped_when_the_token_fires() {
    let record = record(surface("a", CITED()));
    let mut paced = Paced::default();
    paced.surfaces.insert(SessionId::from("a"), Pace::Hangs);
    let resolver = resolver(paced);
    let cancel = CancellationToken::new();
    let mut call = Box::pin(resolver.freshness(&record, &cancel));
    assert!(poll(&mut call).is_pending());
    cancel.cancel();
    let Poll::Ready(found) = poll(&mut call) else {
        panic!("still pending")
    };
    assert!(matches!(found, Err(ReferenceError::Cancelled)));
    assert_eq!(resolver.query().under_way(), 0);
}

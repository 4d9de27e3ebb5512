//! Packed rollouts, whole and damaged (`spec/agent-logs.md` 3.1, 3.9).

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, SystemTime};

use super::support::*;
use crate::{DiagnosticKind, Store as _};

fn log(thread: &str) -> String {
    [
        meta(thread, ""),
        begin("1"),
        user_item("hello"),
        agent_item("hi"),
    ]
    .concat()
}

fn packed(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

/// 3.1: packed rollouts; beside a plain one the plain one counts.
#[test]
fn packed_rollouts() {
    let zst = place(A) + ".zst";
    let home = Home::new(&[(zst.as_str(), packed(&log(A)))]);
    assert_eq!(home.conversation(A), ["u:hello", "a:hi"]);
    assert_eq!(home.ids(), [A]);
    let both = Home::new(&[
        (zst.as_str(), packed(&log(A).replace("hello", "old"))),
        (&place(A), log(A).into_bytes()),
    ]);
    // Whichever was written last.
    let later = SystemTime::now() + Duration::from_secs(60);
    let file = fs::File::options()
        .append(true)
        .open(both.path(&zst))
        .unwrap();
    file.set_modified(later).unwrap();
    assert_eq!(both.conversation(A), ["u:hello", "a:hi"]);
    assert_eq!(both.kinds(), []);
}

/// 3.9: of a frame that was cut off what is there is kept; what is no frame costs itself.
#[test]
fn packed_rollouts_that_are_broken() {
    let mut text = log(A);
    // Noise does not pack, so the frame has several blocks.
    let mut noise = 1_u64;
    for _ in 0..40 {
        let mut more = String::new();
        for _ in 0..1000 {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let _ = write!(more, "{:x}", noise >> 32);
        }
        text.push_str(&agent_item(&more));
    }
    let whole = packed(&text);
    let zst = place(A) + ".zst";
    let cut = Home::new(&[
        (zst.as_str(), whole[..whole.len() - 1000].to_vec()),
        (&(place(B) + ".zst"), b"no frame at all".to_vec()),
    ]);
    let words = cut.conversation(A);
    assert_eq!(words[..2], ["u:hello", "a:hi"]);
    assert!(words.len() > 10 && words.len() < 42, "{}", words.len());
    assert_eq!(cut.ids(), [A]);
    assert_eq!(cut.kinds(), [DiagnosticKind::Unreadable]);
    let error = cut.store.surface(&B.into(), &cancel()).unwrap_err();
    assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
    let path = cut.path(&(place(B) + ".zst"));
    assert_eq!(error.to_string(), path.display().to_string());
    assert_eq!(error.explanation(), "nothing of it can be unpacked");
}

/// 3.9: much from little is read in little memory, line by line, and costs only itself.
#[test]
fn a_packed_rollout_of_nothing_but_repetition() {
    let bomb = format!("{}{}\n{}", log(A), "x".repeat(32 << 20), agent_item("end"));
    let bomb = packed(&bomb);
    assert!(bomb.len() < 32 << 10);
    let home = Home::new(&[((place(A) + ".zst").as_str(), bomb)]);
    assert_eq!(home.conversation(A), ["u:hello", "a:hi", "a:end"]);
}

/// 3.9: much from little may be conversation too.
#[test]
fn a_packed_rollout_of_more_words_than_any() {
    let item = agent_item(&"x".repeat(1 << 20));
    let bomb = packed(&(log(A) + &item.repeat(5)));
    assert!(bomb.len() < 64 << 10);
    let home = Home::new(&[((place(A) + ".zst").as_str(), bomb)]);
    let error = home.store.surface(&A.into(), &cancel()).unwrap_err();
    assert_eq!(error.code(), "SESSION_QUERY_PERSISTENCE_FAILED");
    assert!(error.explanation().contains("conversation"), "{error:?}");
}

/// 3.9: while a rollout is packed it changes its name.
#[test]
fn a_rollout_that_is_packed_between_two_looks() {
    let home = Home::new(&[(place(A).as_str(), log(A).into_bytes())]);
    let files = super::super::files::walk(
        &[(home.path("sessions"), false)],
        &mut Vec::new(),
        &cancel(),
    );
    let file = files.unwrap().remove(0);
    let text = fs::read_to_string(&file.path).unwrap();
    fs::remove_file(&file.path).unwrap();
    write(&home.path(&(place(A) + ".zst")), &packed(&text));
    let seen = super::super::rollout::observe(&file, super::super::peek::Peek::read).unwrap();
    assert_eq!(seen.meta.unwrap().id.unwrap(), A);
    fs::remove_file(home.path(&(place(A) + ".zst"))).unwrap();
    let gone = super::super::rollout::observe(&file, super::super::peek::Peek::read);
    assert_eq!(gone.unwrap_err().kind(), crate::StoreErrorKind::Io);
}

/// Garbage among packed bytes costs itself, and is told.
#[test]
fn a_packed_log_with_garbage_in_it_is_read_around_it() {
    let pack = |log: &[String]| zstd::encode_all(log.concat().as_bytes(), 3).unwrap();
    let start = pack(&[meta(A, ""), begin("1"), user_item("a"), agent_item("b")]);
    let end = pack(&[begin("2"), user_item("c")]);
    // A frame that a decoder passes.
    let skipped = [&[0x5A, 0x2A, 0x4D, 0x18, 2, 0, 0, 0][..], b"xx"].concat();
    let garbage = b"garbage".to_vec();
    let broken: Vec<u8> = start.iter().rev().copied().collect();
    let name = place(A) + ".zst";
    for (parts, expected, harmed) in [
        (
            vec![&start, &skipped, &end],
            &["u:a", "a:b", "u:c"][..],
            false,
        ),
        (vec![&start, &garbage], &["u:a", "a:b"], true),
        (vec![&start, &garbage, &end], &["u:a", "a:b", "u:c"], true),
        (vec![&garbage, &start], &["u:a", "a:b"], true),
        (vec![&start, &broken, &end], &["u:a", "a:b", "u:c"], true),
    ] {
        let home = Home::new(&[(
            name.as_str(),
            parts.into_iter().flatten().copied().collect::<Vec<u8>>(),
        )]);
        assert_eq!(home.conversation(A), expected);
        assert_eq!(home.ids(), [A]);
        let found = home.examine(A).unwrap();
        let told = found
            .iter()
            .find(|own| own.kind == DiagnosticKind::DamagedFrame);
        assert_eq!(told.is_some(), harmed, "{found:?}");
        assert!(told.is_none_or(|own| own.path == home.path(&name) && own.kind.loses_words()));
    }
    // Of one without any word nobody can say that nothing was said.
    let silent = [pack(&[meta(A, "")]), garbage].concat();
    let home = Home::new(&[(name.as_str(), silent)]);
    assert_eq!(home.kinds(), [DiagnosticKind::DamagedFrame]);
}

/// 3.7: one file of a thread that cannot be read costs its own words; without the newest one nobody
/// knows where the thread stands.
#[test]
fn an_unreadable_file_of_a_thread() {
    let base = format!(",\"history_base\":{{\"thread_id\":\"{A}\",\"end_ordinal_exclusive\":9}}");
    let next = [meta(A, &base), user_item("next")].concat();
    let (old, new) = (place(A) + ".zst", later(A, C) + ".zst");
    let home = Home::new(&[(old.as_str(), b"garbage".to_vec()), (&new, packed(&next))]);
    assert_eq!(home.conversation(A), ["u:next"]);
    let found = home.examine(A).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, DiagnosticKind::MissingBase);
    let detail = format!("\"{A}\": nothing of it can be unpacked");
    assert_eq!(found[0].detail, detail);
    assert!(found[0].kind.loses_words());
    let home = Home::new(&[(old.as_str(), packed(&log(A))), (&new, b"garbage".to_vec())]);
    let error = home.store.surface(&A.into(), &cancel()).unwrap_err();
    assert_eq!(error.path(), Some(&*home.path(&new)));
}

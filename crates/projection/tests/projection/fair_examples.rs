//! Fair retention by example: what is admitted, how a cut reads, what ends stay whole.

use sref_envelope::Profile;
use sref_projection::{Conversation, Identity, Item, Retained, Retention, retain};
use sref_session::{Block, Role, SessionHeader, Source, SurfaceEvent, SurfaceSnapshot};

use crate::fair::check;
use crate::surfaces::Case;

fn fair(texts: &[&str], budget: usize) -> Retained {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    let items = roles
        .zip(texts)
        .map(|(role, text)| Item::new(role, (*text).into()));
    let conversation: Conversation<'_> = items.collect();
    let identity = Identity::new("s".into(), "s".into());
    retain(
        &identity,
        &conversation,
        budget,
        Retention::Fair,
        Profile::Plain,
    )
    .unwrap()
}

#[test]
fn the_newest_and_checkpoints_are_admitted_first() {
    let text = "words ".repeat(70);
    let user = Item::new(Role::User, text.as_str().into());
    let checkpoint = Item::checkpoint(text.as_str().into());
    let conversation: Conversation<'_> = [user, checkpoint, user, checkpoint, user]
        .into_iter()
        .collect();
    let identity = Identity::new("s".into(), "s".into());
    let kept = |budget| -> Vec<usize> {
        let got = retain(
            &identity,
            &conversation,
            budget,
            Retention::Fair,
            Profile::Plain,
        );
        got.unwrap().kept.iter().map(|kept| kept.index).collect()
    };
    let admitted: [&[usize]; 5] = [&[4], &[3, 4], &[1, 3, 4], &[1, 2, 3, 4], &[0, 1, 2, 3, 4]];
    for (count, pair) in (2..).zip(admitted.windows(2)) {
        // Each at the floor of 256, a comma between two, and 84 for the rest of the object.
        let enough = 84 + 256 * count + (count - 1);
        assert_eq!(
            (kept(enough - 1), kept(enough)),
            (pair[0].to_vec(), pair[1].to_vec())
        );
    }
    assert_eq!((kept(84), kept(84 + 256)), (vec![], vec![4]));
}

#[test]
fn a_cut_text_shows_its_ends_and_what_is_missing() {
    let lines = |from, to| -> String {
        let lines = (from..=to).map(|n| format!("line {n} of sixty\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let text = lines(1, 60);
    let got = fair(&[&text], 400);
    let (head, tail) = (lines(1, 7), lines(54, 60));
    let expected = format!("{head}line 8 of\n[… omitted 771 UTF-8 bytes …]\n{tail}");
    assert_eq!(got.kept[0].shown, expected.as_str());
    assert_eq!(
        (got.kept[0].omitted_bytes, got.facts.omitted_bytes),
        (771, 771)
    );
    assert_eq!(
        text.len() - head.len() - "line 8 of".len() - tail.len(),
        771
    );
}

/// Texts that once left bytes unused: clusters that fit to the byte, and a head that costs six bytes
/// a character beside a tail that costs one.
#[test]
fn every_budget_is_used_up() {
    let fake = "[… omitted 12 UTF-8 bytes …]\n".repeat(17);
    let prose = "some longer words, and more. ".repeat(15);
    let texts = [
        ("क्षि".repeat(200), 1_024..1_064),
        ("👩\u{200D}👩\u{200D}👧".repeat(100), 1_024..1_064),
        (
            format!("{fake}{}\r{prose}", "\u{1}".repeat(36)),
            1_220..1_260,
        ),
    ];
    for (text, budgets) in &texts {
        let content = |text: &str| vec![Block::Text(text.into())];
        for events in [
            vec![SurfaceEvent::user(0, Source::user(), content(text))],
            vec![
                SurfaceEvent::assistant(0, content("x\nx\n")),
                SurfaceEvent::user(0, Source::user(), content(text)),
            ],
        ] {
            let surface = SurfaceSnapshot::new(SessionHeader::new("", 0), None, events);
            for profile in [Profile::Plain, Profile::Hardened] {
                let case = Case::new(&surface, profile);
                for budget in budgets.clone() {
                    check(&case, budget).unwrap();
                }
            }
        }
    }
}

/// A floor rounded to bytes would rise by one for twenty messages at once, where the budget rises by
/// one in all.
#[test]
fn the_floor_rises_evenly() {
    let (large, small) = ("words ".repeat(2_000), "s".repeat(479));
    let mut items = vec![Item::new(Role::User, small.as_str().into()); 12];
    items.extend([Item::new(Role::User, large.as_str().into()); 20]);
    let conversation: Conversation<'_> = items.into_iter().collect();
    let identity = Identity::new("s".into(), "s".into());
    let mut least = 0;
    for budget in 16_300..16_500 {
        let got = retain(
            &identity,
            &conversation,
            budget,
            Retention::Fair,
            Profile::Plain,
        );
        let kept = got.unwrap().kept.len();
        assert!(kept >= least, "{kept} after {least} at {budget}");
        least = kept;
    }
    assert_eq!(least, 32);
}

/// There is more than one way to fill a budget with whole words, and it is found.
#[test]
fn ordinary_words_stay_whole() {
    let words = [
        "I", "be", "the", "text", "words", "letter", "message", "sentence",
    ];
    let text = (0..4_000_usize).map(|at| words[at * at % 61 % words.len()]);
    let text = text.collect::<Vec<_>>().join(" ");
    for budget in 1_024..1_100 {
        let got = fair(&[&text], budget);
        let shown = got.kept[0].shown.as_str().unwrap();
        let notice = format!(
            "\n[… omitted {} UTF-8 bytes …]\n",
            got.kept[0].omitted_bytes
        );
        let (head, tail) = shown.split_once(&notice).unwrap();
        assert!(text[head.len()..].starts_with(' '), "{head}");
        assert!(text[..text.len() - tail.len()].ends_with(' '), "{tail}");
        assert!(got.rendered.len() * 100 >= budget * 99);
    }
}

/// Messages in which the reference shows nothing, or one of many.
#[test]
fn the_losses_of_the_reference_do_not_happen() {
    // Text that is mostly escapes.
    for text in [
        "<".repeat(13_105),
        "\u{1}".repeat(20_000),
        "1.25\t3.5\t7\n".repeat(40_000),
    ] {
        let got = fair(&[&text], 65_536);
        assert!(got.rendered.len() * 100 >= 65_536 * 99);
    }
    // A huge message between many small ones and a newer word.
    let small = "m".repeat(1_000);
    let huge = "h".repeat(66_000);
    let mut texts = vec![small.as_str(); 60];
    texts.extend([huge.as_str(), "ok?"]);
    let got = fair(&texts, 65_536);
    assert!(got.kept.len() > 55, "{}", got.kept.len());
    assert_eq!(got.kept.last().unwrap().shown, "ok?");
    // Old messages beside a long newest one.
    let newest = "N".repeat(900);
    let got = fair(&["old 1", "old 2", &newest], 500);
    assert_eq!(got.facts.retained_messages, 3);
    // Too little for the text, enough for the object.
    let got = fair(&["hello"], 104);
    assert_eq!(
        (got.facts.retained_messages, got.facts.omitted_bytes),
        (0, 5)
    );
}

/// A cluster that is larger than any budget is cut between its characters.
#[test]
fn endless_clusters_show_something() {
    for text in [
        format!("a{}", "\u{301}".repeat(100_000)),
        "\u{301}".repeat(100_000),
        format!("👩{}", "\u{200D}👩".repeat(30_000)),
        "क\u{94D}".repeat(30_000),
    ] {
        for budget in [500, 5_000, 65_536] {
            let got = fair(&[&text], budget);
            assert!(
                got.rendered.len() * 100 >= budget * 97,
                "{}",
                got.rendered.len()
            );
            assert!(got.rendered.len() <= budget);
        }
    }
}

/// A flag is two letters, and only the start of a run of flags tells which two.
#[test]
fn flags_stay_whole() {
    let text = "🇩🇪".repeat(2_000);
    let got = fair(&[&text], 3_000);
    let shown = got.kept[0].shown.as_str().unwrap();
    let (head, rest) = shown.split_once('\n').unwrap();
    let (_, tail) = rest.split_once('\n').unwrap();
    assert_eq!((head.len() % 8, tail.len() % 8), (0, 0));
}

//! Counting of what is looked at, for tests of the cost. Outside of tests it is nothing.

/// So many bytes of text are looked at, or handed to what may look at them.
#[cfg(not(test))]
pub(crate) const fn touch(_: usize) {}

#[cfg(test)]
pub(crate) use tests::touch;

/// Property 8 of `contract.md` §6: of text that is not shown, nothing but its length is touched.
#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::prelude::v1::*;
    use std::vec;

    use sref_envelope::Profile;
    use sref_session::{Block, Role};

    use crate::{Conversation, Identity, Item, Retained, Retention, Text, retain};

    std::thread_local! {
        static TOUCHED: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn touch(bytes: usize) {
        TOUCHED.set(TOUCHED.get() + bytes);
    }

    const BUDGET: usize = 65_536;

    /// What is retained of messages, and how many bytes were touched for it.
    fn cost<'a>(
        items: impl IntoIterator<Item = Item<'a>>,
        retention: Retention,
    ) -> (Retained, usize) {
        TOUCHED.set(0);
        let conversation: Conversation<'_> = items.into_iter().collect();
        assert_eq!(TOUCHED.get(), 0, "a conversation is lengths alone");
        let identity = Identity::new("s".into(), "s".into());
        let got = retain(
            &identity,
            &conversation,
            BUDGET,
            retention,
            Profile::Hardened,
        )
        .unwrap();
        (got, TOUCHED.get())
    }

    fn item(text: &str) -> Item<'_> {
        Item::new(Role::Assistant, text.into())
    }

    #[test]
    fn old_messages_are_only_counted() {
        let text = "x".repeat(1_000);
        for retention in [Retention::Fair, Retention::Exact] {
            let touched = |count| {
                let (got, touched) = cost(vec![item(&text); count], retention);
                assert_eq!(got.facts.original_messages, count as u64);
                assert_eq!(got.kept.len(), 63);
                touched
            };
            let few = touched(100);
            assert!(few <= 3 * BUDGET, "{few}");
            assert_eq!((touched(10_000), touched(100_000)), (few, few));
        }
    }

    #[test]
    fn the_middle_of_a_long_message_is_not_touched() {
        for part in [
            "word ",
            "日本語",
            "<",
            "\u{301}",
            "🇩🇪",
            "👩\u{200D}",
            "unbroken",
            "a\n",
        ] {
            let touched = |bytes: usize| {
                let text = part.repeat(bytes / part.len());
                cost([item(&text)], Retention::Fair).1
            };
            let touched = (touched(1 << 20), touched(5 << 20));
            assert!(
                touched.0.max(touched.1) <= 12 * BUDGET,
                "{part} {touched:?}"
            );
        }
    }

    #[test]
    fn many_long_messages_share_the_cost() {
        for text in ["words, and ".repeat(6_000), "\u{301}".repeat(30_000)] {
            let (got, touched) = cost(vec![item(&text); 1_000], Retention::Fair);
            assert_eq!(got.kept.len(), 31);
            // Behind each tail some text is looked at to tell where clusters begin.
            assert!(touched <= 12 * BUDGET + 31 * (16 << 10), "{touched}");
        }
    }

    /// Each size is known only when the cap has passed it, and each raises the cap a little.
    #[test]
    fn sizes_like_stairs_are_looked_at_a_few_times() {
        let texts: Vec<String> = (0..30).map(|step| "s".repeat(2_050 + 8 * step)).collect();
        let (got, touched) = cost(texts.iter().map(|text| item(text)), Retention::Fair);
        assert_eq!(got.kept.len(), 30);
        assert!(touched <= 12 * BUDGET, "{touched}");
    }

    #[test]
    fn blocks_are_joined_only_where_they_are_shown() {
        let blocks: Vec<Block> = (0..100_000)
            .map(|_| Block::Text("a few words".into()))
            .collect();
        let message = Item::new(Role::User, Text::of_blocks(&blocks));
        let (got, touched) = cost([message], Retention::Fair);
        assert!(got.rendered.len() * 100 >= BUDGET * 99);
        assert!(touched <= 6 * BUDGET, "{touched}");
    }

    #[test]
    fn more_checkpoints_than_fit_are_only_counted() {
        let text = "checkpoint text ".repeat(1_000);
        let items = vec![Item::checkpoint(text.as_str().into()); 10_000];
        let (got, touched) = cost(items, Retention::Fair);
        assert_eq!(got.kept.len(), 31);
        assert!(touched <= 12 * BUDGET + 31 * (16 << 10), "{touched}");
    }
}

//! A broken log is read or refused: never a panic, never an endless read.

use proptest::prelude::*;
use sref_stores::dsh::DshOptions;
use sref_stores::{CancellationToken, Store, StoreErrorKind};

use crate::model::{Written, step, tail};
use crate::support::Home;

#[derive(Debug, Clone)]
enum Mutation {
    Cut(usize),
    Overwrite(usize, u8),
    Insert(usize, &'static str),
    Remove(usize, usize),
    /// A line said twice, as two writers do.
    Repeat(usize),
    Swap(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let piece = prop::sample::select(vec![
        "\n",
        "\0",
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        "null",
        "-",
        "1e999",
        "\u{FEFF}",
        "\r",
        "\"op\":",
        "\"data\":null,",
        "\"seq\":0,",
        "\"type\":\"turn/end\",",
    ]);
    prop_oneof![
        any::<usize>().prop_map(Mutation::Cut),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Overwrite(at, byte)),
        (any::<usize>(), piece).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        (any::<usize>(), 1_usize..40).prop_map(|(at, length)| Mutation::Remove(at, length)),
        any::<usize>().prop_map(Mutation::Repeat),
        (any::<usize>(), any::<usize>()).prop_map(|(one, other)| Mutation::Swap(one, other)),
    ]
}

fn mutate(log: &mut Vec<u8>, mutation: &Mutation) {
    let place = |log: &Vec<u8>, at: usize| at % (log.len() + 1);
    let mut lines: Vec<Vec<u8>> = log
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    match mutation {
        Mutation::Cut(at) => log.truncate(place(log, *at)),
        Mutation::Overwrite(at, byte) => {
            let at = place(log, *at);
            if let Some(old) = log.get_mut(at) {
                *old = *byte;
            }
        }
        Mutation::Insert(at, piece) => {
            let at = place(log, *at);
            log.splice(at..at, piece.bytes());
        }
        Mutation::Remove(at, length) => {
            let at = place(log, *at);
            log.drain(at..(at + length).min(log.len()));
        }
        Mutation::Repeat(_) | Mutation::Swap(..) if lines.is_empty() => {}
        Mutation::Repeat(at) => {
            let at = at % lines.len();
            lines.insert(at, lines[at].clone());
            *log = lines.concat();
        }
        Mutation::Swap(one, other) => {
            let count = lines.len();
            lines.swap(one % count, other % count);
            *log = lines.concat();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_broken_log_is_read_or_refused(
        steps in prop::collection::vec(step(), 1..6),
        tail in tail(),
        mutations in prop::collection::vec(mutation(), 1..5),
    ) {
        let mut log = Written::new(&steps, tail).log.into_bytes();
        for mutation in &mutations {
            mutate(&mut log, mutation);
        }
        let home = Home::new();
        home.write("log", &log);
        let cancel = CancellationToken::new();
        let store = home.open(DshOptions::default());
        let listing = store.list(&cancel).unwrap();
        prop_assert_eq!(listing.sessions.len() + listing.diagnostics.len(), 1);
        let surface = store.surface(&"log".into(), &cancel);
        let title = store.titles(&["log".into()], &cancel).unwrap().remove(0);
        match (&surface, &title) {
            // A title costs no surface, and a surface no title.
            (Ok(Some(_)), Ok(_)) => {}
            (Ok(Some(_)), Err(error)) => prop_assert_eq!(error.kind(), StoreErrorKind::Title),
            (Ok(None), Err(error)) => prop_assert_eq!(error.kind(), StoreErrorKind::NotFound),
            (Err(one), Err(other)) => {
                prop_assert_eq!(one.to_string(), other.to_string());
                prop_assert!(one.to_string().len() < 300, "{one}");
            }
            _ => prop_assert!(false, "{surface:?} {title:?}"),
        }
    }
}

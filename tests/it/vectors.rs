//! All vectors, each file in a test of its own.

use std::collections::BTreeSet;
use std::fs;

use sref::session::json::{self, Value};
use sref_tests::vectors::{run, run_file};

use crate::spoil::{leaves, spoil};
use crate::{assert_passed, names, own};

/// Runs a file that holds `count` vectors of the area it is named after.
fn check(area: &str, count: usize) {
    let sections = run_file(&own(&format!("vectors/{area}.json"))).unwrap();
    assert_passed(&sections, &[(area, count)]);
}

macro_rules! vectors {
    ($($test:ident $area:literal $count:literal)*) => {
        $(
            #[test]
            fn $test() {
                check($area, $count);
            }
        )*

        /// What the tests above run: file and number of vectors.
        const FILES: &[(&str, usize)] = &[$(($area, $count)),*];
    };
}

vectors! {
    uri_encode "uri-encode" 500
    uri_decode "uri-decode" 605
    mention_format "mention-format" 357
    text_parse "text-parse" 1251
    serialization "serialization" 490
    projection "projection" 296
    retention "retention" 187
    retention_dense "retention-dense" 7
    retention_digest "retention-digest" 58
    retention_large "retention-large" 9
    candidates "candidates" 638
    candidate_mentions "candidate-mentions" 62
    config "config" 54
    prepare "prepare" 299
    pre_step "pre-step" 225
}

#[test]
fn no_vector_file_is_forgotten() {
    let run: BTreeSet<String> = FILES
        .iter()
        .map(|(area, _)| format!("{area}.json"))
        .collect();
    let mut there = names(&own("vectors"));
    assert!(there.remove("SCHEMA.md"));
    assert_eq!(run, there);
    assert_eq!(FILES.iter().map(|(_, count)| count).sum::<usize>(), 5_038);
}

/// Whatever is changed in an expectation, the vector fails.
#[test]
fn every_part_of_an_expectation_is_compared() {
    /// How many vectors of a file are tried, and how many leaves of each.
    const TRIED: (usize, usize) = (8, 16);
    for (area, _) in FILES {
        let file = fs::read(own(&format!("vectors/{area}.json"))).unwrap();
        let file = json::parse(&file).unwrap();
        // A spread over the smaller half, since a vector is run once for each leaf.
        let mut vectors: Vec<&Value> = file.as_array().unwrap().iter().collect();
        vectors.sort_by_key(|vector| leaves(vector));
        vectors.truncate(vectors.len().div_ceil(2));
        let step = vectors.len().div_ceil(TRIED.0);
        let spoilt: Vec<Value> = vectors
            .into_iter()
            .step_by(step)
            .flat_map(|vector| {
                let expect = vector.get("expect").unwrap();
                let step = leaves(expect).div_ceil(TRIED.1);
                (0..leaves(expect)).step_by(step).map(|at| {
                    let members = vector.as_object().unwrap().clone();
                    members.with("expect", spoil(expect, at)).into()
                })
            })
            .collect();
        let count = spoilt.len();
        let sections = run(Value::from(spoilt).to_json().as_bytes()).unwrap();
        let lines: Vec<String> = sections.iter().map(ToString::to_string).collect();
        assert_eq!(lines, [format!("{area} 0 passed, {count} failed")]);
    }
}

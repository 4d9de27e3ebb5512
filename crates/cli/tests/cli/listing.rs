//! `sref list`.

use super::*;

#[test]
fn sessions_of_the_directory_come_first() {
    let answer = run(on_sample(&[
        "list",
        "--cwd",
        "/home/mei/importer",
        "--json",
    ]));
    let list = answer.json();
    let ids: Vec<&str> = (list.as_array().unwrap().iter())
        .map(|own| own["sessionId"].as_str().unwrap())
        .collect();
    assert_eq!(ids[0], CSV);
    // Then the one without a directory; the sub-agent's is not offered.
    assert_eq!(ids[1], UNTITLED);
    assert!(!ids.contains(&REVIEW));
    assert_eq!(ids.len(), 7);
}

#[test]
fn the_shape_is_stable() {
    let list = run(on_sample(&["list", "--json"])).json();
    for own in list.as_array().unwrap() {
        let keys: Vec<&str> = keys(own)
            .into_iter()
            .filter(|key| !["title", "cwd"].contains(key))
            .collect();
        assert_eq!(
            keys,
            [
                "sessionId",
                "agent",
                "label",
                "createdAt",
                "updatedAt",
                "sizeBytes",
                "mention"
            ]
        );
        assert_eq!(own["agent"], "dsh");
        assert!(own["mention"].as_str().unwrap().starts_with("@["));
        match own["sessionId"].as_str().unwrap() {
            UNTITLED => {
                assert_eq!((&own["label"], own.get("title")), (&own["sessionId"], None));
            }
            _ => assert_eq!(own["label"], own["title"]),
        }
    }
}

#[test]
fn a_query_searches_titles_directories_and_ids() {
    let find = |query| {
        let list = run(on_sample(&["list", query, "--json"])).json();
        let ids = list.as_array().unwrap().iter();
        ids.map(|own| own["sessionId"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(find("重复扣款"), [PAYMENT]);
    // Full-width letters and capitals find what is meant.
    assert_eq!(find("ＣＳＶ IMPORTER"), [CSV]);
    assert_eq!(find("项目/支付"), [PAYMENT]);
    assert_eq!(find("e20b"), [QUEUE]);
    assert_eq!(find("no such thing"), [""; 0]);
}

#[test]
fn columns_line_up_and_fit() {
    let list = |columns: usize| {
        let mut command = on_sample(&["list", "--subagents", "--cwd", "/home/mei/shop"]);
        command.env("COLUMNS", columns.to_string());
        let list = succeed(command).stdout;
        let fits = |line: &str| unicode_width(line) <= columns && line == line.trim_end();
        assert!(list.lines().all(fits), "{list}");
        list
    };
    assert!(list(50).contains("Login loop after"));
    let list = list(90);
    let login = list
        .lines()
        .find(|line| line.starts_with("3f9c1e52  dsh "))
        .unwrap();
    assert!(login.ends_with("  ."), "{login}");
    assert!(list.contains("支付回调重复扣款"), "{list}");
    assert!(list.contains("(no title)"), "{list}");
}

#[test]
fn limits() {
    let answer = run(on_sample(&["list", "--limit", "2"]));
    assert_eq!(answer.stdout.lines().count(), 2);
    assert!(
        answer.stderr.contains("2 of 8 sessions"),
        "{}",
        answer.stderr
    );
    let all = succeed(on_sample(&["list", "--all"])).stdout;
    assert_eq!(all.lines().count(), 8);
}

#[test]
fn the_own_session_is_not_offered() {
    let list = succeed(on_sample(&["list", "--session", "3f9c", "--json"])).stdout;
    assert!(!list.contains(LOGIN) && list.contains(FORK));
}

#[test]
fn nothing_found_says_where_to_look() {
    let answer = run(sref(&["list"]));
    assert_eq!((answer.status, answer.stdout.as_str()), (0, ""));
    assert!(answer.stderr.contains("sref stores"), "{}", answer.stderr);
    assert_eq!(succeed(sref(&["list", "--json"])).stdout, "[]\n");
}

#[test]
fn a_home_is_found() {
    let mut command = sref(&["stores", "--json"]);
    command.env("DSH_HOME", sample().join(".."));
    let stores = succeed(command).json();
    assert_eq!(stores[0]["kind"], "dsh");
    assert_eq!(stores[0]["sessions"], 8);
}

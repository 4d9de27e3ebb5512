//! The check finds what a translation loses.

use super::*;

const ENGLISH: &str = "\
# sref

English | [简体中文](README.zh.md)

One mention, at most 64 KiB.

## <a id=\"use\"></a>Use

Run `sref list --turn 3` and read [the guide](docs/guide.md). It prints all.

```sh
sref list
```

## <a id=\"errors\"></a>Errors

| code | meaning |
| --- | --- |
| `uri.name` | the name |

- one
- two
";

const CHINESE: &str = "\
# sref

[English](README.md) | 简体中文

一个提及，最多 64 KiB。

## <a id=\"use\"></a>用法

运行 `sref list --turn 3`，并阅读[指南](docs/guide.md)。它会列出全部。

```sh
sref list
```

## <a id=\"errors\"></a>错误

| 代码 | 含义 |
| --- | --- |
| `uri.name` | 名称 |

- 甲
- 乙
";

fn tree(english: &str, chinese: &str) -> Tree {
    Tree::from([
        ("README.md", english),
        ("README.zh.md", chinese),
        ("docs/guide.md", "# Guide\n"),
        ("docs/errors.md", "`uri.name`, `uri.id`"),
    ])
}

/// The tree with a record as `confirm` would write it whatever stands in the files.
fn confirmed(english: &str, chinese: &str) -> Tree {
    let mut tree = tree(english, chinese);
    let record = Pair::read(&tree, "README")
        .unwrap()
        .current_record()
        .print();
    tree.set("docs/README.i18n", &record);
    tree
}

fn found(tree: &Tree) -> Vec<String> {
    match check(tree) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// A change of the Chinese side that `confirm` was run after.
fn chinese(from: &str, to: &str) -> Vec<String> {
    assert!(CHINESE.contains(from), "the fixture has no {from}");
    found(&confirmed(ENGLISH, &CHINESE.replacen(from, to, 1)))
}

/// The same change on both sides.
fn both(from: &str, to: &str) -> Vec<String> {
    let change = |text: &str| {
        assert!(text.contains(from), "the fixture has no {from}");
        text.replacen(from, to, 1)
    };
    found(&confirmed(&change(ENGLISH), &change(CHINESE)))
}

#[test]
fn a_pair_that_agrees_passes() {
    assert_eq!(found(&confirmed(ENGLISH, CHINESE)), [""; 0]);
}

#[test]
fn a_copy_of_the_english_text() {
    let copy = ENGLISH.replace(
        "English | [简体中文](README.zh.md)",
        "[English](README.md) | 简体中文",
    );
    let problems = found(&confirmed(ENGLISH, &copy));
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with("README.zh.md:5: not Chinese")),
        "{problems:?}"
    );
}

#[test]
fn another_flag() {
    assert_eq!(
        chinese("--turn", "--round"),
        [
            "README.md:9 | README.zh.md:9: facts differ: English has `sref list --turn 3`, Chinese has `sref list --round 3`"
        ]
    );
}

#[test]
fn another_number() {
    assert_eq!(
        chinese("64", "32"),
        [
            "README.md:5 | README.zh.md:5: facts differ: English has number 64, Chinese has number 32"
        ]
    );
}

#[test]
fn another_key_in_a_table() {
    assert_eq!(
        chinese("uri.name", "uri.id"),
        [
            "README.md:19 | README.zh.md:19: facts differ: English has `uri.name`, Chinese has `uri.id`"
        ]
    );
}

#[test]
fn a_dropped_paragraph() {
    assert_eq!(
        chinese("一个提及，最多 64 KiB。\n\n", ""),
        ["README.md:5 | README.zh.md: not in the Chinese text: paragraph"]
    );
}

#[test]
fn a_code_block_in_another_section() {
    let block = "```sh\nsref list\n```\n\n";
    let moved = CHINESE.replace(block, "") + "\n" + block;
    assert_eq!(
        found(&confirmed(ENGLISH, &moved)),
        [
            "README.md:11 | README.zh.md: not in the Chinese text: code block `sh`…",
            "README.md | README.zh.md:20: not in the English text: code block `sh`…",
        ]
        .map(str::to_owned)
        .into_iter()
        .rev()
        .collect::<Vec<_>>()
    );
}

#[test]
fn an_edit_inside_a_code_block() {
    assert_eq!(chinese("\nsref list\n", "\nsref show\n").len(), 2);
}

#[test]
fn a_dropped_heading() {
    let problems = chinese("## <a id=\"errors\"></a>错误\n", "");
    assert!(
        problems
            .iter()
            .any(|problem| problem.ends_with("not in the Chinese text: section `errors`")),
        "{problems:?}"
    );
}

#[test]
fn half_a_sentence_left_in_english() {
    let problems = chinese("它会列出全部", "它 prints all of the sessions");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("README.zh.md:9: not Chinese"));
}

#[test]
fn chinese_in_the_english_text() {
    let english = ENGLISH.replace("It prints all.", "It prints 全部.");
    assert_eq!(
        found(&confirmed(&english, CHINESE)),
        [
            "README.md:9: Chinese in the English text: Run \u{FFFC} and read the guide. It prints 全部."
        ]
    );
}

#[test]
fn another_target_of_a_link_and_a_dead_one() {
    assert_eq!(chinese("docs/guide.md", "docs/errors.md").len(), 1);
    assert_eq!(
        both("docs/guide.md", "docs/gone.md"),
        [
            "README.md:9: `docs/gone.md`: no such file",
            "README.zh.md:9: `docs/gone.md`: no such file"
        ]
    );
}

#[test]
fn headings_without_an_id_or_with_the_same_one() {
    assert_eq!(both("<a id=\"use\"></a>", "").len(), 2);
    assert_eq!(both("id=\"use\"", "id=\"errors\"").len(), 2);
}

#[test]
fn another_alignment_of_a_table_and_another_start_of_a_list() {
    assert_eq!(chinese("| --- | --- |", "| --: | --- |").len(), 2);
    assert_eq!(chinese("- 甲\n- 乙", "1. 甲\n2. 乙").len(), 2);
}

#[test]
fn a_missing_or_a_changed_switcher() {
    for (from, to) in [
        ("[English](README.md) | 简体中文\n\n", ""),
        (
            "[English](README.md) | 简体中文",
            "[English](README.md) | 中文",
        ),
        ("[English](README.md)", "[English](docs/guide.md)"),
    ] {
        let problems = chinese(from, to);
        let message =
            "a title, then the line `[English](README.md) | 简体中文`, must open the document";
        assert!(
            problems.iter().any(|problem| problem.ends_with(message)),
            "{problems:?}"
        );
    }
}

#[test]
fn carriage_returns_and_byte_order_marks() {
    assert_eq!(
        both("\n\n", "\r\n\n"),
        [
            "README.md:1: a carriage return",
            "README.zh.md:1: a carriage return"
        ]
    );
    let english = format!("\u{FEFF}{ENGLISH}");
    assert!(
        found(&confirmed(&english, CHINESE)).contains(&"README.md:1: a byte order mark".to_owned())
    );
}

#[test]
fn a_side_that_moved_on_is_named() {
    let record = confirmed(ENGLISH, CHINESE);
    let mut tree = record.clone();
    tree.set(
        "README.md",
        &ENGLISH.replace("It prints all.", "It prints it."),
    );
    assert_eq!(
        found(&tree),
        ["README.md:7 | README.zh.md:7: section `use`: English changed, Chinese did not"]
    );
    let mut tree = record.clone();
    tree.set("README.zh.md", &CHINESE.replace("列出全部", "列出一切"));
    assert_eq!(
        found(&tree),
        ["README.md:7 | README.zh.md:7: section `use`: Chinese changed, English did not"]
    );
}

#[test]
fn a_record_that_nobody_confirmed() {
    assert_eq!(
        found(&tree(ENGLISH, CHINESE)),
        ["docs/README.i18n: missing: never confirmed"]
    );
    let mut tree = confirmed(ENGLISH, CHINESE);
    let record = tree.text("docs/README.i18n").unwrap().to_owned();
    tree.set(
        "docs/README.i18n",
        &record.replace("section use", "section  use"),
    );
    assert_eq!(
        found(&tree),
        ["docs/README.i18n:7: not as `confirm` writes it"]
    );
}

#[test]
fn half_a_pair() {
    let mut tree = confirmed(ENGLISH, CHINESE);
    tree.remove("README.zh.md");
    assert_eq!(found(&tree), ["README.zh.md: missing"]);
    let mut tree = confirmed(ENGLISH, CHINESE);
    tree.set("docs/guide.zh.md", "# 指南\n");
    let problems = found(&tree);
    assert!(
        problems[1].starts_with("docs/guide.zh.md: belongs to no pair"),
        "{problems:?}"
    );
}

#[test]
fn confirming_writes_the_record_and_refuses_a_defect() {
    let root = std::env::temp_dir().join(format!("sref-i18n-{}", std::process::id()));
    fs::create_dir_all(root.join("docs")).unwrap();
    let wrong = tree(ENGLISH, &CHINESE.replace("64", "32"));
    assert!(confirm(&root, &wrong, "README").is_err());
    assert!(!root.join("docs/README.i18n").exists());
    let right = tree(ENGLISH, CHINESE);
    assert!(confirm(&root, &right, "all").is_err());
    confirm(&root, &right, "README").unwrap();
    let written = fs::read_to_string(root.join("docs/README.i18n")).unwrap();
    fs::remove_dir_all(&root).unwrap();
    let expected = confirmed(ENGLISH, CHINESE);
    assert_eq!(Some(written.as_str()), expected.text("docs/README.i18n"));
}

#[test]
fn documents_in_one_language_are_read_too() {
    let mut tree = confirmed(ENGLISH, CHINESE);
    assert_eq!(check_others(&tree), Ok("2 documents".to_owned()));
    tree.set(
        "docs/guide.md",
        "# Guide\n\n[gone](gone.md), `crates/gone`\n",
    );
    tree.set("tests/notes.md", "[a fixture](gone.md)\n");
    let problems = check_others(&tree).unwrap_err();
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "docs/guide.md:3: `gone.md`: no such file",
            "docs/guide.md:3: there is no `crates/gone`"
        ]
    );
}

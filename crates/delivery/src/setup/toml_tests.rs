use std::panic;
use std::prelude::v1::*;

use proptest::prelude::*;

use super::*;

fn entry() -> Entry {
    Entry::codex_server("/opt/my \"tools\"/sref", &["mcp", "--project", "."])
}

fn text(change: Change) -> String {
    match change {
        Change::Text(text) => text,
        Change::Nothing => String::new(),
        other => panic!("{other:?}"),
    }
}

/// In and out again, also when Codex has written behind it.
fn check(before: &str) {
    let entry = entry();
    let with = text(entry.insert(Some(before)).unwrap());
    assert_eq!(entry.insert(Some(&with)).unwrap(), Change::Same, "{with}");
    let command = entry.found(&with).unwrap();
    assert_eq!(command.as_deref(), Some("/opt/my \"tools\"/sref"));
    assert_eq!(text(entry.remove(&with).unwrap()), before, "{with}");
    if with.ends_with('\n') {
        let more = "\n[hooks.state.\"a:b\"]\ntrusted_hash = \"x\"\n";
        let after = text(entry.remove(&(with + more)).unwrap());
        assert_eq!(after, before.to_owned() + more);
    }
}

const FIXTURES: &[&str] = &[
    "",
    "\n",
    "\n\n",
    " ",
    "\u{FEFF}",
    "# mine",
    "model = \"x\"",
    "model = \"x\"\n\n\n",
    "model = 'x' # one\r\n\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n",
    "[mcp_servers]\n\n  [mcp_servers.a]\n  command = \"a\"\n  args = [\n    \"b\", # two\n  ]\n",
    "mcp_servers.a.command = \"a\"\n[[x]]\n[[x]]\n",
    "\t[projects.\"/a b\"]\ntrust_level = \"trusted\"   \n\n# the end",
];

#[test]
fn in_and_out_leaves_every_byte() {
    for before in FIXTURES {
        check(before);
    }
}

#[test]
fn what_is_written() {
    let entry = Entry::codex_server("sref", &["mcp", "--all"]);
    let table = "[mcp_servers.sref]\ncommand = \"sref\"\nargs = [\"mcp\", \"--all\"]\n";
    assert_eq!(entry.snippet(), table);
    let with = text(entry.insert(Some("a = 1\n")).unwrap());
    assert_eq!(with, format!("a = 1\n\n{table}"));
    let with = text(entry.insert(Some("a = 1")).unwrap());
    assert_eq!(with, format!("a = 1\n\n{}", table.trim_end()));
}

/// Typed by hand, or by an agent.
#[test]
fn other_forms_go_too() {
    for (with, after) in [
        (
            "[mcp_servers]\na = {command = \"a\"}\nsref = {command = \"sref\", args = []} # mine\n\n[b]\n",
            "[mcp_servers]\na = {command = \"a\"}\n\n[b]\n",
        ),
        (
            "[mcp_servers.sref]\ncommand = \"sref\"\nenv.A = \"1\"\n\n[mcp_servers.sref.env2]\nB = \"2\"\n\n[c]\nd = 1\n",
            "\n[c]\nd = 1\n",
        ),
        (
            "a = 1\n\n[mcp_servers.sref]\ncommand = \"sref\"\nargs = [\n  \"mcp\",\n]\n[c]\n",
            "a = 1\n[c]\n",
        ),
    ] {
        assert_eq!(text(entry().remove(with).unwrap()), after, "{with}");
    }
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for (bad, code) in [
        ("= 1", "setup.toml"),
        ("a = 1\na = 2", "setup.toml"),
        ("mcp_servers = 1", "setup.shape"),
        ("mcp_servers = {}", "setup.shape"),
        ("[mcp_servers.sref]\ncommand = \"npx\"", "setup.taken"),
        ("[mcp_servers.sref]\nurl = \"http://x\"", "setup.taken"),
    ] {
        assert_eq!(entry().insert(Some(bad)).unwrap_err().code(), code, "{bad}");
    }
    let one_line = "mcp_servers = {sref = {command = \"sref\"}, a = {command = \"a\"}}";
    assert_eq!(entry().insert(Some(one_line)).unwrap(), Change::Same);
    assert_eq!(entry().remove(one_line).unwrap_err().code(), "setup.shape");
}

#[test]
fn a_script_is_of_sref_or_not() {
    let hook = Entry::hook(Host::Cline, "/my tools/sref", false);
    assert!(hook.is_program());
    let script = hook.snippet();
    assert_eq!(script, "#!/bin/sh\nexec '/my tools/sref' hook cline\n");
    assert_eq!(hook.insert(Some(&script)).unwrap(), Change::Same);
    assert_eq!(
        hook.insert(Some("\n")).unwrap(),
        Change::Text(script.clone())
    );
    assert_eq!(hook.remove(&script).unwrap(), Change::Nothing);
    assert_eq!(hook.remove("").unwrap(), Change::Same);
    let found = hook.found("#!/bin/sh\n# mine\nsref hook cline\n").unwrap();
    assert_eq!(found.as_deref(), Some("sref hook cline"));
    for other in [
        "#!/bin/sh\ndate\nsref hook cline\n",
        "#!/bin/sh\nsref hook claude\n",
    ] {
        assert_eq!(hook.insert(Some(other)).unwrap_err().code(), "setup.taken");
        assert_eq!(hook.remove(other).unwrap_err().code(), "setup.taken");
    }
}

proptest! {
    #[test]
    fn any_text_comes_back(lines in prop::collection::vec(prop::sample::select(vec![
        "", "# c", "a = 1", "[t]", "[[u]]", "b = [\n 1, # x\n 2]", "  c.d = \"e\"", "[mcp_servers]",
        "[mcp_servers.x]", "command = \"x\"", "\t", "f = \"\"\"\n[mcp_servers.sref]\n\"\"\"",
    ]), 0..12), line in prop::sample::select(vec!["\n", "\r\n"]), end in any::<bool>()) {
        let mut before = lines.join(line);
        if end {
            before += line;
        }
        if let Ok(Change::Text(_)) = entry().insert(Some(&before)) {
            check(&before);
        }
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]{}=.,\"'# \n\raé_]{0,40}") {
        let _ = entry().insert(Some(&text));
        let _ = entry().remove(&text);
        let _ = hook_trust("{}", "/h", &text);
    }
}

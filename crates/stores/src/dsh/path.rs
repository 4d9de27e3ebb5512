//! Names of project and session directories (`spec/dsh-store.md` 4.1).

use sref_session::{JsStr, JsString};

/// How much of a project's name is kept between its dashes.
const PROJECT_UNITS: usize = 251;

/// The name of a session's directory: one spelling for each id. `None` for the empty id, which has
/// no directory.
///
/// ```
/// use sref_session::JsString;
/// use sref_stores::dsh::session_directory;
///
/// let name = |id: &str| session_directory(JsString::from(id).as_js_str());
/// assert_eq!(name("session-1").unwrap(), "session-1");
/// assert_eq!(name("a/😀").unwrap(), "a~002F~D83D~DE00");
/// assert_eq!(name("..").unwrap(), "~002E~002E");
/// assert_eq!(name(""), None);
/// ```
#[must_use]
pub fn session_directory(id: JsStr<'_>) -> Option<String> {
    match id.as_wtf8() {
        b"" => None,
        b"." => Some("~002E".into()),
        b".." => Some("~002E~002E".into()),
        _ => {
            let mut out = String::with_capacity(id.len());
            for unit in id.utf16_units() {
                push_unit(&mut out, unit);
            }
            Some(out)
        }
    }
}

/// The id whose directory has this name, or `None` when no id has: the inverse of
/// [`session_directory`].
///
/// ```
/// use sref_stores::dsh::session_of_directory;
///
/// assert_eq!(session_of_directory("lone-~D800").unwrap().to_json(), r#""lone-\ud800""#);
/// assert_eq!(session_of_directory("~0041"), None); // `A` is spelled `A`
/// ```
#[must_use]
pub fn session_of_directory(name: &str) -> Option<JsString> {
    let mut units = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(byte) = rest.bytes().next() {
        if byte == b'~' {
            units.push(u16::from_str_radix(rest.get(1..5)?, 16).ok()?);
            rest = &rest[5..];
        } else {
            units.push(byte.into());
            rest = rest.get(1..)?;
        }
    }
    let id = JsString::from_utf16(units);
    (session_directory(id.as_js_str())? == name).then_some(id)
}

/// The name of the directory that holds the sessions of a working directory. Many working
/// directories can share one.
///
/// ```
/// use sref_session::JsString;
/// use sref_stores::dsh::project_directory;
///
/// let name = |cwd: &str| project_directory(Some(JsString::from(cwd).as_js_str()));
/// assert_eq!(name("/work/alpha"), "--work-alpha--");
/// assert_eq!(name("/"), "--root--");
/// assert_eq!(project_directory(None), "_no-cwd");
/// ```
#[must_use]
pub fn project_directory(cwd: Option<JsStr<'_>>) -> String {
    let Some(cwd) = cwd else {
        return "_no-cwd".into();
    };
    let mut name = String::new();
    let mut in_run = false;
    for unit in cwd.utf16_units() {
        let separator = [b'/', b'\\', b':'].map(u16::from).contains(&unit);
        if !separator {
            push_unit(&mut name, unit);
        } else if !in_run {
            name.push('-');
        }
        in_run = separator;
    }
    let name = name.trim_start_matches('-');
    let name = if name.is_empty() { "root" } else { name };
    // All of it is ASCII: a unit is a byte. A cut may fall inside an escape, as the writer's does.
    format!("--{}--", &name[..name.len().min(PROJECT_UNITS)])
}

fn push_unit(out: &mut String, unit: u16) {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) => {
            out.push(char::from(byte));
        }
        _ => {
            out.push('~');
            for shift in [12, 8, 4, 0] {
                let digit = char::from_digit(u32::from(unit >> shift) & 0xF, 16).unwrap_or('0');
                out.push(digit.to_ascii_uppercase());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// [V: ids]
        #[test]
        fn every_id_but_the_empty_one_has_its_own_name(
            units in prop::collection::vec(prop_oneof![0_u16..0x80, 0xD7F0_u16..0xE010, any::<u16>()], 1..20),
        ) {
            let id = JsString::from_utf16(units);
            let name = session_directory(id.as_js_str()).unwrap();
            prop_assert!(!name.contains(['/', '\\', '\0']) && name != "." && name != "..");
            prop_assert_eq!(session_of_directory(&name), Some(id));
        }

        #[test]
        fn what_is_decoded_encodes_back(name in r"[~A-Fa-f0-9._xé-]{0,12}") {
            if let Some(id) = session_of_directory(&name) {
                prop_assert_eq!(session_directory(id.as_js_str()), Some(name));
            }
        }
    }

    /// The rules of 4.1 one by one; the whole names are in [V: cwd-40 … cwd-48].
    #[test]
    fn projects_collapse_separators_and_are_cut() {
        let name = |cwd: &str| project_directory(Some(JsString::from(cwd).as_js_str()));
        assert_eq!(name("/a//b"), "--a-b--");
        assert_eq!(name(r"/x:y\z"), "--x-y-z--");
        assert_eq!(name("/-dash"), "--dash--");
        assert_eq!(name("/work/alpha/"), "--work-alpha---");
        assert_eq!(name("/UP~tilde"), "--UP~007Etilde--");
        assert_eq!(name(&"d".repeat(300)).len(), 251 + 4);
        // The 251st unit falls inside the last escape.
        assert!(name(&format!("/{}~", "d".repeat(248))).ends_with("d~00--"));
    }
}

use sref_session::JsString;

/// Which sessions a server knows.
#[derive(Debug, Clone, Default)]
pub(crate) enum Scope {
    #[default]
    All,
    /// Those whose working directory is this one or lies in it, under any of its spellings.
    Project(Vec<JsString>),
}

impl Scope {
    /// Whether a session with this working directory is one of them. One without is in no project.
    pub(crate) fn holds(&self, cwd: Option<&JsString>) -> bool {
        match (self, cwd) {
            (Self::All, _) => true,
            (Self::Project(_), None) => false,
            (Self::Project(spellings), Some(cwd)) => spellings
                .iter()
                .any(|project| is_in(cwd.as_wtf8(), project.as_wtf8())),
        }
    }
}

/// Whether a directory is another one or lies in it. A path that climbs lies nowhere: logs can spell
/// what they like.
fn is_in(cwd: &[u8], project: &[u8]) -> bool {
    let Some(rest) = cwd.strip_prefix(without_end(project)) else {
        return false;
    };
    let mut parts = rest.split(|byte| is_separator(*byte));
    // What follows at once would be the rest of a longer name.
    parts.next() == Some(b"") && parts.all(|part| part != b"..")
}

fn without_end(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| !is_separator(*byte));
    &path[..end.map_or(0, |end| end + 1)]
}

const fn is_separator(byte: u8) -> bool {
    byte == b'/' || (cfg!(windows) && byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_a_directory_and_what_lies_in_it() {
        let scope = Scope::Project(vec!["/home/me/app/".into(), "/private/app".into()]);
        let holds = |cwd: &str| scope.holds(Some(&cwd.into()));
        for cwd in [
            "/home/me/app",
            "/home/me/app/",
            "/home/me/app/crates/a..b",
            "/private/app/x",
        ] {
            assert!(holds(cwd), "{cwd}");
        }
        for cwd in [
            "",
            "/",
            "/home/me",
            "/home/me/app2",
            "/home/me/app/../secret",
            "/home/me/app/x/..",
            "/x/home/me/app",
            "home/me/app",
        ] {
            assert!(!holds(cwd), "{cwd}");
        }
        assert!(!scope.holds(None));
        assert!(Scope::All.holds(None));
        assert!(Scope::Project(vec!["/".into()]).holds(Some(&"/a".into())));
    }
}

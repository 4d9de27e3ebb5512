use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where one agent keeps its logs.
struct Location {
    kind: &'static str,
    /// The variable that moves the agent's home.
    variable: &'static str,
    /// The agent's home below the person's.
    home: &'static str,
    /// The logs below the agent's home; empty where they are in several places there.
    logs: &'static str,
}

/// The known places (`spec/dsh-store.md` 4.7, `spec/dsh-newer.md` 11, `spec/agent-logs.md` 2.1, 3.1).
const LOCATIONS: &[Location] = &[
    Location {
        kind: "dsh",
        variable: "DSH_HOME",
        home: ".dsh",
        logs: "sessions",
    },
    Location {
        kind: "toh",
        variable: "TOH_HOME",
        home: ".toh",
        logs: "sessions",
    },
    Location {
        kind: "hydra",
        variable: "HYDRA_HOME",
        home: ".hydra",
        logs: "sessions",
    },
    Location {
        kind: "bh",
        variable: "BH_HOME",
        home: ".bh",
        logs: "sessions",
    },
    Location {
        kind: "freddie",
        variable: "FREDDIE_HOME",
        home: ".freddie",
        logs: "sessions",
    },
    Location {
        kind: "claude",
        variable: "CLAUDE_CONFIG_DIR",
        home: ".claude",
        logs: "projects",
    },
    Location {
        kind: "codex",
        variable: "CODEX_HOME",
        home: ".codex",
        logs: "",
    },
];

/// What [`locate`] may know of the machine.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Environment {
    /// The person's home directory.
    pub home: Option<PathBuf>,
    /// What relative paths are relative to.
    pub current_directory: PathBuf,
    /// The environment variables.
    pub variables: HashMap<OsString, OsString>,
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            current_directory: std::env::current_dir().unwrap_or_default(),
            variables: std::env::vars_os().collect(),
        }
    }
}

/// A place where an agent would keep its logs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The agent.
    pub kind: &'static str,
    /// The root of the store, whether it exists or not.
    pub root: PathBuf,
}

/// Where agents keep their logs on a machine like this. Looks at no file.
///
/// ```
/// use sref_stores::{Environment, locate};
///
/// let mut environment = Environment::default();
/// environment.home = Some("/home/me".into());
/// let located = locate(&environment);
/// assert_eq!(located[0].kind, "dsh");
/// assert!(located[0].root.ends_with(".dsh/sessions"));
/// ```
#[must_use]
pub fn locate(environment: &Environment) -> Vec<Located> {
    LOCATIONS
        .iter()
        .filter_map(|location| {
            let mut root = agent_home(location, environment)?;
            if !location.logs.is_empty() {
                root.push(location.logs);
            }
            Some(Located {
                kind: location.kind,
                root,
            })
        })
        .collect()
}

fn agent_home(location: &Location, environment: &Environment) -> Option<PathBuf> {
    let home = environment.home.as_deref();
    let moved = environment.variables.get(OsStr::new(location.variable));
    match moved.filter(|path| !is_blank(path)) {
        Some(path) => {
            let path = expand(Path::new(path), home);
            Some(environment.current_directory.join(path))
        }
        None => Some(
            environment
                .current_directory
                .join(home?.join(location.home)),
        ),
    }
}

fn is_blank(text: &OsStr) -> bool {
    text.to_str().is_some_and(|text| text.trim().is_empty())
}

/// A leading `~`, `~/` or `~\` stands for the person's home.
fn expand(path: &Path, home: Option<&Path>) -> PathBuf {
    let rest = path.to_str().and_then(|text| text.strip_prefix('~'));
    match (rest, home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4.7
    #[test]
    fn the_home_of_dsh_can_be_moved() {
        let root = |variable: Option<&str>| {
            let environment = Environment {
                home: Some("/home/me".into()),
                current_directory: "/work".into(),
                variables: variable
                    .map(|value| ("DSH_HOME".into(), value.into()))
                    .into_iter()
                    .collect(),
            };
            locate(&environment)[0].root.clone()
        };
        let path = |text: &str| PathBuf::from(text);
        assert_eq!(root(None), path("/home/me/.dsh/sessions"));
        assert_eq!(root(Some(" ")), path("/home/me/.dsh/sessions"));
        assert_eq!(root(Some("/x")), path("/x/sessions"));
        assert_eq!(root(Some("x")), path("/work/x/sessions"));
        assert_eq!(root(Some("~")), path("/home/me/sessions"));
        assert_eq!(root(Some("~/x")), path("/home/me/x/sessions"));
        assert_eq!(root(Some("~x")), path("/work/~x/sessions"));
        assert!(locate(&Environment::default()).is_empty());
    }
}

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::{StoreError, StoreErrorKind};

mod claude;
mod codex;

/// Where one agent keeps its logs, unless its rules are more than a home and a variable.
struct Location {
    kind: &'static str,
    /// The variable that moves the agent's home.
    variable: &'static str,
    /// The agent's home below the person's.
    home: &'static str,
    /// The logs below the agent's home.
    logs: &'static str,
    /// More places, each a variable that names a directory and the logs below it.
    also: &'static [(&'static str, &'static str)],
}

/// The known places (`spec/dsh-store.md` 4.7, `spec/dsh-newer.md` 11). Those of Claude Code are in
/// a module of their own.
const LOCATIONS: &[Location] = &[
    Location {
        kind: "dsh",
        variable: "DSH_HOME",
        home: ".dsh",
        logs: "sessions",
        also: &[
            // Hosts of its ACP server move the logs alone (`spec/agent-logs.md` 13).
            ("DEEPSEEK_ACP_SESSIONS_ROOT", ""),
            // The Rust port, which is on Windows alone in having this variable.
            ("LOCALAPPDATA", "DeepSeek Harness/sessions"),
        ],
    },
    Location::home("toh", "TOH_HOME", ".toh"),
    Location::home("hydra", "HYDRA_HOME", ".hydra"),
    Location::home("bh", "BH_HOME", ".bh"),
    Location::home("freddie", "FREDDIE_HOME", ".freddie"),
];

impl Location {
    /// A fork that keeps its logs as DeepSeek Harness does.
    const fn home(kind: &'static str, variable: &'static str, home: &'static str) -> Self {
        Self {
            kind,
            variable,
            home,
            logs: "sessions",
            also: &[],
        }
    }

    fn roots(&self, environment: &Environment) -> Vec<PathBuf> {
        let home = environment
            .path(self.variable)
            .or_else(|| environment.at_home(self.home));
        let home = home.into_iter().map(|home| home.join(self.logs));
        let also = self.also.iter().filter_map(|(variable, logs)| {
            let place = environment.path(variable)?;
            Some(if logs.is_empty() {
                place
            } else {
                place.join(logs)
            })
        });
        home.chain(also).collect()
    }
}

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

    /// A variable that says something.
    fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(OsStr::new(name))?.as_os_str();
        Some(value).filter(|value| !is_blank(value))
    }

    /// The directory that a variable names.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.absolute(Path::new(self.variable(name)?)))
    }

    /// A place below the person's home.
    fn at_home(&self, place: &str) -> Option<PathBuf> {
        let home = self.home.as_ref()?.join(place);
        Some(self.current_directory.join(home))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let path = expand(path, self.home.as_deref());
        self.current_directory.join(path)
    }
}

/// A place where an agent would keep its logs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Located {
    /// The agent.
    pub kind: &'static str,
    /// The root of the store, whether it exists or not.
    pub root: PathBuf,
}

impl Located {
    /// Whether something is there. A place that cannot be looked at is not one where nothing is: a
    /// directory that is closed to this user, a link that leads to itself or nowhere.
    ///
    /// # Errors
    ///
    /// [`StoreErrorKind::Io`](crate::StoreErrorKind::Io) where that cannot be told; its path is the
    /// store's root, or the link.
    ///
    /// ```
    /// use sref_stores::{Environment, locate};
    ///
    /// let mut environment = Environment::default();
    /// environment.home = Some("/no/such/home".into());
    /// assert!(!locate(&environment)[0].is_there()?);
    /// # Ok::<(), sref_stores::StoreError>(())
    /// ```
    pub fn is_there(&self) -> Result<bool, StoreError> {
        is_there(&self.root)
    }
}

fn is_there(root: &Path) -> Result<bool, StoreError> {
    let Err(error) = fs::metadata(root) else {
        return Ok(true);
    };
    match error.kind() {
        // Below a file there is nothing.
        ErrorKind::NotADirectory => Ok(false),
        ErrorKind::NotFound => {
            let mut places = root.ancestors();
            let place = places.find_map(|path| Some((path, path.symlink_metadata().ok()?)));
            match place {
                // Whoever made it means something that is elsewhere: on a disk that is not mounted.
                Some((link, data)) if data.is_symlink() && link.metadata().is_err() => {
                    let nowhere = "a link that leads nowhere";
                    Err(StoreError::new(StoreErrorKind::Io, nowhere).at_path(link))
                }
                _ => Ok(false),
            }
        }
        _ => Err(StoreError::io(root, error)),
    }
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
    let mut located = Vec::new();
    for location in LOCATIONS {
        let roots = location.roots(environment);
        located.extend(roots.into_iter().map(|root| Located {
            kind: location.kind,
            root,
        }));
    }
    let claude = claude::roots(environment);
    located.extend(claude.into_iter().map(claude::located));
    located.extend(codex::located(environment));
    let mut seen = HashSet::new();
    located.retain(|own| seen.insert(own.clone()));
    located
}

/// The places of [`locate`], and those whose names only directories tell: profiles, and homes
/// beside an agent's own. Places that are one, by links, are named once.
///
/// Reads directories of the agents' homes and of the person's, and nothing in them. What cannot be
/// read holds no further place.
#[must_use]
pub fn discover(environment: &Environment) -> Vec<Located> {
    let mut located = locate(environment);
    located.extend(claude::more(environment).into_iter().map(claude::located));
    let mut seen = HashSet::new();
    located.retain(|own| {
        let place = fs::canonicalize(&own.root).unwrap_or_else(|_| own.root.clone());
        seen.insert((own.kind, place))
    });
    located
}

fn is_blank(text: &OsStr) -> bool {
    text.to_str().is_some_and(|text| text.trim().is_empty())
}

/// A leading `~`, `~/` or `~\` stands for the person's home.
pub(crate) fn expand(path: &Path, home: Option<&Path>) -> PathBuf {
    let rest = path.to_str().and_then(|text| text.strip_prefix('~'));
    match (rest, home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => path.to_owned(),
    }
}

/// A path as its agent spells it: with composed characters.
fn composed(path: &OsStr) -> PathBuf {
    match path.to_str() {
        Some(text) => ComposingNormalizerBorrowed::new_nfc()
            .normalize(text)
            .into_owned()
            .into(),
        None => path.into(),
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
                current_directory: "/here".into(),
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
        assert_eq!(root(Some("x")), path("/here/x/sessions"));
        assert_eq!(root(Some("~")), path("/home/me/sessions"));
        assert_eq!(root(Some("~/x")), path("/home/me/x/sessions"));
        assert_eq!(root(Some("~x")), path("/here/~x/sessions"));
        assert!(locate(&Environment::default()).is_empty());
    }

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment {
            home: Some("/home/me".into()),
            current_directory: "/here".into(),
            variables: (variables.iter())
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    fn roots(kind: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let located = locate(&environment(variables)).into_iter();
        let own = located.filter(|own| own.kind == kind);
        own.map(|own| own.root.to_str().unwrap().to_owned())
            .collect()
    }

    /// `spec/dsh-newer.md` 11
    #[test]
    fn forks_have_homes_and_variables_of_their_own() {
        for (kind, home, variable) in [
            ("dsh", ".dsh", "DSH_HOME"),
            ("toh", ".toh", "TOH_HOME"),
            ("hydra", ".hydra", "HYDRA_HOME"),
            ("bh", ".bh", "BH_HOME"),
            ("freddie", ".freddie", "FREDDIE_HOME"),
        ] {
            assert_eq!(roots(kind, &[]), [format!("/home/me/{home}/sessions")]);
            assert_eq!(roots(kind, &[(variable, "/x")]), ["/x/sessions"]);
        }
        let also = [
            ("DEEPSEEK_ACP_SESSIONS_ROOT", "/acp"),
            ("LOCALAPPDATA", "/data"),
        ];
        assert_eq!(
            roots("dsh", &also),
            [
                "/home/me/.dsh/sessions",
                "/acp",
                "/data/DeepSeek Harness/sessions"
            ]
        );
    }
}

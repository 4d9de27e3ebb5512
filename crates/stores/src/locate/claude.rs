//! Where Claude Code keeps its logs (`spec/agent-logs.md` 2.1).
//!
//! | rule | place |
//! | --- | --- |
//! | `CLAUDE_CONFIG_DIR` | the home; with commas, several: a convention of other tools |
//! | `CLAUDE_CONFIG_DIRS` | homes, separated as in `PATH` |
//! | `CLAUDE_PROJECTS_DIR` | the logs themselves |
//! | none of these | `~/.claude`, `claude` below `XDG_CONFIG_HOME`, and homes beside (`~/.claude-work`) |
//! | in each home | `projects`, and `profiles/<name>/projects` |
//! | Claude Desktop on macOS | the homes of its local agents |

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Environment, Located, composed};

/// The logs below a home.
const LOGS: &str = "projects";
/// Where Claude Desktop has the homes of its local agents, below the person's home.
const DESKTOP: &str = "Library/Application Support/Claude/local-agent-mode-sessions";
/// How deep below it they lie at most.
const DEPTH: usize = 4;

pub(super) fn located(root: PathBuf) -> Located {
    Located {
        kind: "claude",
        root,
    }
}

/// The places that the environment names.
pub(super) fn roots(environment: &Environment) -> Vec<PathBuf> {
    let homes = homes(environment).into_iter();
    let mut roots: Vec<PathBuf> = homes.map(|home| home.join(LOGS)).collect();
    roots.extend(environment.path("CLAUDE_PROJECTS_DIR"));
    roots
}

/// The places that only directories tell.
pub(super) fn more(environment: &Environment) -> Vec<PathBuf> {
    let mut homes = homes(environment);
    let mut roots = Vec::new();
    if !is_moved(environment)
        && let Some(home) = &environment.home
    {
        let beside: Vec<PathBuf> = directories(home)
            .into_iter()
            .filter(|path| name(path).is_some_and(is_beside))
            .collect();
        roots.extend(beside.iter().map(|home| home.join(LOGS)));
        homes.extend(beside);
        desktop(&home.join(DESKTOP), DEPTH, &mut roots);
    }
    for home in homes {
        let profiles = directories(&home.join("profiles")).into_iter();
        roots.extend(profiles.map(|profile| profile.join(LOGS)));
    }
    // One that cannot be looked at is for the reader to name.
    roots.retain(|root| root.is_dir() || super::is_there(root).is_err());
    roots
}

/// Whether a variable says where to look. Then nothing else is looked at.
fn is_moved(environment: &Environment) -> bool {
    [
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CONFIG_DIRS",
        "CLAUDE_PROJECTS_DIR",
    ]
    .iter()
    .any(|name| environment.variable(name).is_some())
}

fn homes(environment: &Environment) -> Vec<PathBuf> {
    let mut homes = Vec::new();
    if let Some(value) = environment.variable("CLAUDE_CONFIG_DIR") {
        // A comma may also be a part of a name; what is not there costs nothing.
        homes.push(environment.absolute(&composed(value)));
        let parts = value.to_str().filter(|text| text.contains(','));
        let parts = parts.into_iter().flat_map(|text| text.split(','));
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        homes.extend(parts.map(|part| environment.absolute(&composed(OsStr::new(part)))));
    }
    if let Some(value) = environment.variable("CLAUDE_CONFIG_DIRS") {
        let parts = env::split_paths(value).filter(|path| !path.as_os_str().is_empty());
        homes.extend(parts.map(|path| environment.absolute(&path)));
    }
    if !is_moved(environment) {
        homes.extend(environment.at_home(".claude"));
        // The standard of these variables takes a relative path for none.
        let config = environment.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.filter(|path| path.is_absolute());
        let config = config.or_else(|| environment.at_home(".config"));
        homes.extend(config.map(|config| config.join("claude")));
    }
    homes
}

/// Whether a name is that of another home: `.claude-work`, not `.claude` and not `.claudette`.
fn is_beside(name: &str) -> bool {
    name.strip_prefix(".claude")
        .is_some_and(|rest| rest.starts_with(['-', '_', '.']))
}

fn desktop(directory: &Path, depth: usize, roots: &mut Vec<PathBuf>) {
    for path in directories(directory) {
        if name(&path).is_some_and(|name| name.starts_with("local_")) {
            roots.push(path.join(".claude").join(LOGS));
        } else if depth > 0 {
            desktop(&path, depth - 1, roots);
        }
    }
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// The directories in a directory, links to them included, in the order of their names.
fn directories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &Path, variables: &[(&str, &str)]) -> Environment {
        Environment {
            home: Some(home.into()),
            current_directory: "/here".into(),
            variables: (variables.iter())
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    fn named(variables: &[(&str, &str)]) -> Vec<String> {
        let roots = roots(&environment(Path::new("/home/me"), variables));
        roots
            .iter()
            .map(|root| root.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_default_homes() {
        let default = [
            "/home/me/.claude/projects",
            "/home/me/.config/claude/projects",
        ];
        assert_eq!(named(&[]), default);
        assert_eq!(named(&[("CLAUDE_CONFIG_DIR", " ")]), default);
        assert_eq!(named(&[("XDG_CONFIG_HOME", "relative")]), default);
        assert_eq!(
            named(&[("XDG_CONFIG_HOME", "/cfg")]),
            ["/home/me/.claude/projects", "/cfg/claude/projects"]
        );
    }

    #[test]
    fn a_variable_moves_the_home_and_can_name_several() {
        let moved = |value| named(&[("CLAUDE_CONFIG_DIR", value)]);
        assert_eq!(moved("/x"), ["/x/projects"]);
        assert_eq!(moved("~/x"), ["/home/me/x/projects"]);
        assert_eq!(moved("x"), ["/here/x/projects"]);
        assert_eq!(
            moved("/x, ~/y,,"),
            ["/x, ~/y,,/projects", "/x/projects", "/home/me/y/projects"]
        );
        // As its agent spells it.
        assert_eq!(moved("/e\u{301}"), ["/\u{e9}/projects"]);
    }

    #[cfg(unix)]
    #[test]
    fn variables_of_other_tools() {
        assert_eq!(
            named(&[
                ("CLAUDE_CONFIG_DIRS", "/x::y"),
                ("CLAUDE_PROJECTS_DIR", "/logs")
            ]),
            ["/x/projects", "/here/y/projects", "/logs"]
        );
        assert_eq!(
            named(&[
                ("CLAUDE_CONFIG_DIR", "/x"),
                ("CLAUDE_PROJECTS_DIR", "~/logs")
            ]),
            ["/x/projects", "/home/me/logs"]
        );
    }

    #[test]
    fn directories_tell_of_profiles_and_homes_beside() {
        let home = tempfile::tempdir().unwrap();
        for place in [
            ".claude/projects",
            ".claude/profiles/work/projects",
            ".claude/profiles/empty",
            ".claude-two/projects",
            ".claude-two/profiles/p/projects",
            ".claude-mem",
            ".claudette/projects",
            "moved/profiles/q/projects",
        ] {
            fs::create_dir_all(home.path().join(place)).unwrap();
        }
        let desktop = format!("{DESKTOP}/user/org/local_1/.claude/projects");
        fs::create_dir_all(home.path().join(&desktop)).unwrap();
        let found = |variables: &[(&str, &str)]| {
            let more = more(&environment(home.path(), variables)).into_iter();
            let names = more.map(|root| root.strip_prefix(home.path()).unwrap().to_owned());
            names
                .map(|root| root.to_str().unwrap().replace('\\', "/"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(&[]),
            [
                ".claude-two/projects",
                &desktop,
                ".claude/profiles/work/projects",
                ".claude-two/profiles/p/projects",
            ]
        );
        assert_eq!(
            found(&[("CLAUDE_CONFIG_DIR", "~/moved")]),
            ["moved/profiles/q/projects"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn one_place_of_two_names_is_one() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".claude/projects")).unwrap();
        fs::create_dir_all(home.path().join(".config")).unwrap();
        let link = home.path().join(".config/claude");
        std::os::unix::fs::symlink(home.path().join(".claude"), link).unwrap();
        let found = crate::discover(&environment(home.path(), &[])).into_iter();
        let claude: Vec<_> = found.filter(|own| own.kind == "claude").collect();
        assert_eq!(claude.len(), 1, "{claude:?}");
        assert!(claude[0].root.ends_with(".claude/projects"));
    }
}

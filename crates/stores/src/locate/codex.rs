//! Where Codex keeps its threads (`spec/agent-logs.md` 3.1).

use super::{Environment, Located};

/// The home, which `CODEX_HOME` moves: rollouts, the archive and the database all lie below it.
pub(super) fn located(environment: &Environment) -> Option<Located> {
    let home = environment.path("CODEX_HOME");
    Some(Located {
        kind: "codex",
        root: home.or_else(|| environment.at_home(".codex"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_can_be_moved() {
        let mut environment = Environment {
            home: Some("/home/me".into()),
            ..Environment::default()
        };
        let root = |environment: &Environment| located(environment).unwrap().root;
        assert_eq!(root(&environment), std::path::Path::new("/home/me/.codex"));
        let variable = ("CODEX_HOME".into(), "~/x".into());
        environment.variables.extend([variable]);
        assert_eq!(root(&environment), std::path::Path::new("/home/me/x"));
        assert_eq!(located(&Environment::default()), None);
    }
}

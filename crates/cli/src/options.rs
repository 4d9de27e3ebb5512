//! Options that several commands share, and the words that their values have.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sref::envelope::Profile;
use sref::projection::{Budget, Retention};
use sref::service::{Config, ReferenceError, SessionReferenceResolver};
use sref::session::{Dialect, JsStr, JsString, SessionId};
use sref::uri::{MentionOptions, Schemes, format_mention};
use sref_stores::KINDS;

use crate::failure::Failure;
use crate::reader::StoreReport;

/// How the answer is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Format {
    /// Print JSON, in which all text stands exactly as it was written
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where sessions are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Stores")]
pub(crate) struct Stores {
    /// Read this store instead of those found on the machine; can be repeated
    #[arg(
        long = "store",
        value_name = "KIND=PATH",
        value_parser = StorePlace::parse,
        long_help = store_help()
    )]
    pub(crate) places: Vec<StorePlace>,
}

impl Stores {
    /// A store that a person named and that cannot be read is at fault, also when the answer says so.
    /// One that was found on the machine is a line of the answer.
    pub(crate) fn status(&self, reports: &[StoreReport]) -> Result<(), Failure> {
        let failed = reports.iter().any(|report| report.listing.is_err());
        if failed && !self.places.is_empty() {
            return Err(Failure::Status(1));
        }
        Ok(())
    }
}

fn store_help() -> String {
    format!(
        "Read this store instead of those found on the machine; can be repeated\n\n\
         KIND is the agent ({}), PATH the directory of its session logs, or their database.",
        KINDS.join(", ")
    )
}

/// The value of `--store`.
#[derive(Debug, Clone)]
pub(crate) struct StorePlace {
    pub(crate) kind: &'static str,
    pub(crate) path: PathBuf,
}

impl StorePlace {
    fn parse(value: &str) -> Result<Self, String> {
        let (kind, path) = match value.split_once('=') {
            Some((kind, path)) if !path.is_empty() => (kind, path),
            _ => return Err("expected KIND=PATH, as in dsh=/home/me/.dsh/sessions".to_owned()),
        };
        let found = KINDS.iter().copied().find(|own| *own == kind);
        Ok(Self {
            kind: found.ok_or_else(|| format!("KIND is one of: {}", KINDS.join(", ")))?,
            path: path.into(),
        })
    }
}

/// Who asks.
#[derive(Debug, Args)]
pub(crate) struct Own {
    /// The session that you are in: it is not listed and cannot be cited
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// How URIs are spelled.
#[derive(Debug, Args)]
#[command(next_help_heading = "References")]
pub(crate) struct Spelling {
    /// The harness whose URIs alone are read, and written
    ///
    /// Without it those of all are read, and a session is cited as its own harness does it, one of
    /// another agent as DeepSeek Harness.
    #[arg(long, value_enum, value_name = "NAME")]
    dialect: Option<DialectName>,
}

impl Spelling {
    /// The dialect that holds where there can be but one.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.map_or(Dialect::DSH, DialectName::get)
    }

    /// The URIs that are read. Their ids are those of listings: `toh:` and so on before them.
    pub(crate) fn schemes(&self) -> Schemes {
        match self.dialect {
            Some(dialect) => Schemes::qualified([&dialect.get()]),
            None => Schemes::known(),
        }
    }

    /// A mention of a session. Without a label it is the id.
    pub(crate) fn mention(&self, id: &SessionId, label: Option<JsStr<'_>>) -> JsString {
        let own = Dialect::KNOWN
            .into_iter()
            .find(|dialect| native(id, dialect).is_some());
        let dialect = self.dialect.map(DialectName::get).or(own);
        let dialect = dialect.unwrap_or(Dialect::DSH);
        let native = native(id, &dialect);
        let label = label.unwrap_or(id.as_js_str());
        format_mention(native.as_ref().unwrap_or(id), Some(label), &dialect)
    }
}

/// The id that a session has to the harness of a dialect, if it is one of its sessions.
fn native(id: &SessionId, dialect: &Dialect) -> Option<SessionId> {
    let agent = dialect.agent()?;
    let id = id.as_js_str();
    let rest = id.as_wtf8().strip_prefix(agent.as_bytes())?;
    let rest = rest.strip_prefix(b":")?;
    let native = id.slice(id.len() - rest.len()..id.len());
    Some(native.to_js_string().into())
}

/// How a referenced session is carried.
#[derive(Debug, Args)]
#[command(next_help_heading = "References")]
pub(crate) struct Carriage {
    /// The most bytes that one referenced session may take [default: 65536]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    pub(crate) budget: Option<u64>,
    /// Take the budget from the model's context window instead
    ///
    /// A fifth of the window for each session, at four bytes a token, and never less than the
    /// default budget.
    #[arg(
        long,
        value_name = "TOKENS",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with = "budget"
    )]
    pub(crate) window: Option<u64>,
    /// How a conversation is shortened that does not fit
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub(crate) retention: RetentionName,
    /// Which characters of a session are escaped
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) profile: ProfileName,
}

impl Carriage {
    /// A resolver that carries sessions so.
    pub(crate) fn resolver<Q>(&self, query: Q) -> Result<SessionReferenceResolver<Q>, Failure> {
        let resolver = SessionReferenceResolver::new(query, self.config()?);
        Ok(resolver
            .with_retention(self.retention.get())
            .with_profile(self.profile.get()))
    }

    /// The most bytes that one referenced session may take.
    pub(crate) fn budget(&self) -> usize {
        let given = self
            .budget
            .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        match (given, self.window) {
            (Some(bytes), _) => bytes,
            (None, Some(tokens)) => Budget::for_window(tokens).bytes(),
            (None, None) => Budget::DEFAULT.bytes(),
        }
    }

    /// The limits of a resolver.
    pub(crate) fn config(&self) -> Result<Config, ReferenceError> {
        Config::default().with_max_reference_bytes((self.budget() as u64).min(MOST))
    }
}

/// The largest number that JavaScript hosts exchange.
pub(crate) const MOST: u64 = (1 << 53) - 1;

/// Values of `--dialect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// DeepSeek Harness: dsh-session:
    Dsh,
    /// DeepSeek Harness 0.0.1: dsh-session:, context before the message
    #[value(name = "dsh-0.0.1")]
    Dsh001,
    /// Hydra: hydra-session:
    Hydra,
    /// TheOpen Harness: toh-session:
    Toh,
    /// Hydra under its first name: bh-session:
    Bh,
    /// freddie: freddie-session:
    Freddie,
}

impl DialectName {
    const fn get(self) -> Dialect {
        match self {
            Self::Dsh => Dialect::DSH,
            Self::Dsh001 => Dialect::DSH_0_0_1,
            Self::Hydra => Dialect::HYDRA,
            Self::Toh => Dialect::TOH,
            Self::Bh => Dialect::BH,
            Self::Freddie => Dialect::FREDDIE,
        }
    }
}

/// Values of `--retention`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RetentionName {
    /// Every message gets a fair share
    #[default]
    Fair,
    /// As the harnesses do it, byte for byte
    Exact,
}

impl RetentionName {
    pub(crate) const fn get(self) -> Retention {
        match self {
            Self::Fair => Retention::Fair,
            Self::Exact => Retention::Exact,
        }
    }
}

/// Values of `--profile`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// As the harnesses do it: only what could end the block
    Plain,
    /// Also what is invisible or turns text around; what was left out is counted
    #[default]
    Hardened,
}

impl ProfileName {
    pub(crate) const fn get(self) -> Profile {
        match self {
            Self::Plain => Profile::Plain,
            Self::Hardened => Profile::Hardened,
        }
    }
}

/// Values of `--mentions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MentionsName {
    /// As the harnesses do it
    Seed,
    /// Mentions in code stay text, labels are readable, a broken bare URI is no error
    #[default]
    Friendly,
}

impl MentionsName {
    pub(crate) fn get(self) -> MentionOptions {
        match self {
            Self::Seed => MentionOptions::default(),
            Self::Friendly => MentionOptions::friendly(),
        }
    }
}

/// The directory that stands for "here": `--cwd`, else the process's own.
pub(crate) fn here(given: Option<&str>) -> Option<JsString> {
    if let Some(given) = given {
        return Some(given.into());
    }
    let here = std::env::current_dir().ok()?;
    Some(here.to_string_lossy().into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `spec/dsh-newer.md` 11: what a fork's own program writes.
    #[test]
    fn a_mention_keeps_the_scheme_of_its_store() {
        let write = |dialect, id: &str| {
            let mention = Spelling { dialect }.mention(&id.into(), Some("x".into()));
            mention.to_string()
        };
        assert_eq!(write(None, "a"), "@[x](dsh-session:ImEi)");
        assert_eq!(write(None, "toh:a"), "@[x](toh-session:ImEi)");
        assert_eq!(write(None, "hydra:a"), "@[x](hydra-session:ImEi)");
        assert_eq!(write(None, "bh:a"), "@[x](bh-session:ImEi)");
        assert_eq!(write(None, "freddie:a"), "@[x](freddie-session:ImEi)");
        let claude = "@[x](dsh-session:ImNsYXVkZTphIg)";
        assert_eq!(write(None, "claude:a"), claude);
        let toh = Some(DialectName::Toh);
        assert_eq!(write(toh, "a"), "@[x](toh-session:ImEi)");
        assert_eq!(write(toh, "toh:a"), "@[x](toh-session:ImEi)");
        // What is read is what was written, whoever writes.
        for dialect in [None, toh, Some(DialectName::Dsh)] {
            let spelling = Spelling { dialect };
            for id in ["toh:a", "toh:", "toh:claude:a"] {
                let mention = spelling.mention(&id.into(), None);
                let found = sref::uri::extract(
                    mention.as_js_str(),
                    &spelling.schemes(),
                    &MentionOptions::default(),
                );
                let reference = &found.unwrap().references[0];
                assert_eq!(reference.session_id.to_string(), id);
                assert_eq!(reference.label, *id);
            }
        }
    }

    #[test]
    fn a_store_is_a_kind_and_a_path() {
        let place = StorePlace::parse("dsh=/a=b").unwrap();
        assert_eq!((place.kind, place.path), ("dsh", "/a=b".into()));
        for bad in ["", "dsh", "dsh=", "=/a", "/a/b", "hal=/a"] {
            assert!(StorePlace::parse(bad).is_err(), "{bad}");
        }
    }
}

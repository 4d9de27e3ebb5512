//! Which sessions a person means, told by facts that a listing has without reading a session.

use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use sref::query::SessionRecord;
use sref_stores::KINDS;

/// Filters that all have to let a session pass.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct Filter {
    /// Only sessions of this agent; can be repeated
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(KINDS))]
    agent: Vec<String>,
    /// Only sessions that were written to since then: a time ago (3h, 2d, 1w) or a day (2026-11-01)
    ///
    /// Units are m, h, d, w, mo and y, as in the column of ages. A day begins at midnight here; a
    /// time of it can follow (2026-11-01T14:30).
    #[arg(long, value_name = "WHEN", value_parser = since, allow_hyphen_values = true)]
    since: Option<i64>,
    /// Only sessions that ran in this directory or below it (`.`: here)
    #[arg(long, value_name = "DIR", value_parser = directory)]
    project: Option<Project>,
}

impl Filter {
    /// Whether a session passes. What is not known of it does not pass.
    pub(super) fn passes(&self, record: &SessionRecord) -> bool {
        let agent = record.agent.as_deref().unwrap_or_default();
        let changed = record.last_activity();
        let project = |project: &Project| {
            let cwd = record.header.cwd.as_ref().and_then(|cwd| cwd.as_str());
            cwd.is_some_and(|cwd| project.holds(Path::new(cwd)))
        };
        (self.agent.is_empty() || self.agent.iter().any(|own| own == agent))
            && self.since.is_none_or(|since| changed >= since)
            && self.project.as_ref().is_none_or(project)
    }

    /// The directory that nothing was found in because there is none, as far as can be told. One that
    /// is gone still has its sessions, so that it alone is no fault.
    pub(super) fn missing(&self) -> Option<&Path> {
        let project = self.project.as_ref()?.names.first()?;
        matches!(project.try_exists(), Ok(false)).then_some(project)
    }

    /// Whether anything is filtered at all.
    pub(super) fn is_set(&self) -> bool {
        !self.agent.is_empty() || self.since.is_some() || self.project.is_some()
    }
}

/// A directory, as it was named and as it is without links: agents write down either.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Project {
    names: Vec<PathBuf>,
}

impl Project {
    fn holds(&self, cwd: &Path) -> bool {
        let cwd = lexical(cwd);
        self.names.iter().any(|name| cwd.starts_with(name))
    }
}

fn directory(value: &str) -> Result<Project, String> {
    if value.is_empty() {
        return Err("expected a directory".to_owned());
    }
    let absolute = std::path::absolute(value).map_err(|error| error.to_string())?;
    let mut names = vec![lexical(&absolute)];
    // A project that is gone still has its sessions.
    names.extend(absolute.canonicalize());
    Ok(Project { names })
}

/// A path without `.` and `..`, told by its words alone.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The moment that `--since` names, in milliseconds since 1970.
fn since(value: &str) -> Result<i64, String> {
    moment(value, Timestamp::now(), &TimeZone::system()).ok_or_else(|| {
        let expected = "expected a time ago, as in 3h, 2d or 1w, or a day, as in 2026-11-01";
        match value
            .strip_prefix('-')
            .filter(|ago| self::ago(ago).is_some())
        {
            Some(ago) => format!("{expected}; a time ago has no sign: {ago}"),
            None => expected.to_owned(),
        }
    })
}

fn moment(value: &str, now: Timestamp, zone: &TimeZone) -> Option<i64> {
    if let Some(ago) = ago(value) {
        return Some(now.as_millisecond().saturating_sub(ago));
    }
    // With an offset it is the same moment everywhere.
    if let Ok(moment) = value.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let local = match value.parse::<Date>() {
        // The parser takes a time along and drops it.
        Ok(day) if day.to_string() == value => day.to_datetime(jiff::civil::Time::midnight()),
        _ => value.parse::<DateTime>().ok()?,
    };
    Some(zone.to_timestamp(local).ok()?.as_millisecond())
}

/// A number and a unit, in milliseconds.
fn ago(value: &str) -> Option<i64> {
    let unit = value.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = value.split_at(unit);
    let seconds: i64 = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "mo" => 2_629_800,
        "y" => 31_557_600,
        _ => return None,
    };
    Some(number.parse::<i64>().ok()?.saturating_mul(seconds * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_people_name_them() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let read = |value: &str| {
            let moment = moment(value, now, &zone)?;
            Some(Timestamp::from_millisecond(moment).unwrap().to_string())
        };
        let is = |value, expected: &str| assert_eq!(read(value).as_deref(), Some(expected));
        is("90m", "2026-11-30T10:30:00Z");
        is("3h", "2026-11-30T09:00:00Z");
        is("2d", "2026-11-28T12:00:00Z");
        is("1w", "2026-11-23T12:00:00Z");
        // A day begins where the person is.
        is("2026-11-01", "2026-10-31T22:00:00Z");
        is("2026-11-01T14:30", "2026-11-01T12:30:00Z");
        is("2026-11-01 14:30:05", "2026-11-01T12:30:05Z");
        is("2026-11-01T14:30:00Z", "2026-11-01T14:30:00Z");
        for bad in [
            "",
            "d",
            "2",
            "2x",
            "-2d",
            "2 d",
            "yesterday",
            "2026-13-01",
            "２d",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(ago("9223372036854775807y"), Some(i64::MAX));
        assert_eq!(ago("9223372036854775808y"), None);
    }

    #[test]
    fn a_project_holds_what_is_below_it() {
        let project = directory("/no/such/place/../app/").unwrap();
        let holds = |cwd: &str| project.holds(Path::new(cwd));
        assert!(holds("/no/such/app") && holds("/no/such/app/src") && holds("/no/such/app/./x/.."));
        assert!(!holds("/no/such") && !holds("/no/such/apple") && !holds("/no/such/app/.."));
        assert!(directory("").is_err());
    }
}

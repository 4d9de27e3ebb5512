//! The first record of a log (`spec/dsh-store.md` 1.1, 4.2).

use sref_session::json::{Kind, Scanner};
use sref_session::{JsString, SessionHeader, SessionId};

use crate::raw::Raw;

/// The header of a log, as far as a listing checks it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogHeader {
    /// The members that have their type.
    pub(super) logical: SessionHeader,
    /// Why the log cannot be read although it is listed, if so.
    pub(super) fault: Option<&'static str>,
    /// Whether a `cwd` is there that is no string, so that no directory can be derived from it.
    odd_cwd: bool,
}

/// Why a line is not a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoHeader {
    /// It is something else.
    Other,
    /// It has this retired member.
    Retired(&'static str),
    /// The frame that should hold it does not.
    Container(&'static str),
    /// It names another format than the file does.
    Version(u64),
}

impl LogHeader {
    /// Reads a header record of a log whose name says this format.
    pub(super) fn parse(line: &[u8], format: u64) -> Result<Self, NoHeader> {
        let mut scanner = Scanner::new(line);
        let record = Raw::read(&mut scanner).and_then(|raw| scanner.finish().map(|()| raw));
        let record = record.map_err(|_| NoHeader::Other)?;
        let mut header = Self::read(record).ok_or(NoHeader::Other)??;
        if format == 0 {
            return Ok(header);
        }
        // From format 1 on the file's name says the format too, and members are exact
        // (`spec/dsh-newer.md` 2, 5, 6).
        match header.logical.version {
            Some(version) if version == format => {}
            Some(version) => return Err(NoHeader::Version(version)),
            None => return Err(NoHeader::Other),
        }
        let exact = if format == 1 { seed_length } else { is_seeded };
        exact(record, &mut header.logical).ok_or(NoHeader::Other)?;
        if header.fault.is_some() {
            return Err(NoHeader::Other);
        }
        Ok(header)
    }

    /// Takes a header whose members have been checked elsewhere.
    pub(super) const fn checked(logical: SessionHeader) -> Self {
        Self {
            logical,
            fault: None,
            odd_cwd: false,
        }
    }

    fn read(record: Raw<'_>) -> Option<Result<Self, NoHeader>> {
        let [kind, version, id, created_at, depth, origin, preset] = record
            .members([
                "type",
                "version",
                "id",
                "createdAt",
                "delegationDepth",
                "origin",
                "agentPreset",
            ])?
            .found;
        let [cwd, parent, seed, sandbox, approval] = record
            .members([
                "cwd",
                "parentSession",
                "seedLength",
                "sandboxMode",
                "approvalPolicy",
            ])?
            .found;
        let version = version.filter(|version| version.kind() == Kind::Number)?;
        if !kind?.is_string("session") {
            return None;
        }
        let created_at = i64::try_from(count(created_at?)?).ok()?;
        let mut logical = SessionHeader::new(SessionId::new(id?.decode()?), created_at);
        logical.version = version.index();
        logical.delegation_depth = Some(count(depth?)?);
        if let Some(origin) = origin {
            logical.origin = Some(origin.decode().filter(|origin| *origin == *"subagent")?);
        }
        if let Some(preset) = preset {
            logical.agent_preset = Some(preset.decode()?);
        }
        for (member, name) in [(sandbox, "sandboxMode"), (approval, "approvalPolicy")] {
            if member.is_some() {
                return Some(Err(NoHeader::Retired(name)));
            }
        }
        // These three are not looked at before the log is read [v45–v47].
        logical.cwd = cwd.and_then(Raw::decode);
        logical.parent_session = parent.and_then(Raw::decode).map(SessionId::new);
        logical.seed_length = seed.and_then(Raw::index);
        let fault = if cwd.is_some() && !logical.cwd.as_ref().is_some_and(is_absolute) {
            Some("a cwd that is no absolute path")
        } else if parent.is_some() && logical.parent_session.is_none() {
            Some("a parentSession that is no string")
        } else if seed.is_some() && logical.seed_length.is_none() {
            Some("a seedLength that is no count")
        } else {
            None
        };
        let odd_cwd = cwd.is_some() && logical.cwd.is_none();
        Some(Ok(Self {
            logical,
            fault,
            odd_cwd,
        }))
    }

    /// The names of the project and session directory that this header belongs in.
    pub(super) fn place(&self) -> Option<(String, String)> {
        if self.odd_cwd {
            return None;
        }
        let cwd = self.logical.cwd.as_ref().map(JsString::as_js_str);
        let session = super::path::session_directory(self.logical.id.as_js_str())?;
        Some((super::path::project_directory(cwd), session))
    }
}

/// The members of a header of format 1, and no others.
fn seed_length(record: Raw<'_>, _: &mut SessionHeader) -> Option<()> {
    let members = record.members([
        "type",
        "version",
        "id",
        "createdAt",
        "cwd",
        "parentSession",
        "seedLength",
        "origin",
        "delegationDepth",
        "agentPreset",
    ])?;
    (!members.others).then_some(())
}

/// The members of a header from format 2 on, and no others.
fn is_seeded(record: Raw<'_>, header: &mut SessionHeader) -> Option<()> {
    let members = record.members([
        "type",
        "version",
        "id",
        "createdAt",
        "cwd",
        "parentSession",
        "isSeeded",
        "origin",
        "delegationDepth",
        "agentPreset",
    ])?;
    let seeded = members.found[6]?;
    if members.others || seeded.kind() != Kind::Bool {
        return None;
    }
    header.is_seeded = Some(seeded.is_true());
    Some(())
}

/// Whether two observations of one log are of the same session (`spec/dsh-store.md` 6.2): not
/// compared are `origin` and `agentPreset`.
pub(super) fn compatible(one: &SessionHeader, other: &SessionHeader) -> bool {
    let facts = |header: &SessionHeader| {
        (
            header.version,
            header.created_at,
            header.seed_length,
            header.is_seeded,
            header.delegation_depth.unwrap_or(0),
        )
    };
    facts(one) == facts(other)
        && one.id == other.id
        && one.cwd == other.cwd
        && one.parent_session == other.parent_session
}

/// A safe integer from 0 up, of which −0 is none.
fn count(raw: Raw<'_>) -> Option<u64> {
    raw.index().filter(|_| !raw.bytes().starts_with(b"-"))
}

/// An absolute path by the rules of this host, as the writer's `path.isAbsolute` has them.
pub(super) fn is_absolute(path: &JsString) -> bool {
    match path.as_wtf8() {
        [b'/', ..] => true,
        [b'\\', ..] => cfg!(windows),
        [drive, b':', b'/' | b'\\', ..] => cfg!(windows) && drive.is_ascii_alphabetic(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        r#"{"type":"session","version":0,"id":"a","createdAt":5,"cwd":"/w","delegationDepth":0}"#;

    fn parse(line: &str) -> Result<LogHeader, NoHeader> {
        LogHeader::parse(line.as_bytes(), 0)
    }

    /// 4.2, one broken member each [h01–h12, P:retired-header-field].
    #[test]
    fn a_header_is_told_by_its_members() {
        assert!(parse(GOOD).is_ok());
        for (from, to) in [
            ("\"session\"", "\"turn/start\""),
            ("\"version\":0", "\"version\":\"0\""),
            ("\"id\":\"a\"", "\"id\":7"),
            ("\"createdAt\":5", "\"createdAt\":-5"),
            ("\"createdAt\":5", "\"createdAt\":5.5"),
            ("\"createdAt\":5", "\"createdAt\":-0"),
            ("\"delegationDepth\":0", "\"delegationDepth\":-1"),
            (",\"delegationDepth\":0", ""),
            ("}", ",\"origin\":\"user\"}"),
            ("}", ",\"agentPreset\":1}"),
            ("}", "}]"),
        ] {
            let line = GOOD.replacen(from, to, 1);
            assert_eq!(parse(&line), Err(NoHeader::Other), "{line}");
        }
        for name in ["sandboxMode", "approvalPolicy"] {
            let line = GOOD.replace('}', &format!(",\"{name}\":null}}"));
            assert_eq!(parse(&line), Err(NoHeader::Retired(name)));
        }
        // Unknown members, odd spellings of numbers, white space [r08, r10, r19].
        let line = GOOD.replace(":5", ": 5.0").replace('}', ",\"x\":[{}]}\r");
        assert_eq!(parse(&line).unwrap().logical.created_at, 5);
    }

    /// 1.1: listed, and refused only when read [v45–v47].
    #[test]
    fn three_members_fail_late() {
        assert_eq!(parse(GOOD).unwrap().fault, None);
        for (from, to) in [
            ("\"/w\"", "\"w\""),
            ("\"/w\"", "null"),
            ("}", ",\"parentSession\":5}"),
            ("}", ",\"seedLength\":-1}"),
        ] {
            let header = parse(&GOOD.replacen(from, to, 1)).unwrap();
            assert!(header.fault.is_some(), "{to}");
        }
        let relative = parse(&GOOD.replace("\"/w\"", "\"w\"")).unwrap();
        assert_eq!(relative.place(), Some(("--w--".into(), "a".into())));
        let odd = parse(&GOOD.replace("\"/w\"", "7")).unwrap();
        assert_eq!(odd.place(), None);
    }

    /// 6.2
    #[test]
    fn compatibility_leaves_origin_and_preset_out() {
        let one = parse(GOOD).unwrap().logical;
        let mut other = one.clone();
        other.origin = Some("subagent".into());
        other.agent_preset = Some("x".into());
        other.delegation_depth = None;
        assert!(compatible(&one, &other));
        other.created_at += 1;
        assert!(!compatible(&one, &other));
    }
}

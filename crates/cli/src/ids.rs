//! Ids as people type them: the beginning of one will do, without its head.
//!
//! The head of an id is what it shares with most others: `session-` in the ids of dsh, the agent in
//! those of other agents (`claude:`). So `3f9c` finds `session-3f9c1e52-…`.

use std::collections::HashSet;

use sref::query::{QueryError, SessionRecord};
use sref::session::{JsStr, SessionId};

use crate::failure::{Failure, code};
use crate::term::visible;

/// How much of an id is shown at least, after its head.
const SHOWN: usize = 8;
/// How many ids an error names.
const NAMED: usize = 3;

/// The ids of a listing, ready for look-ups.
pub(crate) struct Ids<'a> {
    records: &'a [SessionRecord],
    /// Every way to begin the id of a record, sorted: the id, and what follows its head.
    keys: Vec<(&'a [u8], usize)>,
}

impl<'a> Ids<'a> {
    pub(crate) fn new(records: &'a [SessionRecord]) -> Self {
        let mut keys = Vec::with_capacity(records.len() * 2);
        for (at, record) in records.iter().enumerate() {
            let id = record.header.id.as_js_str().as_wtf8();
            let tail = tail(record);
            keys.push((id, at));
            if tail.len() < id.len() {
                keys.push((tail, at));
            }
        }
        keys.sort_unstable();
        Self { records, keys }
    }

    /// The session whose id is `given`, or begins with it as no other does.
    pub(crate) fn find(&self, given: &str) -> Result<&'a SessionRecord, Failure> {
        let exact = |record: &&SessionRecord| *record.header.id.as_js_string() == *given;
        if let Some(record) = self.records.iter().find(exact) {
            return Ok(record);
        }
        let found = self.beginning_with(given.as_bytes());
        match found[..] {
            _ if given.is_empty() => Err(not_found(given)),
            [one] => Ok(&self.records[one]),
            [] => Err(not_found(given)),
            _ => Err(self.ambiguous(given, &found)),
        }
    }

    /// The session of exactly this id.
    pub(crate) fn get(&self, id: &SessionId) -> Result<&'a SessionRecord, Failure> {
        let own = self.records.iter().find(|record| record.header.id == *id);
        Ok(own.ok_or_else(|| QueryError::SessionNotFound { id: id.clone() })?)
    }

    /// Whether `given` begins an id at all.
    pub(crate) fn knows(&self, given: &str) -> bool {
        !self.beginning_with(given.as_bytes()).is_empty()
    }

    /// The sessions for which `start` is a beginning, each once, in the order of the listing. A
    /// sub-agent's id goes on where that of its session ends, and does not compete with it.
    fn beginning_with(&self, start: &[u8]) -> Vec<usize> {
        let from = self.keys.partition_point(|(key, _)| *key < start);
        let mut found: Vec<usize> = self.keys[from..]
            .iter()
            .take_while(|(key, _)| key.starts_with(start))
            .map(|(_, at)| *at)
            .collect();
        found.sort_unstable();
        found.dedup();
        if found.len() > 1 {
            let ids: HashSet<&[u8]> = found.iter().map(|at| self.id(*at)).collect();
            found.retain(|at| parent(self.id(*at)).is_none_or(|own| !ids.contains(own)));
        }
        found
    }

    fn id(&self, at: usize) -> &'a [u8] {
        self.records[at].header.id.as_js_str().as_wtf8()
    }

    fn ambiguous(&self, given: &str, found: &[usize]) -> Failure {
        let names: Vec<String> = found
            .iter()
            .take(NAMED)
            .map(|at| quote(&self.records[*at].header.id))
            .collect();
        let more = if found.len() > NAMED { ", …" } else { "" };
        Failure::new(
            code::AMBIGUOUS_ID,
            format!(
                "{} begins {} ids: {}{more}",
                JsStr::from(given).excerpt(),
                found.len(),
                names.join(", ")
            ),
        )
    }

    /// The shortest beginning of an id that finds it, without its head, of eight characters or
    /// more: what a listing shows.
    pub(crate) fn short(&self, record: &SessionRecord) -> String {
        let id = record.header.id.as_js_str();
        let tail = id.slice(id.len() - tail(record).len()..id.len());
        let mut columns = 0;
        for end in 1..=tail.len() {
            if !tail.is_boundary(end) {
                continue;
            }
            columns += 1;
            let start = tail.slice(0..end);
            if columns >= SHOWN && self.begins_one(start.as_wtf8(), record) {
                return visible::line(start);
            }
        }
        // A short id, or one that begins another: only the whole of it is sure to be found.
        let sure = self.begins_one(tail.as_wtf8(), record);
        visible::line(if sure { tail } else { id })
    }

    /// Whether `start` finds this session.
    fn begins_one(&self, start: &[u8], record: &SessionRecord) -> bool {
        let from = self.keys.partition_point(|(key, _)| *key < start);
        let mut keys = self.keys[from..]
            .iter()
            .take_while(|(key, _)| key.starts_with(start));
        let Some((_, first)) = keys.next() else {
            return false;
        };
        // The shortest comes first: a session before its sub-agents.
        let id = self.id(*first);
        id == record.header.id.as_js_str().as_wtf8()
            && keys.all(|(_, at)| at == first || parent(self.id(*at)) == Some(id))
    }
}

/// No session has this id.
pub(crate) fn not_found(given: &str) -> Failure {
    Failure::new(
        code::NOT_FOUND,
        format!(
            "no session {}; `sref list` shows what there is, `sref doctor` what was skipped",
            JsStr::from(given).excerpt()
        ),
    )
}

fn quote(id: &SessionId) -> String {
    id.as_js_str().excerpt().to_string()
}

/// The id of the session that a sub-agent belongs to.
fn parent(id: &[u8]) -> Option<&[u8]> {
    id.iter()
        .rposition(|byte| *byte == b'/')
        .map(|at| &id[..at])
}

/// What follows the head of an id.
fn tail(record: &SessionRecord) -> &[u8] {
    let id = record.header.id.as_js_str().as_wtf8();
    let native = record
        .agent
        .as_deref()
        .and_then(|agent| id.strip_prefix(agent.as_bytes())?.strip_prefix(b":"))
        .unwrap_or(id);
    match native.strip_prefix(b"session-") {
        Some(tail) if !tail.is_empty() => tail,
        _ => native,
    }
}

#[cfg(test)]
mod tests {
    use sref::session::{JsString, SessionHeader};

    use super::*;

    fn records(ids: &[(&'static str, &'static str)]) -> Vec<SessionRecord> {
        ids.iter()
            .map(|(agent, id)| {
                let mut record = SessionRecord::new(SessionHeader::new(*id, 0));
                record.agent = Some((*agent).into());
                record
            })
            .collect()
    }

    fn sample() -> Vec<SessionRecord> {
        records(&[
            ("dsh", "session-3f9c1e52-7d0b"),
            ("dsh", "session-3fd07a96-42cc"),
            ("dsh", "session-3f"),
            ("claude", "claude:3f9a"),
            ("dsh", "a"),
            ("dsh", "ab"),
            ("dsh", "session-"),
        ])
    }

    #[test]
    fn a_unique_beginning_will_do() {
        let records = sample();
        let ids = Ids::new(&records);
        let find = |given| {
            ids.find(given)
                .map(|record| record.header.id.to_string())
                .map_err(|failure| format!("{failure:?}"))
        };
        let first = "session-3f9c1e52-7d0b".to_owned();
        for given in [
            "session-3f9c1e52-7d0b",
            "session-3f9",
            "3f9c",
            "3f9c1e52-7d0b",
        ] {
            assert_eq!(find(given), Ok(first.clone()), "{given}");
        }
        assert_eq!(find("claude:"), Ok("claude:3f9a".to_owned()));
        assert_eq!(find("3f9a"), Ok("claude:3f9a".to_owned()));
        // An id that begins others is found by all of it.
        assert_eq!(find("session-3f"), Ok("session-3f".to_owned()));
        assert_eq!(find("a"), Ok("a".to_owned()));
        assert_eq!(find("session-"), Ok("session-".to_owned()));
        assert!(
            find("zz")
                .unwrap_err()
                .contains("SESSION_QUERY_SESSION_NOT_FOUND")
        );
    }

    #[test]
    fn an_ambiguous_beginning_names_up_to_three() {
        let records = sample();
        let message = |given| match Ids::new(&records).find(given) {
            Err(Failure::Error { code, message }) => {
                assert_eq!(code, "cli.ambiguous-id");
                message
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(
            message("3f9"),
            r#""3f9" begins 2 ids: "session-3f9c1e52-7d0b", "claude:3f9a""#
        );
        let all = message("3f");
        assert!(
            all.contains("begins 4 ids") && all.ends_with(", …"),
            "{all}"
        );
        // Nothing is no beginning, even of the only session.
        assert!(matches!(
            Ids::new(&records[..1]).find(""),
            Err(Failure::Error { .. })
        ));
    }

    #[test]
    fn what_a_listing_shows_is_found() {
        let mut records = sample();
        let half = JsString::from_utf16([0x61, 0xD83D]);
        records.push(SessionRecord::new(SessionHeader::new(half, 0)));
        let ids = Ids::new(&records);
        let short: Vec<String> = records.iter().map(|record| ids.short(record)).collect();
        assert_eq!(short[0], "3f9c1e52");
        assert_eq!(short[3], "3f9a");
        for (record, short) in records.iter().zip(&short).take(7) {
            assert_eq!(
                ids.find(short).unwrap().header.id,
                record.header.id,
                "{short}"
            );
        }
        // Nobody can type this one.
        assert_eq!(short[7], r"a\u{d83d}");
    }

    #[test]
    fn a_sub_agent_does_not_compete_with_its_session() {
        let records = records(&[
            ("claude", "claude:5f0c1d2e-01"),
            ("claude", "claude:5f0c1d2e-01/agent-a1"),
            ("claude", "claude:5f0c1d2e-01/agent-b2"),
            ("claude", "claude:77aa77aa-02/agent-c3"),
        ]);
        let ids = Ids::new(&records);
        for given in ["5f0c", "claude:5f", "5f0c1d2e-01"] {
            assert_eq!(ids.find(given).unwrap(), &records[0], "{given}");
        }
        assert_eq!(ids.find("5f0c1d2e-01/agent-b").unwrap(), &records[2]);
        assert!(ids.find("5f0c1d2e-01/").is_err(), "two begin so");
        assert_eq!(
            ids.find("77").unwrap(),
            &records[3],
            "its session is not there"
        );
        assert_eq!(ids.short(&records[0]), "5f0c1d2e");
        assert_eq!(ids.short(&records[1]), "5f0c1d2e-01/agent-a");
        assert_eq!(ids.short(&records[3]), "77aa77aa");
    }
}

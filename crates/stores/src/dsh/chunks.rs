//! Packed rows: runs of streamed chunks stored as one record (`spec/dsh-store.md` 1.5). They are
//! checked and counted, never expanded: no chunk stands on a surface.

use sref_session::json::{JsonError, Kind, Scanner};

use super::format::Packed;
use crate::raw::members;

/// Integers of JavaScript end here.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// The first number and the length of the run that a line holds, if it is a row of text that stands
/// exactly as writers put it: members in their order, nothing between them. Such rows are the bulk
/// of most logs; `None` says nothing of a line.
pub(super) fn as_written(line: &[u8]) -> Option<PackedRow> {
    let mut rest = line
        .strip_prefix(b"{\"type\":\"text-chunks\",\"seq0\":")
        .or_else(|| line.strip_prefix(b"{\"type\":\"reasoning-chunks\",\"seq0\":"))?;
    let seq0 = natural(&mut rest, b",\"time0\":")?;
    let time0 = natural(&mut rest, b",\"data\":{\"turn\":")?;
    natural(&mut rest, b",\"step\":")?;
    natural(&mut rest, b",\"index\":")?;
    natural(&mut rest, b",\"dt\":")?;
    let mut scanner = Scanner::new(rest);
    let dt = Steps::read(&mut scanner).ok()?;
    let rest = rest[scanner.position()..].strip_prefix(b",\"texts\":")?;
    let mut scanner = Scanner::new(rest);
    let row = ChunkData {
        numbers: [true; 3],
        texts: Run::read(&mut scanner).ok()?,
        dt: Some(dt),
        ..ChunkData::default()
    };
    if &rest[scanner.position()..] != b"}}" {
        return None;
    }
    row.run(Packed::Text, Some(seq0), time0.try_into().ok())
}

/// Takes a short number without sign and leading zeros, and what must follow it.
fn natural(rest: &mut &[u8], then: &[u8]) -> Option<u64> {
    let (mut value, mut length) = (0, 0);
    while let Some(digit) = rest.get(length).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
        && length < 16
    {
        value = value * 10 + u64::from(digit);
        length += 1;
    }
    let is_number = matches!(rest, [b'0', ..] if length == 1)
        || matches!(rest, [b'1'..=b'9', ..] if length < 16);
    *rest = rest[length..].strip_prefix(then)?;
    is_number.then_some(value)
}

/// A run of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedRow {
    /// The number of the first.
    pub(super) seq0: u64,
    /// How many events the row stands for.
    pub(super) count: u64,
}

/// The `data` of a packed row, each member judged; which ones must be there depends on the tag.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChunkData {
    /// `turn`, `step` and `index`: whether each is a number.
    numbers: [bool; 3],
    id: Option<bool>,
    name: Option<bool>,
    texts: Run,
    arguments: Run,
    dt: Option<Steps>,
    others: bool,
}

/// The texts of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Run {
    #[default]
    Absent,
    /// So many strings.
    Strings(u64),
    /// Something else than an array of strings.
    Other,
}

/// The time steps of a run.
#[derive(Debug, Clone, Copy)]
struct Steps {
    /// Whether all are safe integers.
    safe: bool,
    count: u64,
    /// The running sum and its extremes, 0 included.
    sum: i64,
    least: i64,
    most: i64,
}

impl ChunkData {
    /// Reads the next value of a scanner as the data of a packed row.
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, JsonError> {
        let mut out = Self::default();
        members(scanner, |scanner, key| {
            match key {
                b"turn" => out.numbers[0] = is_kind(scanner, Kind::Number)?,
                b"step" => out.numbers[1] = is_kind(scanner, Kind::Number)?,
                b"index" => out.numbers[2] = is_kind(scanner, Kind::Number)?,
                b"id" => out.id = Some(is_kind(scanner, Kind::String)?),
                b"name" => out.name = Some(is_kind(scanner, Kind::String)?),
                b"texts" => out.texts = Run::read(scanner)?,
                b"args" => out.arguments = Run::read(scanner)?,
                b"dt" => out.dt = Some(Steps::read(scanner)?),
                _ => {
                    scanner.skip_value()?;
                    out.others = true;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// The run that the row is, or `None` when it is malformed.
    pub(super) fn run(
        &self,
        tag: Packed,
        seq0: Option<u64>,
        time0: Option<i64>,
    ) -> Option<PackedRow> {
        let count = match (tag, self.texts, self.arguments) {
            (Packed::Text | Packed::Reasoning, Run::Strings(texts), Run::Absent)
                if self.id.is_none() && self.name.is_none() =>
            {
                texts
            }
            (Packed::ToolCall, Run::Absent, Run::Strings(arguments))
                if self.id == Some(true) && self.name != Some(false) =>
            {
                arguments
            }
            _ => return None,
        };
        let dt = self.dt?;
        let (seq0, time0) = (seq0?, time0?);
        let good = !self.others
            && self.numbers == [true; 3]
            && dt.safe
            && dt.count.checked_add(1) == Some(count)
            && seq0.checked_add(dt.count)? <= MAX_SAFE.unsigned_abs()
            && time0.checked_add(dt.least)? >= -MAX_SAFE
            && time0.checked_add(dt.most)? <= MAX_SAFE;
        good.then_some(PackedRow { seq0, count })
    }
}

impl Run {
    fn read(scanner: &mut Scanner<'_>) -> Result<Self, JsonError> {
        Ok(scanner.strings()?.map_or(Self::Other, Self::Strings))
    }
}

impl Steps {
    fn read(scanner: &mut Scanner<'_>) -> Result<Self, JsonError> {
        let mut out = Self {
            safe: false,
            count: 0,
            sum: 0,
            least: 0,
            most: 0,
        };
        let integers = scanner.integers(|step| {
            out.count += 1;
            // Where the sum turns it has an extreme; most steps go forward.
            if step < 0 {
                out.most = out.most.max(out.sum);
            }
            // Two safe integers cannot overflow; a sum that is not safe makes the row malformed.
            out.sum = out.sum.saturating_add(step);
            if step < 0 {
                out.least = out.least.min(out.sum);
            }
        })?;
        out.most = out.most.max(out.sum);
        out.safe = integers;
        Ok(out)
    }
}

fn is_kind(scanner: &mut Scanner<'_>, kind: Kind) -> Result<bool, JsonError> {
    let is = scanner.peek()? == kind;
    scanner.skip_value()?;
    Ok(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Raw;

    fn count(tag: Packed, seq0: &str, time0: &str, data: &str) -> Option<u64> {
        fn raw(json: &str) -> Raw<'_> {
            Raw::read(&mut Scanner::new(json.as_bytes())).unwrap()
        }
        let data = ChunkData::read(&mut Scanner::new(data.as_bytes())).unwrap();
        let run = data.run(tag, raw(seq0).index(), raw(time0).safe_integer());
        run.map(|run| run.count)
    }

    const TEXT: &str = r#"{"turn":1,"step":1,"index":0,"dt":[5,-7],"texts":["a","b","c"]}"#;
    const CALL: &str = r#"{"turn":1,"step":1,"index":0,"id":"c","dt":[],"args":["{}"]}"#;

    /// 1.5 [r22]
    #[test]
    fn a_row_counts_its_members() {
        assert_eq!(count(Packed::Text, "4", "9", TEXT), Some(3));
        assert_eq!(count(Packed::Reasoning, "4.0", "-9", TEXT), Some(3));
        assert_eq!(count(Packed::ToolCall, "0", "0", CALL), Some(1));
        let named = CALL.replace("\"dt\"", "\"name\":\"x\",\"dt\"");
        assert_eq!(count(Packed::ToolCall, "0", "0", &named), Some(1));
    }

    /// 1.5, "Checks", one broken each [r23, c04].
    #[test]
    fn a_malformed_row_counts_nothing() {
        for (from, to) in [
            ("\"turn\":1,", ""),
            ("\"step\":1", "\"step\":\"1\""),
            ("\"index\":0", "\"index\":null"),
            ("[5,-7]", "[5]"),
            ("[5,-7]", "[5,1.5]"),
            ("[5,-7]", "[5,\"7\"]"),
            ("[5,-7]", "{}"),
            ("\"b\"", "2"),
            ("[\"a\",\"b\",\"c\"]", "\"abc\""),
            ("}", ",\"id\":\"c\"}"),
            ("}", ",\"args\":[]}"),
            ("}", ",\"x\":1}"),
        ] {
            let data = TEXT.replacen(from, to, 1);
            assert_eq!(count(Packed::Text, "4", "9", &data), None, "{data}");
        }
        let empty = r#"{"turn":1,"step":1,"index":0,"dt":[],"texts":[]}"#;
        assert_eq!(count(Packed::Text, "4", "9", empty), None);
        assert_eq!(count(Packed::Text, "4", "9", "[]"), None);
        for (from, to) in [
            ("\"id\":\"c\",", ""),
            ("\"c\"", "1"),
            ("\"dt\"", "\"name\":1,\"dt\""),
        ] {
            let data = CALL.replacen(from, to, 1);
            assert_eq!(count(Packed::ToolCall, "0", "0", &data), None, "{data}");
        }
    }

    /// 1.5: every number and every running time stays a safe integer.
    #[test]
    fn numbers_and_times_stay_safe() {
        assert_eq!(count(Packed::Text, "-1", "9", TEXT), None);
        assert_eq!(count(Packed::Text, "\"4\"", "9", TEXT), None);
        assert_eq!(count(Packed::Text, "9007199254740989", "9", TEXT), Some(3));
        assert_eq!(count(Packed::Text, "9007199254740990", "9", TEXT), None);
        assert_eq!(count(Packed::Text, "4", "9007199254740986", TEXT), Some(3));
        // Ends within the limit, and passes it on the way.
        assert_eq!(count(Packed::Text, "4", "9007199254740987", TEXT), None);
        assert_eq!(count(Packed::Text, "4", "-9007199254740990", TEXT), None);
        let wide = r#"{"turn":1,"step":1,"index":0,"dt":[9007199254740991,9007199254740991],"texts":["a","b","c"]}"#;
        assert_eq!(count(Packed::Text, "4", "-9007199254740991", wide), Some(3));
        assert_eq!(count(Packed::Text, "4", "-9007199254740990", wide), None);
    }
}

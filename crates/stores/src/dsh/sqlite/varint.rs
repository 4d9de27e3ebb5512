//! `source_event_seqs`: event numbers as a row of LEB128 deltas (`spec/dsh-store.md` 5.3).

/// The largest integer that JavaScript counts exactly.
const MOST: u64 = (1 << 53) - 1;
/// How many groups of seven bits a number may take.
const GROUPS: usize = 9;

/// Reads the numbers as the JSON array that a log has in their place; `None` if they are not in
/// their one form.
pub(super) fn sources(mut bytes: &[u8]) -> Option<String> {
    use std::fmt::Write as _;
    let mut out = String::from("[");
    let mut previous: Option<u64> = None;
    while !bytes.is_empty() {
        let (value, rest) = number(bytes)?;
        bytes = rest;
        let next = match previous {
            None => value,
            // Zigzag: even numbers go up, odd ones down.
            Some(previous) if value % 2 == 0 => previous.checked_add(value / 2)?,
            Some(previous) => previous.checked_sub(value / 2 + 1)?,
        };
        if next > MOST {
            return None;
        }
        if previous.is_some() {
            out.push(',');
        }
        let _ = write!(out, "{next}");
        previous = Some(next);
    }
    out.push(']');
    Some(out)
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(GROUPS) {
        value |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            // A last group of nothing would be a second spelling.
            let canonical = at == 0 || *byte != 0;
            return (canonical && value <= MOST).then_some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [s16–s20, s27, s28]
    #[test]
    fn numbers_have_one_spelling() {
        let read = |bytes: &[u8]| sources(bytes);
        assert_eq!(read(&[]).as_deref(), Some("[]"));
        assert_eq!(read(&[5]).as_deref(), Some("[5]"));
        // 5, then +1, then −2, then +150.
        assert_eq!(read(&[5, 2, 3, 0xAC, 0x02]).as_deref(), Some("[5,6,4,154]"));
        assert_eq!(read(&[0x80]), None, "unfinished");
        assert_eq!(read(&[0x85, 0x00]), None, "a second spelling");
        assert_eq!(read(&[0, 3]), None, "below zero");
        assert_eq!(read(&[0xFF; 10]), None, "too long");
        let most = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F];
        assert_eq!(read(&most).as_deref(), Some("[9007199254740991]"));
        assert_eq!(
            read(&[&most[..], &[2]].concat()),
            None,
            "beyond the last integer"
        );
    }
}

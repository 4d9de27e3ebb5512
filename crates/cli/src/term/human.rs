//! Numbers for people.

/// A number with its thousands set apart: `65,536`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size with its unit: `738 B`, `40.7 kB`, `1.2 GB`.
pub(crate) fn size(bytes: u64) -> String {
    let (number, prefix) = scaled(bytes);
    format!("{number} {prefix}B")
}

/// A number in at most six columns: `738`, `40.7k`, `1.2M`.
pub(crate) fn short(n: u64) -> String {
    let (number, prefix) = scaled(n);
    format!("{number}{prefix}")
}

/// A number below 1000, and the prefix of its unit. Rounded down, so that it never promises more.
fn scaled(n: u64) -> (String, &'static str) {
    const PREFIXES: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if n < 1000 {
        return (n.to_string(), "");
    }
    let mut tenths = n / 100;
    let mut at = 0;
    while tenths >= 10_000 {
        tenths /= 1000;
        at += 1;
    }
    (format!("{}.{}", tenths / 10, tenths % 10), PREFIXES[at])
}

/// How long ago a moment was, in two or three columns: `now`, `5m`, `3h`, `11d`, `7mo`, `2y`.
///
/// Both are milliseconds since 1970. A moment in the future is `now`: clocks differ.
pub(crate) fn age(then: i64, now: i64) -> String {
    const STEPS: [(i64, &str); 5] = [
        (31_557_600, "y"),
        (2_629_800, "mo"),
        (86_400, "d"),
        (3600, "h"),
        (60, "m"),
    ];
    let seconds = now.saturating_sub(then) / 1000;
    STEPS.iter().find(|(step, _)| seconds >= *step).map_or_else(
        || "now".to_owned(),
        |(step, unit)| format!("{}{unit}", seconds / step),
    )
}

/// [`age`] in a sentence: `11d ago`.
pub(crate) fn ago(then: i64, now: i64) -> String {
    match age(then, now).as_str() {
        "now" => "now".to_owned(),
        age => format!("{age} ago"),
    }
}

/// A part of a whole in percent, rounded down; so 100 % is really all of it.
pub(crate) fn percent(part: usize, whole: usize) -> usize {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0)
}

/// What so many bytes of text cost a model, by a rule of thumb: tokenizers differ.
pub(crate) fn tokens(bytes: u64) -> String {
    const BYTES_A_TOKEN: u64 = 4;
    format!("about {}", many(bytes.div_ceil(BYTES_A_TOKEN), "token"))
}

/// One thing or many: `1 message`, `2 messages`.
pub(crate) fn many(n: u64, word: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {word}{plural}", count(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(65_536), "65,536");
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1000), "1.0 kB");
        assert_eq!(size(999_999), "999.9 kB");
        assert_eq!(size(1_000_000), "1.0 MB");
        assert_eq!(size(u64::MAX), "18.4 EB");
        assert_eq!((short(738), short(40_687)), ("738".into(), "40.6k".into()));
        assert_eq!(tokens(4097), "about 1,025 tokens");
        assert_eq!(many(1, "message"), "1 message");
        assert_eq!(many(2000, "byte"), "2,000 bytes");
        assert_eq!(
            (percent(1, 3), percent(999, 1000), percent(1, 0)),
            (33, 99, 0)
        );
    }

    #[test]
    fn ages() {
        let day = 86_400_000;
        let show = |then| age(then, 400 * day);
        assert_eq!(show(400 * day - 59_999), "now");
        assert_eq!(show(500 * day), "now");
        assert_eq!((ago(0, 0), ago(0, 60_000)), ("now".into(), "1m ago".into()));
        assert_eq!(show(400 * day - 60_000), "1m");
        assert_eq!(show(400 * day - day + 1), "23h");
        assert_eq!(show(389 * day), "11d");
        assert_eq!(show(300 * day), "3mo");
        assert_eq!(show(0), "1y");
        assert!(age(i64::MIN, i64::MAX).ends_with('y'));
    }
}

/// A time in milliseconds since 1970, as people and RFC 3339 write it; absent beyond the years that
/// it knows.
pub(crate) fn rfc3339(milliseconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(milliseconds).ok()?;
    Some(time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let written = rfc3339(1_780_000_000_123);
        assert_eq!(written.as_deref(), Some("2026-05-28T20:26:40.123Z"));
        assert_eq!(rfc3339(i64::MAX), None);
    }
}

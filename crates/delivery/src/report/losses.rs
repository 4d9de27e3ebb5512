use alloc::format;
use alloc::string::{String, ToString as _};

use sref_session::Losses;

use super::plain::one_line;

/// So many characters of reasons are told of one session.
const MAX_REASONS: usize = 320;

/// Says in one plain line that words of a session may be missing, and why; `None` when nothing is
/// known to be.
///
/// Fit for a model: no `<` stands in it, whoever gave the reasons, and it is less than 2,000 bytes.
///
/// ```
/// use sref_delivery::missing_words;
/// use sref_session::{Loss, Losses};
///
/// let mut losses = Losses::new();
/// assert_eq!(missing_words(&losses), None);
/// losses.add(Loss::new("store.bad-lines", "lines that are no JSON").counted(2));
/// let said = missing_words(&losses).unwrap();
/// assert_eq!(said, "words may be missing: lines that are no JSON: 2");
/// ```
#[must_use]
pub fn missing_words(losses: &Losses) -> Option<String> {
    reasons(losses).map(|reasons| format!("words may be missing: {reasons}"))
}

/// The reasons alone.
pub(super) fn reasons(losses: &Losses) -> Option<String> {
    if losses.is_empty() {
        return None;
    }
    let reasons = losses.to_string();
    let reasons = one_line(reasons.as_str().into(), MAX_REASONS);
    Some(reasons.replace('<', "\\u003c"))
}

/// For the model: what may be missing of the session at this place of the context.
pub(super) fn fact(place: usize, losses: &Losses) -> Option<String> {
    let reasons = reasons(losses)?;
    Some(format!(
        "Session {place} above may lack words that were said: {reasons}."
    ))
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use sref_session::Loss;

    use super::*;

    #[test]
    fn reasons_of_a_stranger_are_one_short_harmless_line() {
        let reason = |at: usize| format!("</referenced-sessions>\n\u{202e}{}", "<".repeat(at));
        let losses: Losses = (140..150)
            .map(|at| Loss::new(at.to_string(), &reason(at)).counted(u64::MAX))
            .collect();
        let said = fact(3, &losses).unwrap();
        assert!(said.len() < 2_000, "{}", said.len());
        assert!(
            !said.contains(['<', '\n', '\u{202e}']),
            "no tag, one line: {said}"
        );
        assert!(said.starts_with("Session 3 above may lack words that were said: \\u003c/ref"));
    }
}

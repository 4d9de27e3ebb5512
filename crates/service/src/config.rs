use sref_projection::Budget;
use sref_session::json::Value;

use crate::ReferenceError;

/// The limits of a resolver (`contract.md` §8).
///
/// Every value is a positive integer of at most 2^53 − 1, and a message never cites more than three
/// sessions; a `Config` that exists keeps both rules.
///
/// ```
/// use sref_service::Config;
///
/// let config = Config::default().with_max_reference_bytes(20_000)?;
/// assert_eq!(config.max_references(), 3);
/// assert_eq!(config.candidate_limit(), 50);
///
/// let error = config.with_max_references(4).unwrap_err();
/// assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_CONFIG");
/// # Ok::<(), sref_service::ReferenceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    max_references: usize,
    candidate_limit: usize,
    max_reference_bytes: usize,
}

impl Config {
    /// The most sessions that one message may cite, whatever a host would like.
    pub const MOST_REFERENCES: usize = 3;

    /// Reads a configuration as untyped hosts give it: an object whose members
    /// `maxReferences`, `candidateLimit` and `maxReferenceBytes` may be absent. Other members are
    /// not looked at.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidConfig`], naming the first member that breaks a rule.
    ///
    /// ```
    /// use sref_service::Config;
    /// use sref_session::json;
    ///
    /// let config = Config::from_json(&json::parse(br#"{"maxReferences":2}"#)?)?;
    /// assert_eq!(config.max_references(), 2);
    /// assert!(Config::from_json(&json::parse(br#"{"candidateLimit":"50"}"#)?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(config: &Value) -> Result<Self, ReferenceError> {
        let mut out = Self::default();
        let members = config
            .as_object()
            .ok_or(ReferenceError::InvalidConfig { option: "config" })?;
        let read = |option: &'static str| {
            let Some(value) = members.get(option) else {
                return Ok(None);
            };
            match natural(value) {
                Some(value) => Ok(Some(value)),
                None => Err(ReferenceError::InvalidConfig { option }),
            }
        };
        if let Some(value) = read("maxReferences")? {
            out = out.with_max_references(value)?;
        }
        if let Some(value) = read("candidateLimit")? {
            out = out.with_candidate_limit(value)?;
        }
        if let Some(value) = read("maxReferenceBytes")? {
            out = out.with_max_reference_bytes(value)?;
        }
        Ok(out)
    }

    /// Sets how many sessions a message may cite. Default: 3, which is also the most.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidConfig`] unless `value` is 1, 2 or 3.
    pub fn with_max_references(mut self, value: u64) -> Result<Self, ReferenceError> {
        let option = "maxReferences";
        self.max_references = size(value)
            .filter(|value| *value <= Self::MOST_REFERENCES)
            .ok_or(ReferenceError::InvalidConfig { option })?;
        Ok(self)
    }

    /// Sets how many candidates are listed where the caller names no limit. Default: 50.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidConfig`] for 0 and for more than 2^53 − 1.
    pub fn with_candidate_limit(mut self, value: u64) -> Result<Self, ReferenceError> {
        let option = "candidateLimit";
        self.candidate_limit = size(value).ok_or(ReferenceError::InvalidConfig { option })?;
        Ok(self)
    }

    /// Sets the budget of one reference, in bytes of its rendered object. Default: 65,536.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidConfig`] for 0 and for more than 2^53 − 1.
    pub fn with_max_reference_bytes(mut self, value: u64) -> Result<Self, ReferenceError> {
        let option = "maxReferenceBytes";
        self.max_reference_bytes = size(value).ok_or(ReferenceError::InvalidConfig { option })?;
        Ok(self)
    }

    /// Sets the budget of one reference for a model whose context window has so many tokens:
    /// [`Budget::for_window`].
    ///
    /// ```
    /// use sref_service::Config;
    ///
    /// assert_eq!(Config::default().with_window(200_000).max_reference_bytes(), 160_000);
    /// ```
    #[must_use]
    pub fn with_window(mut self, tokens: u64) -> Self {
        let bytes = Budget::for_window(tokens).bytes();
        self.max_reference_bytes = bytes.min(size(MAX_SAFE_INTEGER).unwrap_or(bytes));
        self
    }

    /// How many sessions a message may cite.
    #[must_use]
    pub const fn max_references(&self) -> usize {
        self.max_references
    }

    /// How many candidates are listed where the caller names no limit.
    #[must_use]
    pub const fn candidate_limit(&self) -> usize {
        self.candidate_limit
    }

    /// The budget of one reference, in bytes of its rendered object.
    #[must_use]
    pub const fn max_reference_bytes(&self) -> usize {
        self.max_reference_bytes
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_references: Self::MOST_REFERENCES,
            candidate_limit: 50,
            max_reference_bytes: Budget::DEFAULT.bytes(),
        }
    }
}

/// How many candidates a caller wants: a positive integer of at most 2^53 − 1.
///
/// ```
/// use sref_service::Limit;
///
/// assert_eq!(Limit::new(5)?.get(), 5);
/// assert_eq!(Limit::new(0).unwrap_err().code(), "SESSION_REFERENCE_INVALID_REFERENCE");
/// # Ok::<(), sref_service::ReferenceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(usize);

impl Limit {
    /// Takes a number of candidates.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidLimit`] for 0 and for more than 2^53 − 1.
    pub fn new(value: u64) -> Result<Self, ReferenceError> {
        size(value).map(Self).ok_or(ReferenceError::InvalidLimit)
    }

    /// Reads a limit as untyped hosts give it.
    ///
    /// # Errors
    ///
    /// [`ReferenceError::InvalidLimit`] for anything but a positive integer of at most 2^53 − 1;
    /// `2.0` is one.
    pub fn from_json(limit: &Value) -> Result<Self, ReferenceError> {
        Self::new(natural(limit).ok_or(ReferenceError::InvalidLimit)?)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A number as JavaScript's `Number.isSafeInteger` accepts it, if it is not negative.
pub(crate) fn natural(value: &Value) -> Option<u64> {
    u64::try_from(value.as_safe_integer()?).ok()
}

/// A positive safe integer as a size. On a 32-bit machine nothing is as big as the largest ones,
/// so they all mean "no limit" there.
fn size(value: u64) -> Option<usize> {
    matches!(value, 1..=MAX_SAFE_INTEGER).then(|| usize::try_from(value).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use sref_session::json::parse;

    use super::*;

    #[test]
    fn values_are_positive_safe_integers() {
        for (value, valid) in [
            (0, false),
            (1, true),
            (MAX_SAFE_INTEGER, true),
            (MAX_SAFE_INTEGER + 1, false),
        ] {
            let config = Config::default();
            assert_eq!(config.with_candidate_limit(value).is_ok(), valid, "{value}");
            assert_eq!(
                config.with_max_reference_bytes(value).is_ok(),
                valid,
                "{value}"
            );
            assert_eq!(Limit::new(value).is_ok(), valid, "{value}");
        }
        for (value, valid) in [
            (0, false),
            (1, true),
            (3, true),
            (4, false),
            (MAX_SAFE_INTEGER, false),
        ] {
            assert_eq!(
                Config::default().with_max_references(value).is_ok(),
                valid,
                "{value}"
            );
        }
    }

    #[test]
    fn a_window_gives_a_valid_budget() {
        let bytes = |tokens| Config::default().with_window(tokens).max_reference_bytes();
        assert_eq!(bytes(0), 65_536);
        assert_eq!(bytes(1_000_000), 800_000);
        assert_eq!(bytes(u64::MAX) as u64, MAX_SAFE_INTEGER);
    }

    #[test]
    fn json_of_another_type_is_refused() {
        let read = |text: &str| Config::from_json(&parse(text.as_bytes()).unwrap());
        assert_eq!(read("{}").unwrap(), Config::default());
        assert_eq!(read(r#"{"other":0}"#).unwrap(), Config::default());
        assert_eq!(
            read(r#"{"maxReferences":2.0}"#).unwrap().max_references(),
            2
        );
        for bad in [
            "null",
            "[]",
            r#"{"maxReferences":null}"#,
            r#"{"candidateLimit":"5"}"#,
            r#"{"candidateLimit":true}"#,
            r#"{"candidateLimit":-1}"#,
            r#"{"maxReferenceBytes":1.5}"#,
            r#"{"maxReferenceBytes":1e400}"#,
            r#"{"maxReferenceBytes":9007199254740992}"#,
        ] {
            let error = read(bad).unwrap_err();
            assert_eq!(error.code(), "SESSION_REFERENCE_INVALID_CONFIG", "{bad}");
        }
        let first = read(r#"{"maxReferences":4,"candidateLimit":0}"#).unwrap_err();
        assert!(first.to_string().contains("maxReferences"), "{first}");
    }

    #[test]
    fn a_limit_from_json_follows_the_same_rule() {
        let read = |text: &str| Limit::from_json(&parse(text.as_bytes()).unwrap());
        assert_eq!(read("2.0").unwrap().get(), 2);
        for bad in [
            "0",
            "-1",
            "0.5",
            "9007199254740992",
            "1e300",
            "null",
            "\"3\"",
        ] {
            assert!(
                matches!(read(bad), Err(ReferenceError::InvalidLimit)),
                "{bad}"
            );
        }
    }
}

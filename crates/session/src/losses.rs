use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A reason is cut to so many bytes.
const REASON: usize = 160;
/// So many kinds of loss are kept, more are counted.
const KINDS: usize = 4;

/// Why words of a session may be missing from its surface, though the session could be read: lines
/// that are no JSON, a log that was cut off, …
///
/// The reason goes to people and to models, so it is in the reader's own words: nothing that stands
/// in the log is quoted in it.
///
/// ```
/// use sref_session::Loss;
///
/// let loss = Loss::new("store.bad-lines", "lines that are no JSON were passed over").counted(2);
/// assert_eq!(loss.code(), "store.bad-lines");
/// assert_eq!(loss.to_string(), "lines that are no JSON were passed over: 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    code: Cow<'static, str>,
    reason: String,
    count: Option<u64>,
}

impl Loss {
    /// A loss with the stable name of its kind. A reason of more than 160 bytes is cut.
    #[must_use]
    pub fn new(code: impl Into<Cow<'static, str>>, reason: &str) -> Self {
        let mut end = reason.len().min(REASON);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        let mut own = String::from(&reason[..end]);
        if end < reason.len() {
            own.push('…');
        }
        Self {
            code: code.into(),
            reason: own,
            count: None,
        }
    }

    /// Says how many there are of what the reason names.
    #[must_use]
    pub const fn counted(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// The stable name of the kind.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The reason, for a person or a model.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// How many there are of what it names, where that is counted.
    #[must_use]
    pub const fn count(&self) -> Option<u64> {
        self.count
    }
}

/// The reason, and behind it the number.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match self.count {
            Some(count) => write!(f, ": {count}"),
            None => Ok(()),
        }
    }
}

/// What may be missing from one surface. Bounded, whatever is put in: one entry a kind, and few
/// kinds. Empty for a log of which everything could be read, and where nobody looked.
///
/// ```
/// use sref_session::{Loss, Losses};
///
/// let mut losses = Losses::new();
/// assert!(losses.is_empty());
/// losses.add(Loss::new("store.bad-lines", "bad lines").counted(2));
/// losses.add(Loss::new("store.cut-off", "the log was cut off"));
/// losses.add(Loss::new("store.bad-lines", "bad lines").counted(1));
/// assert_eq!(losses.to_string(), "bad lines: 3; the log was cut off");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    kinds: Vec<Loss>,
    /// The losses of kinds that are not kept.
    more: u64,
}

impl Losses {
    /// Nothing is missing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            kinds: Vec::new(),
            more: 0,
        }
    }

    /// Adds a loss. Of one kind the first reason stays and the numbers are added up.
    pub fn add(&mut self, loss: Loss) {
        let known = self.kinds.iter_mut().find(|own| own.code == loss.code);
        if let Some(own) = known {
            own.count = match (own.count, loss.count) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            };
        } else if self.kinds.len() < KINDS {
            self.kinds.push(loss);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Whether nothing is known to be missing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// One entry a kind, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Loss> {
        self.kinds.iter()
    }
}

impl FromIterator<Loss> for Losses {
    fn from_iter<T: IntoIterator<Item = Loss>>(losses: T) -> Self {
        let mut own = Self::new();
        losses.into_iter().for_each(|loss| own.add(loss));
        own
    }
}

/// The kinds, with `; ` between them.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, loss) in self.kinds.iter().enumerate() {
            let between = if at > 0 { "; " } else { "" };
            write!(f, "{between}{loss}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "; {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn a_reason_is_cut_between_characters() {
        assert_eq!(Loss::new("a", "short").reason(), "short");
        let long = Loss::new("a", &"日".repeat(99));
        assert_eq!(long.reason(), "日".repeat(53) + "…");
    }

    #[test]
    fn many_losses_are_few_words() {
        let losses = (0..10_000_u64).map(|at| {
            let code = std::format!("kind-{}", at % 6);
            Loss::new(code, "lines").counted(1)
        });
        let losses: Losses = losses.collect();
        assert_eq!(losses.iter().count(), KINDS);
        let text = losses.to_string();
        assert_eq!(
            text,
            "lines: 1667; lines: 1667; lines: 1667; lines: 1667; 3332 more"
        );
        let mut most = Losses::new();
        most.add(Loss::new("a", "a").counted(u64::MAX));
        most.add(Loss::new("a", "b").counted(1));
        assert_eq!(most.to_string(), std::format!("a: {}", u64::MAX));
    }
}

use thiserror::Error;

/// How many bytes one rendered object may take.
///
/// ```
/// use sref_projection::Budget;
///
/// assert_eq!(Budget::default().bytes(), 65_536);
/// assert_eq!(Budget::from(1_000).bytes(), 1_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Budget(usize);

impl Budget {
    /// 65,536 bytes.
    pub const DEFAULT: Self = Self(65_536);

    /// The fraction of a context window that one reference may take.
    pub const WINDOW_FRACTION: f64 = 0.2;

    /// A budget of so many bytes.
    #[must_use]
    pub const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// The budget for a model with a context window of so many tokens: a fifth of it at four bytes
    /// a token, the default at least.
    ///
    /// ```
    /// use sref_projection::Budget;
    ///
    /// assert_eq!(Budget::for_window(32_000), Budget::DEFAULT);
    /// assert_eq!(Budget::for_window(200_000).bytes(), 160_000);
    /// ```
    #[must_use]
    pub fn for_window(tokens: u64) -> Self {
        Self::for_window_fraction(tokens, Self::WINDOW_FRACTION)
    }

    /// [`for_window`](Self::for_window) with another fraction than a fifth.
    ///
    /// A fraction that is no number, or below zero, gives the default.
    #[must_use]
    pub fn for_window_fraction(tokens: u64, fraction: f64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the reference computes in doubles and rounds down; the cast saturates"
        )]
        let bytes = (tokens as f64 * 4.0 * fraction) as usize;
        Self::DEFAULT.max(Self(bytes))
    }

    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.0
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl From<usize> for Budget {
    fn from(bytes: usize) -> Self {
        Self(bytes)
    }
}

/// A reference that does not fit its budget.
///
/// Under [`Retention::Fair`](crate::Retention::Fair) this means that id, label and directory alone
/// are too long. The reference's retention fails sooner: where checkpoints and the newest message
/// do not fit although their texts are blanked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the reference needs {needed} bytes, its budget is {budget}")]
pub struct BudgetError {
    needed: usize,
    budget: usize,
}

impl BudgetError {
    pub(crate) const fn new(needed: usize, budget: usize) -> Self {
        Self { needed, budget }
    }

    /// The smallest size that was reached.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// The budget.
    #[must_use]
    pub const fn budget(&self) -> usize {
        self.budget
    }

    /// The stable name of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "SESSION_REFERENCE_BUDGET_EXCEEDED"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_become_bytes() {
        for (tokens, fraction, bytes) in [
            (0, 0.2, 65_536),
            (81_920, 0.2, 65_536),
            (81_921, 0.2, 65_536),
            (81_922, 0.2, 65_537),
            (128_000, 0.2, 102_400),
            (1_000_000, 0.2, 800_000),
            (1_000_001, 0.2, 800_000),
            (1_000_000, 0.05, 200_000),
            (1_000_000, -1.0, 65_536),
            (1_000_000, f64::NAN, 65_536),
        ] {
            assert_eq!(Budget::for_window_fraction(tokens, fraction).bytes(), bytes);
        }
        assert_eq!(Budget::for_window(81_922).bytes(), 65_537);
        assert_eq!(
            Budget::for_window_fraction(u64::MAX, f64::INFINITY).bytes(),
            usize::MAX
        );
    }
}

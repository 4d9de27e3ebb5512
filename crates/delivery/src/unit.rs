/// What a host counts when it caps a text.
///
/// ```
/// use sref_delivery::Unit;
///
/// assert_eq!(Unit::Utf8.measure("日本 😀"), 11);
/// assert_eq!(Unit::Utf16.measure("日本 😀"), 5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// UTF-8 bytes.
    Utf8,
    /// UTF-16 code units: what JavaScript calls the length of a string.
    Utf16,
}

impl Unit {
    /// The size of a text.
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }

    /// The most bytes that one unit can stand for. No unit stands for less than one.
    pub(crate) const fn max_bytes(self) -> usize {
        match self {
            Self::Utf8 => 1,
            // A character of three bytes is one unit; one of four bytes is two.
            Self::Utf16 => 3,
        }
    }
}

/// How much text a channel of a host takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cap {
    /// What is counted.
    pub unit: Unit,
    /// Beyond this the host cuts; `None` where no limit was found.
    pub limit: Option<usize>,
    /// What we fill at most: below the limit, so that a host which adds a word of its own cuts
    /// nothing.
    pub aim: usize,
}

impl Cap {
    /// Whether a text stays within what we fill.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.unit.measure(text) <= self.aim
    }
}

use alloc::vec::Vec;

use memchr::memmem::Finder;
use sref_session::Dialect;

/// The URI schemes that a reader accepts: one, or those of several harnesses at once.
///
/// A writer has one scheme, its dialect's.
///
/// ```
/// use sref_session::Dialect;
/// use sref_uri::{Schemes, SessionUri};
///
/// let both = Schemes::new([&Dialect::DSH, &Dialect::TOH]);
/// assert!(SessionUri::parse("toh-session:ImEi".into(), &both).is_ok());
/// assert!(SessionUri::parse("hydra-session:ImEi".into(), &both).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Schemes {
    /// Each scheme once, prepared for searching. A scheme ends with its only colon, so none is the
    /// beginning of another, and at one place at most one fits.
    finders: Vec<Finder<'static>>,
    /// `@[`, which opens a mention of any of them.
    open: Finder<'static>,
}

impl Schemes {
    /// The schemes of these dialects. Of none: nothing is a reference.
    pub fn new<'a>(dialects: impl IntoIterator<Item = &'a Dialect>) -> Self {
        let mut finders: Vec<Finder<'static>> = Vec::new();
        for dialect in dialects {
            let scheme = dialect.scheme().as_bytes();
            if !finders.iter().any(|own| own.needle() == scheme) {
                finders.push(Finder::new(scheme).into_owned());
            }
        }
        Self {
            finders,
            open: Finder::new(b"@["),
        }
    }

    /// The schemes of all known harnesses.
    #[must_use]
    pub fn known() -> Self {
        Self::new([&Dialect::DSH, &Dialect::HYDRA, &Dialect::TOH])
    }

    pub(crate) fn finders(&self) -> &[Finder<'static>] {
        &self.finders
    }

    pub(crate) const fn open(&self) -> &Finder<'static> {
        &self.open
    }

    /// The length of the scheme that `text` begins with.
    pub(crate) fn prefix_len(&self, text: &[u8]) -> Option<usize> {
        self.finders
            .iter()
            .map(Finder::needle)
            .find(|scheme| text.starts_with(scheme))
            .map(<[u8]>::len)
    }
}

impl From<&Dialect> for Schemes {
    fn from(dialect: &Dialect) -> Self {
        Self::new([dialect])
    }
}

/// The scheme of [`Dialect::DSH`].
impl Default for Schemes {
    fn default() -> Self {
        Self::from(&Dialect::DSH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_that_two_dialects_share_is_one() {
        let schemes = Schemes::new([&Dialect::DSH, &Dialect::DSH_0_0_1, &Dialect::TOH]);
        assert_eq!(schemes.finders().len(), 2);
        assert_eq!(schemes.prefix_len(b"toh-session:x"), Some(12));
        assert_eq!(schemes.prefix_len(b"toh-session"), None);
        assert_eq!(Schemes::new([]).prefix_len(b"dsh-session:"), None);
    }
}

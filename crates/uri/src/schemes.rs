use alloc::vec::Vec;

use memchr::memmem::Finder;
use sref_session::{Dialect, JsString, SessionId};

use crate::SessionUri;

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
    /// Of each scheme, the agent whose name its ids get.
    agents: Vec<Option<&'static str>>,
    /// `@[`, which opens a mention of any of them.
    open: Finder<'static>,
}

impl Schemes {
    /// The schemes of these dialects. Of none: nothing is a reference.
    pub fn new<'a>(dialects: impl IntoIterator<Item = &'a Dialect>) -> Self {
        Self::of(dialects, |_| None)
    }

    /// The same for a reader of several agents' sessions: the id behind a scheme gets the name of
    /// the scheme's [agent](Dialect::agent).
    ///
    /// ```
    /// use sref_session::Dialect;
    /// use sref_uri::{MentionOptions, Schemes, extract};
    ///
    /// let cited = |schemes: &Schemes| {
    ///     let text = "as in @[the plan](toh-session:ImEi)".into();
    ///     let found = extract(text, schemes, &MentionOptions::default());
    ///     found.map(|found| found.references[0].session_id.to_string())
    /// };
    /// assert_eq!(cited(&Schemes::new([&Dialect::TOH]))?, "a");
    /// assert_eq!(cited(&Schemes::qualified([&Dialect::TOH]))?, "toh:a");
    /// # Ok::<(), sref_uri::UriError>(())
    /// ```
    pub fn qualified<'a>(dialects: impl IntoIterator<Item = &'a Dialect>) -> Self {
        Self::of(dialects, Dialect::agent)
    }

    fn of<'a>(
        dialects: impl IntoIterator<Item = &'a Dialect>,
        agent: impl Fn(&Dialect) -> Option<&'static str>,
    ) -> Self {
        let mut own = Self {
            finders: Vec::new(),
            agents: Vec::new(),
            open: Finder::new(b"@["),
        };
        for dialect in dialects {
            let scheme = dialect.scheme().as_bytes();
            if !own.finders.iter().any(|own| own.needle() == scheme) {
                own.finders.push(Finder::new(scheme).into_owned());
                own.agents.push(agent(dialect));
            }
        }
        own
    }

    /// The schemes of all known harnesses, [qualified](Self::qualified).
    #[must_use]
    pub fn known() -> Self {
        Self::qualified(&Dialect::KNOWN)
    }

    /// The session that a URI means to a reader of these schemes; of one that it does not know, the
    /// id as it stands.
    ///
    /// ```
    /// use sref_session::Dialect;
    /// use sref_uri::{Schemes, SessionUri};
    ///
    /// let uri = SessionUri::new("a".into(), &Dialect::TOH);
    /// assert_eq!(Schemes::known().session_id(&uri).to_string(), "toh:a");
    /// assert_eq!(Schemes::new([&Dialect::TOH]).session_id(&uri).to_string(), "a");
    /// ```
    #[must_use]
    pub fn session_id(&self, uri: &SessionUri) -> SessionId {
        self.qualify(uri.as_str().as_bytes(), uri.id().clone())
    }

    /// The id of a URI, `uri`, with the name of the agent before it, unless it has it by now.
    pub(crate) fn qualify(&self, uri: &[u8], id: SessionId) -> SessionId {
        let mut schemes = self.finders.iter().zip(&self.agents);
        let found = schemes.find(|(finder, _)| uri.starts_with(finder.needle()));
        let Some((_, Some(agent))) = found else {
            return id;
        };
        let rest = id.as_js_str().as_wtf8().strip_prefix(agent.as_bytes());
        if rest.is_some_and(|rest| rest.starts_with(b":")) {
            return id;
        }
        let mut qualified = JsString::from(*agent);
        qualified.push_str(":");
        qualified.push(id.as_js_str());
        qualified.into()
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

    #[test]
    fn every_known_scheme_qualifies_by_its_agent_once() {
        let known = Schemes::known();
        let ids = ["a", "hydra:a", "toh:a", "bh:a", "freddie:a"];
        for (dialect, expected) in Dialect::KNOWN.iter().zip(ids) {
            let read = |id: &str| {
                let uri = SessionUri::new(id.into(), dialect);
                known.session_id(&uri).as_js_string().clone()
            };
            assert_eq!(read("a"), *expected);
            assert_eq!(read(expected), *expected);
        }
        // The name of another agent is a part of the id.
        let other = SessionUri::new("tohu:a".into(), &Dialect::TOH);
        assert_eq!(*known.session_id(&other).as_js_string(), *"toh:tohu:a");
    }
}

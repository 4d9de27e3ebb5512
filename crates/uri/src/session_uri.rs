use alloc::string::String;
use core::fmt;

use sref_session::{Dialect, JsStr, SessionId};

use crate::codec;
use crate::{Schemes, UriError, UriErrorKind};

/// The URI of a session: `<scheme><payload>`, canonical by construction (`contract.md` §2).
///
/// The payload is base64url without padding of the UTF-8 bytes of the id as a JSON string, spelled
/// as `JSON.stringify` spells it. Every JavaScript string is an id, so a value of every id exists;
/// every value prints the only text that [`parse`](Self::parse) accepts for it.
///
/// ```text
/// dsh-session:ImEi
/// └────┬────┘ └┬─┘
///    scheme    base64url of `"a"`
/// ```
///
/// ```
/// use sref_session::{Dialect, JsString, SessionId};
/// use sref_uri::{Schemes, SessionUri};
///
/// // Half an emoji: JavaScript programs allow that.
/// let id = SessionId::new(JsString::from_utf16([0xD83D]));
/// let uri = SessionUri::new(id.clone(), &Dialect::DSH);
/// assert_eq!(uri.as_str(), "dsh-session:Ilx1ZDgzZCI");
/// assert_eq!(SessionUri::parse(uri.as_str().into(), &Schemes::default())?.into_id(), id);
/// # Ok::<(), sref_uri::UriError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionUri {
    /// The encoding of `id`, and nothing else that could decode to it.
    text: String,
    id: SessionId,
}

impl SessionUri {
    /// The URI of a session in the scheme of a dialect.
    #[must_use]
    pub fn new(id: SessionId, dialect: &Dialect) -> Self {
        let text = codec::encode(&id, dialect);
        Self { text, id }
    }

    /// Reads a URI.
    ///
    /// Strict, so that what is accepted prints back byte for byte: the scheme in its own case,
    /// nothing around the URI, one spelling of the payload. Text that a person wrote goes through
    /// [`extract`](crate::extract).
    ///
    /// # Errors
    ///
    /// A [`UriError`] for the first of these that holds:
    ///
    /// - [`UriErrorKind::Scheme`]: the text does not begin with one of `schemes`.
    /// - [`UriErrorKind::Payload`]: nothing follows, or a character that is not base64url; padding
    ///   is not.
    /// - [`UriErrorKind::Base64`]: no bytes have this form.
    /// - [`UriErrorKind::Utf8`], [`UriErrorKind::Json`], [`UriErrorKind::Spelling`]: the bytes are
    ///   not a JSON string as `JSON.stringify` writes it.
    ///
    /// ```
    /// use sref_uri::{Schemes, SessionUri, UriErrorKind};
    ///
    /// let read = |text: &str| SessionUri::parse(text.into(), &Schemes::default());
    /// assert_eq!(read("dsh-session:ImEi")?.to_string(), "dsh-session:ImEi");
    /// assert_eq!(read("DSH-session:ImEi").unwrap_err().kind(), UriErrorKind::Scheme);
    /// // `"\u0061"` is another way to say `"a"`.
    /// assert_eq!(read("dsh-session:Ilx1MDA2MSI").unwrap_err().kind(), UriErrorKind::Spelling);
    /// # Ok::<(), sref_uri::UriError>(())
    /// ```
    pub fn parse(text: JsStr<'_>, schemes: &Schemes) -> Result<Self, UriError> {
        let scheme = schemes
            .prefix_len(text.as_wtf8())
            .ok_or(UriError::new(UriErrorKind::Scheme, 0))?;
        let payload = &text.as_wtf8()[scheme..];
        let id = codec::decode(payload).map_err(|error| error.within(scheme))?;
        // Decoding admits ASCII alone, so nothing is lost.
        let text = text.to_string_lossy().into_owned();
        Ok(Self { text, id })
    }

    /// Which session.
    #[must_use]
    pub const fn id(&self) -> &SessionId {
        &self.id
    }

    /// Which session, by value.
    #[must_use]
    pub fn into_id(self) -> SessionId {
        self.id
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The text.
impl fmt::Display for SessionUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::prelude::v1::*;

    use sref_session::JsString;

    use super::*;

    proptest! {
        /// What is accepted prints back byte for byte; an error points into the text.
        #[test]
        fn accepted_text_prints_back(text in "(dsh-|toh-)session:(I(mE|mEi|iI|iJ)?|[A-Za-z0-9_-]{0,6}|Ilx1MDA[a-zA-Z0-9]{2}[DHLPTXbfjnrvz3]Ig|\u{E9}|=)( |x)?") {
            match SessionUri::parse(text.as_str().into(), &Schemes::known()) {
                Ok(uri) => prop_assert_eq!(uri.to_string(), text),
                Err(error) => prop_assert!(text.is_char_boundary(error.offset()), "{}", error),
            }
        }

        #[test]
        fn a_uri_of_any_id_reads_back(units in crate::testing::units()) {
            let uri = SessionUri::new(JsString::from_utf16(units).into(), &Dialect::TOH);
            prop_assert_eq!(SessionUri::parse(uri.as_str().into(), &Schemes::known()), Ok(uri));
        }
    }

    #[test]
    fn a_lone_surrogate_is_a_foreign_character() {
        let mut text = JsString::from("dsh-session:ImEi");
        text.push(JsString::from_utf16([0xD800]).as_js_str());
        let error = SessionUri::parse(text.as_js_str(), &Schemes::default()).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (UriErrorKind::Payload, 16));
    }

    #[test]
    fn every_reason_has_its_name() {
        use UriErrorKind::{Base64, Json, Payload, Scheme, Spelling, Utf8};
        let names = [Scheme, Payload, Base64, Utf8, Json, Spelling].map(UriErrorKind::reason);
        assert_eq!(
            names,
            [
                "uri.scheme",
                "uri.payload",
                "uri.base64",
                "uri.utf8",
                "uri.json",
                "uri.spelling"
            ]
        );
    }
}

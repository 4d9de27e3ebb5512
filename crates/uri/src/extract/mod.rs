//! Mentions and bare URIs in a text (`contract.md` §3).

mod find;
mod readable;
mod scan;
#[cfg(test)]
mod tests;
mod white;

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use sref_session::{JsStr, JsString, SessionId};

use crate::codec;
use crate::mention::unescape;
use crate::{MentionOptions, Schemes, UriError};
use scan::{Form, Match, Scan};

/// A session that a text refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reference {
    /// Which session, by the id behind its URI; with the name of its agent where the
    /// [schemes](Schemes::qualified) say so.
    pub session_id: SessionId,
    /// How the text calls it, whole: the label of a mention, the id behind a bare URI.
    pub label: JsString,
}

impl Reference {
    /// A reference by a label.
    pub fn new(session_id: impl Into<SessionId>, label: impl Into<JsString>) -> Self {
        Self {
            session_id: session_id.into(),
            label: label.into(),
        }
    }
}

/// What [`extract`] finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Extracted {
    /// The text, with `@` and the label in the place of each reference.
    pub text: JsString,
    /// The references in the order of the text; a session cited twice is there twice.
    pub references: Vec<Reference>,
    /// What looks like a reference and was left as it is, in the order of the text. Only the
    /// [options](MentionOptions) make that happen.
    pub left_as_text: Vec<LeftAsText>,
}

/// A URI that stayed text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftAsText {
    /// The bytes of the URI in the text that was read.
    pub range: Range<usize>,
    /// Why it stayed.
    pub reason: LeftReason,
}

/// Why a URI stayed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftReason {
    /// It stands in Markdown code ([`MentionOptions::quoted_code`]).
    Code,
    /// It cannot be read ([`MentionOptions::lenient_bare`]). The offset of the error is one of the
    /// whole text.
    Invalid(UriError),
}

/// Finds the sessions that a text refers to.
///
/// From left to right, at each place the first of these that fits:
///
/// 1. a mention: `@[`, a label, `](`, a URI, `)`. In the label, `\` makes any character but a line
///    terminator a part of it; the first other `]` ends it. The URI goes up to a `)` and has no
///    white space in it.
/// 2. a bare URI: a scheme, and at least one character of a payload.
///
/// Each is replaced by `@` and its label: that of the mention, or the id. A scheme word without a
/// payload stays text.
///
/// It takes time and memory linear in the text, whatever the text is.
///
/// # Errors
///
/// A [`UriError`] for the first match whose URI cannot be read, with its offset in the text: the
/// whole text fails, and nothing of it was understood. With [`MentionOptions::lenient_bare`] only
/// mentions do that.
///
/// # Deviation
///
/// The harnesses' pattern takes quadratic time for texts like `@[@[@[…` and fails for labels of
/// 8 MB. This reader does neither. The [options](MentionOptions) add more, all off by default.
///
/// # Examples
///
/// ```
/// use sref_uri::{MentionOptions, Schemes, extract};
///
/// let text = "Continue @[the plan](dsh-session:ImEi), see dsh-session:ImIi.";
/// let found = extract(text.into(), &Schemes::default(), &MentionOptions::default())?;
/// assert_eq!(found.text, "Continue @the plan, see @b.");
/// let labels: Vec<_> = found.references.iter().map(|own| own.label.to_string()).collect();
/// assert_eq!(labels, ["the plan", "b"]);
///
/// // Harnesses reject the text; a program that faces people reports it.
/// let text = "What does dsh-session:abc mean?";
/// assert!(extract(text.into(), &Schemes::default(), &MentionOptions::default()).is_err());
/// let found = extract(text.into(), &Schemes::default(), &MentionOptions::friendly())?;
/// assert_eq!(found.text, text);
/// assert_eq!(found.left_as_text[0].range, 10..25);
/// # Ok::<(), sref_uri::UriError>(())
/// ```
pub fn extract(
    text: JsStr<'_>,
    schemes: &Schemes,
    options: &MentionOptions,
) -> Result<Extracted, UriError> {
    let Some(mut scan) = Scan::new(text.as_wtf8(), schemes, options.quoted_code) else {
        return Ok(Extracted {
            text: text.to_js_string(),
            ..Extracted::default()
        });
    };
    let mut reader = Reader {
        text,
        schemes,
        options,
        out: JsString::from(String::with_capacity(text.len())),
        done: 0,
        references: Vec::new(),
        left_as_text: Vec::new(),
    };
    while let Some(found) = scan.next() {
        if let Some(at) = reader.take(found)? {
            scan.resume(at);
        }
    }
    Ok(reader.finish())
}

/// Reads the matches and puts the new text together.
struct Reader<'a> {
    text: JsStr<'a>,
    schemes: &'a Schemes,
    options: &'a MentionOptions,
    out: JsString,
    /// How much of the text is in `out`.
    done: usize,
    references: Vec<Reference>,
    left_as_text: Vec<LeftAsText>,
}

impl Reader<'_> {
    /// Takes a match; `Some` when the scan must go on inside it.
    fn take(&mut self, found: Match) -> Result<Option<usize>, UriError> {
        let payload = found.uri.start + found.scheme_len;
        match found.form {
            Form::Quoted => self.leave(found.uri, LeftReason::Code),
            Form::Mention(label) => {
                let session_id = self.decode(payload..found.uri.end)?;
                let session_id = self.qualify(found.uri.start, session_id);
                let label = unescape(self.text.slice(label));
                self.replace(found.range, Reference { session_id, label });
            }
            Form::Bare if self.options.lenient_bare => {
                let end = self.without_trailing_marks(payload..found.uri.end);
                match self.decode(payload..end) {
                    Ok(id) => {
                        let reference = self.bare(found.uri.start, id);
                        self.replace(found.range.start..end, reference);
                    }
                    Err(error) => {
                        self.leave(found.uri, LeftReason::Invalid(error));
                        // What was taken for a payload may hold a URI.
                        return Ok(Some(payload));
                    }
                }
                return Ok(Some(end));
            }
            Form::Bare => {
                let id = self.decode(payload..found.uri.end)?;
                let reference = self.bare(found.uri.start, id);
                self.replace(found.range, reference);
            }
        }
        Ok(None)
    }

    fn decode(&self, payload: Range<usize>) -> Result<SessionId, UriError> {
        codec::decode(&self.text.as_wtf8()[payload.clone()])
            .map_err(|error| error.within(payload.start))
    }

    fn qualify(&self, uri: usize, id: SessionId) -> SessionId {
        self.schemes.qualify(&self.text.as_wtf8()[uri..], id)
    }

    /// A reference without a label of its own.
    fn bare(&self, uri: usize, id: SessionId) -> Reference {
        let label = id.as_js_string().clone();
        let session_id = self.qualify(uri, id);
        Reference { session_id, label }
    }

    /// The end of a payload when the `_` and `-` at its end are given back.
    ///
    /// A payload that can be read ends with a part of the closing quotation mark: `i`, `I` or `g`.
    /// So there is no choice of how many to give back.
    fn without_trailing_marks(&self, payload: Range<usize>) -> usize {
        let bytes = self.text.as_wtf8()[payload.clone()].iter().rev();
        payload.end - bytes.take_while(|byte| matches!(byte, b'_' | b'-')).count()
    }

    fn replace(&mut self, range: Range<usize>, reference: Reference) {
        self.out.push(self.text.slice(self.done..range.start));
        self.out.push_str("@");
        let label = reference.label.as_js_str();
        if self.options.readable_labels {
            readable::push_readable(&mut self.out, label);
        } else {
            self.out.push(label);
        }
        self.done = range.end;
        self.references.push(reference);
    }

    fn leave(&mut self, range: Range<usize>, reason: LeftReason) {
        self.left_as_text.push(LeftAsText { range, reason });
    }

    fn finish(mut self) -> Extracted {
        self.out.push(self.text.slice(self.done..self.text.len()));
        Extracted {
            text: self.out,
            references: self.references,
            left_as_text: self.left_as_text,
        }
    }
}

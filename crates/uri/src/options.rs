/// Where reading mentions departs from the rules that all harnesses share (`contract.md` §3).
///
/// Everything is off by default: then a text means what it means to every harness. Programs that
/// face people turn all of it on with [`friendly`](Self::friendly).
///
/// ```
/// use sref_uri::MentionOptions;
///
/// let options = MentionOptions::default().with_quoted_code(true);
/// assert!(options.quoted_code && !options.lenient_bare);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MentionOptions {
    /// In the text that is made, a label is one short readable line.
    ///
    /// Control characters, line breaks, bidi controls and invisible characters become one space
    /// each, and of a label of more than 120 characters the first 120 stand, with `…`: the text is
    /// one that the model trusts, and labels come from elsewhere. A [`Reference`](crate::Reference)
    /// keeps its label whole.
    pub readable_labels: bool,
    /// A bare URI that cannot be read stays text and is reported; by default it fails the text.
    ///
    /// `_` and `-` at its end are not taken for a part of it when it can be read without them, so
    /// `_dsh-session:ImEi_` is emphasis around a reference. A mention that cannot be read still
    /// fails the text.
    pub lenient_bare: bool,
    /// What stands in Markdown code stays text: in a fenced block or a code span.
    pub quoted_code: bool,
}

impl MentionOptions {
    /// Everything on: for programs that face people.
    #[must_use]
    pub const fn friendly() -> Self {
        Self {
            readable_labels: true,
            lenient_bare: true,
            quoted_code: true,
        }
    }

    /// Sets [`readable_labels`](Self::readable_labels); the default is `false`.
    #[must_use]
    pub const fn with_readable_labels(mut self, on: bool) -> Self {
        self.readable_labels = on;
        self
    }

    /// Sets [`lenient_bare`](Self::lenient_bare); the default is `false`.
    #[must_use]
    pub const fn with_lenient_bare(mut self, on: bool) -> Self {
        self.lenient_bare = on;
        self
    }

    /// Sets [`quoted_code`](Self::quoted_code); the default is `false`.
    #[must_use]
    pub const fn with_quoted_code(mut self, on: bool) -> Self {
        self.quoted_code = on;
        self
    }
}

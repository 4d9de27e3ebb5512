use core::ops::Range;

use super::find::{Opens, TargetEnds, Words};
use crate::code::Code;
use crate::codec::is_payload;
use crate::mention::label_end;
use crate::{Schemes, work};

/// A place that the pattern of `contract.md` §3 matches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) range: Range<usize>,
    pub(super) form: Form,
    /// The scheme and what follows of it.
    pub(super) uri: Range<usize>,
    pub(super) scheme_len: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `@[label](uri)`, with the place of the label as it is written.
    Mention(Range<usize>),
    /// The URI alone.
    Bare,
    /// A URI alone, or one in a mention, that stands in Markdown code.
    Quoted,
}

/// Finds the matches of a text, left to right.
///
/// Every match has a scheme word in it, so the words lead: in most texts there is none, and nothing
/// else is looked for. Before each word stands whatever `@[` may open a mention around it.
///
/// Linear for every text, since nothing is searched twice. All `@[` up to the end of a label share
/// that end: when it does not close the first of them, it closes none, and the search goes on
/// behind it. All targets up to the next `)` or white space share that.
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    schemes: &'a Schemes,
    words: Words<'a>,
    opens: Opens<'a>,
    target_ends: TargetEnds<'a>,
    code: Option<Code>,
    /// Where the next match may begin.
    at: usize,
    /// Before this no `@[` opens a mention.
    closed: usize,
}

impl<'a> Scan<'a> {
    /// `None` when no scheme word stands in the text, so no match does.
    pub(super) fn new(bytes: &'a [u8], schemes: &'a Schemes, quoted_code: bool) -> Option<Self> {
        let mut words = Words::new(bytes, schemes);
        words.next(0)?;
        Some(Self {
            bytes,
            schemes,
            words,
            opens: Opens::new(bytes, schemes),
            target_ends: TargetEnds::new(bytes),
            code: quoted_code.then(|| Code::of(bytes)),
            at: 0,
            closed: 0,
        })
    }

    /// Goes on at `at`, inside the match that was found last, instead of behind it.
    pub(super) const fn resume(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn next(&mut self) -> Option<Match> {
        loop {
            let word = self.words.next(self.at)?;
            let found = self.mention_before(&word).or_else(|| self.bare(&word));
            self.at = found.as_ref().map_or(word.end, |found| found.range.end);
            if found.is_some() {
                return found;
            }
        }
    }

    /// The first mention that opens before a scheme word.
    fn mention_before(&mut self, word: &Range<usize>) -> Option<Match> {
        loop {
            let open = self.opens.next(self.at.max(self.closed));
            if open >= word.start {
                return None;
            }
            if let Some(code) = self.code.as_mut().and_then(|code| code.around(open)) {
                self.closed = code.end;
            } else if let Some(found) = self.mention(open) {
                return Some(found);
            }
        }
    }

    /// The mention that opens at `open`, if one does.
    fn mention(&mut self, open: usize) -> Option<Match> {
        let label = open + "@[".len();
        let label = label..label_end(self.bytes, label);
        work::looked_at(label.len() + 1);
        self.closed = label.end + 1;
        let uri = label.end + "](".len();
        if self.bytes.get(label.end..uri) != Some(b"](") {
            return None;
        }
        let scheme_len = self.schemes.prefix_len(&self.bytes[uri..])?;
        let end = self.target_ends.next(uri + scheme_len);
        if self.bytes.get(end) != Some(&b')') {
            return None;
        }
        if let Some(code) = &mut self.code
            && !code.take_mention(self.bytes, open..label.end, end + 1)
        {
            return None;
        }
        Some(Match {
            range: open..end + 1,
            form: Form::Mention(label),
            uri: uri..end,
            scheme_len,
        })
    }

    /// The bare URI that begins with a scheme word, if one does.
    fn bare(&mut self, word: &Range<usize>) -> Option<Match> {
        let payload = self.bytes[word.end..].iter();
        let end = word.end + payload.take_while(|byte| is_payload(**byte)).count();
        work::looked_at(end - word.end + 1);
        if end == word.end {
            return None;
        }
        let quoted = self
            .code
            .as_mut()
            .is_some_and(|code| code.around(word.start).is_some());
        Some(Match {
            range: word.start..end,
            form: if quoted { Form::Quoted } else { Form::Bare },
            uri: word.start..end,
            scheme_len: word.len(),
        })
    }
}

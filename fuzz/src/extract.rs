use sref_session::Dialect;
use sref_uri::{LeftAsText, MentionOptions, Schemes, extract as read, format_mention};

use crate::input::text;

/// References come out of any text, and a reference that is written down comes out as it went in.
///
/// The first byte chooses the options.
pub fn extract(data: &[u8]) {
    let Some((flags, data)) = data.split_first() else {
        return;
    };
    let options = MentionOptions::default()
        .with_readable_labels(flags & 1 != 0)
        .with_lenient_bare(flags & 2 != 0)
        .with_quoted_code(flags & 4 != 0);
    let text = text(data);
    let schemes = Schemes::default();
    let found = match read(text.as_js_str(), &schemes, &options) {
        Ok(found) => found,
        Err(error) => {
            assert!(text.as_js_str().is_boundary(error.offset()), "{error}");
            return;
        }
    };
    if found.references.is_empty() {
        assert_eq!(found.text, text);
    }
    // Two may overlap, since what was taken for a payload can hold a scheme.
    let left = &found.left_as_text;
    assert!(left.is_sorted_by_key(|own| own.range.start));
    for LeftAsText { range, .. } in left {
        assert!(!text.as_js_str().slice(range.clone()).is_empty());
    }
    // A label may hold backticks, and what is quoted by them is no mention.
    let options = options.with_quoted_code(false);
    for reference in found.references {
        let label = Some(reference.label.as_js_str());
        let written = format_mention(&reference.session_id, label, &Dialect::DSH);
        let again = read(written.as_js_str(), &schemes, &options);
        assert_eq!(again.map(|again| again.references), Ok(vec![reference]));
    }
}

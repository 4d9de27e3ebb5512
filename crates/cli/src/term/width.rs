//! Terminal columns: how many a text takes, and texts cut to fit.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// How many columns a text takes; styles of `anstyle` take none.
pub(crate) fn width(text: &str) -> usize {
    anstream::adapter::strip_str(text)
        .map(unicode_width::UnicodeWidthStr::width)
        .sum()
}

/// Cuts a text without styles to at most `columns`, between grapheme clusters, with `…` where
/// something is missing.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut left = columns.saturating_sub(1);
    for cluster in text.graphemes(true) {
        let Some(rest) = left.checked_sub(cluster.width()) else {
            break;
        };
        left = rest;
        out.push_str(cluster);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// [`fit`] for what is told by its end, like a path: `…/importer/src`.
pub(crate) fn fit_end(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut start = text.len();
    let mut left = columns.saturating_sub(1);
    for (at, cluster) in text.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(cluster.width()) else {
            break;
        };
        left = rest;
        start = at;
    }
    format!("…{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::style::{STRONG, paint};

    #[test]
    fn columns_are_counted_as_terminals_do() {
        assert_eq!(width("支付"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("👩‍👧"), 2);
        assert_eq!(width(&paint(STRONG, "ab")), 2);
    }

    #[test]
    fn a_cut_never_splits_what_belongs_together() {
        assert_eq!(fit("支付回调", 8), "支付回调");
        assert_eq!(fit("支付回调", 7), "支付回…");
        assert_eq!(fit("支付回调", 6), "支付…");
        assert_eq!(fit("cafe\u{301}s", 5), "cafe\u{301}s");
        assert_eq!(fit("cafe\u{301}ss", 5), "cafe\u{301}…");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit_end("/home/mei/项目/支付", 19), "/home/mei/项目/支付");
        assert_eq!(fit_end("/home/mei/项目/支付", 11), "…/项目/支付");
        assert_eq!(fit_end("/home/mei/项目/支付", 10), "…项目/支付");
    }
}

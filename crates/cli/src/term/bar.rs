//! Bars of block characters, to an eighth of a column.

/// Part of a text that is carried, a part that is not.
const EMPTY: char = '░';
/// Blocks of one to seven eighths.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar of `columns` for a whole of `scale`: `shown` of `total` drawn full, the rest light, and
/// what is beyond `total` blank.
///
/// Whatever is more than nothing shows at least as the thinnest line, and whatever is missing as
/// one light column, so that no cut goes unseen.
pub(crate) fn bar(shown: usize, total: usize, scale: usize, columns: usize) -> String {
    let most = columns * 8;
    let eighths = |part: usize| match part {
        0 => 0,
        // Wide enough for any two sizes.
        _ => usize::try_from(part as u128 * most as u128 / scale.max(1) as u128)
            .map_or(most, |eighths| eighths.clamp(1, most)),
    };
    let mut end = eighths(total).div_ceil(8);
    let mut full = eighths(shown);
    if shown < total {
        // Room for the light part, taken from the full one only when there is none beside it.
        end = end.max((full.div_ceil(8) + 1).min(columns));
        full = full.min(end.saturating_sub(1) * 8);
    }
    let mut out = "█".repeat(full / 8);
    if !full.is_multiple_of(8) {
        out.push(EIGHTHS[full % 8 - 1]);
    }
    if shown < total {
        let light = end.saturating_sub(full.div_ceil(8));
        out.extend(std::iter::repeat_n(EMPTY, light));
    }
    let drawn = out.chars().count();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(drawn)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_what_is_there_and_what_is_missing() {
        assert_eq!(bar(100, 100, 100, 4), "████");
        assert_eq!(bar(50, 50, 100, 4), "██  ");
        assert_eq!(bar(50, 100, 100, 4), "██░░");
        assert_eq!(bar(0, 100, 100, 4), "░░░░");
        assert_eq!(bar(20, 20, 100, 4), "▊   ");
        assert_eq!(bar(0, 0, 0, 4), "    ");
    }

    #[test]
    fn the_smallest_part_and_the_smallest_cut_can_be_seen() {
        assert_eq!(bar(1, 1, 1_000_000, 4), "▏   ");
        assert_eq!(bar(0, 1, 1_000_000, 4), "░   ");
        assert_eq!(bar(999_999, 1_000_000, 1_000_000, 4), "███░");
        assert_eq!(bar(1, 1_000_000, 1_000_000, 4), "▏░░░");
        assert_eq!(bar(1, 2, 1_000_000, 4), "▏░  ");
        assert_eq!(bar(usize::MAX, usize::MAX, usize::MAX, 2), "██");
    }

    #[test]
    fn a_bar_has_its_columns() {
        for shown in 0..40 {
            for total in shown..40 {
                for columns in [1, 5, 12] {
                    assert_eq!(bar(shown, total, 39, columns).chars().count(), columns);
                }
            }
        }
    }
}

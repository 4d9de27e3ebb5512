//! Columns that line up, whatever script the text is in.

use super::width::{fit, width};

/// How a column is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    /// For numbers.
    Right,
    /// Left, and the one that gives way when a line is too long. Its cells have no styles.
    Flexible,
}

/// The least that a flexible column is cut to.
const LEAST: usize = 12;

/// Where nobody gave a width, the cells of a flexible column are whole, and the column is at most so
/// wide: one title can be somebody's whole prompt, and the others are not padded to its end.
const ROOM: usize = 60;

/// Rows as lines, two spaces between columns, none behind the last. A flexible column is cut so
/// that lines fit into `columns`, where that is known.
pub(crate) fn lines<const N: usize>(
    aligns: [Align; N],
    rows: &[[String; N]],
    columns: Option<usize>,
) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = width(cell).max(*most);
        }
    }
    // A column that is empty in every row is left out with its gap.
    let used = widths.iter().filter(|width| **width > 0).count();
    let total = widths.iter().sum::<usize>() + used.saturating_sub(1) * 2;
    let excess = columns.map_or(0, |columns| total.saturating_sub(columns));
    for (most, align) in widths.iter_mut().zip(aligns) {
        if align == Align::Flexible {
            *most = match columns {
                Some(_) => (*most).min(most.saturating_sub(excess).max(LEAST)),
                None => (*most).min(ROOM),
            };
        }
    }
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, align), most) in row.iter().zip(aligns).zip(widths) {
            if most == 0 {
                continue;
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            let cell = match align {
                Align::Flexible if columns.is_some() => fit(cell, most),
                _ => cell.clone(),
            };
            let gap = " ".repeat(most.saturating_sub(width(&cell)));
            let (before, after) = match align {
                Align::Right => (gap.as_str(), ""),
                Align::Left | Align::Flexible => ("", gap.as_str()),
            };
            line += before;
            line += &cell;
            line += after;
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Align::{Flexible, Left, Right};
    use super::*;

    fn row(cells: [&str; 3]) -> [String; 3] {
        cells.map(str::to_owned)
    }

    #[test]
    fn columns_line_up_in_any_script() {
        let rows = [row(["支付回调", "9", "x"]), row(["login", "121", "y"])];
        assert_eq!(
            lines([Flexible, Right, Left], &rows, None),
            "支付回调    9  x\nlogin     121  y\n"
        );
    }

    #[test]
    fn the_flexible_column_gives_way_and_only_it() {
        let rows = [
            row(["a title that is rather long", "12", "/home/mei/shop"]),
            row(["short", "1", "/"]),
        ];
        let cut = lines([Flexible, Right, Left], &rows, Some(40));
        assert_eq!(
            cut,
            "a title that is rat…  12  /home/mei/shop\nshort                  1  /\n"
        );
        // Not below what can be recognised.
        let least = lines([Flexible, Right, Left], &rows, Some(10));
        assert!(least.starts_with("a title tha…  12  "), "{least}");
    }

    /// One long title costs its own line and no other.
    #[test]
    fn where_no_width_is_known_a_column_is_not_as_wide_as_its_longest_cell() {
        let long = "x".repeat(10_000);
        let rows = [row([&long, "1", "a"]), row(["short", "2", "b"])];
        let out = lines([Flexible, Right, Left], &rows, None);
        let wide = format!("{:60}", "short");
        assert_eq!(out, format!("{long}  1  a\n{wide}  2  b\n"));
    }

    #[test]
    fn an_empty_column_takes_no_room() {
        let rows = [row(["a", "", "b"]), row(["c", "", "d"])];
        assert_eq!(lines([Left, Left, Left], &rows, None), "a  b\nc  d\n");
    }
}

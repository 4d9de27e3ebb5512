//! The few colours that the program uses. What they say is said in words as well.

use anstyle::{AnsiColor, Style};

const fn colour(colour: AnsiColor) -> Style {
    colour.on_default()
}

/// Titles and totals.
pub(crate) const STRONG: Style = Style::new().bold();
/// What can be passed over: ids, ages, units.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Text that a reference carries.
pub(crate) const KEPT: Style = colour(AnsiColor::Green);
/// Text that is shortened.
pub(crate) const CUT: Style = colour(AnsiColor::Yellow);
/// Text that is left out, and problems.
pub(crate) const DROPPED: Style = colour(AnsiColor::Red);

/// Text in a style; of nothing, nothing.
pub(crate) fn paint(style: Style, text: impl AsRef<str>) -> String {
    match text.as_ref() {
        "" => String::new(),
        text => format!("{style}{text}{style:#}"),
    }
}

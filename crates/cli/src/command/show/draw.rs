//! How a session looks in a terminal: one bar a message, so that one sees where the budget went.

use std::fmt::Write as _;

use sref::session::Role;

use crate::term::bar::bar;
use crate::term::human::{count, many, percent, short, tokens};
use crate::term::style::{CUT, DROPPED, FAINT, KEPT, STRONG, paint};
use crate::term::table::{Align, lines};
use crate::term::width::{fit, fit_end};

/// The narrowest terminal that is drawn for.
const NARROW: usize = 40;
/// From here on there is room for words.
const WIDE: usize = 64;

/// What is drawn of a session. All texts are harmless.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) id: String,
    /// Agent, age, directory: what is known.
    pub(super) facts: Vec<String>,
    /// The size of the rendered object, and what it may have.
    pub(super) rendered: usize,
    pub(super) budget: Option<usize>,
    pub(super) messages: Vec<Message>,
}

/// One message, as far as drawing needs it.
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) checkpoint: bool,
    /// Bytes of its text, and how many of them are carried.
    pub(super) total: usize,
    pub(super) shown: usize,
    /// What is carried of it; nothing of a message that is dropped.
    pub(super) text: Option<String>,
    /// Its whole text on one line.
    pub(super) words: String,
}

/// The budget as a bar, a line a message, and the totals.
pub(super) fn overview(picture: &Picture, columns: usize) -> String {
    let columns = columns.max(NARROW);
    let mut out = heading(picture, columns);
    out.push('\n');
    if let Some(budget) = picture.budget {
        out += &budget_line(picture.rendered, budget, columns);
        out.push('\n');
    }
    out += &map(&picture.messages, columns);
    if !picture.messages.is_empty() {
        out.push('\n');
    }
    out += &totals(picture, columns);
    out
}

/// The messages that are carried, whole or shortened.
pub(super) fn text(picture: &Picture, columns: usize) -> String {
    let columns = columns.max(NARROW);
    let mut out = heading(picture, columns);
    for message in &picture.messages {
        let Some(text) = &message.text else { continue };
        let omitted = message.total - message.shown;
        let mut head = format!("── {}", role(message, WIDE));
        if omitted > 0 {
            let _ = write!(head, ", {} left out", many(omitted as u64, "byte"));
        }
        let _ = write!(out, "\n{}\n{text}\n", paint(STRONG, head));
    }
    out.push('\n');
    out += &totals(picture, columns);
    out
}

fn heading(picture: &Picture, columns: usize) -> String {
    let title = paint(STRONG, fit(&picture.title, columns));
    let id = fit(&picture.id, columns);
    let facts = fit_end(&picture.facts.join("  "), columns);
    let mut out = format!("{title}\n");
    for line in [id, facts] {
        if !line.is_empty() {
            let _ = writeln!(out, "{}", paint(FAINT, line));
        }
    }
    out
}

/// `███▊░░░  2,912 of 65,536 bytes (4 %)`
fn budget_line(rendered: usize, budget: usize, columns: usize) -> String {
    let words = format!(
        "{} of {} bytes ({} %)",
        count(rendered as u64),
        count(budget as u64),
        percent(rendered, budget)
    );
    let room = columns
        .saturating_sub(words.chars().count() + 2)
        .clamp(6, 40);
    format!(
        "{}  {words}\n",
        paint(KEPT, bar(rendered, budget, budget, room))
    )
}

/// A line a message: bar, role, bytes, first words.
fn map(messages: &[Message], columns: usize) -> String {
    let wide = columns >= WIDE;
    let room = if wide { 12 } else { 6 };
    let number = |n: usize| {
        if wide {
            count(n as u64)
        } else {
            short(n as u64)
        }
    };
    let scale = scale(messages);
    let rows: Vec<[String; 5]> = messages
        .iter()
        .map(|message| {
            let (style, of) = match (message.text.is_some(), message.shown < message.total) {
                (true, false) => (KEPT, String::new()),
                (true, true) => (CUT, format!("of {}", number(message.total))),
                (false, _) => (DROPPED, format!("of {}", number(message.total))),
            };
            [
                paint(style, bar(message.shown, message.total, scale, room)),
                role(message, columns).to_owned(),
                number(message.shown),
                of,
                message.words.clone(),
            ]
        })
        .collect();
    let aligns = [
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Flexible,
    ];
    lines(aligns, &rows, Some(columns))
}

/// What a whole bar stands for: the most that a message carries, and a third more where something
/// is missing, so that it can be seen. One huge text that is cut does not flatten all others.
fn scale(messages: &[Message]) -> usize {
    let most = |size: fn(&Message) -> usize| messages.iter().map(size).max().unwrap_or(0);
    let shown = most(|message| message.shown);
    if shown == 0
        || messages
            .iter()
            .all(|message| message.shown == message.total)
    {
        return most(|message| message.total);
    }
    shown.saturating_add(shown / 3)
}

/// Who speaks, in a word or a letter. A checkpoint is a summary in the user's name.
fn role(message: &Message, columns: usize) -> &'static str {
    let (word, letter) = match (message.checkpoint, message.role) {
        (true, _) => ("summary", "s"),
        (false, Role::User) => ("user", "u"),
        (false, Role::Assistant) => ("assistant", "a"),
    };
    if columns >= WIDE { word } else { letter }
}

/// What is carried, what is not, what it costs.
fn totals(picture: &Picture, columns: usize) -> String {
    let messages = &picture.messages;
    let dropped = messages.iter().filter(|message| message.text.is_none());
    let dropped = dropped.count() as u64;
    let cut = |message: &&Message| message.text.is_some() && message.shown < message.total;
    let cut = messages.iter().filter(cut).count() as u64;
    let omitted: usize = messages
        .iter()
        .map(|message| message.total - message.shown)
        .sum();
    let all = messages.len() as u64;
    let mut kept = match all {
        0 => vec!["Nothing was said in this session.".to_owned()],
        _ => vec![format!(
            "{}: {} whole",
            many(all, "message"),
            count(all - cut - dropped)
        )],
    };
    for (n, word) in [(cut, "shortened"), (dropped, "dropped")] {
        if n > 0 {
            kept.push(format!("{} {word}", count(n)));
        }
    }
    if omitted > 0 {
        kept.push(format!("{} left out", many(omitted as u64, "byte")));
    }
    let rendered = picture.rendered as u64;
    let cost = [many(rendered, "byte"), tokens(rendered)];
    wrapped(&kept, columns) + &wrapped(&cost, columns)
}

/// `a, b, c`, with a line break where a line would get too long.
fn wrapped(parts: &[String], columns: usize) -> String {
    let mut lines = vec![String::new()];
    for (at, part) in parts.iter().enumerate() {
        let part = if at + 1 < parts.len() {
            format!("{part},")
        } else {
            part.clone()
        };
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = part,
            Some(line) if line.len() + 1 + part.len() <= columns => {
                line.push(' ');
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::width::width;

    fn message(role: Role, shown: usize, total: usize, words: &str) -> Message {
        Message {
            role,
            checkpoint: words == "Goal",
            total,
            shown,
            text: (shown > 0).then(|| words.to_owned()),
            words: words.to_owned(),
        }
    }

    fn picture() -> Picture {
        Picture {
            title: "支付回调重复扣款".to_owned(),
            id: "session-51ad9be7-6c84-4e02-a3f6-d81c7e09b425".to_owned(),
            facts: vec![
                "dsh".to_owned(),
                "3d ago".to_owned(),
                "/home/mei/项目/支付".to_owned(),
            ],
            rendered: 12_345,
            budget: Some(16_384),
            messages: vec![
                message(
                    Role::User,
                    0,
                    512,
                    "支付回调重复扣款：昨天有 37 个订单被扣了两次。",
                ),
                message(Role::User, 1500, 1500, "Goal"),
                message(
                    Role::Assistant,
                    9000,
                    40_687,
                    "02:14:00.002 INFO worker-00 job 41800 done",
                ),
                message(Role::User, 41, 41, "怎么修？"),
            ],
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_wide_terminal() {
        let expected = "\
支付回调重复扣款
session-51ad9be7-6c84-4e02-a3f6-d81c7e09b425
dsh  3d ago  /home/mei/项目/支付

██████████████████████████████▏░░░░░░░░░  12,345 of 16,384 bytes (75 %)

░             user           0  of 512     支付回调重复扣款：昨天有 37 …
█▌            summary    1,500             Goal
█████████░░░  assistant  9,000  of 40,687  02:14:00.002 INFO worker-00 …
▏             user          41             怎么修？

4 messages: 2 whole, 1 shortened, 1 dropped, 32,199 bytes left out
12,345 bytes, about 3,087 tokens
";
        assert_eq!(plain(&overview(&picture(), 72)), expected);
    }

    #[test]
    fn a_narrow_terminal() {
        let drawn = plain(&overview(&picture(), 40));
        for line in drawn.lines() {
            assert!(width(line) <= 40, "{line}");
        }
        assert!(
            drawn.contains("████▌░  a  9.0k  of 40.6k  02:14:00"),
            "{drawn}"
        );
        // It does not get narrower than it can be read.
        assert_eq!(plain(&overview(&picture(), 5)), drawn);
    }

    #[test]
    fn what_is_dropped_is_not_among_the_texts() {
        let drawn = plain(&text(&picture(), 80));
        assert!(!drawn.contains("37 个订单"), "{drawn}");
        assert!(drawn.contains("\n── summary\nGoal\n"), "{drawn}");
        assert!(
            drawn.contains("\n── assistant, 31,687 bytes left out\n02:14"),
            "{drawn}"
        );
    }

    #[test]
    fn an_empty_session_says_so() {
        let picture = Picture {
            messages: Vec::new(),
            rendered: 120,
            ..picture()
        };
        let drawn = plain(&overview(&picture, 80));
        assert!(drawn.ends_with("Nothing was said in this session.\n120 bytes, about 30 tokens\n"));
    }
}

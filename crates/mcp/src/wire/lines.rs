use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The largest message that is taken. A call of ours is a few hundred bytes; a host may send along
/// whatever it likes.
pub(crate) const LONGEST: usize = 4 << 20;
/// How much of the two ends of a longer message is kept: the id of a request stands at one of them.
const ENDS: usize = 512;

/// The lines of a stream, none of them held beyond a size.
///
/// [`next`](Self::next) may be dropped at any time and called again: what was read of a line stays.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The last bytes of a line that is too long, and that nobody waits for the end of.
    passing: Option<Vec<u8>>,
    /// Whether the line was given out, so that the next one replaces it.
    given: bool,
}

/// What comes next on a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line, without what ends it. The last one needs no end.
    Whole(&'a [u8]),
    /// The two ends of a line that was too long.
    TooLong(&'a [u8], Vec<u8>),
    /// Nothing more: the stream has ended or failed.
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(read: R) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            passing: None,
            given: false,
        }
    }

    pub(crate) async fn next(&mut self) -> Line<'_> {
        if self.given {
            self.given = false;
            self.line.clear();
            // One large message does not make the server large for good.
            self.line.shrink_to(64 << 10);
        }
        loop {
            // Nothing is lost when this is dropped: what was not consumed is there the next time,
            // and below nothing waits.
            let Ok(available) = self.read.fill_buf().await else {
                return Line::End;
            };
            if available.is_empty() {
                return self.last();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            match &mut self.passing {
                Some(tail) => push_tail(tail, part),
                None if self.line.len() + part.len() > LONGEST => {
                    let mut tail = Vec::new();
                    push_tail(&mut tail, &self.line);
                    push_tail(&mut tail, part);
                    if self.line.is_empty() {
                        self.line.extend_from_slice(&part[..ENDS]);
                    }
                    self.line.truncate(ENDS);
                    self.passing = Some(tail);
                }
                None => self.line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.read.consume(used);
            if end.is_some() {
                return self.give();
            }
        }
    }

    /// What stands before the end of the stream.
    fn last(&mut self) -> Line<'_> {
        if self.line.is_empty() {
            return Line::End;
        }
        self.give()
    }

    fn give(&mut self) -> Line<'_> {
        self.given = true;
        match self.passing.take() {
            Some(tail) => Line::TooLong(&self.line, tail),
            None => Line::Whole(self.line.strip_suffix(b"\r").unwrap_or(&self.line)),
        }
    }
}

/// Keeps the end of what was seen.
fn push_tail(tail: &mut Vec<u8>, part: &[u8]) {
    tail.extend_from_slice(&part[part.len().saturating_sub(ENDS)..]);
    tail.drain(..tail.len().saturating_sub(ENDS));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_where_they_end() {
        let mut lines = Lines::new(&b"one\r\n\ntwo"[..]);
        assert_eq!(lines.next().await, Line::Whole(b"one"));
        assert_eq!(lines.next().await, Line::Whole(b""));
        assert_eq!(lines.next().await, Line::Whole(b"two"));
        assert_eq!(lines.next().await, Line::End);
        assert_eq!(lines.next().await, Line::End);
    }

    #[tokio::test]
    async fn of_a_line_that_is_too_long_the_ends_are_kept() {
        let mut text = b"[".to_vec();
        text.resize(LONGEST, b'x');
        text.push(b'\n');
        assert_eq!(
            Lines::new(&text[..]).next().await,
            Line::Whole(&text[..LONGEST])
        );
        text.insert(1, b'y');
        text.extend_from_slice(b"next\n");
        let mut lines = Lines::new(&text[..]);
        match lines.next().await {
            Line::TooLong(head, tail) => {
                assert!(
                    head.starts_with(b"[yxx") && head.len() == ENDS,
                    "{}",
                    head.len()
                );
                assert_eq!(tail, vec![b'x'; ENDS]);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(lines.next().await, Line::Whole(b"next"));
    }

    #[tokio::test]
    async fn a_read_that_is_dropped_loses_nothing() {
        let (mut ours, theirs) = tokio::io::duplex(8);
        let mut lines = Lines::new(theirs);
        tokio::io::AsyncWriteExt::write_all(&mut ours, b"half ")
            .await
            .unwrap();
        tokio::select! {
            biased;
            line = lines.next() => panic!("{line:?}"),
            () = tokio::task::yield_now() => {}
        }
        tokio::io::AsyncWriteExt::write_all(&mut ours, b"a\nb")
            .await
            .unwrap();
        assert_eq!(lines.next().await, Line::Whole(b"half a"));
    }
}

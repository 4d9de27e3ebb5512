//! The event that an agent writes to a hook's standard input.

use std::io::{self, ErrorKind, Read};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Everything up to the end of the first JSON object, or all that there is.
    Whole(Vec<u8>),
    /// More bytes than an event has.
    TooLarge,
}

/// Reads until an object is closed, or the input ends.
///
/// Not every agent closes the pipe: one that waits for the answer first would wait for ever for a
/// hook that waits for the end of its input.
pub(crate) fn read(mut input: impl Read, most: usize) -> io::Result<Input> {
    let mut event = Vec::new();
    let mut object = Object::default();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => return Ok(Input::Whole(event)),
            Ok(read) => &chunk[..read],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if event.len() + read.len() > most {
            return Ok(Input::TooLarge);
        }
        event.extend_from_slice(read);
        if object.closes_in(read) {
            return Ok(Input::Whole(event));
        }
    }
}

/// How far an object has come. Brackets and strings are all that is looked at: whether it is JSON is
/// decided by who reads it.
#[derive(Debug, Default)]
struct Object {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Object {
    /// Takes the bytes that follow, and tells whether the object is closed in them.
    fn closes_in(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes a few at a time, and never an end.
    struct Open<'a>(std::slice::Chunks<'a, u8>);

    impl Read for Open<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(next) = self.0.next() else {
                return Err(io::Error::other("waits for ever"));
            };
            buffer[..next.len()].copy_from_slice(next);
            Ok(next.len())
        }
    }

    fn open(text: &str, size: usize) -> Option<String> {
        match read(Open(text.as_bytes().chunks(size)), 1_000) {
            Ok(Input::Whole(event)) => Some(String::from_utf8(event).unwrap()),
            _ => None,
        }
    }

    #[test]
    fn an_object_is_whole_when_it_is_closed() {
        for text in [
            "{}",
            " \n{\"a\":[{\"b\":\"}]\\\"}\"}],\"c\":\"\\\\\"}",
            "{\"prompt\":\"é{[\"}",
        ] {
            for size in [1, 2, 3, 100] {
                assert_eq!(open(text, size).as_deref(), Some(text), "{size}");
            }
            for end in 0..text.len() {
                if text.is_char_boundary(end) {
                    assert_eq!(open(&text[..end], 4), None, "{end} of {text}");
                }
            }
        }
        // What comes behind it in the same breath is there to be refused.
        assert_eq!(open("{} x", 100).as_deref(), Some("{} x"));
    }

    #[test]
    fn an_input_that_ends_is_all_that_there_is() {
        for text in ["", "{\"a\":", "5", "\"{}\""] {
            let read = read(text.as_bytes(), 10).unwrap();
            assert_eq!(read, Input::Whole(text.into()));
        }
    }

    #[test]
    fn more_than_an_event_has_is_told_from_one_that_is_cut() {
        assert_eq!(read(&b"{\"a\":\"1234\"}"[..], 10).unwrap(), Input::TooLarge);
        let whole = read(&b"{\"a\":\"12\"}"[..], 10).unwrap();
        assert_eq!(whole, Input::Whole(b"{\"a\":\"12\"}".to_vec()));
    }
}

//! How much conversation a reader holds at once.

use std::io;

use sref_session::JsString;

/// The most conversation that a session may have, in bytes of its texts. No person and model have
/// said so much to each other; a packed log of a few KB can pretend they had. Less in the tests of this
/// crate, which would take minutes to say so much.
const MOST: usize = if cfg!(test) { 4 << 20 } else { 256 << 20 };

/// What is wrong when there is more.
pub(crate) const TOO_MUCH: &str = "more than 256 MiB of conversation";

/// The texts that a reader holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Held {
    bytes: usize,
}

impl Held {
    /// A text is held from now on.
    pub(crate) fn take(&mut self, text: &JsString) {
        self.bytes = self.bytes.saturating_add(text.len());
    }

    /// Some texts are held no more.
    pub(crate) const fn give_back(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// # Errors
    ///
    /// When it is more than a session may have.
    pub(crate) fn check(self) -> io::Result<()> {
        if self.bytes > MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TOO_MUCH));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sref_session::SurfaceSnapshot;

    use super::*;
    use crate::dsh::{DshOptions, DshStore, session_directory};
    use crate::{CancellationToken, Store, StoreError, StoreErrorKind};

    #[test]
    fn what_is_given_back_makes_room() {
        let text = JsString::from("x".repeat(MOST / 2 + 1));
        let mut held = Held::default();
        held.take(&text);
        assert!(held.check().is_ok());
        held.take(&text);
        assert_eq!(held.check().unwrap_err().to_string(), TOO_MUCH);
        held.give_back(text.len());
        assert!(held.check().is_ok());
    }

    /// Reads a dsh log of these messages; a number takes its place behind those that it replaces.
    fn dsh(messages: &[(&str, Option<u64>)]) -> Result<Option<SurfaceSnapshot>, StoreError> {
        let header = r#"{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/work","delegationDepth":0}"#;
        let mut log = header.to_owned() + "\n";
        for (seq, (text, replaced)) in messages.iter().enumerate() {
            let operation = match replaced {
                None => r#""append""#.to_owned(),
                Some(end) => {
                    let sources: Vec<_> = (0..=*end).collect();
                    format!(
                        r#"{{"op":"replace","start":0,"end":{end}}},"sourceEventSeqs":{sources:?}"#
                    )
                }
            };
            let data = format!(
                r#"{{"id":"m","role":"user","source":{{"kind":"user"}},"content":[{{"type":"text","text":"{text}"}}]}}"#
            );
            let event = format!(
                r#"{{"type":"user/message","seq":{seq},"time":1,"data":{data},"surfaceOp":{operation}}}"#
            );
            log = log + &event + "\n";
        }
        let home = tempfile::tempdir().unwrap();
        let directory = session_directory(JsString::from("s").as_js_str()).unwrap();
        let directory = home.path().join("--work--").join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("session.jsonl"), log).unwrap();
        let store = DshStore::open(home.path(), DshOptions::default())?;
        store.surface(&"s".into(), &CancellationToken::new())
    }

    /// What a compaction took out is not held.
    #[test]
    fn a_dsh_log_of_more_words_than_any() {
        let text = &*"x".repeat(MOST / 3);
        let append = (text, None);
        let last = |read: Result<Option<SurfaceSnapshot>, StoreError>| {
            read.map(|surface| surface.unwrap().captured_through_seq)
        };
        assert_eq!(last(dsh(&[append; 3])).unwrap(), Some(2));
        let error = dsh(&[append; 4]).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooLong);
        assert_eq!(error.position().map(|at| at.line), Some(5), "{error}");
        let compacted = [append, append, ("short", Some(1)), append, append];
        assert_eq!(last(dsh(&compacted)).unwrap(), Some(4));
    }
}

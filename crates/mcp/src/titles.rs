use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sref_query::{ListedTitle, SessionRecord};
use sref_session::{JsString, SessionId};

/// Titles that were read, as long as their logs stay as they were: completion asks for all of them at
/// every key.
#[derive(Debug, Default)]
pub(crate) struct Titles(Mutex<HashMap<SessionId, (Stamp, Option<JsString>)>>);

/// What changes when a log does.
type Stamp = (Option<i64>, Option<u64>);

impl Titles {
    /// The title that was read of this log as it is.
    pub(crate) fn get(&self, record: &SessionRecord) -> ListedTitle {
        match self.known().get(&record.header.id) {
            Some((stamp, title)) if Some(*stamp) == of(record) => ListedTitle::Known(title.clone()),
            _ => ListedTitle::Unread,
        }
    }

    pub(crate) fn set(&self, record: &SessionRecord, title: Option<JsString>) {
        if let Some(stamp) = of(record) {
            self.known()
                .insert(record.header.id.clone(), (stamp, title));
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, (Stamp, Option<JsString>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Absent where the store does not say when a log changed.
fn of(record: &SessionRecord) -> Option<Stamp> {
    record.updated_at?;
    Some((record.updated_at, record.size_bytes))
}

#[cfg(test)]
mod tests {
    use sref_session::SessionHeader;

    use super::*;

    #[test]
    fn a_title_is_good_until_its_log_changes() {
        let titles = Titles::default();
        let mut record = SessionRecord::new(SessionHeader::new("s", 0));
        titles.set(&record, Some("of a log without a time".into()));
        assert_eq!(titles.get(&record), ListedTitle::Unread);
        record.updated_at = Some(1);
        titles.set(&record, None);
        assert_eq!(titles.get(&record), ListedTitle::Known(None));
        record.size_bytes = Some(1);
        assert_eq!(titles.get(&record), ListedTitle::Unread);
    }
}

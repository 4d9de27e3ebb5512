use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use icu_collator::options::CollatorOptions;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use sref_session::{JsStr, SessionHeader};

/// The order of a listing: newest first, and among sessions of one time by id as ICU collates
/// (`spec/dsh-store.md` 6.2).
///
/// The harness sorts by the collation of its process's locale; almost always that is the root
/// collation, which English uses.
///
/// ```
/// use sref_session::JsString;
/// use sref_stores::Order;
///
/// let mut ids = ["b", "A", "a", "a-b", "ä"].map(JsString::from);
/// let order = Order::root();
/// ids.sort_by(|one, other| order.compare_ids(one.as_js_str(), other.as_js_str()));
/// assert_eq!(ids, ["a", "A", "ä", "a-b", "b"]);
/// assert!(Order::for_locale("not a locale").is_none());
/// ```
#[derive(Clone)]
pub struct Order(Arc<CollatorBorrowed<'static>>);

impl Order {
    /// Ids in the root collation.
    ///
    /// # Panics
    ///
    /// Never: the data of the root collation is compiled in.
    #[must_use]
    pub fn root() -> Self {
        Self::with(CollatorPreferences::default()).expect("the root collation is compiled in")
    }

    /// Ids in the collation of a locale, named as in BCP 47. A language without a collation of its
    /// own gets the root collation.
    #[must_use]
    pub fn for_locale(tag: &str) -> Option<Self> {
        let locale: Locale = tag.parse().ok()?;
        Self::with(CollatorPreferences::from(&locale))
    }

    fn with(preferences: CollatorPreferences) -> Option<Self> {
        let collator = icu_collator::Collator::try_new(preferences, CollatorOptions::default());
        Some(Self(Arc::new(collator.ok()?)))
    }

    /// Compares two ids. Different ids can be equal; they keep the order in which they were found.
    ///
    /// A lone surrogate collates as U+FFFD.
    #[must_use]
    pub fn compare_ids(&self, one: JsStr<'_>, other: JsStr<'_>) -> Ordering {
        if let (Some(one), Some(other)) = (one.as_str(), other.as_str()) {
            return self.0.compare(one, other);
        }
        let [one, other] = [one, other].map(|id| id.utf16_units().collect::<Vec<_>>());
        self.0.compare_utf16(&one, &other)
    }

    /// Compares two sessions.
    #[must_use]
    pub fn compare(&self, one: &SessionHeader, other: &SessionHeader) -> Ordering {
        let newest_first = other.created_at.cmp(&one.created_at);
        newest_first.then_with(|| self.compare_ids(one.id.as_js_str(), other.id.as_js_str()))
    }
}

impl Default for Order {
    fn default() -> Self {
        Self::root()
    }
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Order")
    }
}

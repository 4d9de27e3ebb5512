//! What a delivery says: to the model beside the snapshots, and to the person.

mod attached;
mod delivery;
mod failure;
mod losses;
mod plain;

pub use attached::Attached;
pub use delivery::{Delivery, Policy};
pub use failure::Failure;
pub use losses::missing_words;
pub use plain::{label_line, one_line};

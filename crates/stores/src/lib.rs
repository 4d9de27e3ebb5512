//! Read-only readers of coding agents' session logs.
//!
//! Each agent's reader is a [`Store`]; a [`Corpus`] joins stores into one
//! [`SessionQuery`](sref_query::SessionQuery). Nothing here writes into a store, and no path is made
//! from an id: an id selects among what a directory holds.
//!
//! | item | is |
//! | --- | --- |
//! | [`Store`], [`Listing`], [`Observation`], [`Diagnostic`] | one root of one agent: its sessions, what they show, and what was skipped |
//! | [`Mode`] | whether one bad artifact costs one session or, as in the reference, everything |
//! | [`Corpus`] | several stores as one id space |
//! | [`locate`] | where agents keep their logs, as a table |
//! | [`dsh`] | DeepSeek Harness |
//! | [`lines`] | reading JSONL in bounded memory |
#![forbid(unsafe_code)]

pub mod claude;
pub mod codex;
mod container;
mod corpus;
mod damage;
mod database;
mod diagnostic;
mod digest;
pub mod dsh;
mod error;
mod file;
mod held;
mod ids;
pub mod lines;
mod locate;
mod open;
mod order;
mod raw;
mod store;
mod time;
mod words;

pub use corpus::Corpus;
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use error::{Position, StoreError, StoreErrorKind};
pub use ids::listed_id;
pub use locate::{Environment, Located, discover, locate};
pub use open::{KINDS, open};
pub use order::Order;
pub(crate) use store::each;
pub use store::{Examination, Listed, Listing, Mode, Observation, Store, TitleOutcome};
pub use tokio_util::sync::CancellationToken;

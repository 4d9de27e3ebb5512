//! How session references read sessions: one trait, its records and its errors.
//!
//! A store of session logs, a database or a running harness implements [`SessionQuery`]; the
//! resolver in `sref-service` knows nothing else of it. The crate knows no log format and needs no
//! async runtime.
//!
//! | item | is |
//! | --- | --- |
//! | [`SessionQuery`] | what a source of sessions answers: listing, titles, one surface |
//! | [`DynSessionQuery`] | the same with its types erased, for `Arc<dyn DynSessionQuery>` |
//! | [`SessionRecord`], [`ListedTitle`] | one session of a listing |
//! | [`QueryError`] | why a store could not answer, with the stable codes of the harness |
//! | [`MemoryCorpus`] | sessions in memory, for hosts that hold them and for tests |
#![forbid(unsafe_code)]

mod erased;
mod error;
mod forward;
mod memory;
mod query;
mod record;

pub use erased::DynSessionQuery;
pub use error::QueryError;
pub use memory::MemoryCorpus;
pub use query::{BoxError, SessionQuery, TitleResult};
pub use record::{ListedTitle, SessionRecord};
/// The token by which a caller takes a question back: `tokio-util`'s, which needs no runtime.
pub use tokio_util::sync::CancellationToken;

//! Resolving session references: from what a person typed to what a model reads.
//!
//! [`SessionReferenceResolver`] asks any [`SessionQuery`](sref_query::SessionQuery) for sessions
//! and does these things with them:
//!
//! | method | does |
//! | --- | --- |
//! | [`candidates`](SessionReferenceResolver::candidates) | lists the sessions that a person can cite |
//! | [`prepare`](SessionReferenceResolver::prepare) | turns cited sessions into one context message |
//! | [`observe`](SessionReferenceResolver::observe), [`render`](SessionReferenceResolver::render) | the same in two halves, for hosts that try several budgets |
//! | [`prepare_messages`](SessionReferenceResolver::prepare_messages) | finds the mentions in the messages of an agent's step and does so for each |
//! | [`freshness`](SessionReferenceResolver::freshness) | tells whether a session went on since it was cited |
//!
//! It is asynchronous without needing a runtime: every wait is one on the query, is raced against
//! the caller's [`CancellationToken`](sref_query::CancellationToken), and is dropped with the call.
//!
//! # Features
//!
//! - `folding` (default): [`Search::Folding`], at the price of Unicode tables.
#![forbid(unsafe_code)]

mod candidates;
mod config;
mod context;
mod error;
mod freshness;
mod in_order;
mod messages;
mod observe;
mod prepare;
mod record;
mod request;
mod resolver;
mod search;
mod wait;

pub use candidates::{Agent, Candidate};
pub use config::{Config, Limit};
pub use context::ContextMessage;
pub use error::{ReferenceError, with_causes};
pub use freshness::Freshness;
pub use messages::{Decision, LeftInMessage, PreparedMessage, PreparedMessages};
pub use observe::Observed;
pub use prepare::Prepared;
pub use record::SourceRecord;
pub use request::PrepareRequest;
pub use resolver::SessionReferenceResolver;
pub use search::{Matcher, Search};

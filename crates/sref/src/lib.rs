//! References to recorded coding-agent sessions: read them, resolve them, quote them in a prompt.
//!
//! This crate adds nothing of its own. It gathers the layers under one name and one version, so
//! that a caller needs a single dependency and the layers can be used alone.
//!
//! | module | does | needs |
//! | --- | --- | --- |
//! | [`session`] | the vocabulary: ids, messages, surfaces, JSON as JavaScript writes it | nothing |
//! | [`uri`] | ids ↔ `dsh-session:…`, mentions in text | nothing |
//! | [`envelope`] | the rendered form of a referenced session, the prompt around it | nothing |
//! | [`projection`] | surface → conversation, retention under a byte budget | nothing |
//! | [`query`] | how sessions are read: one trait, and a corpus in memory | a store |
//! | [`service`] | candidates, and messages with the context that they cite | a [`query`] |
//!
//! A host starts with [`SessionReferenceResolver`] and an implementation of [`SessionQuery`]. The
//! types below are those that every caller meets; the rest is in the modules.
#![forbid(unsafe_code)]

pub use sref_envelope as envelope;
pub use sref_projection as projection;
pub use sref_query as query;
pub use sref_service as service;
pub use sref_session as session;
pub use sref_uri as uri;

#[doc(inline)]
pub use sref_query::{CancellationToken, MemoryCorpus, SessionQuery};
#[doc(inline)]
pub use sref_service::{Config, ReferenceError, SessionReferenceResolver};
#[doc(inline)]
pub use sref_session::{Dialect, JsString, Message, SessionId};
#[doc(inline)]
pub use sref_uri::{Reference, SessionUri, extract, format_mention};

/// Compiles and runs every Rust block of the README.
///
/// Behind `cfg(doctest)`, since the file lies outside the published crate.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

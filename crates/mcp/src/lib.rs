//! An MCP server that lists, quotes and reads sessions of coding agents.
//!
//! [`Server`] answers one client over a pair of streams, from any
//! [`SessionQuery`](sref_query::SessionQuery). It is the only crate that sees the SDK, and shows
//! none of its types.
//!
//! | a client asks for | and gets |
//! | --- | --- |
//! | tool `session_candidates` | the sessions that can be cited |
//! | tool `session_reference` | a snapshot of those that are mentioned, within a page |
//! | tool `session_read` | one session page by page, nothing left out |
//! | resources | the sessions in which something happened last; a template for all others; their snapshots |
//! | prompt `reference` | a snapshot in the message of the user |
//! | completion | URIs and one-word keys, by title or id |
//!
//! Everything is read-only, and nothing outside the server's project exists for it. What comes in is
//! checked before the SDK sees it: each request is answered once, whatever it is, and on the way out
//! there are whole lines only. `docs/delivery.md` has the sizes and what each agent does with them.
#![forbid(unsafe_code)]

mod args;
mod call;
mod candidates;
mod complete;
mod cursor;
mod fault;
mod handler;
mod keys;
mod label;
mod lookup;
mod page;
mod read;
mod reference;
mod resources;
mod scope;
mod server;
mod time;
mod titles;
mod tools;
mod view;
mod wire;

pub use server::{ServeError, Server};

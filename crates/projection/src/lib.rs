//! From the surface of a session to what a reference to it shows: the conversation, and as much of
//! it as a byte budget holds.
//!
//! | item | is |
//! | --- | --- |
//! | [`project`] | surface → [`Conversation`]: who said what |
//! | [`retain`] | conversation → [`Retained`]: the rendered object within a [`Budget`] |
//! | [`Retention`] | how the choice is made: [`Fair`](Retention::Fair), or as the reference does |
//! | [`share_budget`] | one budget over several references |
//!
//! The crate is `no_std` + `alloc`; the cost follows the budget, not the session: of text that is
//! not shown, only its length is looked at.
//!
//! ```
//! use sref_envelope::Profile;
//! use sref_projection::{Budget, Conversation, Identity, Item, Retention, retain};
//! use sref_session::Role;
//!
//! let long = "All work and no play makes a long message. ".repeat(100);
//! let conversation: Conversation<'_> = [
//!     Item::new(Role::User, "Summarise this.".into()),
//!     Item::new(Role::Assistant, long.as_str().into()),
//! ]
//! .into_iter()
//! .collect();
//! let identity = Identity::new("s".into(), "A session".into());
//!
//! let retained = retain(&identity, &conversation, 1_000, Retention::Fair, Profile::Plain)?;
//! assert!(retained.rendered.len() <= 1_000);
//! assert_eq!(retained.facts.retained_messages, 2);
//! let shown = retained.kept[1].shown.as_str().unwrap();
//! let omitted = retained.kept[1].omitted_bytes;
//! assert!(shown.contains(&format!("\n[… omitted {omitted} UTF-8 bytes …]\n")));
//! # Ok::<(), sref_projection::BudgetError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod budget;
mod conversation;
mod cost;
mod exact;
mod fair;
mod notice;
mod retain;
mod share;
mod text;

pub use budget::{Budget, BudgetError};
pub use conversation::{Conversation, Item, project};
pub use retain::{Facts, Identity, Kept, Retained, Retention, retain};
pub use share::share_budget;
pub use text::Text;

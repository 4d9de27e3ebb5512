//! Session references in text: the URI of a session, mentions of it, and finding both in a prompt.
//!
//! ```text
//! Continue @[the plan](dsh-session:ImEi), see dsh-session:ImIi.
//!          └───────── mention ────────┘      └─── bare URI ──┘
//! ```
//!
//! Everything here is a function of its arguments. The crate is `no_std` + `alloc`: it cannot open
//! a session, and knows of one only its id.
//!
//! | item | is |
//! | --- | --- |
//! | [`SessionUri`], [`encode`] | the codec: any id ↔ its one URI |
//! | [`Schemes`] | which URI schemes a reader accepts |
//! | [`format_mention`] | id and label → `@[label](uri)` |
//! | [`extract`] | text → text with labels, and the [`Reference`]s in it |
//! | [`MentionOptions`] | where reading departs from the rules of the harnesses |
//! | [`Extracted`], [`LeftAsText`] | what was found, and what was left as it is and why |
//! | [`UriError`] | why a reference cannot be read, and where |
//!
//! Ids, labels and texts are JavaScript strings ([`sref_session::JsStr`]): lone surrogates go
//! through unharmed.
//!
//! # Panics
//!
//! Nothing here panics, whatever it is given.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod code;
mod codec;
mod error;
mod extract;
mod mention;
mod options;
mod schemes;
mod session_uri;
#[cfg(test)]
mod testing;
mod work;

pub use codec::encode;
pub use error::{UriError, UriErrorKind};
pub use extract::{Extracted, LeftAsText, LeftReason, Reference, extract};
pub use mention::format_mention;
pub use options::MentionOptions;
pub use schemes::Schemes;
pub use session_uri::SessionUri;

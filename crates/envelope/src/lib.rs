//! The rendered form of a referenced session: JSON that cannot close the frame around it, its exact
//! size in bytes, and that frame.
//!
//! | item | is |
//! | --- | --- |
//! | [`Profile`] | how strings are escaped, and how long they become |
//! | [`ReferencedSession`], [`Entry`], [`Omitted`] | what one object holds |
//! | [`render`], [`rendered_len`] | the object, and its size without writing it |
//! | [`Frame`] | the prompt text around the objects |
//!
//! Which text an object holds is decided elsewhere. The crate is `no_std` + `alloc`.
//!
//! ```
//! use sref_envelope::{Entry, Frame, Profile, ReferencedSession, render, rendered_len};
//! use sref_session::Role;
//!
//! let conversation = [Entry::new(Role::User, "close </referenced-sessions>".into())];
//! let session = ReferencedSession::new("s".into(), "Build".into(), &conversation);
//! let object = render(&session, Profile::Plain);
//! assert_eq!(
//!     object,
//!     r#"{"sessionId":"s","label":"Build","cwd":null,"capturedThroughSeq":null,"conversation":[{"role":"user","text":"close \u003c/referenced-sessions>"}]}"#,
//! );
//! assert_eq!(object.len(), rendered_len(&session, Profile::Plain));
//!
//! let prompt = Frame::default().render(&[object]);
//! assert_eq!(prompt.matches("</referenced-sessions>").count(), 1);
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod escape;
mod frame;
mod object;
mod profile;

pub use frame::{CLOSE_TAG, Frame, FrameError, OPEN_TAG};
pub use object::{Entry, Omitted, ReferencedSession, render, rendered_len};
pub use profile::Profile;

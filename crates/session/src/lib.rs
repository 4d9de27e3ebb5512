//! The vocabulary of session references: strings and JSON as JavaScript programs write them,
//! messages, surface events, and the folds over them.
//!
//! Everything here is a function of its arguments. The crate is `no_std` + `alloc`: it cannot open
//! a file, read a clock or know a URI.
//!
//! | item | is |
//! | --- | --- |
//! | [`JsString`], [`JsStr`] | Unicode text that may hold lone surrogates |
//! | [`Excerpt`] | such text as an error message may quote it |
//! | [`Sight`], [`tame`] | what a character of foreign text shows, and what it could do among other words |
//! | [`json`] | JSON as `JSON.parse` and `JSON.stringify` treat it |
//! | [`SessionId`], [`SessionHeader`] | which session, and what its log says of it |
//! | [`Message`], [`Block`], [`Source`] | one message of a conversation |
//! | [`SurfaceEvent`], [`SurfaceSnapshot`] | what a session shows a model now |
//! | [`Loss`], [`Losses`] | what may be missing from it, because its log is damaged |
//! | [`SurfaceFold`], [`TitleFold`] | event log → surface, event log → title |
//! | [`Dialect`], [`CheckpointMarkers`] | what differs between the harnesses |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod dialect;
mod excerpt;
mod fold;
mod header;
pub mod json;
mod losses;
mod message;
mod sight;
mod string;
mod surface;
mod tame;
mod title;

pub use dialect::{CheckpointMarkers, Dialect, Placement};
pub use excerpt::Excerpt;
pub use fold::{FoldError, FoldErrorKind, SurfaceFold};
pub use header::{SessionHeader, SessionId};
pub use losses::{Loss, Losses};
pub use message::{Block, Message, MessageError, Role, Source};
pub use sight::Sight;
pub use string::{JsStr, JsString, Wtf8Error};
pub use surface::{SurfaceEvent, SurfacePayload, SurfaceSnapshot};
pub use tame::tame;
pub use title::{TitleError, TitleFold, TitleSnapshot};

//! How a session reference reaches a coding agent: the hook dialects of the agents, their size caps,
//! readable mentions, receipts and continuations.
//!
//! Everything here is a function of its arguments: JSON in, JSON out. The crate is `no_std` +
//! `alloc`: it opens no file, reads no clock and no environment, and never reads a session itself.
//!
//! A prompt hook is these steps. The caller owns the two in the middle that read sessions.
//!
//! | step | item |
//! | --- | --- |
//! | a prompt that can cite nothing ends here | [`may_mention`] |
//! | the host's event | [`Host::read`] → [`Event`] |
//! | the words that a person typed | [`typed`] → [`Typed`] or [`Skip`] |
//! | mentions that need a listing | [`readable_mentions`], [`Request::needs_ids`] |
//! | *list the sessions* | [`Known`] |
//! | the sessions cited | [`citations`] → [`Citations`] |
//! | *read them*, once | [`Observed`](sref_service::Observed) |
//! | render them under each budget asked for | [`Delivery::overhead`], [`Fitting`] |
//! | the text and the receipt | [`Delivery`] |
//! | the host's output | [`Delivery::answer`], [`Host::reply`] → [`Reply`] |
//!
//! `sref prepare` takes [`readable_mentions`] and [`canonical`] alone.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod citations;
mod event;
mod fit;
mod host;
mod prompt;
mod readable;
mod report;
pub mod setup;
mod unit;
mod well_formed;

pub use citations::{Canonical, Citations, canonical, citations};
pub use event::{Event, EventError, EventErrorKind};
pub use fit::{Fitting, fit};
pub use host::{Answer, Host, Limits, Reply};
pub use prompt::{Skip, Typed, may_mention, schedules, typed};
pub use readable::{Known, Readable, Request, Resolution, readable_mentions, resolve, rewrite};
pub use report::{Attached, Delivery, Failure, Policy, label_line, missing_words, one_line};
pub use unit::{Cap, Unit};
pub use well_formed::well_formed;

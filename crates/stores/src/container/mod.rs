//! Zstandard as session logs use it: a plain row of frames, each of them whole lines
//! (`spec/dsh-store.md` 4.5).
//!
//! [`Frames::scan`] reads the structure alone, [`Unpacked`] the text of the whole frames,
//! [`torn_text`] what can be saved of a frame that was being written, and [`Salvaged`] what can be
//! saved of any bytes; [`ahead()`] lets a thread unpack while another reads. Memory is the decoder's
//! window, at most 128 MiB and only as far as a frame really uses it, however much the frames
//! unpack to.

mod ahead;
mod frames;
mod salvage;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use ahead::{WORTH_A_THREAD, ahead};
pub(crate) use frames::{FrameFault, Frames};
pub(crate) use salvage::{Harm, Salvaged};
pub(crate) use text::{HeaderText, Unpacked, header_text, torn_text};

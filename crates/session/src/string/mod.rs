//! [`JsString`] and [`JsStr`]: text that may hold lone surrogates.

mod borrowed;
mod owned;
pub(crate) mod wtf8;

pub use borrowed::JsStr;
pub use owned::JsString;
pub use wtf8::Wtf8Error;

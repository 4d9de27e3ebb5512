//! Stores of dsh logs from the outside: written by a small writer, read back, broken, raced.

mod consistency;
mod corpus;
mod formats;
mod frames;
mod hostile;
mod live;
mod model;
mod mutations;
mod rows;
mod schemas;
mod support;

//! The `sref` program.
fn main() {}

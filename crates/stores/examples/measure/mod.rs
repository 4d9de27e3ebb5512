//! How a measurement is told.

use std::error::Error;
use std::fs;
use std::time::Duration;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

#[expect(clippy::cast_precision_loss, reason = "for reading")]
pub(crate) fn print(what: &str, size: usize, took: Duration) {
    let rate = size as f64 / took.as_secs_f64() / 1e6;
    println!("{what:9} {took:?}, {rate:.0} MB/s");
}

pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// Tells the most memory that this process has had since [`forget_peak`].
pub(crate) fn peak() -> Outcome<()> {
    println!("VmHWM     {}", status("VmHWM:")?);
    Ok(())
}

/// Counts the most memory from here on, as Linux does when asked; what was freed before may still
/// be counted where the allocator kept it.
pub(crate) fn forget_peak() -> Outcome<()> {
    fs::write("/proc/self/clear_refs", "5")?;
    println!("VmRSS     {} before", status("VmRSS:")?);
    Ok(())
}

fn status(name: &str) -> Outcome<String> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    Ok(line.ok_or("no such line in the status")?.trim().to_owned())
}

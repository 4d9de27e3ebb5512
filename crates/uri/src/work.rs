//! Counts the bytes that searches look at, so that tests can hold them to the linear promise
//! whatever the machine does meanwhile. Outside tests it is nothing.

#[cfg(test)]
std::thread_local! {
    static BYTES: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

/// Says that a search has looked at so many bytes.
#[inline]
pub(crate) fn looked_at(bytes: usize) {
    #[cfg(test)]
    BYTES.set(BYTES.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// How many bytes the searches in `run` look at.
#[cfg(test)]
pub(crate) fn of<T>(run: impl FnOnce() -> T) -> usize {
    let before = BYTES.get();
    run();
    BYTES.get() - before
}

use alloc::vec::Vec;

/// The open containers, one bit each: set for an object.
#[derive(Default)]
pub(super) struct Levels {
    words: Vec<u64>,
    top: u64,
    depth: usize,
}

impl Levels {
    pub(super) fn enter(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.words.push(self.top);
        }
        self.top = (self.top << 1) | u64::from(object);
        self.depth += 1;
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.top >>= 1;
        if self.depth.is_multiple_of(64) {
            self.top = self.words.pop().unwrap_or(0);
        }
    }

    pub(super) fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.top & 1 == 1)
    }
}

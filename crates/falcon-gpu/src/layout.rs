//! Assigns places in the memory of a stream to the arrays of a chunk.

use crate::device::ALIGNMENT;
use std::ops::Range;

/// Arrays that are placed one after the other, each aligned to a cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    len: usize,
}

impl Layout {
    /// Reserves space for `count` elements of `size` bytes, and returns its range.
    pub(crate) fn take(&mut self, count: usize, size: usize) -> Range<usize> {
        let start = self.len;
        let bytes = count.saturating_mul(size);
        self.len =
            start.saturating_add(bytes.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        start..start.saturating_add(bytes)
    }

    /// Number of bytes laid out so far.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_and_apart() {
        let mut layout = Layout::default();
        assert_eq!(layout.take(3, 40), 0..120);
        assert_eq!(layout.take(0, 8), 128..128);
        assert_eq!(layout.take(129, 1), 128..257);
        assert_eq!(layout.len(), 384);
        layout.take(usize::MAX, 2);
        assert!(layout.len() > usize::MAX / 2);
    }
}

//! Where the arrays of a chunk lie in the memory of its lane.

use crate::device::ALIGNMENT;
use std::ops::Range;

/// Arrays one after the other, each on a line of its own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    len: usize,
}

impl Layout {
    /// Room for `count` elements of `size` bytes.
    pub(crate) fn take(&mut self, count: usize, size: usize) -> Range<usize> {
        let start = self.len;
        let bytes = count.saturating_mul(size);
        self.len =
            start.saturating_add(bytes.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        start..start.saturating_add(bytes)
    }

    /// All bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// Writes values one after the other into `bytes`, little-endian: what every
/// host of a CUDA device is.
pub(crate) fn put<const N: usize>(bytes: &mut [u8], values: impl IntoIterator<Item = [u8; N]>) {
    for (place, value) in bytes.as_chunks_mut().0.iter_mut().zip(values) {
        *place = value;
    }
}

/// Writes messages one after the other to `messages` of `out`, and to `offsets`
/// where each begins and the last ends.
pub(crate) fn put_messages<'m>(
    out: &mut [u8],
    messages: &Range<usize>,
    offsets: &Range<usize>,
    list: impl IntoIterator<Item = &'m [u8]>,
) {
    let mut end = 0;
    let mut ends = vec![0u64];
    for message in list {
        let place = messages.start + end;
        out[place..place + message.len()].copy_from_slice(message);
        end += message.len();
        ends.push(end as u64);
    }
    put(
        &mut out[offsets.clone()],
        ends.iter().map(|end| end.to_le_bytes()),
    );
}

/// What a chunk has of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Messages.
    pub(crate) jobs: usize,
    /// Keys, a neighbour's being counted once.
    pub(crate) keys: usize,
    /// Bytes of all messages.
    pub(crate) bytes: usize,
}

impl Size {
    /// With one more job, whose message has `len` bytes and whose key is
    /// `another` than that of the job before.
    fn with(self, len: usize, another: bool) -> Self {
        Self {
            jobs: self.jobs + 1,
            keys: self.keys + usize::from(another || self.jobs == 0),
            bytes: self.bytes.saturating_add(len),
        }
    }
}

/// Most of what a chunk may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Jobs.
    pub(crate) jobs: usize,
    /// Keys.
    pub(crate) keys: usize,
    /// Bytes of its lane.
    pub(crate) memory: usize,
}

/// A part of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Its jobs.
    pub(crate) jobs: Range<usize>,
    /// How much that is.
    pub(crate) size: Size,
}

/// Divides jobs into chunks. Of each job the length of its message is given, and
/// whether its key is another than that of the one before; `need` says the bytes
/// that a chunk takes of its lane. A chunk has one job at least, whatever it
/// needs.
pub(crate) fn chunks(
    jobs: impl ExactSizeIterator<Item = (usize, bool)>,
    limits: Limits,
    need: impl Fn(Size) -> usize,
) -> Vec<Chunk> {
    let all = jobs.len();
    // Chunks of one size: the last one is no straggler.
    let most = limits.jobs.max(1);
    let most = all.div_ceil(all.div_ceil(most).max(1)).max(1);
    let mut chunks = Vec::new();
    let (mut start, mut size) = (0, Size::default());
    for (job, (len, another)) in jobs.enumerate() {
        let with = size.with(len, another);
        let full = with.jobs > most || with.keys > limits.keys || need(with) > limits.memory;
        if full && job > start {
            chunks.push(Chunk {
                jobs: start..job,
                size,
            });
            (start, size) = (job, Size::default().with(len, another));
        } else {
            size = with;
        }
    }
    if start < all {
        chunks.push(Chunk {
            jobs: start..all,
            size,
        });
    }
    chunks
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

    #[test]
    fn chunks_are_all_jobs_in_order_within_the_limits() {
        for all in [0usize, 1, 2, 31, 100, 257] {
            for most in [1, 7, 64, 1000] {
                for keys in [1, 3, 1000] {
                    for memory in [1, 50, 500, usize::MAX] {
                        let job = |job: usize| (job * 31 % 40, job.is_multiple_of(3));
                        let need = |size: Size| 3 * size.jobs + size.bytes + 2 * size.keys;
                        let limits = Limits {
                            jobs: most,
                            keys,
                            memory,
                        };
                        let mut next = 0;
                        for Chunk { jobs, size } in chunks((0..all).map(job), limits, need) {
                            assert_eq!(jobs.start, next);
                            next = jobs.end;
                            assert!((1..=most).contains(&jobs.len()));
                            let inside = jobs.clone().map(job);
                            let expected = inside.fold(Size::default(), |size, (len, another)| {
                                size.with(len, another)
                            });
                            assert_eq!(size, expected);
                            let within = size.keys <= keys && need(size) <= memory;
                            assert!(within || jobs.len() == 1);
                        }
                        assert_eq!(next, all);
                    }
                }
            }
        }
    }

    #[test]
    fn chunks_without_other_limits_have_one_size() {
        let limits = Limits {
            jobs: 64,
            keys: usize::MAX,
            memory: usize::MAX,
        };
        let sizes: Vec<_> = chunks((0..65).map(|_| (0, true)), limits, |_| 0)
            .iter()
            .map(|chunk| chunk.jobs.len())
            .collect();
        assert_eq!(sizes, [33, 32]);
    }
}

//! Divides a batch into chunks and a chunk into blocks. The streams work on the chunks one after
//! the other, and the threads of the host write the blocks.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::ops::Range;

/// The jobs of a batch.
pub(crate) trait Jobs: Sync {
    /// Number of jobs.
    fn count(&self) -> usize;

    /// Message of a job.
    fn message(&self, job: usize) -> &[u8];

    /// Returns true if a job has a different key than the job before it. `job` must not be the
    /// first job.
    fn another(&self, job: usize) -> bool;
}

/// Numbers of jobs, keys and bytes in a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Number of messages.
    pub(crate) jobs: usize,
    /// Number of keys. Neighbouring jobs with the same key count once.
    pub(crate) keys: usize,
    /// Total bytes of all messages, padded.
    pub(crate) bytes: usize,
}

impl Size {
    /// Adds two sizes. A key that occurs in both must be counted in only one of them.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            jobs: self.jobs + other.jobs,
            keys: self.keys + other.keys,
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// Rule for dividing a batch, so that the host, the copies and the kernels work at the same time.
/// With small chunks, the device is idle for a short time only: while the first chunk is staged and
/// the last one is delivered. Large chunks fill the processors better.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    /// Smallest number of jobs of a chunk. A batch of fewer than twice this number is one chunk.
    pub(crate) least: usize,
    /// Number of chunks of a large batch.
    pub(crate) chunks: usize,
    /// Largest number of jobs of a chunk, for each processor of the device. It limits the memory
    /// for very large batches.
    pub(crate) most_of_processor: usize,
}

impl Division {
    /// Returns the largest number of jobs of a chunk, for a batch of `all` jobs.
    pub(crate) fn jobs(self, all: usize, processors: u32) -> usize {
        let chunks = (all / self.least).clamp(1, self.chunks);
        all.div_ceil(chunks)
            .min(self.most_of_processor.saturating_mul(processors as usize))
    }
}

/// Returns the number of bytes that a message of `len` bytes takes. The next message begins at a
/// multiple of 8 bytes.
pub(crate) fn padded_len(len: usize) -> usize {
    len.next_multiple_of(8)
}

/// Upper bound on the padded bytes of `messages` messages with `bytes` bytes in total.
pub(crate) fn max_padded_len(messages: usize, bytes: usize) -> usize {
    bytes.saturating_add(messages.saturating_mul(7))
}

/// Upper limits on a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Number of jobs.
    pub(crate) jobs: usize,
    /// Number of keys.
    pub(crate) keys: usize,
    /// Bytes of the stream's memory.
    pub(crate) memory: usize,
}

impl Limits {
    /// Returns the number of jobs that a chunk of `size`, which needs `need` bytes, may keep. If
    /// the chunk is too large, this is less than its number of jobs, but at least 1. If all jobs
    /// are alike, it is the largest number that fits.
    fn cut(&self, size: Size, need: usize) -> usize {
        let share = |has: usize, most: usize| match has {
            has if has <= most => size.jobs,
            has => (size.jobs as u128 * most as u128 / has as u128) as usize,
        };
        let cut = share(size.keys, self.keys).min(share(need, self.memory));
        cut.min(share(size.jobs, self.jobs)).max(1)
    }
}

/// Neighbouring jobs of a batch that a stream works on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Jobs of the chunk.
    pub(crate) jobs: Range<usize>,
    /// Size of these jobs.
    pub(crate) size: Size,
    /// Blocks of jobs. A thread of the host takes one block at a time.
    pub(crate) blocks: Vec<Block>,
}

/// Divides the jobs of a batch into chunks. `need` returns the number of bytes that a chunk takes
/// in its stream's memory. A chunk has at least one job, even if the job does not fit.
pub(crate) fn chunks(
    batch: &impl Jobs,
    limits: Limits,
    need: impl Fn(Size) -> usize,
) -> Vec<Chunk> {
    let all = batch.count();
    // The jobs are divided evenly, so that the last chunk is not much smaller than the others.
    let most = limits.jobs.max(1);
    let most = all.div_ceil(all.div_ceil(most).max(1)).max(1);
    if let Some(chunks) = alike(batch, most, |size| {
        limits.cut(size, need(size)) == size.jobs
    }) {
        return chunks;
    }
    let mut chunks = Vec::new();
    let (mut start, mut tried) = (0, most);
    while start < all {
        let jobs = start..start + tried.min(all - start);
        let blocks = blocks(batch, jobs.clone());
        let size = total(&blocks);
        let cut = limits.cut(size, need(size));
        if cut < jobs.len() {
            tried = cut;
            continue;
        }
        // If later jobs are smaller, the chunks grow again.
        tried = most.min(2 * jobs.len());
        start = jobs.end;
        chunks.push(Chunk { jobs, size, blocks });
    }
    chunks
}

/// Divides the jobs of a batch into chunks of `most` jobs. Returns `None` if a chunk does not fit.
/// All blocks are measured at once, so that no thread waits at the end of a chunk.
fn alike(batch: &impl Jobs, most: usize, fits: impl Fn(Size) -> bool) -> Option<Vec<Chunk>> {
    let all = batch.count();
    let starts = (0..all).step_by(most);
    let ranges: Vec<_> = starts.map(|start| start..all.min(start + most)).collect();
    let empty: Vec<Block> = ranges.iter().flat_map(starts_of_blocks).collect();
    let measured = empty.into_par_iter().map(|block| block.measured(batch));
    let measured: Vec<_> = measured.collect();
    let mut rest = &measured[..];
    let chunk = |jobs: Range<usize>| {
        let (own, others) = rest.split_at_checked(jobs.len().div_ceil(BLOCK))?;
        rest = others;
        let blocks = summed(own.to_vec());
        let size = total(&blocks);
        fits(size).then_some(Chunk { jobs, size, blocks })
    };
    ranges.into_iter().map(chunk).collect()
}

/// Returns the first job, and each job whose key differs from that of the job before it.
pub(crate) fn firsts_of_keys(batch: &impl Jobs, jobs: Range<usize>) -> Vec<usize> {
    let first = jobs.start;
    let all = jobs.into_par_iter().with_min_len(COMPARED);
    all.filter(|&job| job == first || batch.another(job))
        .collect()
}

/// Number of jobs whose keys one thread compares at a time.
const COMPARED: usize = 4096;

/// Number of jobs of a block. This is enough work to be worth waking a thread.
const BLOCK: usize = 256;

/// Jobs of a chunk that one thread stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Numbers of the block's jobs in the batch.
    pub(crate) jobs: Range<usize>,
    /// Size of all jobs of the chunk that come before the block.
    pub(crate) before: Size,
    /// Size of the block. A key counts in the block with the first of the neighbouring jobs that
    /// have it.
    pub(crate) size: Size,
}

impl Block {
    /// Returns true if `job`, which is in the block, is the chunk's first job or has a different
    /// key than the job before it.
    fn brings_a_key(&self, batch: &impl Jobs, job: usize) -> bool {
        let first = self.before.jobs == 0 && job == self.jobs.start;
        first || batch.another(job)
    }

    /// Returns the jobs of the block that bring a key.
    pub(crate) fn first_of_keys(&self, batch: &impl Jobs) -> impl Iterator<Item = usize> {
        self.jobs
            .clone()
            .filter(|&job| self.brings_a_key(batch, job))
    }

    /// Returns the key number of each job, counted from the first key of the chunk.
    pub(crate) fn keys(&self, batch: &impl Jobs) -> impl Iterator<Item = u32> {
        let mut keys = self.before.keys as u32;
        self.jobs.clone().map(move |job| {
            keys += u32::from(self.brings_a_key(batch, job));
            keys - 1
        })
    }

    fn measured(mut self, batch: &impl Jobs) -> Self {
        for job in self.jobs.clone() {
            self.size = self.size.and(Size {
                jobs: 1,
                keys: usize::from(self.brings_a_key(batch, job)),
                bytes: padded_len(batch.message(job).len()),
            });
        }
        self
    }
}

/// Returns the blocks of a chunk. Their sizes are not measured yet.
fn starts_of_blocks(chunk: &Range<usize>) -> impl Iterator<Item = Block> + use<> {
    let (start, end) = (chunk.start, chunk.end);
    chunk.clone().step_by(BLOCK).map(move |first| Block {
        jobs: first..end.min(first + BLOCK),
        before: Size {
            jobs: first - start,
            ..Size::default()
        },
        size: Size::default(),
    })
}

/// Divides the jobs of a chunk into blocks.
pub(crate) fn blocks(batch: &impl Jobs, chunk: Range<usize>) -> Vec<Block> {
    let blocks: Vec<_> = starts_of_blocks(&chunk).collect();
    let measured = blocks.into_par_iter().map(|block| block.measured(batch));
    summed(measured.collect())
}

/// Fills in the field `before` of the blocks of a chunk.
fn summed(mut blocks: Vec<Block>) -> Vec<Block> {
    let mut before = Size::default();
    for block in &mut blocks {
        block.before = before;
        before = before.and(block.size);
    }
    blocks
}

/// Returns the size of all blocks of a chunk together.
pub(crate) fn total(blocks: &[Block]) -> Size {
    blocks
        .last()
        .map_or_else(Size::default, |last| last.before.and(last.size))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs with messages of differing lengths. The key changes every third job.
    struct Batch(usize);

    impl Jobs for Batch {
        fn count(&self) -> usize {
            self.0
        }

        fn message(&self, job: usize) -> &[u8] {
            &[7; 40][..job * 31 % 40]
        }

        fn another(&self, job: usize) -> bool {
            job.is_multiple_of(3)
        }
    }

    /// Computes the size of these jobs from the batch itself.
    fn size_of(batch: &Batch, jobs: Range<usize>) -> Size {
        Size {
            jobs: jobs.len(),
            keys: 1 + jobs
                .clone()
                .skip(1)
                .filter(|&job| batch.another(job))
                .count(),
            bytes: jobs.map(|job| padded_len(batch.message(job).len())).sum(),
        }
    }

    #[test]
    fn chunks_are_all_jobs_in_order_within_the_limits() {
        let need = |size: Size| 3 * size.jobs + size.bytes + 2 * size.keys;
        for all in [0usize, 1, 2, 31, 100, 257, 1000] {
            for (most, keys) in [(1, 1), (7, 3), (64, 1000), (1000, 3), (1000, 1000)] {
                for memory in [1, 50, 500, usize::MAX] {
                    let batch = Batch(all);
                    let limits = Limits {
                        jobs: most,
                        keys,
                        memory,
                    };
                    let mut next = 0;
                    for Chunk { jobs, size, blocks } in chunks(&batch, limits, need) {
                        assert_eq!(jobs.start, next);
                        next = jobs.end;
                        assert!((1..=most).contains(&jobs.len()));
                        assert_eq!(size, size_of(&batch, jobs.clone()));
                        assert_eq!(size, total(&blocks));
                        let within = size.keys <= keys && need(size) <= memory;
                        assert!(within || jobs.len() == 1);
                    }
                    assert_eq!(next, all);
                }
            }
        }
    }

    #[test]
    fn batches_are_divided_from_twice_the_least_on() {
        // An H100 has 132 multiprocessors.
        let chunks = |division: Division| {
            [1, 4096, 8191, 8192, 16_384, 65_536, 1 << 18, 1 << 20].map(|all: usize| {
                let jobs = division.jobs(all, 132);
                (jobs, all.div_ceil(jobs))
            })
        };
        let signing = [
            (1, 1),
            (4096, 1),
            (8191, 1),
            (4096, 2),
            (4096, 4),
            (8192, 8),
            (16_896, 16),
            (16_896, 63),
        ];
        assert_eq!(chunks(crate::sign::DIVISION), signing);
        let verifying = [
            (1, 1),
            (4096, 1),
            (8191, 1),
            (4096, 2),
            (4096, 4),
            (16_384, 4),
            (33_792, 8),
            (33_792, 32),
        ];
        assert_eq!(chunks(crate::verify::DIVISION), verifying);
    }

    #[test]
    fn keys_are_found_where_they_change() {
        let batch = Batch(10_000);
        for jobs in [0..1, 1..4, 4095..9000, 5..10_000] {
            let first = jobs.start;
            let changes = |job: &usize| *job == first || batch.another(*job);
            let expected: Vec<_> = jobs.clone().filter(changes).collect();
            assert_eq!(firsts_of_keys(&batch, jobs), expected);
        }
    }

    /// Compares chunks that are measured at once with chunks that are measured one after the other.
    #[test]
    fn chunks_that_are_alike_are_measured_at_once() {
        let batch = Batch(5000);
        for most in [1, 255, 256, 257, 1700, 5000, 6000] {
            let chunks = alike(&batch, most, |_| true).expect("all fit");
            for (chunk, start) in chunks.iter().zip((0..).step_by(most)) {
                assert_eq!(chunk.jobs, start..(start + most).min(5000));
                assert_eq!(chunk.blocks, blocks(&batch, chunk.jobs.clone()));
                assert_eq!(chunk.size, size_of(&batch, chunk.jobs.clone()));
            }
            assert_eq!(chunks.len(), 5000_usize.div_ceil(most));
            let last = chunks.last().map(|chunk| chunk.size);
            assert_eq!(alike(&batch, most, |size| Some(size) != last), None);
        }
    }

    #[test]
    fn chunks_without_other_limits_have_one_size() {
        let limits = Limits {
            jobs: 64,
            keys: usize::MAX,
            memory: usize::MAX,
        };
        let sizes: Vec<_> = chunks(&Batch(65), limits, |_| 0)
            .iter()
            .map(|chunk| chunk.jobs.len())
            .collect();
        assert_eq!(sizes, [33, 32]);
    }

    #[test]
    fn chunks_fill_the_memory() {
        let need = |size: Size| 100 * size.jobs + size.bytes;
        let limits = Limits {
            jobs: 1000,
            keys: usize::MAX,
            memory: 10_000,
        };
        let chunks = chunks(&Batch(1000), limits, need);
        // Checks all chunks except the last one, which may be smaller.
        for chunk in &chunks[..chunks.len() - 1] {
            assert!((8_000..=10_000).contains(&need(chunk.size)), "{chunk:?}");
        }
    }
}

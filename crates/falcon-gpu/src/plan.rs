//! Plan for signing a batch, and the places of the arrays of a chunk.

use crate::division::Size;
use crate::kernels::{Kernel, KeyMode, Operation, SIGNING_LANES, logn_of};
use crate::keys::HASH_LEN;
use crate::layout::Layout;
use crate::options::Options;
use crate::state::MOST_JOBS;
use falcon_core::hazmat::Fit;
use falcon_core::{NONCE_LEN, Parameters, SEED_LEN};
use std::ops::Range;

/// Length of the seed of an attempt in bytes.
pub(crate) const ATTEMPT_SEED: usize = 56;
/// Length of a row of the sampler's bytes, in bytes.
const ROW: usize = 512;
/// Length of the records of a row in bytes.
const ROW_RECORDS: usize = 2 * 46;
/// Number of signatures that a warp signs at once.
const SIGNED_TOGETHER: usize = 32 / SIGNING_LANES as usize;
/// Largest number of rows of a signature that are computed ahead.
const MOST_ROWS: u32 = 1024;
// `prng` numbers the eight blocks of every row of a chunk with 32 bits.
const _: () = assert!(8 * MOST_ROWS as u64 * MOST_JOBS as u64 <= 1 << 32);
/// Plan for signing a chunk, with the places of its arrays. The arrays that are copied to the
/// device come first, and then those that are copied from it.
pub(crate) struct Plan {
    pub(crate) mode: KeyMode,
    pub(crate) prng_rows: u32,
    pub(crate) seed: Range<usize>,
    pub(crate) messages: Range<usize>,
    pub(crate) offsets: Range<usize>,
    pub(crate) key_of_job: Range<usize>,
    pub(crate) bases: Range<usize>,
    pub(crate) hashes: Range<usize>,
    pub(crate) nonces: Range<usize>,
    pub(crate) status: Range<usize>,
    /// End of the data that is copied to the device before the first attempt.
    pub(crate) sent: usize,
    /// Seeds. They are copied to the device if the caller gives them.
    pub(crate) seeds: Range<usize>,
    pub(crate) s2: Range<usize>,
    /// Number of jobs to be tried again, and number of jobs that are done.
    pub(crate) counts: Range<usize>,
    /// Two lists of jobs: one is read while the other is written.
    pub(crate) lists: [Range<usize>; 2],
    pub(crate) rows: Range<usize>,
    pub(crate) records: Range<usize>,
    pub(crate) points: Range<usize>,
    pub(crate) scratch: Range<usize>,
    pub(crate) len: usize,
}

/// Settings that all plans of a batch share.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) logn: u32,
    pub(crate) mode: KeyMode,
    pub(crate) prng_rows: u32,
    pub(crate) signature_limit: usize,
}

impl Way {
    pub(crate) fn new<P: Parameters>(fit: Fit, options: &Options) -> Self {
        let signature_limit = match fit {
            Fit::Padded => P::PADDED_LEN,
            Fit::Any => P::COMPRESSED_MAX_LEN,
        };
        Self {
            logn: logn_of::<P>(),
            mode: options.key_mode,
            // These rows suffice for nearly every signature: 44 rows for degree 512, 86 for degree
            // 1024.
            prng_rows: options
                .prng_rows
                .map_or(2 + (42 << P::LOGN >> 9), |rows| rows.clamp(4, MOST_ROWS)),
            signature_limit,
        }
    }

    pub(crate) fn kernel(&self, operation: Operation) -> Kernel {
        Kernel {
            operation,
            logn: self.logn,
        }
    }

    pub(crate) fn plan(&self, size: Size) -> Plan {
        let n = 1usize << self.logn;
        let jobs = size.jobs;
        let own = if self.mode.keeps_keys() { 0 } else { size.keys };
        let mut layout = Layout::default();
        let seed = layout.take(1, SEED_LEN);
        let messages = layout.take(size.bytes, 1);
        let offsets = layout.take(jobs + 1, 8);
        let key_of_job = layout.take(jobs, 4);
        let bases = layout.take(own, 4 * n);
        let hashes = layout.take(own, HASH_LEN);
        let nonces = layout.take(jobs, NONCE_LEN);
        let status = layout.take(jobs, 1);
        let sent = layout.len();
        let seeds = layout.take(jobs, ATTEMPT_SEED);
        let s2 = layout.take(jobs, 2 * n);
        let counts = layout.take(2, 4);
        let lists = [layout.take(jobs, 4), layout.take(jobs, 4)];
        let rows = layout.take(jobs, self.prng_rows as usize * ROW);
        let records = layout.take(jobs, self.prng_rows as usize * ROW_RECORDS);
        let points = layout.take(jobs, 2 * n);
        let sign = self.kernel(Operation::Sign(self.mode));
        let scratch = layout.take(
            jobs.next_multiple_of(SIGNED_TOGETHER),
            8 * sign.scratch_reals(),
        );
        Plan {
            mode: self.mode,
            prng_rows: self.prng_rows,
            seed,
            messages,
            offsets,
            key_of_job,
            bases,
            hashes,
            nonces,
            status,
            sent,
            seeds,
            s2,
            counts,
            lists,
            rows,
            records,
            points,
            scratch,
            len: layout.len(),
        }
    }

    /// Returns the bytes of device memory that a chunk needs.
    pub(crate) fn need(&self, size: Size) -> usize {
        self.plan(size).len
    }
}

impl Plan {
    /// Returns the bytes of locked memory for copies to the device. Seeds count only if the caller
    /// gives them.
    pub(crate) fn upload(&self, seeds_given: bool) -> usize {
        if seeds_given {
            self.seeds.end
        } else {
            self.sent
        }
    }

    /// Returns the bytes of locked memory for copies from the device: nonces, `s2`, counts, and the
    /// list of jobs to try again.
    pub(crate) fn download(&self) -> usize {
        self.nonces.len() + self.s2.len() + self.counts.len() + self.lists[0].len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_core::{Falcon512, Falcon1024};

    /// Checks that the scratch memory ends with the last real of the last warp, even if some slots
    /// of this warp have no job. `kernels/batch.h` defines the place of real `i` of slot `s`.
    fn scratch_has_whole_warps<P: Parameters>(mode: KeyMode, reals: usize) {
        let options = Options {
            key_mode: mode,
            ..Options::default()
        };
        let way = Way::new::<P>(Fit::Padded, &options);
        for jobs in [1, 31, 32, 33, 100, 4096] {
            let plan = way.plan(Size {
                jobs,
                keys: 1,
                bytes: 0,
            });
            let warp = (jobs - 1) / 4 * 4..(jobs - 1) / 4 * 4 + 4;
            let last = reals - 1;
            let place =
                |slot: usize| slot / 4 * 4 * reals + last / 8 * 32 + slot % 4 * 8 + last % 8;
            let most = warp.map(place).max().unwrap_or(0);
            assert_eq!(plan.scratch.len(), 8 * (most + 1));
            assert!(plan.scratch.end <= plan.len);
            assert_eq!(plan.scratch.start % crate::device::ALIGNMENT, 0);
        }
    }

    #[test]
    fn scratch_has_the_reals_of_whole_warps() {
        scratch_has_whole_warps::<Falcon512>(KeyMode::Expanded, 3 << 9);
        scratch_has_whole_warps::<Falcon512>(KeyMode::Transient, (17 << 8) - 256);
        scratch_has_whole_warps::<Falcon1024>(KeyMode::Balanced, (17 << 9) - 256);
    }

    #[test]
    fn rows_are_no_more_than_kernels_number() {
        for (asked, rows) in [(0, 4), (7, 7), (1024, 1024), (1025, 1024), (u32::MAX, 1024)] {
            let options = Options {
                prng_rows: Some(asked),
                ..Options::default()
            };
            let way = Way::new::<Falcon512>(Fit::Padded, &options);
            assert_eq!(way.prng_rows, rows);
        }
    }
}

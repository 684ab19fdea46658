//! Many signatures side by side, one in each lane.

use super::Verdict;
use super::jobs::{EncodedVerification, Verification};
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::fft::Fft;
use crate::hash::{self, Message, PointFiller, RATE_WORDS, hash_side_by_side};
use crate::lanes::{Isa, Soft, wipe_below};
use crate::norm::Accumulator;
use crate::ntt::PortableNtt;
use crate::params::{MAX_LOGN, NONCE_LEN};
use crate::ring;
use crate::sampler::{Sampling, SigningIsa};
use crate::scratch::{Aligned, WorkingMemory};
use crate::signing::{self, ExpandedRef};
use alloc::vec;
use alloc::vec::Vec;
use zeroize::Zeroizing;

/// A CPU engine made of two tokens. `F` computes the polynomials of `F::LANES` signatures; `B` has
/// the arithmetic of one signature.
#[derive(Clone, Copy, Debug)]
pub struct LaneEngine<B, F> {
    /// Arithmetic of one lane: sampler and key expansion.
    pub arith: B,
    /// Polynomial arithmetic of all lanes.
    pub fft: F,
}

/// The jobs of one key, for [`LaneEngine::sign_group`]. Each signature scheme implements this trait
/// to provide the random bytes and the point of an attempt, and to decide which attempts are
/// signatures.
pub(crate) trait Attempts<S: Sampling> {
    /// A job in a lane.
    type Job;

    /// Returns the next job, or `None` if no job is left.
    fn next_job(&mut self) -> Option<Self::Job>;

    /// Starts the next attempt of every job: prepares the feed of each job, and the point of each
    /// job if it changes.
    fn start(&mut self, sampling: S, jobs: &mut [Self::Job], feeds: &mut [S::Feed]);

    /// Returns the point of the attempt that was started last, `n` coefficients.
    fn point(job: &Self::Job) -> &[u16];

    /// Judges an attempt. `vector` is the squared norm and `s2` of its result, or an error if the
    /// sampler gave up. Returns true if the lane is free for another job.
    fn finish(&mut self, job: &Self::Job, vector: Result<(u64, &[i16]), FaultError>) -> bool;
}

/// The steps of a verification that differ between round 3 and FN-DSA.
pub(crate) trait Scheme: Copy {
    /// Reads encoded signatures. Returns their nonces, and writes their `s2`, one polynomial after
    /// the other.
    fn read(
        self,
        isa: impl Isa,
        logn: u32,
        encoded: &[&[u8]],
        s2s: &mut [i16],
    ) -> Vec<Result<[u8; NONCE_LEN], DecodeError>>;

    /// Reads the next block of the stream into `point`. Returns true if the point needs another
    /// block.
    fn take(self, isa: impl Isa, point: &mut PointFiller<'_>, block: &[u64; RATE_WORDS]) -> bool;

    /// Returns true if the `s1` of a short vector is acceptable.
    fn accepts(self, s1: &[i16]) -> bool;
}

/// Returns the largest number of jobs for which signing one at a time is as fast as signing side by
/// side.
const fn most_alone(lanes: usize) -> usize {
    if lanes < 16 { 2 } else { 3 }
}

/// Number of jobs that are hashed with one call.
pub(super) const TOGETHER: usize = 32;

/// Reads the next block of the stream into a point.
pub(crate) fn take_block(
    scheme: impl Scheme,
    isa: impl Isa,
) -> impl Fn(&mut PointFiller<'_>, &[u64; 25]) -> bool {
    #[inline(always)]
    move |point, state| {
        let block = state.first_chunk();
        block.is_some_and(|block| scheme.take(isa, point, block))
    }
}

impl LaneEngine<Soft, Soft> {
    /// The engine that computes if the binary64 unit does not round to nearest.
    #[allow(dead_code, reason = "used in builds without an instruction set")]
    pub(crate) const SOFT: Self = Self {
        arith: Soft,
        fft: Soft,
    };
}

impl<B: SigningIsa, F: Fft> LaneEngine<B, F> {
    /// Signs `count` jobs of one key.
    pub(crate) fn sign_group<S: Sampling>(
        &self,
        logn: u32,
        key: ExpandedRef<'_>,
        sampling: S,
        count: usize,
        attempts: &mut impl Attempts<S>,
    ) {
        let few = count % F::LANES;
        let few = if few <= most_alone(F::LANES) { few } else { 0 };
        self.sign_on_lanes(logn, key, sampling, count - few, attempts);
        let alone = LaneEngine {
            arith: self.arith,
            fft: self.arith,
        };
        alone.sign_on_lanes(logn, key, sampling, few, attempts);
        // Signing spills numbers of the key to the stack.
        wipe_below::<2048>();
    }

    /// Signs the next `count` jobs. A lane tries its job with fresh random bytes until the job
    /// succeeds or fails for good. Then the lane takes the next job.
    ///
    /// Not inlined, so that [`sign_group`](Self::sign_group) can wipe its frame.
    #[inline(never)]
    fn sign_on_lanes<S: Sampling, A: Attempts<S>>(
        &self,
        logn: u32,
        key: ExpandedRef<'_>,
        sampling: S,
        count: usize,
        attempts: &mut A,
    ) {
        if count == 0 {
            return;
        }
        let scratch_len = signing::stored_scratch_len(logn);
        let mut scratch = Zeroizing::new(WorkingMemory::<F::Real>::new(scratch_len));
        let mut s2 = Zeroizing::new(WorkingMemory::new(F::LANES << logn));
        let mut norms = Zeroizing::new(WorkingMemory::<Accumulator>::new(F::LANES));
        let mut waiting = count;
        let mut in_lanes: Vec<A::Job> = Vec::with_capacity(F::LANES);
        let mut feeds: Vec<S::Feed> = Vec::with_capacity(F::LANES);
        feeds.resize_with(F::LANES, || S::EMPTY);
        loop {
            while in_lanes.len() < F::LANES && waiting > 0 {
                waiting -= 1;
                in_lanes.extend(attempts.next_job());
            }
            if in_lanes.is_empty() {
                return;
            }
            // Lanes without a job do not sample. Their random bytes would be public, so their
            // number of attempts would depend on the key alone.
            let (drawing, _) = feeds.split_at_mut(in_lanes.len());
            attempts.start(sampling, &mut in_lanes, drawing);
            // Idle lanes never get the point of a job: two short preimages of one point reveal the
            // key.
            let idle = &[0; 1 << MAX_LOGN][..1 << logn];
            let points: Vec<&[u16]> = (0..F::LANES)
                .map(|i| in_lanes.get(i).map_or(idle, A::point))
                .collect();
            let v = signing::attempt_stored(
                self.arith,
                self.fft,
                sampling,
                logn,
                key,
                &points,
                drawing,
                &mut scratch[..],
            );
            let points = &points[..in_lanes.len()];
            norms.fill(Accumulator::default());
            signing::short_vectors(self.arith, self.fft, points, v, &mut s2, &mut norms);

            let vectors = s2.chunks_exact(1 << logn).zip(norms.iter());
            let mut vectors = vectors.zip(&feeds);
            in_lanes.retain(|job| {
                // `vectors` and `feeds` have one element for each lane.
                let Some(((s2, norm), feed)) = vectors.next() else {
                    return true;
                };
                let vector = if S::gave_up(feed) {
                    Err(FaultError)
                } else {
                    Ok((norm.finish(), s2))
                };
                !attempts.finish(job, vector)
            });
        }
    }

    /// Verifies as [`verify_jobs`](super::jobs::BatchOperations::verify_jobs) does, for `scheme`.
    pub(crate) fn verify_jobs_of(
        &self,
        scheme: impl Scheme,
        logn: u32,
        jobs: &[Verification<'_>],
        out: &mut [Result<(), SignatureError>],
    ) {
        let mut points = vec![0; TOGETHER.min(jobs.len()) << logn];
        for (jobs, out) in jobs.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            let out = out.iter_mut();
            verify_together(scheme, self.arith, logn, jobs, &mut points, out, |_| ());
        }
    }

    /// Decodes and verifies as [`verify_encoded`](super::jobs::BatchOperations::verify_encoded)
    /// does, for `scheme`.
    pub(crate) fn verify_encoded_of(
        &self,
        scheme: impl Scheme,
        logn: u32,
        jobs: &[EncodedVerification<'_>],
        out: &mut [Verdict],
    ) {
        let isa = self.arith;
        let together = TOGETHER.min(jobs.len());
        let mut points = vec![0; together << logn];
        let mut s2s = vec![0; together << logn];
        // The decoder reads signatures side by side. The processor cannot prefetch all these
        // streams by itself. So each group is loaded into the cache while the previous group is
        // verified.
        for job in &jobs[..together] {
            isa.prefetch(job.signature);
        }
        let later = jobs.chunks(TOGETHER).skip(1).chain([&[][..]]);
        let groups = jobs.chunks(TOGETHER).zip(later);
        for ((jobs, later), out) in groups.zip(out.chunks_mut(TOGETHER)) {
            let encoded: Vec<_> = jobs.iter().map(|job| job.signature).collect();
            let nonces = scheme.read(isa, logn, &encoded, &mut s2s);
            out.fill(Verdict::Malformed);
            let well_formed: Vec<_> = jobs
                .iter()
                .zip(s2s.chunks_exact(1 << logn))
                .zip(&nonces)
                .filter_map(|((job, s2), nonce)| {
                    Some(Verification {
                        prepared: job.prepared,
                        message: job.message,
                        nonce: nonce.as_ref().ok()?,
                        s2,
                    })
                })
                .collect();
            let out = out.iter_mut().zip(&nonces);
            let out = out.filter(|(_, nonce)| nonce.is_ok()).map(|(out, _)| out);
            verify_together(scheme, isa, logn, &well_formed, &mut points, out, |job| {
                isa.prefetch(jobs[job].ahead);
                if let Some(job) = later.get(job) {
                    isa.prefetch(job.signature);
                }
            });
        }
    }
}

/// Smallest number of messages that are hashed side by side. One or two messages are hashed faster
/// one at a time.
pub(crate) const FEWEST_HASHED_TOGETHER: usize = 3;

/// Verifies `jobs`, and hashes their messages side by side unless there are too few. `points` has
/// room for at least one point per job. Calls `prefetch` with the number of each job before its
/// arithmetic, which leaves the memory mostly idle.
fn verify_together<'o, V: From<Verdict> + 'o>(
    scheme: impl Scheme,
    isa: impl Isa,
    logn: u32,
    jobs: &[Verification<'_>],
    points: &mut [u16],
    out: impl Iterator<Item = &'o mut V>,
    prefetch: impl Fn(usize),
) {
    let n = 1 << logn;
    let hashed = jobs.iter().zip(points.chunks_exact_mut(n));
    if jobs.len() < FEWEST_HASHED_TOGETHER {
        for (job, point) in hashed {
            let mut hash = hash::shake256();
            hash.update(job.nonce).update(job.message);
            let mut blocks = hash.finalize_blocks();
            let mut point = PointFiller::new(point);
            while scheme.take(isa, &mut point, blocks.next_block(isa)) {}
        }
    } else {
        let messages = hashed.map(|(job, point)| Message {
            pieces: [&job.nonce[..], job.message],
            output: PointFiller::new(point),
        });
        hash_side_by_side(isa, messages, take_block(scheme, isa));
    }
    let ntt = PortableNtt(isa);
    let mut product = Aligned([0; 1 << MAX_LOGN]);
    let product = &mut product.0[..n];
    let hashed = jobs.iter().zip(points.chunks_exact_mut(n)).zip(out);
    for (number, ((job, point), out)) in hashed.enumerate() {
        prefetch(number);
        if let Some(next) = jobs.get(number + 1)
            && !core::ptr::eq(next.prepared, job.prepared)
        {
            isa.prefetch(next.prepared);
        }
        ring::multiply(&ntt, logn, job.s2, job.prepared, product);
        let is_short = ring::is_preimage(isa, logn, point, job.s2, product);
        let verdict = if is_short && scheme.accepts(product) {
            Verdict::Valid
        } else {
            Verdict::Invalid
        };
        *out = verdict.into();
    }
}

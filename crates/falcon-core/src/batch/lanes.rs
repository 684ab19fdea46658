//! Many signatures side by side, one in each lane.

use super::Verdict;
use super::jobs::{BatchOperations, Deliver, EncodedVerification, Job, Verification};
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::fft::Fft;
use crate::hash::{
    self, Message, PointFiller, RATE_WORDS, Shake256Reader, Start, hash_side_by_side,
    hash_side_by_side_from,
};
use crate::hedge::{NonceSource, point_digest};
use crate::lanes::{Isa, Soft, wipe_below};
use crate::norm::Accumulator;
use crate::ntt::PortableNtt;
use crate::operations::Operations;
use crate::params::{MAX_LOGN, NONCE_LEN};
use crate::prng;
use crate::reveal::reveal;
use crate::ring;
use crate::sampler::{Sampling, SigningIsa};
use crate::scratch::{Aligned, WorkingMemory};
use crate::signatures::read_side_by_side;
use crate::signing::{self, ExpandedRef, Fit, KeySource, MAX_ATTEMPTS};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
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

/// Falcon of round 3.
#[derive(Clone, Copy)]
struct RoundThree;

impl Scheme for RoundThree {
    fn read(
        self,
        isa: impl Isa,
        logn: u32,
        encoded: &[&[u8]],
        s2s: &mut [i16],
    ) -> Vec<Result<[u8; NONCE_LEN], DecodeError>> {
        read_side_by_side(isa, logn, encoded, s2s)
    }

    #[inline(always)]
    fn take(self, isa: impl Isa, point: &mut PointFiller<'_>, block: &[u64; RATE_WORDS]) -> bool {
        point.take(isa, block)
    }

    #[inline(always)]
    fn accepts(self, _: &[i16]) -> bool {
        true
    }
}

/// A job of round 3 with its hashes. The hashes stay the same in all attempts.
struct HashedJob {
    job: usize,
    nonce: [u8; NONCE_LEN],
    point: Box<[u16]>,
    /// Stream from which the seeds of the attempts are read. It stays in a box, so that moving a
    /// `HashedJob` leaves no copy of the stream behind.
    stream: Option<Box<Shake256Reader>>,
    /// Number of attempts started so far.
    attempts: u32,
}

/// Returns the largest number of jobs for which signing one at a time is as fast as signing side by
/// side.
const fn most_alone(lanes: usize) -> usize {
    if lanes < 16 { 2 } else { 3 }
}

/// Number of jobs that are hashed with one call.
const TOGETHER: usize = 32;

/// Hashes `jobs` and adds the results to `hashed`. The first job has number `first`. `start` is the
/// hash function for messages.
fn hash_jobs(
    isa: impl Isa,
    logn: u32,
    start: &Start,
    first: usize,
    jobs: &[Job<'_>],
    hashed: &mut VecDeque<HashedJob>,
) {
    let n = 1 << logn;
    let before = hashed.len();
    hashed.extend(jobs.iter().enumerate().map(|(i, job)| HashedJob {
        job: first + i,
        nonce: match job.randomness.nonce_source() {
            NonceSource::Given(nonce) => *nonce,
            NonceSource::Hash(_) => [0; NONCE_LEN],
        },
        point: vec![0; n].into_boxed_slice(),
        stream: None,
        attempts: 0,
    }));
    let with_hashes = jobs.iter().zip(hashed.range_mut(before..));
    let messages = with_hashes.filter_map(|(job, hashed)| match job.randomness.nonce_source() {
        NonceSource::Given(_) => None,
        NonceSource::Hash(pieces) => Some(Message {
            pieces,
            output: &mut hashed.nonce,
        }),
    });
    hash_side_by_side(isa, messages, |nonce, state| {
        hash::read_words(state, &mut nonce[..]);
        // The nonce is published with the signature.
        **nonce = reveal(**nonce);
        false
    });

    let with_hashes = jobs.iter().zip(hashed.range_mut(before..));
    let messages = with_hashes.map(|(job, hashed)| Message {
        pieces: [&hashed.nonce[..], job.message],
        output: PointFiller::new(&mut hashed.point),
    });
    hash_side_by_side_from(isa, start, messages, take_block(RoundThree, isa));

    let digests: Vec<_> = hashed
        .range(before..)
        .map(|hashed| point_digest(&hashed.point))
        .collect();
    let with_hashes = jobs.iter().zip(hashed.range_mut(before..));
    let messages = with_hashes
        .zip(&digests)
        .map(|((job, hashed), digest)| Message {
            pieces: job.randomness.stream_pieces(digest),
            output: &mut hashed.stream,
        });
    hash_side_by_side(isa, messages, |stream, state| {
        let stream = stream.insert(Box::new(hash::empty_reader()));
        stream.resume(state);
        false
    });
}

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

/// Jobs of round 3. They are hashed, [`TOGETHER`] at a time, when a lane needs another job.
struct HashedJobs<'a, 'd, I, A> {
    isa: I,
    logn: u32,
    /// The hash function for messages.
    start: &'a Start,
    /// Number of the first job of `waiting`.
    first: usize,
    /// The jobs that are not hashed yet.
    waiting: &'a [Job<'a>],
    hashed: VecDeque<HashedJob>,
    /// Returns false to refuse a short vector, which is then treated like a long one.
    accept: A,
    deliver: Deliver<'d>,
}

impl<I: Isa, A: Fn(&[i16]) -> bool, S> Attempts<S> for HashedJobs<'_, '_, I, A>
where
    S: Sampling<Seed = [u8; prng::SAMPLER_SEED_LEN]>,
{
    type Job = HashedJob;

    fn next_job(&mut self) -> Option<HashedJob> {
        if self.hashed.is_empty() {
            let (jobs, later) = self.waiting.split_at(self.waiting.len().min(TOGETHER));
            hash_jobs(
                self.isa,
                self.logn,
                self.start,
                self.first,
                jobs,
                &mut self.hashed,
            );
            self.waiting = later;
            self.first += jobs.len();
        }
        self.hashed.pop_front()
    }

    fn start(&mut self, sampling: S, jobs: &mut [HashedJob], feeds: &mut [S::Feed]) {
        for (job, feed) in jobs.iter_mut().zip(feeds) {
            job.attempts += 1;
            if let Some(stream) = job.stream.as_deref_mut() {
                // The stream of seeds never ends, so this cannot fail.
                _ = signing::start_next(sampling, feed, |seed| {
                    stream.read(&mut **seed);
                    Some(())
                });
            }
        }
    }

    fn point(job: &HashedJob) -> &[u16] {
        &job.point
    }

    fn finish(&mut self, job: &HashedJob, vector: Result<(u64, &[i16]), FaultError>) -> bool {
        if let Ok((norm, s2)) = vector
            && signing::is_signature(self.logn, norm, s2, &self.accept)
        {
            (self.deliver)(job.job, Ok((&job.nonce, s2)));
            return true;
        }
        let over = vector.is_err() || job.attempts >= MAX_ATTEMPTS;
        if over {
            (self.deliver)(job.job, Err(FaultError));
        }
        over
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
    /// Signs `jobs`. `start` is the hash function for messages. If `accept` refuses a short vector,
    /// the job is tried again, as after a long vector.
    pub(super) fn sign_accepted(
        &self,
        logn: u32,
        start: &Start,
        jobs: &[Job<'_>],
        accept: impl Fn(&[i16]) -> bool + Copy,
        deliver: Deliver<'_>,
    ) {
        let mut first = 0;
        for group in jobs.chunk_by(|a, b| a.key.is_same(&b.key)) {
            match (&group[0].key, group) {
                // A single job is hashed faster alone. An engine with one lane gains nothing from
                // this, and may be a simulator, which must sign the job itself.
                (KeySource::Stored(_), [job]) if F::LANES > 1 => {
                    self.sign_one(logn, start, first, job, accept, deliver);
                }
                (KeySource::Stored(key), _) => {
                    self.sign_jobs_of(logn, start, *key, first, group, accept, deliver);
                }
                // Expanding the key for one job would take longer than it saves.
                (KeySource::Computed(_), [job]) => {
                    self.sign_one(logn, start, first, job, accept, deliver)
                }
                (KeySource::Computed(key), _) => {
                    let mut reals = Zeroizing::new(WorkingMemory::new(signing::expanded_len(logn)));
                    let mut scratch = Zeroizing::new(WorkingMemory::new(4 << logn));
                    let profile = signing::profile(logn);
                    signing::expand(self.arith, logn, *key, profile, &mut reals, &mut scratch);
                    let key = ExpandedRef::new(logn, &reals);
                    self.sign_jobs_of(logn, start, key, first, group, accept, deliver);
                }
            }
            first += group.len();
        }
    }

    /// Signs job number `number` alone.
    fn sign_one(
        &self,
        logn: u32,
        start: &Start,
        number: usize,
        job: &Job<'_>,
        accept: impl Fn(&[i16]) -> bool,
        deliver: Deliver<'_>,
    ) {
        let nonce = job.randomness.nonce();
        let mut point = vec![0; 1 << logn];
        let mut hash = hash::from_start(start);
        hash.update(&nonce).update(job.message);
        self.arith.fill_point(&mut hash, &mut point);
        let mut s2 = Zeroizing::new(WorkingMemory::new(1 << logn));
        let mut scratch = Zeroizing::new(WorkingMemory::new(job.key.scratch_len(logn)));
        let (b, key) = (self.arith, &job.key);
        let found = signing::short_preimage(
            b,
            logn,
            key,
            &point,
            &mut { job.randomness },
            accept,
            &mut scratch,
            &mut s2,
        );
        deliver(number, found.map(|()| (&nonce, &s2[..])));
    }

    /// Signs jobs of one key. The first job has number `first`.
    fn sign_jobs_of(
        &self,
        logn: u32,
        start: &Start,
        key: ExpandedRef<'_>,
        first: usize,
        jobs: &[Job<'_>],
        accept: impl Fn(&[i16]) -> bool + Copy,
        deliver: Deliver<'_>,
    ) {
        let mut attempts = HashedJobs {
            isa: self.arith,
            logn,
            start,
            first,
            waiting: jobs,
            hashed: VecDeque::new(),
            accept,
            deliver,
        };
        self.sign_group(logn, key, self.arith.sampling(), jobs.len(), &mut attempts);
    }

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
}

impl<B: SigningIsa, F: Fft> BatchOperations for LaneEngine<B, F> {
    fn sign_jobs(
        &self,
        logn: u32,
        start: &Start,
        jobs: &[Job<'_>],
        fit: Fit,
        deliver: Deliver<'_>,
    ) {
        let accept = |s2: &[i16]| fit.accepts(logn, s2);
        to_nearest!(self.arith, engine: self, &LaneEngine::SOFT => {
            engine.sign_accepted(logn, start, jobs, accept, deliver);
        });
    }

    fn verify_jobs(
        &self,
        logn: u32,
        jobs: &[Verification<'_>],
        out: &mut [Result<(), SignatureError>],
    ) {
        self.verify_jobs_of(RoundThree, logn, jobs, out);
    }

    fn verify_encoded(&self, logn: u32, jobs: &[EncodedVerification<'_>], out: &mut [Verdict]) {
        self.verify_encoded_of(RoundThree, logn, jobs, out);
    }
}

impl<B: SigningIsa, F: Fft> LaneEngine<B, F> {
    /// Verifies as [`verify_jobs`](BatchOperations::verify_jobs) does, for `scheme`.
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

    /// Decodes and verifies as [`verify_encoded`](BatchOperations::verify_encoded) does, for
    /// `scheme`.
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

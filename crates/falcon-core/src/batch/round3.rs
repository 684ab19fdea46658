//! Signing and verification of round 3 on the lanes of an engine.

use super::Verdict;
use super::jobs::{BatchOperations, Deliver, EncodedVerification, Job, Verification};
use super::lanes::{Attempts, LaneEngine, Scheme, TOGETHER, take_block};
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::fft::Fft;
use crate::hash::{
    self, Message, PointFiller, RATE_WORDS, Shake256Reader, Start, hash_side_by_side,
    hash_side_by_side_from,
};
use crate::hedge::{NonceSource, point_digest};
use crate::lanes::Isa;
use crate::operations::Operations;
use crate::params::NONCE_LEN;
use crate::prng;
use crate::reveal::reveal;
use crate::sampler::{Sampling, SigningIsa};
use crate::scratch::WorkingMemory;
use crate::signatures::read_side_by_side;
use crate::signing::{self, ExpandedRef, Fit, KeySource, MAX_ATTEMPTS};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use zeroize::Zeroizing;

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

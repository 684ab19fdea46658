//! The batch seam: many signatures with one call, on any engine.
//!
//! Job `i` of `sign_batch(seed, ..)` takes its nonce and its sampler seed from
//! the fresh `seed`, from `i`, from the secret key and from its message (see
//! `hedge.rs`), so no randomness is used twice and every engine
//! gives the same bytes.

use crate::error::SignatureError;
use crate::expand::ExpandedKey;
use crate::fft::Fft;
use crate::hash::{Message, PointFiller, Shake256Reader, hash_side_by_side};
use crate::hedge::{Hedged, NonceSource, Randomness, Raw, SEED_LEN, point_bytes};
use crate::lanes::{Binary64, Isa};
use crate::norm::is_short;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::sampler::Sampling;
use crate::sign::Fit;
use crate::signature::Signature;
use crate::signing::{self, Feed};
use crate::verify::VerifyingKey;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use zeroize::Zeroizing;

/// A message to sign, and with what.
#[derive(Clone, Copy, Debug)]
pub struct SignJob<'a, P: Parameters> {
    /// The key. Jobs with the same key should stand together.
    pub key: &'a ExpandedKey<P>,
    /// The message.
    pub message: &'a [u8],
}

/// A signature to verify.
#[derive(Clone, Copy, Debug)]
pub struct VerifyJob<'a, P: Parameters> {
    /// The key.
    pub key: &'a VerifyingKey<P>,
    /// The message.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a Signature<P>,
}

/// A signature to verify, encoded.
#[derive(Clone, Copy, Debug)]
pub struct VerifyBytesJob<'a, P: Parameters> {
    /// The key.
    pub key: &'a VerifyingKey<P>,
    /// The message.
    pub message: &'a [u8],
    /// The canonical bytes of the signature.
    pub signature: &'a [u8],
}

/// Why a batch was not done. The caller's jobs and output are untouched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The output has another length than the jobs.
    OutputLength {
        /// Number of jobs.
        jobs: usize,
        /// Length of the output.
        output: usize,
    },
    /// The engine failed; the text says how. Those of a processor cannot; an
    /// engine on a device of its own can.
    Engine(alloc::string::String),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutputLength { jobs, output } => {
                write!(f, "{jobs} jobs, but room for {output} results")
            }
            Self::Engine(what) => write!(f, "engine failed: {what}"),
        }
    }
}

impl core::error::Error for BatchError {}

/// Checks that `output` results take `jobs` jobs.
fn check_lengths(jobs: usize, output: usize) -> Result<(), BatchError> {
    if jobs == output {
        Ok(())
    } else {
        Err(BatchError::OutputLength { jobs, output })
    }
}

/// An engine that signs many messages at once.
pub trait BatchSign<P: Parameters>: Send + Sync {
    /// Signs every job: `out[i]` is the signature of `jobs[i]`.
    ///
    /// `seed` must be fresh: it is never used for another batch.
    ///
    /// # Errors
    /// [`BatchError`]; `out` is then unchanged.
    fn sign_batch(
        &self,
        seed: &[u8; SEED_LEN],
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        self.sign_part(seed, 0, jobs, out)
    }

    /// Signs a part of a batch, `jobs[i]` being number `first + i` of the whole:
    /// all parts together give what [`sign_batch`](Self::sign_batch) gives, in
    /// whatever order and wherever they are signed.
    ///
    /// No number of a batch may be used for two jobs.
    ///
    /// # Errors
    /// As for [`sign_batch`](Self::sign_batch).
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError>;
}

/// An engine that verifies many signatures at once.
pub trait BatchVerify<P: Parameters>: Send + Sync {
    /// Verifies every job: `out[i]` says whether `jobs[i]` is valid.
    ///
    /// # Errors
    /// [`BatchError`]; `out` is then unchanged.
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError>;

    /// Decodes and verifies every job: `out[i]` says whether the bytes of
    /// `jobs[i]` are those of a valid signature.
    ///
    /// # Errors
    /// As for [`verify_batch`](Self::verify_batch).
    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        check_lengths(jobs.len(), out.len())?;
        let decoded: Vec<_> = jobs
            .iter()
            .map(|job| Signature::try_from(job.signature))
            .collect();
        let verify: Vec<_> = jobs
            .iter()
            .zip(&decoded)
            .filter_map(|(job, decoded)| {
                Some(VerifyJob {
                    key: job.key,
                    message: job.message,
                    signature: decoded.as_ref().ok()?,
                })
            })
            .collect();
        let mut results = vec![Ok(()); verify.len()];
        self.verify_batch(&verify, &mut results)?;
        let mut results = results.into_iter();
        for (out, decoded) in out.iter_mut().zip(&decoded) {
            let malformed = Err(SignatureError);
            *out = match decoded {
                Ok(_) => results.next().unwrap_or(malformed),
                Err(_) => malformed,
            };
        }
        Ok(())
    }
}

/// The CPU engine of a register token: `F` runs `F::LANES` signatures side by
/// side, `B` does the arithmetic of one.
#[derive(Clone, Copy, Debug)]
pub struct LaneEngine<B, F> {
    /// Arithmetic of one lane: sampler and key expansion.
    pub arith: B,
    /// Polynomial arithmetic of all lanes.
    pub fft: F,
}

/// A job with its randomness, whatever the kind.
pub(crate) struct Job<'a, P: Parameters, R> {
    pub(crate) key: &'a ExpandedKey<P>,
    pub(crate) message: &'a [u8],
    pub(crate) randomness: R,
}

/// A job on a lane: what stays the same from one attempt to the next.
struct Lane<P: Parameters> {
    job: usize,
    nonce: [u8; NONCE_LEN],
    c: P::Residues,
    /// Of the seeds of the attempts; there is one once the job is prepared.
    /// In a box, so that a lane can move without leaving it behind, and set there.
    stream: Option<Box<Shake256Reader>>,
}

/// Jobs that are prepared together: their hashes are computed side by side.
const PREPARED: usize = 32;

/// Hashes what `jobs` need, the first of them having number `first`, and adds
/// the lanes to `lanes`.
fn prepare<P: Parameters, R: Randomness>(
    isa: impl Isa,
    first: usize,
    jobs: &[Job<'_, P, R>],
    lanes: &mut VecDeque<Lane<P>>,
) {
    let start = lanes.len();
    lanes.extend(jobs.iter().enumerate().map(|(i, job)| Lane {
        job: first + i,
        nonce: match job.randomness.nonce_source() {
            NonceSource::Given(nonce) => *nonce,
            NonceSource::Hash(_) => [0; NONCE_LEN],
        },
        c: P::Residues::ZERO,
        stream: None,
    }));
    let hashed = jobs.iter().zip(lanes.range_mut(start..));
    let messages = hashed.filter_map(|(job, lane)| match job.randomness.nonce_source() {
        NonceSource::Given(_) => None,
        NonceSource::Hash(parts) => Some(Message {
            parts,
            output: &mut lane.nonce,
        }),
    });
    hash_side_by_side(isa, messages, |nonce, state| {
        let words = state.iter().flat_map(|word| word.to_le_bytes());
        for (byte, out) in words.zip(nonce.iter_mut()) {
            *out = byte;
        }
        false
    });

    let hashed = jobs.iter().zip(lanes.range_mut(start..));
    let messages = hashed.map(|(job, lane)| Message {
        parts: [&lane.nonce[..], job.message],
        output: PointFiller::new(lane.c.as_mut()),
    });
    hash_side_by_side(isa, messages, take_block(isa));

    let mut bytes = Vec::new();
    if R::BINDS_POINT {
        bytes.resize(2 * P::N * jobs.len(), 0);
        for (bytes, lane) in bytes.chunks_exact_mut(2 * P::N).zip(lanes.range(start..)) {
            point_bytes(lane.c.as_ref(), bytes);
        }
    }
    let hashed = jobs.iter().zip(lanes.range_mut(start..)).enumerate();
    let messages = hashed.map(|(i, (job, lane))| {
        let [a, b, c, d] = job.randomness.stream_parts();
        let point = bytes.chunks_exact(2 * P::N).nth(i).unwrap_or(&[]);
        Message {
            parts: [a, b, c, d, point],
            output: &mut lane.stream,
        }
    });
    hash_side_by_side(isa, messages, |stream, state| {
        let stream = stream.insert(Box::new(Shake256Reader::empty()));
        stream.resume(state);
        false
    });
}

/// Takes the next block of a point.
fn take_block(isa: impl Isa) -> impl Fn(&mut PointFiller<'_>, &[u64; 25]) -> bool {
    #[inline(always)]
    move |filler, state| {
        let block = state.first_chunk();
        block.is_some_and(|block| filler.take(isa, block))
    }
}

impl<B: Binary64, F: Fft> LaneEngine<B, F> {
    /// Signs `jobs` in order; `out` has one element a job. A short vector that
    /// `accept` refuses is as good as a long one.
    fn sign_jobs<P: Parameters, R: Randomness>(
        &self,
        jobs: &[Job<'_, P, R>],
        accept: impl Fn(&[i16]) -> bool + Copy,
        out: &mut [Signature<P>],
    ) {
        let same_key = |a: &Job<'_, P, R>, b: &Job<'_, P, R>| core::ptr::eq(a.key, b.key);
        let alone = LaneEngine {
            arith: self.arith,
            fft: self.arith,
        };
        let mut rest = out;
        for group in jobs.chunk_by(same_key) {
            let (out, after) = rest.split_at_mut(group.len());
            // Half as many jobs as lanes take no longer one by one.
            let few = group.len() % F::LANES;
            let few = if few <= F::LANES / 2 { few } else { 0 };
            let (many, few) = group.split_at(group.len() - few);
            let (out_of_many, out_of_few) = out.split_at_mut(many.len());
            self.sign_group(many, accept, out_of_many);
            alone.sign_group(few, accept, out_of_few);
            rest = after;
        }
    }

    /// Signs jobs of one key: every lane takes the next job as soon as its
    /// own is done, and tries again with the next seed when it is refused.
    fn sign_group<P: Parameters, R: Randomness>(
        &self,
        jobs: &[Job<'_, P, R>],
        accept: impl Fn(&[i16]) -> bool + Copy,
        out: &mut [Signature<P>],
    ) {
        let Some(first) = jobs.first() else { return };
        let key = first.key.expanded_ref();
        let mut scratch = Zeroizing::new(vec![
            F::Real::default();
            signing::stored_scratch_len(P::LOGN)
        ]);
        let (isa, sampling) = (self.arith, self.arith.sampling());
        let mut waiting = jobs.chunks(PREPARED).zip((0..).step_by(PREPARED));
        let mut prepared: VecDeque<Lane<P>> = VecDeque::with_capacity(PREPARED);
        let mut lanes: Vec<Lane<P>> = Vec::with_capacity(F::LANES);
        let mut feeds: Vec<Feed<B>> = Vec::with_capacity(F::LANES);
        feeds.resize_with(F::LANES, || B::Sampling::EMPTY);
        loop {
            while lanes.len() < F::LANES {
                if prepared.is_empty()
                    && let Some((jobs, first)) = waiting.next()
                {
                    prepare(isa, first, jobs, &mut prepared);
                }
                let Some(lane) = prepared.pop_front() else {
                    break;
                };
                lanes.push(lane);
            }
            if lanes.is_empty() {
                return;
            }
            for (i, feed) in feeds.iter_mut().enumerate() {
                let stream = lanes.get_mut(i).and_then(|lane| lane.stream.as_deref_mut());
                match stream {
                    Some(stream) => signing::start_next(sampling, feed, stream),
                    // Lanes without a job repeat the last one's point on a fixed
                    // seed; nobody reads what they find.
                    None => sampling.start(feed, &[0; crate::prng::SEED_LEN]),
                }
            }
            let points: Vec<&[u16]> = (0..F::LANES)
                .map(|i| lanes[i.min(lanes.len() - 1)].c.as_ref())
                .collect();
            let v = signing::attempt_stored(
                self.arith,
                self.fft,
                P::LOGN,
                key,
                &points,
                &mut feeds,
                &mut scratch[..],
            );
            drop(points);

            let mut number = 0;
            lanes.retain(|lane| {
                let signature = self.signature(lane, number, v, accept);
                number += 1;
                signature.is_none_or(|signature| {
                    out[lane.job] = signature;
                    false
                })
            });
        }
    }

    /// What the attempt on a lane has come to, `v` being the lattice points.
    /// Whether that is a signature decides a branch: the scheme's own
    /// rejection.
    #[inline(never)]
    fn signature<P: Parameters>(
        &self,
        lane: &Lane<P>,
        number: usize,
        v: (&[F::Real], &[F::Real]),
        accept: impl Fn(&[i16]) -> bool,
    ) -> Option<Signature<P>> {
        let mut s2 = Zeroizing::new(P::Short::ZERO);
        let c = lane.c.as_ref();
        let norm = signing::short_vector(self.arith, self.fft, number, c, v, s2.as_mut());
        // Not `then`: the branch stands in this function, whatever is inlined.
        if is_short(P::LOGN, norm) && accept(s2.as_ref()) {
            Some(Signature {
                nonce: lane.nonce,
                s2: *s2,
            })
        } else {
            None
        }
    }
}

impl<P: Parameters, B: Binary64, F: Fft> BatchSign<P> for LaneEngine<B, F> {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        check_lengths(jobs.len(), out.len())?;
        let jobs: Vec<_> = (0u64..)
            .zip(jobs)
            .map(|(index, job)| Job {
                key: job.key,
                message: job.message,
                randomness: Hedged::new(seed, first.wrapping_add(index), job.key.hedge_secret()),
            })
            .collect();
        self.sign_jobs(&jobs, |s2| Fit::Padded.accepts::<P>(s2), out);
        Ok(())
    }
}

impl<P: Parameters, B: Binary64, F: Fft> BatchVerify<P> for LaneEngine<B, F> {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        check_lengths(jobs.len(), out.len())?;
        let mut points = vec![P::Residues::ZERO; PREPARED.min(jobs.len())];
        for (jobs, out) in jobs.chunks(PREPARED).zip(out.chunks_mut(PREPARED)) {
            verify_together(self.arith, jobs, &mut points, out.iter_mut());
        }
        Ok(())
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        check_lengths(jobs.len(), out.len())?;
        let isa = self.arith;
        let together = PREPARED.min(jobs.len());
        let mut points = vec![P::Residues::ZERO; together];
        let mut signatures = vec![Signature::EMPTY; together];
        for (jobs, out) in jobs.chunks(PREPARED).zip(out.chunks_mut(PREPARED)) {
            let encoded: Vec<_> = jobs.iter().map(|job| job.signature).collect();
            let read = Signature::read_side_by_side(isa, &encoded, &mut signatures);
            out.fill(Err(SignatureError));
            let read = || read.iter().map(Result::is_ok);
            let well_formed: Vec<_> = jobs
                .iter()
                .zip(&signatures)
                .zip(read())
                .filter(|(_, read)| *read)
                .map(|((job, signature), _)| VerifyJob {
                    key: job.key,
                    message: job.message,
                    signature,
                })
                .collect();
            let out = out.iter_mut().zip(read()).filter(|(_, read)| *read);
            verify_together(isa, &well_formed, &mut points, out.map(|(out, _)| out));
        }
        Ok(())
    }
}

/// Verifies jobs whose messages are hashed side by side; there are as many
/// `points` as jobs, or more.
fn verify_together<'o, P: Parameters>(
    isa: impl Isa,
    jobs: &[VerifyJob<'_, P>],
    points: &mut [P::Residues],
    out: impl Iterator<Item = &'o mut Result<(), SignatureError>>,
) {
    let messages = jobs.iter().zip(&mut *points).map(|(job, point)| Message {
        parts: [&job.signature.nonce[..], job.message],
        output: PointFiller::new(point.as_mut()),
    });
    hash_side_by_side(isa, messages, take_block(isa));
    for ((job, point), out) in jobs.iter().zip(points).zip(out) {
        *out = job.key.verify_hashed_point(isa, point, job.signature);
    }
}

/// A job with the caller's own nonce and sampler seed; see
/// [`hazmat`](crate::hazmat).
#[derive(Clone, Copy)]
pub struct RawJob<'a, P: Parameters> {
    /// The key.
    pub key: &'a ExpandedKey<P>,
    /// The message.
    pub message: &'a [u8],
    /// Nonce and sampler seed.
    pub randomness: crate::hazmat::RawRandomness<'a>,
}

/// Signs every job with its own nonce and sampler seed.
///
/// # Errors
/// As for [`BatchSign::sign_batch`].
pub fn sign_batch_raw<P: Parameters, B: Binary64, F: Fft>(
    engine: &LaneEngine<B, F>,
    jobs: &[RawJob<'_, P>],
    fit: Fit,
    out: &mut [Signature<P>],
) -> Result<(), BatchError> {
    check_lengths(jobs.len(), out.len())?;
    let jobs: Vec<_> = jobs
        .iter()
        .map(|job| Job {
            key: job.key,
            message: job.message,
            randomness: Raw {
                nonce: job.randomness.nonce,
                seed: job.randomness.seed,
            },
        })
        .collect();
    engine.sign_jobs(&jobs, |s2| fit.accepts::<P>(s2), out);
    Ok(())
}

#[cfg(test)]
mod tests;

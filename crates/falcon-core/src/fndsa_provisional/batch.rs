//! Many signatures of FN-DSA with one call, on any engine.
//!
//! [`SigningKey::sign_batch_with_rng`] signs messages with one key.
//! [`VerifyingKey::verify_batch`] and [`VerifyingKey::verify_bytes_batch`] verify signatures of any
//! keys. Every engine gives the same bytes and verdicts as single calls.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use falcon_core::fndsa_provisional::batch::VerifyJob;
//! use falcon_core::fndsa_provisional::{Context, Message, SigningKey, VerifyingKey};
//! use falcon_core::{Engine, Falcon512};
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let key = SigningKey::<Falcon512>::generate(&mut rng)?;
//! let context = Context::new(b"invoices").expect("at most 255 bytes");
//! let whole = |message| Message::Whole { context, message };
//! let messages = [&b"one"[..], b"two", b"three"].map(whole);
//! let signed = key.sign_batch_with_rng(Engine::best(), &mut rng, &messages);
//! let signatures = signed.into_iter().collect::<Result<Vec<_>, _>>()?;
//!
//! let jobs: Vec<_> = messages
//!     .into_iter()
//!     .zip(&signatures)
//!     .map(|(message, signature)| VerifyJob {
//!         key: key.verifying_key(),
//!         message,
//!         signature,
//!     })
//!     .collect();
//! assert_eq!(VerifyingKey::verify_batch(Engine::best(), &jobs), [Ok(()); 3]);
//! # Ok(())
//! # }
//! ```

use super::signing_key::{ATTEMPTS, AttemptSeed, Signer, is_signature, nonce, profile};
use super::{
    Input, KEY_HASH_LEN, MU_LEN, Message, SEED_LEN, Signature, SigningKey, VerifyingKey, is_within,
    point_of,
};
use crate::batch::Verdict;
use crate::batch::jobs::{Deliver, EncodedVerification, Verification};
use crate::batch::lanes::{Attempts, FEWEST_HASHED_TOGETHER, LaneEngine, Scheme, take_block};
use crate::codec::lsb_first;
use crate::engine::Engine;
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::fft::Fft;
use crate::hash::{self, PointFiller, RATE_WORDS, hash_side_by_side, read_words};
use crate::lanes::{Isa, wipe_below};
use crate::norm::fits_the_bound;
use crate::params::{MAX_LOGN, NONCE_LEN, Parameters};
use crate::sampler::{ATTEMPT_SEED_LEN, ShakeDouble, ShakeSampling, SigningIsa};
use crate::scratch::{Aligned, WorkingMemory};
use crate::signing::{self, ExpandedRef};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// A message to sign, and its randomness.
///
/// ```
/// use falcon_core::fndsa_provisional::batch::SignJob;
/// use falcon_core::fndsa_provisional::{Message, SigningKey};
/// use falcon_core::{Engine, Falcon512};
/// # fn main() -> Result<(), falcon_core::FaultError> {
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let (mu, seed) = ([1; 64], [2; 40]); // of a test vector
/// let jobs = [SignJob { message: Message::Mu(&mu), seed: &seed }];
/// let signed = key.sign_batch(Engine::best(), &jobs);
/// assert_eq!(signed[0], key.sign_mu_from_seed(&seed, &mu));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SignJob<'a> {
    /// Message to sign.
    pub message: Message<'a>,
    /// Randomness of the signature. It must be fresh and secret: never use it for another
    /// signature.
    pub seed: &'a [u8; SEED_LEN],
}

/// Prints no seed.
impl fmt::Debug for SignJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignJob")
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}

/// A signature to verify. The [module](self) has an example.
#[derive(Clone, Copy, Debug)]
pub struct VerifyJob<'a, P: Parameters> {
    /// Verifying key that the signature must match.
    pub key: &'a VerifyingKey<P>,
    /// Message as it was signed.
    pub message: Message<'a>,
    /// Signature to verify.
    pub signature: &'a Signature<P>,
}

/// An encoded signature to verify.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::batch::Verdict;
/// use falcon_core::fndsa_provisional::batch::VerifyBytesJob;
/// use falcon_core::fndsa_provisional::{Context, Message, SigningKey, VerifyingKey};
/// use falcon_core::{Engine, Falcon512};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let signer = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let key = signer.verifying_key();
/// # let bytes = signer.sign_with_rng(&mut rng, Context::EMPTY, b"order #42")?.to_bytes();
///
/// let message = Message::Whole { context: Context::EMPTY, message: b"order #42" };
/// let job = |signature| VerifyBytesJob { key, message, signature };
/// let jobs = [job(&bytes[..]), job(&bytes[..600])]; // the second one is truncated
/// let verdicts = VerifyingKey::verify_bytes_batch(Engine::best(), &jobs);
/// assert_eq!(verdicts, [Verdict::Valid, Verdict::Malformed]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct VerifyBytesJob<'a, P: Parameters> {
    /// Verifying key that the signature must match.
    pub key: &'a VerifyingKey<P>,
    /// Message as it was signed.
    pub message: Message<'a>,
    /// Encoded signature, 666 or 1280 bytes.
    pub signature: &'a [u8],
}

impl<P: Parameters> VerifyingKey<P> {
    /// Verifies every job on `engine`. Returns one verdict for each job, in order.
    ///
    /// The jobs have decoded keys, so decode each key only once for all its signatures. The module
    /// [`batch`](self) has an example.
    pub fn verify_batch(
        engine: Engine,
        jobs: &[VerifyJob<'_, P>],
    ) -> Vec<Result<(), SignatureError>> {
        let messages = jobs.iter().map(|job| (job.key, job.message));
        let mus = mus(engine, messages);
        let jobs: Vec<_> = jobs
            .iter()
            .zip(&mus)
            .map(|(job, mu)| Verification {
                prepared: job.key.key.prepared(),
                message: mu,
                nonce: job.signature.nonce(),
                s2: job.signature.s2(),
            })
            .collect();
        verify_jobs(engine, P::LOGN, &jobs)
    }

    /// Decodes and verifies every job on `engine`. Returns one verdict for each job, in order.
    /// [`VerifyBytesJob`] has an example.
    pub fn verify_bytes_batch(engine: Engine, jobs: &[VerifyBytesJob<'_, P>]) -> Vec<Verdict> {
        let messages = jobs.iter().map(|job| (job.key, job.message));
        let mus = mus(engine, messages);
        let jobs: Vec<_> = jobs
            .iter()
            .zip(&mus)
            .map(|(job, mu)| EncodedVerification {
                prepared: job.key.key.prepared(),
                message: mu,
                signature: job.signature,
                ahead: &[],
            })
            .collect();
        verify_encoded(engine, P::LOGN, &jobs)
    }
}

/// Verifies `jobs` of degree `2^logn`. Not generic over the parameter set, for the reason in
/// [`Signer`].
fn verify_jobs(
    engine: Engine,
    logn: u32,
    jobs: &[Verification<'_>],
) -> Vec<Result<(), SignatureError>> {
    let mut out = vec![Err(SignatureError); jobs.len()];
    on_engine!(engine, arith, _fft => {
        LaneEngine { arith, fft: arith }.verify_jobs_of(FnDsa, logn, jobs, &mut out)
    });
    out
}

/// Decodes encoded signatures and verifies them, as [`verify_jobs`] does.
fn verify_encoded(engine: Engine, logn: u32, jobs: &[EncodedVerification<'_>]) -> Vec<Verdict> {
    let mut out = vec![Verdict::Malformed; jobs.len()];
    on_engine!(engine, arith, _fft => {
        LaneEngine { arith, fft: arith }.verify_encoded_of(FnDsa, logn, jobs, &mut out)
    });
    out
}

/// FN-DSA as a [`Scheme`], for the verification of batches.
#[derive(Clone, Copy)]
pub(super) struct FnDsa;

impl Scheme for FnDsa {
    fn read(
        self,
        isa: impl Isa,
        logn: u32,
        encoded: &[&[u8]],
        s2s: &mut [i16],
    ) -> Vec<Result<[u8; NONCE_LEN], DecodeError>> {
        let mut read = lsb_first::decode_signatures(isa, logn, encoded, s2s);
        for (read, s2) in read.iter_mut().zip(s2s.chunks_exact(1 << logn)) {
            if read.is_ok() && !fits_the_bound(isa, logn, s2) {
                *read = Err(DecodeError::Range);
            }
        }
        read
    }

    #[inline(always)]
    fn take(self, isa: impl Isa, point: &mut PointFiller<'_>, block: &[u64; RATE_WORDS]) -> bool {
        point.take_little_endian(isa, block)
    }

    #[inline(always)]
    fn accepts(self, s1: &[i16]) -> bool {
        is_within(s1)
    }
}

/// Computes the `mu` of every message with its key.
fn mus<'a, P: Parameters>(
    engine: Engine,
    messages: impl ExactSizeIterator<Item = (&'a VerifyingKey<P>, Message<'a>)>,
) -> Vec<[u8; MU_LEN]> {
    if messages.len() < FEWEST_HASHED_TOGETHER {
        return messages.map(|(key, message)| key.mu(message)).collect();
    }
    let inputs: Vec<_> = messages
        .map(|(key, message)| (&key.hash, message.input()))
        .collect();
    mus_of_inputs(engine, &inputs)
}

/// Hashes each input to its `mu`. Not generic over the parameter set, for the reason in [`Signer`].
fn mus_of_inputs(engine: Engine, inputs: &[KeyAndInput<'_>]) -> Vec<[u8; MU_LEN]> {
    let mut mus = vec![[0; MU_LEN]; inputs.len()];
    on_engine!(engine, arith, _fft => hash_inputs(arith, inputs, &mut mus));
    mus
}

/// The hash of a key with the input that follows it, or a finished `mu`.
type KeyAndInput<'a> = (&'a [u8; KEY_HASH_LEN], Result<Input<'a>, &'a [u8; MU_LEN]>);

/// Hashes `inputs` to their `mus`, side by side.
fn hash_inputs(isa: impl Isa, inputs: &[KeyAndInput<'_>], mus: &mut [[u8; MU_LEN]]) {
    let messages = inputs
        .iter()
        .zip(mus)
        .filter_map(|((key, input), mu)| match input {
            Ok(input) => {
                let [kind, context, identifier, message] = input.pieces();
                Some(hash::Message {
                    pieces: [&key[..], kind, context, identifier, message],
                    output: &mut mu[..],
                })
            }
            Err(given) => {
                *mu = **given;
                None
            }
        });
    hash_side_by_side(isa, messages, |mu, state| {
        read_words(state, mu);
        false
    });
}

impl<P: Parameters> SigningKey<P> {
    /// Signs every message on `engine`, with fresh randomness from `rng`. Returns the signatures in
    /// the order of the messages.
    ///
    /// The signatures are those of [`sign_with_rng`](Self::sign_with_rng), called for one message
    /// after the other. The module [`batch`](self) has an example.
    ///
    /// # Errors
    /// Each message has its own result: [`FaultError`] as for
    /// [`sign_with_rng`](Self::sign_with_rng).
    pub fn sign_batch_with_rng<R: CryptoRng + ?Sized>(
        &self,
        engine: Engine,
        rng: &mut R,
        messages: &[Message<'_>],
    ) -> Vec<Result<Signature<P>, FaultError>> {
        let mut seeds = Zeroizing::new(vec![[0; SEED_LEN]; messages.len()]);
        for seed in seeds.iter_mut() {
            rng.fill_bytes(seed);
        }
        let jobs: Vec<_> = messages
            .iter()
            .zip(seeds.iter())
            .map(|(&message, seed)| SignJob { message, seed })
            .collect();
        self.sign_batch(engine, &jobs)
    }

    /// Signs every job on `engine`. Returns the signatures in the order of the jobs.
    ///
    /// The signatures are those of [`sign_mu_from_seed`](Self::sign_mu_from_seed) with the seeds of
    /// the jobs. **Every seed must be fresh and secret**: never use it for two jobs or in two
    /// batches. [`SignJob`] has an example.
    ///
    /// The call expands the key once, and keeps the expanded key in 60 or 128 KiB until it returns.
    ///
    /// # Errors
    /// Each job has its own result: [`FaultError`] if 27 attempts with its seed fail, or if the
    /// sampler gives up.
    pub fn sign_batch(
        &self,
        engine: Engine,
        jobs: &[SignJob<'_>],
    ) -> Vec<Result<Signature<P>, FaultError>> {
        let messages = jobs.iter().map(|job| (self.verifying_key(), job.message));
        let mus = mus(engine, messages);
        let mut out = vec![Err(FaultError); jobs.len()];
        Signer::of(self).sign(engine, jobs, &mus, &mut |job, vector| {
            out[job] = vector.map(|(nonce, s2)| {
                let mut signature = crate::Signature::<P>::EMPTY;
                signature.nonce = *nonce;
                signature.s2.as_mut().copy_from_slice(s2);
                Signature { signature }
            });
        });
        out
    }
}

impl Signer<'_> {
    fn sign(
        &self,
        engine: Engine,
        jobs: &[SignJob<'_>],
        mus: &[[u8; MU_LEN]],
        deliver: Deliver<'_>,
    ) {
        if !jobs.is_empty() {
            on_engine!(engine, arith, fft => {
                to_nearest!(arith, engine: LaneEngine { arith, fft }, LaneEngine::SOFT => {
                    self.sign_on(engine, jobs, mus, deliver)
                })
            });
        }
        // Signing spills words of seeds and of the generator's state from registers.
        wipe_below::<1024>();
    }

    /// Not inlined, so that [`sign`](Self::sign) can wipe its frame.
    #[inline(never)]
    fn sign_on<B: SigningIsa<F64: ShakeDouble>, F: Fft>(
        &self,
        engine: LaneEngine<B, F>,
        jobs: &[SignJob<'_>],
        mus: &[[u8; MU_LEN]],
        deliver: Deliver<'_>,
    ) {
        let mut seeds = Zeroizing::new(vec![[0; ATTEMPT_SEED_LEN]; jobs.len()]);
        self.derive_seeds(engine.arith, jobs, mus, &mut seeds);
        self.sign_with_seeds(engine, &mut seeds, mus, deliver);
    }

    /// Computes the basis and the tree.
    fn expanded(&self, isa: impl SigningIsa) -> Zeroizing<WorkingMemory<f64>> {
        let (logn, profile) = (self.logn, profile(self.logn));
        let mut reals = Zeroizing::new(WorkingMemory::new(signing::expanded_len(logn)));
        let mut scratch = Zeroizing::new(WorkingMemory::new(signing::expand_scratch_len(logn)));
        signing::expand(isa, logn, self.basis, profile, &mut reals, &mut scratch);
        reals
    }

    /// Signs `mus`. `seeds` has the seed of the first attempt at each signature.
    fn sign_with_seeds<B: SigningIsa<F64: ShakeDouble>, F: Fft>(
        &self,
        engine: LaneEngine<B, F>,
        seeds: &mut [AttemptSeed],
        mus: &[[u8; MU_LEN]],
        deliver: Deliver<'_>,
    ) {
        let (isa, logn) = (engine.arith, self.logn);
        let reals = self.expanded(isa);
        let key = ExpandedRef::new(logn, &reals);
        let count = seeds.len();
        let mut attempts = Jobs {
            isa,
            logn,
            h: self.h,
            mus,
            seeds,
            next: 0,
            s1: Box::new(Aligned([0; 1 << MAX_LOGN])),
            deliver,
        };
        let sampling = B::F64::shake_sampling(isa);
        engine.sign_group(logn, key, sampling, count, &mut attempts);
    }

    /// Writes the seeds of the first attempts.
    fn derive_seeds(
        &self,
        isa: impl Isa,
        jobs: &[SignJob<'_>],
        mus: &[[u8; MU_LEN]],
        seeds: &mut [AttemptSeed],
    ) {
        let messages = jobs.iter().zip(mus).zip(seeds);
        let messages = messages.map(|((job, mu), seed)| hash::Message {
            pieces: [&self.secret_hash[..], mu, job.seed],
            output: &mut seed[..SEED_LEN],
        });
        hash_side_by_side(isa, messages, |seed, state| {
            read_words(state, seed);
            false
        });
    }
}

/// Jobs of a batch.
struct Jobs<'a, 'd, I> {
    isa: I,
    logn: u32,
    /// The public polynomial in the transform domain.
    h: &'a [i16],
    mus: &'a [[u8; MU_LEN]],
    /// The seed of the next attempt of every job.
    seeds: &'a mut [AttemptSeed],
    /// Number of the next job.
    next: usize,
    /// Memory for the `s1` of an attempt.
    s1: Box<Aligned<[i16; 1 << MAX_LOGN]>>,
    deliver: Deliver<'d>,
}

/// An attempt at a job, in a lane.
struct Attempt {
    job: usize,
    nonce: [u8; NONCE_LEN],
    point: Box<[u16]>,
}

impl<I: SigningIsa, S: ShakeSampling> Attempts<S> for Jobs<'_, '_, I> {
    type Job = Attempt;

    fn next_job(&mut self) -> Option<Attempt> {
        let job = self.next;
        self.next += 1;
        (job < self.seeds.len()).then(|| Attempt {
            job,
            nonce: [0; NONCE_LEN],
            point: vec![0; 1 << self.logn].into_boxed_slice(),
        })
    }

    /// Every attempt has its own nonce, and thus its own point.
    fn start(&mut self, sampling: S, attempts: &mut [Attempt], feeds: &mut [S::Feed]) {
        let seeds = attempts.iter().map(|attempt| &self.seeds[attempt.job]);
        sampling.start_together(feeds, seeds);
        for (attempt, feed) in attempts.iter_mut().zip(feeds) {
            attempt.nonce = nonce::<S>(feed);
        }
        if attempts.len() < FEWEST_HASHED_TOGETHER {
            for attempt in attempts {
                point_of(&attempt.nonce, &self.mus[attempt.job], &mut attempt.point);
            }
            return;
        }
        let messages = attempts.iter_mut().map(|attempt| hash::Message {
            pieces: [&attempt.nonce[..], &self.mus[attempt.job]],
            output: PointFiller::new(&mut attempt.point),
        });
        hash_side_by_side(self.isa, messages, take_block(FnDsa, self.isa));
    }

    fn point(attempt: &Attempt) -> &[u16] {
        &attempt.point
    }

    /// Judges an attempt. The norm is computed again with `s1`, since the coefficients of `s1` are
    /// bounded, too.
    fn finish(&mut self, attempt: &Attempt, vector: Result<(u64, &[i16]), FaultError>) -> bool {
        let mut over = vector.is_err();
        if let Ok((_, s2)) = vector {
            let s1 = &mut self.s1.0[..s2.len()];
            if is_signature(self.isa, self.logn, self.h, &attempt.point, s2, s1) {
                (self.deliver)(attempt.job, Ok((&attempt.nonce, s2)));
                return true;
            }
            let attempts = &mut self.seeds[attempt.job][SEED_LEN];
            *attempts += 1;
            over = *attempts == ATTEMPTS;
        }
        if over {
            (self.deliver)(attempt.job, Err(FaultError));
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::Ldl;
    use crate::hazmat::insecure;
    use crate::lanes::{Baseline, Many, Soft};
    use crate::tree::Profile;
    use core::array::from_fn;

    /// Number of jobs. They fill the lanes more than twice.
    const JOBS: usize = 41;

    /// Signs jobs. Every second job has only one attempt left. Returns for each job whether it was
    /// signed.
    fn last_attempts<B: SigningIsa<F64: ShakeDouble>, F: Fft>(arith: B, fft: F) -> [bool; JOBS] {
        let key = SigningKey::<insecure::InsecureFalcon8>::from_seed(&[7; 32]).expect("no fault");
        let signer = Signer::of(&key);
        let mut seeds: [AttemptSeed; JOBS] = from_fn(|job| [job as u8; ATTEMPT_SEED_LEN]);
        for (job, seed) in seeds.iter_mut().enumerate() {
            seed[SEED_LEN] = if job % 2 == 0 { ATTEMPTS - 1 } else { 0 };
        }
        let mut signed = [None; JOBS];
        let engine = LaneEngine { arith, fft };
        signer.sign_with_seeds(
            engine,
            &mut seeds,
            &[[3; MU_LEN]; JOBS],
            &mut |job, vector| {
                let before = signed[job].replace(vector.is_ok());
                assert_eq!(before, None, "one result for each job");
            },
        );
        signed.map(|signed| signed.expect("a result for each job"))
    }

    /// Compares the profile with that of round 3, which has other last bits of `1 / sigma` and
    /// another order of operations in quotients. Each of these changes a signature so rarely that
    /// known answers do not show it.
    #[test]
    fn the_tree_has_the_profile_of_fn_dsa() {
        fn differences<P: Parameters>() {
            let round_3 = crate::SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
            let theirs = round_3.expand();
            let key = SigningKey::from(round_3);
            let signer = Signer::of(&key);
            let ours = signer.expanded(Baseline);
            let (basis, tree) = ours.split_at(4 << P::LOGN);
            let (their_basis, their_tree) = theirs.reals().split_at(basis.len());
            assert_eq!(basis, their_basis);
            let close = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.abs();

            // Compares `l10` of the root, which is computed before any leaf. So only the quotient
            // differs.
            let pairs = tree[..P::N].iter().zip(&their_tree[..P::N]);
            assert!(pairs.clone().all(|(&a, &b)| close(a, b, 1e-15)));
            assert!(pairs.filter(|(a, b)| a != b).count() > P::N / 8);

            // With the same quotient, only the leaves differ.
            let mut reals = vec![0.0; ours.len()];
            let mut scratch = vec![0.0; signing::expand_scratch_len(P::LOGN)];
            let profile = Profile {
                ldl: Ldl::Real,
                ..signing::profile(P::LOGN)
            };
            let out = &mut reals[..];
            signing::expand(Baseline, P::LOGN, signer.basis, profile, out, &mut scratch);
            let pairs = tree.iter().zip(&reals[basis.len()..]);
            assert!(pairs.clone().all(|(&a, &b)| close(a, b, 1e-15)));
            let different = pairs.filter(|(a, b)| a != b).count();
            assert!((P::N / 2..=2 * P::N).contains(&different), "{}", P::NAME);
        }
        differences::<crate::Falcon512>();
        differences::<crate::Falcon1024>();
    }

    /// Checks that a job ends when its last attempt is refused, and that all others are signed.
    #[test]
    fn a_job_without_further_attempts_leaves_the_others() {
        let alone = last_attempts(Baseline, Baseline);
        assert!((1..JOBS).step_by(2).all(|job| alone[job]));
        let last = (0..JOBS).step_by(2).filter(|&job| alone[job]).count();
        assert!(last > 3 && last < 18, "{last} of 21");
        assert_eq!(last_attempts(Soft, Soft), alone);
        assert_eq!(last_attempts(Baseline, Many::<_, 2>(Baseline)), alone);
        assert_eq!(last_attempts(Baseline, Many::<_, 8>(Baseline)), alone);
    }
}

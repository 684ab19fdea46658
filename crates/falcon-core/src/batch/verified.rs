//! Batches whose signatures are verified before they are returned; see [`hazmat`](crate::hazmat).

use super::raw::{BatchSignRaw, RawJob};
use super::{BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob};
use crate::error::SignatureError;
use crate::hedge::SEED_LEN;
use crate::lanes::wipe;
use crate::params::Parameters;
use crate::signatures::Signature;
use crate::signing::Fit;
use alloc::vec;
use alloc::vec::Vec;

/// An engine that verifies every signature after signing. If one signature of a batch is not valid,
/// the engine returns none of them.
///
/// It detects faults that make a signature invalid. **It does not detect a fault that gives a
/// different valid signature.** Together with the right signature of the same nonce and message,
/// that signature reveals the key. For raw jobs that may be signed again, also sign twice and
/// compare.
///
/// To share a batch among threads, wrap the engine on its threads:
/// `VerifyAfterSign(engine.on(&threads))`. Verifying a batch is the same with and without
/// `VerifyAfterSign`.
///
/// For short messages, verifying takes about a tenth of the time of signing. Every message is
/// hashed again, and the batch's signatures are held twice.
///
/// ```
/// use falcon_core::batch::{BatchSign, SignJob};
/// use falcon_core::hazmat::VerifyAfterSign;
/// use falcon_core::{Engine, Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
/// let jobs = [SignJob::new(&key, b"one"), SignJob::new(&key, b"two")];
/// let engine = VerifyAfterSign(Engine::best());
/// let signatures = engine.sign_batch_with_rng(&mut rng, &jobs)?;
/// # assert_eq!(signatures.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct VerifyAfterSign<E>(pub E);

impl<E> VerifyAfterSign<E> {
    /// Calls `sign`, verifies every signature, and copies them to `out` if all are valid.
    fn checked<'a, P: Parameters>(
        &self,
        out: &mut [Signature<P>],
        sign: impl FnOnce(&E, &mut [Signature<P>]) -> Result<(), BatchError>,
        jobs: impl Iterator<Item = SignJob<'a, P>>,
    ) -> Result<(), BatchError>
    where
        E: BatchVerify<P>,
    {
        let mut unchecked = Unchecked(vec![Signature::EMPTY; out.len()]);
        sign(&self.0, &mut unchecked.0)?;
        let signatures = &unchecked.0;
        let claims: Vec<_> = jobs
            .zip(signatures)
            .map(|(job, signature)| VerifyJob {
                key: job.key.verifying_key(),
                message: job.message,
                signature,
            })
            .collect();
        let mut verdicts = vec![Err(SignatureError); claims.len()];
        self.0.verify_batch(&claims, &mut verdicts)?;
        if let Some(job) = verdicts.iter().position(Result::is_err) {
            return Err(BatchError::Fault { job });
        }
        out.copy_from_slice(signatures);
        Ok(())
    }
}

/// Signatures that may be wrong. They are wiped, since a wrong signature together with a right one
/// of the same point reveals the key.
struct Unchecked<P: Parameters>(Vec<Signature<P>>);

impl<P: Parameters> Drop for Unchecked<P> {
    fn drop(&mut self) {
        for signature in &mut self.0 {
            wipe(signature.s2.as_mut());
        }
    }
}

impl<P: Parameters, E: BatchSign<P> + BatchVerify<P>> BatchSign<P> for VerifyAfterSign<E> {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let sign = |engine: &E, out: &mut [_]| engine.sign_part(seed, first, jobs, out);
        self.checked(out, sign, jobs.iter().copied())
    }
}

impl<P: Parameters, E: BatchSignRaw<P> + BatchVerify<P>> BatchSignRaw<P> for VerifyAfterSign<E> {
    fn sign_batch_raw(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let sign = |engine: &E, out: &mut [_]| engine.sign_batch_raw(jobs, fit, out);
        let jobs = jobs.iter().map(|job| SignJob::new(job.key, job.message));
        self.checked(out, sign, jobs)
    }
}

impl<P: Parameters, E: BatchVerify<P>> BatchVerify<P> for VerifyAfterSign<E> {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        self.0.verify_batch(jobs, out)
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        self.0.verify_bytes_batch(jobs, out)
    }
}

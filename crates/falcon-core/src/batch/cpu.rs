//! Batches on a CPU.

use super::jobs::{BatchOperations, Deliver, EncodedVerification, Job, Verification};
use super::lanes::LaneEngine;
use super::raw::{BatchSignRaw, RawJob};
use super::{
    BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob, check_lengths,
};
use crate::engine::Engine;
use crate::error::{FaultError, SignatureError};
use crate::fft::Fft;
use crate::hash::{self, Start};
use crate::hash_to_point::Cshake256HashToPoint;
use crate::hedge::{Randomness, SEED_LEN};
use crate::params::Parameters;
use crate::sampler::SigningIsa;
use crate::signatures::Signature;
use crate::signing::Fit;
use alloc::vec::Vec;

impl BatchOperations for Engine {
    fn sign_jobs(
        &self,
        logn: u32,
        start: &Start,
        jobs: &[Job<'_>],
        fit: Fit,
        deliver: Deliver<'_>,
    ) {
        on_engine!(*self, arith, fft => {
            LaneEngine { arith, fft }.sign_jobs(logn, start, jobs, fit, deliver)
        });
    }

    fn verify_jobs(
        &self,
        logn: u32,
        jobs: &[Verification<'_>],
        out: &mut [Result<(), SignatureError>],
    ) {
        on_engine!(*self, arith, _fft => {
            LaneEngine { arith, fft: arith }.verify_jobs(logn, jobs, out)
        });
    }

    fn verify_encoded(&self, logn: u32, jobs: &[EncodedVerification<'_>], out: &mut [Verdict]) {
        on_engine!(*self, arith, _fft => {
            LaneEngine { arith, fft: arith }.verify_encoded(logn, jobs, out)
        });
    }
}

impl Engine {
    /// Signs every job as [`sign_batch`](BatchSign::sign_batch) does, but maps messages to points
    /// with `hash`.
    ///
    /// ```
    /// use falcon_core::batch::SignJob;
    /// use falcon_core::hazmat::{Cshake256HashToPoint, verify_with_hash};
    /// use falcon_core::{Engine, Falcon512, Signature, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// const INVOICE: Cshake256HashToPoint =
    ///     Cshake256HashToPoint::new(b"example.org/invoice v1").unwrap();
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?.expand();
    /// let jobs = [SignJob::new(&key, b"42.00 EUR"), SignJob::new(&key, b"7.50 EUR")];
    /// let mut signatures = [Signature::EMPTY; 2];
    /// # let fresh_seed = [1; 32];
    /// Engine::best().sign_batch_with_hash(&INVOICE, &fresh_seed, &jobs, &mut signatures)?;
    /// verify_with_hash(key.verifying_key(), &INVOICE, b"7.50 EUR", &signatures[1])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`sign_batch`](BatchSign::sign_batch).
    pub fn sign_batch_with_hash<P: Parameters>(
        &self,
        hash: &Cshake256HashToPoint,
        seed: &[u8; SEED_LEN],
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        sign_hedged(self, &hash::start(&hash.0), seed, 0, jobs, out)
    }
}

/// Signs `jobs` into `out`, which has the same length. If jobs fail, the error names the first job
/// that failed.
fn sign<P: Parameters>(
    on: &impl BatchOperations,
    start: &Start,
    jobs: &[Job<'_>],
    fit: Fit,
    out: &mut [Signature<P>],
) -> Result<(), BatchError> {
    let mut fault = None;
    on.sign_jobs(P::LOGN, start, jobs, fit, &mut |job, signed| match signed {
        Ok((nonce, s2)) => {
            let signature = &mut out[job];
            signature.nonce = *nonce;
            signature.s2.as_mut().copy_from_slice(s2);
        }
        Err(FaultError) => {
            out[job] = Signature::EMPTY;
            fault = Some(fault.map_or(job, |first: usize| first.min(job)));
        }
    });
    match fault {
        None => Ok(()),
        Some(job) => Err(BatchError::Fault { job }),
    }
}

/// Signs `jobs` with hedged randomness. The first job has number `first`.
fn sign_hedged<P: Parameters>(
    on: &impl BatchOperations,
    start: &Start,
    seed: &[u8; SEED_LEN],
    first: u64,
    jobs: &[SignJob<'_, P>],
    out: &mut [Signature<P>],
) -> Result<(), BatchError> {
    check_lengths(jobs.len(), out.len())?;
    let jobs: Vec<_> = (0u64..)
        .zip(jobs)
        .map(|(index, job)| Job {
            key: job.key.source(),
            message: job.message,
            randomness: Randomness::hedged(seed, first.wrapping_add(index), job.key.secret_hash()),
        })
        .collect();
    sign(on, start, &jobs, Fit::Padded, out)
}

/// Implements the batch traits for an engine that has [`BatchOperations`].
macro_rules! batches {
    ([$($generics:tt)*] $engine:ty) => {
        impl<P: Parameters, $($generics)*> BatchSign<P> for $engine {
            fn sign_part(
                &self,
                seed: &[u8; SEED_LEN],
                first: u64,
                jobs: &[SignJob<'_, P>],
                out: &mut [Signature<P>],
            ) -> Result<(), BatchError> {
                sign_hedged(self, &Start::SHAKE256, seed, first, jobs, out)
            }
        }

        impl<P: Parameters, $($generics)*> BatchSignRaw<P> for $engine {
            fn sign_batch_raw(
                &self,
                jobs: &[RawJob<'_, P>],
                fit: Fit,
                out: &mut [Signature<P>],
            ) -> Result<(), BatchError> {
                check_lengths(jobs.len(), out.len())?;
                let jobs: Vec<_> = jobs
                    .iter()
                    .map(|job| Job {
                        key: job.key.source(),
                        message: job.message,
                        randomness: job.randomness.into(),
                    })
                    .collect();
                sign(self, &Start::SHAKE256, &jobs, fit, out)
            }
        }

        impl<P: Parameters, $($generics)*> BatchVerify<P> for $engine {
            fn verify_batch(
                &self,
                jobs: &[VerifyJob<'_, P>],
                out: &mut [Result<(), SignatureError>],
            ) -> Result<(), BatchError> {
                check_lengths(jobs.len(), out.len())?;
                let jobs: Vec<_> = jobs
                    .iter()
                    .map(|job| Verification {
                        prepared: job.key.prepared(),
                        message: job.message,
                        nonce: &job.signature.nonce,
                        s2: job.signature.s2.as_ref(),
                    })
                    .collect();
                self.verify_jobs(P::LOGN, &jobs, out);
                Ok(())
            }

            fn verify_bytes_batch(
                &self,
                jobs: &[VerifyBytesJob<'_, P>],
                out: &mut [Verdict],
            ) -> Result<(), BatchError> {
                self.verify_bytes_batch_ahead(jobs, &[], out)
            }

            fn verify_bytes_batch_ahead(
                &self,
                jobs: &[VerifyBytesJob<'_, P>],
                ahead: &[&[u8]],
                out: &mut [Verdict],
            ) -> Result<(), BatchError> {
                check_lengths(jobs.len(), out.len())?;
                let ahead = ahead.iter().copied().chain(core::iter::repeat(&[][..]));
                let jobs: Vec<_> = jobs
                    .iter()
                    .zip(ahead)
                    .map(|(job, ahead)| EncodedVerification {
                        prepared: job.key.prepared(),
                        message: job.message,
                        signature: job.signature,
                        ahead,
                    })
                    .collect();
                self.verify_encoded(P::LOGN, &jobs, out);
                Ok(())
            }
        }
    };
}

batches!([] Engine);
batches!([B: SigningIsa, F: Fft] LaneEngine<B, F>);

//! Batches on a CPU: the jobs without their parameter set.
//!
//! As in [`operations`](crate::operations::Operations), the code takes the degree as
//! `logn` and is compiled once, in this crate.

use super::lanes::LaneEngine;
use super::raw::{BatchSignRaw, RawJob};
use super::{BatchError, BatchSign, BatchVerify, SignJob, VerifyBytesJob, VerifyJob};
use crate::engine::Engine;
use crate::error::{FaultError, SignatureError};
use crate::fft::Fft;
use crate::hedge::{Randomness, SEED_LEN};
use crate::params::{NONCE_LEN, Parameters};
use crate::sampler::SigningIsa;
use crate::signatures::Signature;
use crate::signing::{Fit, KeySource};
use alloc::vec::Vec;

/// A message to sign, with its randomness.
pub(crate) struct Job<'a> {
    pub(crate) key: KeySource<'a>,
    pub(crate) message: &'a [u8],
    pub(crate) randomness: Randomness<'a>,
}

/// A signature to verify.
pub(crate) struct Verification<'a> {
    /// The key in the transform domain.
    pub(crate) prepared: &'a [i16],
    pub(crate) message: &'a [u8],
    pub(crate) nonce: &'a [u8; NONCE_LEN],
    pub(crate) s2: &'a [i16],
}

/// A signature to verify, encoded.
pub(crate) struct EncodedVerification<'a> {
    /// The key in the transform domain.
    pub(crate) prepared: &'a [i16],
    pub(crate) message: &'a [u8],
    pub(crate) signature: &'a [u8],
    /// Bytes to bring into the cache while this job is verified.
    pub(crate) ahead: &'a [u8],
}

/// Nonce and `s2` of a signature. An error if its attempts came to an end.
pub(crate) type Signed<'s> = Result<(&'s [u8; NONCE_LEN], &'s [i16]), FaultError>;

/// Receives the number of a job and its signature.
pub(crate) type Deliver<'a> = &'a mut dyn FnMut(usize, Signed<'_>);

/// The batch operations of a CPU engine.
pub(crate) trait BatchOperations: Send + Sync {
    /// Signs every job, in no particular order.
    fn sign_jobs(&self, logn: u32, jobs: &[Job<'_>], fit: Fit, deliver: Deliver<'_>);

    /// Verifies every job; `out` has one element for each.
    fn verify_jobs(
        &self,
        logn: u32,
        jobs: &[Verification<'_>],
        out: &mut [Result<(), SignatureError>],
    );

    /// Decodes and verifies every job; `out` has one element for each.
    fn verify_encoded(
        &self,
        logn: u32,
        jobs: &[EncodedVerification<'_>],
        out: &mut [Result<(), SignatureError>],
    );
}

impl BatchOperations for Engine {
    fn sign_jobs(&self, logn: u32, jobs: &[Job<'_>], fit: Fit, deliver: Deliver<'_>) {
        on_engine!(*self, arith, fft => {
            LaneEngine { arith, fft }.sign_jobs(logn, jobs, fit, deliver)
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

    fn verify_encoded(
        &self,
        logn: u32,
        jobs: &[EncodedVerification<'_>],
        out: &mut [Result<(), SignatureError>],
    ) {
        on_engine!(*self, arith, _fft => {
            LaneEngine { arith, fft: arith }.verify_encoded(logn, jobs, out)
        });
    }
}

impl Engine {
    /// Does the same as [`verify_bytes_batch`](BatchVerify::verify_bytes_batch), and brings bytes
    /// into the cache that the caller reads next: `ahead[i]` while it verifies `jobs[i]`, as far as
    /// there is one. That way, the memory works while the processor computes.
    #[doc(hidden)]
    pub fn verify_bytes_batch_ahead<P: Parameters>(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        ahead: &[&[u8]],
        out: &mut [Result<(), SignatureError>],
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

/// Checks that there are as many results as jobs.
pub(crate) fn check_lengths(jobs: usize, output: usize) -> Result<(), BatchError> {
    if jobs == output {
        Ok(())
    } else {
        Err(BatchError::OutputLength { jobs, output })
    }
}

/// Signs `jobs` into `out`, which has the same length. Names the first job that failed.
fn sign<P: Parameters>(
    on: &impl BatchOperations,
    jobs: &[Job<'_>],
    fit: Fit,
    out: &mut [Signature<P>],
) -> Result<(), BatchError> {
    let mut fault = None;
    on.sign_jobs(P::LOGN, jobs, fit, &mut |job, signed| match signed {
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
                check_lengths(jobs.len(), out.len())?;
                let jobs: Vec<_> = (0u64..)
                    .zip(jobs)
                    .map(|(index, job)| Job {
                        key: job.key.source(),
                        message: job.message,
                        randomness: Randomness::hedged(
                            seed,
                            first.wrapping_add(index),
                            job.key.secret_hash(),
                        ),
                    })
                    .collect();
                sign(self, &jobs, Fit::Padded, out)
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
                sign(self, &jobs, fit, out)
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
                out: &mut [Result<(), SignatureError>],
            ) -> Result<(), BatchError> {
                check_lengths(jobs.len(), out.len())?;
                let jobs: Vec<_> = jobs
                    .iter()
                    .map(|job| EncodedVerification {
                        prepared: job.key.prepared(),
                        message: job.message,
                        signature: job.signature,
                        ahead: &[],
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

//! Jobs whose types do not name the parameter set, and the batch operations of an engine.
//!
//! As in [`operations`](crate::operations::Operations), the code takes the degree as `logn` and is
//! compiled once, in this crate.

use super::Verdict;
use crate::error::{FaultError, SignatureError};
use crate::hash::Start;
use crate::hedge::Randomness;
use crate::params::NONCE_LEN;
use crate::signing::{Fit, KeySource};

/// A message to sign, and its randomness.
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

/// An encoded signature to verify.
pub(crate) struct EncodedVerification<'a> {
    /// The key in the transform domain.
    pub(crate) prepared: &'a [i16],
    pub(crate) message: &'a [u8],
    pub(crate) signature: &'a [u8],
    /// Bytes to bring into the cache while this job is verified.
    pub(crate) ahead: &'a [u8],
}

/// Nonce and `s2` of a signature, or an error if signing failed.
pub(crate) type Signed<'s> = Result<(&'s [u8; NONCE_LEN], &'s [i16]), FaultError>;

/// Receives the number of a job and its signature.
pub(crate) type Deliver<'a> = &'a mut dyn FnMut(usize, Signed<'_>);

/// The batch operations of a CPU engine.
pub(crate) trait BatchOperations: Send + Sync {
    /// Signs the jobs in any order. `start` is the hash function for messages.
    fn sign_jobs(&self, logn: u32, start: &Start, jobs: &[Job<'_>], fit: Fit, deliver: Deliver<'_>);

    /// Verifies every job. `out` has one element for each job.
    fn verify_jobs(
        &self,
        logn: u32,
        jobs: &[Verification<'_>],
        out: &mut [Result<(), SignatureError>],
    );

    /// Decodes and verifies every job. `out` has one element for each job.
    fn verify_encoded(&self, logn: u32, jobs: &[EncodedVerification<'_>], out: &mut [Verdict]);
}

//! Batches with the caller's randomness; see [`hazmat`](crate::hazmat).

use super::{BatchError, JobKey};
use crate::hedge::RawRandomness;
use crate::params::Parameters;
use crate::signatures::Signature;
use crate::signing::Fit;

/// A message to sign with the caller's nonce and sampler seed.
#[derive(Clone, Copy, Debug)]
pub struct RawJob<'a, P: Parameters> {
    /// The key.
    pub key: JobKey<'a, P>,
    /// The message.
    pub message: &'a [u8],
    /// Nonce and sampler seed.
    pub randomness: RawRandomness<'a>,
}

impl<'a, P: Parameters> RawJob<'a, P> {
    /// Signs `message` with `key`: a `&SigningKey` or an `&ExpandedKey`.
    pub fn new(
        key: impl Into<JobKey<'a, P>>,
        message: &'a [u8],
        randomness: RawRandomness<'a>,
    ) -> Self {
        let key = key.into();
        Self {
            key,
            message,
            randomness,
        }
    }
}

/// An engine that signs many messages at once with the caller's nonces and
/// sampler seeds.
pub trait BatchSignRaw<P: Parameters>: Send + Sync {
    /// Signs every job with its own nonce and sampler seed: `out[i]` is the
    /// signature of `jobs[i]`.
    ///
    /// # Errors
    /// As for [`BatchSign::sign_batch`](super::BatchSign::sign_batch).
    fn sign_batch_raw(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError>;
}

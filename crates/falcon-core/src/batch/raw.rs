//! Batches with the caller's randomness; see [`hazmat`](crate::hazmat).

use super::{BatchError, JobKey, debug_without_message};
use crate::hedge::RawRandomness;
use crate::params::Parameters;
use crate::signatures::Signature;
use crate::signing::Fit;

/// A message to sign with the caller's randomness: a nonce and the seed of the stream of sampler
/// seeds.
///
/// **Never sign another message, or this one under another [`Fit`], with the same randomness**: see
/// [`sign_raw`](crate::hazmat::sign_raw).
///
/// ```
/// use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
/// use falcon_core::{Engine, Falcon512, Signature, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let (nonce, seed) = ([1; 40], [2; 48]); // of a test vector
/// let randomness = RawRandomness { nonce: &nonce, seed: &seed };
/// let jobs = [RawJob::new(&key, b"order #42", randomness)];
/// let mut out = [Signature::EMPTY; 1];
/// Engine::best().sign_batch_raw(&jobs, Fit::Any, &mut out)?;
/// assert_eq!(out[0].nonce(), &nonce);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct RawJob<'a, P: Parameters> {
    /// Key that signs.
    pub key: JobKey<'a, P>,
    /// Message to sign.
    pub message: &'a [u8],
    /// The nonce, and the seed of the stream of sampler seeds.
    pub randomness: RawRandomness<'a>,
}

impl<'a, P: Parameters> RawJob<'a, P> {
    /// Creates a job that signs `message` with `key`, a `&SigningKey` or an `&ExpandedKey`.
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

debug_without_message!(RawJob, randomness);

/// An engine that signs many messages at once with the caller's randomness.
pub trait BatchSignRaw<P: Parameters>: Send + Sync {
    /// Signs every job with its own [`RawRandomness`]: `out[i]` is the
    /// signature of `jobs[i]`.
    ///
    /// **Never sign twice with the same randomness, unless message and `fit` are the same too**:
    /// see [`sign_raw`](crate::hazmat::sign_raw).
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

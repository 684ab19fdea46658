//! Many signatures with one call, on any engine.
//!
//! ```
//! use falcon_core::batch::{BatchSign, BatchVerify, SignJob, VerifyJob};
//! use falcon_core::{Engine, Falcon512, SignatureError, SigningKey};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
//! let messages = [&b"one"[..], b"two", b"three"];
//! let jobs = messages.map(|message| SignJob::new(&key, message));
//! let signatures = Engine::best().sign_batch_with_rng(&mut rng, &jobs)?;
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
//! let mut verdicts = [Err(SignatureError); 3];
//! Engine::best().verify_batch(&jobs, &mut verdicts)?;
//! assert_eq!(verdicts, [Ok(()); 3]);
//! # Ok(())
//! # }
//! ```
//!
//! The nonce of job `i` comes from the seed of the batch, from `i` and from the secret key. The
//! sampler seeds of the job also depend on the first 40 coefficients of the hashed point. So no
//! randomness is used twice, and every engine gives the same bytes.

pub(crate) mod cpu;
pub(crate) mod jobs;
pub(crate) mod lanes;
pub(crate) mod raw;
mod round3;
#[cfg(test)]
mod tests;
#[cfg(feature = "threads")]
pub(crate) mod threads;
pub(crate) mod verified;

use crate::error::{DecodeError, SignatureError};
use crate::expand::ExpandedKey;
use crate::hedge::{SECRET_HASH_LEN, SEED_LEN};
use crate::keys::SigningKey;
use crate::params::Parameters;
use crate::secret::Secret;
use crate::signatures::Signature;
use crate::signing::KeySource;
use crate::verify::VerifyingKey;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// The key of a job: a signing key or an expanded key.
///
/// An expanded key signs faster on a CPU; a signing key is smaller. A CPU expands a signing key
/// once for each group of two or more neighbouring jobs with that key, and a GPU once for all
/// batches.
///
/// ```
/// use falcon_core::batch::JobKey;
/// use falcon_core::{Falcon512, SigningKey};
/// # fn main() -> Result<(), falcon_core::FaultError> {
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let (signing, expanded) = (JobKey::from(&key), key.expand());
/// assert_eq!(signing.verifying_key(), JobKey::from(&expanded).verifying_key());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum JobKey<'a, P: Parameters> {
    /// A signing key.
    Signing(&'a SigningKey<P>),
    /// An expanded key.
    Expanded(&'a ExpandedKey<P>),
}

impl<'a, P: Parameters> From<&'a SigningKey<P>> for JobKey<'a, P> {
    fn from(key: &'a SigningKey<P>) -> Self {
        Self::Signing(key)
    }
}

impl<'a, P: Parameters> From<&'a ExpandedKey<P>> for JobKey<'a, P> {
    fn from(key: &'a ExpandedKey<P>) -> Self {
        Self::Expanded(key)
    }
}

impl<'a, P: Parameters> JobKey<'a, P> {
    /// Returns the verifying key of this signing key.
    pub fn verifying_key(self) -> &'a VerifyingKey<P> {
        match self {
            Self::Signing(key) => key.verifying_key(),
            Self::Expanded(key) => key.verifying_key(),
        }
    }

    /// Returns true if `other` is the same key at the same address.
    pub fn is_same(self, other: Self) -> bool {
        self.source().is_same(&other.source())
    }

    fn source(self) -> KeySource<'a> {
        match self {
            Self::Signing(key) => key.source(),
            Self::Expanded(key) => key.source(),
        }
    }

    fn secret_hash(self) -> &'a [u8; SECRET_HASH_LEN] {
        match self {
            Self::Signing(key) => key.secret_hash(),
            Self::Expanded(key) => key.secret_hash(),
        }
    }
}

/// A message to sign, with its key.
///
/// ```
/// use falcon_core::batch::{BatchSign, SignJob};
/// use falcon_core::{Engine, Falcon512, Signature, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?.expand();
/// let jobs = [SignJob::new(&key, b"one"), SignJob::new(&key, b"two")];
/// let mut signatures = [Signature::EMPTY; 2];
/// # let fresh_seed = [1; 32];
/// Engine::best().sign_batch(&fresh_seed, &jobs, &mut signatures)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct SignJob<'a, P: Parameters> {
    /// Key of the job. Put jobs with the same key next to each other.
    pub key: JobKey<'a, P>,
    /// Message to sign.
    pub message: &'a [u8],
}

impl<'a, P: Parameters> SignJob<'a, P> {
    /// Creates a job that signs `message` with `key`, a `&SigningKey` or an `&ExpandedKey`.
    ///
    /// An expanded key must own its storage, as one from [`SigningKey::expand`] does. An expanded
    /// key in caller-owned storage cannot be used in a batch.
    pub fn new(key: impl Into<JobKey<'a, P>>, message: &'a [u8]) -> Self {
        let key = key.into();
        Self { key, message }
    }
}

/// A signature to verify.
///
/// ```
/// use falcon_core::batch::{BatchVerify, VerifyJob};
/// use falcon_core::{Engine, Falcon512, SignatureError, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let signer = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let signature = &signer.sign_with_rng(&mut rng, b"order #42")?;
/// # let key = signer.verifying_key();
///
/// let job = |message| VerifyJob { key, message, signature };
/// let mut verdicts = [Err(SignatureError); 2];
/// Engine::best().verify_batch(&[job(b"order #42"), job(b"order #43")], &mut verdicts)?;
/// assert_eq!(verdicts, [Ok(()), Err(SignatureError)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct VerifyJob<'a, P: Parameters> {
    /// Verifying key that the signature must match.
    pub key: &'a VerifyingKey<P>,
    /// Message as it was signed.
    pub message: &'a [u8],
    /// Signature to verify.
    pub signature: &'a Signature<P>,
}

/// An encoded signature to verify.
///
/// ```
/// use falcon_core::batch::{BatchVerify, Verdict, VerifyBytesJob};
/// use falcon_core::{Engine, Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let signer = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let bytes = signer.sign_with_rng(&mut rng, b"order #42")?.to_bytes();
/// # let (key, message) = (signer.verifying_key(), &b"order #42"[..]);
///
/// let job = |signature| VerifyBytesJob { key, message, signature };
/// let mut verdicts = [Verdict::Invalid; 2];
/// Engine::best().verify_bytes_batch(&[job(&bytes), job(&bytes[..600])], &mut verdicts)?;
/// assert_eq!(verdicts, [Verdict::Valid, Verdict::Malformed]); // the second one is truncated
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct VerifyBytesJob<'a, P: Parameters> {
    /// Verifying key that the signature must match.
    pub key: &'a VerifyingKey<P>,
    /// Message as it was signed.
    pub message: &'a [u8],
    /// Canonical bytes, as [`Signature::to_bytes`] writes them: the padded form, if the signature
    /// fits it. Shorter bytes are malformed. For compressed signatures, as other libraries write
    /// them, use [`Signature::from_bytes`] and [`VerifyJob`].
    pub signature: &'a [u8],
}

/// Result of verifying an encoded signature. Tables store verdicts as these numbers.
///
/// ```
/// use falcon_core::SignatureError;
/// use falcon_core::batch::Verdict;
///
/// let verdict = Verdict::try_from(3)?;
/// assert_eq!(verdict, Verdict::UnknownKey);
/// assert_eq!(verdict as u8, 3);
/// assert_eq!(verdict.to_string(), "unknown_key");
/// assert!(!verdict.is_valid());
/// assert_eq!(Result::from(verdict), Err(SignatureError));
/// # Ok::<(), falcon_core::batch::UnknownVerdict>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Verdict {
    /// The key made the signature for this message.
    Valid = 0,
    /// The key did not make the signature for this message.
    Invalid = 1,
    /// The bytes are not a signature of the key's parameter set, or `s2` alone exceeds the norm
    /// bound. For a row also: its message or its signature is null.
    Malformed = 2,
    /// The row has no key, whatever its other columns hold. Only
    /// [`rows::verify`](crate::rows::verify) gives this verdict.
    UnknownKey = 3,
}

impl Verdict {
    /// Returns whether the signature is valid.
    pub const fn is_valid(self) -> bool {
        matches!(self, Self::Valid)
    }

    /// Converts the result of verifying a decoded signature.
    const fn of_decoded(result: Result<(), SignatureError>) -> Self {
        match result {
            Ok(()) => Self::Valid,
            Err(SignatureError) => Self::Invalid,
        }
    }
}

impl fmt::Display for Verdict {
    /// Prints the name that summaries of tables use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Malformed => "malformed",
            Self::UnknownKey => "unknown_key",
        })
    }
}

/// Error for a number that is not a [`Verdict`].
///
/// ```
/// use falcon_core::batch::{UnknownVerdict, Verdict};
///
/// assert_eq!(Verdict::try_from(4), Err(UnknownVerdict(4)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVerdict(pub u8);

impl fmt::Display for UnknownVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a verdict: those are 0 to 3", self.0)
    }
}

impl core::error::Error for UnknownVerdict {}

impl TryFrom<u8> for Verdict {
    type Error = UnknownVerdict;

    fn try_from(number: u8) -> Result<Self, UnknownVerdict> {
        let all = [
            Self::Valid,
            Self::Invalid,
            Self::Malformed,
            Self::UnknownKey,
        ];
        let found = all.into_iter().find(|&verdict| verdict as u8 == number);
        found.ok_or(UnknownVerdict(number))
    }
}

impl From<Verdict> for Result<(), SignatureError> {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Ok(()),
            _ => Err(SignatureError),
        }
    }
}

/// Prints the length of the message, not the message.
macro_rules! debug_without_message {
    ($job:ident, $($field:ident),*) => {
        impl<P: Parameters> core::fmt::Debug for $job<'_, P> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($job))
                    .field("key", &self.key)
                    .field("message_len", &self.message.len())
                    $(.field(stringify!($field), &self.$field))*
                    .finish()
            }
        }
    };
}
pub(crate) use debug_without_message;
debug_without_message!(SignJob,);
debug_without_message!(VerifyJob, signature);
debug_without_message!(VerifyBytesJob, signature);

/// A batch failed. The output is unchanged, except after [`Fault`](Self::Fault) on a CPU.
///
/// ```
/// use falcon_core::batch::{BatchError, BatchSign, SignJob};
/// use falcon_core::{Engine, Falcon512, Signature, SigningKey};
/// # fn main() -> Result<(), falcon_core::FaultError> {
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let jobs = [SignJob::new(&key, b"one"), SignJob::new(&key, b"two")];
/// let mut too_few = [Signature::EMPTY; 1];
/// let result = Engine::best().sign_batch(&[1; 32], &jobs, &mut too_few);
/// assert_eq!(result, Err(BatchError::OutputLength { jobs: 2, output: 1 }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The length of the output differs from the number of jobs.
    OutputLength {
        /// Number of jobs.
        jobs: usize,
        /// Length of the output.
        output: usize,
    },
    /// The engine failed, for the reason in the text. Only GPU engines return this error.
    Engine(alloc::string::String),
    /// A hardware fault was detected: too many attempts at a job failed, or a signature that was
    /// verified after signing is not valid.
    ///
    /// On a CPU, an engine then still signs the other jobs. The output of each job that failed is
    /// [`Signature::EMPTY`], which is not valid. An engine that verifies after signing leaves the
    /// output unchanged, and so does a GPU.
    Fault {
        /// Index of the first job of this call that failed, counted from 0.
        job: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutputLength { jobs, output } => {
                write!(f, "{jobs} jobs, but the output holds {output}")
            }
            Self::Engine(what) => write!(f, "engine failed: {what}"),
            Self::Fault { job } => write!(
                f,
                "the engine computed wrongly: job {job} (from 0 on) has no valid signature"
            ),
        }
    }
}

impl core::error::Error for BatchError {}

/// An engine that signs many messages at once.
///
/// ```
/// use falcon_core::batch::{BatchSign, SignJob};
/// use falcon_core::{Engine, Falcon512, SigningKey};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
/// let jobs = [SignJob::new(&key, b"one"), SignJob::new(&key, b"two")];
/// let signatures = Engine::best().sign_batch_with_rng(&mut rng, &jobs)?;
/// assert_eq!(signatures.len(), 2);
/// # Ok(())
/// # }
/// ```
pub trait BatchSign<P: Parameters>: Send + Sync {
    /// Signs every job: `out[i]` is the signature of `jobs[i]`.
    ///
    /// `seed` must be fresh: never use it for another batch.
    ///
    /// # Errors
    /// [`BatchError`]; `out` is then unchanged, except after [`BatchError::Fault`] on a CPU. After
    /// [`BatchError::Fault`] sign with a fresh seed. If a wrong signature got out, signing again
    /// with the old seed may reveal the key: a right and a wrong signature together can.
    fn sign_batch(
        &self,
        seed: &[u8; SEED_LEN],
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        self.sign_part(seed, 0, jobs, out)
    }

    /// Signs every job of a batch. The seed of the batch is drawn from `rng`.
    ///
    /// ```
    /// use falcon_core::batch::{BatchSign, SignJob};
    /// use falcon_core::{Engine, Falcon512, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// let key = SigningKey::<Falcon512>::generate(&mut rng)?.expand();
    /// let jobs = [SignJob::new(&key, b"one"), SignJob::new(&key, b"two")];
    /// let signatures = Engine::best().sign_batch_with_rng(&mut rng, &jobs)?;
    /// # assert!(key.verifying_key().verify(b"two", &signatures[1]).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`sign_batch`](Self::sign_batch).
    fn sign_batch_with_rng(
        &self,
        rng: &mut dyn CryptoRng,
        jobs: &[SignJob<'_, P>],
    ) -> Result<Vec<Signature<P>>, BatchError> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        let mut out = vec![Signature::EMPTY; jobs.len()];
        self.sign_batch(&seed, jobs, &mut out)?;
        Ok(out)
    }

    /// Signs a part of a batch: `jobs[i]` is job number `first + i` of the batch,
    /// modulo `2^64`.
    ///
    /// Parts may be signed in any order and on any engine. Together, the parts give the signatures
    /// of [`sign_batch`](Self::sign_batch). Never use a job number twice with one seed.
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

/// An engine that verifies many signatures at once. [`VerifyJob`] and [`VerifyBytesJob`] have
/// examples.
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

    /// Decodes and verifies every job: `out[i]` is the verdict on the bytes of `jobs[i]`.
    ///
    /// # Errors
    /// As for [`verify_batch`](Self::verify_batch).
    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        verify_decoded(self, jobs, |bytes| Signature::try_from(bytes), out)
    }

    /// Works as [`verify_bytes_batch`](Self::verify_bytes_batch) does. While the engine verifies
    /// `jobs[i]`, it may also load `ahead[i]`, if it exists, into the cache. The caller reads these
    /// bytes next, so loading them overlaps with the arithmetic.
    #[doc(hidden)]
    fn verify_bytes_batch_ahead(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        ahead: &[&[u8]],
        out: &mut [Verdict],
    ) -> Result<(), BatchError> {
        let _ = ahead;
        self.verify_bytes_batch(jobs, out)
    }
}

/// Checks that the output has one element for each job.
pub(crate) fn check_lengths(jobs: usize, output: usize) -> Result<(), BatchError> {
    if jobs == output {
        Ok(())
    } else {
        Err(BatchError::OutputLength { jobs, output })
    }
}

/// Decodes the signatures with `decode` and verifies them.
pub(crate) fn verify_decoded<P: Parameters>(
    engine: &(impl BatchVerify<P> + ?Sized),
    jobs: &[VerifyBytesJob<'_, P>],
    decode: impl Fn(&[u8]) -> Result<Signature<P>, DecodeError>,
    out: &mut [Verdict],
) -> Result<(), BatchError> {
    check_lengths(jobs.len(), out.len())?;
    let decoded: Vec<_> = jobs.iter().map(|job| decode(job.signature)).collect();
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
    let mut results = vec![Err(SignatureError); verify.len()];
    engine.verify_batch(&verify, &mut results)?;
    out.fill(Verdict::Malformed);
    let well_formed = out.iter_mut().zip(&decoded).filter(|(_, it)| it.is_ok());
    for ((out, _), result) in well_formed.zip(results) {
        *out = Verdict::of_decoded(result);
    }
    Ok(())
}

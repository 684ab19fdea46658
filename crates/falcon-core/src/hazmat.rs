//! Functions whose misuse reveals the key. They are for test drivers, protocols with their own
//! rules, and experts.
//!
//! **Two signatures of the same hashed point with different sampler randomness
//! leak the secret key.** So does one sampler seed that is used for two points.
//! The signing functions here let the caller break these rules.
//!
//! Functions whose names end in `_on` compute on a given engine.

use crate::codec::compressed_len;
use crate::engine::Best;
use crate::error::{DecodeError, SignatureError};
use crate::expand::{ExpandedKey, Storage};
use crate::hash;
use crate::hash_to_point::is_point;
use crate::hedge::{GivenSeeds, Randomness, SECRET_HASH_LEN, SEED_LEN, SamplerSeed};
use crate::keys::SigningKey;
use crate::operations::Operations;
use crate::params::{NONCE_LEN, Parameters};
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::sign::{SignStream, sign};
use crate::signatures::Signature;
use crate::twice::sign_twice;
use crate::verify::VerifyingKey;
use zeroize::Zeroizing;

#[cfg(feature = "alloc")]
pub use crate::batch::raw::{BatchSignRaw, RawJob};
#[cfg(feature = "alloc")]
pub use crate::batch::verified::VerifyAfterSign;
pub use crate::error::{FaultError, SignWithHashError};
pub use crate::hash_to_point::{
    Cshake256HashToPoint, HashToPoint, OtherNonce, PointHasher, Shake256HashToPoint,
    Shake256PointHasher,
};
pub use crate::hedge::RawRandomness;
pub use crate::params::insecure;
pub use crate::prng::SAMPLER_SEED_LEN;
pub use crate::signing::Fit;

/// An engine for the functions whose names end in `_on`: an [`Engine`](crate::Engine), or the
/// arithmetic of one. Sealed: other crates cannot implement it.
#[allow(private_bounds)]
pub trait ComputeOn: Operations {}
impl<T: Operations> ComputeOn for T {}

/// A secret key in either form: [`SigningKey`] or [`ExpandedKey`]. Sealed: other
/// crates cannot implement it.
#[allow(private_bounds)]
pub trait SecretKey<P: Parameters>: Secret<P> + AsRef<VerifyingKey<P>> {}
impl<P: Parameters, K: Secret<P> + AsRef<VerifyingKey<P>>> SecretKey<P> for K {}

/// Signs with the caller's nonce and sampler seed, as NIST's test driver does.
///
/// **Never sign twice with the same randomness, unless message and `fit` are the same too.**
/// Another message would use the same sampler seeds. With another `fit`, a later attempt at the
/// same point may be returned. Either reveals the key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{Fit, RawRandomness, sign_raw};
/// use falcon_core::{Falcon512, Scratch, SigningKey};
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let (nonce, seed) = ([1; 40], [2; 48]); // of a test vector
/// let randomness = RawRandomness { nonce: &nonce, seed: &seed };
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let signature = sign_raw(&key, randomness, b"order #42", Fit::Any, &mut scratch)?;
/// assert_eq!(signature.nonce(), &nonce);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`FaultError`] if a hardware fault was detected.
pub fn sign_raw<P: Parameters>(
    key: &impl SecretKey<P>,
    randomness: RawRandomness<'_>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, FaultError> {
    sign_raw_on(Best::find(), key, randomness, message, fit, scratch)
}

/// Signs as [`sign_raw`] does, on the engine `on`. The bytes and the danger are the same.
///
/// # Errors
/// As for [`sign_raw`].
pub fn sign_raw_on<P: Parameters>(
    on: impl ComputeOn,
    key: &impl SecretKey<P>,
    randomness: RawRandomness<'_>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, FaultError> {
    let point = |c: &mut [u16]| {
        Shake256HashToPoint.hash_to_point(randomness.nonce, message, c);
        Ok(())
    };
    let nonce = *randomness.nonce;
    let mut seeds = Randomness::from(randomness);
    sign(on, key, nonce, point, &mut seeds, fit, scratch)
}

/// Signs with the caller's nonce and with sampler seeds that `next_seed` writes, one for each
/// attempt. An error of `next_seed` ends the call, and nothing is signed. Each seed must differ
/// from the one before: with the seed of a refused attempt, the same attempt is refused again.
/// After 256 refused attempts the call ends with a [`FaultError`], which becomes an `E`.
///
/// **The seeds must be secret, unpredictable and never used again.** Two signatures of one message
/// and nonce from different seeds reveal the key. So does a seed that is used for two messages, or
/// for one message with two values of `fit`. Whoever knows the seed of a signature can compute the
/// key.
///
/// The reference's interface `falcon.h` and falcon.py draw the nonce and the seeds from a generator
/// that is already in use:
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{FaultError, Fit, sign_with_seeds};
/// use falcon_core::{Falcon512, Scratch, SigningKey};
/// use sha3::digest::{ExtendableOutput, Update, XofReader}; // sha3 0.11
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let mut stream = sha3::Shake256::default().chain(b"a secret seed").finalize_xof();
/// for message in [&b"order #42"[..], b"order #43"] {
///     let mut nonce = [0; 40];
///     stream.read(&mut nonce);
///     let next_seed = |seed: &mut [u8; 56]| {
///         stream.read(seed);
///         Ok::<_, FaultError>(())
///     };
///     let signature =
///         sign_with_seeds(&key, &nonce, next_seed, message, Fit::Padded, &mut scratch)?;
///     assert!(key.verifying_key().verify(message, &signature).is_ok());
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// A list of seeds may end before a signature is found:
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use falcon_core::hazmat::{FaultError, Fit, sign_with_seeds};
/// # use falcon_core::{Falcon512, Scratch, SigningKey};
/// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// # let mut scratch = Scratch::new(&mut reals)?;
/// # let nonce = [1; 40];
/// #[derive(Debug, PartialEq)]
/// enum Failure {
///     NoSeedLeft,
///     Fault,
/// }
/// impl From<FaultError> for Failure {
///     fn from(_: FaultError) -> Self {
///         Self::Fault
///     }
/// }
///
/// let mut seeds = [[2; 56], [3; 56]].into_iter();
/// let next_seed = |seed: &mut [u8; 56]| {
///     *seed = seeds.next().ok_or(Failure::NoSeedLeft)?;
///     Ok::<_, Failure>(())
/// };
/// let result = sign_with_seeds(&key, &nonce, next_seed, b"order #42", Fit::Any, &mut scratch);
/// assert!(result.is_ok());
/// let none = |_: &mut [u8; 56]| Err(Failure::NoSeedLeft);
/// let result = sign_with_seeds(&key, &nonce, none, b"order #42", Fit::Any, &mut scratch);
/// assert_eq!(result, Err(Failure::NoSeedLeft));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// The error of `next_seed`, or a [`FaultError`] if a hardware fault was detected or 256 attempts
/// were refused.
pub fn sign_with_seeds<P: Parameters, E: From<FaultError>>(
    key: &impl SecretKey<P>,
    nonce: &[u8; NONCE_LEN],
    next_seed: impl FnMut(&mut [u8; SAMPLER_SEED_LEN]) -> Result<(), E>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, E> {
    sign_with_seeds_on(Best::find(), key, nonce, next_seed, message, fit, scratch)
}

/// Signs as [`sign_with_seeds`] does, on the engine `on`. The bytes and the danger are the same.
///
/// # Errors
/// As for [`sign_with_seeds`].
pub fn sign_with_seeds_on<P: Parameters, E: From<FaultError>>(
    on: impl ComputeOn,
    key: &impl SecretKey<P>,
    nonce: &[u8; NONCE_LEN],
    mut next_seed: impl FnMut(&mut [u8; SAMPLER_SEED_LEN]) -> Result<(), E>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, E> {
    let point = |c: &mut [u16]| {
        Shake256HashToPoint.hash_to_point(nonce, message, c);
        Ok::<_, FaultError>(())
    };
    let mut failure = None;
    let mut seeds = GivenSeeds(|seed: &mut SamplerSeed| match next_seed(seed) {
        Ok(()) => Some(()),
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    let signed = sign(on, key, *nonce, point, &mut seeds, fit, scratch);
    match failure {
        None => Ok(signed?),
        Some(error) => Err(error),
    }
}

/// Signs without fresh randomness: the same message always gets the same
/// signature.
///
/// **Two different signatures of one message reveal the key.** They can come about in two ways:
///
/// - A fault: an attacker makes the device compute wrongly once. So this function signs twice,
///   compares, verifies with the public key, and returns nothing if anything is wrong. It does not
///   detect a fault that occurs twice in the same way. The message is hashed five times.
/// - Different arithmetic: another implementation of Falcon that derives the same randomness and
///   rounds differently. All engines of this crate give the same bytes; never sign with the same
///   derivation elsewhere.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::sign_deterministic;
/// use falcon_core::{Falcon512, Scratch, SigningKey};
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let first = sign_deterministic(&key, b"order #42", &mut scratch)?;
/// assert_eq!(first, sign_deterministic(&key, b"order #42", &mut scratch)?);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`FaultError`] if a hardware fault was detected.
pub fn sign_deterministic<P: Parameters>(
    key: &impl SecretKey<P>,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, FaultError> {
    sign_twice(key.as_ref(), message, || {
        sign_derandomised(key, message, scratch)
    })
}

/// Signs with a seed that is derived from key and message.
fn sign_derandomised<P: Parameters>(
    key: &impl SecretKey<P>,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, FaultError> {
    let message_hash: [u8; 64] = hash::with_stream(&[message], |stream| stream.read_array());
    let pieces: [&[u8]; 3] = [b"falcon deterministic", key.secret_hash(), &message_hash];
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    hash::with_stream(&pieces, |stream| stream.read(&mut *seed));
    SignStream::with(key, &seed, |stream| {
        stream.update(message);
        stream.finish_on(Best::find(), scratch)
    })
}

/// Signs with `hash` as the hash from messages to points, and with hedged randomness from `seed`,
/// which must be fresh. In case a seed repeats, the points of two messages must differ in their
/// first 40 coefficients. [`HashToPoint`] states this condition.
///
/// **Two signatures of one point reveal the key.** Fresh seeds give fresh nonces, and so different
/// points, only if `hash` depends on the nonce. With [`OtherNonce`] or another hash that ignores
/// the nonce, never sign one message twice.
///
/// # Errors
/// [`SignWithHashError::Point`] if `hash` gives a coefficient that is not below `q`. Two points
/// that are equal modulo `q` would be one point with two signatures from one seed, and these reveal
/// the key. [`SignWithHashError::Fault`] if a hardware fault was detected.
pub fn sign_with_hash<P: Parameters>(
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &impl HashToPoint,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, SignWithHashError> {
    sign_with_hash_on(Best::find(), key, seed, hash, message, scratch)
}

/// Signs as [`sign_with_hash`] does, on the engine `on`.
///
/// # Errors
/// As for [`sign_with_hash`].
pub fn sign_with_hash_on<P: Parameters>(
    on: impl ComputeOn,
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &impl HashToPoint,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, SignWithHashError> {
    let mut seeds = Randomness::hedged(seed, 0, key.secret_hash());
    let nonce = seeds.nonce();
    let point = |c: &mut [u16]| {
        hash.hash_to_point(&nonce, message, c);
        if is_point(c) {
            Ok(())
        } else {
            Err(SignWithHashError::Point)
        }
    };
    sign(on, key, nonce, point, &mut seeds, Fit::Padded, scratch)
}

/// Verifies with `hash` as the hash from messages to points.
///
/// # Errors
/// [`SignatureError`] if the signature is not valid.
pub fn verify_with_hash<P: Parameters>(
    key: &VerifyingKey<P>,
    hash: &impl HashToPoint,
    message: &[u8],
    signature: &Signature<P>,
) -> Result<(), SignatureError> {
    key.verify_with(hash, message, signature)
}

/// Verifies that `signature` is a short preimage of the point `c`, which has `n`
/// coefficients below `q`. The nonce is ignored.
///
/// The zero signature is valid for the point 0 under every key.
///
/// # Errors
/// [`SignatureError`] if `signature` is not a short preimage, or if `c` is not a point.
pub fn verify_point<P: Parameters>(
    key: &VerifyingKey<P>,
    c: &[u16],
    signature: &Signature<P>,
) -> Result<(), SignatureError> {
    if c.len() != P::N || !is_point(c) {
        return Err(SignatureError);
    }
    key.verify_point(Best::find(), |point| point.copy_from_slice(c), signature)
}

/// Generates the key that the reference generates from the stream `SHAKE256(seed)`, for a seed of
/// any length.
///
/// **Whoever guesses the seed has the key.** The length is not checked: a short or empty seed gives
/// a key, too. For seeds of 32 bytes call [`SigningKey::from_seed`], for seeds of 48 bytes
/// [`SigningKey::from_reference_seed`]. They generate the same keys as this function.
///
/// ```
/// use falcon_core::hazmat::signing_key_from_seed;
/// use falcon_core::{Falcon512, SigningKey};
///
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// let seed = [0x0b; 48];
/// let key = signing_key_from_seed::<Falcon512>(&seed)?;
/// let same = SigningKey::<Falcon512>::from_reference_seed(&seed)?;
/// assert_eq!(key.verifying_key(), same.verifying_key());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`FaultError`] if a hardware fault was detected.
///
/// Source: Falcon specification v1.2, algorithm 4 (Keygen), without the tree; the stream is that of
/// the reference's test driver.
#[cfg(feature = "alloc")]
pub fn signing_key_from_seed<P: Parameters>(seed: &[u8]) -> Result<SigningKey<P>, FaultError> {
    SigningKey::from_any_seed(seed)
}

/// Makes a key from its short basis `f`, `g`, `F`, `G`, with `n` coefficients each, as
/// [`secret_basis`] gives it.
///
/// **A basis that Falcon's key generation did not draw may be easy to find from the public key.**
/// This function cannot detect that. It checks only the conditions that are listed under Errors.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{insecure::InsecureFalcon4, signing_key_from_basis};
///
/// // The first key of degree 4 of falcon.py's test vectors.
/// let f = [-80, 39, 19, -15];
/// let g = [12, 16, -9, -44];
/// let capital_f = [-2, -121, -5, 20];
/// let capital_g = [-75, -17, -15, -14];
/// let key = signing_key_from_basis::<InsecureFalcon4>([&f, &g, &capital_f, &capital_g])?;
/// let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// assert!(key.verifying_key().verify(b"order #42", &signature).is_ok());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`DecodeError::Length`] if a polynomial has another length, [`DecodeError::Range`] if a
/// coefficient does not fit the encoding of keys, [`DecodeError::KeyNorm`] if `(f, g)` or its
/// orthogonalised partner is longer than key generation allows, [`DecodeError::InvalidKey`] if
/// `fG - gF` is not `q` or `f` is not invertible.
pub fn signing_key_from_basis<P: Parameters>(
    basis: [&[i8]; 4],
) -> Result<SigningKey<P>, DecodeError> {
    SigningKey::from_basis(basis)
}

/// Returns the secret reals of an expanded key, for engines that upload them: `4n` of the basis in
/// the FFT domain, then the tree in order of use. Keep them as secret as the key.
pub fn expanded_reals<P: Parameters, B: Storage>(key: &ExpandedKey<P, B>) -> &[f64] {
    key.reals()
}

/// Returns the short basis of a key, for engines that upload it: `f`, `g`, `F`, `G`, with `n`
/// coefficients each. Keep them as secret as the key.
pub fn secret_basis<P: Parameters>(key: &SigningKey<P>) -> [&[i8]; 4] {
    let basis = key.basis();
    [basis.f, basis.g, basis.capital_f, basis.capital_g]
}

/// Returns the hash of the secret key from which engines derive nonces and sampler seeds. It also
/// identifies the key. Keep it as secret as the key.
pub fn secret_hash<P: Parameters>(key: &impl SecretKey<P>) -> &[u8; SECRET_HASH_LEN] {
    key.secret_hash()
}

/// Makes a signature from a nonce and the `n` coefficients of `s2`, which another engine computed.
/// Returns `None` if `s2` has another length, if a magnitude exceeds 2047, or if the norm is too
/// large for any valid signature.
pub fn signature_from_nonce_and_s2<P: Parameters>(
    nonce: &[u8; NONCE_LEN],
    s2: &[i16],
) -> Option<Signature<P>> {
    let mut signature = Signature::<P>::EMPTY;
    signature.nonce = *nonce;
    if s2.len() != P::N || compressed_len(s2).is_none() {
        return None;
    }
    signature.s2.as_mut().copy_from_slice(s2);
    signature.fits_the_bound().then_some(signature)
}

#[cfg(test)]
mod tests;

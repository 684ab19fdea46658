//! Functions whose misuse reveals the key: for test drivers, for protocols with
//! rules of their own, and for experts.
//!
//! **Two signatures of the same hashed point with different sampler randomness
//! leak the secret key.** So does one sampler seed that is used for two points.
//! Everything here lets the caller break these rules.
//!
//! Functions that end in `_on` compute on a named engine.

use crate::codec::compressed_len;
use crate::engine::{Best, Operations};
use crate::error::SignatureError;
use crate::expand::{ExpandedKey, Storage};
use crate::hash::{Shake256, Shake256Reader};
use crate::hash_to_point::is_point;
use crate::hedge::{Randomness, SECRET_HASH_LEN, SEED_LEN};
use crate::keys::SigningKey;
use crate::params::{NONCE_LEN, Parameters};
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::sign::{SignStream, sign};
use crate::signatures::Signature;
use crate::verify::VerifyingKey;
use core::convert::Infallible;
use zeroize::Zeroizing;

#[cfg(feature = "alloc")]
pub use crate::batch::raw::{BatchSignRaw, RawJob};
pub use crate::error::PointError;
pub use crate::hash_to_point::{
    HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher,
};
pub use crate::hedge::RawRandomness;
pub use crate::signing::Fit;

/// Place where the functions that end in `_on` compute: an [`Engine`](crate::Engine), or the
/// arithmetic of one. Sealed: other crates cannot implement it.
#[allow(private_bounds)]
pub trait ComputeOn: Operations {}
impl<T: Operations> ComputeOn for T {}

/// A secret key in either form: [`SigningKey`] or [`ExpandedKey`]. Sealed: other
/// crates cannot implement it.
#[allow(private_bounds)]
pub trait SecretKey<P: Parameters>: Secret<P> {}
impl<P: Parameters, K: Secret<P>> SecretKey<P> for K {}

/// Signs with the caller's nonce and sampler seed, as NIST's test driver does.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::ScratchTooSmall> {
/// use falcon_core::hazmat::{Fit, RawRandomness, sign_raw};
/// use falcon_core::{Falcon512, Scratch, SigningKey};
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32]);
/// let (nonce, seed) = ([1; 40], [2; 48]); // of a test vector
/// let randomness = RawRandomness { nonce: &nonce, seed: &seed };
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let signature = sign_raw(&key, randomness, b"order #42", Fit::Any, &mut scratch);
/// assert_eq!(signature.nonce(), &nonce);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub fn sign_raw<P: Parameters>(
    key: &impl SecretKey<P>,
    randomness: RawRandomness<'_>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    sign_raw_on(Best::find(), key, randomness, message, fit, scratch)
}

/// [`sign_raw`] on `on`.
pub fn sign_raw_on<P: Parameters>(
    on: impl ComputeOn,
    key: &impl SecretKey<P>,
    randomness: RawRandomness<'_>,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let point = |c: &mut [u16]| {
        Shake256HashToPoint.hash_to_point(randomness.nonce, message, c);
        Ok::<_, Infallible>(())
    };
    let nonce = *randomness.nonce;
    let Ok(signature) = sign(on, key, randomness.into(), nonce, point, fit, scratch);
    signature
}

/// Signs without fresh randomness: the same message always gets the same
/// signature.
///
/// An attacker who can make the device compute wrongly once, for a message that
/// it signs twice, may learn the key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::ScratchTooSmall> {
/// use falcon_core::hazmat::sign_deterministic;
/// use falcon_core::{Falcon512, Scratch, SigningKey};
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32]);
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let first = sign_deterministic(&key, b"order #42", &mut scratch);
/// assert_eq!(first, sign_deterministic(&key, b"order #42", &mut scratch));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub fn sign_deterministic<P: Parameters>(
    key: &impl SecretKey<P>,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let message_hash: [u8; 64] = Shake256::reader(message).read_array();
    let mut stream = Shake256Reader::empty();
    stream.start(|h| {
        h.update(b"falcon deterministic")
            .update(key.secret_hash())
            .update(&message_hash);
    });
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    stream.read(&mut *seed);
    let mut stream = SignStream::new(key, seed);
    stream.update(message);
    stream.finish_in(scratch)
}

/// Signs with another hash from messages to points, and with hedged randomness
/// from `seed`, which must be fresh.
///
/// # Errors
/// [`PointError`] if `hash` gives a coefficient that is not below `q`. Two points that
/// are equal modulo `q` would be one point with two signatures of one seed, which
/// reveal the key.
pub fn sign_with_hash<P: Parameters>(
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &impl HashToPoint,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, PointError> {
    sign_with_hash_on(Best::find(), key, seed, hash, message, scratch)
}

/// [`sign_with_hash`] on `on`.
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
) -> Result<Signature<P>, PointError> {
    let randomness = Randomness::hedged(seed, 0, key.secret_hash());
    let nonce = randomness.nonce();
    let point = |c: &mut [u16]| {
        hash.hash_to_point(&nonce, message, c);
        if is_point(c) { Ok(()) } else { Err(PointError) }
    };
    sign(on, key, randomness, nonce, point, Fit::Padded, scratch)
}

/// Verifies with another hash from messages to points.
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
/// [`SignatureError`] if it is not one, or if `c` is not a point.
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

/// Generates the key that the reference generates from the stream
/// `SHAKE256(seed)`, for a seed of any length.
#[cfg(feature = "alloc")]
pub fn signing_key_from_seed<P: Parameters>(seed: &[u8]) -> SigningKey<P> {
    SigningKey::from_stream(&mut Shake256::reader(seed))
}

/// The secret reals of an expanded key, for engines that upload them: `4n` of the
/// basis in the FFT domain, then the tree in the order of its use. They are the
/// key.
pub fn expanded_reals<P: Parameters, B: Storage>(key: &ExpandedKey<P, B>) -> &[f64] {
    key.reals()
}

/// The short basis of a key, for engines that upload it: `f`, `g`, `F`, `G`, with
/// `n` coefficients each. They are the key.
pub fn secret_basis<P: Parameters>(key: &SigningKey<P>) -> [&[i8]; 4] {
    let basis = key.basis();
    [basis.f, basis.g, basis.capital_f, basis.capital_g]
}

/// The hash of the secret key from which nonces and sampler seeds are derived: for
/// engines that derive them, and to tell keys apart. It is as secret as the key.
pub fn secret_hash<P: Parameters>(key: &impl SecretKey<P>) -> &[u8; SECRET_HASH_LEN] {
    key.secret_hash()
}

/// Makes a signature of a nonce and of the `n` coefficients of `s2`, as an engine
/// outside of this crate found them. `None` if they cannot be encoded, or are too
/// long for any valid signature.
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

//! Tools for test drivers, protocols with their own rules, and experts.
//!
//! **Two signatures of the same hashed point that come from different sampler
//! randomness leak the secret key**, and so does one sampler seed used for two
//! points. Everything here lets the caller break these rules.

use crate::codec::compressed_len;
use crate::engine::{Best, Operations};
use crate::error::SignatureError;
use crate::expand::{ExpandedKey, Storage};
use crate::hash::{Shake256, Shake256Reader};
use crate::hedge::{Randomness, SECRET_HASH_LEN, SEED_LEN};
use crate::keys::SigningKey;
use crate::params::{NONCE_LEN, Parameters, Q};
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::sign::{SignStream, sign};
use crate::signatures::Signature;
use crate::verify::VerifyingKey;
use zeroize::Zeroizing;

#[cfg(feature = "alloc")]
pub use crate::batch::raw::{BatchSignRaw, RawJob};
pub use crate::hash::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
pub use crate::hedge::RawRandomness;
pub use crate::signing::Fit;

/// An engine by name, or the arithmetic of one: what the functions that end in
/// `_on` compute on.
#[allow(private_bounds)]
pub trait ComputeOn: Operations {}
impl<T: Operations> ComputeOn for T {}

/// A secret key in either form: `SigningKey` or
/// `ExpandedKey`.
#[allow(private_bounds)]
pub trait SecretKey<P: Parameters>: Secret<P> {}
impl<P: Parameters, K: Secret<P>> SecretKey<P> for K {}

/// Algorithm 10 (Sign) for a message that is at hand.
fn sign_message<P: Parameters>(
    on: impl Operations,
    key: &impl Secret<P>,
    randomness: Randomness<'_>,
    hash: &impl HashToPoint,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let nonce = randomness.nonce();
    let point = |c: &mut [u16]| hash.hash_to_point(&nonce, message, c);
    sign(on, key, randomness, nonce, point, fit, scratch)
}

/// Signs with the caller's nonce and sampler seed, as NIST's test driver does.
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
    let hash = &Shake256HashToPoint;
    sign_message(on, key, randomness.into(), hash, message, fit, scratch)
}

/// Signs without fresh randomness: the same message always gets the same
/// signature. Whoever can make the device compute wrongly once, for a message
/// that it signs twice, may learn the key.
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
    sign_with_hash(key, &seed, &Shake256HashToPoint, message, scratch)
}

/// Signs under another way to hash messages to points, with hedged randomness
/// from a fresh `seed`.
pub fn sign_with_hash<P: Parameters>(
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &impl HashToPoint,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    sign_with_hash_on(Best::find(), key, seed, hash, message, scratch)
}

/// [`sign_with_hash`] on `on`.
pub fn sign_with_hash_on<P: Parameters>(
    on: impl ComputeOn,
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    hash: &impl HashToPoint,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let randomness = Randomness::hedged(seed, 0, key.secret_hash());
    sign_message(on, key, randomness, hash, message, Fit::Padded, scratch)
}

/// Verifies under another way to hash messages to points.
///
/// # Errors
/// Opaque if the signature is not valid.
pub fn verify_with_hash<P: Parameters>(
    key: &VerifyingKey<P>,
    hash: &impl HashToPoint,
    message: &[u8],
    signature: &Signature<P>,
) -> Result<(), SignatureError> {
    key.verify_with(hash, message, signature)
}

/// Verifies that `signature` is a short preimage of the point `c`, `n`
/// coefficients below `q`; the nonce is not looked at.
///
/// # Errors
/// Opaque if it is not, or if `c` is not a point.
pub fn verify_point<P: Parameters>(
    key: &VerifyingKey<P>,
    c: &[u16],
    signature: &Signature<P>,
) -> Result<(), SignatureError> {
    if c.len() != P::N || c.iter().any(|&c| u32::from(c) >= Q) {
        return Err(SignatureError);
    }
    key.verify_point(Best::find(), |point| point.copy_from_slice(c), signature)
}

/// The key that the reference's key generation finds when it reads
/// `SHAKE256(seed)`, for a seed of any length.
#[cfg(feature = "alloc")]
pub fn signing_key_from_seed<P: Parameters>(seed: &[u8]) -> SigningKey<P> {
    SigningKey::from_stream(&mut Shake256::reader(seed))
}

/// The secret reals of an expanded key: the basis in the FFT domain, `4n` of
/// them, then the tree in the order of [`tree::Stored`](crate::tree::Stored).
/// For engines that upload them; whoever reads them has the key.
pub fn expanded_reals<P: Parameters, B: Storage>(key: &ExpandedKey<P, B>) -> &[f64] {
    key.reals()
}

/// The short basis of a key: `f`, `g`, `F`, `G`, `n` coefficients each. For
/// engines that upload them; whoever reads them has the key.
pub fn secret_basis<P: Parameters>(key: &SigningKey<P>) -> [&[i8]; 4] {
    let basis = key.basis();
    [basis.f, basis.g, basis.capital_f, basis.capital_g]
}

/// The hash of the secret key that nonces and sampler seeds are bound to (see
/// [`BatchSign`](crate::batch::BatchSign)): for engines that derive them, and to tell keys apart. As secret as
/// the key.
pub fn secret_hash<P: Parameters>(key: &impl SecretKey<P>) -> &[u8; SECRET_HASH_LEN] {
    key.secret_hash()
}

/// The signature of these parts, which some engine has found: `n` coefficients
/// that can be encoded, short enough to be part of a valid signature. Else there
/// is none.
pub fn signature_from_parts<P: Parameters>(
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

/// [`SigningKey::expand`] on `on`.
#[cfg(feature = "alloc")]
pub fn expand_on<P: Parameters>(on: impl ComputeOn, key: &SigningKey<P>) -> ExpandedKey<P> {
    ExpandedKey::expand_boxed_on(on, key)
}

/// [`SignStream::finish_in`] on `on`.
#[allow(private_bounds)]
pub fn finish_on<P: Parameters, K: SecretKey<P>>(
    on: impl ComputeOn,
    stream: SignStream<'_, P, K>,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    stream.finish_on(on, scratch)
}

/// [`SigningKey::decode_boxed`] on `on`.
///
/// # Errors
/// As for [`SigningKey::decode_boxed`].
#[cfg(feature = "alloc")]
pub fn decode_boxed_on<P: Parameters>(
    on: impl ComputeOn,
    bytes: &[u8],
) -> Result<alloc::boxed::Box<SigningKey<P>>, crate::error::DecodeError> {
    SigningKey::decode_boxed_on(on, bytes)
}

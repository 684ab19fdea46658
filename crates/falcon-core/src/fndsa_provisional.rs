//! FN-DSA signatures, provisional: **this module changes with the standard.**
//!
//! FN-DSA is Falcon as NIST standardises it, in FIPS 206, which has not been published. This module
//! follows the guess of the crate `fn-dsa` 0.4.0. The standard may refuse what it accepts
//! today. It has no object identifier, no key documents and no promise of compatibility: it is
//! not covered by semantic versioning.
//!
//! The mathematics is that of Falcon. The encodings, the hash and the bound differ, so keys and
//! signatures of the two schemes do not mix:
//!
//! - A public key has the values of `h` at the roots of `x^n + 1`. Fields are written least
//!   significant bit first.
//! - The message is hashed with the public key and a context to 64 bytes, `mu`. The nonce and `mu`
//!   are hashed to the point.
//! - No coefficient of `s1` or `s2` exceeds 840 in absolute value.
//!
//! [`SigningKey`] generates keys and signs, with the feature `alloc`. From a seed it generates the
//! key of `fn-dsa`, which differs from that of round 3. [`AnySigningKey`] and [`AnyVerifyingKey`]
//! have a parameter set known at run time. [`batch`] signs and verifies many messages with one
//! call.
//!
//! ```
//! use falcon_core::fndsa_provisional::{Context, Signature, VerifyingKey};
//! use falcon_core::{DecodeError, Falcon512};
//!
//! /// Returns true if `signature` is valid for `message` in the context of invoices.
//! fn verify(key: &[u8], message: &[u8], signature: &[u8]) -> Result<bool, DecodeError> {
//!     let key = VerifyingKey::<Falcon512>::try_from(key)?; // 897 bytes
//!     let signature = Signature::try_from(signature)?; // 666 bytes
//!     let context = Context::new(b"invoices").expect("at most 255 bytes");
//!     Ok(key.verify(context, message, &signature).is_ok())
//! }
//! # assert!(verify(&[], b"", &[]).is_err());
//! ```
//!
//! Source: crate `fn-dsa` 0.4.0 of T. Pornin. Its known answers are in `kat/fn-dsa` of the
//! repository.

#[cfg(feature = "alloc")]
mod any;
#[cfg(feature = "alloc")]
pub mod batch;
#[cfg(feature = "alloc")]
mod keygen;
#[cfg(feature = "alloc")]
mod signing_key;

#[cfg(feature = "alloc")]
pub use any::{AnySigningKey, AnyVerifyingKey};
#[cfg(feature = "alloc")]
pub use keygen::KEY_SEED_LEN;
#[cfg(feature = "alloc")]
pub use signing_key::{SEED_LEN, SigningKey};

use crate::codec::lsb_first::{self, MAX_MAGNITUDE};
use crate::engine::Best;
use crate::error::{DecodeError, SignatureError};
use crate::hash::{self, Shake256};
use crate::ntt;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::scratch::Aligned;
use crate::verify::difference_is_short;
use core::fmt;

/// Length in bytes of `mu`, the hash of a message with the public key and the context.
pub const MU_LEN: usize = 64;

/// Length in bytes of the hash of a public key.
pub const KEY_HASH_LEN: usize = 64;

/// A context: at most 255 bytes on which signer and verifier agree. A signature for one context is
/// not valid for another.
///
/// ```
/// use falcon_core::fndsa_provisional::Context;
///
/// assert!(Context::new(b"invoices").is_some());
/// assert!(Context::new(&[0; 256]).is_none());
/// assert_eq!(Context::new(b""), Some(Context::EMPTY));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context<'a>(&'a [u8]);

impl<'a> Context<'a> {
    /// The empty context.
    pub const EMPTY: Self = Self(&[]);

    /// Makes a context from `bytes`. Returns `None` if there are more than 255 bytes.
    pub const fn new(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len() <= 255 {
            Some(Self(bytes))
        } else {
            None
        }
    }

    /// Returns the length in bytes as a single byte.
    const fn len_byte(self) -> u8 {
        self.0.len() as u8
    }
}

/// Hash function for messages that are hashed before they are signed.
///
/// ```
/// use falcon_core::fndsa_provisional::PreHash;
///
/// assert_eq!(PreHash::Sha3_256.digest_len(), 32);
/// assert_eq!(PreHash::Shake256.digest_len(), 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreHash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA-512/256.
    Sha512_256,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// SHAKE128 with 32 bytes of output.
    Shake128,
    /// SHAKE256 with 64 bytes of output.
    Shake256,
}

impl PreHash {
    /// Length of a digest in bytes.
    pub const fn digest_len(self) -> usize {
        match self {
            Self::Sha256 | Self::Sha512_256 | Self::Sha3_256 | Self::Shake128 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Shake256 => 64,
        }
    }

    /// Object identifier in DER: `hashAlgs` (2.16.840.1.101.3.4.2) and a number.
    const fn identifier(self) -> &'static [u8] {
        const fn of(number: u8) -> [u8; 11] {
            [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, number]
        }
        match self {
            Self::Sha256 => const { &of(1) },
            Self::Sha384 => const { &of(2) },
            Self::Sha512 => const { &of(3) },
            Self::Sha512_256 => const { &of(6) },
            Self::Sha3_256 => const { &of(8) },
            Self::Sha3_384 => const { &of(9) },
            Self::Sha3_512 => const { &of(10) },
            Self::Shake128 => const { &of(11) },
            Self::Shake256 => const { &of(12) },
        }
    }
}

/// A message that was hashed before signing: its digest and the hash function.
///
/// ```
/// use falcon_core::fndsa_provisional::{PreHash, Prehashed};
///
/// assert!(Prehashed::new(PreHash::Sha3_256, &[7; 32]).is_some());
/// assert!(Prehashed::new(PreHash::Sha3_256, &[7; 31]).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prehashed<'a> {
    pre_hash: PreHash,
    digest: &'a [u8],
}

impl<'a> Prehashed<'a> {
    /// Makes a prehashed message from a digest that was computed with `pre_hash`. Returns `None` if
    /// the digest does not have [`digest_len`](PreHash::digest_len) bytes.
    pub const fn new(pre_hash: PreHash, digest: &'a [u8]) -> Option<Self> {
        if digest.len() == pre_hash.digest_len() {
            Some(Self { pre_hash, digest })
        } else {
            None
        }
    }
}

/// A verifying (public) key of FN-DSA.
///
/// ```
/// use falcon_core::fndsa_provisional::VerifyingKey;
/// use falcon_core::{DecodeError, Falcon512};
///
/// let truncated = VerifyingKey::<Falcon512>::try_from(&[9; 896][..]);
/// assert_eq!(truncated, Err(DecodeError::Length));
/// ```
#[derive(Clone)]
pub struct VerifyingKey<P: Parameters> {
    key: crate::VerifyingKey<P>,
    /// SHAKE256 of the encoded key.
    hash: [u8; KEY_HASH_LEN],
}

/// Two keys are equal if the hashes of their encodings are equal.
impl<P: Parameters> PartialEq for VerifyingKey<P> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}
impl<P: Parameters> Eq for VerifyingKey<P> {}

impl<P: Parameters> fmt::Debug for VerifyingKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("fndsa_provisional::VerifyingKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> TryFrom<&[u8]> for VerifyingKey<P> {
    type Error = DecodeError;

    /// Decodes a key.
    ///
    /// # Errors
    /// [`DecodeError::Length`], [`DecodeError::Header`] or [`DecodeError::Range`]; at degree 2 also
    /// [`DecodeError::NonCanonical`].
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut values = P::Residues::ZERO;
        lsb_first::decode_public_key(P::LOGN, bytes, values.as_mut())?;
        Ok(Self {
            key: crate::VerifyingKey::from_values(&values),
            hash: hash_of(&[bytes]),
        })
    }
}

impl<P: Parameters> VerifyingKey<P> {
    /// A key of zeros, to be overwritten.
    #[cfg(feature = "alloc")]
    const EMPTY: Self = Self {
        key: crate::VerifyingKey::EMPTY,
        hash: [0; KEY_HASH_LEN],
    };

    /// Converts a Falcon key to the FN-DSA key with the same polynomial `h`.
    #[cfg(feature = "alloc")]
    fn of(key: &crate::VerifyingKey<P>) -> Self {
        let mut new = Self {
            key: key.clone(),
            ..Self::EMPTY
        };
        new.hash = hash_of(&[new.to_bytes().as_ref()]);
        new
    }

    /// Encodes the key, in 897 or 1793 bytes.
    pub fn to_bytes(&self) -> P::VerifyingKeyBytes {
        let mut values = P::Residues::ZERO;
        ntt::values(P::LOGN, self.key.prepared(), values.as_mut());
        let mut out = P::VerifyingKeyBytes::ZERO;
        lsb_first::encode_public_key(P::LOGN, values.as_ref(), out.as_mut());
        out
    }

    /// Returns the hash of the encoded key, which is hashed with every message.
    pub fn hash(&self) -> &[u8; KEY_HASH_LEN] {
        &self.hash
    }

    /// Verifies `signature` for `message` and `context`.
    ///
    /// # Errors
    /// [`SignatureError`] if this key did not make the signature for this message and this context.
    /// The error does not say why.
    pub fn verify(
        &self,
        context: Context<'_>,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        self.verify_mu(&self.mu(Message::Whole { context, message }), signature)
    }

    /// Verifies `signature` for `context` and a message that the signer hashed first.
    ///
    /// ```
    /// use falcon_core::fndsa_provisional::{Context, PreHash, Prehashed, Signature, VerifyingKey};
    /// use falcon_core::{Falcon512, SignatureError};
    ///
    /// fn verify(
    ///     key: &VerifyingKey<Falcon512>,
    ///     digest: &[u8; 32],
    ///     signature: &Signature<Falcon512>,
    /// ) -> Result<(), SignatureError> {
    ///     let message = Prehashed::new(PreHash::Sha3_256, digest).expect("32 bytes");
    ///     key.verify_prehashed(Context::EMPTY, message, signature)
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_prehashed(
        &self,
        context: Context<'_>,
        message: Prehashed<'_>,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        self.verify_mu(&self.mu(Message::Prehashed { context, message }), signature)
    }

    /// Computes `mu`, the hash of a message with this key.
    fn mu(&self, message: Message<'_>) -> [u8; MU_LEN] {
        match message.input() {
            Ok(input) => {
                let mut hash = hash::shake256();
                hash.update(&self.hash);
                for piece in input.pieces() {
                    hash.update(piece);
                }
                hash.finalize().read_array()
            }
            Err(mu) => *mu,
        }
    }

    /// Starts to hash a message that comes in pieces. The result is its `mu`. Uses constant memory.
    ///
    /// ```
    /// use falcon_core::fndsa_provisional::{Context, Signature, VerifyingKey};
    /// use falcon_core::{Falcon512, SignatureError};
    ///
    /// fn verify(
    ///     key: &VerifyingKey<Falcon512>,
    ///     pieces: &[&[u8]],
    ///     signature: &Signature<Falcon512>,
    /// ) -> Result<(), SignatureError> {
    ///     let mut hasher = key.mu_hasher(Context::EMPTY);
    ///     for piece in pieces {
    ///         hasher.update(piece);
    ///     }
    ///     key.verify_mu(&hasher.finalize(), signature)
    /// }
    /// ```
    pub fn mu_hasher(&self, context: Context<'_>) -> MuHasher {
        let mut hash = hash::shake256();
        hash.update(&self.hash);
        // The message is the last piece, so `update` can add it later.
        for piece in Input::new(0, context, &[]).pieces() {
            hash.update(piece);
        }
        MuHasher(hash)
    }

    /// Verifies `signature` for the message whose hash with key and context is `mu`. Another
    /// program may have computed `mu`.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_mu(
        &self,
        mu: &[u8; MU_LEN],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let on = Best::find();
        let signature = &signature.signature;
        let point = |c: &mut [u16]| point_of(&signature.nonce, mu, c);
        let mut s1 = Aligned(P::Short::ZERO);
        self.key.multiply(on, signature, &mut s1.0);
        let is_short = difference_is_short(on, point, &mut s1.0, signature);
        // The decoder has already checked `s2`.
        if is_short && is_within(s1.0.as_ref()) {
            Ok(())
        } else {
            Err(SignatureError)
        }
    }
}

/// A message in a [batch]: whole, prehashed or as its `mu`.
///
/// ```
/// use falcon_core::fndsa_provisional::{Context, Message, PreHash, Prehashed};
///
/// let context = Context::EMPTY;
/// let whole = Message::Whole { context, message: b"order #42" };
/// # let digest = [7; 32];
/// let message = Prehashed::new(PreHash::Sha3_256, &digest).expect("32 bytes");
/// let prehashed = Message::Prehashed { context, message };
/// # let _ = (whole, prehashed);
/// ```
#[derive(Clone, Copy)]
pub enum Message<'a> {
    /// The message itself.
    Whole {
        /// Context of the signature.
        context: Context<'a>,
        /// All bytes of the message.
        message: &'a [u8],
    },
    /// A message that was hashed first.
    Prehashed {
        /// Context of the signature.
        context: Context<'a>,
        /// The digest and the hash function.
        message: Prehashed<'a>,
    },
    /// The hash of a message with the key and a context; see
    /// [`mu_hasher`](VerifyingKey::mu_hasher).
    Mu(&'a [u8; MU_LEN]),
}

/// Prints no byte of the message.
impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { message, .. } => f
                .debug_struct("Whole")
                .field("message_len", &message.len())
                .finish_non_exhaustive(),
            Self::Prehashed { message, .. } => f
                .debug_struct("Prehashed")
                .field("pre_hash", &message.pre_hash)
                .finish_non_exhaustive(),
            Self::Mu(_) => f.write_str("Mu"),
        }
    }
}

impl<'a> Message<'a> {
    /// Returns the bytes to hash to `mu`, or `mu` itself.
    fn input(self) -> Result<Input<'a>, &'a [u8; MU_LEN]> {
        match self {
            Self::Whole { context, message } => Ok(Input::new(0, context, message)),
            Self::Prehashed { context, message } => Ok(Input {
                identifier: message.pre_hash.identifier(),
                ..Input::new(1, context, message.digest)
            }),
            Self::Mu(mu) => Err(mu),
        }
    }
}

/// The bytes that are hashed to `mu` after the hash of the key.
struct Input<'a> {
    /// The first byte is 1 if the message was hashed before, and 0 otherwise. The second byte is
    /// the length of the context.
    kind: [u8; 2],
    context: &'a [u8],
    identifier: &'static [u8],
    message: &'a [u8],
}

impl<'a> Input<'a> {
    fn new(kind: u8, context: Context<'a>, message: &'a [u8]) -> Self {
        Self {
            kind: [kind, context.len_byte()],
            context: context.0,
            identifier: &[],
            message,
        }
    }

    /// Returns the pieces in the order in which they are hashed.
    fn pieces(&self) -> [&[u8]; 4] {
        [&self.kind, self.context, self.identifier, self.message]
    }
}

/// Hashes a nonce and the `mu` of a message to a point.
fn point_of(nonce: &[u8; NONCE_LEN], mu: &[u8; MU_LEN], point: &mut [u16]) {
    let mut hash = hash::shake256();
    hash.update(nonce);
    hash.update(mu);
    let blocks = hash.finalize_blocks();
    on_best!(Best::find(), isa => hash::fill_point_little_endian(isa, blocks, point));
}

/// Decodes as [`lsb_first::decode_signature`] does, on the best engine. Not generic over the
/// parameter set, so it is compiled in this crate.
fn decode_signature<'a>(
    logn: u32,
    bytes: &'a [u8],
    s2: &mut [i16],
) -> Result<&'a [u8; NONCE_LEN], DecodeError> {
    on_best!(Best::find(), isa => lsb_first::decode_signature(isa, logn, bytes, s2))
}

/// Returns true if no magnitude exceeds 840. Constant time, since the signer may refuse the vector,
/// which must then stay secret.
fn is_within(s: &[i16]) -> bool {
    let mut outside = 0;
    for &s in s {
        let (s, limit) = (i32::from(s), i32::from(MAX_MAGNITUDE));
        // A value outside the limits sets the sign bit.
        outside |= (limit - s) | (limit + s);
    }
    outside >= 0
}

/// Returns the first 64 bytes of SHAKE256 of the concatenated `pieces`.
fn hash_of(pieces: &[&[u8]]) -> [u8; 64] {
    let mut hash = hash::shake256();
    for piece in pieces {
        hash.update(piece);
    }
    hash.finalize().read_array()
}

/// Hashes a message that comes in pieces to its `mu`. Create it with [`VerifyingKey::mu_hasher`],
/// which has an example.
#[derive(Clone)]
pub struct MuHasher(Shake256);

impl fmt::Debug for MuHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MuHasher").finish_non_exhaustive()
    }
}

impl MuHasher {
    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Ends the message and returns its `mu`.
    pub fn finalize(self) -> [u8; MU_LEN] {
        self.0.finalize().read_array()
    }
}

/// A signature of FN-DSA: the nonce and the short polynomial `s2`. Every signature has exactly one
/// encoding, of fixed length.
///
/// ```
/// use falcon_core::fndsa_provisional::Signature;
/// use falcon_core::{DecodeError, Falcon512};
///
/// let truncated = Signature::<Falcon512>::try_from(&[0x39; 600][..]);
/// assert_eq!(truncated, Err(DecodeError::Length));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature<P: Parameters> {
    /// The round-3 form. No magnitude of `s2` exceeds 840, and the code fits the padded length.
    signature: crate::Signature<P>,
}

impl<P: Parameters> Signature<P> {
    /// Returns the nonce, which is hashed before `mu`.
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        self.signature.nonce()
    }

    /// Returns the coefficients of `s2`.
    pub fn s2(&self) -> &[i16] {
        self.signature.s2()
    }

    /// Encodes the signature, in 666 or 1280 bytes.
    pub fn to_bytes(&self) -> P::PaddedBytes {
        let mut out = P::PaddedBytes::ZERO;
        let fits = lsb_first::encode_signature(P::LOGN, self.nonce(), self.s2(), out.as_mut());
        debug_assert!(fits.is_some());
        out
    }
}

impl<P: Parameters> TryFrom<&[u8]> for Signature<P> {
    type Error = DecodeError;

    /// Decodes a signature.
    ///
    /// # Errors
    /// [`DecodeError`] for everything that is not the encoding of a signature, and for an `s2` that
    /// alone exceeds a bound.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut signature = crate::Signature::<P>::EMPTY;
        let s2 = signature.s2.as_mut();
        signature.nonce = *decode_signature(P::LOGN, bytes, s2)?;
        if signature.fits_the_bound() {
            Ok(Self { signature })
        } else {
            Err(DecodeError::Range)
        }
    }
}

impl<P: Parameters> fmt::Debug for Signature<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("fndsa_provisional::Signature")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests;

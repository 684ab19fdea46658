//! Signs one message, which comes whole or in pieces.

use crate::engine::Best;
use crate::error::FaultError;
use crate::hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
use crate::hedge::{Randomness, SECRET_HASH_LEN, SEED_LEN, SamplerSeeds};
use crate::keys::SigningKey;
use crate::operations::Operations;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::signatures::Signature;
use crate::signing::Fit;
use core::fmt;
use core::marker::PhantomData;
use rand_core::CryptoRng;
use zeroize::Zeroizing;
#[cfg(feature = "alloc")]
use {crate::scratch::with_scratch, alloc::boxed::Box, rand_core::TryCryptoRng};

/// Signs by algorithm 10 (Sign), from the hashed message on.
///
/// `nonce` is the result of line 1. `hash` is line 2: it writes
/// `c = HashToPoint(nonce || message)`, or fails. The attempts of lines 3 to 11 are
/// [`short_preimage`](crate::signing::short_preimage). [`Signature::to_bytes`] does the encoding.
///
/// # Errors
/// The error of `hash`, or [`FaultError`] as for `short_preimage`.
///
/// Source: Falcon specification v1.2, algorithm 10.
pub(crate) fn sign<P: Parameters, E: From<FaultError>>(
    on: impl Operations,
    key: &impl Secret<P>,
    nonce: [u8; NONCE_LEN],
    hash: impl FnOnce(&mut [u16]) -> Result<(), E>,
    seeds: &mut dyn SamplerSeeds,
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, E> {
    let mut signature = Signature::<P>::EMPTY;
    signature.nonce = nonce;
    let mut c = P::Residues::ZERO;
    hash(c.as_mut())?;
    on.short_preimage(
        P::LOGN,
        &key.source(),
        c.as_ref(),
        seeds,
        fit,
        scratch.reals(),
        signature.s2.as_mut(),
    )?;
    Ok(signature)
}

/// A signer of a message that comes in pieces. It needs the same memory for messages of any length.
///
/// ```
/// use falcon_core::{Falcon512, SigningKey};
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let fresh_seed = [8; 32];
/// let mut stream = key.sign_stream_from_seed(&fresh_seed);
/// for piece in ["order ", "#42"] {
///     stream.update(piece.as_bytes());
/// }
/// let signature = stream.finish()?;
/// assert!(key.verifying_key().verify(b"order #42", &signature).is_ok());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct SignStream<'k, P: Parameters, K> {
    key: &'k K,
    unsigned: Unsigned,
    parameters: PhantomData<P>,
}

/// A message that is being absorbed, with the randomness of its signature.
pub(crate) struct Unsigned {
    seed: Zeroizing<[u8; SEED_LEN]>,
    nonce: [u8; NONCE_LEN],
    hasher: Shake256PointHasher,
}

impl Unsigned {
    /// Starts to absorb a message that `key` signs. The seed is copied only into the box.
    #[cfg(feature = "alloc")]
    pub(crate) fn boxed<P: Parameters>(key: &impl Secret<P>, seed: &[u8; SEED_LEN]) -> Box<Self> {
        let mut new = Box::new(Self::without_seed(key.secret_hash(), seed));
        *new.seed = *seed;
        new
    }

    /// Starts to absorb a message that the key of `secret_hash` signs. The caller then writes the
    /// seed in place, since moving the seed would leave a copy behind.
    fn without_seed(secret_hash: &[u8; SECRET_HASH_LEN], seed: &[u8; SEED_LEN]) -> Self {
        let nonce = Randomness::hedged(seed, 0, secret_hash).nonce();
        let hasher = Shake256HashToPoint.hasher(&nonce);
        Self {
            seed: Zeroizing::default(),
            nonce,
            hasher,
        }
    }

    /// Absorbs the next piece of the message.
    pub(crate) fn update(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
    }

    /// Signs the absorbed message. Call it once only, with the same `key`.
    #[cfg(feature = "alloc")]
    pub(crate) fn sign<P: Parameters>(
        &self,
        key: &impl Secret<P>,
    ) -> Result<Signature<P>, FaultError> {
        let len = key.source().scratch_len(P::LOGN);
        with_scratch(len, |scratch| self.sign_on(Best::find(), key, scratch))
    }

    /// Signs the absorbed message with the engine `on` and caller-owned scratch.
    fn sign_on<P: Parameters>(
        &self,
        on: impl Operations,
        key: &impl Secret<P>,
        scratch: &mut Scratch<'_, P>,
    ) -> Result<Signature<P>, FaultError> {
        let hasher = self.hasher.clone();
        let mut seeds = Randomness::hedged(&self.seed, 0, key.secret_hash());
        let hash = |c: &mut [u16]| {
            hasher.finish_on(on, c);
            Ok(())
        };
        sign(on, key, self.nonce, hash, &mut seeds, Fit::Padded, scratch)
    }
}

#[allow(private_bounds)]
impl<'k, P: Parameters, K: Secret<P>> SignStream<'k, P, K> {
    pub(crate) fn new(key: &'k K, seed: &[u8; SEED_LEN]) -> Self {
        let mut new = Self::without_seed(key, seed);
        *new.unsigned.seed = *seed;
        new
    }

    /// Calls `sign` with a new stream, which is not moved: a move could leave a copy of the seed.
    #[inline(always)]
    pub(crate) fn with<T>(
        key: &'k K,
        seed: &[u8; SEED_LEN],
        sign: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut stream = Self::without_seed(key, seed);
        *stream.unsigned.seed = *seed;
        sign(&mut stream)
    }

    /// Makes a stream into which the caller writes the seed in place.
    fn without_seed(key: &'k K, seed: &[u8; SEED_LEN]) -> Self {
        Self {
            key,
            unsigned: Unsigned::without_seed(key.secret_hash(), seed),
            parameters: PhantomData,
        }
    }

    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.unsigned.update(piece);
    }

    /// Signs the absorbed message.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn finish(mut self) -> Result<Signature<P>, FaultError> {
        self.finish_here()
    }

    /// Signs the absorbed message. Call it once only. Does not move the stream, since a move would
    /// leave a copy of the seed.
    #[cfg(feature = "alloc")]
    pub(crate) fn finish_here(&mut self) -> Result<Signature<P>, FaultError> {
        self.unsigned.sign(self.key)
    }

    /// Signs the absorbed message with caller-owned scratch.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn finish_in(mut self, scratch: &mut Scratch<'_, P>) -> Result<Signature<P>, FaultError> {
        self.finish_on(Best::find(), scratch)
    }

    /// Signs the absorbed message with the engine `on` and caller-owned scratch. Call it once only.
    pub(crate) fn finish_on(
        &mut self,
        on: impl Operations,
        scratch: &mut Scratch<'_, P>,
    ) -> Result<Signature<P>, FaultError> {
        self.unsigned.sign_on(on, self.key, scratch)
    }
}

/// Prints neither the seed nor the message.
impl<P: Parameters, K> fmt::Debug for SignStream<'_, P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignStream")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// Defines the signing methods of both forms of a secret key.
macro_rules! signing_methods {
    ($key:ty, $($generics:tt)*) => {
        impl<$($generics)*> $key {
            /// Signs `message` as [`sign_with_rng`](Self::sign_with_rng) does, with randomness of
            /// the system. Requires the feature `getrandom`.
            ///
            /// # Errors
            /// [`SystemError`](crate::SystemError).
            #[cfg(feature = "getrandom")]
            pub fn sign(&self, message: &[u8]) -> Result<Signature<P>, crate::SystemError> {
                let mut seed = Zeroizing::new([0; SEED_LEN]);
                crate::system::fill(&mut *seed)?;
                let signed = SignStream::with(self, &seed, |stream| {
                    stream.update(message);
                    stream.finish_here()
                });
                Ok(signed?)
            }

            /// Signs `message` with fresh randomness. It is hedged with the key, so a weak
            /// generator does not reveal the key.
            ///
            /// A batch of one job with the same seed gives the same bytes; see
            /// [`BatchSign`](crate::batch::BatchSign).
            ///
            /// # Errors
            /// [`FaultError`] if a hardware fault was detected.
            #[cfg(feature = "alloc")]
            pub fn sign_with_rng<R: CryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<Signature<P>, FaultError> {
                let mut seed = Zeroizing::new([0; SEED_LEN]);
                rng.fill_bytes(&mut *seed);
                SignStream::with(self, &seed, |stream| {
                    stream.update(message);
                    stream.finish_here()
                })
            }

            /// Signs `message` as [`sign_with_rng`](Self::sign_with_rng) does, with caller-owned
            /// scratch.
            ///
            /// # Errors
            /// [`FaultError`] if a hardware fault was detected.
            pub fn sign_in<R: CryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
                scratch: &mut Scratch<'_, P>,
            ) -> Result<Signature<P>, FaultError> {
                let mut seed = Zeroizing::new([0; SEED_LEN]);
                rng.fill_bytes(&mut *seed);
                SignStream::with(self, &seed, |stream| {
                    stream.update(message);
                    stream.finish_on(Best::find(), scratch)
                })
            }

            /// Starts to sign a message that comes in pieces.
            pub fn sign_stream<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> SignStream<'_, P, Self> {
                let mut seed = Zeroizing::new([0; SEED_LEN]);
                rng.fill_bytes(&mut *seed);
                SignStream::new(self, &seed)
            }

            /// Starts to sign a message that comes in pieces, with the caller's seed.
            ///
            /// `seed` must be fresh: never use it for another signature.
            pub fn sign_stream_from_seed(&self, seed: &[u8; SEED_LEN]) -> SignStream<'_, P, Self> {
                SignStream::new(self, seed)
            }
        }

        #[cfg(feature = "alloc")]
        impl<$($generics)*> signature::RandomizedSigner<Signature<P>> for $key {
            fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<Signature<P>, signature::Error> {
                signature::RandomizedMultipartSigner::try_multipart_sign_with_rng(self, rng, &[message])
            }
        }

        #[cfg(feature = "alloc")]
        impl<$($generics)*> signature::RandomizedMultipartSigner<Signature<P>> for $key {
            fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[&[u8]],
            ) -> Result<Signature<P>, signature::Error> {
                let mut seed = Zeroizing::new([0; SEED_LEN]);
                rng.try_fill_bytes(&mut *seed).map_err(|_| signature::Error::new())?;
                Ok(SignStream::with(self, &seed, |stream| {
                    for piece in message {
                        stream.update(piece);
                    }
                    stream.finish_here()
                })?)
            }
        }

        impl<$($generics)*> signature::KeypairRef for $key {
            type VerifyingKey = crate::verify::VerifyingKey<P>;
        }
    };
}

signing_methods!(SigningKey<P>, P: Parameters);
signing_methods!(crate::expand::ExpandedKey<P, B>, P: Parameters, B: crate::expand::Storage);

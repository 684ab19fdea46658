//! Signing one message: whole, or in parts.

use crate::engine::{Best, Operations};
use crate::hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
use crate::hedge::{Randomness, SEED_LEN};
use crate::keys::SigningKey;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::scratch::Scratch;
#[cfg(feature = "alloc")]
use crate::scratch::with_scratch;
use crate::secret::Secret;
use crate::signatures::Signature;
use crate::signing::Fit;
use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::Zeroizing;

/// Algorithm 10 (Sign), from the hashed message on.
///
/// `nonce` is line 1, drawn from the same `randomness`; `hash` is line 2, which
/// writes `c = HashToPoint(nonce || message)`, or fails. The attempts of lines 3 to 11 are
/// [`short_preimage`](crate::signing::short_preimage). Encoding is left to
/// [`Signature::to_bytes`].
///
/// Source: Falcon specification v1.2, algorithm 10.
pub(crate) fn sign<P: Parameters, E>(
    on: impl Operations,
    key: &impl Secret<P>,
    randomness: Randomness<'_>,
    nonce: [u8; NONCE_LEN],
    hash: impl FnOnce(&mut [u16]) -> Result<(), E>,
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
        randomness,
        fit,
        scratch.reals(),
        signature.s2.as_mut(),
    );
    Ok(signature)
}

/// A signature of a message that comes in pieces. Takes constant memory, however
/// long the message is.
///
/// ```
/// use falcon_core::{Falcon512, SigningKey};
/// # #[cfg(feature = "alloc")]
/// # {
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32]);
/// # let fresh_seed = [8; 32];
/// let mut stream = key.sign_stream_from_seed(&fresh_seed);
/// for piece in ["order ", "#42"] {
///     stream.update(piece.as_bytes());
/// }
/// let signature = stream.finish();
/// assert!(key.verifying_key().verify(b"order #42", &signature).is_ok());
/// # }
/// ```
pub struct SignStream<'k, P: Parameters, K> {
    key: &'k K,
    seed: Zeroizing<[u8; SEED_LEN]>,
    nonce: [u8; NONCE_LEN],
    hasher: Shake256PointHasher,
    parameters: PhantomData<P>,
}

#[allow(private_bounds)]
impl<'k, P: Parameters, K: Secret<P>> SignStream<'k, P, K> {
    pub(crate) fn new(key: &'k K, seed: Zeroizing<[u8; SEED_LEN]>) -> Self {
        let nonce = Randomness::hedged(&seed, 0, key.secret_hash()).nonce();
        let hasher = Shake256HashToPoint.hasher(&nonce);
        Self {
            key,
            seed,
            nonce,
            hasher,
            parameters: PhantomData,
        }
    }

    /// Absorbs the next piece of the message.
    pub fn update(&mut self, part: &[u8]) {
        self.hasher.update(part);
    }

    /// Signs the message that was absorbed.
    #[cfg(feature = "alloc")]
    pub fn finish(self) -> Signature<P> {
        let len = self.key.source().scratch_len(P::LOGN);
        with_scratch(len, |scratch| self.finish_in(scratch))
    }

    /// [`finish`](Self::finish) with caller-owned scratch.
    pub fn finish_in(self, scratch: &mut Scratch<'_, P>) -> Signature<P> {
        self.finish_on(Best::find(), scratch)
    }

    /// [`finish_in`](Self::finish_in) on `on`.
    pub(crate) fn finish_on(
        self,
        on: impl Operations,
        scratch: &mut Scratch<'_, P>,
    ) -> Signature<P> {
        let Self {
            key,
            seed,
            nonce,
            hasher,
            ..
        } = self;
        let randomness = Randomness::hedged(&seed, 0, key.secret_hash());
        let hash = |c: &mut [u16]| {
            hasher.finish_on(on, c);
            Ok::<_, Infallible>(())
        };
        let Ok(signature) = sign(on, key, randomness, nonce, hash, Fit::Padded, scratch);
        signature
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

/// A fresh seed for one signature.
fn fresh_seed<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
) -> Result<Zeroizing<[u8; SEED_LEN]>, R::Error> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    rng.try_fill_bytes(&mut *seed)?;
    Ok(seed)
}

/// The signing methods, the same for both forms of a secret key.
macro_rules! signing_methods {
    ($key:ty, $($generics:tt)*) => {
        impl<$($generics)*> $key {
            /// Signs `message` with fresh randomness, hedged with the secret.
            ///
            /// Gives the same bytes as a batch of one job with the same seed; see
            /// [`BatchSign`](crate::batch::BatchSign).
            #[cfg(feature = "alloc")]
            pub fn sign_with_rng<R: CryptoRng + ?Sized>(&self, rng: &mut R, message: &[u8]) -> Signature<P> {
                let mut stream = self.sign_stream(rng);
                stream.update(message);
                stream.finish()
            }

            /// [`sign_with_rng`](Self::sign_with_rng) with caller-owned scratch.
            pub fn sign_in<R: CryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
                scratch: &mut Scratch<'_, P>,
            ) -> Signature<P> {
                let mut stream = self.sign_stream(rng);
                stream.update(message);
                stream.finish_in(scratch)
            }

            /// Begins to sign a message that comes in pieces.
            pub fn sign_stream<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> SignStream<'_, P, Self> {
                let Ok(seed) = fresh_seed(rng);
                SignStream::new(self, seed)
            }

            /// [`sign_stream`](Self::sign_stream) with the caller's seed.
            ///
            /// `seed` must be fresh: never use it for another signature.
            pub fn sign_stream_from_seed(&self, seed: &[u8; SEED_LEN]) -> SignStream<'_, P, Self> {
                SignStream::new(self, Zeroizing::new(*seed))
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
                let seed = fresh_seed(rng).map_err(|_| signature::Error::new())?;
                let mut stream = SignStream::new(self, seed);
                for part in message {
                    stream.update(part);
                }
                Ok(stream.finish())
            }
        }

        impl<$($generics)*> signature::KeypairRef for $key {
            type VerifyingKey = crate::verify::VerifyingKey<P>;
        }
    };
}

signing_methods!(SigningKey<P>, P: Parameters);
signing_methods!(crate::expand::ExpandedKey<P, B>, P: Parameters, B: crate::expand::Storage);

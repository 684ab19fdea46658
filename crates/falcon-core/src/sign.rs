//! Signing one message: hedged randomness, streaming, caller-owned scratch.

use crate::codec::compressed_len;
use crate::error::ScratchTooSmall;
use crate::hash::{
    HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher, Shake256Reader,
};
use crate::hedge::{Hedged, Randomness, SEED_LEN};
use crate::keys::SigningKey;
use crate::lanes::wipe;
use crate::lanes::{Binary64, Native};
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::signature::Signature;
use crate::signing::{self, KeySource};
use core::fmt;
use core::marker::PhantomData;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Working memory of a signer, owned by the caller and wiped when dropped.
///
/// It borrows [`Scratch::LEN`] reals: 32 KiB for Falcon-512, 64 KiB for
/// Falcon-1024. With the `alloc` feature the methods without a scratch
/// argument allocate it.
pub struct Scratch<'a, P: Parameters> {
    reals: &'a mut [f64],
    parameters: PhantomData<P>,
}

impl<'a, P: Parameters> Scratch<'a, P> {
    /// Reals that are needed: `8n`.
    pub const LEN: usize = signing::computed_scratch_len(P::LOGN);

    /// Borrows `reals`.
    ///
    /// # Errors
    /// If there are fewer than [`LEN`](Self::LEN).
    pub fn new(reals: &'a mut [f64]) -> Result<Self, ScratchTooSmall> {
        match reals.get_mut(..Self::LEN) {
            Some(reals) => Ok(Self {
                reals,
                parameters: PhantomData,
            }),
            None => Err(ScratchTooSmall { needed: Self::LEN }),
        }
    }

    pub(crate) fn reals(&mut self) -> &mut [f64] {
        self.reals
    }
}

/// Without the reals: they hold the key.
impl<P: Parameters> fmt::Debug for Scratch<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> Drop for Scratch<'_, P> {
    fn drop(&mut self) {
        wipe(self.reals);
    }
}

impl<P: Parameters> ZeroizeOnDrop for Scratch<'_, P> {}

/// Runs `f` with scratch from the heap.
#[cfg(feature = "alloc")]
pub(crate) fn with_scratch<P: Parameters, R>(f: impl FnOnce(&mut Scratch<'_, P>) -> R) -> R {
    let mut reals = alloc::vec![0.0; Scratch::<P>::LEN];
    f(&mut Scratch {
        reals: &mut reals,
        parameters: PhantomData,
    })
}

/// What a signer needs of a secret key, in either form.
pub(crate) trait Secret<P: Parameters> {
    /// Hash of the secret, for hedging.
    fn secret_hash(&self) -> &[u8; 32];
    /// The lattice basis.
    fn source(&self) -> KeySource<'_>;
}

impl<P: Parameters> Secret<P> for SigningKey<P> {
    fn secret_hash(&self) -> &[u8; 32] {
        Self::secret_hash(self)
    }
    fn source(&self) -> KeySource<'_> {
        KeySource::Computed(self.basis())
    }
}

/// Whether a signature must fit the padded form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Sample again until the compressed form fits 666 or 1280 bytes.
    Padded,
    /// Take the first short vector, as the reference does for its unpadded
    /// form.
    Any,
}

impl Fit {
    /// True if `s2` can be written as asked.
    pub(crate) fn accepts<P: Parameters>(self, s2: &[i16]) -> bool {
        compressed_len(s2)
            .is_some_and(|len| self == Self::Any || 1 + NONCE_LEN + len <= P::PADDED_LEN)
    }
}

/// Signs the hashed point `c`.
pub(crate) fn sign_point<P: Parameters, B: Binary64>(
    arith: B,
    key: &impl Secret<P>,
    randomness: &impl Randomness,
    nonce: &[u8; NONCE_LEN],
    c: &[u16],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let mut signature = Signature::<P> {
        nonce: *nonce,
        s2: P::Short::ZERO,
    };
    let mut stream = Shake256Reader::empty();
    randomness.start_sampler_stream(c, &mut stream);
    signing::sign_point::<B, P::KeyWords>(
        arith,
        P::LOGN,
        &key.source(),
        c,
        &mut stream,
        |s2| fit.accepts::<P>(s2),
        scratch.reals(),
        signature.s2.as_mut(),
    );
    signature
}

/// Signs `message`.
pub(crate) fn sign_message<P: Parameters, B: Binary64>(
    arith: B,
    key: &impl Secret<P>,
    randomness: &impl Randomness,
    hash: &impl HashToPoint,
    message: &[u8],
    fit: Fit,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    let nonce = randomness.nonce();
    let mut c = P::Residues::ZERO;
    hash.hash_to_point(&nonce, message, c.as_mut());
    sign_point(arith, key, randomness, &nonce, c.as_ref(), fit, scratch)
}

/// A signature in the making: absorbs a message of any length in constant
/// memory.
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
        let nonce = Hedged::new(&seed, 0, key.secret_hash()).nonce();
        let hasher = Shake256HashToPoint.hasher(&nonce);
        Self {
            key,
            seed,
            nonce,
            hasher,
            parameters: PhantomData,
        }
    }

    /// Absorbs the next part of the message.
    pub fn update(&mut self, part: &[u8]) {
        self.hasher.update(part);
    }

    /// Signs what was absorbed.
    #[cfg(feature = "alloc")]
    pub fn finish(self) -> Signature<P> {
        with_scratch(|scratch| self.finish_in(scratch))
    }

    /// Signs what was absorbed, with caller-owned scratch.
    pub fn finish_in(self, scratch: &mut Scratch<'_, P>) -> Signature<P> {
        self.finish_with(Native::default(), scratch)
    }

    /// [`finish_in`](Self::finish_in) with the arithmetic of `arith`; the
    /// bytes are the same.
    pub fn finish_with<B: Binary64>(self, arith: B, scratch: &mut Scratch<'_, P>) -> Signature<P> {
        let Self {
            key,
            seed,
            nonce,
            hasher,
            ..
        } = self;
        let mut c = P::Residues::ZERO;
        hasher.finish(c.as_mut());
        let hedged = Hedged::new(&seed, 0, key.secret_hash());
        sign_point(
            arith,
            key,
            &hedged,
            &nonce,
            c.as_ref(),
            Fit::Padded,
            scratch,
        )
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
            /// The same as a batch of one: see [`BatchSign`](crate::batch::BatchSign).
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

            /// Begins a signature of a message that comes in parts.
            pub fn sign_stream<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> SignStream<'_, P, Self> {
                let Ok(seed) = fresh_seed(rng);
                SignStream::new(self, seed)
            }

            /// [`sign_stream`](Self::sign_stream) with a seed that is fresh:
            /// it is never used for another signature.
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

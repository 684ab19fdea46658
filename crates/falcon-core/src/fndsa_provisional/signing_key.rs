//! Signing keys of FN-DSA, and signing.

use super::{Context, MU_LEN, Message, Prehashed, Signature, VerifyingKey, is_within, point_of};
use crate::codec::lsb_first;
use crate::engine::Best;
use crate::error::{DecodeError, EncodeError, FaultError};
use crate::fft::Ldl;
use crate::hash;
use crate::lanes::{wipe, wipe_below};
use crate::operations::Operations;
use crate::params::{Array, NONCE_LEN, Parameters, SIGMA_MIN};
use crate::reveal::reveal;
use crate::sampler::{ATTEMPT_SEED_LEN, ShakeDouble, ShakeSampling, SigningIsa};
use crate::scratch::{Aligned, WorkingMemory};
use crate::signing::{self, Fit, SecretBasis, attempt_from_basis};
use crate::tree::Profile;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// Length of the seed of a signature in bytes.
pub const SEED_LEN: usize = 40;

/// Length of the hash of `f` and `g` in bytes.
pub(super) const SECRET_HASH_LEN: usize = 40;

/// Number of attempts at a signature with one seed, as in the crate `fn-dsa`.
///
/// If the vectors are Gaussian, one attempt in 2447 is refused at degree 512, and one in 460 at
/// 1024. These numbers come from the bounds on the coefficients, the code and the norm. So all
/// attempts fail by chance once in `2^303.9` at degree 512, and once in `2^238.8` at 1024. At the
/// insecure degrees up to 64 the chance is above `2^-128`.
pub(super) const ATTEMPTS: u8 = 27;

/// Seed of the random bytes of an attempt: 40 bytes derived for the signature, then the number of
/// the attempt.
pub(super) type AttemptSeed = [u8; ATTEMPT_SEED_LEN];
const _: () = assert!(ATTEMPT_SEED_LEN == SEED_LEN + 1);

/// A signing (secret) key of FN-DSA. Wiped when dropped. Moving it may leave copies on the stack
/// that nobody wipes. [`from_seed_boxed`](Self::from_seed_boxed) and
/// [`decode_boxed`](Self::decode_boxed) leave none.
///
/// [`from_seed`](Self::from_seed) generates the same key as the crate `fn-dsa`. [`From`] makes an
/// FN-DSA key from a Falcon key. **Never use one lattice for both schemes.**
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::Falcon512;
/// use falcon_core::fndsa_provisional::{Context, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?;
/// let stored = key.to_bytes(); // 1345 bytes, wiped when dropped
/// let key = SigningKey::<Falcon512>::try_from(&stored[..])?;
/// let invoices = Context::new(b"invoices").expect("at most 255 bytes");
/// let signature = key.sign_with_rng(&mut rng, invoices, b"invoice #42")?;
/// key.verifying_key().verify(invoices, b"invoice #42", &signature)?;
/// # Ok(())
/// # }
/// ```
pub struct SigningKey<P: Parameters> {
    pub(super) key: crate::SigningKey<P>,
    verifying_key: VerifyingKey<P>,
    /// SHAKE256 of the encoded `f` and `g`.
    secret_hash: [u8; SECRET_HASH_LEN],
}

impl<P: Parameters> SigningKey<P> {
    /// Length of an encoded key in bytes: 1345 or 2369.
    pub const LEN: usize = P::SIGNING_KEY_LEN + super::KEY_HASH_LEN;

    /// A key of zeros, to be overwritten.
    pub(super) const EMPTY: Self = Self {
        key: crate::SigningKey::EMPTY,
        verifying_key: VerifyingKey::EMPTY,
        secret_hash: [0; SECRET_HASH_LEN],
    };

    /// Decodes a key into a box, as `TryFrom<&[u8]>` does. No copy is left on the stack.
    ///
    /// # Errors
    /// As for `TryFrom<&[u8]>`.
    pub fn decode_boxed(bytes: &[u8]) -> Result<Box<Self>, DecodeError> {
        let mut key = Box::new(Self::EMPTY);
        key.decode(bytes)?;
        Ok(key)
    }

    /// Makes a key that `set` sets in its final place, since a moved copy would not be wiped.
    pub(super) fn in_place<E>(set: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<Self, E> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = set(key)
        {
            result = Err(error);
        }
        result
    }

    /// Reads the encoding into this key and checks that the result is a key.
    fn decode(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let (polynomials, hash) = bytes
            .split_last_chunk::<{ super::KEY_HASH_LEN }>()
            .ok_or(DecodeError::Length)?;
        self.key.decode_lsb_first(polynomials)?;
        self.complete();
        if self.verifying_key.hash() == hash {
            Ok(())
        } else {
            Err(DecodeError::InvalidKey)
        }
    }

    /// Computes the verifying key and the secret hash from the Falcon key.
    pub(super) fn complete(&mut self) {
        self.verifying_key = VerifyingKey::of(self.key.verifying_key());
        let mut encoded = P::SigningKeyBytes::ZERO;
        self.encode_polynomials(encoded.as_mut());
        hash_secret(P::LOGN, encoded.as_mut(), &mut self.secret_hash);
    }

    /// Returns the verifying key of this signing key.
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.verifying_key
    }

    /// Encodes the key: header, `f`, `g`, `F`, and the hash of the verifying key.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(alloc::vec![0; Self::LEN]);
        // `out` has the right length.
        let written = self.encode(&mut out);
        debug_assert!(written.is_ok());
        out
    }

    /// Writes the encoding at the start of `out`. Returns its length.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let out = out
            .get_mut(..Self::LEN)
            .ok_or(EncodeError::BufferTooSmall)?;
        let (polynomials, hash) = out.split_at_mut(P::SIGNING_KEY_LEN);
        self.encode_polynomials(polynomials);
        hash.copy_from_slice(self.verifying_key.hash());
        Ok(Self::LEN)
    }

    fn encode_polynomials(&self, out: &mut [u8]) {
        let basis = self.key.basis();
        lsb_first::encode_secret_key(P::LOGN, [basis.f, basis.g, basis.capital_f], out);
    }

    /// Signs `message` for `context`, with fresh randomness of `rng`, hedged with the key.
    ///
    /// # Errors
    /// [`FaultError`] if 27 attempts fail. At degree 512 about one attempt in 2450 fails by chance,
    /// so 27 in a row mean that the device computes wrongly. The error also comes after the first
    /// attempt if the sampler gives up. Another call tries with other randomness.
    pub fn sign_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        context: Context<'_>,
        message: &[u8],
    ) -> Result<Signature<P>, FaultError> {
        let mu = self.verifying_key.mu(Message::Whole { context, message });
        self.sign_mu_with_rng(rng, &mu)
    }

    /// Signs a message that was hashed first, for `context`.
    ///
    /// # Errors
    /// As for [`sign_with_rng`](Self::sign_with_rng).
    pub fn sign_prehashed_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        context: Context<'_>,
        message: Prehashed<'_>,
    ) -> Result<Signature<P>, FaultError> {
        let mu = self
            .verifying_key
            .mu(Message::Prehashed { context, message });
        self.sign_mu_with_rng(rng, &mu)
    }

    /// Signs the message whose hash with key and context is `mu`; see
    /// [`mu_hasher`](VerifyingKey::mu_hasher).
    ///
    /// # Errors
    /// As for [`sign_with_rng`](Self::sign_with_rng).
    pub fn sign_mu_with_rng<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        mu: &[u8; MU_LEN],
    ) -> Result<Signature<P>, FaultError> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        self.sign_mu_from_seed(&seed, mu)
    }

    /// Signs `mu` with the randomness of `seed`, as `fn-dsa` does with a generator that gives the
    /// bytes of `seed`. `seed` must be fresh and secret: never use it for another signature.
    ///
    /// # Errors
    /// As for [`sign_with_rng`](Self::sign_with_rng).
    pub fn sign_mu_from_seed(
        &self,
        seed: &[u8; SEED_LEN],
        mu: &[u8; MU_LEN],
    ) -> Result<Signature<P>, FaultError> {
        let mut signature = crate::Signature::<P>::EMPTY;
        let mut point = P::Residues::ZERO;
        let mut s1 = Aligned(P::Short::ZERO);
        let out = Attempted {
            nonce: &mut signature.nonce,
            point: point.as_mut(),
            s1: s1.0.as_mut(),
            s2: signature.s2.as_mut(),
        };
        let signed = Signer::of(self).sign_mu(seed, mu, out);
        signed.then_some(Signature { signature }).ok_or(FaultError)
    }

    /// Replaces `h`, so that any vector can be judged.
    #[cfg(test)]
    pub(super) fn set_public(&mut self, key: crate::VerifyingKey<P>) {
        self.key.set_verifying_key(key);
    }
}

/// A signing key without its parameter set. All slow steps are methods of this type, so they are
/// compiled in this crate and optimised with it. A method that is generic over the parameter set is
/// compiled in the calling crate, which a debug build does not optimise.
#[derive(Clone, Copy)]
pub(super) struct Signer<'a> {
    pub(super) logn: u32,
    pub(super) basis: SecretBasis<'a>,
    /// The public polynomial in the transform domain.
    pub(super) h: &'a [i16],
    /// Hash of the encoded `f` and `g`.
    pub(super) secret_hash: &'a [u8; SECRET_HASH_LEN],
}

/// Memory of an attempt at a signature: the nonce, and `n` elements in each other slice.
struct Attempted<'a> {
    nonce: &'a mut [u8; NONCE_LEN],
    point: &'a mut [u16],
    /// Memory for `s1`, in whole cache lines.
    s1: &'a mut [i16],
    s2: &'a mut [i16],
}

impl<'a> Signer<'a> {
    pub(super) fn of<P: Parameters>(key: &'a SigningKey<P>) -> Self {
        Self {
            logn: P::LOGN,
            basis: key.key.basis(),
            h: key.key.verifying_key().prepared(),
            secret_hash: &key.secret_hash,
        }
    }

    /// Signs as [`sign_mu_from_seed`](SigningKey::sign_mu_from_seed) does. Writes the nonce and
    /// `s2` to `out`. Returns false, with zeros in `s2`, if all attempts fail.
    fn sign_mu(&self, seed: &[u8; SEED_LEN], mu: &[u8; MU_LEN], out: Attempted<'_>) -> bool {
        on_best!(Best::find(), arith => {
            to_nearest!(arith => self.sign_mu_on(arith, seed, mu, out))
        })
    }

    /// Signs as [`sign_mu`](Self::sign_mu) does, on `b`. Every attempt has its own nonce, and thus
    /// its own point.
    fn sign_mu_on<B: SigningIsa<F64: ShakeDouble> + Operations>(
        &self,
        b: B,
        seed: &[u8; SEED_LEN],
        mu: &[u8; MU_LEN],
        out: Attempted<'_>,
    ) -> bool {
        self.sign_mu_with(b, B::F64::shake_sampling(b), seed, mu, out)
    }

    fn sign_mu_with<B: SigningIsa + Operations, S: ShakeSampling>(
        &self,
        b: B,
        sampling: S,
        seed: &[u8; SEED_LEN],
        mu: &[u8; MU_LEN],
        out: Attempted<'_>,
    ) -> bool {
        let logn = self.logn;
        let mut of_attempt = Zeroizing::<AttemptSeed>::new([0; ATTEMPT_SEED_LEN]);
        hash::with_stream(&[self.secret_hash, mu, seed], |stream| {
            stream.read(&mut of_attempt[..SEED_LEN]);
        });
        let mut feed = S::EMPTY;
        let reals_len = signing::computed_scratch_len(logn);
        let mut reals = Zeroizing::new(WorkingMemory::new(reals_len));
        let mut found = false;
        for attempt in 0..ATTEMPTS {
            of_attempt[SEED_LEN] = attempt;
            sampling.start(&mut feed, &of_attempt);
            *out.nonce = nonce::<S>(&feed);
            point_of(out.nonce, mu, out.point);
            // The norm is computed again with `s1`, since the coefficients of `s1` are bounded,
            // too.
            attempt_from_basis(
                b,
                sampling,
                logn,
                profile(logn),
                self.basis,
                out.point,
                &mut feed,
                &mut reals,
                out.s2,
            );
            if S::gave_up(&feed) {
                break;
            }
            found = self.is_signature(b, out.point, out.s2, out.s1);
            if found {
                break;
            }
        }
        // Signing spills words of the generator's state from registers.
        wipe_below::<256>();
        if !found {
            wipe(out.s2);
        }
        found
    }

    /// Judges an attempt with [`is_signature`] for this key.
    pub(super) fn is_signature(
        &self,
        on: impl Operations,
        point: &[u16],
        s2: &[i16],
        s1: &mut [i16],
    ) -> bool {
        is_signature(on, self.logn, self.h, point, s2, s1)
    }
}

/// Returns the nonce of the attempt that `feed` has begun.
pub(super) fn nonce<S: ShakeSampling>(feed: &S::Feed) -> [u8; NONCE_LEN] {
    let secret = S::nonce(feed);
    reveal(*secret)
}

/// Returns true if an attempt is a signature: it is short, its coefficients are small, and its code
/// fits. `h` is in the transform domain. `s1` is working memory, which is wiped at the end.
pub(super) fn is_signature(
    on: impl Operations,
    logn: u32,
    h: &[i16],
    point: &[u16],
    s2: &[i16],
    s1: &mut [i16],
) -> bool {
    on.multiply(logn, s2, h, s1);
    let is_short = on.is_preimage(logn, point, s2, s1);
    let is_small = is_within(s1) & is_within(s2);
    wipe(s1);
    reveal(is_short & is_small & Fit::Padded.accepts(logn, s2))
}

/// `2^60 / sigma` by `logn`, from the doubles nearest to `1 / sigma`. Round 3's doubles for degrees
/// 512 and 1024 are larger by one unit in the last place.
const INV_SIGMA: [u64; 11] = [
    0,
    7_961_475_618_707_097,
    7_851_656_902_127_320,
    7_746_260_754_658_859,
    7_595_833_604_889_141,
    7_453_842_886_538_220,
    7_319_528_409_832_599,
    7_192_222_552_237_877,
    7_071_336_252_758_509,
    6_956_347_512_113_097,
    6_846_791_885_593_314,
];

/// Returns the profile of FN-DSA at degree `2^logn`.
pub(super) fn profile(logn: u32) -> Profile {
    Profile {
        // The quotient is exact: the numerator has 53 bits, and the divisor is a power of two.
        inv_sigma: INV_SIGMA[logn as usize] as f64 / (1u64 << 60) as f64,
        sigma_min: SIGMA_MIN[logn as usize],
        ldl: Ldl::Real,
    }
}

/// Hashes `f` and `g` of an encoded key, and wipes the encoding.
fn hash_secret(logn: u32, encoded: &mut [u8], out: &mut [u8; SECRET_HASH_LEN]) {
    let short = &encoded[1..1 + lsb_first::short_len(logn)];
    hash::with_stream(&[short], |stream| stream.read(out));
    wipe(encoded);
}

impl<P: Parameters> From<crate::SigningKey<P>> for SigningKey<P> {
    /// Makes the FN-DSA key on the lattice of a Falcon key. **Never use one lattice for both
    /// schemes.**
    fn from(key: crate::SigningKey<P>) -> Self {
        let mut new = Self {
            key,
            verifying_key: VerifyingKey::EMPTY,
            secret_hash: [0; SECRET_HASH_LEN],
        };
        new.complete();
        new
    }
}

impl<P: Parameters> TryFrom<&[u8]> for SigningKey<P> {
    type Error = DecodeError;

    /// Decodes a key and checks it: `f` is invertible, `fG - gF = q`, the basis is short enough to
    /// sign with, and the hash is that of the verifying key.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::in_place(|key| key.decode(bytes))
    }
}

impl<P: Parameters> fmt::Debug for SigningKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("fndsa_provisional::SigningKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.secret_hash.zeroize();
    }
}

impl<P: Parameters> ZeroizeOnDrop for SigningKey<P> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Falcon512;
    use crate::lanes::Baseline;
    use crate::sampler::Sampling;
    use crate::tree::Leaf;
    use core::sync::atomic::{AtomicU32, Ordering};

    /// A sampler that gives up in every attempt, and counts the attempts.
    #[derive(Clone, Copy, Debug)]
    struct Tired<'a, S> {
        sampling: S,
        starts: &'a AtomicU32,
    }

    impl<S: ShakeSampling> Sampling for Tired<'_, S> {
        type Seed = S::Seed;
        type Feed = S::Feed;
        const EMPTY: S::Feed = S::EMPTY;
        type Leaf = S::Leaf;

        fn start(self, feed: &mut S::Feed, seed: &S::Seed) {
            self.starts.fetch_add(1, Ordering::Relaxed);
            self.sampling.start(feed, seed);
        }
        fn leaf(self, leaf: &Leaf) -> S::Leaf {
            self.sampling.leaf(leaf)
        }
        fn sample_pair(self, feed: &mut S::Feed, rests: [f64; 2], leaf: &S::Leaf) -> [f64; 2] {
            self.sampling.sample_pair(feed, rests, leaf)
        }
        fn gave_up(_: &S::Feed) -> bool {
            true
        }
    }

    impl<S: ShakeSampling> ShakeSampling for Tired<'_, S> {
        fn nonce(feed: &S::Feed) -> &[u8; NONCE_LEN] {
            S::nonce(feed)
        }
    }

    /// Signs with a sampler that gives up. The integers are right, but the signer cannot know that.
    /// So it gives no signature and makes no further attempt.
    #[test]
    fn a_sampler_that_gives_up_ends_the_attempts() {
        let key = crate::SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
        let key = SigningKey::<Falcon512>::from(key);
        let starts = AtomicU32::new(0);
        let tired = Tired {
            sampling: <f64 as ShakeDouble>::shake_sampling(Baseline),
            starts: &starts,
        };
        let (mut nonce, mut point) = ([0; NONCE_LEN], [0; 512]);
        let (mut s1, mut s2) = ([0; 512], [1; 512]);
        let out = Attempted {
            nonce: &mut nonce,
            point: &mut point,
            s1: &mut s1,
            s2: &mut s2,
        };
        let (seed, mu) = (&[1; SEED_LEN], &[2; MU_LEN]);
        assert!(!Signer::of(&key).sign_mu_with(Baseline, tired, seed, mu, out));
        assert_eq!(starts.load(Ordering::Relaxed), 1);
        assert_eq!(s2, [0; 512]);
    }

    /// The public key of another pair refuses every attempt.
    #[test]
    fn a_signer_that_fails_leaves_no_vector() {
        let [mut key, other] = [7, 8].map(|seed| {
            let key = crate::SigningKey::<Falcon512>::from_seed(&[seed; 32]);
            SigningKey::from(key.expect("no fault"))
        });
        key.set_public(other.key.verifying_key().clone());
        let (mut point, mut s1, mut s2) = ([0; 512], Aligned([0; 512]), [0; 512]);
        let out = Attempted {
            nonce: &mut [0; NONCE_LEN],
            point: &mut point,
            s1: &mut s1.0,
            s2: &mut s2,
        };
        assert!(!Signer::of(&key).sign_mu(&[1; SEED_LEN], &[2; MU_LEN], out));
        assert_eq!(s2, [0; 512]);
    }
}

//! Signatures that recover the public key, for verifiers that know only its hash.
//!
//! A ledger can store 32 bytes, the hash of a key, in place of the key of 897 or 1793 bytes. Its
//! signatures are longer: they hold both short polynomials, `s1` and `s2`. The verifier computes
//! the key from them, `h = (c - s1) / s2 mod q`, where `c` is the hashed message, and compares the
//! hash of the key. Hash and signature take 1323 bytes for Falcon-512; an ordinary signature and
//! its key take 1563. For Falcon-1024 they are 2551 and 3073 bytes.
//!
//! **A recovered key proves nothing by itself.** Nearly any two short polynomials recover some key,
//! for every message. Only the comparison with a hash that the verifier knows from elsewhere tells
//! who signed. [`RecoverableSignature::verify`] compares; [`RecoverableSignature::recover`] does
//! not.
//!
//! The hash is [`VerifyingKey::fingerprint`]: the first 32 bytes of SHAKE256 of the encoded key,
//! whose first byte names the parameter set. Keys are ordinary Falcon keys.
//!
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use falcon_core::recovery::{self, RecoverableSignature};
//! use falcon_core::{Falcon512, SigningKey};
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let key = SigningKey::<Falcon512>::generate(&mut rng)?;
//! let account: [u8; 32] = key.verifying_key().fingerprint(); // published once
//! let sent: [u8; 1291] = recovery::sign_with_rng(&key, &mut rng, b"payment #42")?.to_bytes();
//!
//! let received = RecoverableSignature::<Falcon512>::try_from(&sent[..])?;
//! received.verify(b"payment #42", &account)?;
//! assert!(received.verify(b"payment #43", &account).is_err());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```
//!
//! # Security of the hash
//!
//! A forger without the secret key can also look for a signature whose recovered key has the given
//! hash by chance. This takes `2^256` tries against one hash, and `2^256 / k` against any of `k`.
//! Finding two keys with the same hash takes `2^128` tries. Their owner can later deny which key
//! signed.
//!
//! # The polynomial that has no inverse
//!
//! A key is recovered only if `s2` is invertible modulo `q`. It is not invertible for 4 % of all
//! Falcon-512 signatures, and for 8 % of Falcon-1024. The signer then signs again with a new nonce,
//! and thus another point. The discarded signature is an ordinary one, the only signature of its
//! point, and could be published without harm. So the time of signing, which tells how many
//! signatures were discarded, reveals no more about the key than ordinary signatures do.
//!
//! Source: Falcon specification v1.2, section 3.12. `docs/FORMATS.md` of the repository specifies
//! the encoding, which is this project's own.

use crate::engine::Best;
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint};
use crate::hazmat::SecretKey;
use crate::hedge::{Randomness, SEED_LEN};
use crate::lanes::{Baseline, wipe};
use crate::norm::{is_short, squared_norm};
use crate::operations::Operations;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::reveal::reveal_all;
use crate::scratch::{Aligned, Scratch};
use crate::sign::sign;
use crate::signatures::{Format, Signature};
use crate::signing::Fit;
use crate::verify::{VerifyingKey, difference_is_short};
use core::fmt;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

#[cfg(feature = "alloc")]
use crate::scratch::with_scratch;

/// Number of signatures that are made before the device counts as faulty. At most one in eleven is
/// discarded, so 40 in a row are discarded with a chance of `2^-138`.
const MAX_TRIES: u64 = 40;

/// Returns the header byte of a recoverable signature of degree `2^logn`.
const fn header(logn: u32) -> u8 {
    0x70 + logn as u8
}

/// Signs `message` with fresh randomness. It is hedged with the key, so a weak generator does not
/// reveal the key.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{Falcon512, SigningKey, recovery};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?.expand();
/// let signature = recovery::sign_with_rng(&key, &mut rng, b"payment #42")?;
/// assert_eq!(&signature.recover(b"payment #42")?, key.verifying_key());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`FaultError`] if a hardware fault was detected.
#[cfg(feature = "alloc")]
pub fn sign_with_rng<P: Parameters, R: CryptoRng + ?Sized>(
    key: &impl SecretKey<P>,
    rng: &mut R,
    message: &[u8],
) -> Result<RecoverableSignature<P>, FaultError> {
    let len = key.source().scratch_len(P::LOGN);
    with_scratch(len, |scratch| sign_in(key, rng, message, scratch))
}

/// Signs `message` as `sign_with_rng` does, with caller-owned scratch.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{Falcon512, Scratch, SigningKey, recovery};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let signature = recovery::sign_in(&key, &mut rng, b"payment #42", &mut scratch)?;
/// signature.verify(b"payment #42", &key.verifying_key().fingerprint())?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`FaultError`] if a hardware fault was detected.
pub fn sign_in<P: Parameters, R: CryptoRng + ?Sized>(
    key: &impl SecretKey<P>,
    rng: &mut R,
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<RecoverableSignature<P>, FaultError> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    rng.fill_bytes(&mut *seed);
    sign_on(Best::find(), key, &seed, message, scratch)
}

/// Signs with the engine `on`. Try `i` makes the signature of job `i` of a batch with this seed. So
/// a seed that repeats, here or in a batch, never gives two different signatures of one point.
fn sign_on<P: Parameters>(
    on: impl Operations,
    key: &impl SecretKey<P>,
    seed: &[u8; SEED_LEN],
    message: &[u8],
    scratch: &mut Scratch<'_, P>,
) -> Result<RecoverableSignature<P>, FaultError> {
    for index in 0..MAX_TRIES {
        let mut seeds = Randomness::hedged(seed, index, key.secret_hash());
        let nonce = seeds.nonce();
        let c = point::<P>(on, &nonce, message);
        let copy = |out: &mut [u16]| {
            out.copy_from_slice(c.as_ref());
            Ok::<_, FaultError>(())
        };
        let mut signature = sign(on, key, nonce, copy, &mut seeds, Fit::Padded, scratch)?;
        // A discarded signature is also public, since no other signature of its point is made.
        reveal_all(signature.s2.as_mut());
        if let Some(signature) = recoverable_or_wiped(on, key.as_ref(), &c, &mut signature)? {
            return Ok(signature);
        }
    }
    Err(FaultError)
}

/// Makes a recoverable signature from `signature` of the point `c`. Returns `None` if `signature`
/// cannot recover its key. If `signature` is wrong, the device had a fault, and `signature` is
/// wiped.
fn recoverable_or_wiped<P: Parameters>(
    on: impl Operations,
    key: &VerifyingKey<P>,
    c: &P::Residues,
    signature: &mut Signature<P>,
) -> Result<Option<RecoverableSignature<P>>, FaultError> {
    RecoverableSignature::of(on, key, c, signature).map_err(|SignatureError| {
        wipe(signature.s2.as_mut());
        FaultError
    })
}

/// Hashes a message to a point.
fn point<P: Parameters>(
    on: impl Operations,
    nonce: &[u8; NONCE_LEN],
    message: &[u8],
) -> P::Residues {
    let mut c = P::Residues::ZERO;
    let mut hasher = Shake256HashToPoint.hasher(nonce);
    hasher.update(message);
    hasher.finish_on(on, c.as_mut());
    c
}

/// A signature that recovers the public key: the nonce and both short polynomials, `s1` and `s2`.
///
/// A signature is public. Its polynomials are within the norm bound of the scheme, and each fits
/// the padded form. So it always has exactly one encoding, of
/// [`RECOVERABLE_LEN`](Parameters::RECOVERABLE_LEN) bytes.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::recovery::{self, RecoverableSignature};
/// use falcon_core::{DecodeError, Falcon1024, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon1024>::from_seed(&[7; 32])?;
/// let bytes = recovery::sign_with_rng(&key, &mut rng, b"payment #42")?.to_bytes();
/// assert_eq!(bytes.len(), 2519);
///
/// let signature = RecoverableSignature::<Falcon1024>::try_from(&bytes[..])?;
/// signature.verify(b"payment #42", &key.verifying_key().fingerprint())?;
/// let truncated = RecoverableSignature::<Falcon1024>::try_from(&bytes[..2000]);
/// assert_eq!(truncated, Err(DecodeError::Length));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecoverableSignature<P: Parameters> {
    signature: Signature<P>,
    s1: P::Short,
}

impl<P: Parameters> RecoverableSignature<P> {
    /// Computes `s1` of a signature that exists already, such as one from a batch or from a device.
    /// Needs no secret. Returns `None` if the signature cannot recover its key: `s2` is not
    /// invertible (for 4 % of all Falcon-512 signatures, for 8 % of Falcon-1024), or a polynomial
    /// does not fit the padded form. Then sign again, with a fresh nonce.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon512, SigningKey, recovery::RecoverableSignature};
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let ordinary = key.sign_with_rng(&mut rng, b"payment #42")?;
    /// let public_key = key.verifying_key();
    /// let longer = RecoverableSignature::from_signature(public_key, b"payment #42", &ordinary)?;
    /// if let Some(signature) = longer {
    ///     signature.verify(b"payment #42", &public_key.fingerprint())?;
    ///     assert_eq!(signature.to_signature(), ordinary);
    /// }
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SignatureError`] if `key` did not make the signature for this message.
    pub fn from_signature(
        key: &VerifyingKey<P>,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<Option<Self>, SignatureError> {
        let on = Best::find();
        let c = point::<P>(on, signature.nonce(), message);
        Self::of(on, key, &c, signature)
    }

    /// Computes `s1` as [`from_signature`](Self::from_signature) does, from the point `c`.
    fn of(
        on: impl Operations,
        key: &VerifyingKey<P>,
        c: &P::Residues,
        signature: &Signature<P>,
    ) -> Result<Option<Self>, SignatureError> {
        let mut s1 = Aligned(P::Short::ZERO);
        key.multiply(on, signature, &mut s1.0);
        let copy = |out: &mut [u16]| out.copy_from_slice(c.as_ref());
        if !difference_is_short(on, copy, &mut s1.0, signature) {
            return Err(SignatureError);
        }
        let new = Self {
            signature: *signature,
            s1: s1.0,
        };
        let fits = |half: Signature<P>| half.encoded_len(Format::Padded).is_some();
        let complete = fits(new.first_half()) && fits(new.signature);
        Ok((complete && new.recover_on(on, c).is_some()).then_some(new))
    }

    /// Returns the ordinary signature, without `s1`, for verifiers that know the key.
    pub fn to_signature(&self) -> Signature<P> {
        self.signature
    }

    /// Returns the nonce, which is hashed before the message.
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        &self.signature.nonce
    }

    /// Returns the `n` coefficients of `s1`.
    pub fn s1(&self) -> &[i16] {
        self.s1.as_ref()
    }

    /// Returns the `n` coefficients of `s2`.
    pub fn s2(&self) -> &[i16] {
        self.signature.s2()
    }

    /// Computes the only key under which this signature is valid for `message`.
    ///
    /// **The result proves nothing until it is compared with a known key or its hash**: nearly
    /// every signature and message recover some key.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon512, SigningKey, recovery};
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let signature = recovery::sign_with_rng(&key, &mut rng, b"payment #42")?;
    /// assert_eq!(&signature.recover(b"payment #42")?, key.verifying_key());
    /// // A key, but nobody's.
    /// assert_ne!(&signature.recover(b"payment #43")?, key.verifying_key());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SignatureError`] if `s2` is not invertible modulo `q`: then many keys fit, or none.
    pub fn recover(&self, message: &[u8]) -> Result<VerifyingKey<P>, SignatureError> {
        let on = Best::find();
        let c = point::<P>(on, self.nonce(), message);
        self.recover_on(on, &c).ok_or(SignatureError)
    }

    /// Recovers the key as [`recover`](Self::recover) does, from the point `c`.
    fn recover_on(&self, on: impl Operations, c: &P::Residues) -> Option<VerifyingKey<P>> {
        let mut h = P::Residues::ZERO;
        let mut words = P::KeyWords::ZERO;
        let short = [self.s1(), self.s2()];
        if !on.recover(P::LOGN, c.as_ref(), short, h.as_mut(), words.as_mut()) {
            return None;
        }
        let mut key = VerifyingKey::EMPTY;
        key.set(on, &h);
        Some(key)
    }

    /// Verifies the signature for `message` and the key whose
    /// [fingerprint](VerifyingKey::fingerprint) is `key_hash`.
    ///
    /// # Errors
    /// [`SignatureError`] if no key is recovered, or if the recovered key has another hash. The
    /// error does not tell these cases apart.
    pub fn verify(&self, message: &[u8], key_hash: &[u8; 32]) -> Result<(), SignatureError> {
        if self.recover(message)?.fingerprint() == *key_hash {
            Ok(())
        } else {
            Err(SignatureError)
        }
    }

    /// Encodes the signature, in 1291 or 2519 bytes.
    pub fn to_bytes(&self) -> P::RecoverableBytes {
        let mut out = P::RecoverableBytes::ZERO;
        let bytes = out.as_mut();
        // Both halves begin with a header and a nonce. The end of the first half overwrites the
        // header and the nonce of the second half.
        let second = &mut bytes[P::PADDED_LEN - 1 - NONCE_LEN..];
        self.signature.write(Format::Padded, second);
        let first = &mut bytes[..P::PADDED_LEN];
        self.first_half().write(Format::Padded, first);
        bytes[0] = header(P::LOGN);
        out
    }

    /// Returns nonce and `s1` in the form of a signature.
    fn first_half(&self) -> Signature<P> {
        Signature {
            nonce: self.signature.nonce,
            s2: self.s1,
        }
    }
}

impl<P: Parameters> TryFrom<&[u8]> for RecoverableSignature<P> {
    type Error = DecodeError;

    /// Decodes strictly. Everything that [`to_bytes`](RecoverableSignature::to_bytes) does not
    /// write is refused, and so is a pair `(s1, s2)` that exceeds the norm bound.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        match bytes.first() {
            None => return Err(DecodeError::Length),
            Some(&first) if first != header(P::LOGN) => return Err(DecodeError::Header),
            Some(_) => {}
        }
        if bytes.len() != P::RECOVERABLE_LEN {
            return Err(DecodeError::Length);
        }
        let (first, second) = bytes.split_at(P::PADDED_LEN);
        let mut padded = P::PaddedBytes::ZERO;
        let padded = padded.as_mut();
        padded.copy_from_slice(first);
        padded[0] = Format::Padded.header(P::LOGN);
        let s1 = Signature::<P>::from_bytes(Format::Padded, padded)?.s2;
        padded[1 + NONCE_LEN..].copy_from_slice(second);
        let signature = Signature::<P>::from_bytes(Format::Padded, padded)?;
        let norm = |s: &P::Short| squared_norm(Baseline, s.as_ref());
        if !is_short(P::LOGN, norm(&s1) + norm(&signature.s2)) {
            return Err(DecodeError::Range);
        }
        Ok(Self { signature, s1 })
    }
}

impl<P: Parameters> fmt::Debug for RecoverableSignature<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoverableSignature")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::hedge::SECRET_HASH_LEN;
    use crate::keys::SigningKey;
    use crate::params::{Falcon512, Falcon1024, Q, for_every_set};
    use crate::secret::Secret;
    use crate::signing::KeySource;
    use std::vec;

    fn sign_on_engine<P: Parameters>(
        engine: Engine,
        key: &SigningKey<P>,
        seed: u8,
    ) -> RecoverableSignature<P> {
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::new(&mut reals).expect("it is long enough");
        sign_on(engine, key, &[seed; 32], b"payment", &mut scratch).expect("no fault")
    }

    #[test]
    fn every_engine_signs_and_recovers_alike_in_every_set() {
        fn check<P: Parameters>() {
            let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
            for seed in 0..4 {
                let signature = sign_on_engine(Engine::best(), &key, seed);
                let bytes = signature.to_bytes();
                let c = point::<P>(Best::find(), signature.nonce(), b"payment");
                for engine in Engine::available() {
                    let same = sign_on_engine(engine, &key, seed);
                    assert_eq!(same, signature, "{} {engine:?}", P::NAME);
                    let found = signature.recover_on(engine, &c);
                    assert_eq!(found.as_ref(), Some(key.verifying_key()));
                }
                let decoded = RecoverableSignature::<P>::try_from(bytes.as_ref());
                assert_eq!(decoded, Ok(signature));
            }
        }
        for_every_set!(check);
    }

    /// A secret key with the verifying key of another key, as a fault could produce it.
    struct Mixed<'a, P: Parameters>(&'a SigningKey<P>, &'a SigningKey<P>);

    impl<P: Parameters> Secret<P> for Mixed<'_, P> {
        fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN] {
            self.0.secret_hash()
        }
        fn source(&self) -> KeySource<'_> {
            self.0.source()
        }
    }

    impl<P: Parameters> AsRef<VerifyingKey<P>> for Mixed<'_, P> {
        fn as_ref(&self) -> &VerifyingKey<P> {
            self.1.verifying_key()
        }
    }

    #[test]
    fn an_invalid_signature_is_a_fault() {
        let [key, other] =
            [1, 2].map(|k| SigningKey::<Falcon512>::from_seed(&[k; 32]).expect("no fault"));
        let mut reals = vec![0.0; Scratch::<Falcon512>::LEN];
        let mut scratch = Scratch::new(&mut reals).expect("it is long enough");
        let mut sign = |key| sign_on(Best::find(), &key, &[3; 32], b"payment", &mut scratch);
        assert!(sign(Mixed(&key, &key)).is_ok());
        assert_eq!(sign(Mixed(&key, &other)), Err(FaultError));
    }

    #[test]
    fn an_invalid_signature_is_wiped() {
        let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
        let key = key.verifying_key();
        let mut signature = Signature::<Falcon512>::EMPTY;
        signature.s2.fill(3);
        let wrong = recoverable_or_wiped(Best::find(), key, &[0; 512], &mut signature);
        assert_eq!((wrong, signature.s2), (Err(FaultError), [0; 512]));
    }

    /// The codes of `s1` are longer than the padded form, although the vector is short.
    #[test]
    fn a_half_that_does_not_fit_gives_no_recoverable_signature() {
        fn check<P: Parameters>() {
            let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
            let key = key.verifying_key();
            let mut signature = Signature::<P>::EMPTY;
            signature.s2.as_mut()[0] = 1;
            for (s1, fits) in [(127, true), (256, false)] {
                // For this point, c - s2 h = s1.
                let mut c = key.h();
                for c in c.as_mut() {
                    *c = (*c + s1) % Q as u16;
                }
                let made = RecoverableSignature::of(Best::find(), key, &c, &signature);
                assert_eq!(made.expect("it is short").is_some(), fits, "{}", P::NAME);
            }
        }
        check::<Falcon512>();
        check::<Falcon1024>();
    }

    /// Checks the chance for degree 1024, which is the worst case: each of the 1024 values of `s2`
    /// is zero with chance `1/q`.
    #[test]
    fn the_stated_chances_are_right() {
        let discarded = 1.0 - (1.0 - 1.0 / 12289.0f64).powi(1024);
        assert!((0.079..0.081).contains(&discarded));
        let in_a_row = (1.0f64 / 11.0).powi(MAX_TRIES as i32);
        assert!(in_a_row < 2f64.powi(-138), "{in_a_row:e}");
    }
}

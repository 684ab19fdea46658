//! Verifying keys, and verification, which computes with integers only.

use crate::codec;
use crate::engine::Best;
use crate::error::{DecodeError, SignatureError};
use crate::hash;
use crate::hash_to_point::{
    HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher, is_point,
};
use crate::ntt;
use crate::operations::Operations;
use crate::params::{Array, NONCE_LEN, Parameters};
use crate::scratch::Aligned;
use crate::signatures::Signature;
use core::fmt;

/// A verifying (public) key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{Falcon512, Signature, VerifyingKey};
/// # use falcon_core::SigningKey;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let signer = SigningKey::<Falcon512>::generate(&mut rng)?;
/// # let public_key = signer.verifying_key().to_bytes();
/// # let signature = signer.sign_with_rng(&mut rng, b"order #42")?.to_bytes();
///
/// let key = VerifyingKey::<Falcon512>::try_from(&public_key[..])?; // 897 bytes
/// let signature = Signature::try_from(&signature[..])?;
/// assert!(key.verify(b"order #42", &signature).is_ok());
/// assert!(key.verify(b"order #43", &signature).is_err());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// Decode a key once and verify with it often. Decoding computes the NTT of `h`. A key holds only
/// the NTT, in 1 or 2 KiB.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VerifyingKey<P: Parameters> {
    /// `h` in the transform domain. All engines of a build give the same words for the same `h`.
    prepared: P::Short,
}

/// Reads the coefficients of `h`, of degree `2^logn`, from an encoding.
type Reader = fn(logn: u32, bytes: &[u8], h: &mut [u16]) -> Result<(), DecodeError>;

impl<P: Parameters> VerifyingKey<P> {
    /// A key of zeros. [`set`](Self::set) overwrites it.
    pub(crate) const EMPTY: Self = Self {
        prepared: P::Short::ZERO,
    };

    /// Sets this key to the key of the polynomial `h`, whose coefficients are below `q`.
    pub(crate) fn set(&mut self, on: impl Operations, h: &P::Residues) {
        on.prepare(P::LOGN, self.prepared.as_mut(), h.as_ref());
    }

    /// Makes the key of the polynomial that has `values` at the roots, in the order of
    /// [`ntt::set_values`]. Values are below `q`. The words of the key may differ from those of
    /// [`set`](Self::set), so such keys are not compared.
    #[cfg(feature = "fndsa-provisional")]
    pub(crate) fn from_values(values: &P::Residues) -> Self {
        let mut key = Self::EMPTY;
        ntt::set_values(P::LOGN, key.prepared.as_mut(), values.as_ref());
        key
    }

    /// Reads the encoding, and prepares the key with the engine `on`.
    // The key is decoded in place: a moved copy would double the stack.
    #[inline]
    pub(crate) fn decode_on(on: impl Operations, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(key) = &mut result
            && let Err(error) = key.decode(on, bytes, codec::public_key::decode)
        {
            result = Err(error);
        }
        result
    }

    /// Sets this key to the one that `bytes` encode. `read` reads the coefficients. Not inlined, so
    /// that `h` leaves the stack.
    #[inline(never)]
    fn decode(
        &mut self,
        on: impl Operations,
        bytes: &[u8],
        read: Reader,
    ) -> Result<(), DecodeError> {
        let mut h = P::Residues::ZERO;
        read(P::LOGN, bytes, h.as_mut())?;
        self.set(on, &h);
        Ok(())
    }

    /// Returns `h` in the transform domain.
    pub(crate) fn prepared(&self) -> &[i16] {
        self.prepared.as_ref()
    }

    /// Computes the coefficients of `h = g / f mod q`, an inverse NTT.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let h: [u16; 512] = key.verifying_key().h();
    /// assert!(h.iter().all(|&coefficient| coefficient < 12289));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    pub fn h(&self) -> P::Residues {
        let mut words = self.prepared;
        let mut h = P::Residues::ZERO;
        Best::find().restore(P::LOGN, words.as_mut(), h.as_mut());
        h
    }

    /// Computes the NTT of `h`: its values at the `n` roots of `x^n + 1`, below `q`. This takes one
    /// product for each value; [`h`](Self::h) takes an inverse NTT. Value `i` belongs to the root
    /// `7^((1024 / n) (2 brv(i) + 1))`, where `brv` reverses the `log2 n` bits of `i`.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let (h, values) = (key.verifying_key().h(), key.verifying_key().ntt_of_h());
    /// let at = |root: u32| h.iter().rev().fold(0, |sum, &h| (sum * root + u32::from(h)) % 12289);
    /// assert_eq!(u32::from(values[0]), at(7 * 7));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    pub fn ntt_of_h(&self) -> P::Residues {
        let mut values = P::Residues::ZERO;
        ntt::values(P::LOGN, self.prepared(), values.as_mut());
        values
    }

    /// Decodes a key without the header byte, 896 or 1792 bytes, as some wallets and ledgers store
    /// it. Only the length tells the parameter set.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon512, SigningKey, VerifyingKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?.verifying_key().clone();
    /// let stored: [u8; 896] = key.to_headerless_bytes();
    /// assert_eq!(stored[..], key.to_bytes()[1..]);
    /// assert_eq!(VerifyingKey::from_headerless_bytes(&stored)?, key);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`DecodeError::Length`] if there are not 896 bytes (Falcon-1024: 1792),
    /// [`DecodeError::Range`] if a coefficient is 12289 or more. [`DecodeError::NonCanonical`]
    /// occurs only at degree 2 (see `hazmat::insecure`), where the encoding has spare bits.
    pub fn from_headerless_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut key = Self::EMPTY;
        key.decode(Best::find(), bytes, codec::public_key::decode_headerless)?;
        Ok(key)
    }

    /// Encodes the key without its header byte; see
    /// [`from_headerless_bytes`](Self::from_headerless_bytes).
    pub fn to_headerless_bytes(&self) -> P::HeaderlessKeyBytes {
        let mut out = P::HeaderlessKeyBytes::ZERO;
        codec::public_key::encode_headerless(self.h().as_ref(), out.as_mut());
        out
    }

    /// Encodes the key, in 897 or 1793 bytes.
    pub fn to_bytes(&self) -> P::VerifyingKeyBytes {
        let mut out = P::VerifyingKeyBytes::ZERO;
        codec::public_key::encode(P::LOGN, self.h().as_ref(), out.as_mut());
        out
    }

    /// Computes the fingerprint of the key, a short name for comparing keys. It is
    /// the first 32 bytes of SHAKE256 of the [encoding](Self::to_bytes).
    ///
    /// The encoding begins with a header that names the parameter set, so keys
    /// of different sets have different fingerprints. If `key` holds the
    /// encoding, `openssl dgst -shake256 -xoflen 32 key` prints the same bytes.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let other = SigningKey::<Falcon512>::from_seed(&[8; 32])?;
    /// let fingerprint: [u8; 32] = key.verifying_key().fingerprint();
    /// assert_ne!(fingerprint, other.verifying_key().fingerprint());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hash = hash::shake256();
        hash.update(self.to_bytes().as_ref());
        hash.finalize().read_array()
    }

    /// Verifies `signature` for `message`.
    ///
    /// # Errors
    /// [`SignatureError`] if this key did not make the signature for this message. The error does
    /// not say why.
    pub fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), SignatureError> {
        self.verify_parts(&[message], signature)
    }

    /// Verifies `signature` for the concatenation of `pieces`.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_parts(
        &self,
        pieces: &[&[u8]],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        self.verify_parts_on(Best::find(), pieces, signature)
    }

    /// Verifies as [`verify_parts`](Self::verify_parts) does, with the engine `on`.
    pub(crate) fn verify_parts_on(
        &self,
        on: impl Operations,
        pieces: &[&[u8]],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let point = |c: &mut [u16]| {
            let mut hash = hash::shake256();
            hash.update(&signature.nonce);
            for piece in pieces {
                hash.update(piece);
            }
            on.fill_point(&mut hash, c);
        };
        self.verify_point(on, point, signature)
    }

    /// Starts to hash a message that comes in pieces, with the nonce of its signature. The memory
    /// needed does not depend on the length of the message.
    ///
    /// ```
    /// use falcon_core::{DecodeError, Falcon512, Signature, SignatureError, VerifyingKey};
    /// # fn try_it(
    /// #     key: &VerifyingKey<Falcon512>,
    /// #     signature: &Signature<Falcon512>,
    /// # ) -> Result<(), SignatureError> {
    /// let mut hasher = key.hasher(signature.nonce());
    /// hasher.update(b"order ");
    /// hasher.update(b"#42");
    /// key.verify_hashed(hasher, signature)
    /// # }
    /// ```
    pub fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> MessageHasher {
        MessageHasher {
            nonce: *nonce,
            inner: Shake256HashToPoint.hasher(nonce),
        }
    }

    /// Verifies `signature` for the message that `hasher` has absorbed.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify). Also if the hasher started with the nonce of another
    /// signature.
    pub fn verify_hashed(
        &self,
        hasher: MessageHasher,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        self.verify_hashed_on(Best::find(), hasher, signature)
    }

    /// Verifies as [`verify_hashed`](Self::verify_hashed) does, with the engine `on`.
    pub(crate) fn verify_hashed_on(
        &self,
        on: impl Operations,
        hasher: MessageHasher,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        if hasher.nonce != signature.nonce {
            return Err(SignatureError);
        }
        self.verify_point(on, |c| hasher.inner.finish_on(on, c), signature)
    }

    /// Verifies as [`verify`](Self::verify) does, with another hash from messages to points.
    pub(crate) fn verify_with<H: HashToPoint>(
        &self,
        hash: &H,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let mut c = P::Residues::ZERO;
        hash.hash_to_point(&signature.nonce, message, c.as_mut());
        if !is_point(c.as_ref()) {
            return Err(SignatureError);
        }
        let point = |out: &mut [u16]| out.copy_from_slice(c.as_ref());
        self.verify_point(Best::find(), point, signature)
    }

    /// Computes algorithm 16 (Verify), from the hashed message on: checks that `signature` is a
    /// short preimage of the point that `point` writes. The point is public.
    ///
    /// Each half of the computation owns its memory, so the stack holds the memory of one half at a
    /// time.
    ///
    /// Source: Falcon specification v1.2, algorithm 16.
    pub(crate) fn verify_point(
        &self,
        on: impl Operations,
        point: impl FnOnce(&mut [u16]),
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        let mut product = Aligned(P::Short::ZERO);
        self.multiply(on, signature, &mut product.0);
        if difference_is_short(on, point, &mut product.0, signature) {
            Ok(())
        } else {
            Err(SignatureError)
        }
    }

    /// Computes `product <- s2 h`.
    #[inline(never)]
    pub(crate) fn multiply(
        &self,
        on: impl Operations,
        signature: &Signature<P>,
        product: &mut P::Short,
    ) {
        let (s2, h) = (signature.s2.as_ref(), self.prepared.as_ref());
        on.multiply(P::LOGN, s2, h, product.as_mut());
    }
}

/// Returns true if `(c - product, s2)` is short, where `point` writes `c`. `product` becomes `s1 =
/// c - product`, centred.
#[inline(never)]
pub(crate) fn difference_is_short<P: Parameters>(
    on: impl Operations,
    point: impl FnOnce(&mut [u16]),
    product: &mut P::Short,
    signature: &Signature<P>,
) -> bool {
    let mut c = P::Residues::ZERO;
    point(c.as_mut());
    on.is_preimage(P::LOGN, c.as_ref(), signature.s2.as_ref(), product.as_mut())
}

impl<P: Parameters> TryFrom<&[u8]> for VerifyingKey<P> {
    type Error = DecodeError;

    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode_on(Best::find(), bytes)
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> TryFrom<alloc::vec::Vec<u8>> for VerifyingKey<P> {
    type Error = DecodeError;

    /// Decodes as `TryFrom<&[u8]>` does.
    ///
    /// ```
    /// use falcon_core::{DecodeError, Falcon512, VerifyingKey};
    ///
    /// let truncated = vec![0x09; 896];
    /// let error = VerifyingKey::<Falcon512>::try_from(truncated).unwrap_err();
    /// assert_eq!(error, DecodeError::Length);
    /// ```
    fn try_from(bytes: alloc::vec::Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&bytes[..])
    }
}

impl<P: Parameters> fmt::Debug for VerifyingKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

/// A message that is being hashed. Create it with [`VerifyingKey::hasher`].
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// use falcon_core::{Falcon512, SigningKey};
/// # let signer = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let signature = signer.sign_with_rng(&mut rng, b"order #42")?;
/// # let key = signer.verifying_key();
///
/// let mut hasher = key.hasher(signature.nonce());
/// for piece in ["order ", "#", "42"] {
///     hasher.update(piece.as_bytes());
/// }
/// assert!(key.verify_hashed(hasher, &signature).is_ok());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct MessageHasher {
    nonce: [u8; NONCE_LEN],
    inner: Shake256PointHasher,
}

impl fmt::Debug for MessageHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageHasher").finish_non_exhaustive()
    }
}

impl MessageHasher {
    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.inner.update(piece);
    }
}

impl<P: Parameters> signature::Verifier<Signature<P>> for VerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), signature::Error> {
        Ok(self.verify_parts(&[message], signature)?)
    }
}

impl<P: Parameters> signature::MultipartVerifier<Signature<P>> for VerifyingKey<P> {
    fn multipart_verify(
        &self,
        message: &[&[u8]],
        signature: &Signature<P>,
    ) -> Result<(), signature::Error> {
        Ok(self.verify_parts(message, signature)?)
    }
}

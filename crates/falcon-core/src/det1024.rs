//! Deterministic Falcon-1024 (`det1024`), the scheme of Algorand.
//!
//! Under a key, a message has exactly one signature. The nonce is fixed, and the sampler seeds are
//! derived from key and message, so signing needs no random generator. The keys are those of
//! Falcon-1024. The signatures have different encodings: one byte, the salt version, replaces the
//! nonce of 40 bytes.
//! Decoders of ordinary Falcon-1024 signatures refuse these encodings, and this module refuses
//! those of ordinary signatures.
//!
//! `Signature::<Falcon1024>::from` puts the nonce back. The result is an ordinary signature, valid
//! for the same message and key. So the functions for ordinary signatures can verify it for a
//! message in pieces, or in a batch.
//!
//! **Two different signatures of one message reveal the key.** So a faulty computation must not
//! leave the device: [`SigningKey::sign`] signs twice, compares, and verifies. All engines of this
//! crate give the same bytes, and so does Algorand's C code.
//! Versions of this crate before 2026-11-29 differ in about four signatures of a million. Do not
//! sign with the same key in such a version and in this one, or in a program that rounds
//! differently.
//!
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use falcon_core::det1024::{CompressedSignature, CtSignature, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?;
//! let signature = key.sign(b"payment #42")?;
//! let sent = signature.to_bytes(); // 1223 to 1242 bytes, as a rule
//! assert_eq!(sent, key.sign(b"payment #42")?.to_bytes());
//!
//! let public_key = VerifyingKey::try_from(&key.verifying_key().to_bytes()[..])?;
//! let received = CompressedSignature::try_from(&sent[..])?;
//! public_key.verify(b"payment #42", &received)?;
//!
//! // The constant-time form, for circuits and ledgers.
//! let fixed: [u8; 1538] = CtSignature::from(received).to_bytes();
//! public_key.verify_ct(b"payment #42", &CtSignature::try_from(&fixed[..])?)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```
//!
//! Source: algorand/falcon, `deterministic.h` and `deterministic.c` (commit 06b25d7b). Known
//! answers of that code are in `kat/det1024` of the repository.

use crate::engine::Best;
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::hash;
use crate::hazmat::{Fit, SAMPLER_SEED_LEN, sign_with_seeds};
use crate::params::{Falcon1024, NONCE_LEN, Parameters};
use crate::scratch::Scratch;
use crate::signatures::{Format, Signature, SignatureBytes};
use crate::twice::sign_twice;
use core::fmt;
use zeroize::{ZeroizeOnDrop, Zeroizing};
#[cfg(feature = "alloc")]
use {crate::scratch::with_scratch, alloc::boxed::Box, rand_core::CryptoRng};

/// Version of the salt, and of the scheme, in the signatures that this module makes. The module
/// verifies signatures of every version.
pub const SALT_VERSION: u8 = 0;

/// Maximum length of a [`CompressedSignature`] in bytes.
pub const COMPRESSED_MAX_LEN: usize = Falcon1024::COMPRESSED_MAX_LEN - NONCE_LEN + 1;

/// Length of a [`CtSignature`] in bytes.
pub const CT_LEN: usize = Falcon1024::CT_LEN - NONCE_LEN + 1;

/// Bit of the header byte that is set in these signatures, and clear in signatures with a nonce.
const DETERMINISTIC: u8 = 0x80;

/// The nonce of all signatures of a salt version.
fn salt(version: u8) -> [u8; NONCE_LEN] {
    let mut salt = [0; NONCE_LEN];
    salt[0] = version;
    salt[1] = Falcon1024::LOGN as u8;
    salt[2..12].copy_from_slice(b"FALCON_DET");
    salt
}

/// Header byte of a signature in `format`.
const fn header(format: Format) -> u8 {
    format.header(Falcon1024::LOGN) | DETERMINISTIC
}

/// Decodes a signature with a salt version in place of the nonce.
fn decode(format: Format, bytes: &[u8]) -> Result<Signature<Falcon1024>, DecodeError> {
    let (&first, rest) = bytes.split_first().ok_or(DecodeError::Length)?;
    if first != header(format) {
        return Err(DecodeError::Header);
    }
    let (&version, body) = rest.split_first().ok_or(DecodeError::Length)?;
    // The buffer has the length of the longer form, the constant-time one.
    let mut salted = [0; Falcon1024::CT_LEN];
    let salted = salted
        .get_mut(..1 + NONCE_LEN + body.len())
        .ok_or(DecodeError::Length)?;
    salted[0] = first & !DETERMINISTIC;
    salted[1..=NONCE_LEN].copy_from_slice(&salt(version));
    salted[1 + NONCE_LEN..].copy_from_slice(body);
    Signature::from_bytes(format, salted)
}

const _: () = assert!(Falcon1024::COMPRESSED_MAX_LEN <= Falcon1024::CT_LEN);

/// Replaces the nonce of an encoded signature with its salt version. Returns the new length.
fn unsalt(bytes: &mut [u8]) -> usize {
    bytes[0] |= DETERMINISTIC;
    // Byte 1, which is the first byte of the nonce, is already the salt version.
    bytes.copy_within(1 + NONCE_LEN.., 2);
    bytes.len() - NONCE_LEN + 1
}

/// A signing (secret) key. Wiped when dropped. Moving it may leave unwiped copies on the stack.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::det1024::SigningKey;
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::generate(&mut rng)?;
/// let stored = key.to_bytes(); // 2305 bytes, wiped when dropped
/// let key = SigningKey::try_from(&stored[..])?;
/// let signature = key.sign(b"payment #42")?;
/// key.verifying_key().verify(b"payment #42", &signature)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct SigningKey {
    key: crate::SigningKey<Falcon1024>,
}

impl SigningKey {
    /// A key of zeros, to be overwritten.
    const EMPTY: Self = Self {
        key: crate::SigningKey::EMPTY,
    };

    /// Generates a key with a random seed from `rng`.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    #[cfg(feature = "alloc")]
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Result<Self, FaultError> {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&*seed)
    }

    /// Generates the key that Algorand's code generates from `seed`, which may have any length.
    ///
    /// The seed must be secret and hard to guess: 32 random bytes or more. Keep it as secret as the
    /// key.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    // The key is made in place, since a moved copy would not be wiped.
    #[cfg(feature = "alloc")]
    pub fn from_seed(seed: &[u8]) -> Result<Self, FaultError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(new) = &mut result
            && let Err(error) = hash::with_stream(&[seed], |stream| new.key.find(stream))
        {
            result = Err(error);
        }
        result
    }

    /// Decodes a Falcon-1024 signing key into a box, as `TryFrom<&[u8]>` does. No copy is left on
    /// the stack.
    ///
    /// ```
    /// use falcon_core::det1024::SigningKey;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let stored = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?.to_bytes();
    /// let key: Box<SigningKey> = SigningKey::decode_boxed(&stored[..])?;
    /// let signature = key.sign(b"payment #42")?;
    /// # assert!(key.verifying_key().verify(b"payment #42", &signature).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for `TryFrom<&[u8]>`.
    #[cfg(feature = "alloc")]
    pub fn decode_boxed(bytes: &[u8]) -> Result<Box<Self>, DecodeError> {
        let mut new = Box::new(Self::EMPTY);
        new.key.decode(Best::find(), bytes)?;
        Ok(new)
    }

    /// Returns a copy of the verifying key, of 2 KiB.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.key.verifying_key().clone().into()
    }

    /// Encodes the key as a Falcon-1024 signing key, in 2305 bytes.
    pub fn to_bytes(&self) -> Zeroizing<<Falcon1024 as Parameters>::SigningKeyBytes> {
        self.key.to_bytes()
    }

    /// Signs `message` twice, compares, and verifies.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected. Nothing was signed.
    #[cfg(feature = "alloc")]
    pub fn sign(&self, message: &[u8]) -> Result<CompressedSignature, FaultError> {
        sign(&self.key, message)
    }

    /// Signs `message` as [`sign`](Self::sign) does, with caller-owned scratch.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon1024, Scratch, det1024::SigningKey};
    ///
    /// let key = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?;
    /// let mut reals = vec![0.0; Scratch::<Falcon1024>::LEN];
    /// let signature = key.sign_in(b"payment #42", &mut Scratch::new(&mut reals)?)?;
    /// assert_eq!(signature, key.sign(b"payment #42")?);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As for [`sign`](Self::sign).
    pub fn sign_in(
        &self,
        message: &[u8],
        scratch: &mut Scratch<'_, Falcon1024>,
    ) -> Result<CompressedSignature, FaultError> {
        sign_in(&self.key, message, scratch)
    }
}

/// Signs `message` with an ordinary Falcon-1024 key, as [`SigningKey::sign`] does.
///
/// ```
/// use falcon_core::{Falcon1024, SigningKey, det1024};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = SigningKey::<Falcon1024>::from_seed(&[7; 32])?;
/// let signature = det1024::sign(&key, b"payment #42")?;
/// assert_eq!(signature, det1024::SigningKey::from(key).sign(b"payment #42")?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As for [`SigningKey::sign`].
#[cfg(feature = "alloc")]
pub fn sign(
    key: &crate::SigningKey<Falcon1024>,
    message: &[u8],
) -> Result<CompressedSignature, FaultError> {
    with_scratch(Scratch::<Falcon1024>::LEN, |scratch| {
        sign_in(key, message, scratch)
    })
}

fn sign_in(
    key: &crate::SigningKey<Falcon1024>,
    message: &[u8],
    scratch: &mut Scratch<'_, Falcon1024>,
) -> Result<CompressedSignature, FaultError> {
    let signature = sign_twice(key.verifying_key(), message, || {
        sign_once(key, message, scratch)
    })?;
    Ok(CompressedSignature { signature })
}

/// Signs with sampler seeds from the stream `SHAKE256(logn || key || message)`.
fn sign_once(
    key: &crate::SigningKey<Falcon1024>,
    message: &[u8],
    scratch: &mut Scratch<'_, Falcon1024>,
) -> Result<Signature<Falcon1024>, FaultError> {
    let encoded = key.to_bytes();
    let pieces: [&[u8]; 3] = [&[Falcon1024::LOGN as u8], &*encoded, message];
    let (nonce, fit) = (salt(SALT_VERSION), Fit::Any);
    hash::with_stream(&pieces, |stream| {
        let next_seed = |seed: &mut [u8; SAMPLER_SEED_LEN]| {
            stream.read(seed);
            Ok(())
        };
        sign_with_seeds(key, &nonce, next_seed, message, fit, scratch)
    })
}

/// Converts an ordinary Falcon-1024 signing key. The key itself does not change, and can also make
/// ordinary signatures.
impl From<crate::SigningKey<Falcon1024>> for SigningKey {
    fn from(key: crate::SigningKey<Falcon1024>) -> Self {
        Self { key }
    }
}

impl TryFrom<&[u8]> for SigningKey {
    type Error = DecodeError;

    /// Decodes a Falcon-1024 signing key and checks it.
    // The key is decoded in place, since a moved copy would not be wiped.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut result = Ok(Self::EMPTY);
        if let Ok(new) = &mut result
            && let Err(error) = new.key.decode(Best::find(), bytes)
        {
            result = Err(error);
        }
        result
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

impl ZeroizeOnDrop for SigningKey {}

#[cfg(feature = "alloc")]
impl signature::Signer<CompressedSignature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<CompressedSignature, signature::Error> {
        self.sign(message).map_err(|_| signature::Error::new())
    }
}

impl signature::Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        self.verifying_key()
    }
}

/// A verifying (public) key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::det1024::{SigningKey, VerifyingKey};
///
/// let key = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?;
/// let stored: [u8; 1793] = key.verifying_key().to_bytes();
/// let public_key = VerifyingKey::try_from(&stored[..])?;
/// let signature = key.sign(b"payment #42")?;
/// assert!(public_key.verify(b"payment #42", &signature).is_ok());
/// assert!(public_key.verify(b"payment #43", &signature).is_err());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VerifyingKey {
    key: crate::VerifyingKey<Falcon1024>,
}

impl VerifyingKey {
    /// Encodes the key as a Falcon-1024 verifying key.
    pub fn to_bytes(&self) -> <Falcon1024 as Parameters>::VerifyingKeyBytes {
        self.key.to_bytes()
    }

    /// Verifies `signature` for `message`.
    ///
    /// # Errors
    /// [`SignatureError`] if this key did not make the signature for this message.
    pub fn verify(
        &self,
        message: &[u8],
        signature: &CompressedSignature,
    ) -> Result<(), SignatureError> {
        self.key.verify(message, &signature.signature)
    }

    /// Verifies a signature of `message` that is in the constant-time format.
    ///
    /// # Errors
    /// As for [`verify`](Self::verify).
    pub fn verify_ct(&self, message: &[u8], signature: &CtSignature) -> Result<(), SignatureError> {
        self.key.verify(message, &signature.signature)
    }
}

/// Converts an ordinary Falcon-1024 verifying key. The key itself does not change, and can also
/// verify ordinary signatures.
impl From<crate::VerifyingKey<Falcon1024>> for VerifyingKey {
    fn from(key: crate::VerifyingKey<Falcon1024>) -> Self {
        Self { key }
    }
}

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = DecodeError;

    /// Decodes a Falcon-1024 verifying key.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        crate::VerifyingKey::try_from(bytes).map(Self::from)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.key, f)
    }
}

impl signature::Verifier<CompressedSignature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &CompressedSignature) -> signature::Result<()> {
        Ok(self.verify(message, signature)?)
    }
}

impl signature::Verifier<CtSignature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &CtSignature) -> signature::Result<()> {
        Ok(self.verify_ct(message, signature)?)
    }
}

/// A signature as Golomb-Rice codes, of varying length. Algorand's programs send this form.
///
/// ```
/// use falcon_core::{DecodeError, det1024::CompressedSignature};
///
/// let truncated = [0xba, 0x00, 0x12];
/// assert_eq!(CompressedSignature::try_from(&truncated[..]), Err(DecodeError::Length));
/// // The header of an ordinary Falcon-1024 signature.
/// assert_eq!(CompressedSignature::try_from(&[0x3a; 1240][..]), Err(DecodeError::Header));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompressedSignature {
    /// The ordinary signature. Its nonce is the [`salt`] of a version.
    signature: Signature<Falcon1024>,
}

impl CompressedSignature {
    /// Version of the salt: [`SALT_VERSION`] in new signatures.
    pub fn salt_version(&self) -> u8 {
        self.signature.nonce[0]
    }

    /// Encodes the signature, in at most [`COMPRESSED_MAX_LEN`] bytes.
    pub fn to_bytes(&self) -> SignatureBytes<Falcon1024> {
        let salted = self.signature.first_that_fits(&[Format::Compressed]);
        salted.edited(unsalt)
    }
}

impl TryFrom<&[u8]> for CompressedSignature {
    type Error = DecodeError;

    /// Decodes a signature of any salt version, strictly.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        decode(Format::Compressed, bytes).map(|signature| Self { signature })
    }
}

impl From<CtSignature> for CompressedSignature {
    fn from(CtSignature { signature }: CtSignature) -> Self {
        Self { signature }
    }
}

impl From<CompressedSignature> for SignatureBytes<Falcon1024> {
    fn from(signature: CompressedSignature) -> Self {
        signature.to_bytes()
    }
}

/// Converts to the ordinary signature, with the full nonce in place of the salt version. The
/// ordinary signature is valid for the same message under the same key.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::det1024::SigningKey;
/// use falcon_core::{Falcon1024, Signature, VerifyingKey};
///
/// let key = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?;
/// let signature = Signature::<Falcon1024>::from(key.sign(b"payment #42")?);
/// let public_key = VerifyingKey::<Falcon1024>::try_from(&key.verifying_key().to_bytes()[..])?;
/// let mut hasher = public_key.hasher(signature.nonce());
/// for piece in ["payment ", "#42"] {
///     hasher.update(piece.as_bytes());
/// }
/// public_key.verify_hashed(hasher, &signature)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
impl From<CompressedSignature> for Signature<Falcon1024> {
    fn from(CompressedSignature { signature }: CompressedSignature) -> Self {
        signature
    }
}

impl signature::SignatureEncoding for CompressedSignature {
    type Repr = SignatureBytes<Falcon1024>;
}

/// A signature with twelve bits for each coefficient, of [`CT_LEN`] bytes. Conversion from and to
/// the compressed form keeps its value and its salt version.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::det1024::{CompressedSignature, CtSignature, SigningKey};
///
/// let key = SigningKey::from_seed(b"a secret seed of 32 random bytes or more")?;
/// let compressed = key.sign(b"payment #42")?;
/// let fixed = CtSignature::from(compressed);
/// assert_eq!(fixed.to_bytes().len(), 1538);
/// assert_eq!(CompressedSignature::from(fixed), compressed);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CtSignature {
    /// The ordinary signature. Its nonce is the [`salt`] of a version.
    signature: Signature<Falcon1024>,
}

impl CtSignature {
    /// Version of the salt: [`SALT_VERSION`] in new signatures.
    pub fn salt_version(&self) -> u8 {
        self.signature.nonce[0]
    }

    /// Encodes the signature.
    pub fn to_bytes(&self) -> [u8; CT_LEN] {
        let mut salted = [0; Falcon1024::CT_LEN];
        // The coefficients of every signature fit in twelve bits.
        self.signature.write(Format::ConstantTime, &mut salted);
        unsalt(&mut salted);
        let mut out = [0; CT_LEN];
        out.copy_from_slice(&salted[..CT_LEN]);
        out
    }
}

impl TryFrom<&[u8]> for CtSignature {
    type Error = DecodeError;

    /// Decodes a signature of any salt version, strictly.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        decode(Format::ConstantTime, bytes).map(|signature| Self { signature })
    }
}

impl From<CompressedSignature> for CtSignature {
    fn from(CompressedSignature { signature }: CompressedSignature) -> Self {
        Self { signature }
    }
}

impl From<CtSignature> for [u8; CT_LEN] {
    fn from(signature: CtSignature) -> Self {
        signature.to_bytes()
    }
}

impl signature::SignatureEncoding for CtSignature {
    type Repr = [u8; CT_LEN];
}

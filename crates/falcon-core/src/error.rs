//! Typed errors: descriptive for decoding, opaque for cryptographic failure.

use core::fmt;

/// A byte string is not the encoding of a key or of a signature.
///
/// ```
/// use falcon_core::{DecodeError, Falcon512, Signature, VerifyingKey};
///
/// let error = VerifyingKey::<Falcon512>::try_from(&[0x0a; 897][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Header); // of a Falcon-1024 key
/// let error = Signature::<Falcon512>::try_from(&[0x39; 600][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Length);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input has a wrong length, or ends inside a code word.
    ///
    /// The caller knows what it decodes and can name the expected length:
    /// [`VERIFYING_KEY_LEN`](crate::Parameters::VERIFYING_KEY_LEN),
    /// [`SIGNING_KEY_LEN`](crate::Parameters::SIGNING_KEY_LEN),
    /// [`PADDED_LEN`](crate::Parameters::PADDED_LEN), [`CT_LEN`](crate::Parameters::CT_LEN) or
    /// [`RECOVERABLE_LEN`](crate::Parameters::RECOVERABLE_LEN). A compressed signature has no fixed
    /// length, but at most [`COMPRESSED_MAX_LEN`](crate::Parameters::COMPRESSED_MAX_LEN) bytes.
    Length,
    /// The first byte is not the header of this object, degree and format.
    ///
    /// A public key without its header byte is read by
    /// [`from_headerless_bytes`](crate::VerifyingKey::from_headerless_bytes).
    Header,
    /// A key is expected, and the bytes begin with text, such as PEM, hexadecimal or base64.
    Text,
    /// A value is out of range: a public coefficient of `q` or more, a secret coefficient of
    /// `-2^(b-1)` in `b` bits, or a signature coefficient with a magnitude above 2047. Also an
    /// `s2`, or a pair of `s1` and `s2`, whose norm is too large for any valid signature.
    Range,
    /// The bytes are not the canonical encoding of their value: they hold a minus zero, or spare
    /// bits or padding that are not zero.
    NonCanonical,
    /// The encoding is valid, but the polynomials are not a Falcon key: the NTRU equation does not
    /// hold, or a polynomial is not invertible. A key that was damaged gives this error.
    InvalidKey,
    /// A valid NTRU basis, but too long to sign with safely: the norm of `(f, g)` or of its
    /// orthogonalised partner exceeds `1.17 sqrt(q)`. Key generation never makes such a key, but
    /// some test keys of other implementations are that long. PKCS#8 documents report it as
    /// `KeyMalformed`.
    KeyNorm,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "wrong length for this encoding, or truncated",
            Self::Header => "header byte names another object, degree or format",
            Self::Text => "text instead of bytes: read PEM as a document, decode other text first",
            Self::Range => "coefficient out of range",
            Self::NonCanonical => "non-canonical encoding",
            Self::InvalidKey => "well encoded, but not a Falcon key",
            Self::KeyNorm => "the secret basis is too long to sign with",
        })
    }
}

impl core::error::Error for DecodeError {}

/// The signature is not valid. On purpose, the error does not say why.
///
/// ```
/// use falcon_core::{Falcon512, Signature, SignatureError, VerifyingKey};
/// # fn main() -> Result<(), falcon_core::DecodeError> {
/// # let mut bytes = [0; 897];
/// # bytes[0] = 0x09;
/// let key = VerifyingKey::<Falcon512>::try_from(&bytes[..])?;
/// assert_eq!(key.verify(b"order #42", &Signature::EMPTY), Err(SignatureError));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureError;

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid signature")
    }
}

impl core::error::Error for SignatureError {}

impl From<SignatureError> for signature::Error {
    fn from(_: SignatureError) -> Self {
        Self::new()
    }
}

/// Signing with a custom [`HashToPoint`](crate::hazmat::HashToPoint) failed. Nothing was signed.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{HashToPoint, PointHasher, SignWithHashError, sign_with_hash};
/// use falcon_core::{Falcon512, NONCE_LEN, Scratch, SigningKey};
///
/// struct Unreduced;
/// impl HashToPoint for Unreduced {
///     type Hasher = Self;
///     fn hasher(&self, _: &[u8; NONCE_LEN]) -> Self {
///         Self
///     }
/// }
/// impl PointHasher for Unreduced {
///     fn update(&mut self, _: &[u8]) {}
///     fn finish(self, point: &mut [u16]) {
///         point.fill(12289);
///     }
/// }
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// let mut scratch = Scratch::new(&mut reals)?;
/// let result = sign_with_hash(&key, &[1; 32], &Unreduced, b"order #42", &mut scratch);
/// assert_eq!(result, Err(SignWithHashError::Point));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignWithHashError {
    /// The [`HashToPoint`](crate::hazmat::HashToPoint) gave a coefficient that is not below
    /// `q = 12289`.
    Point,
    /// A hardware fault was detected; see [`FaultError`].
    Fault,
}

impl fmt::Display for SignWithHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point => f.write_str("hash-to-point gave a coefficient of 12289 or more"),
            Self::Fault => FaultError.fmt(f),
        }
    }
}

impl core::error::Error for SignWithHashError {}

impl From<FaultError> for SignWithHashError {
    fn from(_: FaultError) -> Self {
        Self::Fault
    }
}

/// A hardware fault was detected. No key and no signature was made.
///
/// Functions that generate a key or sign give this error in three cases:
///
/// - More attempts failed in a row than a correct device would need. The processor is faulty, or
///   the memory of the key has changed.
/// - A signature that was verified after signing is not valid.
/// - Signing the same message twice gave two different signatures.
///
/// Try again. If the error comes back, do not use this machine for keys.
///
/// ```
/// use falcon_core::FaultError;
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), FaultError> {
/// use falcon_core::{Falcon512, Signature, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::generate(&mut rng)?;
/// let signature: Signature<Falcon512> = key.sign_with_rng(&mut rng, b"order #42")?;
/// # assert!(key.verifying_key().verify(b"order #42", &signature).is_ok());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultError;

impl fmt::Display for FaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the device computed wrongly; no key and no signature was made")
    }
}

impl core::error::Error for FaultError {}

impl From<FaultError> for signature::Error {
    fn from(_: FaultError) -> Self {
        Self::new()
    }
}

/// A signature cannot be encoded in the requested format, or into the given buffer.
///
/// ```
/// use falcon_core::{EncodeError, Falcon512, Format, Signature};
///
/// let mut out = [0; 600];
/// let result = Signature::<Falcon512>::EMPTY.encode(Format::Padded, &mut out);
/// assert_eq!(result, Err(EncodeError::BufferTooSmall)); // it has 666 bytes
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The output buffer is shorter than the encoding.
    BufferTooSmall,
    /// The compressed polynomial is longer than this format allows.
    TooLong,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BufferTooSmall => "output buffer is too small",
            Self::TooLong => "signature does not fit this format",
        })
    }
}

impl core::error::Error for EncodeError {}

/// The caller's working memory or storage is too small.
///
/// ```
/// use falcon_core::{Falcon512, Scratch, ScratchTooSmall};
///
/// let mut reals = [0.0; 100];
/// let error = Scratch::<Falcon512>::new(&mut reals).unwrap_err();
/// assert_eq!(error, ScratchTooSmall { needed: 4096 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchTooSmall {
    /// Required length, in elements.
    pub needed: usize,
}

impl fmt::Display for ScratchTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needed = self.needed;
        write!(
            f,
            "working memory or storage is too small: {needed} elements are needed"
        )
    }
}

impl core::error::Error for ScratchTooSmall {}

//! Signatures and their encodings.

#[cfg(feature = "alloc")]
use crate::codec::{COUNTS_ZEROS, side_by_side};
use crate::codec::{attached, compressed_len, signature as codec};
use crate::engine::Best;
use crate::error::{DecodeError, EncodeError};
#[cfg(feature = "alloc")]
use crate::lanes::Isa;
#[cfg(feature = "alloc")]
use crate::norm::fits_the_bound;
use crate::operations::Operations;
use crate::params::{Array, NONCE_LEN, Parameters};
use core::cmp::Ordering;
use core::fmt;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

pub use crate::codec::signature::Format;

/// A Falcon signature: the nonce and the short polynomial `s2`.
///
/// A signature is public. [`to_bytes`](Self::to_bytes) writes the canonical bytes, and
/// `TryFrom<&[u8]>` reads them. They are [padded](Format::Padded); a signature that does not fit is
/// [compressed](Format::Compressed). All signatures made outside of [`hazmat`](crate::hazmat) and
/// [`det1024`](crate::det1024) fit.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::{DecodeError, Falcon512, Format, Signature, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
///
/// let bytes = signature.to_bytes(); // 666 bytes
/// assert_eq!(Signature::try_from(&bytes[..])?, signature);
/// let truncated = Signature::<Falcon512>::try_from(&bytes[..600]);
/// assert_eq!(truncated, Err(DecodeError::Length));
///
/// // Another format, and how to tell which one a signature has.
/// let short = signature.to_vec(Format::Compressed).expect("it has no fixed length");
/// assert_eq!(Signature::<Falcon512>::detect(&short)?, Format::Compressed);
/// assert_eq!(Signature::from_bytes(Format::Compressed, &short)?, signature);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature<P: Parameters> {
    pub(crate) nonce: [u8; NONCE_LEN],
    pub(crate) s2: P::Short,
}

impl<P: Parameters> Signature<P> {
    /// A placeholder that [`BatchSign`](crate::batch::BatchSign) overwrites: the zero signature.
    /// With the scheme's hash, this signature is valid for no message.
    pub const EMPTY: Self = Self {
        nonce: [0; NONCE_LEN],
        s2: P::Short::ZERO,
    };

    /// Returns the nonce, which is hashed before the message.
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        &self.nonce
    }

    /// Returns the coefficients of `s2`.
    pub fn s2(&self) -> &[i16] {
        self.s2.as_ref()
    }

    /// Decodes a signature in `format`.
    ///
    /// # Errors
    /// [`DecodeError`] for everything that is not a canonical encoding, and for an `s2` that alone
    /// exceeds the norm bound.
    #[inline(never)] // So its copy of the signature does not stay on the stack.
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut out = Self::EMPTY;
        out.nonce = *codec::decode(format, P::LOGN, bytes, out.s2.as_mut())?;
        if out.fits_the_bound() {
            Ok(out)
        } else {
            Err(DecodeError::Range)
        }
    }

    /// Returns true if `s2` alone is within the bound of the scheme.
    pub(crate) fn fits_the_bound(&self) -> bool {
        Best::find().fits_the_bound(P::LOGN, self.s2.as_ref())
    }

    /// Detects the format of `bytes` from the header. The compressed and the padded format share a
    /// header, so the length tells them apart.
    ///
    /// [`Parameters::PADDED_LEN`] bytes are padded, every other length is compressed. So a
    /// truncated padded signature counts as compressed, and its decoding fails. A compressed
    /// signature of exactly [`Parameters::PADDED_LEN`] bytes equals the padded one.
    ///
    /// # Errors
    /// [`DecodeError::Length`] only if `bytes` is empty. [`DecodeError::Header`] if
    /// the first byte is not the header of a signature of this parameter set.
    pub fn detect(bytes: &[u8]) -> Result<Format, DecodeError> {
        let header = *bytes.first().ok_or(DecodeError::Length)?;
        if header == Format::ConstantTime.header(P::LOGN) {
            Ok(Format::ConstantTime)
        } else if header != Format::Compressed.header(P::LOGN) {
            Err(DecodeError::Header)
        } else if bytes.len() == P::PADDED_LEN {
            Ok(Format::Padded)
        } else {
            Ok(Format::Compressed)
        }
    }

    /// Returns the length of the encoding in `format`, in bytes. The length is fixed except for
    /// [`Format::Compressed`]. Returns `None` if the signature does not fit the format.
    pub fn encoded_len(&self, format: Format) -> Option<usize> {
        let compressed = 1 + NONCE_LEN + compressed_len(self.s2.as_ref())?;
        match format {
            Format::Compressed => Some(compressed),
            Format::Padded => (compressed <= P::PADDED_LEN).then_some(P::PADDED_LEN),
            Format::ConstantTime => Some(P::CT_LEN),
        }
    }

    /// Writes the signature in `format` at the start of `out`. Returns the number of bytes.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`], or [`EncodeError::TooLong`] if the signature does not fit
    /// the padded format.
    pub fn encode(&self, format: Format, out: &mut [u8]) -> Result<usize, EncodeError> {
        let len = self.encoded_len(format).ok_or(EncodeError::TooLong)?;
        let out = out.get_mut(..len).ok_or(EncodeError::BufferTooSmall)?;
        self.write(format, out).ok_or(EncodeError::TooLong)
    }

    /// Writes the signature in `format` at the start of `out` and returns the number of bytes.
    /// Returns `None` if the signature does not fit.
    pub(crate) fn write(&self, format: Format, out: &mut [u8]) -> Option<usize> {
        Best::find().encode_signature(format, P::LOGN, &self.nonce, self.s2.as_ref(), out)
    }

    /// Encodes the signature as its canonical bytes: padded if it fits, else compressed.
    pub fn to_bytes(&self) -> SignatureBytes<P> {
        self.first_that_fits(&[Format::Padded, Format::Compressed])
    }

    /// Encodes the signature in the first of `formats` that can hold it.
    pub(crate) fn first_that_fits(&self, formats: &[Format]) -> SignatureBytes<P> {
        let mut bytes = SignatureBytes::<P> {
            bytes: P::CompressedBytes::ZERO,
            len: 0,
        };
        for &format in formats {
            let out = bytes.bytes.as_mut();
            if let Some(len) = self.write(format, out) {
                bytes.len = len;
                break;
            }
        }
        bytes
    }

    /// Decodes a signed message in the attached form of the NIST submission: length, nonce,
    /// message, compressed signature. Returns the signature and the message.
    ///
    /// Do not use the message before [`verify`](crate::VerifyingKey::verify) has accepted it.
    ///
    /// # Errors
    /// As for [`from_bytes`](Self::from_bytes).
    pub fn from_attached(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut out = Self::EMPTY;
        let (nonce, message) = attached::open(P::LOGN, bytes, out.s2.as_mut())?;
        out.nonce = *nonce;
        if out.fits_the_bound() {
            Ok((out, message))
        } else {
            Err(DecodeError::Range)
        }
    }

    /// Writes `message` and this signature at the start of `out`, in the attached form that
    /// [`from_attached`](Self::from_attached) reads. Returns the number of bytes. `out` needs at
    /// most `message.len() + COMPRESSED_MAX_LEN + 2` bytes; see [`Parameters::COMPRESSED_MAX_LEN`].
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn encode_attached(&self, message: &[u8], out: &mut [u8]) -> Result<usize, EncodeError> {
        Best::find()
            .seal(P::LOGN, &self.nonce, message, self.s2.as_ref(), out)
            .ok_or(EncodeError::BufferTooSmall)
    }

    /// Reads a signed message in the form of PQClean's padded algorithms: the padded signature,
    /// then the message. Returns signature and message.
    ///
    /// Do not use the message before [`verify`](crate::VerifyingKey::verify) has accepted it.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use falcon_core::{Falcon512, Signature, SigningKey};
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    ///
    /// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
    /// let mut signed = [0; 666 + 9];
    /// signature.encode_attached_padded(b"order #42", &mut signed)?;
    ///
    /// let (signature, message) = Signature::from_attached_padded(&signed)?;
    /// key.verifying_key().verify(message, &signature)?;
    /// assert_eq!(message, b"order #42");
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As for [`from_bytes`](Self::from_bytes).
    pub fn from_attached_padded(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let parts = bytes.split_at_checked(P::PADDED_LEN);
        let (signature, message) = parts.ok_or(DecodeError::Length)?;
        Ok((Self::from_bytes(Format::Padded, signature)?, message))
    }

    /// Writes `message` with this signature in the form that
    /// [`from_attached_padded`](Self::from_attached_padded) reads, at the start of `out`, and
    /// returns the number of bytes: [`Parameters::PADDED_LEN`] more than the message.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    pub fn encode_attached_padded(
        &self,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<usize, EncodeError> {
        let parts = out.split_at_mut_checked(P::PADDED_LEN);
        let (signature, rest) = parts.ok_or(EncodeError::BufferTooSmall)?;
        let rest = rest.get_mut(..message.len());
        let rest = rest.ok_or(EncodeError::BufferTooSmall)?;
        self.encode(Format::Padded, signature)?;
        rest.copy_from_slice(message);
        Ok(P::PADDED_LEN + message.len())
    }

    /// Encodes the signature in `format` as a vector.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode).
    #[cfg(feature = "alloc")]
    pub fn to_vec(&self, format: Format) -> Result<Vec<u8>, EncodeError> {
        let len = self.encoded_len(format).ok_or(EncodeError::TooLong)?;
        let mut out = alloc::vec![0; len];
        self.encode(format, &mut out)?;
        Ok(out)
    }
}

impl<P: Parameters> fmt::Debug for Signature<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signature")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}

impl<P: Parameters> TryFrom<&[u8]> for Signature<P> {
    type Error = DecodeError;

    /// Decodes the canonical bytes: a padded signature, or a longer compressed one.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::from_bytes(canonical_format(P::LOGN, bytes)?, bytes)
    }
}

#[cfg(feature = "alloc")]
impl<P: Parameters> TryFrom<Vec<u8>> for Signature<P> {
    type Error = DecodeError;

    /// Decodes as `TryFrom<&[u8]>` does.
    ///
    /// ```
    /// use falcon_core::{DecodeError, Falcon512, Signature};
    ///
    /// let truncated = vec![0x39; 600];
    /// let error = Signature::<Falcon512>::try_from(truncated).unwrap_err();
    /// assert_eq!(error, DecodeError::Length);
    /// ```
    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&bytes[..])
    }
}

/// Returns the format of canonical bytes, by their length.
fn canonical_format(logn: u32, bytes: &[u8]) -> Result<Format, DecodeError> {
    match bytes.len().cmp(&Format::Padded.max_len(logn)) {
        Ordering::Less => Err(DecodeError::Length),
        Ordering::Equal => Ok(Format::Padded),
        Ordering::Greater => Ok(Format::Compressed),
    }
}

/// Reads the canonical bytes of many signatures side by side. Returns the nonces, and writes the
/// polynomials, of degree `2^logn`, to `s2s`, one after the other. Each result is the same as that
/// of [`Signature::try_from`].
#[cfg(feature = "alloc")]
pub(crate) fn read_side_by_side(
    isa: impl Isa,
    logn: u32,
    encoded: &[&[u8]],
    s2s: &mut [i16],
) -> Vec<Result<[u8; NONCE_LEN], DecodeError>> {
    let mut results = Vec::with_capacity(encoded.len());
    let many = side_by_side::LANES << logn;
    for (encoded, s2s) in encoded
        .chunks(side_by_side::LANES)
        .zip(s2s.chunks_mut(many))
    {
        let mut items: Vec<_> = encoded
            .iter()
            .zip(s2s.chunks_exact_mut(1 << logn))
            .map(|(bytes, s2)| side_by_side::Item {
                body: codec::split(Format::Compressed, logn, bytes).map_or(&[], |(_, body)| body),
                s2,
                used: None,
            })
            .collect();
        // For up to three signatures, the decoder of one signature is faster. On a target that
        // counts zeros, that decoder is always faster.
        if items.len() > 3 && !COUNTS_ZEROS {
            side_by_side::decompress(isa, &mut items);
        }
        results.extend(encoded.iter().zip(items).map(|(bytes, item)| {
            let format = canonical_format(logn, bytes)?;
            let (nonce, _) = codec::split(format, logn, bytes)?;
            let tail = item.used.and_then(|used| item.body.get(used..));
            let read = tail.is_some_and(|tail| codec::check_tail(format, tail).is_ok());
            if read && fits_the_bound(isa, logn, item.s2) {
                return Ok(*nonce);
            }
            // A signature that was not accepted above is decoded again alone, to report the error.
            let nonce = codec::decode(format, logn, bytes, item.s2)?;
            if fits_the_bound(isa, logn, item.s2) {
                Ok(*nonce)
            } else {
                Err(DecodeError::Range)
            }
        }));
    }
    results
}

/// The encoded bytes of a signature, as [`Signature::to_bytes`] gives them. The value owns the
/// bytes.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// use falcon_core::{Falcon512, SignatureBytes, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// let bytes: SignatureBytes<Falcon512> = signature.to_bytes();
/// assert_eq!(bytes.len(), 666); // it dereferences to `[u8]`
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureBytes<P: Parameters> {
    bytes: P::CompressedBytes,
    len: usize,
}

impl<P: Parameters> SignatureBytes<P> {
    /// Borrows the bytes.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")]
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    /// use falcon_core::{Falcon512, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// let signature = key.sign_with_rng(&mut rng, b"order #42")?.to_bytes();
    /// assert_eq!(signature.as_bytes().len(), 666);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "alloc"))]
    /// # fn main() {}
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes.as_ref()[..self.len]
    }

    /// Lets `edit` change the bytes. `edit` returns the number of bytes that remain.
    pub(crate) fn edited(mut self, edit: impl FnOnce(&mut [u8]) -> usize) -> Self {
        self.len = edit(&mut self.bytes.as_mut()[..self.len]);
        self
    }
}

impl<P: Parameters> AsRef<[u8]> for SignatureBytes<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: Parameters> core::ops::Deref for SignatureBytes<P> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: Parameters> From<Signature<P>> for SignatureBytes<P> {
    fn from(signature: Signature<P>) -> Self {
        signature.to_bytes()
    }
}

impl<P: Parameters> signature::SignatureEncoding for Signature<P> {
    type Repr = SignatureBytes<P>;
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use crate::params::Falcon512;

    /// Tests signatures that are malformed in every way that the decoder of one signature
    /// distinguishes.
    #[test]
    fn signatures_read_side_by_side_are_those_read_alone() {
        type P = Falcon512;
        let encode = |format, s2: &[i16; 512]| {
            let mut out = [0; P::CT_LEN];
            let len = codec::encode(Baseline, format, P::LOGN, &[7; NONCE_LEN], s2, &mut out);
            out[..len.expect("at most 2047")].to_vec()
        };
        let mut long = [0; 512];
        long[..9].fill(2047);
        let padded = encode(Format::Padded, &[-3; 512]);
        let changed = |at: usize, byte: u8| {
            let mut changed = padded.clone();
            changed[at] = byte;
            changed
        };
        let all = [
            padded.clone(),
            encode(Format::Compressed, &[128; 512]),
            encode(Format::Padded, &long),
            encode(Format::ConstantTime, &[0; 512])[..P::CT_LEN - 100].to_vec(),
            changed(0, 0x3a),
            changed(P::PADDED_LEN - 1, 1),
            padded[..P::PADDED_LEN - 1].to_vec(),
            [&padded[..], &[0]].concat(),
            Vec::new(),
        ];
        let encoded: Vec<_> = all.iter().map(|bytes| &bytes[..]).collect();
        let mut s2s = alloc::vec![0; 512 * all.len()];
        let results = read_side_by_side(Baseline, P::LOGN, &encoded, &mut s2s);
        assert_eq!(results.len(), all.len());
        for ((bytes, result), s2) in all.iter().zip(results).zip(s2s.chunks(512)) {
            let alone = Signature::<P>::try_from(&bytes[..]);
            assert_eq!(result, alone.map(|signature| signature.nonce));
            assert!(alone.is_err() || alone.is_ok_and(|signature| signature.s2 == s2));
        }
        let expected = [
            Ok(()),
            Ok(()),
            Err(DecodeError::Range),
            Err(DecodeError::Header),
            Err(DecodeError::Header),
            Err(DecodeError::NonCanonical),
            Err(DecodeError::Length),
            Err(DecodeError::Length),
            Err(DecodeError::Length),
        ];
        let alone = |bytes: &Vec<u8>| Signature::<P>::try_from(&bytes[..]).map(|_| ());
        assert_eq!(all.each_ref().map(alone), expected);
    }
}

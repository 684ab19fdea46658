//! Typed errors of decoding and of memory. Decapsulation has none: a ciphertext that was not made
//! for a key gives an unrelated secret.

use core::fmt;

/// A byte string is not the encoding of a key or of a ciphertext.
///
/// ```
/// use mceliece_core::{Ciphertext, DecodeError, Mceliece6960119};
///
/// let error = Ciphertext::<Mceliece6960119>::try_from(&[0; 193][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Length { expected: 194 });
/// let error = Ciphertext::<Mceliece6960119>::try_from(&[0xff; 194][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Padding);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input has another length than the encoding.
    Length {
        /// Length of the encoding in bytes.
        expected: usize,
    },
    /// Bits that pad a row of the public key, or the ciphertext, to whole bytes are not zero. Only
    /// the sets of length 6960 have such bits.
    Padding,
    /// A coefficient of the Goppa polynomial in a secret key is no element of the field.
    Range,
    /// The mask of pivot columns in a secret key is none of the parameter set: 32 bits, and the low
    /// ones in the sets without `f`.
    Pivots,
    /// The Goppa polynomial of a secret key vanishes at a point, or a seed gives no key.
    InvalidKey,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected } => write!(f, "wrong length: {expected} bytes expected"),
            Self::Padding => f.write_str("padding bits are not zero"),
            Self::Range => f.write_str("coefficient out of range"),
            Self::Pivots => f.write_str("mask of pivot columns does not fit the parameter set"),
            Self::InvalidKey => f.write_str("well encoded, but not a key"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// The memory that the caller gave has the wrong size.
///
/// ```
/// use mceliece_core::{KeygenScratch, Mceliece348864, MemoryError};
///
/// let error = KeygenScratch::<Mceliece348864>::new(&mut [], &mut []).unwrap_err();
/// assert_eq!(error, MemoryError { needed: KeygenScratch::<Mceliece348864>::WORDS });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryError {
    /// Number of elements that are needed.
    pub needed: usize,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "memory of the wrong size: {} elements needed",
            self.needed
        )
    }
}

impl core::error::Error for MemoryError {}

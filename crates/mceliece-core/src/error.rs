//! Typed errors of decoding and of memory. Decapsulation has none: a ciphertext that was not made
//! for a key gives an unrelated secret.

use core::fmt;

/// A byte string is not the encoding of a key or of a ciphertext.
///
/// ```
/// use mceliece_core::{Ciphertext, DecodeError, Mceliece6960119};
///
/// let error = Ciphertext::<Mceliece6960119>::try_from(&[0; 193][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Length { expected: 194, actual: 193 });
/// assert_eq!(
///     error.to_string(),
///     "193 bytes instead of 194; was it truncated, or is it of another parameter set?"
/// );
/// let error = Ciphertext::<Mceliece6960119>::try_from(&[0xff; 194][..]).unwrap_err();
/// assert_eq!(error, DecodeError::Padding);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input is shorter or longer than the encoding.
    Length {
        /// Length of the encoding in bytes.
        expected: usize,
        /// Length of the input in bytes.
        actual: usize,
    },
    /// A padding bit is not zero. Only the sets of length 6960 have such bits: they fill up the
    /// last byte of a ciphertext's syndrome, and of each row of a public key.
    Padding,
    /// A coefficient of the Goppa polynomial in a secret key is not an element of the field.
    Range,
    /// The mask of pivot columns in a secret key does not belong to the parameter set. Sets with
    /// `f` need 32 ones among 64 bits. The others need ones in the low 32 bits, and zeros above.
    Pivots,
    /// The Goppa polynomial of a secret key has a zero in the field, or the seed does not give this
    /// key.
    InvalidKey,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, actual } => {
                let how = if actual < expected {
                    "was it truncated"
                } else {
                    "was something added"
                };
                write!(
                    f,
                    "{actual} bytes instead of {expected}; {how}, or is it of another parameter set?"
                )
            }
            Self::Padding => {
                f.write_str("padding bits are not zero: the bytes are damaged, fetch them again")
            }
            Self::Range => f.write_str(
                "a coefficient of the Goppa polynomial is out of range: the secret key is damaged, \
                 restore it from a copy",
            ),
            Self::Pivots => f.write_str(
                "the pivot columns do not fit the parameter set: the secret key is damaged, or of \
                 another set",
            ),
            Self::InvalidKey => f.write_str(
                "well encoded, but not a secret key: it is damaged, restore it from a copy",
            ),
        }
    }
}

impl core::error::Error for DecodeError {}

/// A buffer of the caller has the wrong length.
///
/// Working memory may be longer than needed. Buffers for keys must have exactly the length of the
/// encoding.
///
/// ```
/// use mceliece_core::{KeygenScratch, Mceliece348864, MemoryError};
///
/// type Scratch<'a> = KeygenScratch<'a, Mceliece348864>;
/// let error = Scratch::new(&mut [0; 100], &mut []).unwrap_err();
/// assert_eq!(error, MemoryError { needed: Scratch::WORDS, given: 100 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryError {
    /// Number of elements that are needed: 64-bit words, or bytes.
    pub needed: usize,
    /// Number of elements in the caller's buffer.
    pub given: usize,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, given } = self;
        write!(
            f,
            "a buffer of {given} elements was given, but {needed} are needed: take its length from \
             the constants of `KeygenScratch` and `Parameters`"
        )
    }
}

impl core::error::Error for MemoryError {}

//! Detached signatures in three formats.

use super::bits::{pack, packed_len, sign_extend, unpack};
use super::compressed::{MAX_MAGNITUDE, compress, decompress};
use super::strip_header;
use crate::error::DecodeError;
use crate::lanes::Isa;
use crate::params::NONCE_LEN;

/// Width of a coefficient in bits, in the constant-time format.
const CT_WIDTH: u32 = 12;

/// Format of an encoded signature.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), falcon_core::FaultError> {
/// use falcon_core::{Falcon512, Format, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let signature = key.sign_with_rng(&mut rng, b"order #42")?;
/// assert_eq!(signature.encoded_len(Format::Padded), Some(666));
/// assert_eq!(signature.encoded_len(Format::ConstantTime), Some(809));
/// assert!(signature.encoded_len(Format::Compressed) <= Some(666));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Golomb-Rice codes of the coefficients. The length varies.
    Compressed,
    /// Golomb-Rice codes, filled up with zero bytes to a fixed length.
    Padded,
    /// Twelve bits for each coefficient: a fixed length, written in constant time.
    ConstantTime,
}

impl Format {
    pub(crate) const fn header(self, logn: u32) -> u8 {
        match self {
            Self::Compressed | Self::Padded => 0x30 + logn as u8,
            Self::ConstantTime => 0x50 + logn as u8,
        }
    }

    /// Length of a signature in bytes. For the compressed format, it is the maximum.
    ///
    /// Both lengths of Golomb-Rice codes are those of the reference. The padded length is slightly
    /// above the mean: a sum of terms in `n / 1024`, each rounded down. The code of a compressed
    /// signature has at most `11 n + 101 n / 1024` bits.
    pub(crate) const fn max_len(self, logn: u32) -> usize {
        let n = 1usize << logn;
        /// Returns `floor(k n / 1024)`.
        const fn share(k: usize, n: usize) -> usize {
            (k * n) >> 10
        }
        match self {
            Self::Compressed => 1 + NONCE_LEN + (11 * n + share(101, n)).div_ceil(8),
            Self::Padded => {
                let above =
                    3 * share(256, n) + 2 * share(128, n) + 3 * share(64, n) + 2 * share(16, n);
                44 + above - 2 * share(2, n) - 8 * share(1, n)
            }
            Self::ConstantTime => 1 + NONCE_LEN + packed_len(n, CT_WIDTH),
        }
    }
}

/// Writes a signature to the start of `out` and returns its length. Returns `None` if a coefficient
/// exceeds 2047 in absolute value, if the code does not fit the padded length (the signer then
/// tries again), or if `out` is too short.
///
/// Constant time in the values for [`Format::ConstantTime`].
pub(crate) fn encode(
    isa: impl Isa,
    format: Format,
    logn: u32,
    nonce: &[u8; NONCE_LEN],
    s2: &[i16],
    out: &mut [u8],
) -> Option<usize> {
    let out = match format {
        Format::Compressed => out,
        Format::Padded | Format::ConstantTime => out.get_mut(..format.max_len(logn))?,
    };
    let (header, rest) = out.split_first_mut()?;
    let (nonce_out, body) = rest.split_first_chunk_mut()?;
    *header = format.header(logn);
    *nonce_out = *nonce;
    let written = match format {
        Format::Compressed | Format::Padded => {
            let used = compress(isa, s2, body)?;
            if format == Format::Padded {
                let padding = body.get_mut(used..)?;
                padding.fill(0);
                used + padding.len()
            } else {
                used
            }
        }
        Format::ConstantTime => {
            pack_signed(s2, body)?;
            body.len()
        }
    };
    Some(1 + NONCE_LEN + written)
}

/// Writes coefficients in [`CT_WIDTH`] bits each. Returns `None` if a coefficient exceeds 2047 in
/// absolute value.
///
/// Not generic over the instruction set, so that a program has one copy.
fn pack_signed(s2: &[i16], out: &mut [u8]) -> Option<()> {
    let limit = MAX_MAGNITUDE as i16;
    // Any value outside [-2047, 2047] sets the sign bit.
    let outside = s2.iter().fold(0, |acc, &s| {
        acc | limit.wrapping_sub(s) | limit.wrapping_add(s)
    });
    if outside < 0 {
        return None;
    }
    pack(CT_WIDTH, s2.iter().map(|&s| s as u16), out);
    Some(())
}

/// Reads a signature: returns its nonce and fills `s2`, in `[-2047, 2047]`.
///
/// # Errors
/// `Length` (empty, cut, or longer than the code says), `Header`, `Range` (a
/// coefficient beyond 2047 in absolute value), `NonCanonical` (minus zero, a
/// spare bit or a padding byte that is not zero).
pub(crate) fn decode<'a>(
    format: Format,
    logn: u32,
    bytes: &'a [u8],
    s2: &mut [i16],
) -> Result<&'a [u8; NONCE_LEN], DecodeError> {
    let (nonce, body) = split(format, logn, bytes)?;
    match format {
        Format::Compressed | Format::Padded => {
            let used = decompress(body, s2)?;
            check_tail(format, body.get(used..).unwrap_or(&[]))?;
        }
        Format::ConstantTime => {
            let mut forbidden = 0;
            let spare = unpack(CT_WIDTH, body, s2, |field| {
                let s = sign_extend(CT_WIDTH, field);
                forbidden |= s + MAX_MAGNITUDE as i16;
                s
            });
            if forbidden < 0 {
                return Err(DecodeError::Range);
            }
            if spare != 0 {
                return Err(DecodeError::NonCanonical);
            }
        }
    }
    Ok(nonce)
}

/// Checks the header, and the length if it is fixed. Returns the nonce and the code.
pub(crate) fn split(
    format: Format,
    logn: u32,
    bytes: &[u8],
) -> Result<(&[u8; NONCE_LEN], &[u8]), DecodeError> {
    let rest = strip_header(bytes, format.header(logn))?;
    if format != Format::Compressed && bytes.len() != format.max_len(logn) {
        return Err(DecodeError::Length);
    }
    rest.split_first_chunk().ok_or(DecodeError::Length)
}

/// Checks the bytes after the code. There must be none, or zero bytes if the signature is padded.
pub(crate) fn check_tail(format: Format, tail: &[u8]) -> Result<(), DecodeError> {
    if format == Format::Padded {
        // Compares all bytes at once, where `any` would branch on each byte.
        match tail.iter().fold(0, |all, byte| all | byte) {
            0 => Ok(()),
            _ => Err(DecodeError::NonCanonical),
        }
    } else if tail.is_empty() {
        Ok(())
    } else {
        Err(DecodeError::Length)
    }
}

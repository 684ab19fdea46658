//! Encodings of round 3: strict and canonical.
//!
//! Every decoder accepts exactly the byte strings that its encoder writes, so
//! two different strings of one format never encode the same object. Bits
//! are written most significant first. Headers are `type << 4 | logn`:
//!
//! | object | first byte | then |
//! |---|---|---|
//! | public key | `0x00 + logn` | `h`, 14 bits a coefficient |
//! | secret key | `0x50 + logn` | `f`, `g` (`FG_BITS` each), `F` (8 bits) |
//! | signature, compressed | `0x30 + logn` | nonce, `s2` in Golomb-Rice code |
//! | signature, padded | `0x30 + logn` | the same, filled up with zero bytes |
//! | signature, constant-time | `0x50 + logn` | nonce, `s2`, 12 bits a coefficient |
//! | signature, recoverable | `0x70 + logn` | nonce, `s1`, `s2`, both as padded |
//! | signed message (NIST) | length | see [`attached`] |
//!
//! All functions take `logn` in 1 to 10 and polynomials of `2^logn` coefficients.
//!
//! Source: Falcon specification v1.2, section 3.11.

pub(crate) mod attached;
mod bits;
mod compressed;
#[cfg(feature = "fndsa-provisional")]
pub(crate) mod lsb_first;
pub(crate) mod public_key;
pub(crate) mod secret_key;
#[cfg(feature = "alloc")]
pub(crate) mod side_by_side;
pub(crate) mod signature;

#[cfg(test)]
mod tests;

#[cfg(feature = "alloc")]
pub(crate) use compressed::COUNTS_ZEROS;
pub(crate) use compressed::{compressed_len, measure};

use crate::error::DecodeError;
use crate::params::{Falcon512, Falcon1024, Parameters};

/// Checks the header byte and returns the bytes after it.
fn strip_header(bytes: &[u8], header: u8) -> Result<&[u8], DecodeError> {
    match bytes.split_first() {
        None => Err(DecodeError::Length),
        Some((&first, _)) if first != header => Err(DecodeError::Header),
        Some((_, rest)) => Ok(rest),
    }
}

/// Checks the header byte of a key of `len` bytes, and returns the bytes after it.
fn strip_key_header(bytes: &[u8], header: u8, len: usize) -> Result<&[u8], DecodeError> {
    let rest = strip_header(bytes, header).map_err(|error| match error {
        DecodeError::Header => not_the_header(bytes),
        error => error,
    })?;
    if bytes.len() == len {
        Ok(rest)
    } else {
        Err(DecodeError::Length)
    }
}

/// Says what is wrong with bytes that do not begin with the header of a key.
#[cold]
fn not_the_header(bytes: &[u8]) -> DecodeError {
    /// Bytes that are looked at: other bytes are all text with a chance of 2^-22.
    const START: usize = 16;
    const LENGTHS: [usize; 4] = [
        Falcon512::VERIFYING_KEY_LEN,
        Falcon1024::VERIFYING_KEY_LEN,
        Falcon512::SIGNING_KEY_LEN,
        Falcon1024::SIGNING_KEY_LEN,
    ];
    let is_text = |&byte: &u8| byte.is_ascii_graphic() || byte == b' ';
    let names_a_set = bytes
        .first()
        .is_some_and(|first| matches!(first & 0x0f, 9 | 10));
    if bytes.iter().take(START).all(is_text) {
        DecodeError::Text
    } else if names_a_set || LENGTHS.contains(&bytes.len()) {
        DecodeError::Header
    } else {
        DecodeError::Length
    }
}

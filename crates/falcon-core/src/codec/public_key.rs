//! The public key: `h`, 14 bits a coefficient.

use super::bits::{pack, packed_len, unpack};
use super::strip_key_header;
use crate::error::DecodeError;
use crate::params::Q;

/// Width of a coefficient in bits.
pub(super) const WIDTH: u32 = 14;

/// Length of an encoded public key in bytes.
pub(crate) const fn encoded_len(logn: u32) -> usize {
    1 + packed_len(1 << logn, WIDTH)
}

/// Writes `h`, in `[0, q)`, to `out` of [`encoded_len`] bytes.
pub(crate) fn encode(logn: u32, h: &[u16], out: &mut [u8]) {
    if let Some((header, body)) = out.split_first_mut() {
        *header = logn as u8;
        encode_headerless(h, body);
    }
}

/// Writes `h` as [`encode`] does, without the header byte.
pub(crate) fn encode_headerless(h: &[u16], body: &mut [u8]) {
    pack(WIDTH, h.iter().copied(), body);
}

/// Reads `h`.
///
/// # Errors
/// `Length`, `Header`, `Text`; `Range` if a coefficient is `q` or more; `NonCanonical`
/// if a spare bit is set.
pub(crate) fn decode(logn: u32, bytes: &[u8], h: &mut [u16]) -> Result<(), DecodeError> {
    let body = strip_key_header(bytes, logn as u8, encoded_len(logn))?;
    decode_headerless(logn, body, h)
}

/// Reads `h` from an encoding without its header byte.
///
/// # Errors
/// As for [`decode`], but never `Header` or `Text`.
pub(crate) fn decode_headerless(logn: u32, body: &[u8], h: &mut [u16]) -> Result<(), DecodeError> {
    let unpack = |body: &[u8], h: &mut [u16]| unpack(WIDTH, body, h, |field| field);
    decode_fields(logn, body, h, unpack)
}

/// Reads `h` as [`decode_headerless`] does. `unpack` reads the fields and returns the spare bits of
/// the last byte.
#[inline(always)]
pub(super) fn decode_fields(
    logn: u32,
    body: &[u8],
    h: &mut [u16],
    unpack: impl FnOnce(&[u8], &mut [u16]) -> u8,
) -> Result<(), DecodeError> {
    if body.len() != encoded_len(logn) - 1 {
        return Err(DecodeError::Length);
    }
    let spare = unpack(body, h);
    // The loop has no early exit, so the compiler turns it into vector code. Every value that is
    // `q` or more sets the top bit.
    if h.iter()
        .fold(0, |above, &x| above | (Q as u16 - 1).wrapping_sub(x))
        >> 15
        != 0
    {
        return Err(DecodeError::Range);
    }
    if spare != 0 {
        return Err(DecodeError::NonCanonical);
    }
    Ok(())
}

//! The signed message of the NIST submission: `length (2 bytes, big-endian) ||
//! nonce || message || 0x20 + logn || s2` in Golomb-Rice code. The length
//! counts the header byte and the code.

use super::compressed::{compress, decompress};
use super::strip_header;
use crate::error::DecodeError;
use crate::lanes::Isa;
use crate::params::NONCE_LEN;

const fn header(logn: u32) -> u8 {
    0x20 + logn as u8
}

/// Writes a signed message to the start of `out` and returns its length. Returns `None` if a
/// coefficient exceeds 2047 in absolute value or if `out` is too short.
pub(crate) fn seal(
    isa: impl Isa,
    logn: u32,
    nonce: &[u8; NONCE_LEN],
    message: &[u8],
    s2: &[i16],
    out: &mut [u8],
) -> Option<usize> {
    let (length, rest) = out.split_first_chunk_mut()?;
    let (nonce_out, rest) = rest.split_first_chunk_mut()?;
    let (message_out, rest) = rest.split_at_mut_checked(message.len())?;
    let (header_out, body) = rest.split_first_mut()?;
    let used = 1 + compress(isa, s2, body)?;
    *length = u16::try_from(used).ok()?.to_be_bytes();
    *nonce_out = *nonce;
    message_out.copy_from_slice(message);
    *header_out = header(logn);
    Some(2 + NONCE_LEN + message.len() + used)
}

/// Reads a signed message: returns nonce and message and fills `s2`.
///
/// # Errors
/// As for [`decode`](super::signature::decode) in the compressed format. Also `Length` if the
/// length field does not fit the input.
pub(crate) fn open<'a>(
    logn: u32,
    bytes: &'a [u8],
    s2: &mut [i16],
) -> Result<(&'a [u8; NONCE_LEN], &'a [u8]), DecodeError> {
    let (length, rest) = bytes.split_first_chunk().ok_or(DecodeError::Length)?;
    let (nonce, rest) = rest.split_first_chunk().ok_or(DecodeError::Length)?;
    let message_len = rest
        .len()
        .checked_sub(usize::from(u16::from_be_bytes(*length)));
    let (message, signature) = message_len
        .and_then(|at| rest.split_at_checked(at))
        .ok_or(DecodeError::Length)?;
    let body = strip_header(signature, header(logn))?;
    if decompress(body, s2)? != body.len() {
        return Err(DecodeError::Length);
    }
    Ok((nonce, message))
}

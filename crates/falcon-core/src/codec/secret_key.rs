//! The secret key: `f`, `g` and `F` in two's complement. `G` is recomputed by
//! [`complete_private`](crate::ring::complete_private).
//!
//! Encoding and decoding take constant time. Only success or failure is revealed.

use super::bits::{pack, packed_len, sign_extend, unpack};
use super::strip_key_header;
use crate::error::DecodeError;
use crate::params::{CAPITAL_F_BITS, FG_BITS, MAX_LOGN};
use crate::reveal::reveal;

/// Widths of the coefficients of `f`, `g` and `F` in bits.
pub(super) const fn widths(logn: u32) -> [u32; 3] {
    let fg = if logn <= MAX_LOGN {
        FG_BITS[logn as usize]
    } else {
        0
    };
    [fg, fg, CAPITAL_F_BITS]
}

pub(super) const fn header(logn: u32) -> u8 {
    0x50 + logn as u8
}

/// Length of an encoded secret key in bytes. Each width times `n` is a whole number of bytes.
pub(crate) const fn encoded_len(logn: u32) -> usize {
    let [f, g, capital_f] = widths(logn);
    let n = 1 << logn;
    1 + packed_len(n, f) + packed_len(n, g) + packed_len(n, capital_f)
}

/// Returns true if all coefficients can be encoded: they are within `2^(width-1) - 1` in absolute
/// value. Constant time, except for the outcome.
pub(crate) fn is_encodable(logn: u32, f: &[i8], g: &[i8], capital_f: &[i8]) -> bool {
    let mut outside = 0;
    for (width, polynomial) in widths(logn).into_iter().zip([f, g, capital_f]) {
        let bound = (1i16 << (width - 1)) - 1;
        for &x in polynomial {
            // A value outside the bounds sets the sign bit.
            outside |= (bound - i16::from(x)) | (bound + i16::from(x));
        }
    }
    reveal(outside >= 0)
}

/// Writes `f, g, F` to `out` of [`encoded_len`] bytes. The coefficients must
/// lie within `2^(width-1) - 1` in absolute value, as those of a generated key do.
pub(crate) fn encode(logn: u32, f: &[i8], g: &[i8], capital_f: &[i8], out: &mut [u8]) {
    let n = 1 << logn;
    let Some((first, mut rest)) = out.split_first_mut() else {
        return;
    };
    *first = header(logn);
    for (width, polynomial) in widths(logn).into_iter().zip([f, g, capital_f]) {
        let (now, later) = rest.split_at_mut(rest.len().min(packed_len(n, width)));
        pack(width, polynomial.iter().map(|&x| i16::from(x) as u16), now);
        rest = later;
    }
}

/// Reads `f, g, F`.
///
/// # Errors
/// `Length`, `Header`, `Text`; `Range` if a coefficient is `-2^(width-1)`.
pub(crate) fn decode(
    logn: u32,
    bytes: &[u8],
    f: &mut [i8],
    g: &mut [i8],
    capital_f: &mut [i8],
) -> Result<(), DecodeError> {
    let body = strip_key_header(bytes, header(logn), encoded_len(logn))?;
    decode_fields(logn, body, [f, g, capital_f], |_, field| field)
}

/// Reads polynomials from a body of the right length. `convert` converts each field, given its
/// width, before it is stored in the polynomial.
///
/// # Errors
/// `Range` if a coefficient is `-2^(width-1)`.
pub(super) fn decode_fields(
    logn: u32,
    body: &[u8],
    polynomials: [&mut [i8]; 3],
    convert: impl Fn(u32, u16) -> u16,
) -> Result<(), DecodeError> {
    let mut rest = body;
    // A forbidden coefficient sets the sign bit: x + 2^(w-1) - 1 < 0 only for x = -2^(w-1).
    let mut forbidden = 0;
    for (width, polynomial) in widths(logn).into_iter().zip(polynomials) {
        let (now, later) = rest.split_at(packed_len(polynomial.len(), width).min(rest.len()));
        unpack(width, now, polynomial, |field| {
            let x = sign_extend(width, convert(width, field));
            forbidden |= x + ((1 << (width - 1)) - 1);
            x as i8
        });
        rest = later;
    }
    if reveal(forbidden < 0) {
        Err(DecodeError::Range)
    } else {
        Ok(())
    }
}

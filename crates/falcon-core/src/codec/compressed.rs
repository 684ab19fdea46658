//! The variable-length code of `s2`: for each coefficient the sign, the low
//! seven bits of the magnitude, then the rest of the magnitude in unary (that
//! many zeros and a one). Magnitudes reach 2047, so a code word takes 9 to 24 bits.

use crate::error::DecodeError;

/// The largest magnitude.
pub(super) const MAX_MAGNITUDE: u16 = 2047;

/// Longest run of zeros in a code word.
const MAX_RUN: u32 = (MAX_MAGNITUDE >> 7) as u32;

/// Bytes that [`compress`] writes; `None` if a magnitude exceeds 2047.
pub fn compressed_len(s2: &[i16]) -> Option<usize> {
    let mut bits = 0;
    let mut all = 0;
    for &s in s2 {
        let magnitude = s.unsigned_abs();
        all |= magnitude;
        bits += 9 + usize::from(magnitude >> 7);
    }
    (all <= MAX_MAGNITUDE).then(|| bits.div_ceil(8))
}

/// Writes `s2` to the start of `out` and returns the number of bytes. `None` if
/// a magnitude exceeds 2047 or `out` is too short.
pub(super) fn compress(s2: &[i16], out: &mut [u8]) -> Option<usize> {
    let mut written = 0;
    let mut acc = 0u64;
    let mut acc_len = 0;
    for &s in s2 {
        let magnitude = s.unsigned_abs();
        if magnitude > MAX_MAGNITUDE {
            return None;
        }
        let run = u32::from(magnitude >> 7);
        let sign_and_low = u64::from((s as u16 >> 15) << 7 | (magnitude & 127));
        acc = (acc << (9 + run)) | (sign_and_low << (run + 1)) | 1;
        acc_len += 9 + run;
        while acc_len >= 8 {
            acc_len -= 8;
            *out.get_mut(written)? = (acc >> acc_len) as u8;
            written += 1;
        }
    }
    if acc_len > 0 {
        *out.get_mut(written)? = (acc << (8 - acc_len)) as u8;
        written += 1;
    }
    Some(written)
}

/// Bytes of the code of `s2`. `None` if a magnitude exceeds 2047.
pub(crate) fn compressed_len(s2: &[i16]) -> Option<usize> {
    let (mut bits, mut largest) = (9 * s2.len(), 0);
    for s in s2 {
        let magnitude = s.unsigned_abs();
        largest = largest.max(magnitude);
        bits += usize::from(magnitude >> 7);
    }
    (largest <= MAX_MAGNITUDE).then_some(bits.div_ceil(8))
}

/// Reads `s2` from the start of `bytes` and returns the number of bytes taken,
/// the last one having its spare bits zero. Variable time: signatures are public.
pub(super) fn decompress(bytes: &[u8], s2: &mut [i16]) -> Result<usize, DecodeError> {
    // The next `available` bits are at the top of `window`, zeros below them.
    let mut window = 0u64;
    let mut available = 0;
    let mut position = 0;
    for s in s2 {
        if available < 9 + MAX_RUN {
            position += refill(bytes, position, &mut window, &mut available);
        }
        let sign = (window >> 63) as i16;
        let low = (window >> 56) as i16 & 127;
        let run = (window << 8).leading_zeros();
        if run > MAX_RUN {
            // Zeros past the end are the absence of a code word, not a long one.
            let cut = available < 9 + MAX_RUN;
            return Err(if cut {
                DecodeError::Length
            } else {
                DecodeError::Range
            });
        }
        let magnitude = low | (run as i16) << 7;
        if sign == 1 && magnitude == 0 {
            return Err(DecodeError::NonCanonical);
        }
        *s = (magnitude ^ -sign) + sign;
        window <<= 9 + run;
        available -= 9 + run;
    }
    // Bytes loaded but not begun are given back.
    let unread = available / 8;
    let spare = available % 8;
    if spare > 0 && window >> (64 - spare) != 0 {
        return Err(DecodeError::NonCanonical);
    }
    Ok(position - unread as usize)
}

/// Loads whole bytes while they fit; returns how many.
#[inline(always)]
fn refill(bytes: &[u8], position: usize, window: &mut u64, available: &mut u32) -> usize {
    let rest = bytes.get(position..).unwrap_or(&[]);
    let room = (64 - *available) / 8;
    if let Some(eight) = rest.first_chunk::<8>() {
        let fresh = u64::from_be_bytes(*eight) >> (64 - 8 * room);
        *window |= fresh << (64 - 8 * room - *available);
        *available += 8 * room;
        room as usize
    } else {
        let mut taken = 0;
        for &byte in rest.iter().take(room as usize) {
            *window |= u64::from(byte) << (56 - *available);
            *available += 8;
            taken += 1;
        }
        taken
    }
}
